"""A learned network as text on a terminal: who points to whom, what was asked, what can be relied on."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import networkx as nx
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from sidelight.doctor.findings import Diagnosis
from sidelight.evaluate.comparison import Comparison
from sidelight.network import Network
from sidelight.text.message import in_command_words

ALONE_SHOWN = 10
EDGES_SHOWN = 12
STATUS_STYLE = {"consistent": "green", "violated": "red", "cannot be checked": "yellow"}


def show(network: Network, console: Console, title: str) -> None:
    """Print the network."""
    content = Group(_edges(network, _marks(console)), Text(), _summary(network, _marks(console)))
    console.print(Panel(content, title=Text(title), expand=False, padding=(1, 2)))


def _marks(console: Console) -> tuple[str, str]:
    """How a directed and an undirected edge are drawn, as far as the console's encoding allows."""
    try:
        "──▶".encode(console.encoding)
    except UnicodeEncodeError:
        return "-->", "---"
    return "──▶", "───"


def _edges(network: Network, marks: tuple[str, str]) -> RenderableType:
    """One row per variable that points to others or is joined to them without direction, causes first."""
    directed, undirected = _grouped(network.directed_edges), _grouped(network.undirected_edges)
    if not directed and not undirected:
        return Text("no edges: every pair of variables was separated", style="dim")
    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right", style="bold")
    position = {name: i for i, name in enumerate(network.names)}
    for name in nx.lexicographical_topological_sort(network.to_dag(), position.__getitem__):
        if name in directed:
            table.add_row(Text(str(name)), Text(marks[0], style="cyan"), Text(",  ".join(directed[name])))
        if name in undirected:
            table.add_row(Text(str(name)), Text(marks[1], style="magenta"), Text(",  ".join(undirected[name])))
    return table


def _grouped(edges: list[tuple[Hashable, Hashable]]) -> dict[Hashable, list[str]]:
    grouped: dict[Hashable, list[str]] = {}
    for tail, head in edges:
        grouped.setdefault(tail, []).append(str(head))
    return grouped


def _summary(network: Network, marks: tuple[str, str]) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column()
    n_directed, n_undirected = len(network.directed_edges), len(network.undirected_edges)
    table.add_row("variables", str(len(network.names)))
    alone = [str(name) for name, degree in network.skeleton.degree if degree == 0]
    if alone:
        shown = ", ".join(alone[:ALONE_SHOWN]) + (f" and {len(alone) - ALONE_SHOWN} more" * (len(alone) > ALONE_SHOWN))
        table.add_row("joined to none", Text(shown))
    table.add_row(
        "edges",
        f"{n_directed + n_undirected} ({n_directed} directed {marks[0]}, {n_undirected} without direction {marks[1]})",
    )
    table.add_row(
        "tests",
        f"{network.n_tests}, conditioning on {network.mean_conditioning_size:.2f} variables on average and "
        f"{network.max_conditioning_size} at most{network.boundaries_in_words()}",
    )
    table.add_row("test", f"{network.settings.test}, significance level {network.settings.alpha:g}")
    table.add_row("learner", network.settings.learner)
    table.add_row("known before", Text(str(network.settings.side or "none")))
    table.add_row("seconds", ", ".join(f"{phase} {seconds:.2f}" for phase, seconds in network.seconds.items()))
    status = network.certificate.status
    table.add_row("certificate", Text.assemble((status, STATUS_STYLE[status]), f": {network.certificate.sentence}"))
    for warning in network.warnings:
        table.add_row(Text("warning", style="yellow"), Text(in_command_words(warning.message)))
    return table


def show_diagnosis(diagnosis: Diagnosis, console: Console, title: str) -> None:
    """Print what the data doctor found."""
    table = Table.grid(padding=(0, 1))
    table.add_row("", f"{diagnosis.n_rows} rows, {diagnosis.n_columns} columns")
    for finding in (*diagnosis.errors, *diagnosis.warnings):
        style = "red" if finding.severity == "error" else "yellow"
        remedy = ("\n→ " + in_command_words(finding.remedy) if finding.remedy else "", "dim")
        table.add_row(Text(finding.severity, style=style), Text.assemble(in_command_words(finding.text), remedy))
    if not diagnosis.findings:
        table.add_row(Text("fine", style="green"), "nothing to complain about")
    console.print(Panel(table, title=Text(title), expand=False, padding=(1, 2)))


def show_comparison(found: Comparison, console: Console, learned: str, truth: str) -> None:
    """Print how near a learned graph is to the true one."""
    lines = [Text(line) for line in str(found).splitlines()]
    for word, edges in (("missing", found.missing_edges), ("extra", found.extra_edges)):
        if edges:
            shown = ",  ".join(f"{a} {_marks(console)[1]} {b}" for a, b in edges[:EDGES_SHOWN])
            more = f" and {len(edges) - EDGES_SHOWN} more" if len(edges) > EDGES_SHOWN else ""
            lines.append(Text.assemble((f"{word}: ", "yellow"), shown + more))
    verdict = Text("the same equivalence class", "green") if found.same else Text("not the same class", "yellow")
    console.print(Panel(Group(verdict, *lines), title=Text(f"{learned} beside {truth}"), expand=False, padding=(1, 2)))


def show_networks(rows: Mapping[str, Mapping[str, int | bool]], with_tables: frozenset[str], console: Console) -> None:
    """The bundled structures, one line each."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("network", no_wrap=True)
    for heading in ("n", "edges", "clique", "parents", "degree", "Mb"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("diamonds")
    table.add_column("width", justify="right")
    table.add_column("tables")
    for name, row in rows.items():
        *figures, is_diamond_free, treewidth = row.values()
        cells = [name, *map(str, figures), "none" if is_diamond_free else "some", str(treewidth)]
        table.add_row(*cells, "yes" if name in with_tables else "no")
    console.print(table)
    console.print(
        "\nn: variables. clique, parents, degree, Mb (Markov boundary): the largest. width: a bound on the treewidth. "
        "tables: with conditional probabilities, to sample from."
    )

"""A learned network as text on a terminal: its edges, how it was tested, and what it rests on.

Names come from data: every text that may hold one is made visible first, so that it cannot act on the terminal.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import isinf
from operator import itemgetter

import networkx as nx
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from sidelight.evaluate.comparison import Comparison
from sidelight.explain.marks import edge_in_words
from sidelight.graphs.marks import ARROW
from sidelight.graphs.separating_sets import Pair
from sidelight.kinds.types import ColumnType, types_counted
from sidelight.network import NO_HIDDEN_CAUSES, Network
from sidelight.result.certainty import CERTAIN, Shares
from sidelight.result.evidence import Strengths, quick_strengths
from sidelight.result.marked_shares import at_ends
from sidelight.tables.findings import Diagnosis, Finding, FindingKind
from sidelight.text.message import in_command_words
from sidelight.text.sentences import counted
from sidelight.text.visible import visible

ISOLATED_SHOWN = 10
EDGES_SHOWN = 12
DOUBTS_SHOWN = 8
CHANGES_SHOWN = 12
EDGE_STYLES = ("cyan", "yellow", "magenta")  # directed, of uncertain direction, undirected
ASCII = {"→": "->", "←": "<-", "—": "--", "·": ".", "±": "+/-", "↔": "<->", "○": "o"}
STATUS_STYLE = {"consistent": "bold", "violated": "red", "cannot be checked": "yellow"}  # none says: the graph is right


def show(network: Network, console: Console, title: str) -> None:
    """Print the network."""
    trust = [_plain(network.trust, "bold"), Text()] if network.trust else []
    tables = [*_least_certain(network, console), *_levels(network, console)]
    edges = _marked_edges(network, console) if network.is_pag else _edges(network, _marks(console))
    content = Group(*trust, edges, Text(), _summary(network, _marks(console)), *tables)
    _print_panel(console, content, title)


def _print_panel(console: Console, content: RenderableType, title: str) -> None:
    console.print(Panel(content, title=_plain(title), expand=False, padding=(1, 2)))


def _plain(text: object, style: str = "") -> Text:
    """A text that may hold names: no markup, and nothing in it acts on the terminal."""
    return Text(visible(str(text)), style=style)


def _has(console: Console, text: str) -> bool:
    """Whether the console's encoding has these characters."""
    try:
        text.encode(console.encoding)
    except UnicodeEncodeError:
        return False
    return True


def _marks(console: Console) -> tuple[str, str, str]:
    """How a directed edge, an undirected one and one whose direction is uncertain are drawn."""
    return ("──▶", "───", "╌╌▷") if _has(console, "──▶╌▷") else ("-->", "---", "..>")


def _signs(console: Console) -> Mapping[str, str]:
    """Arrows and signs within tables."""
    return {sign: sign for sign in ASCII} if _has(console, "".join(ASCII)) else ASCII


def _edges(network: Network, marks: tuple[str, str, str]) -> RenderableType:
    """One row per variable with edges to others, directed and undirected apart, causes first."""
    effects = quick_strengths(network.edge_strengths)
    uncertain = network.uncertain_arrows
    certain = [arrow for arrow in network.directed_edges if arrow not in set(uncertain)]
    groups = [_grouped(network, edges, effects) for edges in (certain, uncertain, network.undirected_edges)]
    if not any(groups):
        return Text("no edges: every pair of variables is separated", style="dim")
    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right", style="bold")
    position = {name: i for i, name in enumerate(network.names)}
    for name in nx.lexicographical_topological_sort(network.to_dag(), position.__getitem__):
        for grouped, mark, style in zip(groups, (marks[0], marks[2], marks[1]), EDGE_STYLES, strict=True):
            if name in grouped:
                table.add_row(_plain(name), Text(mark, style=style), _plain(",  ".join(grouped[name])))
    return table


def _marked_edges(network: Network, console: Console) -> RenderableType:
    """One row per edge of a PAG, and what it says."""
    if not network.edges:
        return Text("no edges: every pair of variables is separated", style="dim")
    signs, table = _signs(console), Table.grid(padding=(0, 1))
    table.add_column(justify="right", style="bold")
    position = {name: i for i, name in enumerate(network.names)}
    for a, symbol, b in network.edges:
        sign = _sign(symbol, signs)
        says = _plain(edge_in_words(network, position[a], position[b]), "dim")
        shares = [_plain(_mark_shares(network.shares, a, b))] if network.shares is not None else []
        table.add_row(_plain(a), Text(sign, style="cyan"), _plain(b), *shares, says)
    return table


def _mark_shares(shares: Shares, a: Hashable, b: Hashable) -> str:
    """How often the two are adjacent, and the most frequent mark at each of them."""
    often = [max(shares.mark(*pair).items(), key=itemgetter(1)) for pair in ((b, a), (a, b))]
    return f"{shares.adjacency[frozenset((a, b))]:.0%} ({', '.join(f'{mark} {share:.0%}' for mark, share in often)})"


def _grouped(network: Network, edges: list[tuple[Hashable, Hashable]], effects: Strengths) -> dict[Hashable, list[str]]:
    """What each variable has edges to, with their effect sizes, and the shares of resamples with the edge as it is."""
    grouped: dict[Hashable, list[str]] = {}
    directed = set(network.directed_edges)
    for tail, head in edges:
        effect, shares = effects.get(frozenset((tail, head))), network.shares
        notes = [] if effect is None else [f"{effect.size:.2f}"]
        if shares is not None:
            share = shares.arrow[tail, head] if (tail, head) in directed else shares.adjacency[frozenset((tail, head))]
            notes.append(f"{share:.0%}")
        grouped.setdefault(tail, []).append(f"{head} ({', '.join(notes)})" if notes else f"{head}")
    return grouped


def _summary(network: Network, marks: tuple[str, str, str]) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column()
    n_directed, n_undirected = len(network.directed_edges), len(network.undirected_edges)
    if network.n_rows is not None:
        table.add_row("rows", network.rows_in_words())
        table.add_row("columns", f"{types_counted(network.types)}; sidelight check shows each")
    table.add_row("variables", str(len(network.names)))
    isolated = [str(name) for name, degree in network.skeleton.degree if degree == 0]
    if isolated:
        more = len(isolated) - ISOLATED_SHOWN
        table.add_row("isolated", _plain(", ".join(isolated[:ISOLATED_SHOWN]) + f" and {more} more" * (more > 0)))
    n_uncertain = len(network.uncertain_arrows)
    doubtful = f", {n_uncertain} of uncertain direction {marks[2]}" if network.shares is not None else ""
    counts = f"{n_directed - n_uncertain} directed {marks[0]}{doubtful}, {n_undirected} undirected {marks[1]}"
    table.add_row("edges", f"{n_directed + n_undirected} ({counts})" if not network.is_pag else str(len(network.edges)))
    if network.settings.time_order is not None:
        table.add_row("over time", _plain(network.over_time.in_words()))
    if quick_strengths(network.edge_strengths):
        table.add_row("effect sizes", "in brackets, given the other parents; sidelight explain names what they measure")
    table.add_row(
        "tests",
        f"{network.n_tests}, conditioning on {network.mean_conditioning_size:.2f} variables on average and "
        f"{network.max_conditioning_size} at most{network.other_tests_in_words()}",
    )
    table.add_row("test", f"{network.settings.test}, significance level {network.settings.alpha:g}")
    table.add_row("learner", network.settings.learner_in_words())
    if network.shares is not None:
        table.add_row("resamples", _resamples(network.shares))
        meaning = f"of these with the edge as shown; below {CERTAIN:.0%} an arrow is uncertain"
        if network.is_pag:
            meaning = "of these with the most frequent mark at the first and at the second; before it, with the edge"
        table.add_row("% in brackets", meaning)
    if network.search_steps:
        penalty = "" if network.settings.penalty is None else f", penalty {network.settings.penalty:g}"
        table.add_row(_plain(f"score ({network.settings.score}{penalty})"), _plain(network.search_in_words()))
    table.add_row("side information", _plain(str(network.settings.side or "none")))
    if network.settings.known:
        table.add_row("knowledge", _plain(str(network.settings.known)))
    table.add_row("seconds", ", ".join(f"{phase} {seconds:.2f}" for phase, seconds in network.seconds.items()))
    status = Text(network.certificate.heading, STATUS_STYLE[network.certificate.status])
    if not network.is_pag and not network.settings.is_oracle:
        table.add_row("assumption", NO_HIDDEN_CAUSES.removeprefix("assumes "))
    table.add_row("certificate", status + _plain(f": {network.certificate.sentence}"))
    if surviving := network.surviving_in_words():
        table.add_row("hidden causes", _plain(surviving))
    for warning in network.warnings:
        table.add_row(_label(warning), _plain(in_command_words(warning.message)))
    return table


def _resamples(shares: Shares) -> str:
    """How many there were, and how many edges are in a significant share of them."""
    drawn = f"{shares.n_resamples} ({shares.method}, seed {shares.seed})"
    most = "" if shares.max_false_edges is None else f" (at most {shares.max_false_edges:g} expected to be false)"
    if isinf(shares.threshold):
        return f"{drawn}; no threshold is high enough{most}: 0 edges"
    return f"{drawn}; threshold {shares.threshold:.3g}{most}: {counted(len(shares.chosen()), 'edge')}"


def _least_certain(network: Network, console: Console) -> list[RenderableType]:
    """The pairs that graphs of resamples disagree most about, if there are any."""
    shares, signs = network.shares, _signs(console)
    pairs = [] if shares is None else [pair for pair in shares.by_doubt() if shares.doubt(*pair) > 0][:DOUBTS_SHOWN]
    if shares is None or not pairs:
        return []
    of_pags = shares.of_pags
    ways = ("arrow at first %", "arrow at second %") if of_pags else (f"{signs['→']} %", f"{signs['←']} %")
    table = _table("least certain", "adjacent %", *ways, f"{signs['±']} points")
    for pair in pairs:
        counts = shares.of(*pair)
        ends = [end[ARROW] for end in at_ends(counts)] if of_pags else [counts.forward, counts.backward]
        percent = [100 * shares.share(count) for count in (counts.adjacent, *ends)]
        percent.append(100 * shares.error(counts.adjacent))
        table.add_row(_pair(shares.names, pair), *(f"{number:.1f}" for number in percent))
    which = "" if of_pags else f"{signs['→']}: from the first to the second; "
    note = f"% of {counted(shares.n_resamples, 'resample')}; {which}{signs['±']}: standard error of adjacent %"
    return [Text(), table, Text(note, style="dim")]


def _levels(network: Network, console: Console) -> list[RenderableType]:
    """How many edges there are at each significance level, and the pairs whose edge is not the same at all."""
    levels, signs = network.levels, _signs(console)
    if levels is None:
        return []
    counts = _table("significance level", "edges", "directed")
    for alpha, *numbers in levels.counts():
        counts.add_row(f"{alpha:g}", *map(str, numbers))
    changes = levels.changes()
    if not changes:
        return [Text(), counts, Text("the edges are the same at all levels", style="dim")]
    ways = _table("changes with the level", *(f"{alpha:g}" for alpha in levels.alphas))
    for pair, points in changes[:CHANGES_SHOWN]:
        ways.add_row(_pair(levels.names, pair), *(_sign(way or "·", signs) for way in points))
    more = len(changes) - CHANGES_SHOWN
    note = f"{signs['→']}: from the first to the second; {signs['·']}: not adjacent"
    return [Text(), counts, Text(), ways, Text(f"and {more} more; " * (more > 0) + note, style="dim")]


def _sign(way: str, signs: Mapping[str, str]) -> str:
    return "".join(signs[character] for character in way)


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column(first)
    for heading in others:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _pair(names: Sequence[Hashable], pair: Pair) -> Text:
    return _plain(f"{names[pair[0]]},  {names[pair[1]]}")


def _label(finding: Finding) -> Text:
    return Text(finding.label, style={"error": "red", "warning": "yellow", "note": "cyan"}.get(finding.label, "green"))


def show_diagnosis(diagnosis: Diagnosis, console: Console, title: str) -> None:
    """Print what the data doctor found."""
    table = Table.grid(padding=(0, 1))
    complete = "all" if diagnosis.n_complete == diagnosis.n_rows else diagnosis.n_complete
    table.add_row("", f"{diagnosis.n_rows} rows, {complete} complete, {diagnosis.n_columns} columns")
    if not diagnosis.errors and not diagnosis.warnings:
        table.add_row("", "no problems found")
    for finding in (*diagnosis.errors, *diagnosis.warnings, *diagnosis.notes):
        text = _plain(in_command_words(finding.text))
        if finding.remedy:
            text += Text("\n") + _plain(f"→ {in_command_words(finding.remedy)}", "dim")
        table.add_row(_label(finding), text)
    content = Group(table, Text(), _types(diagnosis.types))
    _print_panel(console, content, title)


def _types(types: Sequence[ColumnType]) -> RenderableType:
    """What each column is taken as, and why."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("column", "type", "decided by", "values", "missing", "example"):
        table.add_column(heading, justify="right" if heading in ("values", "missing") else "left")
    for column in types:
        n_values = "many" if column.n_values is None else str(column.n_values)
        texts = (column.name, column.type_in_words, column.decided, n_values, column.n_missing or "", column.example)
        table.add_row(*map(_plain, texts))
    return table


def show_plan(fixed: Diagnosis, console: Console, command: str) -> None:
    """Print what would be done about the findings, what would be left, and the command that does it."""
    table = Table.grid(padding=(0, 1))
    for finding in fixed.findings:
        if finding.kind == FindingKind.FIXED:
            table.add_row(Text("•"), _plain(in_command_words(finding.text)))
    for error in fixed.errors:
        table.add_row(Text("left", style="red"), _plain(in_command_words(error.message)))
    _print_panel(console, table, "with --fix")
    console.print(_plain(command), soft_wrap=True)


def show_comparison(found: Comparison, console: Console, learned: str, truth: str) -> None:
    """Print how near a learned graph is to the true one."""
    lines = [_plain(line) for line in str(found).splitlines()]
    for word, edges in (("missing", found.missing_edges), ("extra", found.extra_edges)):
        if edges:
            shown = ",  ".join(f"{a} {_marks(console)[1]} {b}" for a, b in edges[:EDGES_SHOWN])
            more = f" and {len(edges) - EDGES_SHOWN} more" if len(edges) > EDGES_SHOWN else ""
            lines.append(Text(f"{word}: ", "yellow") + _plain(shown + more))
    same = Text("the same Markov equivalence class", "green")
    verdict = same if found.same else Text("another Markov equivalence class", "yellow")
    _print_panel(console, Group(verdict, *lines), f"{learned} compared with {truth}")


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

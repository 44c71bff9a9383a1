"""``sidelight networks``, ``simulate`` and ``compare``: bundled structures, tables from one, a learned one judged.

A structure is bundled, given in a file, or random.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import networkx as nx
import numpy as np
import typer

from sidelight.cli.shared import Output, names_in, say, say_json, steps, user_errors
from sidelight.errors import InputError
from sidelight.evaluate.comparison import compare as compare_graphs
from sidelight.files.writing import check_target, written_beside
from sidelight.graphs.properties import summary
from sidelight.network import Network
from sidelight.output import formats, terminal
from sidelight.simulation import networks as bundled
from sidelight.simulation.bif import read_bif
from sidelight.simulation.discrete import DiscreteNetwork
from sidelight.simulation.random_graphs import RANDOM, random_structure
from sidelight.simulation.tables import KINDS, TABLES, with_names, write_simulation
from sidelight.text.message import Message, Option, must_be

VARIABLES = 50
GRAPHS = f"A file ({', '.join(formats.READERS)}), or the name of a bundled network."


def networks(
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON, for scripts.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the names only.")] = False,
) -> None:
    """List the bundled structures, with the properties that make them easy or hard to learn."""
    with user_errors():
        if quiet:
            print("\n".join(bundled.available()))
            return
        rows = {name: summary(bundled.load(name)) for name in bundled.available()}
        if as_json:
            say_json(rows)
        else:
            terminal.show_networks(rows, frozenset(bundled.with_tables()), Output())


def compare(
    learned: Annotated[str, typer.Argument(help=GRAPHS)],
    truth: Annotated[str, typer.Argument(help=GRAPHS)],
    hidden: Annotated[
        str | None, typer.Option(help="Variables of the true DAG that were not observed, with commas; compares PAGs.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON, for scripts.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing; only set the exit code.")] = False,
) -> None:
    """Compare a learned graph with the true one. Exit code 1 if they differ."""
    with user_errors():
        found = compare_graphs(_graph(learned), _graph(truth), hidden=names_in(hidden or ""))
        if as_json:
            say_json(found.as_dict())
        elif not quiet:
            terminal.show_comparison(found, Output(), learned, truth)
        if not found.same:
            raise typer.Exit(1)


def _graph(text: str) -> Network | nx.DiGraph:
    path = Path(text)
    if not path.exists() and text in bundled.available():
        return bundled.load(text)
    if not path.exists() and not path.suffix:
        raise InputError(
            f"there is no file {text!r}, and no bundled network of that name (sidelight networks lists them)"
        )
    return formats.read(path)


def simulate(
    structure: Annotated[
        str,
        typer.Argument(
            help=f"A bundled network (see sidelight networks), a file with a DAG ({', '.join(formats.READERS)}), or a "
            f"random one: {', '.join(RANDOM.values())}."
        ),
    ],
    out: Annotated[Path, typer.Option(help=f"Write the table here; ends in {', '.join(TABLES)}.")],
    rows: Annotated[int, typer.Option(help="Number of rows.")] = 1000,
    kind: Annotated[
        str, typer.Option(help=f"{', '.join(KINDS)}, or auto: discrete for BIF files, else gaussian.")
    ] = "auto",
    seed: Annotated[int, typer.Option(help="The same seed gives the same structure and rows.")] = 0,
    variables: Annotated[
        int | None, typer.Option(help="Number of variables of a random structure; 50 by default.")
    ] = None,
    degree: Annotated[float | None, typer.Option(help="Mean degree of a random structure; 3 by default.")] = None,
    exponent: Annotated[
        float | None, typer.Option(help="For erdos-renyi: edges with probability n^-EXPONENT, as in the paper.")
    ] = None,
    max_parents: Annotated[int | None, typer.Option(help="For treewidth:T: maximum number of parents.")] = None,
    share: Annotated[float, typer.Option(help="Share of discrete columns in mixed data.")] = 0.5,
    truth: Annotated[
        Path | None, typer.Option(help=f"Write the true DAG here; ends in {', '.join(formats.GRAPH_WRITERS)}.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON, for scripts.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors.")] = False,
) -> None:
    """Draw a table from a random model over a structure."""
    with user_errors(out, truth):
        _check_target("table", out, TABLES, force)
        if truth is not None:
            _check_target("graph", truth, formats.GRAPH_WRITERS, force)
            if truth.resolve() == out.resolve():
                raise InputError(f"--truth and --out are both {str(out)!r}; give two names")
        if seed < 0:
            raise InputError(must_be("seed", "0 or more", seed))
        # The rows have a generator of their own, so that they do not depend on how the structure was drawn.
        rng = np.random.default_rng([seed, 1])
        chosen = {"variables": variables, "degree": degree, "exponent": exponent, "max_parents": max_parents}
        drawn_from = with_names(_structure(structure, kind, rng, chosen))
        with steps("rows", rows, quiet or as_json) as tick, written_beside(out, force) as beside:
            graph = write_simulation(beside, drawn_from, rows, kind, seed, share, tick)
        if truth is not None:
            formats.write(nx.relabel_nodes(graph, str), truth, overwrite=force)
        if as_json or not quiet:
            _print_summary(graph, rows, out, truth, as_json)


def _print_summary(graph: nx.DiGraph, rows: int, out: Path, truth: Path | None, as_json: bool) -> None:
    n_variables, n_edges = len(graph), graph.number_of_edges()
    if as_json:
        written = {"table": str(out), "truth": str(truth) if truth else None}
        say_json(json.dumps({"rows": rows, "variables": n_variables, "edges": n_edges, **written}))
        return
    say(f"{rows} rows of {n_variables} variables with {n_edges} edges written to {out}")
    if truth is not None:
        say(f"the true DAG written to {truth}")


def _check_target(what: str, path: Path, endings: Iterable[str], force: bool) -> None:
    if path.suffix.lower() not in endings:
        raise InputError(f"the name of a {what} must end in one of {', '.join(endings)}; got {path.name!r}")
    check_target(path, force)


def _structure(text: str, kind: str, rng: np.random.Generator, chosen: dict[str, Any]) -> nx.DiGraph | DiscreteNetwork:
    if text.partition(":")[0] in RANDOM:
        n = chosen.pop("variables")
        return random_structure(text, VARIABLES if n is None else n, rng, **chosen)
    for option, value in chosen.items():
        if value is not None:
            raise InputError(Message(Option(option, value), f" is for random structures, which {text!r} is not"))
    if text in bundled.available():
        return bundled.named(text, kind)
    path = Path(text)
    if path.name.lower().endswith((".bif", ".bif.gz")):
        return read_bif(path)
    if path.suffix.lower() in formats.READERS | formats.WRITERS:  # read_graph says which are only written
        return formats.read_graph(path)
    raise InputError(
        f"a structure must be a bundled network ({', '.join(bundled.available())}), a file "
        f"({', '.join(formats.READERS)}) or one of {', '.join(RANDOM.values())}; got {text!r}"
    )

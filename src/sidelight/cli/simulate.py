"""``sidelight simulate``: a table drawn from a model over a bundled, a given or a random structure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import networkx as nx
import numpy as np
import typer

from sidelight.cli.shared import say, say_json, steps, user_errors
from sidelight.errors import InputError
from sidelight.files.writing import check_target, written_beside
from sidelight.output import formats
from sidelight.simulation import networks
from sidelight.simulation.bif import read_bif
from sidelight.simulation.discrete import DiscreteNetwork
from sidelight.simulation.random_graphs import RANDOM, random_structure
from sidelight.simulation.tables import KINDS, TABLES, with_names, write_simulation
from sidelight.text.message import Message, Option, must_be

VARIABLES = 50


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
        _check_out(out, force)
        if truth is not None:
            _check_truth(truth, out, force)
        if seed < 0:
            raise InputError(must_be("seed", "0 or more", seed))
        # The rows have a generator of their own, so that they do not depend on how the structure was drawn.
        rng = np.random.default_rng([seed, 1])
        drawn_from = with_names(_structure(structure, kind, rng, variables, degree, exponent, max_parents))
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


def _check_out(out: Path, force: bool) -> None:
    if out.suffix.lower() not in TABLES:
        raise InputError(f"the name of a table must end in one of {', '.join(TABLES)}; got {out.name!r}")
    check_target(out, force)


def _check_truth(truth: Path, out: Path, force: bool) -> None:
    if truth.suffix.lower() not in formats.GRAPH_WRITERS:
        kinds = ", ".join(formats.GRAPH_WRITERS)
        raise InputError(f"the name of a graph must end in one of {kinds}; got {truth.name!r}")
    check_target(truth, force)
    if truth.resolve() == out.resolve():
        raise InputError(f"--truth and --out are both {str(out)!r}; give two names")


def _structure(
    text: str,
    kind: str,
    rng: np.random.Generator,
    variables: int | None,
    degree: float | None,
    exponent: float | None,
    max_parents: int | None,
) -> nx.DiGraph | DiscreteNetwork:
    if text.partition(":")[0] in RANDOM:
        n = VARIABLES if variables is None else variables
        return random_structure(text, n, rng, degree, exponent, max_parents)
    chosen = {"variables": variables, "degree": degree, "exponent": exponent, "max_parents": max_parents}
    for option, value in chosen.items():
        if value is not None:
            raise InputError(Message(Option(option, value), f" is for random structures, which {text!r} is not"))
    if text in networks.available():
        return (
            networks.load_discrete(text)
            if kind == "discrete" and text in networks.with_tables()
            else networks.load(text)
        )
    path = Path(text)
    if path.name.lower().endswith((".bif", ".bif.gz")):
        return read_bif(path)
    if path.suffix.lower() in formats.READERS | formats.WRITERS:  # read_graph says which are only written
        return formats.read_graph(path)
    raise InputError(
        f"a structure must be a bundled network ({', '.join(networks.available())}), a file "
        f"({', '.join(formats.READERS)}) or one of {', '.join(RANDOM.values())}; got {text!r}"
    )

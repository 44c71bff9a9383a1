"""``sidelight simulate``: a table drawn from a known, a given or a random structure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import networkx as nx
import numpy as np
import typer

from sidelight import formats
from sidelight.commands.shared import steps, user_errors
from sidelight.data import networks
from sidelight.data.bif import DiscreteNetwork, read_bif
from sidelight.data.simulate import KINDS, RANDOM, TABLES, random_structure, write_simulation
from sidelight.errors import InputError
from sidelight.files import check_target, written_beside


def simulate(
    structure: Annotated[
        str,
        typer.Argument(
            help=f"A bundled network (see sidelight networks), a file with a DAG ({', '.join(formats.READERS)}), or a "
            f"random one: {', '.join(RANDOM.values())}."
        ),
    ],
    out: Annotated[Path, typer.Option(help=f"Write the table here; ends in {', '.join(TABLES)}.")],
    rows: Annotated[int, typer.Option(help="How many rows.")] = 1000,
    kind: Annotated[
        str, typer.Option(help=f"{', '.join(KINDS)}, or auto: discrete for BIF files, else gaussian.")
    ] = "auto",
    seed: Annotated[int, typer.Option(help="The same seed gives the same structure and rows.")] = 0,
    variables: Annotated[int, typer.Option(help="Of a random structure.")] = 50,
    degree: Annotated[float, typer.Option(help="Mean degree of a random structure.")] = 3.0,
    exponent: Annotated[
        float | None, typer.Option(help="Of erdos-renyi: edges with probability n^-EXPONENT, as in the paper.")
    ] = None,
    max_parents: Annotated[int | None, typer.Option(help="Of treewidth:T, at most so many parents.")] = None,
    share: Annotated[float, typer.Option(help="Share of discrete columns in mixed data.")] = 0.5,
    truth: Annotated[
        Path | None, typer.Option(help=f"Write the true DAG here; ends in {', '.join(formats.WRITERS)}.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors.")] = False,
) -> None:
    """Draw a table from a model over a known structure, to try a method on."""
    with user_errors():
        _check_out(out, force)
        if truth is not None:
            formats.check_writable(truth, force)
        if seed < 0:
            raise InputError(f"--seed {seed}: a seed is 0 or more")
        # The rows have a generator of their own, so that they do not depend on how the structure came about.
        rng = np.random.default_rng([seed, 1])
        drawn_from = _structure(structure, kind, rng, variables, degree, exponent, max_parents)
        with steps("rows", rows, quiet) as tick, written_beside(out) as beside:
            graph = write_simulation(beside, drawn_from, rows, kind, seed, share, tick)
        if truth is not None:
            formats.write(nx.relabel_nodes(graph, str), truth, overwrite=force)
        if not quiet:
            print(f"{rows} rows of {len(graph)} variables with {graph.number_of_edges()} edges written to {out}")
            if truth is not None:
                print(f"the true DAG written to {truth}")


def _check_out(out: Path, force: bool) -> None:
    if out.suffix.lower() not in TABLES:
        raise InputError(f"cannot tell the format of {out.name!r}; it may end in {', '.join(TABLES)}")
    check_target(out, force)


def _structure(
    text: str,
    kind: str,
    rng: np.random.Generator,
    variables: int,
    degree: float,
    exponent: float | None,
    max_parents: int | None,
) -> nx.DiGraph | DiscreteNetwork:
    if text.partition(":")[0] in RANDOM:
        return random_structure(text, variables, rng, degree, exponent, max_parents)
    if text in networks.available():
        return (
            networks.load_discrete(text)
            if kind == "discrete" and text in networks.with_tables()
            else networks.load(text)
        )
    path = Path(text)
    if path.name.lower().endswith((".bif", ".bif.gz")):
        return read_bif(path)
    if path.suffix.lower() in formats.READERS:
        return formats.read_graph(path)
    raise InputError(
        f"{text!r} is no structure: give a bundled network ({', '.join(networks.available())}), a file "
        f"({', '.join(formats.READERS)}), or {', '.join(RANDOM.values())}"
    )

"""``sidelight learn``: from a table to a graph, on the terminal and in files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from sidelight.boundaries import ALGORITHMS
from sidelight.cli.data_options import Columns, Correlation, Data, Discrete, Drop, Missing, Test, Weights
from sidelight.cli.shared import names_in, phases, user_errors
from sidelight.errors import InputError
from sidelight.learners import LEARNERS
from sidelight.learning import learn as learn_network
from sidelight.network import Network
from sidelight.output import formats, terminal
from sidelight.output.report.html import check_report_target
from sidelight.side_information import parse_side
from sidelight.text.message import in_command_words


def learn(
    data: Data,
    side: Annotated[
        str,
        typer.Option(
            help="What is known beforehand: diamond-free, clique:3, treewidth:2, vertex-cover:4, in-degree:3 or none."
        ),
    ] = "none",
    alpha: Annotated[float, typer.Option(help="Level at which independence is rejected.")] = 0.01,
    learner: Annotated[str, typer.Option(help=f"{', '.join(LEARNERS)}; only rsl uses --side.")] = "rsl",
    variant: Annotated[str, typer.Option(help="Of rsl: robust, paper or published.")] = "robust",
    boundaries: Annotated[
        str, typer.Option(help=f"How Markov boundaries are found: auto, {', '.join(ALGORITHMS)}.")
    ] = "auto",
    boundary_alpha: Annotated[
        float | None, typer.Option(help="Level for that; by default 2/n² for n columns, 0.2/n² if discrete.")
    ] = None,
    correlation: Correlation = "pearson",
    test: Test = "auto",
    discrete: Discrete = "",
    missing: Missing = "error",
    weights: Weights = "",
    max_tests: Annotated[int | None, typer.Option(help="Stop after so many tests (after the boundaries).")] = None,
    max_conditioning: Annotated[
        int | None, typer.Option(help="After the boundaries, condition on no more than this.")
    ] = None,
    n_jobs: Annotated[int, typer.Option(help="Workers for boundaries and separating sets; -1: all cores.")] = 1,
    columns: Columns = "",
    drop: Drop = "",
    out: Annotated[
        Path | None, typer.Option(help=f"Write the graph here; ends in {', '.join(formats.WRITERS)}.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write an interactive report here: one HTML file that opens offline.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only warnings and errors.")] = False,
) -> None:
    """Learn a network from a table and show it."""
    with user_errors():
        _check_targets(data, out, report, force)
        promise = parse_side(side)
        with phases(quiet or as_json) as progress:
            net = learn_network(
                data,
                promise,
                learner,
                variant,
                alpha,
                boundaries=boundaries,
                boundary_alpha=boundary_alpha,
                columns=names_in(columns),
                drop=names_in(drop),
                correlation=correlation,
                test=test,
                discrete=names_in(discrete),
                missing=missing,
                weights=weights or None,
                max_tests=max_tests,
                max_conditioning=max_conditioning,
                n_jobs=n_jobs,
                progress=progress,
            )
        if out is not None:
            formats.write(net, out, overwrite=force)
        if report is not None:
            net.report(report, overwrite=force)
        _show(net, data, [path for path in (out, report) if path is not None], as_json, quiet)


def _check_targets(data: Path, out: Path | None, report: Path | None, force: bool) -> None:
    """Raise before the work when a file could not be written after it."""
    if out is not None:
        formats.check_writable(out, force)
    if report is not None:
        check_report_target(report, force)
    for option, path in (("--out", out), ("--report", report)):
        if path is not None and path.exists() and data.exists() and path.samefile(data):
            raise InputError(f"{option} {str(path)!r} is the table itself; choose another name")


def _show(net: Network, data: Path, written: list[Path], as_json: bool, quiet: bool) -> None:
    if as_json:
        print(formats.to_json(net), end="")
    elif quiet:
        refuted = [str(net.certificate)] if net.certificate.status == "violated" else []
        for warning in (*refuted, *net.warnings):
            print(f"sidelight: warning: {in_command_words(warning)}", file=sys.stderr)
    else:
        terminal.show(net, Console(), title=f"learned from {data.name}")
        for path in written:
            print(f"written to {path}")

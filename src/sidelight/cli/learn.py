"""``sidelight learn``: from a table to a graph, on the terminal and in files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from sidelight.certainty.resamples import StabilityOptions
from sidelight.certainty.stability import learn_with_resamples as learn_network
from sidelight.cli.options import FIELDS, NOT_FOR_COMMANDS, RESAMPLING, Data, takes_options
from sidelight.cli.shared import Output, phases, say, say_json, user_errors
from sidelight.cli.signals import exit_code
from sidelight.errors import InputError
from sidelight.network import Network
from sidelight.options import AUTO
from sidelight.output import formats, terminal
from sidelight.output.report.html import check_report_target
from sidelight.tables.findings import FindingKind
from sidelight.text.message import Message, Option, in_command_words

Method = Annotated[str | None, typer.Option(help=RESAMPLING["method"])]
Seed = Annotated[int | None, typer.Option(help="Seed for drawing resamples.")]
MaxFalseEdges = Annotated[float | None, typer.Option(help=RESAMPLING["max_false_edges"])]
Alphas = Annotated[
    str | None, typer.Option(help="Compare significance levels, commas between, such as 0.001,0.01,0.05.")
]


@takes_options(*(name for name in FIELDS if name not in NOT_FOR_COMMANDS))
def learn(
    data: Data,
    *,
    options: dict[str, Any],
    out: Annotated[
        Path | None, typer.Option(help=f"Write the graph here; ends in {', '.join(formats.WRITERS)}.")
    ] = None,
    for_spreadsheets: Annotated[
        bool,
        typer.Option(
            "--for-spreadsheets", help="With --out .csv: an apostrophe before names that are formulas in a spreadsheet."
        ),
    ] = False,
    method: Method = None,
    seed: Seed = None,
    max_false_edges: MaxFalseEdges = None,
    alphas: Alphas = None,
    report: Annotated[
        Path | None, typer.Option(help="Write an interactive report here: one HTML file that opens offline.")
    ] = None,
    methods: Annotated[
        bool, typer.Option("--methods", help="Print a paragraph for the methods section of a paper, too.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only warnings and errors.")] = False,
) -> None:
    """Learn a network from a table and show it."""
    with user_errors(out, report):
        if for_spreadsheets and out is None:
            raise InputError(Message(Option("for_spreadsheets", True), " goes with ", Option("out"), " and .csv"))
        _check_targets(data, out, report, force, for_spreadsheets)
        drawing: dict[str, Any] = {"method": method, "seed": seed, "max_false_edges": max_false_edges}
        drawing = {name: value for name, value in drawing.items() if value is not None}
        options["resamples"] = resamples = _resamples(options["resamples"])
        if resamples in (0, AUTO) and drawing:
            raise InputError(Message(Option(next(iter(drawing))), " goes with ", Option("resamples")))
        if alphas is not None:
            drawing["alphas"] = _numbers(alphas)
        if resamples not in (0, AUTO) and out is not None:
            drawing["records"] = _records(out)
        with phases(quiet or as_json) as progress:
            net = learn_network(data, StabilityOptions(**options, **drawing, progress=progress))
        code = exit_code() if any(warning.kind == FindingKind.STOPPED for warning in net.warnings) else 0
        if out is not None:
            formats.write(net, out, force, for_spreadsheets)
        if report is not None:
            net.report(report, overwrite=force)
        _show(net, data, [path for path in (out, report) if path is not None], as_json, quiet)
        if methods and not as_json:
            say(net.methods())
        if code:
            raise typer.Exit(code)
        if "records" in drawing and out is not None:
            _records(out).unlink(missing_ok=True)  # what is done is in the file


def _records(out: Path) -> Path:
    """Where what is done is kept until the graph is written."""
    return out.with_name(f"{out.name}.resamples")


def _resamples(text: str) -> int | str:
    """How many were asked for; what is no number is refused by ``learn``."""
    return int(text) if text.removeprefix("-").isdecimal() else text


def _numbers(text: str) -> list[float]:
    try:
        return [float(number) for number in text.split(",") if number.strip()]
    except ValueError:
        raise InputError(f"--alphas {text}: give numbers with commas between, such as 0.001,0.01,0.05") from None


def _check_targets(data: Path, out: Path | None, report: Path | None, force: bool, for_spreadsheets: bool) -> None:
    """Raise before the work when a file could not be written after it."""
    if out is not None:
        formats.check_writable(out, force, for_spreadsheets)
    if report is not None:
        check_report_target(report, force)
    for option, path in (("--out", out), ("--report", report)):
        if path is not None and path.exists() and data.exists() and path.samefile(data):
            raise InputError(f"{option} {str(path)!r} is the table itself; choose another name")


def _show(net: Network, data: Path, written: list[Path], as_json: bool, quiet: bool) -> None:
    if as_json:
        say_json(formats.to_json(net))
    elif quiet:
        violated = [str(net.certificate)] if net.certificate.status == "violated" else []
        for warning in (*violated, *(finding.message for finding in net.warnings)):
            say(f"sidelight: warning: {in_command_words(warning)}", sys.stderr)
    else:
        terminal.show(net, Output(), title=f"learned from {data.name}")
        for path in written:
            say(f"written to {path}")

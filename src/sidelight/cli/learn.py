"""``sidelight learn``: from a table to a graph, on the terminal and in files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from sidelight.cli.options import FIELDS, NOT_FOR_COMMANDS, Data, takes_options
from sidelight.cli.shared import phases, user_errors
from sidelight.errors import InputError
from sidelight.learning import learn as learn_network
from sidelight.network import Network
from sidelight.output import formats, terminal
from sidelight.output.report.html import check_report_target
from sidelight.text.message import in_command_words


@takes_options(*(name for name in FIELDS if name not in NOT_FOR_COMMANDS))
def learn(
    data: Data,
    *,
    options: dict[str, Any],
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
        with phases(quiet or as_json) as progress:
            net = learn_network(data, **options, progress=progress)
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
        violated = [str(net.certificate)] if net.certificate.status == "violated" else []
        for warning in (*violated, *(finding.message for finding in net.warnings)):
            print(f"sidelight: warning: {in_command_words(warning)}", file=sys.stderr)
    else:
        terminal.show(net, Console(), title=f"learned from {data.name}")
        for path in written:
            print(f"written to {path}")

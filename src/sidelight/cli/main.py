"""The ``sidelight`` command; each of its commands parses, makes one library call and prints."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from sidelight import __version__
from sidelight.cli.check import check
from sidelight.cli.compare import compare
from sidelight.cli.evidence import audit, explain
from sidelight.cli.learn import learn
from sidelight.cli.networks import networks
from sidelight.cli.reproduce import reproduce
from sidelight.cli.simulate import simulate

EXAMPLES: dict[Callable[..., None], str] = {
    learn: "learn data.csv --side diamond-free --out graph.json --report report.html",
    check: "check data.csv --knowledge known.toml",
    explain: "explain graph.json Sick Grunting",
    audit: "audit graph.json other-data.csv",
    networks: "networks --json",
    simulate: "simulate andes --rows 10000 --out data.parquet --truth truth.csv",
    compare: "compare graph.json truth.csv",
    reproduce: "reproduce table oracle --out study",
}
app = typer.Typer(
    no_args_is_help=True,
    help="Learn the structure of a Bayesian network from a table, with few, small independence tests.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"sidelight {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options that come before the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # so that a name is never too strange for a terminal
            stream.reconfigure(errors="backslashreplace")


for command, example in EXAMPLES.items():
    app.command(epilog=f"Example:  sidelight {example}")(command)

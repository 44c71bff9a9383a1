"""The ``sidelight`` command; each of its commands parses, makes one library call and prints.

A command's module is imported when the command is used: the list of all commands needs none of them.
"""

from __future__ import annotations

import errno
import io
import sys
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from sidelight.cli import signals

OUTPUT_ERRORS = (errno.EPIPE, errno.ENOSPC, errno.EIO)  # of printing, if they name no file


@dataclass(frozen=True)
class Listed:
    """A command as the list of commands has it: the first sentence of its help, its module and an example."""

    summary: str
    module: str
    example: str


COMMANDS = {
    "learn": Listed(
        "Learn a network from a table and show it.",
        "learn",
        "learn data.csv --side diamond-free --out graph.json --report report.html",
    ),
    "check": Listed(
        "List everything that is wrong or doubtful about a table. Exit code 2 if it cannot be learned from.",
        "evidence",
        "check data.csv --knowledge known.toml",
    ),
    "explain": Listed(
        "Say why two variables are adjacent or not, and why the edge points as it does.",
        "evidence",
        "explain graph.json Sick Grunting",
    ),
    "audit": Listed(
        "Test a network on the same or on other data and list what does not hold. Exit code 1 if something does not.",
        "evidence",
        "audit graph.json other-data.csv",
    ),
    "effect": Listed(
        "Say what setting a variable does to another one: identified or not, how large, how sure.",
        "effect",
        "effect graph.json data.csv --cause smoking --on weight",
    ),
    "networks": Listed(
        "List the bundled structures, with the properties that make them easy or hard to learn.",
        "structures",
        "networks --json",
    ),
    "simulate": Listed(
        "Draw a table from a random model over a structure.",
        "structures",
        "simulate andes --rows 10000 --out data.parquet --truth truth.csv",
    ),
    "compare": Listed(
        "Compare a learned graph with the true one. Exit code 1 if they differ.",
        "structures",
        "compare graph.json truth.csv",
    ),
}


class Commands(TyperGroup):
    """Commands that are imported when they are used."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command itself in place of the one that stands in the list."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command if name is None else imported(name), rest

    def invoke(self, ctx: Any) -> Any:
        """Run a command; what ends it from outside has an exit code of its own."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            print("sidelight: stopped", file=sys.stderr)
            raise typer.Exit(signals.exit_code()) from None
        except OSError as error:
            if error.errno not in OUTPUT_ERRORS or error.filename is not None:
                raise
            raise typer.Exit(signals.give_up_output(error)) from None


def imported(name: str) -> Any:
    """The command itself, with all its options."""
    listed = COMMANDS[name]
    command = getattr(import_module(f"sidelight.cli.{listed.module}"), name)
    alone = typer.Typer(add_completion=False)
    alone.command(name, epilog=f"Example:  sidelight {listed.example}")(command)
    return typer.main.get_command(alone)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    help="Learn the structure of a Bayesian network from a table, with few, small independence tests.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from sidelight import __version__

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


for _name, _listed in COMMANDS.items():
    app.command(_name, help=_listed.summary)(lambda: None)

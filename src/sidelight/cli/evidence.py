"""``sidelight check``, ``explain`` and ``audit``: what is wrong with a table, what a network rests on, what holds."""

from __future__ import annotations

import shlex
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer

from sidelight.cli.options import FIELDS, NOT_FOR_COMMANDS, Data, takes_options
from sidelight.cli.shared import Output, announced, as_typed, say, say_json, user_errors
from sidelight.families.options import DataOptions
from sidelight.knowledge import summary_of
from sidelight.learning import diagnose
from sidelight.options import Options
from sidelight.output import terminal
from sidelight.output.formats.network_json import read
from sidelight.text.message import Option, in_command_words

CHECKED = {field.name for field in fields(DataOptions)} - set(NOT_FOR_COMMANDS)
NetworkFile = Annotated[
    Path, typer.Argument(help="A network that sidelight learn has written, NAME.json.", callback=announced)
]


@takes_options("side", "knowledge", *(name for name in FIELDS if name in CHECKED))
def check(
    data: Data,
    *,
    options: dict[str, Any],
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON, for scripts.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing; the exit code says it.")] = False,
) -> None:
    """List everything that is wrong or doubtful about a table. Exit code 2 if it cannot be learned from.

    What is known of the structure is checked against the columns; unknown names and contradictions are exit code 2 too.
    """
    with user_errors():
        file = options.pop("knowledge", None)
        known = Options(side=options.pop("side"), knowledge=file).known
        diagnosis = diagnose(data, **options)
        in_words = not (as_json or quiet)
        plan = diagnose(data, **{**options, "fix": True}) if diagnosis.cure else None
        if in_words:
            terminal.show_diagnosis(diagnosis, Output(), data.name)
            if plan is not None:
                terminal.show_plan(plan, Output(), _command(data, options))
        summary = summary_of(known, diagnosis.names) if known or file else None
        if as_json:
            about_known = {} if summary is None else {"knowledge": {"file": file, **summary.as_dict()}}
            fixed = {} if plan is None else {"fixed": plan.as_dict()}
            say_json({**diagnosis.as_dict(), **fixed, **about_known})
        elif in_words and summary is not None:
            given = Path(file).name if file and Path(file).exists() else "--knowledge" if file else "--side"
            say(f"{given}: {summary}")
        if diagnosis.errors:
            raise typer.Exit(2)


def _command(data: Path, options: dict[str, Any]) -> str:
    """The command that applies all remedies, with the options that were given."""
    usual = DataOptions()
    given = {name: value for name, value in options.items() if value != getattr(usual, name)}
    words = (Option(name, value).in_command() for name, value in {**given, "fix": True}.items())
    return " ".join(["sidelight", "learn", shlex.quote(str(data)), *words])


def explain(
    network: NetworkFile,
    a: Annotated[str, typer.Argument(help="A variable.")],
    b: Annotated[str, typer.Argument(help="Another variable.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON, for scripts.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the first sentence only.")] = False,
) -> None:
    """Say why two variables are adjacent or not, and why the edge points as it does."""
    with user_errors():
        explanation = read(network).explain(as_typed(a), as_typed(b))
        if as_json:
            say_json(explanation.as_dict())
        else:
            say(explanation.sentences[0] if quiet else str(explanation))


@takes_options(
    *("alpha", "correlation", "test", "discrete", "types", "missing", "weights", "groups", "variation"), unset=True
)
def audit(
    network: NetworkFile,
    data: Data,
    *,
    options: dict[str, Any],
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only what does not hold.")] = False,
) -> None:
    """Test a network on the same or on other data and list what does not hold. Exit code 1 if something does not.

    Options that are not given are as they were when the network was learned.
    """
    with user_errors():
        result = read(network).audit(data, **options)
        if as_json:
            say_json(result.as_dict())
        else:
            for sentence in map(result.in_words, result.failures) if quiet else result.sentences:
                say(in_command_words(sentence))
        if not result.holds:
            raise typer.Exit(1)

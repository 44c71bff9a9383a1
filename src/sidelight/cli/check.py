"""``sidelight check``: what the data doctor finds in a table, and whether what is known fits its columns."""

from __future__ import annotations

import json
import shlex
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from sidelight.cli.options import FIELDS, NOT_FOR_COMMANDS, Data, takes_options
from sidelight.cli.shared import say, say_json, user_errors
from sidelight.families.options import DataOptions
from sidelight.knowledge import summary_of
from sidelight.learning import diagnose
from sidelight.options import Options
from sidelight.output import terminal
from sidelight.text.message import Option

CHECKED = {field.name for field in fields(DataOptions)} - set(NOT_FOR_COMMANDS)


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
            terminal.show_diagnosis(diagnosis, Console(), data.name)
            if plan is not None:
                terminal.show_plan(plan, Console(), _command(data, options))
        summary = summary_of(known, diagnosis.names) if known or file else None
        if as_json:
            about_known = {} if summary is None else {"knowledge": {"file": file, **summary.as_dict()}}
            fixed = {} if plan is None else {"fixed": plan.as_dict()}
            say_json(json.dumps({**diagnosis.as_dict(), **fixed, **about_known}, indent=1, ensure_ascii=False))
        elif in_words and summary is not None:
            say(f"{Path(file).name if file else '--side'}: {summary}")
        if diagnosis.errors:
            raise typer.Exit(2)


def _command(data: Path, options: dict[str, Any]) -> str:
    """The command that applies all remedies, with the options that were given."""
    usual = DataOptions()
    given = {name: value for name, value in options.items() if value != getattr(usual, name)}
    words = (Option(name, value).in_command() for name, value in {**given, "fix": True}.items())
    return " ".join(["sidelight", "learn", shlex.quote(str(data)), *words])

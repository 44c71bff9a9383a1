"""``sidelight check``: what the data doctor finds in a table, and whether what is known fits its columns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from sidelight.cli.options import Data, takes_options
from sidelight.cli.shared import say, say_json, user_errors
from sidelight.knowledge import summary_of
from sidelight.learning import diagnose
from sidelight.options import Options
from sidelight.output import terminal


@takes_options("side", "knowledge", "correlation", "test", "discrete", "types", "missing", "weights", "columns", "drop")
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
        if in_words:
            terminal.show_diagnosis(diagnosis, Console(), data.name)
        summary = summary_of(known, diagnosis.names) if known or file else None
        if as_json:
            about_known = {} if summary is None else {"knowledge": {"file": file, **summary.as_dict()}}
            say_json(json.dumps({**diagnosis.as_dict(), **about_known}, indent=1, ensure_ascii=False))
        elif in_words and summary is not None:
            say(f"{Path(file).name if file else '--side'}: {summary}")
        if diagnosis.errors:
            raise typer.Exit(2)

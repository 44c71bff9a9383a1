"""``sidelight check``: what the data doctor finds in a table."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console

from sidelight.cli.options import Data, takes_options
from sidelight.cli.shared import user_errors
from sidelight.learning import diagnose
from sidelight.output import terminal


@takes_options("correlation", "test", "discrete", "missing", "weights", "columns", "drop")
def check(
    data: Data,
    *,
    options: dict[str, Any],
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON, for scripts.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing; the exit code says it.")] = False,
) -> None:
    """List everything that is wrong or doubtful about a table. Exit code 2 if it cannot be learned from."""
    with user_errors():
        diagnosis = diagnose(data, **options)
        if as_json:
            print(json.dumps(diagnosis.as_dict(), indent=1, ensure_ascii=False))
        elif not quiet:
            terminal.show_diagnosis(diagnosis, Console(), data.name)
        if diagnosis.errors:
            raise typer.Exit(2)

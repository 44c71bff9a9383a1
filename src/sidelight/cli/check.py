"""``sidelight check``: what the data doctor finds in a table."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console

from sidelight.cli.data_options import Columns, Data, Discrete, Drop, Missing, Test, Weights
from sidelight.cli.shared import names_in, user_errors
from sidelight.independence.choose import diagnose
from sidelight.output import terminal


def check(
    data: Data,
    test: Test = "auto",
    discrete: Discrete = "",
    missing: Missing = "error",
    weights: Weights = "",
    columns: Columns = "",
    drop: Drop = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON, for scripts.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing; the exit code tells.")] = False,
) -> None:
    """Say everything that is wrong or doubtful about a table. Exit code 2 if it cannot be learned from."""
    with user_errors():
        diagnosis = diagnose(
            data,
            columns=names_in(columns),
            drop=names_in(drop),
            test=test,
            discrete=names_in(discrete),
            missing=missing,
            weights=weights or None,
        )
        if as_json:
            print(json.dumps(diagnosis.as_dict(), indent=1, ensure_ascii=False))
        elif not quiet:
            terminal.show_diagnosis(diagnosis, Console(), data.name)
        if diagnosis.errors:
            raise typer.Exit(2)

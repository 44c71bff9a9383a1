"""``python -m studies.reproduction``: the paper's experiments again, set beside its numbers."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated

import rich.table
import typer
from rich.console import Console
from rich.text import Text

from sidelight.cli.shared import say, steps, user_errors
from sidelight.cli.signals import exit_code
from sidelight.errors import InputError
from sidelight.runs.records import Records
from studies.reproduction.folder import PlannedExperiment, open_records, parts_of
from studies.reproduction.folder import reproduce as run_study
from studies.reproduction.tables import LONG, ResultTable, shown

app = typer.Typer(
    add_completion=False, context_settings={"help_option_names": ["-h", "--help"]}, pretty_exceptions_enable=False
)


@app.command(epilog="Example:  python -m studies.reproduction table oracle --out study")
def reproduce(
    what: Annotated[
        list[str] | None,
        typer.Argument(help="table, oracle, samples, structures, levels, tc, lemma, growth; all of them by default."),
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder for records, figures, tables and the report.")] = Path(
        "reproduction"
    ),
    full: Annotated[bool, typer.Option("--full", help="At the paper's scale: hours instead of minutes.")] = False,
    runs: Annotated[int | None, typer.Option(help="Runs for each point.")] = None,
    sizes: Annotated[str, typer.Option(help="Sizes of one experiment (variables or rows), commas between.")] = "",
    seed: Annotated[int, typer.Option(help="The first seed; each run has the next.")] = 0,
    n_jobs: Annotated[int, typer.Option(help="Workers; -1: all cores.")] = -1,
    dask: Annotated[str | None, typer.Option(help="Address of a dask scheduler whose workers do the runs.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the tables as JSON, for scripts.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing; the files have it all.")] = False,
) -> None:
    """Run the paper's experiments and set the results beside its numbers.

    Results are kept as they are made: an interrupted study goes on where it stopped when the command is given again.
    """
    with user_errors():
        parts = parts_of(what or [], full, runs, _whole_numbers(sizes), seed)
        with closing(open_records(out)) as records:
            if records.n_damaged and not quiet:
                damage = f"{records.n_damaged} damaged records in {str(records.path)!r}"
                print(f"sidelight: {damage}: their runs are done again", file=sys.stderr)
            tables = _run(parts, out, records, n_jobs, dask, quiet or as_json)
        if as_json:
            print(json.dumps([{"name": t.name, "columns": t.columns, "rows": t.rows} for t in tables], indent=1))
        elif not quiet:
            _print(tables, out)
            print(f"figures, tables and {out / 'reproduction.md'} written")


def _run(
    parts: list[PlannedExperiment], out: Path, records: Records, n_jobs: int, dask: str | None, silent: bool
) -> list[ResultTable]:
    try:
        with steps("runs", sum(len(part.jobs()) for part in parts), silent) as tick:
            return run_study(parts, out, records, n_jobs, dask, tick)
    except KeyboardInterrupt:
        print("sidelight: stopped; what is done is kept, and the same command goes on from here", file=sys.stderr)
        raise typer.Exit(exit_code()) from None


def _whole_numbers(text: str) -> list[int] | None:
    try:
        return [int(number) for number in text.split(",") if number.strip()] or None
    except ValueError:
        raise InputError(f"--sizes {text}: give whole numbers with commas between") from None


def _print(tables: list[ResultTable], out: Path) -> None:
    """On a terminal as wide as it is; in a pipe as Markdown, which is never cut off. Long tables are in files only."""
    console = Console()
    for table in tables:
        if len(table.rows) > LONG:
            say(f"{table.title}: {out / table.place / table.name}.md\n")
        elif console.is_terminal:
            console.print(_grid(table), "")
        else:
            say(table.to_markdown())


def _grid(table: ResultTable) -> rich.table.Table:
    title = Text(table.title)
    grid = rich.table.Table(title=title, title_justify="left", box=None, header_style="bold", pad_edge=False)
    for column in table.columns:
        grid.add_column(Text(column))
    for row in table.rows:
        grid.add_row(*(Text(shown(cell)) for cell in row))
    return grid

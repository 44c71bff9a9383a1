"""The options that say how a table is read and tested, the same for every command that reads one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sidelight.independence.options import MISSING, TESTS

Data = Annotated[Path, typer.Argument(help="A CSV, TSV, Parquet or Feather file; CSV and TSV may be gzip'd.")]
Correlation = Annotated[str, typer.Option(help="pearson, spearman or kendall.")]
Columns = Annotated[str, typer.Option(help="Use only these columns: names with commas between.")]
Test = Annotated[str, typer.Option(help=f"The independence test: {', '.join(TESTS)}.")]
Discrete = Annotated[str, typer.Option(help="Treat just these columns as discrete.")]
Missing = Annotated[str, typer.Option(help=f"Missing values: {', '.join(MISSING)}.")]
Weights = Annotated[str, typer.Option(help="A column of frequency weights.")]
Drop = Annotated[str, typer.Option(help="Do not use these columns: names with commas between.")]

"""Readers of delimited files under one interface, and how the cells that they give compare with what was meant."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from sidelight.sources.arrangement import MISSING_MARKS
from sidelight.sources.rows import hold, names_in, open_source
from sidelight.tables.findings import Finding
from sidelight.tables.reading import number_of
from sidelight.tables.strings import Texts
from sidelight.tables.treatment import as_read, marks_and_notes, number_readings

TOLD = {"sample_size": -1, "union_by_name": True}
TRUTHS = {"yes": True, "t": True, "true": True, "y": True, "no": False, "f": False, "false": False, "n": False}
TOLERANCE = 1e-12  # relative: all that is computed later is computed in double precision


@dataclass(frozen=True)
class Reading:
    """The columns that a reader gives, where None is a missing cell, and what it says of other readings."""

    names: list[str]
    columns: list[list[object]]
    notes: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.columns[0]) if self.columns else 0


def by_sidelight(path: Path) -> Reading:
    """The library's own reader."""
    source = open_source(path)
    table, categories = hold(source, names_in(source, None, None))
    readings, notes = number_readings(table, categories, source.decimal)
    table = as_read(table, readings)
    names = list(table.all_names)
    columns = [_plain(table.column(name)) for name in names]
    return Reading([str(name) for name in names], columns, _kinds((*source.notes, *notes)))


def by_sidelight_strings(path: Path) -> Reading:
    """The library for delimiter and header, all cells as strings; then it finds the numbers in them."""
    source: Any = open_source(path)
    table = pa.concat_tables(source.batches(source.names, source.names, 1 << 17))
    columns = [column.to_pylist() for column in table.columns]
    return _with_numbers(Reading(list(source.names), columns, _kinds(source.notes)), source.decimal)


def _kinds(notes: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(note.kind for note in notes)


def by_duckdb(path: Path) -> Reading:
    """DuckDB, which finds delimiter, header and types by itself."""
    return _of_relation(duckdb.read_csv(_pattern(path)))


def by_duckdb_told(path: Path) -> Reading:
    """DuckDB, told to look at all rows, to match columns of several files by name, and our marks for missing values."""
    return _of_relation(duckdb.read_csv(_pattern(path), na_values=MISSING_MARKS, **TOLD))


def by_duckdb_texts(path: Path) -> Reading:
    """DuckDB for delimiter and header, all cells as strings; the library finds the numbers in them."""
    return _with_numbers(
        _of_relation(duckdb.read_csv(_pattern(path), all_varchar=True, na_values=MISSING_MARKS, **TOLD))
    )


def by_pandas(path: Path) -> Reading:
    """pandas, which finds the delimiter."""
    frames = [pd.read_csv(file, sep=None, engine="python") for file in _files(path)]
    frame = pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]
    if not isinstance(frame.index, pd.RangeIndex):  # row names without a heading
        frame = frame.reset_index(names=["column 1"] if frame.index.nlevels == 1 else None)
    return Reading(
        [str(name) for name in frame.columns], [_plain(frame.iloc[:, i].to_numpy()) for i in range(frame.shape[1])]
    )


def by_polars(path: Path) -> Reading:
    """polars, which is given no delimiter and so takes a comma, and looks at all rows for the types."""
    frame = pl.read_csv(_pattern(path), infer_schema_length=None)
    return Reading(frame.columns, [_plain(column.to_list()) for column in frame.iter_columns()])


READERS: dict[str, Callable[[Path], Reading]] = {
    "sidelight": by_sidelight,
    "sidelight, strings": by_sidelight_strings,
    "DuckDB": by_duckdb,
    "DuckDB, told": by_duckdb_told,
    "DuckDB, strings": by_duckdb_texts,
    "pandas": by_pandas,
    "polars": by_polars,
}


def _with_numbers(texts: Reading, decimal: str = "") -> Reading:
    columns = {i: Texts.of(column) for i, column in enumerate(texts.columns)}
    marks, notes = marks_and_notes(columns, decimal)
    found = {
        name: columns[name].mapped(partial(number_of, mark), np.nan, np.dtype(float)) for name, mark in marks.items()
    }
    numbers = [_plain(found[i]) if i in found else list(columns[i]) for i in columns]
    return Reading(texts.names, numbers, (*texts.notes, *_kinds(notes)))


def _files(path: Path) -> list[Path]:
    return sorted(path.iterdir()) if path.is_dir() else [path]


def _pattern(path: Path) -> str:
    return f"{path}/*" if path.is_dir() else str(path)


def _of_relation(relation: duckdb.DuckDBPyRelation) -> Reading:
    rows = relation.fetchall()
    columns = [_plain(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in relation.columns]
    return Reading(list(relation.columns), columns)


def _plain(column: Sequence[object]) -> list[object]:
    return [_plain_cell(cell) for cell in (column.tolist() if isinstance(column, np.ndarray) else column)]


def _plain_cell(cell: object) -> object:
    if cell is None or cell is pd.NaT or cell is pd.NA or (isinstance(cell, float) and math.isnan(cell)):
        return None
    if isinstance(cell, Decimal):
        return float(cell)
    return cell


# Cells.


@dataclass(frozen=True)
class Cell:
    """What was meant (a number, string, date or truth value; None is missing), and how it was written."""

    meant: object
    written: str


def judged(cell: Cell, found: object) -> str:
    """Is what was found "right", the "string" that was written where more was meant, or "wrong"?"""
    if _is_same(cell, found):
        return "right"
    return "string" if isinstance(found, str) and cell.meant is not None and _is_written(cell, found) else "wrong"


def _is_written(cell: Cell, found: str) -> bool:
    """True for the characters of the cell, or those of the same number."""
    if found.strip() == cell.written.strip():
        return True
    numbers = []
    for mark in ".,":
        with suppress(ValueError):
            numbers.append(number_of(mark, found))
    return cell.meant in numbers


def _is_same(cell: Cell, found: object) -> bool:
    meant = cell.meant
    if meant is None or found is None:
        return meant is found
    if isinstance(meant, bool):
        return str(found).casefold() in (cell.written.casefold(), str(meant).casefold(), str(float(meant)))
    if isinstance(meant, date | time):  # its text is as good: dates are told from texts later
        return _moment(found) == _moment(meant) or found == cell.written
    if isinstance(meant, str):
        return found == meant or _tells_as_much(meant, found)
    is_number = isinstance(found, int | float) and not isinstance(found, bool)
    return is_number and (found == meant or math.isclose(found, meant, rel_tol=TOLERANCE))


def _tells_as_much(text: str, found: object) -> bool:
    """True for the truth value that DuckDB makes of yes and no, and for the date or time that a text is."""
    if isinstance(found, bool):
        return TRUTHS.get(text.casefold()) is found
    with suppress(ValueError):
        if isinstance(found, date):
            return _moment(found) == datetime.fromisoformat(text).replace(tzinfo=None)
        return isinstance(found, time) and time.fromisoformat(text) == found
    return False


def _moment(value: object) -> object:
    """A date without a time, or at midnight, as one value."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    return datetime(value.year, value.month, value.day) if isinstance(value, date) else value


def compared(names: Sequence[str] | None, columns: Sequence[Sequence[Cell]], found: Reading) -> Counter[str]:
    """How many cells, and names where there are any, are right, strings, wrong, or wrong though a note says so.

    Where rows are lacking or too many, those at the end are taken for each other: what is lost is mostly the first.
    """
    verdicts: Counter[str] = Counter()
    n_rows, n_columns = len(columns[0]), len(columns)
    found = _without_empty_columns(found, n_columns)
    if names is not None:
        verdicts.update("right" if pair[0] == pair[1] else "wrong" for pair in zip(names, found.names, strict=False))
    for cells, column in zip(columns, found.columns, strict=False):
        pairs = zip(reversed(cells), reversed(_of_one_kind(column)), strict=False)
        verdicts.update(judged(cell, value) for cell, value in pairs)
    n_found = found.n_rows * len(found.columns)
    n_compared = min(n_rows, found.n_rows) * min(n_columns, len(found.columns))
    verdicts["wrong"] += max(n_rows * n_columns, n_found) - n_compared  # lost, or not in the file
    if found.notes:
        verdicts["told"], verdicts["wrong"], verdicts["noted"] = verdicts["wrong"], 0, len(found.notes)
    return verdicts


def _of_one_kind(column: list[object]) -> list[object]:
    """The column; dates, times and truth values among strings are no longer those of the text: equal cells differ."""
    if not any(isinstance(cell, str) for cell in column):
        return column
    return [("not a string", cell) if isinstance(cell, bool | date | time) else cell for cell in column]


def _without_empty_columns(found: Reading, n_columns: int) -> Reading:
    """Without columns after the last one that have no value in any row: no harm is done by those."""
    kept = [i for i, column in enumerate(found.columns) if i < n_columns or any(cell is not None for cell in column)]
    return replace(found, names=[found.names[i] for i in kept], columns=[found.columns[i] for i in kept])

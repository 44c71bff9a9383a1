"""Findings about columns of numbers that name rows instead of measuring something, and about panels.

The first rows show which columns may; only those are looked at as a whole.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sidelight.tables.findings import Finding, FindingKind, columns_that, to_drop
from sidelight.tables.rows import FEWEST_ROWS
from sidelight.tables.table import Table
from sidelight.text.sentences import counted

EXACT_INTEGERS = 2.0**53  # beyond, not every integer is a floating-point number
FEWEST_UNITS = 10  # of a panel; fewer may be the categories of a designed experiment
FIRST_ROWS = 200
Column = NDArray[np.float64]


def examine_identifiers(table: Table, known: Collection[Hashable]) -> Iterator[Finding]:
    """Columns that number the rows, in order or not, integers too large to be exact, and the units of a panel."""
    names = [name for name in table.names if name not in known and table.kinds[name] in ("integer", "float")]
    large = [name for name in names if table.kinds[name] == "integer" and _is_large(table.column(name))]
    text = f"{columns_that(large, 'has integers', 'have integers')} beyond 2⁵³, which lose digits as numbers"
    yield from to_drop(FindingKind.LARGE_INTEGERS, "warning", large, f"{text}: {_like(large)}")
    others = [name for name in names if name not in large]
    numbering = [name for name in others if _numbers_the_rows(table.column(name), table.n_all)]
    text = f"{columns_that(numbering, 'numbers', 'number')} the rows: {_like(numbering)}"
    yield from to_drop(FindingKind.IDENTIFIER, "warning", numbering, text)
    yield from _panel(table, {*known, *large, *numbering})


def _like(names: list[Hashable]) -> str:
    return "it looks like an identifier" if len(names) == 1 else "they look like identifiers"


def _is_large(column: NDArray[np.generic]) -> bool:
    first = np.asarray(column[:FIRST_ROWS], dtype=np.float64)
    return bool(np.nanmax(np.abs(first), initial=0.0) > EXACT_INTEGERS)


def _numbers_the_rows(column: NDArray[np.generic], n_rows: int) -> bool:
    """True for consecutive whole numbers, each once, in whatever order; there may be more rows than these."""
    first = np.asarray(column[:FIRST_ROWS], dtype=np.float64)
    if n_rows < FEWEST_ROWS or not (first == np.floor(first)).all() or len(np.unique(first)) < len(first):
        return False
    if first.max() - first.min() >= n_rows:
        return False
    whole = np.asarray(column, dtype=np.float64)
    low, high = whole.min(), whole.max()
    if not (high - low == n_rows - 1 and (whole == np.floor(whole)).all()):
        return False
    return len(np.unique(whole)) == len(whole)


@dataclass(frozen=True)
class _Units:
    """A column whose values come in blocks of equal length, such as one for each person."""

    name: Hashable
    length: int
    count: int


def _panel(table: Table, known: Collection[Hashable]) -> Iterator[Finding]:
    """The units of a panel: blocks of rows, through which another column runs in the same way each time."""
    names = [name for name in table.all_names if name not in known]
    for units in filter(None, (_units(table, name) for name in names)):
        times = [
            name for name in names if name != units.name and _repeats(_first_rows(table, name, None), units.length)
        ]
        if times:
            text = (
                f"the rows are not independent: column {str(units.name)!r} has {counted(units.count, 'value')}, each "
                f"in {units.length} rows that follow each other, through which column {str(times[0])!r} runs in the "
                "same way each time. It is a panel, and tests take its rows as independent"
            )
            unit = [units.name]
            yield from to_drop(
                FindingKind.PANEL, "warning", unit, text, "keep one row of each, or differences between rows; and "
            )
            return


def _units(table: Table, name: Hashable) -> _Units | None:
    if table.kinds[name] not in ("integer", "text"):
        return None
    first = _run_lengths(_first_rows(table, name, FIRST_ROWS))[:-1]  # the last run may go on
    if len(first) < 2 or first.min() < 2 or first.min() != first.max():
        return None
    column = _first_rows(table, name, None)
    runs = _run_lengths(column)
    length = int(first[0])
    if len(runs) < FEWEST_UNITS or (runs != length).any() or len(np.unique(column)) < len(runs):
        return None
    return _Units(name, length, len(runs))


def _first_rows(table: Table, name: Hashable, rows: int | None) -> NDArray[np.generic]:
    if name not in table.texts:
        return table.column(name)[:rows]
    return table.texts[name][:rows].codes


def _run_lengths(column: NDArray[np.generic]) -> NDArray[np.int64]:
    changes = np.flatnonzero(column[1:] != column[:-1]) + 1
    return np.diff(np.concatenate(([0], changes, [len(column)])))


def _repeats(column: NDArray[np.generic], length: int) -> bool:
    """True if the values of the first block are all different, and come again in each block."""
    block = column[:length]
    if len(np.unique(block)) < length or not np.array_equal(column[length : 2 * length], block):
        return False
    return bool((column.reshape(-1, length) == block).all())

"""Values such as −999 that stand for missing ones: marks that are apart from all other values of their column."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator

import numpy as np
from numpy.typing import NDArray

from sidelight.tables.cures import Cure
from sidelight.tables.findings import Finding, FindingKind
from sidelight.tables.table import Table
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted, listed

HIGH = frozenset(float(digits * count) for digits in ("9", "8", "7") for count in range(2, 7))  # 99, 888, …
REFUSALS = frozenset(10.0**count - away for count in range(2, 7) for away in (1, 2, 3, 4))  # 99, 98, 97, 96, 999, …
MARKS = HIGH | REFUSALS
COMMON = 0.5  # of the values; what is more frequent is hardly a mark, such as 0 claims among a few large ones
FEWEST_OTHERS = 2  # values beside the marks


def examine_sentinels(table: Table, known: Collection[Hashable]) -> Iterator[Finding]:
    """Columns with such values, as one finding."""
    found = {name: marks for name in _suspicious(table, known) if (marks := _apart(table.column(name)))}
    if not found:
        return
    shown = [_in_words(table, name, marks) for name, marks in found.items()]
    remedy = Message("if they stand for missing values, ", Option("missing_values", found), " says so")
    text = f"values that stand apart from all others: {listed(shown)}"
    yield Finding(FindingKind.SENTINELS, "warning", tuple(found), text, remedy, Cure(missing_values=found))


def _suspicious(table: Table, known: Collection[Hashable]) -> list[Hashable]:
    """The columns whose smallest or largest value is such a mark."""
    if not table.n_rows or table.values.dtype.kind == "b":
        return []
    low, high = np.fmin.reduce(table.values, axis=0), np.fmax.reduce(table.values, axis=0)
    ends = [(-float(a), float(b)) for a, b in zip(low, high, strict=True)]
    return [
        name for name, (a, b) in zip(table.names, ends, strict=True) if name not in known and {a, b} & {*MARKS, 9.0}
    ]


def _apart(column: NDArray[np.generic]) -> tuple[float, ...]:
    """The marks at both ends of the values, if they are further away than the others are from each other."""
    wide = np.asarray(column, dtype=np.float64)
    values, counts = np.unique(wide[np.isfinite(wide)], return_counts=True)
    first, last = 0, len(values)
    while first < last and (-values[first] in MARKS or values[first] == -9):
        first += 1
    while last > first and values[last - 1] in MARKS:
        last -= 1
    others = values[first:last]
    if len(others) < FEWEST_OTHERS:
        return ()
    spread = max(others[-1] - others[0], 1.0)
    below = [v for v in values[:first] if others[0] - v > (spread if others[0] < 0 else min(spread, 5.0))]
    above = [v for v in values[last:] if v - others[-1] > spread]
    marks = (*below, *above)
    share = counts[np.isin(values, marks)].sum() / max(1, counts.sum())
    return tuple(map(float, marks)) if marks and share < COMMON else ()


def _in_words(table: Table, name: Hashable, marks: tuple[float, ...]) -> str:
    column = np.asarray(table.column(name), dtype=np.float64)
    each = [f"{mark:g} in {str(name)!r} ({counted(int((column == mark).sum()), 'value')})" for mark in marks]
    return listed(each)

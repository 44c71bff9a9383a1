"""Columns of numbers that order the rows in the same way: copies, linear functions and other monotone functions.

A few rows show which columns may be copies; they are compared in all rows.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sidelight.tables.findings import Finding, FindingKind, Severity, copies
from sidelight.tables.table import Table

ROWS_SEEN = 300
LINEAR = 1e-12  # of the range: what rounding may leave
LINEARLY = "are perfectly correlated: identical, or one a linear function of the other"
BY_RANKS = "are in the same or the reverse order in all rows: one is a function of the other, such as its logarithm"
Floats = NDArray[np.float64]


def examine_copies(
    table: Table, discrete: Collection[Hashable], known: Collection[Hashable], severity_by_ranks: Severity
) -> Iterator[Finding]:
    """Copies among the numbers; those by ranks alone are an error for tests on ranks, and doubtful for others.

    Discrete columns that are copies of each other define the same categories, which is another finding.
    """
    names = [name for name in table.names if name not in known and name not in discrete]
    linear: list[list[Hashable]] = []
    monotone: list[list[Hashable]] = []
    for first, *others in _alike(table, names):
        x = _column(table, first)
        same = [name for name in others if _is_linear(x, _column(table, name))]
        left = [name for name in others if name not in same and _same_order(x, _column(table, name))]
        linear += [[first, *same]] * bool(same)
        monotone += [[first, *left]] * bool(left)
    yield from copies(FindingKind.DUPLICATED, "error", linear, LINEARLY)
    yield from copies(FindingKind.MONOTONE_COPIES, severity_by_ranks, monotone, BY_RANKS)


def _column(table: Table, name: Hashable) -> Floats:
    return np.asarray(table.column(name), dtype=np.float64)


def _alike(table: Table, names: Sequence[Hashable]) -> list[list[Hashable]]:
    """Columns with the same ranks, or the reverse, in a few rows; those with one value there are left out."""
    place = {name: i for i, name in enumerate(table.names)}
    rows = np.asarray(table.values[:: max(1, table.n_rows // ROWS_SEEN)], dtype=np.float64)
    groups: dict[bytes, list[Hashable]] = {}
    for name in names:
        values, ranks = np.unique(rows[:, place[name]], return_inverse=True)
        if len(values) > 2:
            ascending = ranks.ravel()
            descending = len(values) - 1 - ascending
            key = min(ascending.tobytes(), descending.tobytes())
            groups.setdefault(key, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _is_linear(x: Floats, y: Floats) -> bool:
    """True if one is a linear function of the other up to rounding, with gaps in the same rows."""
    there = np.isfinite(x)
    if not np.array_equal(there, np.isfinite(y)):
        return False
    x, y = x[there], y[there]
    low, high = int(x.argmin()), int(x.argmax())
    if x[high] == x[low]:
        return False
    slope = (y[high] - y[low]) / (x[high] - x[low])
    left = y - y[low] - slope * (x - x[low])
    return bool(slope != 0 and np.abs(left).max() <= LINEAR * np.abs(y - y[low]).max() + 1e-15 * np.abs(y).max())


def _same_order(x: Floats, y: Floats) -> bool:
    """True if the values of one rise, or fall, strictly with those of the other, with gaps in the same rows."""
    there = np.isfinite(x)
    if not np.array_equal(there, np.isfinite(y)):
        return False
    order = np.argsort(x[there], kind="stable")
    steps, others = np.diff(x[there][order]), np.diff(y[there][order])
    tied = steps == 0
    if not np.array_equal(tied, others == 0):
        return False
    return bool((others[~tied] > 0).all() or (others[~tied] < 0).all())

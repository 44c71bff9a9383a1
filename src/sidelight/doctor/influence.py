"""Single rows on which a dependence between two numbers rests: without them it is another one, or has another sign.

A correlation of n rows as Fisher's z has a standard error of 1/√(n − 3). A row of a normal distribution shifts it by a
fraction of that; one whose values were exchanged, by several.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.families.data import NumberSummary
from sidelight.tables.findings import Finding, FindingKind
from sidelight.text.sentences import in_a_row

FEWEST_ROWS, MOST_ROWS, MOST_COLUMNS = 20, 100_000, 200
CELLS_AT_ONCE = 1 << 17
SHIFT = 4.0  # standard errors
ROWS_SHOWN = 3
LARGEST = 1 - 1e-12
Floats = NDArray[np.float64]


class Influence(NamedTuple):
    """What one row does to the correlation of two columns."""

    row: int
    pair: tuple[Hashable, Hashable]
    correlation: float
    without: float
    shift: float  # of Fisher's z, in standard errors


def examine_influence(summary: NumberSummary) -> Iterator[Finding]:
    """The rows whose influence on a correlation is extreme, the strongest first."""
    table = summary.table
    names, values = table.names, np.asarray(table.even_rows(), dtype=np.float64)
    if summary.by_ranks or not FEWEST_ROWS <= len(values) <= MOST_ROWS or not 2 <= len(names) <= MOST_COLUMNS:
        return
    found = sorted(_influences(names, values), key=lambda influence: -influence.shift)
    rows: dict[int, Influence] = {}
    for influence in found:
        rows.setdefault(influence.row, influence)
    if not rows:
        return
    shown = [_in_words(table.row_number(row), influence) for row, influence in list(rows.items())[:ROWS_SHOWN]]
    more = [f"{len(rows) - ROWS_SHOWN} more rows"] if len(rows) > ROWS_SHOWN else []
    culprits = tuple(dict.fromkeys(name for influence in rows.values() for name in influence.pair))
    text = f"single rows decide dependences: {in_a_row([*shown, *more])}"
    remedy = "look whether values of such a row are wrong or exchanged; learn without it, too"
    yield Finding(FindingKind.INFLUENTIAL_ROWS, "warning", culprits, text, remedy)


def _in_words(row: int, influence: Influence) -> str:
    a, b = (repr(str(name)) for name in influence.pair)
    found = f"is {influence.without:.2f} instead of {influence.correlation:.2f}"
    return f"without row {row} the correlation of {a} and {b} {found}"


def _influences(names: tuple[Hashable, ...], values: Floats) -> Iterator[Influence]:
    """For each pair the row that shifts its correlation most, if that is extreme."""
    n = len(values)
    with np.errstate(all="ignore"):
        scores = (values - values.mean(axis=0)) / values.std(axis=0)
    usable = np.flatnonzero(np.isfinite(scores).all(axis=0))
    scores, names = scores[:, usable], tuple(names[x] for x in usable)
    # The moments without each row: sums lose its terms, and the means are no longer 0.
    left, at_once = n - 1, max(1, CELLS_AT_ONCE // n)
    variances = np.maximum(0.0, (n - scores**2) / left - (scores / left) ** 2)
    starts = ((x, first) for x in range(len(names)) for first in range(x + 1, len(names), at_once))
    for x, first in starts:
        later = slice(first, first + at_once)
        a, b = scores[:, x, np.newaxis], scores[:, later]
        correlations = np.clip(scores[:, x] @ b / n, -LARGEST, LARGEST)
        covariances = (n * correlations - a * b) / left - (a * b) / left**2
        spreads = np.sqrt(variances[:, x, np.newaxis] * variances[:, later])
        without = np.divide(covariances, spreads, out=np.zeros(b.shape), where=spreads > 0)
        without = np.clip(without, -LARGEST, LARGEST)
        shifts = np.abs(np.arctanh(without) - np.arctanh(correlations)) * (n - 3) ** 0.5
        rows = shifts.argmax(axis=0).tolist()
        for j, row in enumerate(rows):
            if shifts[row, j] > SHIFT:
                pair = names[x], names[first + j]
                yield Influence(row, pair, float(correlations[j]), float(without[row, j]), float(shifts[row, j]))

"""Normal-scores (van der Waerden) correlations: Pearson's, of the normal quantiles that belong to the ranks.

For a Gaussian copula, whatever the margins, these correlations and all partial ones have Pearson's distribution
(Klaassen & Wellner 1997), so Fisher's Z holds as it stands. Monotone transforms do not matter, and outliers hardly.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sidelight.families.gaussian.correlation import ColumnSums, Moments, moments
from sidelight.tables.all_rows import AllRows, Batch, Fold
from sidelight.tables.table import Table

Tick = Callable[[], None]
MOST_VALUES = 4_000  # of a column, that ranks are known at
Floats = NDArray[np.float64]


def normal_scores(values: NDArray[np.generic], tick: Tick) -> Moments:
    """The moments of the normal scores, but for the means, which are those of the values and show what is not finite.

    The score of rank r among N rows is the quantile r / (N + 1); equal values have the mean of their ranks.
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    scores, means = np.empty(values.shape, order="F"), np.empty(values.shape[1])
    for i, column in enumerate(values.T):
        wide = column.astype(np.float64)
        with np.errstate(all="ignore"):
            means[i] = wide.sum() / max(1, len(wide))
        scores[:, i] = ndtri(rankdata(wide) / (len(wide) + 1))
        tick()
    return replace(moments(scores, tick), means=means)


def normal_scores_in_batches(rows: AllRows, tick: Tick) -> Moments:
    """The same for a table that comes in batches, of which some rows are known.

    One pass counts what lies below and at each of many values of these rows, another adds up the scores. Within the gap
    between two such values ranks are taken to rise evenly, so that a score is off by less than the gap's share of rows;
    there is no error where all values of a column are among them.
    """
    some = rows.sample
    grids = [_Grid(np.asarray(column, dtype=np.float64)) for column in some.values.T]
    counted = rows.fold(partial(_Counts, grids, some.names), tick).grids
    scored = rows.then(partial(_scored, counted, some.names)).fold(ColumnSums, tick)
    return replace(scored.moments(), means=np.array([grid.mean for grid in counted]))


def _scored(grids: list[_Grid], names: Sequence[Hashable], table: Table) -> Table:
    columns = (grid.scores(np.asarray(table.column(name))) for grid, name in zip(grids, names, strict=True))
    return Table.of_array(tuple(names), np.column_stack([*columns]))


class _Counts(Fold):
    """Grids, one for each column, with the rows that were counted."""

    def __init__(self, grids: Sequence[_Grid], names: Sequence[Hashable]) -> None:
        self.grids, self._names = [_Grid(grid.values) for grid in grids], names

    def add(self, batch: Batch) -> None:
        for grid, name in zip(self.grids, self._names, strict=True):
            grid.count(np.asarray(batch.table.column(name), dtype=np.float64))

    def merge(self, later: _Counts) -> None:
        for grid, other in zip(self.grids, later.grids, strict=True):
            grid.counts += other.counts
            grid.sum += other.sum


class _Grid:
    """Ranks of a column by many of its values, with how many lie at each and between any two."""

    def __init__(self, some: Floats) -> None:
        values = np.unique(some[np.isfinite(some)])
        self.values = values[np.unique(np.linspace(0, len(values) - 1, MOST_VALUES).astype(np.int64))]
        self.counts = np.zeros(2 * len(self.values) + 1)  # below the first value, at it, between it and the next …
        self.sum = 0.0

    @property
    def mean(self) -> float:
        return float(self.sum / max(1.0, self.counts.sum()))

    def _places(self, column: Floats) -> NDArray[np.int64]:
        left = np.searchsorted(self.values, column)
        at = self.values[np.minimum(left, len(self.values) - 1)] == column
        places: NDArray[np.int64] = 2 * left + at
        return places

    def count(self, column: Floats) -> None:
        """Take some rows into account."""
        self.counts += np.bincount(self._places(column), minlength=len(self.counts))
        self.sum += float(column.sum())

    def scores(self, column: Floats) -> Floats:
        """The normal scores of some rows, once all were counted."""
        from scipy.special import ndtri

        places = self._places(column)
        before = np.cumsum(self.counts) - self.counts
        ranks = before + (self.counts + 1) / 2  # the mean rank of equal values
        between = np.flatnonzero(places % 2 == 0)
        found = ranks[places]
        left = places[between] // 2
        low, high = self.values[left - 1], self.values[np.minimum(left, len(self.values) - 1)]
        share = np.clip((column[between] - low) / np.where(high > low, high - low, 1.0), 0.0, 1.0)
        count = self.counts[places[between]]
        found[between] = before[places[between]] + 0.5 + share * count
        result: Floats = ndtri(found / (self.counts.sum() + 1))
        return result

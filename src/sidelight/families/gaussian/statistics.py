"""Statistics of columns of numbers: moments, from one pass over the rows, of values or of normal scores."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.families.data import NumberSummary, Statistics, TestData
from sidelight.families.gaussian.correlation import Correlation, Moments, MomentSums, moments, provisional_mean
from sidelight.families.gaussian.test import FisherZ
from sidelight.tables.all_rows import AllRows, Batch, Fold, Tick
from sidelight.tables.table import Table
from sidelight.text.message import Message, Option


class ColumnSums(Fold):
    """The sums that moments of some columns follow from; all columns of numbers, if none are named."""

    def __init__(self, names: tuple[Hashable, ...] | None = None, tick: Tick = lambda count=1: None) -> None:
        self.names, self._tick = names, tick
        self._sums: MomentSums | None = None

    def add(self, batch: Batch) -> None:
        self.names = batch.table.names if self.names is None else self.names
        values = columns_of(batch.table, self.names)
        self._sums = self._sums or MomentSums(provisional_mean(values))
        self._sums.add(values, batch.weights, self._tick)

    def merge(self, later: ColumnSums) -> None:
        self.names = later.names if self.names is None else self.names
        if self._sums is None:
            self._sums = later._sums
        elif later._sums is not None:
            self._sums.join(later._sums)

    def moments(self) -> Moments:
        """The moments of all rows."""
        return (self._sums or MomentSums(np.zeros(len(self.names or ())))).moments()


def columns_of(table: Table, names: Sequence[Hashable]) -> NDArray[np.generic]:
    """Columns of numbers, in this order; all of them without a copy."""
    if tuple(names) == table.names:
        return table.values
    place = {name: i for i, name in enumerate(table.names)}
    return table.values[:, [place[name] for name in names]]


def moments_of(rows: AllRows, names: Sequence[Hashable], tick: Tick) -> Moments:
    """The moments of columns of numbers over all rows."""
    if rows.summed is not None and set(names) <= set(rows.summed_names):
        return _part_of(rows.summed, [rows.summed_names.index(name) for name in names])
    make = partial(ColumnSums, tuple(names), *((tick,) if rows.in_memory else ()))
    return rows.fold(make, tick).moments()


def _part_of(found: Moments, places: Sequence[int]) -> Moments:
    if list(places) == list(range(len(found.means))):
        return found
    at = np.array(places, dtype=np.int64)
    parts = {name: getattr(found, name)[at] for name in ("means", "variances", "extremes")}
    return replace(found, **parts, correlations=np.ascontiguousarray(found.correlations[np.ix_(at, at)]))


class GaussianStatistics(Statistics):
    """Correlations, of values or of normal scores."""

    @cached_property
    def moments(self) -> Moments:
        """The moments of all rows."""
        data = self.data
        if data.correlation == "pearson":
            return moments_of(data.rows, data.table.names, data.tick)
        if data.rows.is_weighted:
            with_pearson = Option("correlation", "pearson")
            raise InputError(Message(Option("weights"), " goes with ", with_pearson, f", not {data.correlation!r}"))
        from sidelight.families.gaussian.ranks import normal_scores_of

        return normal_scores_of(data.rows, data.tick)

    @cached_property
    def numbers(self) -> NumberSummary:
        data, by_ranks = self.data, self.data.correlation != "pearson"
        correlation = self.moments.correlation.named(data.table.names)
        ranks_may_help = not by_ranks and not data.rows.is_weighted
        return NumberSummary(data.table, self.moments, correlation, by_ranks, ranks_may_help)

    def test(self) -> FisherZ:
        correlation = self.numbers.correlation
        if np.isnan(np.diagonal(correlation.matrix)).any():
            matrix = uncorrelated(correlation.matrix)
            correlation = Correlation.computed(matrix, correlation.n_samples, correlation.names)
        return FisherZ(correlation)


def uncorrelated(correlations: NDArray[np.float64]) -> NDArray[np.float64]:
    """The matrix with no correlation where there is none to compute."""
    known = np.nan_to_num(correlations)
    np.fill_diagonal(known, 1.0)
    return known


def summary_of(data: TestData, names: tuple[Hashable, ...]) -> NumberSummary:
    """Some columns of numbers, beside others that are none."""
    table = data.table.part(names)
    found = moments_of(data.rows, table.names, data.tick)
    return NumberSummary(table, found, Correlation.computed(found.correlations, found.n_samples, table.names))


# Whether normal scores describe the dependences of columns better than their values do. Monotone functions of Gaussian
# columns have weaker linear correlations than their normal scores, so the determinant of the latter's matrix is smaller
# (Klaassen & Wellner 1997). Linear effects of skewed noise have not: ranks bend them. Decision 19 has the figures.

ROWS_SEEN, CELLS_SEEN, ROWS_PER_COLUMN, FEWEST_ROWS = 5_000, 1_000_000, 2, 50
SKEWED, HEAVY = 0.7, 1.0  # skewness, and excess kurtosis, from which on a column counts as far from Gaussian
GAIN = 0.15  # in the logarithm of the determinant, for each such column, from which on normal scores serve better
RIDGE, SINGULAR = 1e-3, 1e-8
COLUMNS_AT_ONCE = 128
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Margins:
    """Which columns are far from Gaussian, and how much more the normal scores of all explain than their values.

    ``gain`` is the difference of the logarithms of both determinants, divided by the number of such columns.
    """

    far: NDArray[np.bool_]
    gain: float

    @property
    def need_scores(self) -> bool:
        """True where normal scores serve better."""
        return self.gain > GAIN


def margins_of(values: NDArray[np.generic]) -> Margins:
    """From evenly spaced rows; columns that do not vary, or with gaps, are not looked at."""
    n_columns = max(1, values.shape[1])
    seen = min(ROWS_SEEN, max(ROWS_PER_COLUMN * n_columns, CELLS_SEEN // n_columns))
    some = values[:: max(1, len(values) // seen)]
    if len(some) < max(FEWEST_ROWS, ROWS_PER_COLUMN * n_columns):
        return Margins(np.zeros(some.shape[1], dtype=np.bool_), 0.0)
    far = _far_from_gaussian(some)
    if not far.any():
        return Margins(far, 0.0)
    rows = np.asarray(some, dtype=np.float64)
    with np.errstate(all="ignore"):
        rows = rows[:, rows.std(axis=0) > 0]
    from sidelight.families.gaussian.ranks import normal_scores

    scores = normal_scores(rows, lambda: None).correlations
    names = tuple(range(len(scores)))
    if Correlation.computed(scores, len(rows), names).smallest_pivot < SINGULAR:  # such as copies by rank
        return Margins(far, 0.0)
    return Margins(far, float(_log_determinant(moments(rows).correlations) - _log_determinant(scores)) / int(far.sum()))


def _far_from_gaussian(rows: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Some columns at a time: no second table of numbers."""
    far = np.zeros(rows.shape[1], dtype=np.bool_)
    for start in range(0, rows.shape[1], COLUMNS_AT_ONCE):
        some = slice(start, start + COLUMNS_AT_ONCE)
        far[some] = _far(np.asarray(rows[:, some], dtype=np.float64))
    return far


def _far(rows: Floats) -> NDArray[np.bool_]:
    with np.errstate(all="ignore"):
        standardised = (rows - rows.mean(axis=0)) / rows.std(axis=0)
        squared = np.square(standardised)
        skewness = (squared * standardised).mean(axis=0)
        kurtosis = np.square(squared).mean(axis=0) - 3
        far: NDArray[np.bool_] = (np.abs(skewness) > SKEWED) | (kurtosis > HEAVY)
    return far


def _log_determinant(correlations: Floats) -> float:
    """With a ridge, so that columns that others nearly determine do not decide alone."""
    ridged = (1 - RIDGE) * correlations + RIDGE * np.eye(len(correlations))
    return float(np.linalg.slogdet(ridged)[1])

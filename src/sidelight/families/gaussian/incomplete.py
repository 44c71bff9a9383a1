"""Fisher's Z where values are missing, so that each test has a number of samples of its own.

``PairwiseFisherZ`` tests on the rows that are complete in the columns of the test; ``EmFisherZ`` on correlations by the
EM algorithm, with the number of samples that the values are worth. **When the values that are there cannot support a
test**, independence is not rejected: the p-value is 1, and ``n_undecided`` counts it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import erfc, sqrt

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.families.base import CITest, MakeScore, checked_members
from sidelight.families.data import NumberSummary, Statistics, TestData
from sidelight.families.gaussian.correlation import Correlation, moments, n_whole
from sidelight.families.gaussian.em import effective_size, em_correlations, em_moments
from sidelight.families.gaussian.test import critical_correlation, gaussian_scores, normal_statistic
from sidelight.kernels import DETERMINED
from sidelight.tables.all_rows import FEWEST_ROWS, Weights, counted_as_rows
from sidelight.tables.table import Table
from sidelight.text.message import Message, Option

MOST_PATTERNS = 1000  # of missing values in the columns of one test; among more, evenly spaced ones stand for all
Floats = NDArray[np.float64]


def typically_together(there: NDArray[np.bool_], counts: Floats | None = None) -> int:
    """The median over pairs of columns of the number of rows that have both; all rows if there is no pair."""
    return _together(there, counts, 0.5)


def scored_size(there: NDArray[np.bool_], counts: Floats | None = None) -> int:
    """How many rows a score takes gaps for: as many as nine of ten pairs of columns have in common at least.

    With the median, pairs with many gaps gain edges by chance.
    """
    return _together(there, counts, 0.1)


def _together(there: NDArray[np.bool_], counts: Floats | None, quantile: float) -> int:
    of_rows = np.ones(len(there)) if counts is None else counts
    together = (there * of_rows[:, None]).T @ there.astype(np.float64)
    pairs = together[np.triu_indices_from(together, 1)]
    return n_whole(float(np.quantile(pairs, quantile)) if len(pairs) else of_rows.sum())


class IncompleteFisherZ(CITest):
    """What tests of partial correlations with missing values have in common."""

    option = "fisher-z"
    false_members = 2
    effect_name = "partial correlation"
    visible_name = "partial correlations"

    @property
    @abstractmethod
    def sample_size(self) -> int:
        """How many rows two columns typically have in common."""

    def visible_effect(self, alpha: float, size: int) -> float:
        return critical_correlation(self.sample_size - size - 3, alpha)

    @abstractmethod
    def estimate(self, x: int, y: int, given: Sequence[int]) -> tuple[float, float, float]:
        """The partial correlation; N − |S| − 3, none if that is not positive; and the degrees of freedom of its t."""

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        statistic = self._statistic(x, y, given)
        return 1.0 if statistic is None else erfc(statistic / sqrt(2))

    def dependences(self, x: int, candidates: Sequence[int] | NDArray[np.int64], given: Sequence[int]) -> Floats:
        """The statistics, which rank as p-values do, also where these are 0."""
        found = [self._statistic(x, int(y), given) for y in candidates]
        return np.array([-np.inf if statistic is None else statistic for statistic in found])

    def effect_size(self, x: int, y: int, given: Sequence[int]) -> float | None:
        rho, freedom, _ = self.estimate(x, y, given)
        return rho if freedom > 0 else None

    def _statistic(self, x: int, y: int, given: Sequence[int]) -> float | None:
        """A standard normal's absolute value under independence; None, and counted, if the test cannot be decided."""
        rho, freedom, degrees = self.estimate(x, y, given)
        if freedom <= 0:
            self.n_undecided += 1
            return None
        return float(normal_statistic(min(abs(rho), 1 - 1e-15), freedom, degrees))


class PairwiseFisherZ(IncompleteFisherZ):
    """The Fisher-Z test on the rows that are complete in the columns of the test."""

    def __init__(self, values: NDArray[np.generic], names: Sequence[Hashable], weights: Floats | None = None) -> None:
        self.names = tuple(names)
        self._values = np.asarray(values, dtype=np.float64)
        self._there = np.isfinite(self._values)
        self._weights = weights

    @property
    def sample_size(self) -> int:
        return typically_together(self._there, self._weights)

    def scores(self) -> Mapping[str, MakeScore]:
        """Of the correlations by EM."""
        return gaussian_scores(lambda: self._correlation)

    @cached_property
    def _correlation(self) -> Correlation:
        size = scored_size(self._there, self._weights)
        return Correlation.computed(em_correlations(self._values, self._weights), size, tuple(self.names))

    def can_condition_on(self, size: int) -> bool:
        return size < len(self.names) - 2 or int(self._there.all(axis=1).sum()) > size + 5

    def estimate(self, x: int, y: int, given: Sequence[int]) -> tuple[float, float, float]:
        from sidelight.families.gaussian.kernels.correlation import partial_correlation

        members = checked_members([x, y, *given], len(self.names))
        complete = self._there[:, members].all(axis=1)
        rows = self._values[complete][:, members]
        weights = None if self._weights is None else counted_as_rows(self._weights[complete])
        freedom = (len(rows) if weights is None else n_whole(weights.sum())) - len(given) - 3
        if freedom <= 0:
            return 0.0, freedom, 0.0
        matrix = np.nan_to_num(moments(rows, weights=weights).correlations)
        return float(partial_correlation(matrix, 0, 1, np.arange(2, len(members)))), freedom, freedom + 1


class EmFisherZ(IncompleteFisherZ):
    """The Fisher-Z test on EM correlations; ``there`` says which values of the table are not missing.

    A weight says how many rows a row counts as.
    """

    retest_budget = 1_000
    recheck_budget = 1_000

    def __init__(self, correlation: Correlation, there: NDArray[np.bool_], weights: Floats | None = None) -> None:
        self.correlation = correlation
        self.names = correlation.names
        self._patterns, which = np.unique(there, axis=0, return_inverse=True)
        self._counts = np.bincount(which.ravel(), weights, len(self._patterns)).astype(np.float64)

    @property
    def sample_size(self) -> int:
        return typically_together(self._patterns, self._counts)

    def scores(self) -> Mapping[str, MakeScore]:
        size = scored_size(self._patterns, self._counts)
        return gaussian_scores(lambda: Correlation.computed(self.correlation.matrix, size, self.correlation.names))

    def can_condition_on(self, size: int) -> bool:
        return self.correlation.n_samples > size + 5

    def estimate(self, x: int, y: int, given: Sequence[int]) -> tuple[float, float, float]:
        from sidelight.families.gaussian.kernels.correlation import partial_correlation

        members = checked_members([x, y, *sorted(given)], len(self.names))
        matrix = self.correlation.matrix[np.ix_(members, members)]
        rho = float(partial_correlation(matrix, 0, 1, np.arange(2, len(members))))
        ridge = DETERMINED * np.eye(len(members))  # so that columns that determine each other have an inverse
        size = effective_size(matrix + ridge, *self._gaps(members))
        if size <= 0:
            return rho, 0.0, 0.0
        # Without gaps a given column costs one row. With them, what it explains is known less well, and so is the
        # variance of the whole: decision 14.
        cost = sqrt(self.correlation.n_samples / size)
        freedom = size - 3 - cost * len(given)
        return rho, freedom, (freedom + 1) / cost

    def _gaps(self, members: NDArray[np.int64]) -> tuple[NDArray[np.bool_], Floats]:
        """The patterns of gaps in these columns, and how often each occurs."""
        there = self._patterns[:, members]
        packed = np.ascontiguousarray(np.packbits(there, axis=1))
        _, first, which = np.unique(packed.view(f"V{packed.shape[1]}"), return_index=True, return_inverse=True)
        there, counts = there[first], np.bincount(which.ravel(), self._counts).astype(np.float64)
        if len(there) <= MOST_PATTERNS:
            return there, counts
        some = np.linspace(0, len(there) - 1, MOST_PATTERNS).astype(np.int64)
        return there[some], counts[some] * (counts.sum() / counts[some].sum())


class IncompleteStatistics(Statistics):
    """Numbers with missing values."""

    def __init__(self, data: TestData) -> None:
        if data.correlation != "pearson":
            only = Option("correlation", "pearson")
            raise InputError(Message(Option("missing", data.missing), " supports only ", only))
        super().__init__(data)

    @cached_property
    def numbers(self) -> NumberSummary | None:
        return incomplete_summary(self.data.table, self.data.weights)

    @property
    def is_clean(self) -> bool:
        return False  # what is estimated needs a closer look

    def test(self) -> PairwiseFisherZ | EmFisherZ:
        """A column that does not vary, or has no values, is independent of all others."""
        data, values, names = self.data, with_nan(self.data.table), self.data.table.names
        if data.missing == "pairwise":
            return PairwiseFisherZ(values, names, data.weights)
        correlations = em_correlations(values, data.weights)
        return EmFisherZ(Correlation.computed(correlations, data.n_samples, names), np.isfinite(values), data.weights)


def with_nan(table: Table) -> Floats:
    """The numbers of a table, with NaN for all that are not finite."""
    values = np.asarray(table.values, dtype=np.float64)
    return np.where(np.isfinite(values), values, np.nan)


def incomplete_summary(table: Table, weights: Weights | None) -> NumberSummary | None:
    """Of the complete rows, if there are enough, else of all rows by EM; None where there are hardly any."""
    if (table.n_rows if weights is None else n_whole(weights.sum())) < FEWEST_ROWS:
        return None  # some columns may have no value at all
    values = with_nan(table)
    there = np.isfinite(values)
    complete: NDArray[np.bool_] = np.asarray(there.all(axis=1))
    enough = complete.sum() > len(table.names) + 3
    if enough:
        table = table.rows(complete)
        summary = moments(table.values, weights=None if weights is None else weights[complete])
    else:
        summary = em_moments(values, weights)
        table = replace(table, values=np.where(there, values, summary.means))
    correlation = Correlation.computed(summary.correlations, summary.n_samples, table.names)
    return NumberSummary(table, summary, correlation, incomplete=None if enough else values)

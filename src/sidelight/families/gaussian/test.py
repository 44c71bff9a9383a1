"""Fisher's Z, and Student's t for few rows: linear-Gaussian independence from a correlation matrix.

One inverse K of the members' correlation matrix answers all pairs: the partial correlation of x and y given all the
other members is −K[x, y] / √(K[x, x] K[y, y]). It is compared with the critical value for the level, not turned into
a p-value. A variable that the conditioning set determines has nothing left to depend on: it counts as independent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from math import erfc, expm1, sqrt, tanh
from statistics import NormalDist
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.families.base import BoundaryChoice, CITest, LazyAnswers, MakeScore, checked_members
from sidelight.families.data import NumberSummary, Statistics, by_data
from sidelight.families.gaussian.correlation import Correlation, Moments, moments, moments_of
from sidelight.families.gaussian.score import GaussianBic
from sidelight.families.score import EBIC
from sidelight.families.subset_search import NO_LIMIT, Found, Searches, run_kernel
from sidelight.kernels import WELL_CONDITIONED
from sidelight.text.message import Message, Option

# With fewer, tests given all other columns have lost too much power: benchmarks/accuracy.py rows has the figures.
ROWS_PER_COLUMN = 10
FEW = 100  # degrees of freedom; with more, Fisher's Z rejects at most 1.08 times as often as it should at 0.001
MOST_EXACT = 20  # columns, where doubling the structures doubles the time
MOST_KEPT = 1_000_000  # numbers in the inverses that are kept
MOST_MOVED = 500  # columns, whose matrix is copied and factored again for another order
Floats = NDArray[np.float64]


@cache
def _kernels() -> ModuleType:
    """Imported on first use; an import inside of what is called often takes as long as a kernel."""
    from sidelight.families.gaussian.kernels import correlation

    return correlation


class FisherZ(CITest):
    """The Fisher-Z test on a ``Correlation``."""

    option = "fisher-z"
    effect_name = "partial correlation"
    visible_name = "partial correlations"
    releases_gil = True
    false_members = 2
    retest_budget = 50_000
    default_budget = 5_000_000
    recheck_budget = NO_LIMIT  # all pairs that one set separates from a variable are checked at once

    def __init__(self, correlation: Correlation) -> None:
        self.correlation = correlation
        self.names = correlation.names
        self._inverses: dict[tuple[int, ...], tuple[Floats, float]] = {}  # by members, each with its smallest pivot
        self._n_kept = 0

    def default_boundaries(self, alpha: float) -> BoundaryChoice:
        """Total conditioning at level 2/n², as the paper does, where rows are many; else IAMB."""
        many = self.correlation.n_samples >= ROWS_PER_COLUMN * len(self.names) and not self.correlation.is_singular
        return BoundaryChoice("tc" if many else "iamb", super().default_boundaries(alpha).alpha)

    def data_order(self) -> list[int] | None:
        """By the sum of the squared correlations with all others; None with many columns, which take long to move."""
        if len(self.names) > MOST_MOVED:
            return None
        squared = np.sort(self.correlation.matrix**2, axis=1).sum(axis=1)
        return by_data(self.names, [(float(share),) for share in squared], lambda v: 0.0)

    def in_order(self, order: Sequence[int]) -> FisherZ:
        return FisherZ(self.correlation.in_order(order))

    @property
    def sample_size(self) -> int:
        return self.correlation.n_samples

    def scores(self) -> Mapping[str, MakeScore]:
        return gaussian_scores(lambda: self.correlation)

    def decides(self, size: int) -> bool:
        return self.correlation.n_samples - size - 3 > 0

    def visible_effect(self, alpha: float, size: int) -> float:
        return self._critical(size, alpha)

    def can_condition_on(self, size: int) -> bool:
        singular = size >= len(self.names) - 2 and self.correlation.is_singular
        return self.correlation.n_samples > size + 5 and not singular

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        freedom = self.correlation.n_samples - len(given) - 3
        if freedom <= 0:
            return 1.0  # too few samples to reject anything
        rho = min(abs(self.partial_correlation(x, y, given)), 1.0)
        return erfc(normal_statistic(rho, freedom) / sqrt(2)) if rho < 1 else 0.0  # twice the normal's tail

    def p_values(self, x: int, candidates: Sequence[int] | NDArray[np.int64], given: Sequence[int]) -> Floats:
        from scipy.special import erfc

        correlations = self.dependences(x, candidates, given)
        freedom = self.correlation.n_samples - len(given) - 3
        if freedom <= 0:
            return np.ones(len(candidates))
        with np.errstate(divide="ignore"):  # a correlation of 1 has the p-value 0
            statistics = normal_statistic(np.minimum(correlations, 1.0), freedom)
        result: Floats = erfc(statistics / sqrt(2))
        return result

    def seconds_per_graph(self) -> float:
        n = len(self.names)
        search = 4e-8 * 2**n if n <= MOST_EXACT else 6e-4 * n
        return 0.002 + search + 2e-8 * n * self.sample_size

    def partial_correlation(self, x: int, y: int, given: Sequence[int]) -> float:
        """The correlation of x and y given ``given``."""
        members = checked_members([x, y, *given], len(self.names))
        return float(_kernels().correlation_of_first_two(self.correlation.matrix, members))

    def effect_size(self, x: int, y: int, given: Sequence[int]) -> float:
        return self.partial_correlation(x, y, given)

    def rejects(self, x: int, others: NDArray[np.int64], given: Sequence[int], alpha: float) -> NDArray[np.bool_]:
        rejected: NDArray[np.bool_] = self.dependences(x, others, given) > self._critical(len(given), alpha)
        return rejected

    def independent(self, x: int, y: int, given: Sequence[int], alpha: float) -> bool:
        return abs(self.partial_correlation(x, y, given)) <= self._critical(len(given), alpha)

    def dependences(self, x: int, candidates: Sequence[int] | NDArray[np.int64], given: Sequence[int]) -> Floats:
        """Absolute partial correlations of x with the candidates given these."""
        others = _checked_candidates(candidates, len(self.names))
        basis = checked_members([x, *given], len(self.names))[1:]
        result: Floats = _kernels().partial_correlations(self.correlation.matrix, x, others, basis)
        return np.abs(result)

    def grown(self, x: int, members: Sequence[int], pool: NDArray[np.int64], alpha: float) -> NDArray[np.int64]:
        start = checked_members([x, *members], len(self.names))[1:]
        critical = _critical_by_size(self.correlation.n_samples, len(self.names), alpha)
        found: NDArray[np.int64] = _kernels().grow_boundary(
            self.correlation.matrix, x, start, _checked_candidates(pool, len(self.names)), critical
        )
        return found

    def answers(
        self, members: Sequence[int], alpha: float, left_out: Sequence[int] = ()
    ) -> NDArray[np.bool_] | LazyAnswers:
        n_kept = len(members) - len(left_out)
        weak, critical = np.empty((n_kept, n_kept), dtype=np.bool_), self._critical(n_kept - 2, alpha)
        if left_out:
            precision, pivot = self._inverse(tuple(members))
            if pivot >= WELL_CONDITIONED:
                positions = np.array([members.index(z) for z in left_out], dtype=np.int64)
                _kernels().weak_pairs_leaving_out(precision, positions, critical, weak)
                return weak
        kept = tuple(z for z in members if z not in left_out) if left_out else tuple(members)
        if n_kept == len(self.names) and kept == tuple(range(n_kept)) and not self.correlation.is_singular:
            _kernels().weak_pairs(self.correlation.inverse().T, critical, weak)
            return weak
        precision, pivot = self._inverse(kept)
        if pivot <= 0:  # some members are determined by others: one by one
            return super().answers(kept, alpha)
        _kernels().weak_pairs(precision, critical, weak)
        return weak

    def _critical(self, size: int, alpha: float) -> float:
        return critical_correlation(self.correlation.n_samples - size - 3, alpha)

    def _inverse(self, members: tuple[int, ...]) -> tuple[Floats, float]:
        """The inverse of the members' correlation matrix and its smallest pivot, 0 if there is no inverse.

        Those of late are kept: more is asked about the same members, also with some of them left out.
        """
        found = self._inverses.get(members)
        if found is None:
            checked = checked_members(members, len(self.names))
            precision = np.empty((len(checked), len(checked)))
            found = precision, _kernels().invert(self.correlation.matrix, checked, precision)
            self._n_kept += precision.size
            if self._n_kept > MOST_KEPT:
                self._inverses.clear()
                self._n_kept = precision.size
            self._inverses[members] = found
        return found

    def search(self, searches: Searches, alpha: float, budget: int, strengths: bool = False) -> Found:
        searches.check(len(self.names))
        critical = _critical_by_size(self.correlation.n_samples, int(searches.largest_sets.max(initial=0)), alpha)
        return run_kernel(searches, _kernels().Correlations(self.correlation.matrix), critical, budget)


def _checked_candidates(candidates: Sequence[int] | NDArray[np.int64], n_variables: int) -> NDArray[np.int64]:
    """The candidates as an array for a kernel. An array may be long, and is checked as a whole."""
    if not isinstance(candidates, np.ndarray):
        return checked_members(candidates, n_variables)
    within = candidates.dtype.kind == "i" and (
        not len(candidates) or 0 <= candidates.min() <= candidates.max() < n_variables
    )
    if not within:
        raise InputError(f"candidates must be variables by position, 0 … {n_variables - 1}; got {candidates}")
    return candidates.astype(np.int64, copy=False)


def gaussian_scores(correlation: Callable[[], Correlation]) -> dict[str, MakeScore]:
    """The scores for columns of numbers; the extended criterion has no penalty to choose."""
    return {
        EBIC: lambda penalty: GaussianBic.extended(correlation()),
        GaussianBic.option: lambda penalty: GaussianBic(correlation(), penalty),
    }


def normal_statistic(rho: Any, freedom: float, degrees: float | None = None) -> Any:
    """What is a standard normal's absolute value under independence; ``freedom`` is N − |S| − 3.

    This is Fisher's Z. With few rows, where it rejects too often far out, it is Student's t, which is exact with one
    degree of freedom more, made normal as by Wallace (1959). ``degrees`` are fewer where its variance is estimated.
    """
    of_t = freedom + 1 if degrees is None else degrees
    if of_t > FEW:
        return sqrt(freedom) * np.arctanh(rho)
    squared = (freedom + 1) * rho**2 / ((1 - rho) * (1 + rho))
    return np.sqrt(of_t * np.log1p(squared / of_t)) / _wallace(of_t)


@lru_cache(maxsize=1024)
def critical_correlation(freedom: int, alpha: float) -> float:
    """The largest absolute partial correlation that does not reject independence: the one of that statistic."""
    if freedom <= 0:
        return 1.0
    normal, of_t = -NormalDist().inv_cdf(alpha / 2), freedom + 1
    if of_t > FEW:
        return tanh(normal / sqrt(freedom))
    return sqrt(-expm1(-((normal * _wallace(of_t)) ** 2) / of_t))


def _wallace(degrees: float) -> float:
    """By how much √(ν log(1 + t² / ν)) is larger than a normal variable, where t has ν degrees of freedom."""
    return (8 * degrees + 3) / (8 * degrees + 1)


@lru_cache(maxsize=64)
def _critical_by_size(n_samples: int, most: int, alpha: float) -> Floats:
    """The critical correlations given 0, 1, … variables, up to this number of them."""
    return np.array([critical_correlation(n_samples - size - 3, alpha) for size in range(most + 1)])


class GaussianStatistics(Statistics):
    """Correlations, of values or of normal scores."""

    def _moments(self) -> Moments:
        data = self.data
        if data.correlation == "pearson":
            return moments_of(data.rows, data.table.names, data.tick)
        if data.rows.is_weighted:
            with_pearson = Option("correlation", "pearson")
            raise InputError(Message(Option("weights"), " goes with ", with_pearson, f", not {data.correlation!r}"))
        from sidelight.families.gaussian.ranks import normal_scores, normal_scores_in_batches

        if data.rows.in_memory:
            return normal_scores(data.table.values, data.tick).less(data.rows.lost)
        return normal_scores_in_batches(data.rows, data.tick).less(data.rows.lost)

    @cached_property
    def numbers(self) -> NumberSummary:
        data, found, by_ranks = self.data, self._moments(), self.data.correlation != "pearson"
        ranks_may_help = not by_ranks and not data.rows.is_weighted
        return NumberSummary(data.table, found, found.correlation.named(data.table.names), by_ranks, ranks_may_help)

    def test(self) -> FisherZ:
        correlation = self.numbers.correlation
        if np.isnan(np.diagonal(correlation.matrix)).any():  # a column does not vary: no correlation with others
            matrix = np.nan_to_num(correlation.matrix)
            np.fill_diagonal(matrix, 1.0)
            correlation = Correlation.computed(matrix, correlation.n_samples, correlation.names)
        return FisherZ(correlation)


# Whether normal scores describe the dependences of columns better than their values do. Monotone functions of Gaussian
# columns have weaker linear correlations than their normal scores, so the determinant of the latter's matrix is smaller
# (Klaassen & Wellner 1997). Linear effects of skewed noise have not: ranks bend them. Decision 19 has the figures.

ROWS_SEEN, CELLS_SEEN, SEEN_PER_COLUMN, FEWEST_SEEN = 5_000, 1_000_000, 2, 50
SKEWED, HEAVY = 0.7, 1.0  # skewness, and excess kurtosis, from which on a column counts as far from Gaussian
GAIN = 0.15  # in the logarithm of the determinant, for each such column, from which on normal scores serve better
RIDGE, SINGULAR = 1e-3, 1e-8
COLUMNS_AT_ONCE = 128


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
    seen = min(ROWS_SEEN, max(SEEN_PER_COLUMN * n_columns, CELLS_SEEN // n_columns))
    some = values[:: max(1, len(values) // seen)]
    if len(some) < max(FEWEST_SEEN, SEEN_PER_COLUMN * n_columns):
        return Margins(np.zeros(some.shape[1], dtype=np.bool_), 0.0)
    # Some columns at a time: no second table of numbers.
    starts = range(0, some.shape[1], COLUMNS_AT_ONCE)
    far = np.concatenate([_far_from_gaussian(some[:, start : start + COLUMNS_AT_ONCE]) for start in starts])
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


def _far_from_gaussian(columns: NDArray[np.generic]) -> NDArray[np.bool_]:
    rows = np.asarray(columns, dtype=np.float64)
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

"""Fisher's Z: linear-Gaussian independence from a correlation matrix.

One inverse K of the members' correlation matrix answers all pairs: the partial correlation of x and y given all the
other members is −K[x, y] / √(K[x, x] K[y, y]). It is compared with the critical value for the level, not turned into
a p-value. A variable that the conditioning set determines has nothing left to depend on: it counts as independent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from math import atanh, erfc, sqrt, tanh
from statistics import NormalDist
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.families.base import BoundaryChoice, CITest, MakeScore, checked_members
from sidelight.families.gaussian.correlation import Correlation
from sidelight.families.gaussian.score import GaussianBic
from sidelight.families.score import EBIC
from sidelight.families.subset_search import NO_LIMIT, Found, Searches, run_kernel
from sidelight.kernels import WELL_CONDITIONED

# With fewer, tests given all other columns have lost too much power: benchmarks/accuracy.py rows has the figures.
ROWS_PER_COLUMN = 10


Inverse = tuple[NDArray[np.float64], float]  # with its smallest pivot
MOST_KEPT = 1_000_000  # numbers in the inverses that are kept


@cache
def _kernels() -> ModuleType:
    """Imported on first use; an import inside of what is called often takes as long as a kernel."""
    from sidelight.families.gaussian.kernels import correlation

    return correlation


class _Inverses(dict[tuple[int, ...], Inverse]):
    """Inverses by members; all are dropped when they have become too many."""

    def __init__(self) -> None:
        super().__init__()
        self._n_kept = 0

    def keep(self, members: tuple[int, ...], inverse: Inverse) -> None:
        self._n_kept += inverse[0].size
        if self._n_kept > MOST_KEPT:
            self.clear()
            self._n_kept = inverse[0].size
        self[members] = inverse


class FisherZ(CITest):
    """The Fisher-Z test on a ``Correlation``."""

    option = "fisher-z"
    effect_name = "partial correlation"
    visible_name = "partial correlations"
    releases_gil = True
    retest_budget = 50_000
    default_budget = 5_000_000
    recheck_budget = NO_LIMIT  # all pairs that one set separates from a variable are checked at once

    def __init__(self, correlation: Correlation) -> None:
        self.correlation = correlation
        self.names = correlation.names
        self._inverses = _Inverses()

    def default_boundaries(self, alpha: float) -> BoundaryChoice:
        """Total conditioning at level 2/n², as the paper does, where rows are many; else IAMB."""
        n = len(self.names)
        many = self.correlation.n_samples >= ROWS_PER_COLUMN * n and not self.correlation.is_singular
        return BoundaryChoice("tc" if many else "iamb", min(alpha, 2 / max(1, n) ** 2))

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
        statistic = sqrt(freedom) * atanh(rho) if rho < 1 else float("inf")
        return erfc(statistic / sqrt(2))  # twice the normal's tail

    def p_values(
        self, x: int, candidates: Sequence[int] | NDArray[np.int64], given: Sequence[int]
    ) -> NDArray[np.float64]:
        from scipy.special import erfc

        correlations = self.dependences(x, candidates, given)
        freedom = self.correlation.n_samples - len(given) - 3
        if freedom <= 0:
            return np.ones(len(candidates))
        with np.errstate(divide="ignore"):  # a correlation of 1 has the p-value 0
            statistics = sqrt(freedom) * np.arctanh(np.minimum(correlations, 1.0))
        result: NDArray[np.float64] = erfc(statistics / sqrt(2))
        return result

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

    def dependences(
        self, x: int, candidates: Sequence[int] | NDArray[np.int64], given: Sequence[int]
    ) -> NDArray[np.float64]:
        """Absolute partial correlations of x with the candidates given these."""
        others = _checked_candidates(candidates, len(self.names))
        basis = checked_members([x, *given], len(self.names))[1:]
        result: NDArray[np.float64] = _kernels().partial_correlations(self.correlation.matrix, x, others, basis)
        return np.abs(result)

    def grown(self, x: int, members: Sequence[int], pool: NDArray[np.int64], alpha: float) -> NDArray[np.int64]:
        from sidelight.families.gaussian.kernels.growing import grow_boundary

        start = checked_members([x, *members], len(self.names))[1:]
        critical = _critical_by_size(self.correlation.n_samples, len(self.names), alpha)
        found: NDArray[np.int64] = grow_boundary(
            self.correlation.matrix, x, start, _checked_candidates(pool, len(self.names)), critical
        )
        return found

    def answers(self, members: Sequence[int], alpha: float, left_out: Sequence[int] = ()) -> NDArray[np.bool_]:
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
        if pivot > 0:
            _kernels().weak_pairs(precision, critical, weak)
        else:
            _kernels().weak_pairs_one_by_one(self.correlation.matrix, np.array(kept, dtype=np.int64), critical, weak)
        return weak

    def _critical(self, size: int, alpha: float) -> float:
        return critical_correlation(self.correlation.n_samples - size - 3, alpha)

    def _inverse(self, members: tuple[int, ...]) -> Inverse:
        """The inverse of the members' correlation matrix and its smallest pivot, 0 if there is no inverse.

        Those of late are kept: more is asked about the same members, also with some of them left out.
        """
        found = self._inverses.get(members)
        if found is None:
            checked = checked_members(members, len(self.names))
            precision = np.empty((len(checked), len(checked)))
            found = precision, _kernels().invert(self.correlation.matrix, checked, precision)
            self._inverses.keep(members, found)
        return found

    def search(self, searches: Searches, alpha: float, budget: int, strengths: bool = False) -> Found:
        from sidelight.families.gaussian.kernels.correlation_subsets import Correlations

        most = int(searches.largest_sets.max(initial=0))
        critical = [self._critical(size, alpha) for size in range(most + 1)]
        searches.check(len(self.names))
        return run_kernel(searches, Correlations(self.correlation.matrix), np.array(critical), budget)


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


@lru_cache(maxsize=1024)
def critical_correlation(freedom: int, alpha: float) -> float:
    """The largest absolute partial correlation that does not reject independence; ``freedom`` is N − |S| − 3."""
    return tanh(-NormalDist().inv_cdf(alpha / 2) / sqrt(freedom)) if freedom > 0 else 1.0


@lru_cache(maxsize=8)
def _critical_by_size(n_samples: int, most: int, alpha: float) -> NDArray[np.float64]:
    """The critical correlations given 0, 1, … variables, up to this number of them or the last that rows allow."""
    sizes = range(max(0, min(most, n_samples - 3)) + 1)
    return np.array([critical_correlation(n_samples - size - 3, alpha) for size in sizes])

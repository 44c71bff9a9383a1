"""Fisher's Z where each test has a number of samples of its own, because values are missing.

**When the values that are there cannot support a test**, independence is not rejected: the p-value is 1, and
``n_undecided`` counts it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import atanh, erfc, sqrt

import numpy as np
from numpy.typing import NDArray

from sidelight.families.base import BoundaryChoice, CITest
from sidelight.families.gaussian.correlation import n_whole
from sidelight.families.gaussian.test import critical_correlation


def typically_together(there: NDArray[np.bool_], counts: NDArray[np.float64] | None = None) -> int:
    """The median over pairs of columns of the number of rows that have both; all rows if there is no pair.

    Each row of ``there`` says which values are present, and ``counts`` how many rows it stands for.
    """
    return _together(there, counts, 0.5)


def scored_size(there: NDArray[np.bool_], counts: NDArray[np.float64] | None = None) -> int:
    """How many rows a score takes gaps for: as many as nine of ten pairs of columns have in common at least.

    With the median, pairs with many gaps gain edges by chance.
    """
    return _together(there, counts, 0.1)


def _together(there: NDArray[np.bool_], counts: NDArray[np.float64] | None, quantile: float) -> int:
    of_rows = np.ones(len(there)) if counts is None else counts
    together = (there * of_rows[:, None]).T @ there.astype(np.float64)
    pairs = together[np.triu_indices_from(together, 1)]
    return n_whole(float(np.quantile(pairs, quantile)) if len(pairs) else of_rows.sum())


class IncompleteFisherZ(CITest):
    """What tests of partial correlations with missing values have in common."""

    option = "fisher-z"
    effect_name = "partial correlation"
    visible_name = "partial correlations"

    @property
    @abstractmethod
    def sample_size(self) -> int:
        """How many rows two columns typically have in common."""

    def visible_effect(self, alpha: float, size: int) -> float:
        return critical_correlation(self.sample_size - size - 3, alpha)

    @abstractmethod
    def estimate(self, x: int, y: int, given: Sequence[int]) -> tuple[float, float]:
        """The partial correlation, and its degrees of freedom: none if they are not positive."""

    def default_boundaries(self, alpha: float) -> BoundaryChoice:
        return BoundaryChoice("iamb", min(alpha, 2 / max(1, len(self.names)) ** 2))

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        statistic = self._statistic(x, y, given)
        return 1.0 if statistic is None else erfc(statistic / sqrt(2))

    def dependences(
        self, x: int, candidates: Sequence[int] | NDArray[np.int64], given: Sequence[int]
    ) -> NDArray[np.float64]:
        """The statistics, which rank as p-values do, also where these are 0."""
        found = [self._statistic(x, int(y), given) for y in candidates]
        return np.array([-np.inf if statistic is None else statistic for statistic in found])

    def effect_size(self, x: int, y: int, given: Sequence[int]) -> float | None:
        rho, freedom = self.estimate(x, y, given)
        return rho if freedom > 0 else None

    def _statistic(self, x: int, y: int, given: Sequence[int]) -> float | None:
        """A standard normal's absolute value under independence; None, and counted, if the test cannot be decided."""
        rho, freedom = self.estimate(x, y, given)
        if freedom <= 0:
            self.n_undecided += 1
            return None
        return sqrt(freedom) * atanh(min(abs(rho), 1 - 1e-15))

"""Fisher's Z on correlations by the EM algorithm, each test with the number of samples that its values are worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from sidelight.families.base import MakeScore, checked_members
from sidelight.families.gaussian.correlation import Correlation
from sidelight.families.gaussian.em import effective_size
from sidelight.families.gaussian.incomplete import IncompleteFisherZ, scored_size, typically_together
from sidelight.families.gaussian.test import gaussian_scores
from sidelight.kernels import DETERMINED

MOST_PATTERNS = 1000  # of gaps in the columns of one test; among more, evenly spaced ones stand for all


class EmFisherZ(IncompleteFisherZ):
    """The Fisher-Z test on EM correlations; ``there`` says which values of the table are not missing.

    A weight says how many rows a row counts as.
    """

    retest_budget = 1_000
    recheck_budget = 1_000

    def __init__(
        self, correlation: Correlation, there: NDArray[np.bool_], weights: NDArray[np.float64] | None = None
    ) -> None:
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

    def estimate(self, x: int, y: int, given: Sequence[int]) -> tuple[float, float]:
        from sidelight.kernels.correlation import partial_correlation

        members = checked_members([x, y, *sorted(given)], len(self.names))
        matrix = self.correlation.matrix[np.ix_(members, members)]
        rho = float(partial_correlation(matrix, 0, 1, np.arange(2, len(members))))
        ridge = DETERMINED * np.eye(len(members))  # so that columns that determine each other have an inverse
        size = effective_size(matrix + ridge, *self._gaps(members))
        if size <= 0:
            return rho, 0.0
        # Without gaps a given column costs one row. With them, what it explains is known less well: decision 14.
        cost = sqrt(self.correlation.n_samples / size)
        return rho, size - 3 - cost * len(given)

    def _gaps(self, members: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """The patterns of gaps in these columns, and how often each occurs."""
        there = self._patterns[:, members]
        packed = np.ascontiguousarray(np.packbits(there, axis=1))
        _, first, which = np.unique(packed.view(f"V{packed.shape[1]}"), return_index=True, return_inverse=True)
        there, counts = there[first], np.bincount(which.ravel(), self._counts).astype(np.float64)
        if len(there) <= MOST_PATTERNS:
            return there, counts
        some = np.linspace(0, len(there) - 1, MOST_PATTERNS).astype(np.int64)
        return there[some], counts[some] * (counts.sum() / counts[some].sum())

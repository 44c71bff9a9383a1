"""An ordered category and another one given categories, ordered or not: scores within strata.

Products of deviations from the means of their stratum are summed, and compared with their moments when the rows of each
stratum are permuted: Mantel's test of a trend for two ordered categories, the test of equal mean scores for an ordered
and an unordered one (Landis, Heyman & Koch 1978). Whatever the strata do to both, the level is kept.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sidelight.families.mixed.blocks import Blocks
from sidelight.families.mixed.logistic import score_statistic


class StratifiedScores:
    """Tests of blocks within the strata of discrete ones."""

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self._weights = np.empty(0) if blocks.weights is None else np.asarray(blocks.weights, dtype=np.float64)
        self._last: tuple[tuple[int, ...], NDArray[np.int64]] = ((), np.zeros(len(blocks.codes), dtype=np.int64))

    def statistic(self, x: int, y: int, given: Sequence[int]) -> tuple[float, int]:
        """A statistic that is χ² under independence, and its degrees of freedom: 0 where no stratum has both vary."""
        from sidelight.families.mixed.kernels.ordinal import products_in_strata

        strata = self._strata(tuple(sorted(given)))
        n_strata = int(strata.max(initial=-1)) + 1
        found = products_in_strata(self._tested(x), self._tested(y), strata, n_strata, self._weights)
        return score_statistic(*found)

    def _tested(self, v: int) -> NDArray[np.float64]:
        first = self._blocks.start[v]
        return np.ascontiguousarray(self._blocks.columns[:, first : first + self._blocks.tested[v]])

    def _strata(self, given: tuple[int, ...]) -> NDArray[np.int64]:
        """The number of each row's stratum; the last ones are kept, since they serve several tests in a row."""
        if self._last[0] != given:
            strata = np.zeros(len(self._blocks.codes), dtype=np.int64)
            for z in given:  # numbered anew each time, so that numbers stay small
                wide = strata * int(self._blocks.n_categories[z]) + self._blocks.codes[:, z]
                strata = np.unique(wide, return_inverse=True)[1].astype(np.int64)
            self._last = given, strata
        return self._last[1]

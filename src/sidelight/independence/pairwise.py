"""Fisher's Z with test-wise deletion: each test uses the rows that are complete in its columns, and their number."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import atanh, erfc, sqrt

import numpy as np
from numpy.typing import NDArray

from sidelight.independence.base import CITest, checked_members


class PairwiseFisherZ(CITest):
    """The Fisher-Z test on columns with missing values."""

    def __init__(self, values: NDArray[np.generic], names: Sequence[Hashable]) -> None:
        self.names = tuple(names)
        self._values = np.asarray(values, dtype=np.float64)
        self._there = np.isfinite(self._values)

    effect_name = "partial correlation"

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        rho, freedom = self._correlation(x, y, given)
        if freedom <= 0:
            return 1.0
        return erfc(sqrt(freedom) * atanh(min(abs(rho), 1 - 1e-15)) / sqrt(2))

    def effect_size(self, x: int, y: int, given: Sequence[int]) -> float | None:
        rho, freedom = self._correlation(x, y, given)
        return rho if freedom > 0 else None

    def _correlation(self, x: int, y: int, given: Sequence[int]) -> tuple[float, int]:
        """The partial correlation in the rows that are complete in these columns, and its degrees of freedom."""
        from sidelight.kernels.correlation import partial_correlation
        from sidelight.sufficient.correlation import moments

        members = checked_members([x, y, *given], len(self.names))
        rows = self._values[self._there[:, members].all(axis=1)][:, members]
        freedom = len(rows) - len(given) - 3
        if freedom <= 0:
            return 0.0, freedom
        matrix = np.nan_to_num(moments(rows).correlations)
        return float(partial_correlation(matrix, 0, 1, np.arange(2, len(members)))), freedom

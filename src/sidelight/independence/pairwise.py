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

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        from sidelight.kernels.correlation import partial_correlation
        from sidelight.sufficient.correlation import moments

        members = checked_members([x, y, *given], len(self.names))
        rows = self._values[self._there[:, members].all(axis=1)][:, members]
        freedom = len(rows) - len(given) - 3
        if freedom <= 0:
            return 1.0
        matrix = np.nan_to_num(moments(rows).correlations)
        rho = min(abs(float(partial_correlation(matrix, 0, 1, np.arange(2, len(members))))), 1 - 1e-15)
        return erfc(sqrt(freedom) * atanh(rho) / sqrt(2))

"""Mixed continuous and discrete columns: a likelihood-ratio test on blocks of indicator columns (degenerate Gaussian).

With K the inverse of the members' joint correlation matrix, the likelihood ratio of x and y given all the other
members is −N log(det K_xy / (det K_x det K_y)), on |x|·|y| degrees of freedom. One inverse answers all pairs. N is
corrected as Bartlett does, N − 1 − |S| − (|x| + |y| + 1) / 2, so that small samples do not reject too often.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from sidelight.data.coding import code_table
from sidelight.doctor.discrete import examine_discrete
from sidelight.doctor.findings import together
from sidelight.doctor.numbers import examine
from sidelight.independence.base import BoundaryChoice, CITest, checked_members
from sidelight.independence.fisher_z import ROWS_PER_COLUMN
from sidelight.independence.table_test import Built, TestData
from sidelight.sufficient.blocks import Blocks, expand
from sidelight.sufficient.correlation import Correlation, moments


class DegenerateGaussian(CITest):
    """The block test; for continuous columns alone it is close to Fisher's Z."""

    option = "mixed"
    retest_budget = 5_000
    default_budget = 500_000
    recheck_budget = 5_000

    def __init__(self, blocks: Blocks, names: Sequence[Hashable]) -> None:
        self.names = tuple(names)
        self._blocks = blocks
        self._sizes = np.diff(blocks.start)
        self.n_samples, self.n_columns = blocks.n_samples, len(blocks.matrix)

    def default_boundaries(self, alpha: float) -> BoundaryChoice:
        many = self.n_samples >= ROWS_PER_COLUMN * self.n_columns
        return BoundaryChoice("tc" if many else "iamb", min(alpha, 2 / max(1, len(self.names)) ** 2))

    def can_condition_on(self, size: int) -> bool:
        widest = int(np.sort(self._sizes)[-size:].sum()) if size else 0
        return self.n_samples > widest + 5

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        from scipy.special import gammaincc

        statistic, freedom = self._statistics(checked_members([x, y, *given], len(self.names)))
        return float(gammaincc(freedom[0, 1] / 2, statistic[0, 1] / 2))

    def answers(self, members: Sequence[int], alpha: float, left_out: Sequence[int] = ()) -> NDArray[np.bool_]:
        from scipy.special import gammainccinv

        kept = [z for z in members if z not in left_out]
        statistic, freedom = self._statistics(checked_members(kept, len(self.names)))
        result: NDArray[np.bool_] = statistic <= 2 * gammainccinv(freedom / 2, alpha)
        return result

    def independent(self, x: int, y: int, given: Sequence[int], alpha: float) -> bool:
        return bool(self.answers([x, y, *given], alpha)[0, 1])

    def dependences(
        self, x: int, candidates: Sequence[int] | NDArray[np.int64], given: Sequence[int]
    ) -> NDArray[np.float64]:
        """Normal scores of the statistics, which rank as p-values do."""
        scores = np.empty(len(candidates))
        for i, y in enumerate(candidates):
            statistic, freedom = self._statistics(checked_members([x, y, *given], len(self.names)))
            spread = 2 / (9 * freedom[0, 1])
            scores[i] = ((statistic[0, 1] / freedom[0, 1]) ** (1 / 3) - (1 - spread)) / spread**0.5
        return scores

    def _statistics(self, members: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Statistics and degrees of freedom of all pairs of members given all the other members."""
        from sidelight.kernels.blocks import block_dependences

        sizes = self._sizes[members]
        start = np.zeros(len(members) + 1, dtype=np.int64)
        np.cumsum(sizes, out=start[1:])
        columns = np.concatenate([np.arange(*self._blocks.start[m : m + 2]) for m in members])
        precision = np.linalg.inv(self._blocks.matrix[np.ix_(columns, columns)])
        pair = sizes[:, None] + sizes
        weight = self._blocks.n_samples - 1 - (len(columns) - pair) - (pair + 1) / 2
        return np.maximum(weight, 0.0) * block_dependences(precision, start), sizes[:, None] * sizes.astype(float)


def build(data: TestData) -> Built:
    """From a table of numbers and discrete columns."""
    table, weights = data.table, data.weights
    numbers = table.part(name for name in table.all_names if name not in data.discrete)
    summary = moments(numbers.values, weights=weights)
    correlation = Correlation.computed(summary.correlations, summary.n_samples, numbers.names)
    codes = table.part(data.discrete)
    diagnosis = together(
        examine(numbers, summary, correlation), examine_discrete(codes, code_table(codes), False, weights is not None)
    )
    if diagnosis.errors:
        return None, diagnosis
    return DegenerateGaussian(expand(table, frozenset(data.discrete), weights), table.all_names), diagnosis

"""A kernel test for non-linear dependence: KCI (Zhang, Peters, Janzing & Schölkopf 2011), as causal-learn has it.

Needs the extra ``kernel``. Its time grows with the cube of the number of rows: for hundreds of rows, not thousands.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import AnswerError, InputError
from sidelight.families.base import CITest, checked_members
from sidelight.families.complete_rows import CompleteRowsTest
from sidelight.families.gaussian.incomplete import IncompleteStatistics, with_nan
from sidelight.families.gaussian.test import GaussianStatistics


class KernelTest(CITest):
    """KCI on columns of numbers."""

    def __init__(self, values: NDArray[np.generic], names: Sequence[Hashable]) -> None:
        try:
            from causallearn.utils.cit import CIT
        except ImportError as error:
            raise InputError("the kernel test needs causal-learn: pip install 'sidelight[kernel]'") from error
        self.names = tuple(names)
        # Its answers depend a little on the order of the columns; by name, the order is the same in any table.
        order = sorted(range(len(self.names)), key=lambda v: repr(self.names[v]))
        self._column = {v: column for column, v in enumerate(order)}
        self._test = CIT(np.asarray(values, dtype=np.float64)[:, order], "kci")

    option = "kernel"
    false_members = 2

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        x, y, *rest = (self._column[v] for v in checked_members([x, y, *given], len(self.names)).tolist())
        try:
            p = float(self._test(min(x, y), max(x, y), sorted(rest)))
        except (ArithmeticError, ValueError) as error:  # also what linear algebra raises
            raise AnswerError(f"the kernel test failed on {self.question(x, y, given)}: {error}") from error
        return min(1.0, max(0.0, p))


class PairwiseKernelTest(CompleteRowsTest):
    """KCI on the rows that are complete in the columns of the test."""

    option = KernelTest.option

    def on_rows(self, rows: NDArray[np.bool_], columns: Sequence[int]) -> KernelTest:
        return KernelTest(self._values[rows][:, columns], [self.names[v] for v in columns])


class KernelStatistics(GaussianStatistics):
    """The rows themselves."""

    def test(self) -> KernelTest:  # type: ignore[override]
        return KernelTest(self.data.table.values, self.data.table.names)


class IncompleteKernelStatistics(IncompleteStatistics):
    """The rows themselves, with missing values."""

    def test(self) -> PairwiseKernelTest:  # type: ignore[override]
        return PairwiseKernelTest(with_nan(self.data.table), self.data.table.names)

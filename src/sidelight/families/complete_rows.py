"""Test-wise deletion for tests that are built from rows: each question uses the rows complete in its columns.

**When these rows cannot support a test**, because they are too few or a column does not vary among them, independence
is not rejected: the p-value is 1, and ``n_undecided`` counts it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sidelight.families.base import CITest, checked_members
from sidelight.families.gaussian.incomplete import typically_together
from sidelight.tables.all_rows import FEWEST_ROWS

KEPT_CELLS = 4_000_000  # of the rows that tests were built from; when there are more, all are forgotten
Positions = list[int]
Answer = TypeVar("Answer")


class CompleteRowsTest(CITest):
    """Each question goes to a test on the rows that are complete in its columns.

    ``values`` are numbers, or codes of categories; NaN is missing. Columns without gaps share one test on all rows.
    """

    false_members = 2

    def __init__(
        self, values: NDArray[np.float64], names: Sequence[Hashable], weights: NDArray[np.float64] | None = None
    ) -> None:
        self.names = tuple(names)
        self.n_undecided = 0
        self._values, self._weights = values, weights
        self._there = np.isfinite(values)
        self._has_gaps: NDArray[np.bool_] = np.asarray(~self._there.all(axis=0))
        self._parts: dict[tuple[int, ...], CITest] = {}
        self._n_kept = 0

    @abstractmethod
    def on_rows(self, rows: NDArray[np.bool_], columns: Sequence[int]) -> CITest:
        """The test on these rows and columns, which are in ascending order."""

    @property
    def sample_size(self) -> int:
        """How many rows two columns typically have in common."""
        return typically_together(self._there, self._weights)

    def can_condition_on(self, size: int) -> bool:
        return size < len(self.names) - 2 or int(self._there.all(axis=1).sum()) > size + 5

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        part, (a, b, *rest) = self.part(x, y, given)
        return 1.0 if part is None else self._noting_undecided(part, part.p_value(a, b, rest))

    def independent(self, x: int, y: int, given: Sequence[int], alpha: float) -> bool:
        part, (a, b, *rest) = self.part(x, y, given)
        return True if part is None else self._noting_undecided(part, part.independent(a, b, rest, alpha))

    def part(self, x: int, y: int, given: Sequence[int]) -> tuple[CITest | None, Positions]:
        """The test on the complete rows, and where it has x, y and these; None, and counted, if they are too few."""
        members = checked_members([x, y, *given], len(self.names)).tolist()
        gapless = not self._has_gaps[members].any()
        columns = tuple(np.flatnonzero(~self._has_gaps).tolist() if gapless else sorted(members))
        rows: NDArray[np.bool_] = np.asarray(self._there[:, columns].all(axis=1))
        if not self._vary((x, y), rows):
            self.n_undecided += 1
            return None, members
        if columns not in self._parts:
            self._keep(columns, self.on_rows(rows, columns), int(rows.sum()))
        return self._parts[columns], [columns.index(v) for v in members]

    def _noting_undecided(self, part: CITest, answer: Answer) -> Answer:
        self.n_undecided += part.n_undecided
        part.n_undecided = 0
        return answer

    def _vary(self, columns: Sequence[int], rows: NDArray[np.bool_]) -> bool:
        """Are these enough rows, in which each of the columns has different values?"""
        if (rows.sum() if self._weights is None else self._weights[rows].sum()) < FEWEST_ROWS:
            return False
        return all(bool(np.ptp(self._values[rows, v]) > 0) for v in columns)

    def _keep(self, columns: tuple[int, ...], part: CITest, n_rows: int) -> None:
        self._n_kept += n_rows * len(columns)
        if self._n_kept > KEPT_CELLS:
            self._parts.clear()
            self._n_kept = n_rows * len(columns)
        self._parts[columns] = part

    def __getstate__(self) -> dict[str, object]:
        """Without the tests that are kept, which take more room than the data."""
        return {**vars(self), "_parts": {}, "_n_kept": 0}

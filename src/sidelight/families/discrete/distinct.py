"""Rows of codes, equal ones as one with a weight: all that tests and scores of discrete columns need of a table.

The codes of a row are packed into as few whole numbers as can hold them, and Arrow counts these by hashing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sidelight.tables.all_rows import NotWorthItError, Weights

if TYPE_CHECKING:
    import pyarrow as pa

LARGEST = 2**62  # what one packed number may be
TRIED = 500_000  # rows, from which on one sees whether merging pays
WORTH_IT = 0.1  # the share of different rows up to which it does: else codes are smaller, and are quickly counted
AT_ONCE = 2_000_000  # rows that wait for being merged
BYTES_TO_MERGE = 100  # for each packed number of a row: twice as many rows and Arrow's tables of them, then sorted ones


class DistinctRows:
    """The different rows of codes that were added, and how often each was; given up where that does not pay."""

    def __init__(self, n_categories: Sequence[int], memory: int | None, give_up: bool = True) -> None:
        self._packs = _packs([max(1, count) for count in n_categories])
        self._n_categories, self._memory, self._gives_up = n_categories, memory, give_up
        self._kind = np.min_scalar_type(-max(n_categories, default=1))
        self._at_once = AT_ONCE if memory is None else min(AT_ONCE, memory // (64 * (len(self._packs) + 1)))
        self._waiting: list[pa.Table] = []
        self._n_waiting, self._n_rows, self._n_distinct = 0, 0, 0

    def add(self, codes: NDArray[np.integer], weights: Weights | None) -> None:
        """Add some rows."""
        import pyarrow as pa

        keys = {f"k{i}": codes[:, some].astype(np.int64) @ factors for i, (some, factors) in enumerate(self._packs)}
        counts = np.ones(len(codes)) if weights is None else weights
        self._wait([pa.table({**keys, "count": counts})], len(codes), len(codes))

    def join(self, later: DistinctRows) -> None:
        """Add the rows that were added to another value."""
        self._wait(later._waiting, later._n_waiting, later._n_rows)

    def _wait(self, tables: list[pa.Table], n_waiting: int, n_rows: int) -> None:
        self._waiting += tables
        self._n_waiting += n_waiting
        self._n_rows += n_rows
        if self._n_waiting - self._n_distinct > max(self._at_once, self._n_distinct):
            self.merge()
            self._check(TRIED)

    def _check(self, at_least: int) -> None:
        """Raise where merging does not pay, or where what is merged does not fit into memory."""
        bytes_of_row = len(self._n_categories) * self._kind.itemsize + BYTES_TO_MERGE * (len(self._packs) + 1)
        too_large = self._memory is not None and self._n_distinct * bytes_of_row > self._memory
        if self._gives_up and (too_large or self._n_distinct > WORTH_IT * max(at_least, self._n_rows)):
            raise NotWorthItError

    def finished(self) -> tuple[NDArray[np.integer], Weights]:
        """The different rows, sorted, and their counts."""
        self.merge()
        self._check(0)
        table: Any = self._waiting[0].sort_by([(name, "ascending") for name in self._waiting[0].column_names[:-1]])
        codes = np.empty((table.num_rows, len(self._n_categories)), dtype=self._kind, order="F")
        for i, (some, factors) in enumerate(self._packs):
            key = table[f"k{i}"].to_numpy()
            for column, factor in enumerate(factors.tolist(), some.start):
                codes[:, column] = key // factor % max(1, self._n_categories[column])
        return codes, table["count"].to_numpy().astype(np.float64)

    def merge(self) -> None:
        """Make one row of equal ones."""
        import pyarrow as pa

        if not self._waiting:
            return
        table = pa.concat_tables(self._waiting)
        names = table.column_names[:-1]
        merged = table.group_by(names).aggregate([("count", "sum")]).rename_columns([*names, "count"])
        self._waiting, self._n_waiting, self._n_distinct = [merged], merged.num_rows, merged.num_rows


def _packs(n_categories: Sequence[int]) -> list[tuple[slice, NDArray[np.int64]]]:
    """Which columns are packed into one number, and what each of their codes is multiplied by."""
    starts, size = [0], 1
    for column, count in enumerate(n_categories):
        if size * count > LARGEST:
            starts.append(column)
            size = 1
        size *= count
    parts = [slice(start, stop) for start, stop in zip(starts, [*starts[1:], len(n_categories)], strict=True)]
    return [(part, np.cumprod([1, *n_categories[part]], dtype=np.int64)[:-1]) for part in parts]

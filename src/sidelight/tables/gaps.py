"""Missing and infinite values: where each column has them, and how many rows are left without some of the columns.

Rows that lack the same columns are counted together, so that the same is known of a table in memory and of one that was
passed over in batches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sidelight.tables.table import Table

MOST_PATTERNS = 64_000_000  # bytes of different patterns; with more, only whole columns are counted
Mask = NDArray[np.bool_]
Bits = NDArray[np.uint8]


def gap_masks(table: Table) -> dict[Hashable, Mask]:
    """For each column that has some: which of its values are missing or infinite."""
    found: dict[Hashable, Mask] = {}
    if table.values.dtype.kind == "f":
        with np.errstate(all="ignore"):
            sums = table.values.sum(axis=0, dtype=np.float64)  # quicker than masks; a sum may overflow
        for i in np.flatnonzero(~np.isfinite(sums)):
            found[table.names[i]] = ~np.isfinite(table.values[:, i])
    for name, texts in table.texts.items():
        found[name] = texts.missing
    return {name: gone for name in table.all_names if name in found and (gone := found[name]).any()}


@dataclass(frozen=True)
class ColumnGaps:
    """What a column lacks, and the position of the first row that lacks it."""

    n_missing: int
    n_infinite: int
    first_row: int

    @property
    def count(self) -> int:
        """All that it lacks."""
        return self.n_missing + self.n_infinite

    def merged(self, later: ColumnGaps) -> ColumnGaps:
        """With those of later rows."""
        return replace(self, n_missing=self.n_missing + later.n_missing, n_infinite=self.n_infinite + later.n_infinite)


class GapCounts:
    """Gaps of rows that are added one batch after the other."""

    def __init__(self) -> None:
        self.n_rows, self._names = 0, tuple[Hashable, ...]()
        self._columns: dict[Hashable, ColumnGaps] = {}
        self._patterns: Counter[bytes] | None = Counter()

    def add(self, table: Table, masks: Mapping[Hashable, Mask]) -> None:
        """Take the next rows into account, whose gaps are known."""
        self._names = self._names or table.all_names
        for name, gone in masks.items():
            infinite = 0 if name in table.texts else int(np.isinf(table.column(name)[gone].astype(np.float64)).sum())
            self._add(name, ColumnGaps(int(gone.sum()) - infinite, infinite, self.n_rows + int(gone.argmax())))
        if masks and self._patterns is not None:
            self._patterns.update(_patterns(self._names, masks))
            self._forget_if_many()
        self.n_rows += table.n_rows

    def merge(self, later: GapCounts) -> None:
        """Take rows into account that were counted apart, and come after these."""
        self._names = self._names or later._names
        for name, found in later._columns.items():
            self._add(name, replace(found, first_row=self.n_rows + found.first_row))
        if self._patterns is not None:
            self._patterns = None if later._patterns is None else self._patterns + later._patterns
            self._forget_if_many()
        self.n_rows += later.n_rows

    def _add(self, name: Hashable, found: ColumnGaps) -> None:
        before = self._columns.get(name)
        self._columns[name] = found if before is None else before.merged(found)

    def _forget_if_many(self) -> None:
        if self._patterns is not None and len(self._patterns) * len(self._names) // 8 > MOST_PATTERNS:
            self._patterns = None

    def gaps(self, n_complete: int) -> Gaps:
        """All of it; so many rows have no gap."""
        ordered = {name: self._columns[name] for name in self._names if name in self._columns}
        n_bytes = -(-len(self._names) // 8)
        if self._patterns is None:
            return Gaps(self.n_rows, self._names, ordered, None, np.empty(0, dtype=np.int64), n_complete)
        bits = np.frombuffer(b"".join(self._patterns), dtype=np.uint8).reshape(len(self._patterns), n_bytes)
        counts = np.array(list(self._patterns.values()), dtype=np.int64)
        return Gaps(self.n_rows, self._names, ordered, bits, counts, n_complete)


def _patterns(names: Sequence[Hashable], masks: Mapping[Hashable, Mask]) -> dict[bytes, int]:
    """Which columns rows lack, one bit for each column, and how many rows lack just these."""
    incomplete = np.flatnonzero(np.logical_or.reduce(list(masks.values())))
    bits = np.zeros((len(incomplete), -(-len(names) // 8)), dtype=np.uint8)
    for position, name in enumerate(names):
        if name in masks:
            bits[:, position // 8] |= masks[name][incomplete].astype(np.uint8) << (position % 8)
    found, counts = np.unique(bits.view(f"V{bits.shape[1]}").ravel(), return_counts=True)
    return dict(zip((pattern.tobytes() for pattern in found), counts.tolist(), strict=True))


@dataclass(frozen=True)
class Gaps:
    """What each column lacks, and which columns rows lack together; None where that is too much to know.

    Then all that is known of rows is how many are complete.
    """

    n_rows: int
    names: tuple[Hashable, ...]
    by_column: Mapping[Hashable, ColumnGaps]
    patterns: Bits | None
    counts: NDArray[np.int64]
    known_complete: int
    chosen: frozenset[Hashable] | None = None

    @staticmethod
    def of(table: Table) -> Gaps:
        """Of a table in memory."""
        counted, masks = GapCounts(), gap_masks(table)
        counted.add(table, masks)
        gone = np.logical_or.reduce(list(masks.values())) if masks else np.zeros(table.n_rows, dtype=np.bool_)
        return replace(counted.gaps(int((~gone).sum())), names=table.all_names)

    @staticmethod
    def none(n_rows: int, names: tuple[Hashable, ...]) -> Gaps:
        """Of a table that is complete."""
        n_bytes = -(-len(names) // 8)
        return Gaps(n_rows, names, {}, np.empty((0, n_bytes), dtype=np.uint8), np.empty(0, dtype=np.int64), n_rows)

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.names) if self.chosen is None else len(self.chosen)

    @property
    def n_infinite(self) -> int:
        """How many values are infinite."""
        return sum(column.n_infinite for column in self.by_column.values())

    def n_gaps(self, name: Hashable) -> int:
        """How many values a column lacks."""
        return self.by_column[name].count if name in self.by_column else 0

    def part(self, names: Collection[Hashable]) -> Gaps:
        """Of some of the columns."""
        kept = frozenset(names)
        found = {name: column for name, column in self.by_column.items() if name in kept}
        return replace(self, by_column=found, chosen=kept)

    @property
    def empty(self) -> list[Hashable]:
        """The columns without any value."""
        return [name for name, column in self.by_column.items() if column.count == self.n_rows]

    def n_complete(self, without: Collection[Hashable] = ()) -> int:
        """How many rows have no gap, if some columns are left out."""
        left = [name for name in self.by_column if name not in without]
        if not left:
            return self.n_rows
        if self.patterns is None:
            return self.known_complete
        wanted = set(left)
        which = np.array([name in wanted for name in self.names])
        mask = np.packbits(which, bitorder="little")
        return self.n_rows - int(self.counts[(self.patterns & mask).any(axis=1)].sum())

    def columns_to_lose(self) -> tuple[Hashable, ...]:
        """The emptiest columns whose loss leaves most cells in complete rows; half-full ones only if rows are few."""
        counts = {name: column.count for name, column in self.by_column.items()}
        emptiest = sorted(counts, key=lambda name: -counts[name])
        sparse = [name for name in emptiest if counts[name] > self.n_rows / 2]
        if self.patterns is None or 2 * self.n_complete(sparse) >= self.n_rows:
            return self._best_loss(emptiest, len(sparse))
        return self._best_loss(emptiest, len(emptiest))

    def _best_loss(self, emptiest: list[Hashable], most: int) -> tuple[Hashable, ...]:
        """The first ones, at most so many, without which most cells are in complete rows."""
        if self.patterns is None:
            return tuple(emptiest[:most])
        place = {name: i for i, name in enumerate(self.names)}
        gone = np.zeros(len(self.patterns), dtype=np.bool_)
        cells = {len(emptiest): self.n_rows * (self.n_columns - len(emptiest))}
        for count in range(len(emptiest) - 1, -1, -1):  # from the fullest on, so that each column is added once
            at = place[emptiest[count]]
            gone |= (self.patterns[:, at // 8] >> (at % 8) & 1).astype(np.bool_)
            cells[count] = (self.n_rows - int(self.counts[gone].sum())) * (self.n_columns - count)
        return tuple(emptiest[: max(range(most + 1), key=lambda count: cells[count])])

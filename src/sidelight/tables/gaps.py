"""Missing and infinite values: where each column has them, and how many rows are left without some of the columns.

Rows that lack the same columns are counted together, so that the same is known of a table in memory and of one that was
passed over in batches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sidelight.tables.table import Mask, Table

MOST_PATTERNS = 64_000_000  # bytes of different patterns; with more, only whole columns are counted
Bits = NDArray[np.uint8]


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


@dataclass
class Gaps:
    """What each column lacks, and how many rows lack the same columns; None where that is too much to know.

    Then all that is known of rows is how many are complete.
    """

    n_rows: int = 0
    names: tuple[Hashable, ...] = ()
    by_column: Mapping[Hashable, ColumnGaps] = field(default_factory=dict)
    patterns: Counter[bytes] | None = field(default_factory=Counter)  # one bit for each column
    known_complete: int = 0
    chosen: frozenset[Hashable] | None = None

    @staticmethod
    def of(table: Table, ignored: Collection[Hashable] = ()) -> Gaps:
        """Of a table in memory; rows are complete whatever ``ignored`` columns lack."""
        masks = table.gap_masks()
        incomplete = any_of([gone for name, gone in masks.items() if name not in ignored], table.n_rows)
        by_column = {name: _column_gaps(table, name, gone) for name, gone in masks.items()}
        found = Gaps(table.n_rows, table.all_names, by_column, known_complete=int((~incomplete).sum()))
        if masks:
            found._count(_patterns(table.all_names, masks))
        return found

    def merge(self, later: Gaps) -> None:
        """Take rows into account that come after these."""
        self.names = self.names or later.names
        found = dict(self.by_column)
        for name, added in later.by_column.items():
            before = found.get(name, ColumnGaps(0, 0, self.n_rows + added.first_row))
            counts = before.n_missing + added.n_missing, before.n_infinite + added.n_infinite
            found[name] = ColumnGaps(*counts, before.first_row)
        self.by_column = {name: found[name] for name in self.names if name in found}
        self._count(later.patterns)
        self.n_rows += later.n_rows
        self.known_complete += later.known_complete

    def _count(self, patterns: Mapping[bytes, int] | None) -> None:
        if self.patterns is not None and patterns is not None:
            self.patterns.update(patterns)
        if patterns is None or len(self.patterns or ()) * len(self.names) // 8 > MOST_PATTERNS:
            self.patterns = None

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
        left = set(self.by_column).difference(without)
        if not left:
            return self.n_rows
        if self.patterns is None:
            return self.known_complete
        bits, counts = _as_arrays(self.patterns)
        mask = np.packbits([name in left for name in self.names], bitorder="little")
        return self.n_rows - int(counts[(bits & mask).any(axis=1)].sum())

    def columns_to_lose(self) -> tuple[Hashable, ...]:
        """The emptiest columns whose loss leaves most cells in complete rows; half-full ones only if rows are few."""
        emptiest = sorted(self.by_column, key=lambda name: -self.n_gaps(name))
        sparse = [name for name in emptiest if self.n_gaps(name) > self.n_rows / 2]
        if not self.patterns:
            return tuple(sparse)
        enough = 2 * self.n_complete(sparse) >= self.n_rows
        return self._best_loss(emptiest, len(sparse if enough else emptiest), *_as_arrays(self.patterns))

    def _best_loss(
        self, emptiest: list[Hashable], most: int, bits: Bits, counts: NDArray[np.int64]
    ) -> tuple[Hashable, ...]:
        """The first ones, at most so many, without which most cells are in complete rows."""
        gone = np.zeros(len(bits), dtype=np.bool_)
        cells = {len(emptiest): self.n_rows * (self.n_columns - len(emptiest))}
        place = {name: i for i, name in enumerate(self.names)}
        for count in range(len(emptiest) - 1, -1, -1):  # from the fullest on, so that each column is added once
            at = place[emptiest[count]]
            gone |= (bits[:, at // 8] >> (at % 8) & 1).astype(np.bool_)
            cells[count] = (self.n_rows - int(counts[gone].sum())) * (self.n_columns - count)
        return tuple(emptiest[: max(range(most + 1), key=lambda count: cells[count])])


def any_of(masks: Sequence[Mask], n_rows: int) -> Mask:
    """The rows that are in one of the masks."""
    found: Mask = np.logical_or.reduce([np.zeros(n_rows, dtype=np.bool_), *masks])
    return found


def _column_gaps(table: Table, name: Hashable, gone: Mask) -> ColumnGaps:
    infinite = 0 if name in table.texts else int(np.isinf(table.column(name)[gone].astype(np.float64)).sum())
    return ColumnGaps(int(gone.sum()) - infinite, infinite, int(gone.argmax()))


def _patterns(names: Sequence[Hashable], masks: Mapping[Hashable, Mask]) -> dict[bytes, int]:
    """Which columns rows lack, one bit for each column, and how many rows lack just these."""
    incomplete = np.flatnonzero(np.logical_or.reduce(list(masks.values())))
    bits = np.zeros((len(incomplete), -(-len(names) // 8)), dtype=np.uint8)
    for position, name in enumerate(names):
        if name in masks:
            bits[:, position // 8] |= masks[name][incomplete].astype(np.uint8) << (position % 8)
    found, counts = np.unique(bits.view(f"V{bits.shape[1]}").ravel(), return_counts=True)
    return dict(zip((pattern.tobytes() for pattern in found), counts.tolist(), strict=True))


def _as_arrays(patterns: Mapping[bytes, int]) -> tuple[Bits, NDArray[np.int64]]:
    """The bits of each pattern, and how many rows have it."""
    bits = np.frombuffer(b"".join(patterns), dtype=np.uint8).reshape(len(patterns), -1)
    return bits, np.array(list(patterns.values()), dtype=np.int64)

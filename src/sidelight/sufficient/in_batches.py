"""Sufficient statistics of tables that are not in memory: each takes one pass over their rows, batch by batch.

What they summarise is the same as in memory. Sums are added up in another order, so that correlations agree with those
of a table in memory to about twelve digits; counts are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sidelight.data.coding import Coded, as_read
from sidelight.data.rows import Weights, are_fractional
from sidelight.data.scratch import empty
from sidelight.data.table import Table
from sidelight.data.texts import Texts
from sidelight.errors import InputError
from sidelight.sufficient.correlation import Moments, MomentSums, provisional_mean
from sidelight.sufficient.distinct import DistinctRows

Tick = Callable[[], None]
Step = Callable[[Table], Table]
SHARE_OF_CODES = 2  # a half of the memory may hold codes, or merged rows
SMALL_RANGE = 1 << 12


@dataclass(frozen=True)
class AllRows:
    """All rows of a table that is looked at in part.

    ``read`` begins a pass over them. ``summed`` are the moments of some columns, where a pass has found them already.
    ``weights`` is a column that says, multiplied by ``scale``, how many rows a row counts as, ``n_samples`` together.
    """

    read: Callable[[], Iterator[Table]]
    n_rows: int
    memory: int | None
    summed: Moments | None = None
    summed_names: tuple[Hashable, ...] = ()
    weights: Hashable | None = None
    scale: float = 1.0
    n_samples: float = 0.0

    def then(self, step: Step) -> AllRows:
        """The rows after a step that takes each batch for itself; moments of columns are not changed by it."""
        before = self.read
        return replace(self, read=lambda: map(step, before()))

    def tables(self) -> Iterator[tuple[Table, Weights | None]]:
        """The batches, with the weights of their rows; rows without weight are left out."""
        for table in self.read():
            if self.weights is None:
                yield table, None
                continue
            weights = np.asarray(table.column(self.weights), dtype=np.float64)
            variables = table.part(name for name in table.all_names if name != self.weights)
            yield variables.rows(weights > 0), self.scale * weights[weights > 0]

    def complete(self, n_complete: int) -> AllRows:
        """The rows without missing or infinite values, of which there are so many."""
        if n_complete == self.n_rows:
            return self
        kept = self.then(lambda table: table.rows(table.complete_rows()))
        return replace(kept, summed=None, n_samples=float(n_complete))

    def count(self) -> tuple[int, float, float, bool]:
        """The number of rows, the sums of their weights and of their squares, and whether all weights are whole."""
        n_rows, total, squares, whole = 0, 0.0, 0.0, True
        for table, weights in self.tables():
            n_rows += table.n_rows
            if weights is not None:
                total, squares = total + float(weights.sum()), squares + float(weights @ weights)
                whole = whole and not are_fractional(weights)
        return n_rows, total, squares, whole

    def moments(self, names: Sequence[Hashable], tick: Tick) -> Moments:
        """Of columns of numbers."""
        if self.summed is not None and set(names) <= set(self.summed_names):
            return _part_of(self.summed, [self.summed_names.index(name) for name in names])
        sums: MomentSums | None = None
        for table, weights in self.tables():
            if not table.n_rows:
                continue
            values = _columns(table, names)
            sums = sums or MomentSums(provisional_mean(values))
            sums.add(values, weights)
            tick()
        return (sums or MomentSums(np.zeros(len(names)))).moments()

    def coded(self, like: Coded, tick: Tick) -> tuple[Coded, Weights | None]:
        """All columns coded as in a table with the same categories; equal rows are one with a weight, if that pays."""
        merged = self._merged(like, tick)
        if merged is not None:
            return merged
        kind = like.codes.dtype
        codes = empty((self.n_rows, len(like.names)), kind, self._most(SHARE_OF_CODES))
        weights = None if self.weights is None else empty((self.n_rows,), np.float64, self._most(SHARE_OF_CODES))
        row = 0
        for table, counts in self.tables():
            codes[row : row + table.n_rows] = codes_of(table, like)
            if weights is not None:
                weights[row : row + table.n_rows] = counts
            row += table.n_rows
            tick()
        return replace(like, codes=codes[:row]), None if weights is None else weights[:row]

    def _merged(self, like: Coded, tick: Tick) -> tuple[Coded, Weights | None] | None:
        """The different rows with their numbers; None where these are not much fewer."""
        rows = DistinctRows(like.n_categories, self._most(SHARE_OF_CODES))
        for table, weights in self.tables():
            rows.add(codes_of(table, like), weights)
            if rows.are_many:
                return None
            tick()
        found = rows.finished()
        return None if found is None else (replace(like, codes=found[0].astype(like.codes.dtype)), found[1])

    def in_files(self, names: Sequence[Hashable], like: Coded, tick: Tick) -> tuple[Table, Weights | None]:
        """The columns as numbers or codes, in an array that is in a file unless it fits into memory."""
        values = empty((self.n_rows, len(names)), np.float64, self._most(SHARE_OF_CODES))
        weights = None if self.weights is None else np.empty(self.n_rows)
        row, coded = 0, {name: i for i, name in enumerate(like.names)}
        for table, counts in self.tables():
            codes = codes_of(table, like)
            for i, name in enumerate(names):
                column = codes[:, coded[name]] if name in coded else table.column(name)
                values[row : row + table.n_rows, i] = column
            if weights is not None and counts is not None:
                weights[row : row + table.n_rows] = counts
            row += table.n_rows
            tick()
        kinds = dict.fromkeys(names, "float") | dict.fromkeys(like.names, "integer")
        table = Table(tuple(names), values[:row], {}, {name: kinds[name] for name in names})  # type: ignore[misc]
        return table, None if weights is None else weights[:row]

    def _most(self, share: int) -> int | None:
        return None if self.memory is None else self.memory // share


def _part_of(found: Moments, places: Sequence[int]) -> Moments:
    if list(places) == list(range(len(found.means))):
        return found
    at = np.array(places, dtype=np.int64)
    parts = {name: getattr(found, name)[at] for name in ("means", "variances", "extremes")}
    return replace(found, **parts, correlations=np.ascontiguousarray(found.correlations[np.ix_(at, at)]))


def _columns(table: Table, names: Sequence[Hashable]) -> NDArray[np.generic]:
    if tuple(names) == table.names:
        return table.values
    return table.values[:, [table.names.index(name) for name in names]]


# Codes of a batch, by the categories of the whole table.


def codes_of(table: Table, like: Coded) -> NDArray[np.integer]:
    """The columns of ``like``, coded as there."""
    codes = np.empty((table.n_rows, len(like.names)), dtype=like.codes.dtype, order="F")
    for i, (name, categories) in enumerate(zip(like.names, like.categories, strict=True)):
        column = as_read(table, name)
        found = _text_codes(column, categories) if isinstance(column, Texts) else _number_codes(column, categories)
        if (found < 0).any():
            raise InputError(f"column {str(name)!r} has a value that it had not when the table was read first")
        codes[:, i] = found
    return codes


def _text_codes(texts: Texts, categories: Sequence[object]) -> NDArray[np.integer]:
    rank: Mapping[object, int] = {category: code for code, category in enumerate(categories)}
    return texts.mapped(lambda value: rank.get(str(value), -1), -1, np.dtype(np.int32))


def _number_codes(column: NDArray[np.generic], categories: Sequence[object]) -> NDArray[np.integer]:
    known = np.array(categories, dtype=np.float64)
    wide = np.asarray(column, dtype=np.float64)
    if len(known) and (known == np.floor(known)).all() and known[-1] - known[0] < SMALL_RANGE:
        code = np.full(int(known[-1] - known[0]) + 2, -1, dtype=np.int32)  # the last one is for what is outside
        code[(known - known[0]).astype(np.int64)] = np.arange(len(known))
        place = np.clip(wide - known[0], -1, len(code) - 1)
        whole: NDArray[np.integer] = code[place.astype(np.int64)]
        return whole
    found = np.minimum(np.searchsorted(known, wide), max(0, len(known) - 1))
    return np.where(known[found] == wide, found, -1) if len(known) else np.full(len(wide), -1)

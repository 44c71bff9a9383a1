"""Sufficient statistics of tables that are not in memory: each takes one pass over their rows, batch by batch.

What they summarise is the same as in memory. Sums are added up in another order, so that correlations agree with those
of a table in memory to about twelve digits; counts are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.families.discrete.distinct import DistinctRows, HardlyRepeatedError
from sidelight.families.discrete.marginal_tables import RowsHere
from sidelight.families.discrete.rows_elsewhere import Kept, RowsElsewhere
from sidelight.families.gaussian.correlation import Moments, MomentSums, n_whole, provisional_mean
from sidelight.files.scratch import empty
from sidelight.tables.coding import Coded
from sidelight.tables.rows import Weights, are_fractional, weights_in
from sidelight.tables.strings import Texts
from sidelight.tables.table import Kind, Table

Tick = Callable[..., None]  # with the number of rows
Step = Callable[[Table], Table]
Work = Callable[[Iterator[Table]], Any]
Run = Callable[[Work, Tick], Iterator[Any]]  # from work on tables, and what counts them
Keep = Callable[[Work, Tick], Kept]  # the same, where results stay with the workers


class Adding(Protocol):
    """What rows can be added to, and what was made of other rows."""

    def add(self, table: Table, weights: Weights | None) -> None:
        """Add the rows of a batch."""
        ...

    def join(self, later: Any) -> None:
        """Add what was made of rows that come after these."""
        ...

    def settle(self) -> None:
        """All rows of a part were added: make what is left of them small."""
        ...


Reduction = TypeVar("Reduction", bound=Adding)
SHARE_OF_CODES = 2  # a half of the memory may hold codes, or merged rows
SMALL_RANGE = 1 << 12
BROUGHT_HERE = 50_000_000  # bytes of codes; with more, workers of a cluster keep their own, and count


class AllCoded(NamedTuple):
    """Coded columns of all rows, with weights; or their categories only, and the rows where they are."""

    coded: Coded
    weights: Weights | None
    elsewhere: RowsElsewhere | None = None


@dataclass(frozen=True)
class AllRows:
    """All rows of a table that is looked at in part.

    ``run`` makes a pass over them: it hands tables to some work, here or on several machines, and gives what comes of
    it, in the order of the rows. ``summed`` are the moments of some columns, where a pass has found them already.
    ``weights`` is a column that says, multiplied by ``scale``, how many rows a row counts as, ``n_samples`` together.
    """

    run: Run
    n_rows: int
    memory: int | None
    summed: Moments | None = None
    summed_names: tuple[Hashable, ...] = ()
    weights: Hashable | None = None
    scale: float = 1.0
    n_samples: float = 0.0
    keep: Keep | None = None  # on a cluster

    def then(self, step: Step) -> AllRows:
        """The rows after a step that takes each batch for itself; moments of columns are not changed by it."""
        run, keep = self.run, self.keep

        def stepping(work: Work) -> Work:
            return lambda tables: work(map(step, tables))

        kept = None if keep is None else lambda work, tick: keep(stepping(work), tick)
        return replace(self, run=lambda work, tick: run(stepping(work), tick), keep=kept)

    def each(self, function: Callable[[Table, Weights | None], Any], tick: Tick) -> Iterator[Any]:
        """A function of each batch and the weights of its rows; rows without weight are left out."""
        weights, scale = self.weights, self.scale  # not all of this value is sent to where the work is done
        parts = self.run(
            lambda tables: (function(*_with_weights(table, weights, scale)) for table in tables if table.n_rows), tick
        )
        for part in parts:
            yield from part

    def reduced(self, make: Callable[[], Reduction], tick: Tick) -> Reduction:
        """What is left of all rows, reduced where they are."""
        weights, scale = self.weights, self.scale
        total = make()
        for part in self.run(lambda tables: _folded(make(), tables, weights, scale), tick):
            if isinstance(part, HardlyRepeatedError):
                raise part
            total.join(part)
        return total

    def complete(self, n_complete: int) -> AllRows:
        """The rows without missing or infinite values, of which there are so many."""
        if n_complete == self.n_rows:
            return self
        kept = self.then(lambda table: table.rows(table.complete_rows()))
        return replace(kept, summed=None, n_samples=float(n_complete))

    def weighed(self) -> AllRows:
        """The rows with weights that count rows: whole ones as they are, others by Kish's effective sample size."""
        found = [*self.each(_about_weights, lambda count=1: None)]
        total, squares = sum(part[0] for part in found), sum(part[1] for part in found)
        scale = total / squares if squares and any(fractional for *_, fractional in found) else 1.0
        return replace(self, scale=scale, n_samples=scale * total)

    def moments(self, names: Sequence[Hashable], tick: Tick) -> Moments:
        """Of columns of numbers."""
        if self.summed is not None and set(names) <= set(self.summed_names):
            return _part_of(self.summed, [self.summed_names.index(name) for name in names])
        return self.reduced(partial(ColumnSums, tuple(names)), tick).moments()

    def coded(self, like: Coded, tick: Tick) -> AllCoded:
        """All columns coded as in a table with the same categories; equal rows are one with a weight, if that pays."""
        like = replace(like, codes=like.codes[:0])  # rows are not sent to where the work is done
        with suppress(HardlyRepeatedError):
            codes, counts = self.reduced(partial(_Merged, like, self._most(SHARE_OF_CODES)), tick).finished()
            return AllCoded(replace(like, codes=codes.astype(like.codes.dtype)), counts)
        n_bytes = self.n_rows * len(like.names) * like.codes.itemsize
        if self.keep is not None and n_bytes > BROUGHT_HERE and self.scale == 1:  # fractions are not added in groups
            weights, scale = self.weights, self.scale
            parts = self.keep(lambda tables: _coded_rows(tables, like, weights, scale), tick)
            return AllCoded(like, None, RowsElsewhere(parts, like.n_categories, n_whole(self.n_samples)))
        codes, stored_weights = self._stored(partial(codes_of, like=like), len(like.names), like.codes.dtype, tick)
        return AllCoded(replace(like, codes=codes), stored_weights)

    def in_files(self, names: Sequence[Hashable], like: Coded, tick: Tick) -> tuple[Table, Weights | None]:
        """The columns as numbers or codes, in an array that is in a file unless it fits into memory."""
        like = replace(like, codes=like.codes[:0])
        numbers = partial(_as_numbers, names=names, like=like)
        values, weights = self._stored(numbers, len(names), np.dtype(np.float64), tick)
        kinds: dict[Hashable, Kind] = {name: "integer" if name in like.names else "float" for name in names}
        return Table(tuple(names), values, {}, kinds), weights

    def _stored(
        self, function: Callable[[Table], NDArray[Any]], n_columns: int, dtype: np.dtype[Any], tick: Tick
    ) -> tuple[NDArray[Any], Weights | None]:
        """What a function makes of each batch, as one array, and the weights; in a file unless it fits into memory."""
        array = empty((self.n_rows, n_columns), dtype, self._most(SHARE_OF_CODES))
        row, counted = 0, []
        for part, weights in self.each(lambda table, weights: (function(table), weights), tick):
            array[row : row + len(part)] = part
            counted.append(weights)
            row += len(part)
        return array[:row], None if self.weights is None else np.concatenate(counted)

    def _most(self, share: int) -> int | None:
        return None if self.memory is None else self.memory // share


def _with_weights(table: Table, weights: Hashable | None, scale: float) -> tuple[Table, Weights | None]:
    if weights is None:
        return table, None
    counts = weights_in(table, weights)
    variables = table.part(name for name in table.all_names if name != weights)
    return variables.rows(counts > 0), scale * counts[counts > 0]


def _coded_rows(tables: Iterator[Table], like: Coded, weights: Hashable | None, scale: float) -> RowsHere:
    """All rows of a part as codes."""
    codes, counts = [np.empty((0, len(like.names)), dtype=like.codes.dtype)], [np.empty(0)]
    for table in tables:
        variables, weight = _with_weights(table, weights, scale)
        codes.append(codes_of(variables, like))
        counts += [] if weight is None else [weight]
    return RowsHere(np.concatenate(codes), like.n_categories, None if weights is None else np.concatenate(counts))


def _about_weights(table: Table, weights: Weights | None) -> tuple[float, float, bool]:
    """Their sum, that of their squares, and whether they are fractional."""
    assert weights is not None
    return float(weights.sum()), float(weights @ weights), are_fractional(weights)


def _folded(
    total: Reduction, tables: Iterator[Table], weights: Hashable | None, scale: float
) -> Reduction | HardlyRepeatedError:
    """What is left of a part's rows; that merging does not pay is no error for a worker to report."""
    try:
        for table in tables:
            if table.n_rows:
                total.add(*_with_weights(table, weights, scale))
        total.settle()
    except HardlyRepeatedError as error:
        return error
    return total


class ColumnSums:
    """The sums that moments of some columns follow from; all columns of numbers, if none are named."""

    def __init__(self, names: tuple[Hashable, ...] | None = None) -> None:
        self.names = names
        self._sums: MomentSums | None = None

    def add(self, table: Table, weights: Weights | None) -> None:
        """Add the rows of a batch."""
        self.names = table.names if self.names is None else self.names
        values = _columns(table, self.names)
        self._sums = self._sums or MomentSums(provisional_mean(values))
        self._sums.add(values, weights)

    def join(self, later: ColumnSums) -> None:
        """Add the sums over other rows."""
        self.names = later.names if self.names is None else self.names
        if self._sums is None:
            self._sums = later._sums
        elif later._sums is not None:
            self._sums.join(later._sums)

    def settle(self) -> None:
        """Sums are small."""

    def moments(self) -> Moments:
        """The moments of all rows."""
        return (self._sums or MomentSums(np.zeros(len(self.names or ())))).moments()


class _Merged:
    """The different rows of a table, coded."""

    def __init__(self, like: Coded, memory: int | None) -> None:
        self._like, self._rows = like, DistinctRows(like.n_categories, memory)

    def add(self, table: Table, weights: Weights | None) -> None:
        self._rows.add(codes_of(table, self._like), weights)

    def join(self, later: _Merged) -> None:
        self._rows.join(later._rows)

    def settle(self) -> None:
        self._rows.merge()

    def finished(self) -> tuple[NDArray[np.integer], Weights]:
        return self._rows.finished()


def _as_numbers(table: Table, names: Sequence[Hashable], like: Coded) -> NDArray[np.float64]:
    codes, place = codes_of(table, like), {name: i for i, name in enumerate(like.names)}
    columns = [codes[:, place[name]] if name in place else table.column(name) for name in names]
    return np.column_stack(columns).astype(np.float64)


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
        column = table.cells(name)
        found = _text_codes(column, categories) if isinstance(column, Texts) else _number_codes(column, categories)
        if (found < 0).any():
            raise InputError(f"column {str(name)!r} has a value that was not there when the table was first read")
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

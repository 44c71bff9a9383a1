"""One pass over a table that is not looked at as a whole: what is known of all rows, and some rows that tell the rest.

The rows that are kept are evenly spaced, and beside them those without which something would be missed: the first rows,
the extremes of each column, its first gap and fraction, and a row for each of its different values while these are few.
So a column has the same categories, extremes and kind of numbers in what is kept as in the whole table.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sidelight.tables.all_rows import Batch, Fold
from sidelight.tables.gaps import Gaps, any_of
from sidelight.tables.reading import common_kind, joined
from sidelight.tables.strings import Texts
from sidelight.tables.table import HEAD, Kind, Mask, Origin, Table, all_whole

FIRST_ROWS = 5_000  # are kept together: they show whether rows that follow each other are alike
EVEN_ROWS, EVEN_CELLS, FEWEST_EVEN = 20_000, 2_000_000, 2_000  # evenly spaced ones, if there are so many
MOST_VALUES = 600  # of a column, that are told apart
SMALL_RANGE = 1 << 12  # whole numbers so close together are counted instead of sorted
LOW, HIGH, GAP, FRACTION = "low", "high", "gap", "fraction"  # what a row tells of a column of numbers
Key = tuple[Hashable, object]  # a column, and one of these, or a value in a tuple
Numbers = NDArray[np.float64]


@dataclass
class ColumnSurvey:
    """What is known of all rows of a column; ``values`` is None once they are too many."""

    kinds: set[Kind] = field(default_factory=set)
    low: float = np.inf
    high: float = -np.inf
    is_whole: bool = True
    values: set[object] | None = field(default_factory=set)


@dataclass(frozen=True)
class _Piece:
    """Some rows of a table that begins at ``start`` in the whole: their positions in it, and the rows."""

    start: int
    index: NDArray[np.int64]
    table: Table

    def every(self, stride: int) -> _Piece:
        kept = self.index % stride == 0
        return self if kept.all() else _Piece(self.start, self.index[kept], self.table.rows(kept))

    def later_by(self, n_rows: int) -> _Piece:
        return replace(self, start=self.start + n_rows)


class Survey(Fold):
    """What was seen of a table so far.

    ``most_values`` says of how many values of a column of numbers the rows are kept. Gaps of ``ignored`` columns do not
    count. With ``complete`` only rows without gaps tell something, since the others will be left out.
    """

    def __init__(
        self,
        most_values: Callable[[Hashable], int] = lambda name: MOST_VALUES,
        ignored: frozenset[Hashable] = frozenset(),
        complete: bool = False,
    ) -> None:
        self.most_values, self._ignored, self._only_complete = most_values, ignored, complete
        self.n_rows, self.gaps = 0, Gaps()
        self.columns: dict[Hashable, ColumnSurvey] = {}
        self._stride, self._n_even = 1, 0
        self._first: list[_Piece] = []
        self._even: list[_Piece] = []
        self._telling: dict[Key, int] = {}
        self._rows: dict[int, _Piece] = {}  # those that tell something

    def add(self, batch: Batch) -> None:
        table = batch.table
        for name in table.all_names:  # in the order of the table
            self.columns.setdefault(name, ColumnSurvey())
        gaps, masks = Gaps.of(table, self._ignored), table.gap_masks()
        telling: dict[Key, int] = {
            (name, GAP): found.first_row for name, found in gaps.by_column.items() if name not in self.gaps.by_column
        }
        counting = [gone for name, gone in masks.items() if name not in self._ignored]
        incomplete = any_of(counting, table.n_rows) if counting and self._only_complete else None
        for name in table.all_names:
            telling |= self._told_by(table, name, masks.get(name) if incomplete is None else incomplete)
        self._keep(table, telling)
        self.gaps.merge(gaps)
        self.n_rows += table.n_rows

    def _told_by(self, table: Table, name: Hashable, hidden: Mask | None) -> dict[Key, int]:
        """The rows that tell something new of a column, apart from those that are hidden."""
        column = self.columns[name]
        places = None if hidden is None else np.flatnonzero(~hidden)
        if places is not None and not len(places):
            return {}  # nothing says what kind of values it has
        column.kinds.add(table.kinds[name])
        if name in table.texts:
            texts = table.texts[name] if places is None else table.texts[name].rows(places)
            told = _told_by_texts(texts, name, column)
        else:
            numbers = np.asarray(table.column(name), dtype=np.float64)
            numbers = numbers if places is None else numbers[places]
            told = _told_by_numbers(numbers, name, column, self.most_values(name))
        return told if places is None else {key: int(places[row]) for key, row in told.items()}

    def _keep(self, table: Table, telling: dict[Key, int]) -> None:
        if self.n_rows < FIRST_ROWS:
            index = np.arange(min(table.n_rows, FIRST_ROWS - self.n_rows))
            self._first.append(_Piece(self.n_rows, index, table.rows(index)))
        offset = -self.n_rows % self._stride
        index = np.arange(offset, table.n_rows, self._stride)
        self._add_even(_Piece(0, self.n_rows + index, table.rows(index)))
        for row in set(telling.values()):
            self._rows[self.n_rows + row] = _Piece(self.n_rows, np.array([row]), table.rows(np.array([row])))
        self._telling.update({key: self.n_rows + row for key, row in telling.items()})
        if len(self._rows) > 2 * len(self._telling) + 100:
            self._forget()

    def _add_even(self, piece: _Piece) -> None:
        self._even.append(piece)
        self._n_even += len(piece.index)
        while self._n_even > 2 * self._most_even():
            self._stride *= 2
            self._even = [piece.every(self._stride) for piece in self._even]
            self._n_even = sum(len(piece.index) for piece in self._even)

    def _most_even(self) -> int:
        """How many even rows there may be: fewer of many columns."""
        return max(FEWEST_EVEN, min(EVEN_ROWS, EVEN_CELLS // max(1, len(self.columns))))

    def _forget(self) -> None:
        """Rows that were extremes, before there were others."""
        needed = set(self._telling.values())
        self._rows = {row: piece for row, piece in self._rows.items() if row in needed}

    def merge(self, later: Survey) -> None:
        for key, row in later._telling.items():
            before = self.columns.get(key[0], ColumnSurvey())
            if key not in self._telling or _is_better(key, later.columns[key[0]], before):
                self._telling[key] = self.n_rows + row
                self._rows[self.n_rows + row] = later._rows[row].later_by(self.n_rows)
        for name, other in later.columns.items():
            column = self.columns.setdefault(name, ColumnSurvey())
            _join_columns(column, other, self.most_values(name))
        if self.n_rows < FIRST_ROWS:
            self._first += [piece.later_by(self.n_rows) for piece in later._first]
        self._stride = stride = max(self._stride, later._stride)
        self._even = [piece.every(stride) for piece in self._even]
        self._n_even = sum(len(piece.index) for piece in self._even)
        for piece in later._even:
            self._add_even(piece.every(self._stride).later_by(self.n_rows))
        self.gaps.merge(later.gaps)
        self.n_rows += later.n_rows

    @property
    def disagreeing(self) -> set[Hashable]:
        """Columns that are numbers, or dates, in one batch and something else in another."""
        return {name for name, column in self.columns.items() if len({_storage(kind) for kind in column.kinds}) > 1}

    def table(self) -> Table:
        """The rows that were kept, in their order, with their places in the whole."""
        self._forget()
        pieces = [*self._even, *self._first, *(self._rows[row] for row in sorted(self._rows))]
        places = np.concatenate([piece.start + piece.index for piece in pieces])
        n_even = sum(len(piece.index) for piece in self._even)
        even = np.arange(len(places)) < n_even
        names = list(self.columns)
        table, _ = joined(iter([piece.table for piece in pieces]), names, lambda: len(places))
        order = np.lexsort((~even, places))  # of the same row, the one that counts as even first
        order = order[np.unique(places[order], return_index=True)[1]]
        kinds = {name: common_kind(self.columns[name].kinds) for name in names}
        return replace(table.rows(order), kinds=kinds, origin=Origin(places[order], self.n_rows, even[order]))


def _storage(kind: Kind) -> str:
    """Numbers and booleans are kept as numbers, strings and dates each in another way."""
    return kind if kind in ("text", "date") else "number"


def _told_by_numbers(there: Numbers, name: Hashable, column: ColumnSurvey, most_values: int) -> dict[Key, int]:
    """The rows that tell something new of a column, whose record is brought up to date."""
    if not len(there):
        return {}
    told: dict[Key, int] = {}
    low, high = float(there.min()), float(there.max())
    if low < column.low:
        column.low = low
        told[name, LOW] = int(there.argmin())
    if high > column.high:
        column.high = high
        told[name, HIGH] = int(there.argmax())
    if column.is_whole and not all_whole(there):
        column.is_whole = False
        told[name, FRACTION] = int((there != np.floor(there)).argmax())
    if column.values is not None:
        new = _take_new(column, _few_values(there, column.is_whole, low, high, most_values), most_values)
        told |= {(name, (value,)): int((there == value).argmax()) for value in new}
    return told


def _told_by_texts(texts: Texts, name: Hashable, column: ColumnSurvey) -> dict[Key, int]:
    """The same of a column of texts."""
    if column.values is None:
        return {}
    new = _take_new(column, list(texts.different), MOST_VALUES)
    return {(name, (value,)): texts.first(value) for value in new}


def _take_new(column: ColumnSurvey, found: list[object], most_values: int) -> list[object]:
    """The values that are new, as far as they are told apart; the column's record is brought up to date."""
    assert column.values is not None
    new = [value for value in found if value not in column.values][: most_values + 1 - len(column.values)]
    column.values |= set(new)
    if len(column.values) > most_values:
        column.values = None
    return new


def _few_values(there: Numbers, whole: bool, low: float, high: float, most: int) -> list[object]:
    """The different values, or more than ``most`` of them where they are many."""
    first = np.unique(there[:HEAD])
    if len(first) > most:
        values: list[object] = first.tolist()
    elif whole and high - low < SMALL_RANGE:
        values = (low + np.flatnonzero(np.bincount((there - low).astype(np.int64)))).tolist()
    else:
        values = np.unique(there).tolist()
    return values


def _join_columns(column: ColumnSurvey, later: ColumnSurvey, most_values: int) -> None:
    column.kinds |= later.kinds
    column.low, column.high = min(column.low, later.low), max(column.high, later.high)
    column.is_whole &= later.is_whole
    several = None if column.values is None or later.values is None else column.values | later.values
    column.values = None if several is None or len(several) > most_values else several


def _is_better(key: Key, later: ColumnSurvey, before: ColumnSurvey) -> bool:
    """True for the row of an extreme that lies further out."""
    return (key[1] == LOW and later.low < before.low) or (key[1] == HIGH and later.high > before.high)

"""One table from several batches of rows, which need not agree in what a column is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.tables.reading import Float, float_type
from sidelight.tables.strings import Texts
from sidelight.tables.strings import joined as joined_texts
from sidelight.tables.table import Kind, Table


def joined(
    batches: Iterator[Table], names: Sequence[Hashable], count_rows: Callable[[], int | None]
) -> tuple[Table, frozenset[Hashable]]:
    """The rows of all batches, and the columns whose batches do not agree: numbers or dates in one, strings in another.

    One batch is the table. Several are written into one array as they come, so that no second one is in memory;
    ``count_rows`` gives their number or a little more, where that is known.
    """
    first, second = next(batches), next(batches, None)
    if second is None:
        return first, frozenset()
    rest: Iterable[Table] = _chained(first, second, batches)
    n_rows = count_rows()
    if n_rows is None:
        rest = list(rest)
        n_rows = sum(part.n_rows for part in rest)
    growing = _Growing(n_rows, len(names))
    for part in rest:
        growing.hold(float_type([part.values]))
        growing.add(part)
    return growing.table(names), growing.disagreeing


def _chained(first: Table, second: Table, rest: Iterator[Table]) -> Iterator[Table]:
    yield first
    yield second
    yield from rest


class _Growing:
    """A table in the making: its numbers in one array, which is larger than needed at first, and its strings."""

    def __init__(self, n_rows: int, n_columns: int) -> None:
        # Pages that are never written take no memory.
        self.values: NDArray[Any] = np.empty((n_rows, n_columns), np.float32, order="F")
        self.slots: dict[Hashable, int] = {}
        self.lengths: dict[Hashable, int] = {}
        self.texts: dict[Hashable, list[Texts]] = {}
        self.kinds: dict[Hashable, set[Kind]] = {}
        self.orders: dict[Hashable, tuple[object, ...]] = {}

    def hold(self, kind: Float) -> None:
        """Make room for numbers of this type."""
        if self.values.dtype == kind or self.values.dtype == np.float64:
            return
        before, n_rows = self.values, max(self.lengths.values(), default=0)
        self.values = np.empty(before.shape, kind, order="F")
        self.values[:n_rows] = before[:n_rows]

    def add(self, part: Table) -> None:
        """Append the columns of a part to those that were there before; one without values says nothing of its kind."""
        for name, column in zip(part.names, part.values.T, strict=True):
            if name in self.texts and np.isnan(column).all():
                self.texts[name].append(Texts.missing_only(len(column)))
            else:
                self._append(name, column)
                self._note(name, part.kinds[name])
        for name, texts in part.texts.items():
            if name in self.lengths and texts.is_empty:
                self._append(name, np.full(len(texts), np.nan))
                continue
            if name in self.lengths and np.isnan(self.values[: self.lengths[name], self.slots[name]]).all():
                self.texts[name] = [Texts.missing_only(self.lengths.pop(name))]
                self.kinds.pop(name)
            self.texts.setdefault(name, []).append(texts)
            if not texts.is_empty:
                self._note(name, part.kinds[name])
        self._keep_orders(part)

    def _append(self, name: Hashable, column: NDArray[Any]) -> None:
        start = self.lengths.get(name, 0)
        self.values[start : start + len(column), self.slots.setdefault(name, len(self.slots))] = column
        self.lengths[name] = start + len(column)

    def _note(self, name: Hashable, kind: Kind) -> None:
        self.kinds.setdefault(name, set()).add(kind)

    def _keep_orders(self, part: Table) -> None:
        for name, order in part.orders.items():  # a part may have the categories of its own rows alone
            known = self.orders.get(name, ())
            self.orders[name] = order if set(order) >= set(known) else tuple(dict.fromkeys((*known, *order)))

    @property
    def disagreeing(self) -> frozenset[Hashable]:
        """Columns that must be read again as strings."""
        dates = {name for name, kinds in self.kinds.items() if kinds > {"date"}}
        return frozenset(dates | (self.lengths.keys() & self.texts.keys()))

    def table(self, names: Sequence[Hashable]) -> Table:
        """What has been added, the columns in this order."""
        numbers = tuple(name for name in names if name in self.lengths and name not in self.texts)
        slots = [self.slots[name] for name in numbers]
        texts = {name: joined_texts(self.texts[name]) for name in names if name in self.texts}
        n_rows = max((*self.lengths.values(), *map(len, texts.values())), default=0)
        in_order = slots == list(range(len(slots)))
        values = self.values[:n_rows, : len(slots)] if in_order else self.values[:n_rows, slots]
        kinds = {name: common_kind(self.kinds.get(name, {"text" if name in texts else "float"})) for name in names}
        return Table(numbers, values, texts, kinds, self.orders)


def common_kind(kinds: Collection[Kind]) -> Kind:
    """The kind of a column whose parts have these."""
    if len(kinds) < 2:
        return next(iter(kinds), "float")
    return "float" if set(kinds) == {"integer", "float"} else "text"

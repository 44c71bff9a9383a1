"""One table from its parts: some rows of all columns each, or all rows of some columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.tables.cells import float_type
from sidelight.tables.strings import Texts
from sidelight.tables.strings import joined as joined_texts
from sidelight.tables.table import Kind, Table


def joined(parts: Iterable[Table], names: Sequence[Hashable], n_rows: int) -> tuple[Table, frozenset[Hashable]]:
    """The table with these columns of at most so many rows, and those that are numbers in one part and not in another.

    The parts are written into one array as they come, so that no second one is in memory.
    """
    growing = _Growing(n_rows, len(names))
    for part in parts:
        growing.hold(float_type([part.values]))
        growing.add(part)
    return growing.table(names), frozenset(growing.slots.keys() & growing.texts.keys())


class _Growing:
    """A table in the making: its numbers in one array, which is larger than needed at first, and its texts."""

    def __init__(self, n_rows: int, n_columns: int) -> None:
        # Pages that are never written take no memory.
        self.values: NDArray[Any] = np.empty((n_rows, n_columns), np.float32, order="F")
        self.slots: dict[Hashable, int] = {}
        self.lengths: dict[Hashable, int] = {}
        self.texts: dict[Hashable, list[Texts]] = {}
        self.kinds: dict[Hashable, set[Kind]] = {}
        self.orders: dict[Hashable, tuple[object, ...]] = {}

    def hold(self, kind: type[np.floating[Any]]) -> None:
        """Make room for numbers of this type."""
        if self.values.dtype == kind or self.values.dtype == np.float64:
            return
        before, n_rows = self.values, max(self.lengths.values(), default=0)
        self.values = np.empty(before.shape, kind, order="F")
        self.values[:n_rows] = before[:n_rows]

    def add(self, part: Table) -> None:
        """Append the columns of a part to those that were there before."""
        for name, column in zip(part.names, part.values.T, strict=True):
            start = self.lengths.get(name, 0)
            self.values[start : start + len(column), self.slots.setdefault(name, len(self.slots))] = column
            self.lengths[name] = start + len(column)
        for name, texts in part.texts.items():
            self.texts.setdefault(name, []).append(texts)
        for name, kind in part.kinds.items():
            self.kinds.setdefault(name, set()).add(kind)
        for name, order in part.orders.items():  # a part may have the categories of its own rows alone
            known = self.orders.get(name, ())
            self.orders[name] = order if set(order) >= set(known) else tuple(dict.fromkeys((*known, *order)))

    def table(self, names: Sequence[Hashable]) -> Table:
        """What has been added, the columns in this order."""
        numbers = tuple(name for name in names if name in self.slots and name not in self.texts)
        slots = [self.slots[name] for name in numbers]
        texts = {name: joined_texts(self.texts[name]) for name in names if name in self.texts}
        n_rows = max((*self.lengths.values(), *map(len, texts.values())), default=0)
        in_order = slots == list(range(len(slots)))
        values = self.values[:n_rows, : len(slots)] if in_order else self.values[:n_rows, slots]
        kinds = {name: common_kind(self.kinds[name]) for name in names}
        return Table(numbers, values, texts, kinds, self.orders)


def common_kind(kinds: set[Kind]) -> Kind:
    """The kind of a column whose parts have these."""
    if len(kinds) < 2:
        return next(iter(kinds), "float")
    return "float" if kinds == {"integer", "float"} else "text"

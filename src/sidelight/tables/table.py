"""Tables inside the library: named columns of numbers, and columns that are not numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.graphs.names import hint_at_names
from sidelight.tables.strings import Texts
from sidelight.text.message import Message, Option, OptionName
from sidelight.text.sentences import listed

Kind = Literal["float", "integer", "boolean", "text", "date"]
KINDS_BY_DTYPE: dict[str, Kind] = {
    "f": "float",
    "i": "integer",
    "u": "integer",
    "b": "boolean",
    "M": "date",
    "m": "date",
}


@dataclass(frozen=True)
class Origin:
    """The positions of rows in a larger table, and which of them are evenly spaced, and so represent all of it."""

    places: NDArray[np.int64]
    n_rows: int
    is_even: NDArray[np.bool_]

    def part(self, index: NDArray[np.generic]) -> Origin:
        """Of some of the rows."""
        return Origin(self.places[index], self.n_rows, self.is_even[index])


@dataclass(frozen=True)
class Table:
    """The numeric columns as one array, rows by columns, and the other columns by name.

    ``orders`` has the categories of columns that a data frame says are ordered, from the lowest to the highest.
    ``origin`` says which rows of a larger table these are, if they are only some of its rows.
    """

    names: tuple[Hashable, ...]
    values: NDArray[np.generic]
    texts: Mapping[Hashable, Texts] = field(default_factory=dict)
    kinds: Mapping[Hashable, Kind] = field(default_factory=dict)
    orders: Mapping[Hashable, tuple[object, ...]] = field(default_factory=dict)
    origin: Origin | None = None

    @staticmethod
    def of_array(names: tuple[Hashable, ...], values: NDArray[np.generic]) -> Table:
        """A table of one type of number."""
        return Table(names, values, {}, dict.fromkeys(names, KINDS_BY_DTYPE[values.dtype.kind]))

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.values)

    def row_number(self, row: int) -> int:
        """What users call a row: its number, from 1 on, in the table that they have."""
        return 1 + (row if self.origin is None else int(self.origin.places[row]))

    @property
    def n_all(self) -> int:
        """The number of rows of the table that users have."""
        return self.n_rows if self.origin is None else self.origin.n_rows

    def even_rows(self) -> NDArray[np.generic]:
        """The numbers of rows that represent the whole table: all, or those that are evenly spaced."""
        return self.values if self.origin is None else self.values[self.origin.is_even]

    @property
    def all_names(self) -> tuple[Hashable, ...]:
        """All columns, numeric or not, in the table's order."""
        return tuple(self.kinds)

    @cached_property
    def _position(self) -> dict[Hashable, int]:
        """Where each numeric column is: among many, looking through the names takes long."""
        return {name: i for i, name in enumerate(self.names)}

    def column(self, name: Hashable) -> NDArray[np.generic]:
        """One column's values, numeric or not."""
        if name in self.texts:
            return self.texts[name].objects()
        return self.values[:, self._position[name]]

    def cells(self, name: Hashable) -> Texts | NDArray[np.generic]:
        """One column as the table keeps it."""
        return self.texts[name] if name in self.texts else self.column(name)

    @cached_property
    def is_complete(self) -> bool:
        """True where no value is missing or infinite."""
        with np.errstate(all="ignore"):
            sums = self.values.sum(axis=0, dtype=np.float64)  # quicker than masks; a sum may overflow
        suspicious = np.flatnonzero(~np.isfinite(sums))
        finite = all(np.isfinite(self.values[:, i].astype(np.float64)).all() for i in suspicious)
        return finite and not any(texts.missing.any() for texts in self.texts.values())

    def complete_rows(self) -> NDArray[np.bool_]:
        """Which rows have no missing and no infinite value."""
        complete = np.ones(self.n_rows, dtype=np.bool_)
        if self.values.dtype.kind == "f":
            for column in self.values.T:  # one at a time: no second table of numbers
                complete &= np.isfinite(column.astype(np.float64))
        for texts in self.texts.values():
            complete &= ~texts.missing
        return complete

    def renamed(self, names: Mapping[Any, Hashable]) -> Table:
        """The same columns under other names."""
        if all(name == names[name] for name in self.kinds):
            return self
        return Table(
            tuple(names[name] for name in self.names),
            self.values,
            {names[name]: column for name, column in self.texts.items()},
            {names[name]: kind for name, kind in self.kinds.items()},
            {names[name]: order for name, order in self.orders.items()},
            self.origin,
        )

    def part(self, chosen: Iterable[Hashable]) -> Table:
        """The table with some of its columns."""
        kept = set(chosen)
        if len(kept) >= len(self.kinds) and kept.issuperset(self.kinds):
            return self
        positions = [i for i, name in enumerate(self.names) if name in kept]
        values = self.values if len(positions) == len(self.names) else self.values[:, positions]
        return Table(
            tuple(self.names[i] for i in positions),
            values,
            {name: column for name, column in self.texts.items() if name in kept},
            {name: kind for name, kind in self.kinds.items() if name in kept},
            {name: order for name, order in self.orders.items() if name in kept},
            self.origin,
        )

    def drawn(self, index: NDArray[np.integer] | NDArray[np.bool_]) -> Table:
        """The rows at these positions, each as often as its position is there; or those of a mask."""
        texts = {name: column.rows(index) for name, column in self.texts.items()}
        origin = None if self.origin is None else self.origin.part(index)
        return Table(self.names, self.values[index], texts, self.kinds, self.orders, origin)

    def rows(self, kept: NDArray[np.bool_]) -> Table:
        """The table with some of its rows."""
        return self.drawn(kept)


def chosen_columns(
    names: Sequence[Hashable], columns: Iterable[Hashable] | None, drop: Iterable[Hashable] | None
) -> list[Hashable]:
    """The columns to use: those named in ``columns`` (in the table's order), without those named in ``drop``."""
    wanted = set(names) if columns is None else set(existing_columns(names, columns, "columns"))
    unwanted = set() if drop is None else set(existing_columns(names, drop, "drop"))
    chosen = [name for name in names if name in wanted and name not in unwanted]
    if not chosen:
        raise InputError(Message("no column is left to learn from; see ", Option("columns"), " and ", Option("drop")))
    return chosen


def existing_columns(names: Sequence[Hashable], value: object, option: str) -> list[Hashable]:
    """The value of an option, one name or several, as a list; raises unless all of them are columns."""
    wanted = as_list(value)
    known = set(names)
    unknown = [name for name in wanted if not isinstance(name, Hashable) or name not in known]
    unknown = [name for i, name in enumerate(unknown) if name not in unknown[:i]]
    if unknown:
        which = (
            f"is no column {unknown[0]!r}" if len(unknown) == 1 else f"are no columns {listed(unknown, quoted=True)}"
        )
        raise InputError(Message(OptionName(option), f": there {which}{hint_at_names(unknown[0], names)}"))
    return wanted


def as_list(value: object) -> list[Any]:
    """The value of an option that takes one name, several or None, as a list."""
    if value is None:
        return []
    return [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)


def weights_column(weights: object) -> Hashable | None:
    """The column that weights are in; None where they are one number for each row, or there are none."""
    is_name = isinstance(weights, str) or not isinstance(weights, Iterable)
    return weights if is_name and isinstance(weights, Hashable) else None


def category_text(value: Any, kind: Kind) -> str:
    """A value as users write it: a whole number without a decimal point."""
    if kind == "boolean":
        return str(bool(value))
    is_whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value)) if is_whole else str(value)

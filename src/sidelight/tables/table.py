"""Tables inside the library: named columns of numbers, and columns that are not numbers."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.graphs.names import hint_at_names
from sidelight.tables.strings import Coded, Texts, as_in_data, code_columns, coded_column
from sidelight.text.message import Message, Option, OptionName
from sidelight.text.sentences import listed

Mask = NDArray[np.bool_]
Kind = Literal["float", "integer", "boolean", "text", "date"]
KINDS_BY_DTYPE: dict[str, Kind] = {
    "f": "float",
    "i": "integer",
    "u": "integer",
    "b": "boolean",
    "M": "date",
    "m": "date",
}
HEAD = 1_000  # rows


@dataclass(frozen=True)
class Origin:
    """The positions of rows in a larger table, and which of them are evenly spaced, and so represent all of it."""

    places: NDArray[np.int64]
    n_rows: int
    is_even: Mask

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

    def _lacks(self, name: Hashable) -> Mask:
        """Which values of a column are missing or infinite."""
        return self.texts[name].missing if name in self.texts else ~np.isfinite(self.column(name).astype(np.float64))

    @cached_property
    def incomplete(self) -> frozenset[Hashable]:
        """The columns with a missing or infinite value."""
        with np.errstate(all="ignore"):
            sums = self.values.sum(axis=0, dtype=np.float64)  # quicker than masks; a sum may overflow
        suspicious = {*self.texts, *(self.names[i] for i in np.flatnonzero(~np.isfinite(sums)))}
        return frozenset(name for name in suspicious if self._lacks(name).any())

    def gap_masks(self) -> dict[Hashable, Mask]:
        """For each column that has some: which of its values are missing or infinite."""
        return {name: self._lacks(name) for name in self.kinds if name in self.incomplete}

    def complete_rows(self) -> Mask:
        """Which rows have no missing and no infinite value."""
        complete = np.ones(self.n_rows, dtype=np.bool_)
        for name in self.incomplete:
            complete &= ~self._lacks(name)
        return complete

    def renamed(self, names: Mapping[Any, Hashable]) -> Table:
        """The same columns under other names."""
        if all(name == names[name] for name in self.kinds):
            return self
        renamed = tuple(names[name] for name in self.names)
        texts, kinds, orders = ({names[name]: value for name, value in part.items()} for part in self._by_name)
        return Table(renamed, self.values, texts, kinds, orders, self.origin)

    @property
    def _by_name(self) -> tuple[Mapping[Hashable, Any], ...]:
        return self.texts, self.kinds, self.orders

    def part(self, chosen: Iterable[Hashable]) -> Table:
        """The table with some of its columns."""
        kept = set(chosen)
        if len(kept) >= len(self.kinds) and kept.issuperset(self.kinds):
            return self
        positions = [i for i, name in enumerate(self.names) if name in kept]
        values = self.values if len(positions) == len(self.names) else self.values[:, positions]
        texts, kinds, orders = ({name: part[name] for name in part if name in kept} for part in self._by_name)
        return Table(tuple(self.names[i] for i in positions), values, texts, kinds, orders, self.origin)

    def rows(self, index: NDArray[np.integer] | Mask) -> Table:
        """The rows of a mask, or those at these positions, each as often as its position is there."""
        texts = {name: column.rows(index) for name, column in self.texts.items()}
        origin = None if self.origin is None else self.origin.part(index)
        return Table(self.names, self.values[index], texts, self.kinds, self.orders, origin)

    def with_numbers(self, new: Mapping[Hashable, NDArray[np.float64]], kinds: Mapping[Hashable, Kind]) -> Table:
        """The table with these columns of numbers in place of what it has, and what they are."""
        if not new:
            return self
        names = tuple(name for name in self.kinds if name in new or name not in self.texts)
        values = np.empty((self.n_rows, len(names)), order="F")
        for i, name in enumerate(names):
            values[:, i] = new[name] if name in new else self.column(name)
        texts = {name: column for name, column in self.texts.items() if name not in new}
        return Table(names, values, texts, {**self.kinds, **kinds}, self.orders, self.origin)


def code_table(table: Table) -> Coded:
    """All columns of a table, coded."""
    return code_columns(table.all_names, [table.cells(name) for name in table.all_names])


def categories_in(table: Table, name: Hashable) -> tuple[tuple[object, ...], NDArray[np.integer]]:
    """The different values of a column, sorted, and which of them each row has, −1 for none."""
    codes, categories = coded_column(table.cells(name))
    return tuple(as_in_data(value, table.kinds[name]) for value in categories), codes


def with_codes(table: Table, discrete: Collection[Hashable]) -> tuple[Table, tuple[int, ...]]:
    """The table with discrete columns as codes, missing ones as NaN; and how many categories each column has."""
    coded = {name: categories_in(table, name) for name in table.all_names if name in discrete}
    columns = {name: np.where(codes < 0, np.nan, codes) for name, (_, codes) in coded.items()}
    n_categories = tuple(len(coded[name][0]) if name in coded else 0 for name in table.all_names)
    return table.with_numbers(columns, dict.fromkeys(columns, "integer")), n_categories


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


def all_whole(numbers: NDArray[Any]) -> bool:
    """True where all numbers that are there are whole; the first ones show most columns to have others."""
    if numbers.dtype.kind != "f":
        return True
    parts = (numbers[:HEAD], numbers)
    return all(bool(((part == np.floor(part)) | ~np.isfinite(part)).all()) for part in parts)


def category_text(value: Any, kind: Kind) -> str:
    """A value as users write it: a whole number without a decimal point."""
    if kind == "boolean":
        return str(bool(value))
    is_whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value)) if is_whole else str(value)

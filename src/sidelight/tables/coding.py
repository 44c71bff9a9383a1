"""Discrete columns as integer codes."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.tables.strings import Texts
from sidelight.tables.table import Kind, Table


@dataclass(frozen=True)
class Coded:
    """Discrete columns as codes from 0 on (−1 is missing), with the values that the codes stand for."""

    names: tuple[Hashable, ...]
    codes: NDArray[np.integer]
    categories: tuple[tuple[object, ...], ...]

    @property
    def n_categories(self) -> list[int]:
        """The number of different values of each column."""
        return [len(values) for values in self.categories]

    def sizes(self, column: int) -> tuple[int, ...]:
        """How many rows each category of a column has, and how many have none, in ascending order."""
        counts = np.bincount(self.codes[:, column] + 1)
        return tuple(np.sort(counts[counts > 0]).tolist())


def as_in_data(category: Any, kind: str) -> object:
    """A whole number or a truth value as such: a table keeps both as floats."""
    return int(category) if kind == "integer" else bool(category) if kind == "boolean" else category


def code_table(table: Table) -> Coded:
    """All columns of a table, coded."""
    return code_columns(table.all_names, [table.cells(name) for name in table.all_names])


def categories_in(table: Table, name: Hashable) -> tuple[tuple[object, ...], NDArray[np.integer]]:
    """The different values of a column, sorted, and which of them each row has, −1 for none."""
    coded = code_columns([name], [table.cells(name)])
    return tuple(as_in_data(value, table.kinds[name]) for value in coded.categories[0]), coded.codes[:, 0]


def code_columns(names: Sequence[Hashable], columns: Sequence[Texts | NDArray[np.generic]]) -> Coded:
    """Code columns of any values, sorted; one byte a cell where 127 values are enough."""
    coded = [_code(column) for column in columns]
    largest = max((len(categories) for _, categories in coded), default=0)
    kind = np.int8 if largest <= 127 else np.int16 if largest <= 32767 else np.int32
    n_rows = len(coded[0][0]) if coded else 0
    codes = np.empty((n_rows, len(coded)), dtype=kind, order="F")
    for i, (column, _) in enumerate(coded):
        codes[:, i] = column
    return Coded(tuple(names), codes, tuple(categories for _, categories in coded))


def with_codes(table: Table, discrete: Collection[Hashable]) -> tuple[Table, tuple[int, ...]]:
    """The table with discrete columns as codes, missing ones as NaN; and how many categories each column has."""
    if not discrete:
        return table, (0,) * len(table.all_names)
    values = np.empty((table.n_rows, len(table.all_names)), order="F")
    n_categories = []
    for i, name in enumerate(table.all_names):
        if name in discrete:
            coded = code_columns([name], [table.cells(name)])
            values[:, i] = np.where(coded.codes[:, 0] < 0, np.nan, coded.codes[:, 0])
            n_categories.append(coded.n_categories[0])
        else:
            values[:, i] = table.column(name)
            n_categories.append(0)
    coded_kinds: dict[Hashable, Kind] = dict.fromkeys(discrete, "integer")
    return Table(table.all_names, values, {}, {**table.kinds, **coded_kinds}), tuple(n_categories)


def _code(array: Texts | NDArray[np.generic]) -> tuple[NDArray[np.integer], tuple[object, ...]]:
    if isinstance(array, Texts):
        return _code_texts(array)
    missing = np.isnan(array) if array.dtype.kind == "f" else np.zeros(len(array), dtype=np.bool_)
    codes = np.full(len(array), -1, dtype=np.int64)
    categories, codes[~missing] = np.unique(array[~missing], return_inverse=True)
    return codes, tuple(categories.tolist())


def _code_texts(texts: Texts) -> tuple[NDArray[np.integer], tuple[object, ...]]:
    """Values that are written alike are one category; only the categories are sorted."""
    categories = sorted(set(map(str, texts.different)))
    rank = {category: code for code, category in enumerate(categories)}
    codes = texts.mapped(lambda value: rank[str(value)], -1, np.dtype(np.int32))
    return codes, tuple(categories)

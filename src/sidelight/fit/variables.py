"""The variables of a fitted network: numbers, or categories that stand as codes within the library."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.fit.rows import Rows
from sidelight.tables.coding import as_in_data, code_columns
from sidelight.tables.table import Table
from sidelight.text.message import Message, Option

Values = NDArray[np.float64]
Codes = NDArray[np.int64]
Columns = Mapping[Hashable, NDArray[Any]]  # by name: values of numbers, codes of categories
CATEGORIES_SHOWN = 8


@dataclass(frozen=True)
class ModelVariable:
    """A variable by name; a number has no categories."""

    name: Hashable
    categories: tuple[object, ...] = ()

    @staticmethod
    def number(name: Hashable) -> ModelVariable:
        """A variable whose values are numbers."""
        return ModelVariable(name)

    @staticmethod
    def category(name: Hashable, table: Table) -> ModelVariable:
        """A variable with the categories that its column has, sorted."""
        categories = _values(table, name)[0]
        if not categories:
            raise only_missing(name)
        return ModelVariable(name, categories)

    @property
    def is_number(self) -> bool:
        """True unless it has categories."""
        return not self.categories

    @property
    def width(self) -> int:
        """How many columns it takes in a regression: 1, or one for each category but the first."""
        return 1 if self.is_number else len(self.categories) - 1

    def encoded(self, rows: Rows) -> NDArray[Any]:
        """Its column of a table: numbers, NaN if missing, or the positions of the categories, −1 if missing."""
        if self.is_number:
            return rows.finite(self.name)
        seen, codes = _values(rows.table, self.name)
        return np.array([*(self.code(value) for value in seen), -1], dtype=np.int64)[codes]

    def code(self, value: object) -> int:
        """The position of a category, as it is or as text."""
        if isinstance(value, Hashable) and value in self._positions:
            return self._positions[value]
        known = ", ".join(map(repr, self.categories[:CATEGORIES_SHOWN]))
        known += ", …" * (len(self.categories) > CATEGORIES_SHOWN)
        raise InputError(
            f"column {str(self.name)!r} has the value {value!r}, which is none of the fitted categories {known}"
        )

    @cached_property
    def _positions(self) -> dict[object, int]:
        texts: dict[object, int] = {str(category): i for i, category in enumerate(self.categories)}
        return texts | {category: i for i, category in enumerate(self.categories)}

    def number_or_code(self, value: object) -> float | int:
        """One value that the variable is set to."""
        if not self.is_number:
            return self.code(value)
        if not isinstance(value, Real) or not isfinite(float(value)):
            raise InputError(f"variable {str(self.name)!r} can be set to a finite number; got {value!r}")
        return float(value)

    def decoded(self, column: NDArray[Any]) -> NDArray[Any]:
        """The column with the values that the data had."""
        return column if self.is_number else np.array(self.categories)[column]

    def indicators(self, column: NDArray[Any]) -> Values:
        """What stands for the column in a regression: itself, or whether it is each category but the first."""
        if self.is_number:
            return np.asarray(column, dtype=np.float64)[:, None]
        found: Values = (column[:, None] == np.arange(1, len(self.categories))).astype(np.float64)
        return found


def only_missing(name: Hashable) -> InputError:
    """What to say of a column without values."""
    return InputError(Message(f"column {str(name)!r} has missing values only; drop it: ", Option("drop", [name])))


def design(parents: Sequence[ModelVariable], columns: Columns, n_rows: int) -> Values:
    """The columns of a regression on these variables, without a constant."""
    return np.hstack([np.empty((n_rows, 0)), *(parent.indicators(columns[parent.name]) for parent in parents)])


def _values(table: Table, name: Hashable) -> tuple[tuple[object, ...], Codes]:
    """The different values of a column, sorted, and which of them each row has."""
    coded = code_columns([name], [table.cells(name)])
    seen = tuple(as_in_data(value, table.kinds[name]) for value in coded.categories[0])
    return seen, coded.codes[:, 0].astype(np.int64)

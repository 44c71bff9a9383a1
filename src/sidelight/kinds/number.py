"""Numbers: linear functions of their parents plus Gaussian noise, and themselves in tests and regressions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.kinds.base import LONGEST_VALUE, Block, ModelVariable, UsedKind, Values, unfit
from sidelight.kinds.conditional import Columns, Conditional, Sample
from sidelight.kinds.linear import LinearGaussianNode, fit_linear
from sidelight.kinds.posterior import NumberPosterior
from sidelight.tables.table import Table

FEW_VALUES = 10
OCCURRENCES = 2  # of each value, on average: few rows have few values, whatever these are
HEAD = 100  # rows that show most columns of numbers to be such


class Number(UsedKind):
    """A column of numbers, or of dates as days."""

    name = "number"
    nouns = ("number", "numbers")

    def reason(self, table: Table, name: Hashable) -> str:
        kind = table.kinds[name]
        if kind == "date":
            return "dates, once they are taken as days" if name in table.texts else "dates, as days"
        return "" if kind in ("text", "boolean") else why_no_categories(table.column(name))

    def values(self, table: Table, name: Hashable, order: tuple[str, ...]) -> Values | None:
        """Texts as numbers."""
        return _numbers_in_texts(table, name) if name in table.texts else None

    def block(self, table: Table, name: Hashable, weights: Values | None) -> tuple[int, Block]:
        return 0, Block(None, tested=1, is_scaled=True)

    def encoded(self, variable: ModelVariable, table: Table) -> Values:
        """NaN for all that are not finite."""
        name = variable.name
        if name in table.texts:
            raise InputError(f"column {str(name)!r} is not numeric; discrete=net.names fits tables of probabilities")
        column = np.asarray(table.column(name), dtype=np.float64)
        return np.where(np.isfinite(column), column, np.nan)

    def encoded_value(self, variable: ModelVariable, value: object) -> float:
        if not isinstance(value, Real) or not isfinite(float(value)):
            raise InputError(f"variable {str(variable.name)!r} can be set to a finite number; got {value!r}")
        return float(value)

    def indicators(self, variable: ModelVariable, column: NDArray[Any]) -> Values:
        return np.asarray(column, dtype=np.float64)[:, None]

    def conditional(
        self,
        variable: ModelVariable,
        parents: tuple[ModelVariable, ...],
        sample: Sample,
        equivalent_sample_size: float,
    ) -> LinearGaussianNode:
        return fit_linear(variable, parents, sample)

    def posterior(
        self, variable: ModelVariable, factors: Sequence[Conditional], given: Columns, n_rows: int
    ) -> NumberPosterior:
        return NumberPosterior(variable, factors, given, n_rows)


def why_no_categories(column: NDArray[Any]) -> str:
    """Why a column of numbers is not taken as categories; empty if it is."""
    if not _all_whole(column[:HEAD]) or not _all_whole(column):
        return "not all whole"
    present = column[np.isfinite(column)]
    n_values = len(np.unique(present[:HEAD]))
    if n_values <= FEW_VALUES:
        n_values = len(np.unique(present))
    if n_values > FEW_VALUES:
        return f"whole, over {FEW_VALUES} values"
    if n_values < 2:  # a constant is no reason to test all other columns as a mixed table
        return "one value" if n_values else "no values"
    return "whole, values hardly repeat" if len(present) < OCCURRENCES * n_values else ""


def _all_whole(column: NDArray[Any]) -> bool:
    return column.dtype.kind != "f" or bool(((column == np.floor(column)) | ~np.isfinite(column)).all())


def _numbers_in_texts(table: Table, name: Hashable) -> Values:
    texts, numbers = table.texts[name], {}
    for value in texts.different:
        try:
            numbers[value] = float(str(value))
        except ValueError:
            row = table.row_number(texts.first(value))
            raise unfit(name, f"is to be a number, but row {row} has {str(value)[:LONGEST_VALUE]!r}") from None
    return texts.mapped(lambda value: numbers.get(value, np.nan), np.nan, np.dtype(np.float64))

"""Numbers: linear functions of their parents plus Gaussian noise, and themselves in tests and regressions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.kinds.base import LONGEST_VALUE, Block, ColumnSeen, ModelVariable, UsedKind, Values, unfit
from sidelight.kinds.conditional import Columns, Conditional, Sample
from sidelight.kinds.linear import LinearGaussianNode, fit_linear
from sidelight.kinds.posterior import NumberPosterior
from sidelight.tables.table import Table


class Number(UsedKind):
    """A column of numbers, or of dates as days."""

    name = "number"
    nouns = ("number", "numbers")

    def reason(self, column: ColumnSeen) -> str:
        if column.is_ordered:
            return ""
        if column.storage == "date":
            return "dates, once they are taken as days" if column.is_text else "dates, as days"
        return "" if column.storage in ("text", "boolean") else column.why_no_categories

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


def _numbers_in_texts(table: Table, name: Hashable) -> Values:
    texts = table.texts[name]

    def number(value: object) -> float:
        try:
            return float(str(value))
        except ValueError:
            row = table.row_number(texts.first(value))
            raise unfit(name, f"is to be a number, but row {row} has {str(value)[:LONGEST_VALUE]!r}") from None

    return texts.numbers(number)

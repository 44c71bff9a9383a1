"""Categories: tables of probabilities, logistic regressions where a parent is a number, and indicators in tests."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.kinds.base import FEW_VALUES, Block, Codes, ColumnSeen, ModelVariable, UsedKind, Values, categories_in
from sidelight.kinds.conditional import Columns, Conditional, Sample
from sidelight.kinds.logistic import fit_logistic
from sidelight.kinds.posterior import CategoryPosterior
from sidelight.kinds.table import fit_table
from sidelight.tables.table import Table

CATEGORIES_SHOWN = 8
BY_STORAGE = {"text": "texts", "boolean": "truth values"}


class Category(UsedKind):
    """A column of categories without an order."""

    name = "category"
    nouns = ("category", "categories")
    is_coded = True

    def reason(self, column: ColumnSeen) -> str:
        if column.is_ordered or column.storage == "date":
            return ""
        by_storage = BY_STORAGE.get(column.storage, "")
        return by_storage or ("" if column.why_no_categories else f"whole, up to {FEW_VALUES} values")

    def block(self, table: Table, name: Hashable, weights: Values | None) -> tuple[NDArray[np.integer], Block]:
        """Indicators of all categories but the most frequent one."""
        categories, codes = categories_in(table, name)
        by_frequency = np.argsort(-np.bincount(codes, weights, len(categories)), kind="stable")
        indicators = np.eye(len(categories))[:, 1:]
        block = Block(indicators, indicators.shape[1], False, tuple(categories[i] for i in by_frequency.tolist()))
        return np.argsort(by_frequency)[codes], block

    def encoded(self, variable: ModelVariable, table: Table) -> Codes:
        seen, codes = categories_in(table, variable.name)
        positions = np.array([*(self.encoded_value(variable, value) for value in seen), -1], dtype=np.int64)
        return np.asarray(positions[codes])

    def encoded_value(self, variable: ModelVariable, value: object) -> int:
        """The position of a category, as it is or as text."""
        if isinstance(value, Hashable) and value in variable.positions:
            return variable.positions[value]
        known = ", ".join(map(repr, variable.categories[:CATEGORIES_SHOWN]))
        known += ", …" * (len(variable.categories) > CATEGORIES_SHOWN)
        raise InputError(
            f"column {str(variable.name)!r} has the value {value!r}, which is none of the fitted categories {known}"
        )

    def indicators(self, variable: ModelVariable, column: NDArray[Any]) -> Values:
        """Whether it is each category but the first."""
        found: Values = (column[:, None] == np.arange(1, len(variable.categories))).astype(np.float64)
        return found

    def conditional(
        self,
        variable: ModelVariable,
        parents: tuple[ModelVariable, ...],
        sample: Sample,
        equivalent_sample_size: float,
    ) -> Conditional:
        fit = fit_table if all(parent.kind.is_coded for parent in parents) else fit_logistic
        return fit(variable, parents, sample, equivalent_sample_size)

    def posterior(
        self, variable: ModelVariable, factors: Sequence[Conditional], given: Columns, n_rows: int
    ) -> CategoryPosterior:
        return CategoryPosterior(variable, factors, given, n_rows)

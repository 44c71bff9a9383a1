"""Ordered categories: positions in their order; tests see one column of scores, and so do regressions on them.

In a network they have proportional odds, or a table given categories alone, whichever the score of a search prefers: as
many parameters as it charged.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.kinds.base import (
    LONGEST_VALUE,
    Block,
    Codes,
    Columns,
    Conditional,
    ModelVariable,
    Sample,
    Values,
    Variables,
    design,
    drawn_codes,
    unfit,
)
from sidelight.kinds.category import CATEGORIES_SHOWN, Category, in_words, regressed, standardised, table_or
from sidelight.tables.column_options import Said
from sidelight.tables.strings import Texts, coded_column
from sidelight.tables.table import Table, category_text
from sidelight.text.message import Message, Option, OptionName

if TYPE_CHECKING:
    from sidelight.kinds.types import ColumnSeen


MIN_ORDERED = 3  # categories; with two the order says nothing
SMALLEST = 1e-300  # probability whose logarithm is finite


@dataclass(frozen=True, eq=False)
class ProportionalOddsNode(Conditional):
    """The log-odds of being at most a category are its threshold less a linear function of the parents.

    ``thresholds`` has one for each category but the last, ``slopes`` one for each parent that is a number or ordered,
    and for each category but the first of one that is not.
    """

    variable: ModelVariable
    parents: Variables
    thresholds: Values
    slopes: Values

    @property
    def n_parameters(self) -> int:
        """Thresholds and slopes."""
        return self.thresholds.size + self.slopes.size

    @property
    def coefficients(self) -> dict[Hashable, float | dict[object, float]]:
        """By parent: the slope of a number; what each category adds, 0 for the first. Positive is towards the last."""
        ends = np.cumsum([0, *(parent.width for parent in self.parents)]).tolist()
        return {
            parent.name: parent.effects(self.slopes[start:end])
            for parent, (start, end) in zip(self.parents, pairwise(ends), strict=True)
        }

    def probabilities(self, columns: Columns, n_rows: int) -> Values:
        """Rows by categories."""
        from scipy.special import expit

        predictor = design(self.parents, columns, n_rows) @ self.slopes
        up_to = expit(self.thresholds - predictor[:, None])
        found: Values = np.diff(up_to, prepend=0.0, append=1.0)
        return found

    def log_densities(self, columns: Columns) -> Values:
        own = columns[self.variable.name]
        found = self.probabilities(columns, len(own))[np.arange(len(own)), own]
        return np.asarray(np.log(np.maximum(found, SMALLEST)))

    def draw(self, columns: Columns, n_rows: int, rng: np.random.Generator) -> Codes:
        return drawn_codes(self.probabilities(columns, n_rows), rng)

    def steepness(self, name: Hashable) -> float:
        slope = self.coefficients[name]
        assert isinstance(slope, float)
        return abs(slope)

    def in_words(self) -> str:
        return in_words(self, ", proportional odds")


def fit_proportional_odds(
    variable: ModelVariable, parents: Variables, sample: Sample, prior: float
) -> ProportionalOddsNode:
    """Regress an ordered category on its parents."""
    from sidelight.kernels.proportional_odds import fit_ordered

    values, means, spreads = standardised(parents, sample)
    found = fit_ordered(values, *regressed(variable, sample, prior))[0]
    thresholds, slopes = np.split(found, [len(variable.categories) - 1])
    slopes = slopes / spreads
    return ProportionalOddsNode(variable, parents, thresholds + float(slopes @ means), slopes)


class Ordinal(Category):
    """A column of categories from the lowest to the highest."""

    name = "ordinal"
    nouns = ("ordered category", "ordered categories")
    is_ordered = True

    def reason(self, column: ColumnSeen) -> str:
        return "ordered in the data frame" if column.is_ordered else ""

    def values(self, table: Table, name: Hashable, order: tuple[str, ...]) -> Values:
        """Positions among the categories in this order; without one, among the different numbers."""
        if order:
            return _positions(table, name, order)
        column: NDArray[Any] = table.column(name)
        found, there = np.full(len(column), np.nan), np.isfinite(column)
        found[there] = np.unique(column[there], return_inverse=True)[1]
        return found

    def order(self, table: Table, name: Hashable, said: Said | None) -> tuple[str, ...]:
        """As was said or as the data frame has it; raises where a value has no place in it."""
        given = said if isinstance(said, tuple) else table.orders.get(name, ())
        if not given and name in table.texts:
            raise _order_unknown(name, table.texts[name])
        order = tuple(category_text(category, "text") for category in given)
        self.values(table, name, order)
        return order

    def whole_order(self, table: Table, name: Hashable) -> tuple[str, ...]:
        column: NDArray[Any] = table.column(name)
        return tuple(category_text(value, table.kinds[name]) for value in np.unique(column[np.isfinite(column)]))

    def block(self, table: Table, name: Hashable, weights: Values | None) -> tuple[NDArray[np.integer], Block]:
        """Scores, which are what is tested, completed by indicators: what it explains may have any shape."""
        values, codes = np.unique(table.column(name), return_inverse=True)
        n_categories = max(1, len(values))
        indicators = np.eye(n_categories)[:, 1 : n_categories - 1]
        lookup = np.column_stack([scores_by_rank(codes, weights, n_categories), indicators])
        return codes, Block(lookup, tested=1, is_scaled=True)

    def scored(self, variable: ModelVariable, table: Table, weights: Values | None) -> ModelVariable:
        codes, n_categories = variable.encoded(table), len(variable.categories)
        there = codes >= 0
        scores = scores_by_rank(codes[there], None if weights is None else weights[there], n_categories)
        return replace(variable, scores=tuple((scores - scores[0]).tolist()))

    def indicators(self, variable: ModelVariable, column: NDArray[Any]) -> Values:
        """The score of each category; indicators of one whose scores are unknown."""
        return np.asarray(variable.scores)[column][:, None] if variable.scores else super().indicators(variable, column)

    def conditional(self, variable: ModelVariable, parents: Variables, sample: Sample, prior: float) -> Conditional:
        """A category with two values is as any other; without parents the regression is the table."""
        if len(variable.categories) < MIN_ORDERED:
            return super().conditional(variable, parents, sample, prior)
        return table_or(fit_proportional_odds, variable, parents, sample, prior, only_table=not parents)


def scores_by_rank(codes: NDArray[np.integer], weights: Values | None, n_categories: int) -> Values:
    """Normal scores: the quantiles of the normal distribution at the middle of each category's ranks."""
    from scipy.special import ndtri

    counts = np.bincount(codes, weights, n_categories)
    scores: Values = ndtri((np.cumsum(counts) - counts / 2) / max(1.0, counts.sum()))
    return scores


def _positions(table: Table, name: Hashable, order: tuple[str, ...]) -> Values:
    kind, place = table.kinds[name], {category: i for i, category in enumerate(order)}
    texts = table.texts[name] if name in table.texts else Texts(*coded_column(table.column(name)))

    def position(value: object) -> int:
        text = category_text(value, kind)
        if text not in place:
            row = table.row_number(texts.first(value))
            where = f"has {text[:LONGEST_VALUE]!r} in row {row}, which is not in its order "
            more = " < …" * (len(order) > CATEGORIES_SHOWN)
            raise unfit(name, where + " < ".join(order[:CATEGORIES_SHOWN]) + more)
        return place[text]

    return texts.numbers(position)


def _order_unknown(name: Hashable, texts: Texts) -> InputError:
    known = sorted(set(map(str, texts.different)))
    example = f"{name}={'<'.join(known[:3] if len(known) > 1 else ['low', 'high'])}"
    text = f": the order of the texts in column {str(name)!r} is not known; give it, as in "
    return InputError(Message(OptionName("types"), text, Option("types", example)))

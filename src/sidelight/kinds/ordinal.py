"""Ordered categories: positions in their order; tests see one column of scores, networks see categories."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.kinds.base import LONGEST_VALUE, Block, Values, unfit
from sidelight.kinds.category import CATEGORIES_SHOWN, Category
from sidelight.tables.column_options import Said
from sidelight.tables.strings import Texts, coded_column
from sidelight.tables.table import Table, category_text
from sidelight.text.message import Message, Option, OptionName

if TYPE_CHECKING:
    from sidelight.kinds.types import ColumnSeen


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

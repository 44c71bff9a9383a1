"""A table as the types of its columns say: texts as numbers, ordered categories as positions, columns left out."""

from __future__ import annotations

from collections.abc import Container, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.tables.strings import Texts
from sidelight.tables.table import Kind, Table, category_text
from sidelight.text.message import Message, OptionName

LONGEST_VALUE = 40  # letters
CATEGORIES_SHOWN = 8
Numbers = NDArray[np.float64]


def typed(
    table: Table,
    ignored: Container[Hashable],
    numbers: Sequence[Hashable],
    orders: Mapping[Hashable, tuple[str, ...]],
) -> Table:
    """The table without what is ignored, texts in ``numbers`` as numbers, columns with an order as positions in it."""
    changed = {name: _as_numbers(table, name) for name in numbers if name in table.texts}
    changed |= {name: positions(table, name, order) for name, order in orders.items()}
    new_kinds: dict[Hashable, Kind] = {name: "integer" if name in orders else "float" for name in changed}
    kinds = {name: new_kinds.get(name, kind) for name, kind in table.kinds.items() if name not in ignored}
    kept = table.part(kinds)
    if not changed:
        return kept
    names = tuple(name for name in kinds if name in changed or name in kept.names)
    columns = [changed[name] if name in changed else kept.column(name) for name in names]
    texts = {name: column for name, column in kept.texts.items() if name not in changed}
    return Table(names, np.column_stack(columns), texts, kinds, origin=kept.origin)


def _as_numbers(table: Table, name: Hashable) -> Numbers:
    texts, numbers = table.texts[name], {}
    for value in texts.different:
        try:
            numbers[value] = float(str(value))
        except ValueError:
            row = table.row_number(texts.first(value))
            raise _unfit(name, f"is to be a number, but row {row} has {str(value)[:LONGEST_VALUE]!r}") from None
    return texts.mapped(lambda value: numbers.get(value, np.nan), np.nan, np.dtype(np.float64))


def positions(table: Table, name: Hashable, order: tuple[str, ...]) -> Numbers:
    """A column as positions among its categories in this order; without one, among its different numbers."""
    column: NDArray[Any] | Texts = table.texts[name] if name in table.texts else table.column(name)
    if not order:
        found = np.full(len(column), np.nan)
        there = np.isfinite(np.asarray(column))
        found[there] = np.unique(np.asarray(column)[there], return_inverse=True)[1]
        return found
    place = {category: i for i, category in enumerate(order)}
    texts = column if isinstance(column, Texts) else _of_numbers(column)
    for value in texts.different:
        text = category_text(value, table.kinds[name])
        if text not in place:
            row = table.row_number(texts.first(value))
            where = f"has {text[:LONGEST_VALUE]!r} in row {row}, which is not in its order "
            more = " < …" * (len(order) > CATEGORIES_SHOWN)
            raise _unfit(name, where + " < ".join(order[:CATEGORIES_SHOWN]) + more)
    kind = table.kinds[name]
    return texts.mapped(lambda value: place.get(category_text(value, kind), np.nan), np.nan, np.dtype(np.float64))


def _of_numbers(column: NDArray[Any]) -> Texts:
    """Numbers as a column of different values."""
    there = ~np.isnan(column) if column.dtype.kind == "f" else np.ones(len(column), dtype=np.bool_)
    codes = np.full(len(column), -1)
    values, codes[there] = np.unique(column[there], return_inverse=True)
    return Texts(codes, values.tolist())


def _unfit(name: Hashable, what: str) -> InputError:
    return InputError(Message(OptionName("types"), f": column {str(name)!r} {what}"))

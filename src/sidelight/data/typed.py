"""A table as the types of its columns say: texts as numbers, ordered categories as positions, columns left out."""

from __future__ import annotations

from collections.abc import Container, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.data.table import Kind, Table, category_text
from sidelight.errors import InputError
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
    return Table(names, np.column_stack(columns), texts, kinds)


def _as_numbers(table: Table, name: Hashable) -> Numbers:
    numbers = np.full(table.n_rows, np.nan)
    for row, value in enumerate(table.texts[name]):
        if value is not None:
            try:
                numbers[row] = float(str(value))
            except ValueError:
                raise _unfit(name, f"is to be a number, but row {row + 1} has {str(value)[:LONGEST_VALUE]!r}") from None
    return numbers


def positions(table: Table, name: Hashable, order: tuple[str, ...]) -> Numbers:
    """A column as positions among its categories in this order; without one, among its different numbers."""
    column: NDArray[Any] = table.column(name)
    found = np.full(len(column), np.nan)
    if not order:
        there = np.isfinite(column)
        found[there] = np.unique(column[there], return_inverse=True)[1]
        return found
    place = {category: i for i, category in enumerate(order)}
    for row, value in enumerate(column):
        if value is None or value != value:
            continue
        text = category_text(value, table.kinds[name])
        if text not in place:
            where = f"has {text[:LONGEST_VALUE]!r} in row {row + 1}, which is not in its order "
            more = " < …" * (len(order) > CATEGORIES_SHOWN)
            raise _unfit(name, where + " < ".join(order[:CATEGORIES_SHOWN]) + more)
        found[row] = place[text]
    return found


def _unfit(name: Hashable, what: str) -> InputError:
    return InputError(Message(OptionName("types"), f": column {str(name)!r} {what}"))

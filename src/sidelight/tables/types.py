"""What is a category and what a number: one rule for all sources, and a record of what was decided for each column.

The rule looks at one column as it was read, before rows are left out: texts and truth values are categories, and so are
whole numbers (``1`` or ``1.0``) of at most ten different values that each occur twice on average. Missing values do not
count. Ordered categories are those whose type in a data frame says so, and what a user says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.tables.table import Table, category_text, existing_columns
from sidelight.tables.type_option import ORDINAL, Said, said_types
from sidelight.tables.typed import positions, typed
from sidelight.text.message import Message, Option, OptionName

FEW_VALUES = 10
OCCURRENCES = 2  # of each value, on average: few rows have few values, whatever these are
HEAD = 100  # rows that show most columns of numbers to be such
COUNTED_CELLS = 500_000  # in larger tables, the different values of numbers are not counted
LONGEST_EXAMPLE = 40  # letters

ColumnKind = Literal["number", "category", "ordinal", "ignore"]
NOUNS: dict[ColumnKind, tuple[str, str]] = {
    "number": ("number", "numbers"),
    "category": ("category", "categories"),
    "ordinal": ("ordered category", "ordered categories"),
    "ignore": ("ignored", "ignored"),
}


@dataclass(frozen=True)
class ColumnType:
    """What a column is taken as.

    Attributes:
        name: of the column.
        type: "number", "category", "ordinal" (an ordered category) or "ignore" (not used).
        decided: how that was decided, in words.
        n_values: how many different values there are; None for numbers of a table so large that they were not counted.
        n_missing: how many rows lack a value.
        example: the first value that is there, as a text.
        order: the categories of an ordinal column from the lowest to the highest; empty if they are ordered numbers.
    """

    name: Hashable
    type: ColumnKind
    decided: str
    n_values: int | None
    n_missing: int
    example: str
    order: tuple[str, ...] = ()

    @property
    def said(self) -> Said:
        """The same as a value of the option ``types``."""
        return self.order or self.type

    @property
    def type_in_words(self) -> str:
        """``category``; ``ordinal: low < high``."""
        return f"{self.type}: {' < '.join(self.order)}" if self.order else self.type

    def as_dict(self) -> dict[str, object]:
        """All of it as data that JSON can hold."""
        return {**vars(self), "name": str(self.name), "order": list(self.order)}


def types_counted(types: Iterable[ColumnType]) -> str:
    """``12 numbers, 3 categories, 1 ordered category, 1 ignored``."""
    counts = Counter(column.type for column in types)
    return ", ".join(f"{counts[kind]} {nouns[counts[kind] != 1]}" for kind, nouns in NOUNS.items() if counts[kind])


def discrete_columns(table: Table, discrete: Iterable[Hashable] | None) -> tuple[Hashable, ...]:
    """The columns to treat as discrete: those named, or else those that the rule says, ordered or not."""
    if discrete is not None:
        chosen = set(existing_columns(table.all_names, discrete, "discrete"))
        return tuple(name for name in table.all_names if name in chosen)
    return tuple(name for name in table.all_names if _by_rule(table, name)[0] != "number")


# The decision.


def said_of(names: Sequence[Hashable], types: object, there: Iterable[Hashable]) -> dict[Hashable, Said]:
    """What the option ``types`` says of the columns in use; other names must be among all that are there."""
    said = {} if types is None else said_types(types)
    used = {str(name): name for name in names}
    unknown = [name for name in said if str(name) not in used]
    if unknown:
        known = set(map(str, there))
        existing_columns(names, [name for name in unknown if str(name) not in known], "types")
    return {used[str(name)]: what for name, what in said.items() if str(name) in used}


def column_types(
    table: Table, said: Mapping[Hashable, Said], discrete: Iterable[Hashable] | None
) -> tuple[ColumnType, ...]:
    """The type of each column: as was said of it, or else by the rule."""
    categories = None if discrete is None else frozenset(discrete_columns(table, discrete))
    missing = _missing(table)
    found = []
    for name in table.all_names:
        kind, decided = _decided(table, name, said.get(name), categories)
        is_counted = kind != "number" or table.values.size <= COUNTED_CELLS
        n_values = _n_values(table, name) if is_counted else None
        order = _order(table, name, said.get(name)) if kind == ORDINAL else ()
        found.append(ColumnType(name, kind, decided, n_values, missing[name], _example(table, name), order))
    return tuple(found)


def _decided(
    table: Table, name: Hashable, said: Said | None, categories: frozenset[Hashable] | None
) -> tuple[ColumnKind, str]:
    if said is not None:
        kind: Any = said if isinstance(said, str) else ORDINAL
        if categories is not None and kind != ORDINAL and (kind == "category") != (name in categories):
            also = "is" if name in categories else "is not"
            text = f": {str(name)!r} is said to be {kind!r}, and {also} among those of "
            raise InputError(Message(OptionName("types"), text, Option("discrete"), "; give one of both"))
        return kind, "given in types"
    if categories is not None:
        return ("category" if name in categories else "number"), "given in discrete"
    return _by_rule(table, name)


def _by_rule(table: Table, name: Hashable) -> tuple[ColumnKind, str]:
    kind = table.kinds[name]
    if name in table.orders:
        return "ordinal", "ordered in the data frame"
    if kind == "text":
        return "category", "texts"
    if kind == "boolean":
        return "category", "truth values"
    if kind == "date":
        return "number", "dates, once they are taken as days" if name in table.texts else "dates, as days"
    return _number_or_category(table.column(name))


def _number_or_category(column: NDArray[Any]) -> tuple[ColumnKind, str]:
    if not _all_whole(column[:HEAD]) or not _all_whole(column):
        return "number", "not all whole"
    present = column[np.isfinite(column)]
    n_values = len(np.unique(present[:HEAD]))
    if n_values <= FEW_VALUES:
        n_values = len(np.unique(present))
    if n_values > FEW_VALUES:
        return "number", f"whole, over {FEW_VALUES} values"
    if n_values < 2:  # a constant is no reason to test all other columns as a mixed table
        return "number", "one value" if n_values else "no values"
    if len(present) < OCCURRENCES * n_values:
        return "number", "whole, values hardly repeat"
    return "category", f"whole, up to {FEW_VALUES} values"


def _all_whole(column: NDArray[Any]) -> bool:
    return column.dtype.kind != "f" or bool(((column == np.floor(column)) | ~np.isfinite(column)).all())


# What the record says beside.


def _missing(table: Table) -> dict[Hashable, int]:
    """How many values of each column are missing; sums over columns find those of numbers in one quick pass."""
    found = {name: int(column.missing.sum()) for name, column in table.texts.items()}
    values: NDArray[Any] = table.values
    if values.dtype.kind == "f":
        with np.errstate(all="ignore"):
            suspicious = np.flatnonzero(np.isnan(values.sum(axis=0)))
        found |= {table.names[i]: int(np.isnan(values[:, i]).sum()) for i in suspicious}
    return {name: found.get(name, 0) for name in table.all_names}


def _n_values(table: Table, name: Hashable) -> int:
    if name in table.texts:
        return len(set(map(str, table.texts[name].different)))
    column: NDArray[Any] = table.column(name)
    return len(np.unique(column[~np.isnan(column)] if column.dtype.kind == "f" else column))


def _example(table: Table, name: Hashable) -> str:
    value = next((value for value in table.column(name) if value is not None and value == value), None)
    return "" if value is None else category_text(value, table.kinds[name])[:LONGEST_EXAMPLE]


def _order(table: Table, name: Hashable, said: Said | None) -> tuple[str, ...]:
    """The categories in their order, as was said or as the data frame has it; empty for numbers, which have one."""
    given = said if isinstance(said, tuple) else table.orders.get(name, ())
    if not given and name in table.texts:
        known = sorted(set(map(str, table.texts[name].different)))
        example = f"{name}={'<'.join(known[:3] if len(known) > 1 else ['low', 'high'])}"
        text = f": the order of the texts in column {str(name)!r} is not known; give it, as in "
        raise InputError(Message(OptionName("types"), text, Option("types", example)))
    order = tuple(category_text(category, "text") for category in given)
    positions(table, name, order)  # raises where a value has no place in the order
    return order


def with_order(table: Table, column: ColumnType) -> ColumnType:
    """The type of a column; of ordered numbers with their order written out, so that other rows are taken likewise."""
    if column.type != ORDINAL or column.order:
        return column
    values: NDArray[Any] = table.column(column.name)
    order = tuple(category_text(value, table.kinds[column.name]) for value in np.unique(values[np.isfinite(values)]))
    return replace(column, order=order)


def as_typed(table: Table, types: Sequence[ColumnType], said: Mapping[Hashable, Said]) -> Table:
    """The table as its types say; ordered categories are positions in their order."""
    ignored = {column.name for column in types if column.type == "ignore"}
    if len(ignored) == len(types) > 0:
        raise InputError(Message("no column is left to learn from; see ", Option("types")))
    numbers = [name for name, what in said.items() if what == "number"]
    orders = {column.name: column.order for column in types if column.type == ORDINAL}
    return typed(table, ignored, numbers, orders) if ignored or numbers or orders else table

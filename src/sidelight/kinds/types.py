"""What each column is taken as: as was said of it, or else by one rule for all sources; and the table as that says.

The rule looks at one column as it was read, before rows are left out: texts and truth values are categories, and so are
whole numbers (``1`` or ``1.0``) of at most ten different values that each occur twice on average. Missing values do not
count. Ordered categories are those whose type in a data frame says so, and what a user says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.kinds import KINDS, kind_said
from sidelight.kinds.base import FEW_VALUES, Kind, UsedKind, Values
from sidelight.kinds.category import Category
from sidelight.kinds.number import Number
from sidelight.tables.column_options import Said, read_option
from sidelight.tables.table import HEAD, Table, all_whole, category_text, existing_columns
from sidelight.tables.table import Kind as Storage
from sidelight.text.message import Message, Option, OptionName

OCCURRENCES = 2  # of each value, on average: few rows have few values, whatever these are
COUNTED_CELLS = 500_000  # in larger tables, the different values of numbers are not counted
LONGEST_EXAMPLE = 40  # letters


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
    type: str
    decided: str
    n_values: int | None
    n_missing: int
    example: str
    order: tuple[str, ...] = ()

    @property
    def kind(self) -> Kind:
        """What columns of this type can do."""
        return KINDS[self.type]

    @property
    def used_kind(self) -> UsedKind:
        """The same of a column that takes part."""
        assert isinstance(self.kind, UsedKind)
        return self.kind

    @property
    def said(self) -> Said:
        """The same as a value of the option ``types``."""
        return self.order or self.type

    @property
    def type_in_words(self) -> str:
        """``category``; ``ordinal: low < high``."""
        return self.kind.in_words(self.order)

    def as_dict(self) -> dict[str, object]:
        """All of it as data that JSON can hold."""
        return {**vars(self), "name": str(self.name), "order": list(self.order)}


def types_counted(types: Iterable[ColumnType]) -> str:
    """``12 numbers, 3 categories, 1 ordered category, 1 ignored``."""
    counts = Counter(column.type for column in types)
    return ", ".join(f"{counts[word]} {kind.nouns[counts[word] != 1]}" for word, kind in KINDS.items() if counts[word])


# What is said of columns.


def said_types(value: object) -> dict[Hashable, Said]:
    """The value of the option ``types``, by name; raises unless each is a kind, or an order of categories."""
    return read_option(value, _checked)


def said_of(names: Sequence[Hashable], types: object, there: Iterable[Hashable]) -> dict[Hashable, Said]:
    """What the option ``types`` says of the columns in use; other names must be among all that are there."""
    said = said_types(types)
    used = {str(name): name for name in names}
    unknown = [name for name in said if str(name) not in used]
    if unknown:
        known = set(map(str, there))
        existing_columns(names, [name for name in unknown if str(name) not in known], "types")
    return {used[str(name)]: what for name, what in said.items() if str(name) in used}


def _checked(name: object, said: object) -> Said:
    about = Message(OptionName("types"), f": column {str(name)!r} ")
    if isinstance(said, str) and said in KINDS:
        return said
    if isinstance(said, list | tuple) and len(said) > 1 and len(set(map(str, said))) == len(said):
        return tuple(said)
    if isinstance(said, list | tuple):
        raise InputError(Message(about, f"needs two or more different categories in their order; got {list(said)!r}"))
    accepted = ", ".join(map(repr, KINDS))
    raise InputError(
        Message(about, f"must be one of {accepted}, or have its categories from the lowest on; got {said!r}")
    )


# The decision.


@dataclass(frozen=True)
class ColumnSeen:
    """A column as the rule looks at it: as it was read, and once for all kinds."""

    table: Table
    name: Hashable

    @property
    def storage(self) -> Storage:
        """What the table keeps it as."""
        return self.table.kinds[self.name]

    @property
    def is_text(self) -> bool:
        """True if the table does not have it as numbers."""
        return self.name in self.table.texts

    @property
    def is_ordered(self) -> bool:
        """True if a data frame says that its values are ordered categories."""
        return self.name in self.table.orders

    @cached_property
    def why_no_categories(self) -> str:
        """Why a column of numbers is not taken as categories; empty if it is."""
        column: NDArray[Any] = self.table.column(self.name)
        if not all_whole(column):
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


def discrete_columns(table: Table, discrete: Iterable[Hashable] | None) -> tuple[Hashable, ...]:
    """The columns to treat as discrete: those named, or else those that the rule says, ordered or not."""
    if discrete is None:
        return tuple(name for name, kind in kinds_by_rule(table).items() if kind.is_coded)
    chosen = set(existing_columns(table.all_names, discrete, "discrete"))
    return tuple(name for name in table.all_names if name in chosen)


def kinds_by_rule(table: Table) -> dict[Hashable, UsedKind]:
    """What the rule takes each column as; it takes none as ignored."""
    kinds = {name: _by_rule(table, name)[0] for name in table.all_names}
    return {name: kind for name, kind in kinds.items() if isinstance(kind, UsedKind)}


def column_types(
    table: Table, said: Mapping[Hashable, Said], discrete: Iterable[Hashable] | None
) -> tuple[ColumnType, ...]:
    """The type of each column: as was said of it, or else by the rule."""
    categories = None if discrete is None else frozenset(discrete_columns(table, discrete))
    found = []
    for name in table.all_names:
        kind, decided = _decided(table, name, said.get(name), categories)
        is_counted = kind.is_coded or not kind.is_used or table.values.size <= COUNTED_CELLS
        n_values = _n_values(table, name) if is_counted else None
        seen = n_values, _n_missing(table, name), _example(table, name)
        order = kind.order(table, name, said.get(name)) if kind.is_ordered else ()
        found.append(ColumnType(name, kind.name, decided, *seen, order))
    return tuple(found)


def _decided(
    table: Table, name: Hashable, said: Said | None, categories: frozenset[Hashable] | None
) -> tuple[Kind, str]:
    if said is not None:
        kind = kind_said(said)
        if categories is not None and not kind.is_ordered and kind.is_coded != (name in categories):
            also = "is" if name in categories else "is not"
            text = f": {str(name)!r} is said to be {kind.name!r}, and {also} among those of "
            raise InputError(Message(OptionName("types"), text, Option("discrete"), "; give one of both"))
        return kind, "given in types"
    if categories is not None:
        return (Category() if name in categories else Number()), "given in discrete"
    return _by_rule(table, name)


def _by_rule(table: Table, name: Hashable) -> tuple[Kind, str]:
    column = ColumnSeen(table, name)
    reasons = ((kind, kind.reason(column)) for kind in KINDS.values())
    return next((kind, reason) for kind, reason in reasons if reason)


# What the record says beside.


def _n_missing(table: Table, name: Hashable) -> int:
    """How many values of a column are missing, which infinite ones are not."""
    if name not in table.incomplete:
        return 0
    return int((table.texts[name].missing if name in table.texts else np.isnan(table.column(name))).sum())


def _n_values(table: Table, name: Hashable) -> int:
    if name in table.texts:
        return len(set(map(str, table.texts[name].different)))
    column: NDArray[Any] = table.column(name)
    return len(np.unique(column[~np.isnan(column)] if column.dtype.kind == "f" else column))


def _example(table: Table, name: Hashable) -> str:
    value = next((value for value in table.column(name) if value is not None and value == value), None)
    return "" if value is None else category_text(value, table.kinds[name])[:LONGEST_EXAMPLE]


# The table as the types say.


def with_order(table: Table, column: ColumnType) -> ColumnType:
    """The type of a column; of ordered numbers with their order written out, so that other rows are taken likewise."""
    is_whole = column.kind.is_ordered and not column.order
    return replace(column, order=column.kind.whole_order(table, column.name)) if is_whole else column


def as_typed(table: Table, types: Sequence[ColumnType], said: Mapping[Hashable, Said]) -> Table:
    """The table without columns that are not used, and with what was said to be numbers or ordered as numbers.

    A column of texts that is a number only because nothing else was said of it stays as it is; the doctor objects.
    """
    unused = {column.name for column in types if not column.kind.is_used}
    if len(unused) == len(types) > 0:
        raise InputError(Message("no column is left to learn from; see ", Option("types")))
    changed: dict[Hashable, Values] = {}
    stored: dict[Hashable, Storage] = {}
    for column in types:
        if column.name in said or column.kind.is_ordered:
            values = column.kind.values(table, column.name, column.order)
            if values is not None:
                changed[column.name] = values
                stored[column.name] = "integer" if column.kind.is_coded else "float"
    kept = table.part(name for name in table.all_names if name not in unused) if unused else table
    return replace(kept, orders={}).with_numbers(changed, stored) if changed else kept

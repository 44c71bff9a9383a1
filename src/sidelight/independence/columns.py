"""What each column of a table is taken as, and which test goes with that."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from sidelight.data.table import Table, existing_columns
from sidelight.data.type_option import ORDINAL, Said, said_types
from sidelight.data.typed import typed
from sidelight.data.types import ColumnKind, ColumnType, column_types
from sidelight.data.variables import column_names
from sidelight.errors import InputError
from sidelight.independence import TABLE_TESTS, TableTest
from sidelight.independence.options import DataOptions
from sidelight.text.message import Message, Option, OptionName

# What "auto" comes to for columns that are all numbers, all categories, or of several kinds.
NUMBERS, DISCRETE, SEVERAL = "fisher-z", "chi2-moments", "mixed"
TAKEN_AS: dict[str, ColumnKind] = {"numbers": "number", "discrete": "category"}


@dataclass(frozen=True)
class TypedTable:
    """A table as its types say, with the test that they lead to; ordered categories are positions in their order."""

    table: Table
    types: tuple[ColumnType, ...]
    test: str

    @property
    def entry(self) -> TableTest:
        """How the test is built."""
        return TABLE_TESTS[self.test]

    def of_type(self, kind: str) -> tuple[Hashable, ...]:
        """The columns of this type."""
        return tuple(column.name for column in self.types if column.type == kind)


def typed_table(source: object, table: Table, options: DataOptions) -> TypedTable:
    """Decide on the types of a table that was read from the source, and on its test."""
    said = _said(source, table, options)
    types = column_types(table, said, options.discrete)
    test = _chosen(str(options.test), types)
    types = tuple(_as_tested(column, test, column.name in said, column.name in table.texts) for column in types)
    ignored = {column.name for column in types if column.type == "ignore"}
    if len(ignored) == len(types) > 0:
        raise InputError(Message("no column is left to learn from; see ", Option("types")))
    numbers = [name for name, what in said.items() if what == "number"]
    orders = {column.name: column.order for column in types if column.type == ORDINAL}
    return TypedTable(typed(table, ignored, numbers, orders), types, test)


def _said(source: object, table: Table, options: DataOptions) -> dict[Hashable, Said]:
    """What was said of the columns in use; a name may also be that of a column that is left out by other options."""
    said = said_types(options.types)
    used = {str(name): name for name in table.all_names}
    unknown = [name for name in said if str(name) not in used]
    if unknown:
        there = set(map(str, (*column_names(source, ()), *(options.names or ()))))
        existing_columns(table.all_names, [name for name in unknown if str(name) not in there], "types")
    return {used[str(name)]: what for name, what in said.items() if str(name) in used}


def _chosen(asked: str, types: tuple[ColumnType, ...]) -> str:
    """The test by the types of the columns."""
    if asked != "auto":
        return asked
    kinds = {column.type for column in types if column.type != "ignore"}
    if kinds <= {"number"}:
        return NUMBERS
    return DISCRETE if kinds == {"category"} else SEVERAL


def _as_tested(column: ColumnType, test: str, is_said: bool, is_text: bool) -> ColumnType:
    """The type that a test for columns of one kind gives a column; raises where that is not what was said of it."""
    taken = TAKEN_AS.get(TABLE_TESTS[test].columns)
    if taken is None or column.type in (taken, ORDINAL, "ignore") or (is_text and taken == "number"):
        return column
    if is_said:
        what = f": {str(column.name)!r} is said to be {column.type!r}, and the test {test!r} takes it as {taken!r}"
        raise InputError(Message(OptionName("types"), what))
    return replace(column, type=taken, decided=f"by the test {test}")

"""Which test goes with a table: by the kinds of its columns, and which options go with the test."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import replace

from sidelight.errors import InputError
from sidelight.families import TABLE_TESTS
from sidelight.families.data import TableTest, TestData
from sidelight.families.options import DataOptions
from sidelight.kinds.ordinal import ORDINAL
from sidelight.kinds.types import ColumnKind, ColumnType
from sidelight.tables.all_rows import AllRows
from sidelight.tables.findings import Finding, FindingKind, columns_that
from sidelight.tables.table import Table
from sidelight.text.message import Message, Option, OptionName

# What "auto" comes to for columns that are all numbers, all categories, or of several kinds.
NUMBERS, DISCRETE, SEVERAL = "fisher-z", "chi2-moments", "mixed"
TAKEN_AS: dict[str, ColumnKind] = {"numbers": "number", "discrete": "category"}  # by tests for one kind of columns
ASSUMED = ("pairwise", "em")  # they keep incomplete rows, and assume why values are missing
FEWER_ROWS = "use a subset of the rows"


def with_test(
    types: tuple[ColumnType, ...], table: Table, options: DataOptions, given: Collection[Hashable]
) -> tuple[tuple[ColumnType, ...], TableTest]:
    """The types as the test takes them, and the test; columns that are not in the table have no say."""
    kinds = {column.type for column in types if column.name in table.kinds}
    chosen = str(options.test) if options.test != "auto" else _by_kinds(kinds)
    entry = TABLE_TESTS[chosen]
    _check_combination(options, chosen, entry)
    return tuple(_as_tested(c, chosen, c.name in given, c.name in table.texts) for c in types), entry


def _by_kinds(kinds: Collection[str]) -> str:
    if set(kinds) <= {"number"}:
        return NUMBERS
    return DISCRETE if set(kinds) == {"category"} else SEVERAL


def _as_tested(column: ColumnType, test: str, is_given: bool, is_string: bool) -> ColumnType:
    """The type that a test for columns of one kind gives a column; raises where that is not what types= says of it."""
    taken = TAKEN_AS.get(TABLE_TESTS[test].columns)
    if taken is None or column.type in (taken, ORDINAL, "ignore") or (is_string and taken == "number"):
        return column
    if is_given:
        what = f": {str(column.name)!r} is said to be {column.type!r}, and the test {test!r} takes it as {taken!r}"
        raise InputError(Message(OptionName("types"), what))
    return replace(column, type=taken, decided=f"by the test {test}")


def _check_combination(options: DataOptions, chosen: str, entry: TableTest) -> None:
    """Raise when another option does not go with the test."""
    for name, accepted in (("correlation", entry.correlations), ("missing", entry.missing)):
        value = getattr(options, name)
        if value not in ("auto", *accepted):
            usable = ", ".join(map(repr, accepted))
            raise InputError(
                Message(Option(name, value), f" does not go with the test {chosen!r} for these columns; use {usable}")
            )
    if options.weights is not None and not entry.weights:
        raise InputError(Message(Option("weights"), f" does not go with the test {chosen!r}"))


def check_batches(rows: AllRows, entry: TableTest, options: DataOptions) -> None:
    """Raise where a test needs all rows in memory, and they are not."""
    if rows.in_memory:
        return
    if not entry.in_batches:
        raise InputError(Message(Option("test", options.test), f" needs all rows in memory; {FEWER_ROWS}"))
    if options.missing in ASSUMED:
        text = f" needs all rows in memory; {FEWER_ROWS}, or leave incomplete rows out with "
        raise InputError(Message(Option("missing", options.missing), text, Option("missing", "drop")))


def with_correlation(data: TestData, entry: TableTest) -> tuple[TestData, tuple[Finding, ...]]:
    """The data with the correlation that "auto" comes to, and what is said of it."""
    if data.correlation != "auto":
        return data, ()
    if "normal-scores" in entry.correlations and data.missing in ("error", "drop") and not data.rows.is_weighted:
        from sidelight.families.gaussian.margins import margins_of

        table = data.table
        found = margins_of(table.even_rows()) if table.names else None
        if found is not None and found.need_scores:
            far = [name for name, is_far in zip(table.names, found.far, strict=True) if is_far]
            return replace(data, correlation="normal-scores"), (_by_scores(far),)
    return replace(data, correlation="pearson"), ()


def _by_scores(far: Sequence[Hashable]) -> Finding:
    text = f"{columns_that(far, 'is', 'are')} far from Gaussian, and ranks explain clearly more than values do"
    used = Message(
        Option("correlation", "normal-scores"), " is used; ", Option("correlation", "pearson"), " uses values"
    )
    return Finding(FindingKind.NORMAL_SCORES, "warning", tuple(far), text, used)

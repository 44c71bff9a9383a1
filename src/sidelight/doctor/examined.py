"""A table with the test for it: what its columns are, which family they belong to, and what the doctor says of them.

Where the statistics show that nothing can be wrong with the columns, the doctor is asked when its warnings are wanted;
else at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from sidelight.errors import InputError
from sidelight.families import TABLE_TESTS, CITest
from sidelight.families.data import FEW_CATEGORIES, Statistics, TableTest, TestData, TestedRows
from sidelight.families.options import DataOptions
from sidelight.kinds.base import Kind
from sidelight.kinds.types import ColumnType, as_typed, column_types, said_types, with_order
from sidelight.sources.rows import ReadRows
from sidelight.tables.all_rows import AllRows, Tick
from sidelight.tables.findings import Diagnosis, Finding, FindingKind, columns_that
from sidelight.tables.gaps import Gaps
from sidelight.tables.table import Table
from sidelight.tables.type_option import Said
from sidelight.text.message import Message, Option, OptionName

AUTO = ("fisher-z", "chi2-moments", "mixed")  # "auto" is the first that takes all columns as what they are
ASSUMED = ("pairwise", "em")  # they keep incomplete rows, and assume why values are missing
FEWER_ROWS = "use a subset of the rows"
Start = Callable[[str], Tick]  # given the name of a phase that begins, returns what to call at each of its steps


@dataclass(frozen=True, eq=False)
class Examined:
    """A test, if there can be one, and the table that it was built from; the doctor is asked once."""

    test: CITest | None
    rows: TestedRows
    types: tuple[ColumnType, ...]
    options: DataOptions  # as they were applied
    table: TypedTable
    ask: Callable[[], Diagnosis]

    @property
    def n_rows(self) -> int:
        """The number of rows of the table."""
        return self.table.rows.sample.n_all

    @property
    def gaps(self) -> Gaps:
        """Where it lacks values."""
        return self.table.gaps

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """Everything that is wrong or doubtful about the table."""
        return self.ask()

    def diagnosed(self, diagnosis: Diagnosis) -> Examined:
        """The same with another diagnosis."""
        return replace(self, types=diagnosis.types, ask=lambda: diagnosis)


def examine(read: ReadRows, options: DataOptions, start: Start) -> Examined:
    """Choose the test for a table and build it; ``types`` are by the table's own names."""
    tick = start("examining")
    given = {} if options.types is None else said_types(options.types)
    types = column_types(read.rows.sample, given, options.discrete)
    rows = _as_typed(read.rows, types, given)
    types = types if rows.in_memory else tuple(_of_all_rows(column, read.find_gaps()) for column in types)
    tick()
    typed = TypedTable(rows, read.find_gaps, types, options, given, read.notes)
    tested = typed.tested(rows.sample.all_names, start("correlations")) if typed.is_plain else None
    if tested is not None and tested.statistics.is_clean:
        return tested.examined(typed, tested.statistics.test(), lambda: typed.diagnosed(tested, start)[1])
    tested, diagnosis = typed.diagnosed(None, start)
    test = None if diagnosis.errors else tested.statistics.test()
    return tested.examined(typed, test, lambda: diagnosis)


def _as_typed(rows: AllRows, types: tuple[ColumnType, ...], given: Mapping[Hashable, Said]) -> AllRows:
    """The rows as the types say; ordered numbers have the same positions in all batches."""
    if not rows.in_memory:
        types = tuple(with_order(rows.sample, column) for column in types)
        if any(column.kind.is_ordered for column in types):  # they become positions, whose moments are others
            rows = replace(rows, summed=None)
    return rows.then(partial(as_typed, types=types, said=given))


def _of_all_rows(column: ColumnType, gaps: Gaps) -> ColumnType:
    """What a column is taken as, with the numbers of the whole table; values of numbers were not counted."""
    n_values = column.n_values if column.kind.is_coded else None
    n_missing = gaps.by_column[column.name].n_missing if column.name in gaps.by_column else 0
    return replace(column, n_missing=n_missing, n_values=n_values)


@dataclass(frozen=True)
class Tested:
    """Columns as a test takes them, what is said of that choice, and the statistics that the test is built from."""

    rows: TestedRows
    types: tuple[ColumnType, ...]
    choices: tuple[Finding, ...]

    @cached_property
    def statistics(self) -> Statistics:
        """Computed once, for the test and for the doctor."""
        return self.rows.entry.statistics_of(self.rows.data)

    def examined(self, table: TypedTable, test: CITest | None, ask: Callable[[], Diagnosis]) -> Examined:
        """With the test, and the doctor to ask."""
        options = replace(table.options, correlation=self.rows.data.correlation)
        return Examined(test, self.rows, self.types, options, table, ask)


@dataclass(frozen=True)
class TypedTable:
    """All rows of a table, typed, before any column is set aside; ``given`` are the types that the user gave."""

    rows: AllRows
    find_gaps: Callable[[], Gaps]
    types: tuple[ColumnType, ...]
    options: DataOptions
    given: Mapping[Hashable, Said]
    notes: tuple[Finding, ...]

    @cached_property
    def gaps(self) -> Gaps:
        """Where values are missing."""
        table = self.rows.sample
        if self.rows.in_memory and not table.incomplete:
            return Gaps.of(table)
        return self.find_gaps().part(table.all_names)

    @cached_property
    def is_complete(self) -> bool:
        """True where no value is missing."""
        return not self.rows.sample.incomplete if self.rows.in_memory else not self.gaps.by_column

    @property
    def is_plain(self) -> bool:
        """True where no column needs a closer look for its cells alone: no dates, no missing values that matter.

        Strings of rows that will be left out count, too: many different ones may be dates, names or numbers.
        """
        if not self.is_complete and (self.options.missing != "drop" or self.gaps.empty):
            return False
        table = self.rows.sample
        if any(
            table.kinds[name] == "date" or len(texts.values) > FEW_CATEGORIES for name, texts in table.texts.items()
        ):
            return False
        strings = set(table.texts)
        asked = TABLE_TESTS.get(str(self.options.test))
        as_numbers = asked is not None and asked.takes is not None and not asked.takes.is_coded
        return strings <= set(self.discrete) and not (strings and as_numbers)

    @property
    def discrete(self) -> tuple[Hashable, ...]:
        """The columns that are categories, ordered or not."""
        kept = self.rows.sample.kinds
        return tuple(column.name for column in self.types if column.kind.is_coded and column.name in kept)

    def tested(self, names: tuple[Hashable, ...], tick: Tick) -> Tested:
        """These columns as the test takes them."""
        rows, options = self.rows.part(names), self.options
        types, entry = _with_test(self.types, rows.sample, options, self.given)
        _check_batches(rows, entry, options)
        if options.missing == "drop" and not self.is_complete:
            rows = rows.complete(self.gaps.part(names).n_complete())
        rows = rows.weighed()
        kinds = {column.name: column.used_kind for column in types if column.name in rows.sample.kinds}
        data = TestData(rows, kinds, options.missing, options.correlation, tick)
        data, choices = _with_correlation(data, entry)
        return Tested(TestedRows(data, entry, rows.fractional), types, choices)

    def diagnosed(self, known: Tested | None, start: Start) -> tuple[Tested, Diagnosis]:
        """The columns that can be tested, and everything that is wrong or doubtful."""
        from sidelight.doctor.table import diagnosed_columns

        return diagnosed_columns(self, known, start)


# Which test goes with a table, and which options go with the test.


def _with_test(
    types: tuple[ColumnType, ...], table: Table, options: DataOptions, given: Collection[Hashable]
) -> tuple[tuple[ColumnType, ...], TableTest]:
    """The types as the test takes them, and the test; columns that are not in the table have no say."""
    kinds = {column.kind for column in types if column.name in table.kinds}
    chosen = str(options.test) if options.test != "auto" else _by_kinds(kinds)
    entry = TABLE_TESTS[chosen]
    _check_combination(options, chosen, entry)
    return tuple(_as_tested(c, chosen, c.name in given, c.name in table.texts) for c in types), entry


def _by_kinds(kinds: Collection[Kind]) -> str:
    return next(test for test in AUTO if TABLE_TESTS[test].takes is None or set(kinds) <= {TABLE_TESTS[test].takes})


def _as_tested(column: ColumnType, test: str, is_given: bool, is_string: bool) -> ColumnType:
    """The type that a test for columns of one kind gives a column; raises where that is not what types= says of it."""
    taken, kind = TABLE_TESTS[test].takes, column.kind
    if taken is None or kind == taken or kind.is_ordered or not kind.is_used or (is_string and not taken.is_coded):
        return column
    if is_given:
        what = f": {str(column.name)!r} is said to be {kind.name!r}, and the test {test!r} takes it as {taken.name!r}"
        raise InputError(Message(OptionName("types"), what))
    return replace(column, type=taken.name, decided=f"by the test {test}")


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


def _check_batches(rows: AllRows, entry: TableTest, options: DataOptions) -> None:
    """Raise where a test needs all rows in memory, and they are not."""
    if rows.in_memory:
        return
    if not entry.in_batches:
        raise InputError(Message(Option("test", options.test), f" needs all rows in memory; {FEWER_ROWS}"))
    if options.missing in ASSUMED:
        text = f" needs all rows in memory; {FEWER_ROWS}, or leave incomplete rows out with "
        raise InputError(Message(Option("missing", options.missing), text, Option("missing", "drop")))


def _with_correlation(data: TestData, entry: TableTest) -> tuple[TestData, tuple[Finding, ...]]:
    """The data with the correlation that "auto" comes to, and what is said of it."""
    if data.correlation != "auto":
        return data, ()
    if "normal-scores" in entry.correlations and data.missing in ("error", "drop") and not data.rows.is_weighted:
        from sidelight.families.gaussian.statistics import margins_of

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

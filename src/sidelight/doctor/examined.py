"""A table with the test for it: what its columns are, which family they belong to, and what the doctor says of them.

Where the statistics show that nothing can be wrong with the columns, the doctor is asked when its warnings are wanted;
else at once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

from sidelight.families import CITest
from sidelight.families.choice import check_batches, with_correlation, with_test
from sidelight.families.data import Statistics, TestData, TestedRows
from sidelight.families.options import DataOptions
from sidelight.kinds.ordinal import ORDINAL
from sidelight.kinds.types import ColumnType, as_typed, column_types, said_types, with_order
from sidelight.tables.all_rows import AllRows, Tick
from sidelight.tables.findings import Diagnosis, Finding
from sidelight.tables.gaps import Gaps
from sidelight.tables.rows import are_fractional
from sidelight.tables.type_option import Said

Start = Callable[[str], Tick]  # given the name of a phase that begins, returns what to call at each of its steps


@dataclass(frozen=True, eq=False)
class Examined:
    """A test, if there can be one, and the table that it was built from; the doctor is asked once."""

    test: CITest | None
    rows: TestedRows
    gaps: Gaps
    types: tuple[ColumnType, ...]
    options: DataOptions  # as they were applied
    ask: Callable[[], Diagnosis]

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """Everything that is wrong or doubtful about the table."""
        return self.ask()

    def diagnosed(self, diagnosis: Diagnosis) -> Examined:
        """The same with another diagnosis."""
        return replace(self, types=diagnosis.types, ask=lambda: diagnosis)


def examine(rows: AllRows, gaps: Gaps, notes: tuple[Finding, ...], options: DataOptions, start: Start) -> Examined:
    """Choose the test for a table and build it; ``types`` are by the table's own names."""
    tick = start("examining")
    given = said_types(options.types)
    types = column_types(rows.sample, given, options.discrete)
    rows = _as_typed(rows, types, given)
    types = types if rows.in_memory else tuple(_of_all_rows(column, gaps) for column in types)
    gaps = gaps.part(rows.sample.all_names)
    tick()
    typed = TypedTable(rows, gaps, types, options, given, notes)
    tested = typed.tested(rows.sample.all_names, start("correlations")) if typed.is_plain else None
    if tested is not None and tested.statistics.is_clean:
        return tested.examined(gaps, options, tested.statistics.test(), lambda: typed.diagnosed(tested, start)[1])
    tested, diagnosis = typed.diagnosed(None, start)
    test = None if diagnosis.errors else tested.statistics.test()
    return tested.examined(gaps, options, test, lambda: diagnosis)


def _as_typed(rows: AllRows, types: tuple[ColumnType, ...], given: Mapping[Hashable, Said]) -> AllRows:
    """The rows as the types say; ordered numbers have the same positions in all batches."""
    if not rows.in_memory:
        types = tuple(with_order(rows.sample, column) for column in types)
        if any(column.type == ORDINAL for column in types):  # they become positions, whose moments are others
            rows = replace(rows, summed=None)
    return rows.then(partial(as_typed, types=types, said=given))


def _of_all_rows(column: ColumnType, gaps: Gaps) -> ColumnType:
    """What a column is taken as, with the numbers of the whole table; values of numbers were not counted."""
    n_values = column.n_values if column.type in ("category", ORDINAL) else None
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

    def examined(self, gaps: Gaps, options: DataOptions, test: CITest | None, ask: Callable[[], Diagnosis]) -> Examined:
        """With the test, and the doctor to ask."""
        return Examined(
            test, self.rows, gaps, self.types, replace(options, correlation=self.rows.data.correlation), ask
        )


@dataclass(frozen=True)
class TypedTable:
    """All rows of a table, typed, before any column is set aside; ``given`` are the types that the user gave."""

    rows: AllRows
    gaps: Gaps
    types: tuple[ColumnType, ...]
    options: DataOptions
    given: Mapping[Hashable, Said]
    notes: tuple[Finding, ...]

    @property
    def is_plain(self) -> bool:
        """True where no column needs a closer look for its cells alone: no dates, no missing values that matter."""
        if self.gaps.empty or (self.gaps.by_column and self.options.missing != "drop"):
            return False
        strings = set(self.rows.sample.texts)
        return strings <= set(self.discrete) and not (strings and self.options.test in ("fisher-z", "kernel"))

    @property
    def discrete(self) -> tuple[Hashable, ...]:
        """The columns that are categories, ordered or not."""
        kept = self.rows.sample.kinds
        return tuple(c.name for c in self.types if c.type in ("category", ORDINAL) and c.name in kept)

    def tested(self, names: tuple[Hashable, ...], tick: Tick) -> Tested:
        """These columns as the test takes them."""
        rows, gaps, options = self.rows.part(names), self.gaps.part(names), self.options
        types, entry = with_test(self.types, rows.sample, options, self.given)
        check_batches(rows, entry, options)
        fractional = rows.counts is not None and are_fractional(rows.counts)  # as given, before rows are left out
        if options.missing == "drop":
            rows = rows.complete(gaps.n_complete())
        rows = rows.weighed(fractional)
        kinds = {column.name: column.type for column in types}
        data = TestData(rows, kinds, options.missing, options.correlation, tick)
        data, choices = with_correlation(data, entry)
        return Tested(TestedRows(data, entry, fractional or rows.scale != 1), types, choices)

    def diagnosed(self, known: Tested | None, start: Start) -> tuple[Tested, Diagnosis]:
        """The columns that can be tested, and everything that is wrong or doubtful."""
        from sidelight.doctor.table import diagnosed_columns

        return diagnosed_columns(self, known, start)

"""From what the user hands in to a test: source → rows → kinds of columns → family → statistics → test.

Where the statistics show that nothing can be wrong with the columns, the doctor is asked when its warnings are wanted;
else before the test is built.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import networkx as nx

from sidelight.doctor.table import cured, diagnosed_columns
from sidelight.doctor.units import row_names
from sidelight.errors import InputError
from sidelight.families import TABLE_TESTS, CITest, FisherZ, FunctionTest
from sidelight.families.contexts import check_context, with_context
from sidelight.families.data import FEW_CATEGORIES, TableTest, TestData, TestedRows, TypedTable
from sidelight.families.experiments import check_targets, in_experiments, with_settings
from sidelight.families.gaussian.correlation import ColumnSums, Correlation
from sidelight.families.gaussian.test import margins_of
from sidelight.families.grouped import check_groups, in_groups
from sidelight.families.options import ASSUMED, CORRELATIONS, MISSING, VARIATIONS, DataOptions
from sidelight.families.waves import check_time, in_waves
from sidelight.files.memory import memory_for
from sidelight.graphs.names import check_names
from sidelight.kinds.base import FEW_VALUES, Kind
from sidelight.kinds.types import ColumnType, as_typed, column_types, said_of, said_types, with_order
from sidelight.sources.cluster import on_cluster
from sidelight.sources.dialect import DialectChoice, kept_values
from sidelight.sources.passes import FirstPass
from sidelight.sources.rows import ReadRows, SourceRows, names_in, open_source, read_table
from sidelight.tables.all_rows import AllRows, Tick
from sidelight.tables.column_options import Marks, marks_of
from sidelight.tables.findings import Diagnosis, Finding, FindingKind, columns_that
from sidelight.tables.gaps import Gaps
from sidelight.tables.groups import centred
from sidelight.tables.survey import MOST_VALUES, Survey
from sidelight.tables.table import Table, as_list, existing_columns, weights_column
from sidelight.text.message import Message, Option, OptionName, must_be, must_be_one_of

NOT_WITH_FUNCTIONS = [
    *("correlation", "discrete", "types", "missing", "weights", "groups", "variation", "targets"),
    *("time", "lags", "contemporaneous", "context", "missing_values", "dates", "fix"),
]
CHANGED_BY_CURES = ("discrete", "types", "missing", "missing_values", "dates", "groups")
TRANSFORMED_RANKS = ("spearman", "kendall")  # what others offer; decision 14 has the figures
AUTO = ("fisher-z", "chi2-moments", "mixed")  # "auto" is the first that takes all columns as what they are
ROW_NAMES = "no heading, another value in each row"
SAME_IN_GROUPS = "the same within each group"
NOT_WITHIN = " does not compare rows within groups, only groups, with "
WITHIN = (Option("test", "fisher-z"), " for numbers, or ", Option("test", "mixed"))
FEWER_ROWS = "use a subset of the rows"
AnyOptions = TypeVar("AnyOptions", bound=DataOptions)
Start = Callable[[str], Tick]  # given the name of a phase that begins, returns what to call at each of its steps


def _unobserved(phase: str) -> Tick:
    return lambda count=1: None


@dataclass(frozen=True, eq=False)
class Examined:
    """A table as its test takes it, and the options as they were applied; the doctor is asked once."""

    rows: TestedRows
    options: DataOptions
    is_clean: bool  # nothing can be wrong: the test is built without the doctor
    ask: Callable[[], Diagnosis]

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """Everything that is wrong or doubtful about the table."""
        return self.ask()

    def test(self) -> CITest:
        """The test; raises where the table has errors."""
        if not self.is_clean:
            self.diagnosis.raise_if_unusable()
        return self.rows.test()


@dataclass(frozen=True)
class Prepared:
    """A test, and what is known of the table that it was built from, if it was built from one."""

    test: CITest
    examined: Examined | None = None

    @property
    def diagnosis(self) -> Diagnosis | None:
        """What the doctor says of the table; raises if something must be mended before learning."""
        if self.examined is None:
            return None
        self.examined.diagnosis.raise_if_unusable()
        return self.examined.diagnosis

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is doubtful about the table."""
        return () if self.diagnosis is None else self.diagnosis.warnings

    @property
    def rows(self) -> TestedRows | None:
        """What the test was built from, if that was a table."""
        return None if self.examined is None else self.examined.rows

    def as_applied(self, options: AnyOptions) -> AnyOptions:
        """The options with what cures changed, and what "auto" came to."""
        if self.examined is None:
            return options
        applied = self.examined.options
        cured = {name: getattr(applied, name) for name in CHANGED_BY_CURES} if options.fix else {}
        return replace(options, **cured, correlation=self.examined.rows.data.correlation)

    def settings(self, options: DataOptions) -> dict[str, Any]:
        """The kind of correlation, and which columns were taken as categories beside others; None if it was none."""
        rows = self.rows
        of_correlations = rows is not None and len(rows.entry.correlations) > 1
        mixed = rows.data if rows is not None and rows.entry.takes is None else None
        return {
            "correlation": options.correlation if of_correlations else None,
            "discrete": None if mixed is None else mixed.discrete,
            "ordinal": None if mixed is None else mixed.ordinal or None,
        }


def prepare(source: object, options: DataOptions, start: Start = _unobserved, keep_rows: bool = False) -> Prepared:
    """Turn a test, a correlation matrix or a table into a test; rows that are kept are here, not on a cluster."""
    if isinstance(source, nx.Graph):
        raise InputError("a graph answers no tests by itself; wrap it: sl.learn(sl.DSeparation(graph), …)")
    _check(options)
    if isinstance(source, CITest | Correlation):
        _refuse(options, [field.name for field in fields(DataOptions)], f"a {type(source).__name__}")
    if isinstance(source, CITest):
        check_names(getattr(source, "names", None))  # type: ignore[arg-type]
        return Prepared(source)
    if isinstance(source, Correlation):
        return Prepared(FisherZ(_checked(source)))
    if callable(options.test):
        _refuse(options, NOT_WITH_FUNCTIONS, "a function as the test")
        table = read_table(source, options.names, options.columns, options.drop, asked=_dialect(options))
        return Prepared(FunctionTest(options.test, source, table.all_names))
    examined = _examined(source, replace(options, dask=None) if keep_rows else options, start)
    return Prepared(examined.test(), examined)


def examine_source(source: object, options: DataOptions) -> Diagnosis:
    """Everything that is wrong or doubtful about a table."""
    _check(options)
    if callable(options.test):
        raise InputError("diagnose looks at a table for one of the library's own tests, not for a function")
    return _examined(source, options, _unobserved).diagnosis


def _check(options: DataOptions) -> None:
    """Raise when an option is none of those that are accepted."""
    if options.correlation in TRANSFORMED_RANKS:
        ranks = f": partial {options.correlation.capitalize()} correlations reject true independences too often; use "
        scores = Option("correlation", "normal-scores")
        raise InputError(
            Message(Option("correlation", options.correlation), ranks, scores, ", which rest on ranks too")
        )
    choices = {"correlation": ("auto", *CORRELATIONS), "test": ("auto", *TABLE_TESTS), "missing": MISSING}
    for name, accepted in choices.items():
        value = getattr(options, name)
        if not (isinstance(value, str) and value in accepted) and not (name == "test" and callable(value)):
            raise InputError(must_be_one_of(name, accepted, value))
    if (options.groups, options.variation) != (None, VARIATIONS[0]):
        check_groups(options)
    if (options.time, options.lags, options.contemporaneous) != (None, 1, True):
        check_time(options)
    if options.targets is not None:
        check_targets(options.targets, options)
    if options.context is not None:
        check_context(options)
    _marks(options)  # raises if it is none of what is accepted
    if not isinstance(options.fix, bool):
        raise InputError(must_be("fix", "True or False", options.fix))


def _checked(correlation: Correlation) -> Correlation:
    if correlation.is_singular and correlation.n_samples > len(correlation):
        raise InputError("the correlation matrix is singular: some columns are combinations of others; leave them out")
    return correlation


def _refuse(options: DataOptions, names: list[str], what: str) -> None:
    """Raise when an option was given that does not apply here."""
    default = DataOptions()
    for name in names:
        value, usual = getattr(options, name), getattr(default, name)
        if value is not usual and not (isinstance(value, str) and value == usual):
            raise InputError(Message(Option(name), f" goes with a table and its tests, not with {what}"))


# From a source to rows.


def _examined(source: object, options: DataOptions, start: Start) -> Examined:
    """Read a table once and choose the test, with cures if they are wanted."""
    tick = start("reading")
    memory = None if options.memory is None else memory_for(options.memory)
    columns, drop = _with_marks_of_rows(options)
    asked = _dialect(options)
    opened = open_source(source, options.names, columns or (), memory, asked)
    if options.dask is not None:
        opened = on_cluster(opened, options.dask)
    names = names_in(opened, columns, drop)
    for mark in ("groups", "time", "targets", "context"):
        existing_columns([*names.values()], [] if (name := getattr(options, mark)) is None else [name], mark)
    read = SourceRows.of(opened, names, options.weights, _marks(options), memory, asked.decimal)
    if options.types is not None:
        used = [name for name in read.names.values() if name not in _marks_of_rows(options)]
        options = replace(options, types=said_of(used, options.types, (*opened.names, *(options.names or ()))))

    if options.context is not None:
        options = with_context(options)
    ignored = _row_names(read, columns, options)

    def examined(dropped: Collection[Hashable], changed: DataOptions) -> Examined:
        marks, dates = _marks(changed), as_list(changed.dates)
        rows = read.read(dropped, marks, dates, _first_pass(changed, ignored), tick)
        if changed.targets is not None:
            rows = with_settings(rows, changed.targets)
        if changed.time is not None:
            rows, changed = in_waves(rows, changed)
        if changed.groups is None or not (changed.time is None or changed.compares_within):
            return _examined_rows(rows, changed, dict.fromkeys(ignored, ROW_NAMES), start)
        found = in_groups(rows, changed, tick)
        left_out = dict.fromkeys(found.left_out, SAME_IN_GROUPS)
        return _examined_rows(found.rows, found.options, {**dict.fromkeys(ignored, ROW_NAMES), **left_out}, start)

    if not options.fix:
        return examined((), options)
    found, diagnosis = cured(examined, options)
    return replace(found, ask=lambda: diagnosis)


def _row_names(read: SourceRows, columns: list[Hashable] | None, options: DataOptions) -> frozenset[Hashable]:
    """The names of rows, in columns without a heading that nothing is said of, unless there is no other column."""
    if not read.source.unnamed:
        return frozenset()
    said = {*(columns or ()), *as_list(options.discrete), *as_list(options.dates), *_marks(options)}
    said |= {*({} if options.types is None else said_types(options.types))}
    said |= {*_marks_of_rows(options)}
    unnamed = read.unnamed()
    names = frozenset(row_names(unnamed, set(unnamed.all_names) - said))
    return names if names < set(read.names.values()) else frozenset()


def _dialect(options: DataOptions) -> DialectChoice:
    said = {} if options.types is None else said_types(options.types)
    return DialectChoice(options.delimiter, options.decimal, options.header, kept_values(said))


def _marks(options: DataOptions) -> Marks:
    return {} if options.missing_values is None else marks_of(options.missing_values)


def _marks_of_rows(options: DataOptions) -> list[Hashable]:
    """The columns that say something of rows, and are no variables: weights, groups, times, targets."""
    marks = (weights_column(options.weights), options.groups, options.time, options.targets)
    return [name for name in marks if name is not None]


def _with_marks_of_rows(options: DataOptions) -> tuple[list[Hashable] | None, list[Hashable] | None]:
    """The columns to use and those not to; those that say something of rows are read in any case."""
    marks = [*_marks_of_rows(options), *([] if options.context is None else [options.context])]
    columns, drop = (None if value is None else as_list(value) for value in (options.columns, options.drop))
    return columns and [*columns, *marks], drop and [name for name in drop if name not in marks]


def _first_pass(options: DataOptions, row_names: frozenset[Hashable]) -> Callable[[], FirstPass]:
    """What a pass over rows that are not in memory finds; it tells more values apart where they may be categories."""
    entry = TABLE_TESTS.get(str(options.test))
    given = {} if options.types is None else said_types(options.types)
    every = entry is not None and entry.takes is not None and entry.takes.is_coded
    most = partial(_most_values, every, frozenset({*as_list(options.discrete), *given}))
    ignored = row_names | {name for name, what in given.items() if what == "ignore"}
    complete = options.missing == "drop"
    return lambda: FirstPass(Survey(most, ignored, complete), ColumnSums())


def _most_values(every: bool, given: frozenset[Hashable], name: Hashable) -> int:
    return MOST_VALUES if every or name in given else FEW_VALUES + 1


# From rows to the test for their columns.


def _examined_rows(read: ReadRows, options: DataOptions, ignored: Mapping[Hashable, str], start: Start) -> Examined:
    """Choose the test for a table; ``types`` are by the table's own names."""
    tick = start("examining")
    table = _typed(read, options, ignored)
    tick()

    def test_columns(names: tuple[Hashable, ...]) -> TestedRows:
        return _tested(table, names, start("correlations"))

    tested = test_columns(table.rows.sample.all_names) if _is_plain(table) else None
    if tested is not None and tested.statistics.is_clean:
        return Examined(tested, options, True, lambda: diagnosed_columns(table, tested, test_columns)[1])
    tested, diagnosis = diagnosed_columns(table, None, test_columns)
    return Examined(tested, options, False, lambda: diagnosis)


def _typed(read: ReadRows, options: DataOptions, ignored: Mapping[Hashable, str]) -> TypedTable:
    """The rows as the types say; ordered numbers have the same positions in all batches."""
    given = {**({} if options.types is None else said_types(options.types)), **dict.fromkeys(ignored, "ignore")}
    rows, types = read.rows, column_types(read.rows.sample, given, options.discrete)
    types = tuple(replace(column, decided=ignored.get(column.name, column.decided)) for column in types)
    in_order = types
    if not rows.in_memory:
        in_order = tuple(with_order(rows.sample, column) for column in types)
        if any(column.kind.is_ordered for column in in_order):  # they become positions, whose moments are others
            rows = replace(rows, summed=None)
        types = tuple(_of_all_rows(column, read.find_gaps()) for column in types)
    rows = rows.then(partial(as_typed, types=in_order, said=given))
    return TypedTable(rows, read.find_gaps, types, options, given, read.notes)


def _of_all_rows(column: ColumnType, gaps: Gaps) -> ColumnType:
    """What a column is taken as, with the numbers of the whole table; values of numbers were not counted."""
    n_values = column.n_values if column.kind.is_coded else None
    n_missing = gaps.by_column[column.name].n_missing if column.name in gaps.by_column else 0
    return replace(column, n_missing=n_missing, n_values=n_values)


def _is_plain(typed: TypedTable) -> bool:
    """True where no column needs a closer look for its cells alone: no dates, no missing values that matter.

    Strings of rows that will be left out count, too: many different ones may be dates, names or numbers.
    """
    if not typed.is_complete and (typed.options.missing != "drop" or typed.has_empty_columns):
        return False
    table = typed.rows.sample
    if any(table.kinds[name] == "date" or len(texts.values) > FEW_CATEGORIES for name, texts in table.texts.items()):
        return False
    asked = TABLE_TESTS.get(str(typed.options.test))
    as_numbers = asked is not None and asked.takes is not None and not asked.takes.is_coded
    return set(table.texts) <= set(typed.discrete) and not (table.texts and as_numbers)


def _tested(typed: TypedTable, names: tuple[Hashable, ...], tick: Tick) -> TestedRows:
    """These columns as the test takes them."""
    rows, options = typed.rows.part(names), typed.options
    types, entry = _with_test(typed, rows.sample)
    _check_batches(rows, entry, options)
    if options.missing == "drop" and not typed.is_complete:
        rows = rows.complete(lambda: typed.gaps.part(names).n_complete())
    rows = rows.weighed()
    if rows.groups is not None and entry.takes is not None:
        rows = centred(rows, tick)
    kinds = {column.name: column.used_kind for column in types if column.name in rows.sample.kinds}
    data, choices = _with_correlation(TestData(rows, kinds, options.missing, options.correlation, tick), entry)
    return TestedRows(data, entry, types, choices)


# Which test goes with a table, and which options go with the test.


def _with_test(typed: TypedTable, table: Table) -> tuple[tuple[ColumnType, ...], TableTest]:
    """The types as the test takes them, and the test; columns that are not in the table have no say."""
    options = typed.options
    kinds = {column.kind for column in typed.types if column.name in table.kinds}
    within = typed.rows.groups is not None
    chosen = str(options.test) if options.test != "auto" else _by_kinds(kinds, within)
    entry = TABLE_TESTS[chosen]
    if within and not entry.within_groups:
        raise InputError(Message(Option("test", chosen), NOT_WITHIN, Option("variation", "between"), "; use ", *WITHIN))
    if typed.rows.settings is not None:
        entry = in_experiments(entry)
    for name, accepted in (("correlation", entry.correlations), ("missing", entry.missing)):
        value = getattr(options, name)
        if value not in ("auto", *accepted):
            why = f" does not go with the test {chosen!r} for these columns; use {', '.join(map(repr, accepted))}"
            raise InputError(Message(Option(name, value), why))
    if options.weights is not None and not entry.weights:
        raise InputError(Message(Option("weights"), f" does not go with the test {chosen!r}"))
    return tuple(_as_tested(c, chosen, c.name in typed.given, c.name in table.texts) for c in typed.types), entry


def _by_kinds(kinds: Collection[Kind], within: bool) -> str:
    possible = [test for test in AUTO if TABLE_TESTS[test].within_groups or not within]
    return next(test for test in possible if TABLE_TESTS[test].takes is None or set(kinds) <= {TABLE_TESTS[test].takes})


def _as_tested(column: ColumnType, test: str, is_given: bool, is_string: bool) -> ColumnType:
    """The type that a test for columns of one kind gives a column; raises where that is not what types= says of it."""
    taken, kind = TABLE_TESTS[test].takes, column.kind
    if taken is None or kind == taken or kind.is_ordered or not kind.is_used or (is_string and not taken.is_coded):
        return column
    if is_given:
        what = f": {str(column.name)!r} is said to be {kind.name!r}, and the test {test!r} takes it as {taken.name!r}"
        raise InputError(Message(OptionName("types"), what))
    return replace(column, type=taken.name, decided=f"by the test {test}")


def _check_batches(rows: AllRows, entry: TableTest, options: DataOptions) -> None:
    """Raise where a test needs all rows in memory, and they are not."""
    if rows.in_memory:
        return
    if not entry.in_batches:
        raise InputError(Message(Option("test", options.test), f" needs all rows in memory; {FEWER_ROWS}"))
    if rows.groups is not None and entry.takes is None:
        text = f": categories within groups need all rows in memory; {FEWER_ROWS}, or numbers alone"
        raise InputError(Message(OptionName("groups"), text))
    if options.missing in ASSUMED:
        text = f" needs all rows in memory; {FEWER_ROWS}, or leave incomplete rows out with "
        raise InputError(Message(Option("missing", options.missing), text, Option("missing", "drop")))


def _with_correlation(data: TestData, entry: TableTest) -> tuple[TestData, tuple[Finding, ...]]:
    """The data with the correlation that "auto" comes to, and what is said of it."""
    if data.correlation != "auto":
        return data, ()
    if "normal-scores" in entry.correlations and data.missing not in ASSUMED and not data.rows.is_weighted:
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

"""From what the user hands in to a test: source → rows → kinds of columns → family → statistics → test."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, TypeVar

import networkx as nx

from sidelight.doctor.examined import Examined, Start, examine
from sidelight.errors import InputError
from sidelight.families import TABLE_TESTS, CITest, FisherZ, FunctionTest
from sidelight.families.data import TestData, TestedRows
from sidelight.families.gaussian.correlation import Correlation
from sidelight.families.gaussian.statistics import ColumnSums
from sidelight.families.options import DataOptions, check_data_options
from sidelight.files.memory import memory_for
from sidelight.graphs.names import check_names
from sidelight.kinds.base import FEW_VALUES
from sidelight.kinds.types import ColumnType, said_of, said_types
from sidelight.sources.cluster import on_cluster
from sidelight.sources.dialect import DialectChoice
from sidelight.sources.passes import FirstPass
from sidelight.sources.rows import SourceRows, names_in, open_source, read_table
from sidelight.tables.all_rows import Tick
from sidelight.tables.findings import Diagnosis, Finding
from sidelight.tables.survey import MOST_VALUES, Survey
from sidelight.tables.table import as_list, weights_column
from sidelight.tables.treatment import Marks, marks_of
from sidelight.text.message import Message, Option

NOT_WITH_FUNCTIONS = ["correlation", "discrete", "types", "missing", "weights", "missing_values", "dates", "fix"]
CHANGED_BY_CURES = ("discrete", "types", "missing", "missing_values", "dates")
AnyOptions = TypeVar("AnyOptions", bound=DataOptions)


def _unobserved(phase: str) -> Tick:
    return lambda count=1: None


@dataclass(frozen=True)
class Prepared:
    """A test, and what is known of the table that it was built from."""

    test: CITest
    examined: Examined | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)  # options of the table as they were applied
    undecided_before: int = 0  # how many tests the test had failed to decide before

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is doubtful about the table."""
        if self.examined is None:
            return ()
        diagnosis = self.examined.diagnosis
        diagnosis.raise_if_unusable()
        return diagnosis.warnings

    @property
    def rows(self) -> TestedRows | None:
        """What the test was built from, if that was a table."""
        return None if self.examined is None else self.examined.rows

    @property
    def types(self) -> tuple[ColumnType, ...]:
        """What each column was taken as."""
        return () if self.examined is None else self.examined.types

    @property
    def n_rows(self) -> int | None:
        """The number of rows of the table."""
        return None if self.examined is None else self.examined.n_rows

    @property
    def n_complete(self) -> int | None:
        """How many of them are complete."""
        return None if self.examined is None else self.examined.gaps.n_complete()

    @property
    def discrete(self) -> tuple[Hashable, ...] | None:
        """The columns that were taken as discrete beside others."""
        return self._beside_others(lambda data: data.discrete)

    @property
    def ordinal(self) -> tuple[Hashable, ...] | None:
        """The columns that were taken as ordered categories beside others."""
        return self._beside_others(lambda data: data.ordinal) or None

    def _beside_others(self, chosen: Callable[[TestData], tuple[Hashable, ...]]) -> tuple[Hashable, ...] | None:
        return None if self.rows is None or self.rows.entry.takes is not None else chosen(self.rows.data)

    def as_applied(self, options: AnyOptions) -> AnyOptions:
        """The options with what cures changed, and what "auto" came to."""
        return replace(options, **self.changes)

    def correlation(self, options: DataOptions) -> str | None:
        """The kind of correlation, where the test was built from correlations of a table."""
        entry = None if self.examined is None else TABLE_TESTS.get(self.test.option)
        return options.correlation if entry is not None and len(entry.correlations) > 1 else None


def prepare(source: object, options: DataOptions, start: Start = _unobserved, keep_rows: bool = False) -> Prepared:
    """Turn a test, a correlation matrix or a table into a test; rows that are kept are here, not on a cluster."""
    if isinstance(source, nx.Graph):
        raise InputError("a graph answers no tests by itself; wrap it: sl.learn(sl.DSeparation(graph), …)")
    if any(getattr(options, option.name) is not option.default for option in fields(DataOptions)):
        check_data_options(options)
    if isinstance(source, CITest | Correlation):
        _refuse(options, [field.name for field in fields(DataOptions)], f"a {type(source).__name__}")
    if isinstance(source, CITest):
        check_names(getattr(source, "names", None))  # type: ignore[arg-type]
        return Prepared(source, undecided_before=source.n_undecided)
    if isinstance(source, Correlation):
        return Prepared(FisherZ(_checked(source)))
    if callable(options.test):
        _refuse(options, NOT_WITH_FUNCTIONS, "a function as the test")
        table = read_table(source, options.names, options.columns, options.drop, asked=_dialect(options))
        return Prepared(FunctionTest(options.test, source, table.all_names))
    return _from_table(source, replace(options, dask=None) if keep_rows else options, start)


def examine_source(source: object, options: DataOptions) -> Diagnosis:
    """Everything that is wrong or doubtful about a table."""
    check_data_options(options)
    if callable(options.test):
        raise InputError("diagnose looks at a table for one of the library's own tests, not for a function")
    return _examined(source, options, _unobserved).diagnosis


def _from_table(source: object, options: DataOptions, start: Start) -> Prepared:
    examined = _examined(source, options, start)
    if examined.test is None:
        examined.diagnosis.raise_if_unusable()
        raise InputError("no test can be built from this table")
    changed = ("correlation", *(CHANGED_BY_CURES if options.fix else ()))
    return Prepared(examined.test, examined, {name: getattr(examined.options, name) for name in changed})


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


def _examined(source: object, options: DataOptions, start: Start) -> Examined:
    """Read a table once, choose the test and build it, with cures if they are wanted."""
    tick = start("reading")
    memory = None if options.memory is None else memory_for(options.memory)
    columns, drop = _with_weights(options)
    asked = _dialect(options)
    opened = open_source(source, options.names, columns or (), memory, asked)
    if options.dask is not None:
        opened = on_cluster(opened, options.dask)
    names, marks = names_in(opened, columns, drop), _marks(options)
    read = SourceRows.of(opened, names, options.weights, marks, memory, asked.decimal)
    if options.types is not None:
        used = [name for name in read.names.values() if name != weights_column(options.weights)]
        options = replace(options, types=said_of(used, options.types, (*opened.names, *(options.names or ()))))

    def examined(dropped: Collection[Hashable], changed: DataOptions) -> Examined:
        marks, dates = _marks(changed), as_list(changed.dates)
        return examine(read.read(dropped, marks, dates, _first_pass(changed), tick), changed, start)

    if not options.fix:
        return examined((), options)
    from sidelight.doctor.curing import cured

    found, diagnosis = cured(examined, options)
    return found.diagnosed(diagnosis)


def _dialect(options: DataOptions) -> DialectChoice:
    return DialectChoice(options.delimiter, options.decimal, options.header).checked()


def _marks(options: DataOptions) -> Marks:
    return {} if options.missing_values is None else marks_of(options.missing_values)


def _with_weights(options: DataOptions) -> tuple[list[Hashable] | None, list[Hashable] | None]:
    """The columns to use and those not to; the one that the weights are in is read in any case."""
    column = weights_column(options.weights)
    columns, drop = (None if value is None else as_list(value) for value in (options.columns, options.drop))
    if column is None:
        return columns, drop
    return columns and [*columns, column], drop and [name for name in drop if name != column]


def _first_pass(options: DataOptions) -> Callable[[], FirstPass]:
    """What a pass over rows that are not in memory finds; it tells more values apart where they may be categories."""
    entry = TABLE_TESTS.get(str(options.test))
    given = {} if options.types is None else said_types(options.types)
    every = entry is not None and entry.takes is not None and entry.takes.is_coded
    most = partial(_most_values, every, frozenset({*as_list(options.discrete), *given}))
    ignored = frozenset(name for name, what in given.items() if what == "ignore")
    return partial(_make_first_pass, most, ignored, options.missing == "drop")


def _make_first_pass(most: Callable[[Hashable], int], ignored: frozenset[Hashable], complete: bool) -> FirstPass:
    return FirstPass(Survey(most, ignored, complete), ColumnSums())


def _most_values(every: bool, given: frozenset[Hashable], name: Hashable) -> int:
    return MOST_VALUES if every or name in given else FEW_VALUES + 1

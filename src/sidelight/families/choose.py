"""From what the user hands in to a test: one that is given, over a correlation matrix, or built from a table."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import networkx as nx

from sidelight.errors import InputError
from sidelight.families import TABLE_TESTS, CITest, FisherZ, FunctionTest
from sidelight.families.building import Examined, Start, TableRows, examine
from sidelight.families.curing import cured
from sidelight.families.gaussian.correlation import Correlation
from sidelight.families.large import examine_large
from sidelight.families.options import DataOptions
from sidelight.families.table_test import Tick
from sidelight.files.memory import TooLargeError, memory_for
from sidelight.graphs.names import check_names
from sidelight.kinds.types import ColumnType, said_of
from sidelight.sources.cluster import OnCluster, on_cluster
from sidelight.sources.opening import open_batches
from sidelight.sources.read import names_in, read_table
from sidelight.sources.variables import column_names
from sidelight.tables.findings import Diagnosis, Finding
from sidelight.tables.rows import Weights, take_weights
from sidelight.tables.table import as_list, weights_column
from sidelight.tables.treatment import marks_of
from sidelight.text.message import Message, Option, must_be, must_be_one_of

MISSING = tuple(dict.fromkeys(value for test in TABLE_TESTS.values() for value in test.missing))
CORRELATIONS = tuple(dict.fromkeys(value for test in TABLE_TESTS.values() for value in test.correlations))
NOT_WITH_FUNCTIONS = ["correlation", "discrete", "types", "missing", "weights", "missing_values", "dates", "fix"]
CHANGED_BY_CURES = ("discrete", "types", "missing", "missing_values", "dates")
AnyOptions = TypeVar("AnyOptions", bound=DataOptions)
TRANSFORMED_RANKS = ("spearman", "kendall")  # what others offer; decision 14 has the figures


def _unobserved(phase: str) -> Tick:
    return lambda count=1: None


@dataclass(frozen=True)
class Prepared:
    """A test, what is doubtful about its data, and which columns were taken as discrete beside others."""

    test: CITest
    findings: tuple[Finding, ...] = ()
    discrete: tuple[Hashable, ...] | None = None
    from_table: bool = False
    ordinal: tuple[Hashable, ...] | None = None
    types: tuple[ColumnType, ...] = ()
    n_rows: int | None = None  # of the table, and how many of them are complete
    n_complete: int | None = None
    undecided_before: int = 0  # how many tests the test had failed to decide before
    rows: TableRows | None = None  # what the test was built from, if that was a table and one of the library's tests
    n_runs: int = 1  # how often much the same is learned: what that takes decides what is worth compiling
    changes: Mapping[str, Any] = field(default_factory=dict)  # options of the table as they were applied

    def as_applied(self, options: AnyOptions) -> AnyOptions:
        """The options with what cures changed, and what "auto" came to."""
        return replace(options, **self.changes)

    def correlation(self, options: DataOptions) -> str | None:
        """The kind of correlation, where the test was built from correlations of a table."""
        entry = TABLE_TESTS.get(self.test.option) if self.from_table else None
        return options.correlation if entry is not None and len(entry.correlations) > 1 else None


def prepare(source: object, options: DataOptions, start: Start = _unobserved, keep_rows: bool = False) -> Prepared:
    """Turn a test, a correlation matrix or a table into a test; the rows of a table are kept if that is wanted."""
    if isinstance(source, nx.Graph):
        raise InputError("a graph answers no tests by itself; wrap it: sl.learn(sl.DSeparation(graph), …)")
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
        table = read_table(source, options.names, options.columns, options.drop)
        return Prepared(FunctionTest(options.test, source, table.all_names))
    if keep_rows:  # here, where resamples are drawn from them
        options = replace(options, dask=None)
    prepared = _from_table(source, options, start)
    return prepared if keep_rows else replace(prepared, rows=None)


def _from_table(source: object, options: DataOptions, start: Start) -> Prepared:
    found = _built(source, options, start)
    found.diagnosis.raise_if_unusable()
    if found.test is None:
        raise InputError("no test can be built from this table")
    both, data, diagnosis = found.rows.entry.columns == "both", found.rows.data, found.diagnosis
    changed = ("correlation", *(CHANGED_BY_CURES if options.fix else ()))
    return Prepared(
        found.test,
        diagnosis.warnings,
        discrete=data.discrete if both else None,
        ordinal=data.ordinal if both and data.ordinal else None,
        types=diagnosis.types,
        n_rows=diagnosis.n_rows,
        n_complete=diagnosis.n_complete,
        from_table=True,
        rows=found.rows,
        changes={name: getattr(found.options, name) for name in changed},
    )


def examine_source(source: object, options: DataOptions) -> Diagnosis:
    """Everything that is wrong or doubtful about a table."""
    check_data_options(options)
    if callable(options.test):
        raise InputError("diagnose looks at a table for one of the library's own tests, not for a function")
    return _built(source, options, _unobserved).diagnosis


def check_data_options(options: DataOptions) -> None:
    """Raise when an option is none of those that are accepted."""
    test = "auto" if callable(options.test) else options.test
    if options.correlation in TRANSFORMED_RANKS:
        raise InputError(_use_normal_scores(options.correlation))
    check_choice("correlation", options.correlation, ("auto", *CORRELATIONS))
    check_choice("test", test, ("auto", *TABLE_TESTS))
    check_choice("missing", options.missing, MISSING)
    if options.missing_values is not None:
        marks_of(options.missing_values)  # raises if it is none of what is accepted
    if not isinstance(options.fix, bool):
        raise InputError(must_be("fix", "True or False", options.fix))


def _use_normal_scores(correlation: str) -> Message:
    why = f": partial {correlation.capitalize()} correlations reject true independences too often; use "
    return Message(
        Option("correlation", correlation), why, Option("correlation", "normal-scores"), ", which rest on ranks too"
    )


def check_choice(option: str, value: object, accepted: Collection[str]) -> None:
    """Raise when a value is none of those that an option accepts."""
    if not isinstance(value, str) or value not in accepted:
        raise InputError(must_be_one_of(option, accepted, value))


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


def _built(source: object, options: DataOptions, start: Start) -> Examined:
    """Read a table once, choose the test and build it, with what the doctor says and, if that is wanted, its cures."""
    start("reading")
    memory, (columns, drop) = memory_for(options.memory), _with_weights(options)
    as_file = isinstance(source, str | Path) and options.dask is None and not os.path.isdir(source)
    batches = None if as_file else open_batches(source, columns or (), memory)
    if options.dask is not None:
        if batches is None:
            raise InputError(Message(Option("dask"), " goes with files, folders and data frames of Dask"))
        batches = on_cluster(batches, options.dask)
    if isinstance(batches, OnCluster):
        return examine_large(batches, names_in(batches, columns, drop), options, memory, start)
    try:
        table = read_table(source if batches is None else batches, options.names, columns, drop, memory)
    except TooLargeError:
        batches = batches or open_batches(source, columns or ())
        assert batches is not None  # nothing else is too large
        return examine_large(batches, names_in(batches, columns, drop), options, memory, start)
    weights: Weights | None = None
    if options.weights is not None:
        table, weights = take_weights(table, options.weights)
    if options.types is not None:
        there = column_names(source, columns or ()) if batches is None else batches.names
        there = (*there, *(options.names or ()))
        options = replace(options, types=said_of(table.all_names, options.types, there))

    def examined(dropped: Collection[Hashable], changed: DataOptions) -> Examined:
        part = table.part(name for name in table.all_names if name not in dropped) if dropped else table
        return examine(part, weights, changed, start)

    return cured(examined, options) if options.fix else examined((), options)


def _with_weights(options: DataOptions) -> tuple[list[Hashable] | None, list[Hashable] | None]:
    """The columns to use and those not to; the one that the weights are in is read in any case."""
    column = weights_column(options.weights)
    columns, drop = (None if value is None else as_list(value) for value in (options.columns, options.drop))
    if column is None:
        return columns, drop
    return columns and [*columns, column], drop and [name for name in drop if name != column]

"""From what the user hands in to a test: one that is given, over a correlation matrix, or built from a table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator
from dataclasses import dataclass, fields, replace

import networkx as nx
import numpy as np

from sidelight.data.read import read_table
from sidelight.data.rows import Weights, are_fractional, counted_as_rows, gaps_by_column, take_weights, without_gaps
from sidelight.data.table import Table, as_list, weights_column
from sidelight.data.type_option import ORDINAL
from sidelight.data.types import ColumnKind, ColumnType, as_typed, column_types, said_of
from sidelight.doctor.findings import Diagnosis, Finding
from sidelight.doctor.rows import examine_rows
from sidelight.errors import InputError
from sidelight.graphs.names import check_names
from sidelight.independence import TABLE_TESTS, CITest, FisherZ, FunctionTest, TableTest, TestData
from sidelight.independence.options import DataOptions
from sidelight.independence.table_test import Built, Tick
from sidelight.sufficient.correlation import Correlation, n_whole
from sidelight.text.message import Message, Option, OptionName, must_be_one_of
from sidelight.text.sentences import counted

MISSING = tuple(dict.fromkeys(value for test in TABLE_TESTS.values() for value in test.missing))
CORRELATIONS = tuple(dict.fromkeys(value for test in TABLE_TESTS.values() for value in test.correlations))
TRANSFORMED_RANKS = ("spearman", "kendall")  # what others offer; decision 14 has the figures
# What is assumed of values that are missing, beside complete rows.
AT_RANDOM = "whether a value is missing may depend on values that are there, not on itself"
ASSUMED = {
    "pairwise": "each test uses the rows that are complete in its columns, which assumes that values are missing "
    f"completely at random; a score fills the gaps, which assumes less: {AT_RANDOM}",
    "em": f"it is assumed that they are missing at random: {AT_RANDOM}",
}
# What "auto" comes to for columns that are all numbers, all categories, or of several kinds.
NUMBERS, DISCRETE, SEVERAL = "fisher-z", "chi2-moments", "mixed"
TAKEN_AS: dict[str, ColumnKind] = {"numbers": "number", "discrete": "category"}  # by tests for one kind of columns

Start = Callable[[str], Tick]  # given the name of a phase that begins, returns what to call at each of its steps


def _unobserved(phase: str) -> Tick:
    return lambda: None


@dataclass(frozen=True)
class TableRows:
    """The rows that a test was built from, and how: others are built from a part of them, or from repeated ones."""

    data: TestData
    entry: TableTest
    fractional: bool = False  # True when rows have survey weights

    @property
    def discrete(self) -> frozenset[Hashable]:
        """The columns that the test takes as discrete."""
        every = self.data.table.all_names
        return frozenset({"numbers": (), "discrete": every, "both": self.data.discrete}[self.entry.columns])

    @property
    def counts_as_weights(self) -> bool:
        """True where a frequency weight does what repeated rows do, to the last step of a test."""
        if self.data.weights is not None:
            return not self.fractional
        plain = self.entry.weights and self.data.correlation == "pearson" and not self._has_gaps
        return self.entry.columns == "numbers" and plain

    @property
    def _has_gaps(self) -> bool:
        return self.data.missing in ("pairwise", "em")

    def build(self) -> Built:
        """The test, examined by the doctor."""
        build = self.entry.build_with_gaps if self._has_gaps else None
        return (build or self.entry.build)(self.data)

    def make(self) -> CITest:
        """The test, without the doctor."""
        make = self.entry.make_with_gaps if self._has_gaps else None
        return (make or self.entry.make)(self.data)


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
        _refuse(options, ["correlation", "discrete", "types", "missing", "weights"], "a function as the test")
        table = read_table(source, options.names, options.columns, options.drop)
        return Prepared(FunctionTest(options.test, source, table.all_names))
    prepared = _from_table(source, options, start)
    return prepared if keep_rows else replace(prepared, rows=None)


def _from_table(source: object, options: DataOptions, start: Start) -> Prepared:
    test, diagnosis, rows = _built(source, options, start)
    diagnosis.raise_if_unusable()
    if test is None:
        raise InputError("no test can be built from this table")
    both, found = rows.entry.columns == "both", rows.data
    return Prepared(
        test,
        diagnosis.warnings,
        discrete=found.discrete if both else None,
        ordinal=found.ordinal if both and found.ordinal else None,
        types=diagnosis.types,
        n_rows=diagnosis.n_rows,
        n_complete=diagnosis.n_complete,
        from_table=True,
        rows=rows,
    )


def examine_source(source: object, options: DataOptions) -> Diagnosis:
    """Everything that is wrong or doubtful about a table."""
    check_data_options(options)
    if callable(options.test):
        raise InputError("diagnose looks at a table for one of the library's own tests, not for a function")
    return _built(source, options, _unobserved)[1]


def check_data_options(options: DataOptions) -> None:
    """Raise when an option is none of those that are accepted."""
    test = "auto" if callable(options.test) else options.test
    if options.correlation in TRANSFORMED_RANKS:
        raise InputError(_use_normal_scores(options.correlation))
    check_choice("correlation", options.correlation, CORRELATIONS)
    check_choice("test", test, ("auto", *TABLE_TESTS))
    check_choice("missing", options.missing, MISSING)


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


def _built(source: object, options: DataOptions, start: Start) -> tuple[CITest | None, Diagnosis, TableRows]:
    """Read a table once, choose the test and build it, with what the doctor says."""
    start("reading")
    table = read_table(source, options.names, *_with_weights(options))
    weights: Weights | None = None
    if options.weights is not None:
        table, weights = take_weights(table, options.weights)
    fractional = weights is not None and are_fractional(weights)  # as given, before rows are left out
    said = said_of(table, options.types, source, options.names)
    types, chosen = _with_test(column_types(table, said, options.discrete), table, options, said)
    entry, table = TABLE_TESTS[chosen], as_typed(table, types, said)
    _check_combination(options, chosen, entry)
    n_rows, n_complete = table.n_rows, table.n_complete
    lost: tuple[Finding, ...] = ()
    if options.missing == "drop":
        table, weights, n_left_out = without_gaps(table, weights)
        lost = tuple(_rows_left_out(n_left_out, n_rows))
    elif options.missing in ASSUMED:
        lost = tuple(_assumed_of_gaps(table, options.missing))
    discrete, ordinal = (tuple(c.name for c in types if c.type == kind) for kind in ("category", ORDINAL))
    counted = None if weights is None else counted_as_rows(weights, fractional)
    data = TestData(table, discrete, ordinal, counted, options.missing, options.correlation, start("correlations"))
    rows = TableRows(data, entry, fractional)
    test, diagnosis = rows.build()
    by_rows = not diagnosis.errors and (weights is None or fractional)
    dependent = examine_rows(table, (*discrete, *ordinal)) if by_rows else ()
    findings = (*lost, *_survey_weights(weights if fractional else None, entry), *diagnosis.findings, *dependent)
    diagnosis = replace(diagnosis, findings=findings, names=table.all_names, types=types)
    return test, replace(diagnosis, n_rows=n_rows, n_complete=n_complete), rows


def _with_weights(options: DataOptions) -> tuple[list[Hashable] | None, list[Hashable] | None]:
    """The columns to use and those not to; the one that the weights are in is read in any case."""
    column = weights_column(options.weights)
    columns, drop = (None if value is None else as_list(value) for value in (options.columns, options.drop))
    if column is None:
        return columns, drop
    return columns and [*columns, column], drop and [name for name in drop if name != column]


def _rows_left_out(n_left_out: int, n_rows: int) -> Iterator[Finding]:
    if n_left_out:
        text = f"{n_left_out} of {counted(n_rows, 'row')} have missing or infinite values and were left out"
        yield Finding("dropped rows", "warning", (), text)


def _assumed_of_gaps(table: Table, missing: str) -> Iterator[Finding]:
    """What is assumed of the reasons why values are missing; data cannot show whether it holds."""
    gaps = {name: where for name, where in gaps_by_column(table) if where.any()}
    if gaps:
        n_complete = table.n_rows - int(np.logical_or.reduce(list(gaps.values())).sum())
        have = f"{counted(len(gaps), 'column')} {'has' if len(gaps) == 1 else 'have'} missing values"
        text = f"{have}, and {n_complete} of {counted(table.n_rows, 'row')} are complete; {ASSUMED[missing]}"
        yield Finding("missing values", "warning", tuple(gaps), text)


def _survey_weights(weights: Weights | None, entry: TableTest) -> Iterator[Finding]:
    if weights is None:
        return
    size = f"{n_whole(counted_as_rows(weights, True).sum())} of {counted(len(weights), 'row')}"
    text = f"weights that are not whole are taken as survey weights: the effective sample size is {size} (Kish)"
    if entry.columns == "discrete":
        text += ". With them, tests whose strata have only a few rows do not keep their significance level"
    yield Finding("survey weights", "warning", (), text, "give whole numbers if they count equal rows")


def _with_test(
    types: tuple[ColumnType, ...], table: Table, options: DataOptions, said: Collection[Hashable]
) -> tuple[tuple[ColumnType, ...], str]:
    """The types as the test takes them, and the test."""
    chosen = _chosen(str(options.test), types)
    return tuple(_as_tested(c, chosen, c.name in said, c.name in table.texts) for c in types), chosen


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


def _check_combination(options: DataOptions, chosen: str, entry: TableTest) -> None:
    """Raise when another option does not go with the test."""
    for name, accepted in (("correlation", entry.correlations), ("missing", entry.missing)):
        value = getattr(options, name)
        if value not in accepted:
            usable = ", ".join(map(repr, accepted))
            raise InputError(
                Message(Option(name, value), f" does not go with the test {chosen!r} for these columns; use {usable}")
            )
    if options.weights is not None and not entry.weights:
        raise InputError(Message(Option("weights"), f" does not go with the test {chosen!r}"))

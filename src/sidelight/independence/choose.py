"""From what the user hands in to a test: one that is given, over a correlation matrix, or built from a table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, fields, replace

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.data.coding import discrete_columns
from sidelight.data.read import read_table
from sidelight.data.table import Table
from sidelight.doctor.findings import Diagnosis, Finding
from sidelight.doctor.numbers import FEWEST_ROWS
from sidelight.errors import InputError
from sidelight.graphs.dag import check_names
from sidelight.independence import TABLE_TESTS, CITest, FisherZ, FunctionTest, TableTest, TestData
from sidelight.independence.options import DataOptions
from sidelight.sufficient.correlation import Correlation
from sidelight.text.message import Message, Option

MISSING = ("error", "drop", "pairwise", "em")
# What "auto" comes to for columns that are all numbers, all discrete, or both.
NUMBERS, DISCRETE, BOTH = "fisher-z", "chi2-moments", "mixed"

Tick = Callable[[], None]
Start = Callable[[str], Tick]  # given the name of a phase that begins, returns what to call at each of its steps
Weights = NDArray[np.float64]


def _unobserved(phase: str) -> Tick:
    return lambda: None


@dataclass(frozen=True)
class Prepared:
    """A test, what is doubtful about its data, and which columns were taken as discrete beside others."""

    test: CITest
    findings: tuple[Finding, ...] = ()
    discrete: tuple[Hashable, ...] | None = None
    from_table: bool = False
    undecided_before: int = 0  # how many tests the test had failed to decide before

    def correlation(self, options: DataOptions) -> str | None:
        """The kind of correlation, where the test was built from correlations of a table."""
        return options.correlation if self.from_table and self.test.option == NUMBERS else None


def prepare(source: object, options: DataOptions, start: Start = _unobserved) -> Prepared:
    """Turn a test, a correlation matrix or a table into a test."""
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
        _refuse(options, ["correlation", "discrete", "missing", "weights"], "a function as the test")
        table = read_table(source, options.names, options.columns, options.drop)
        return Prepared(FunctionTest(options.test, source, table.all_names))
    return _from_table(source, options, start)


def _from_table(source: object, options: DataOptions, start: Start) -> Prepared:
    test, diagnosis, discrete = _built(source, options, start)
    diagnosis.raise_if_unusable()
    if test is None:
        raise InputError("no test can be built from this table")
    return Prepared(test, diagnosis.warnings, discrete, from_table=True)


def examine_source(source: object, options: DataOptions) -> Diagnosis:
    """Everything that is wrong or doubtful about a table."""
    check_data_options(options)
    if callable(options.test):
        raise InputError("diagnose looks at a table for one of the library's own tests, not for a function")
    return _built(source, options, _unobserved)[1]


def check_data_options(options: DataOptions) -> None:
    """Raise when an option is none of those that are accepted."""
    test = "auto" if callable(options.test) else options.test
    check_choice("correlation", options.correlation, TABLE_TESTS[NUMBERS].correlations)
    check_choice("test", test, ("auto", *TABLE_TESTS))
    check_choice("missing", options.missing, MISSING)


def check_choice(option: str, value: object, accepted: Collection[str]) -> None:
    """Raise when a value is none of those that an option accepts."""
    if not isinstance(value, str) or value not in accepted:
        raise InputError(Message(Option(option), f" must be one of {', '.join(map(repr, accepted))}; got {value!r}"))


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


def _built(
    source: object, options: DataOptions, start: Start
) -> tuple[CITest | None, Diagnosis, tuple[Hashable, ...] | None]:
    """Read a table once, choose the test and build it, with what the doctor says and which columns are discrete."""
    start("reading")
    table = read_table(source, options.names, options.columns, options.drop)
    table, weights = take_weights(table, options.weights)
    lost: tuple[Finding, ...] = ()
    if options.missing == "drop":
        table, weights, lost = without_gaps(table, weights)
    discrete = discrete_columns(table, options.discrete)
    chosen = _chosen(str(options.test), table, discrete)
    entry = TABLE_TESTS[chosen]
    _check_combination(options, chosen, entry)
    data = TestData(table, discrete, weights, options.missing, options.correlation, start("correlations"))
    has_gaps = options.missing in ("pairwise", "em")
    test, diagnosis = (entry.build_with_gaps if has_gaps and entry.build_with_gaps else entry.build)(data)
    findings = (*lost, *diagnosis.findings)
    return test, replace(diagnosis, findings=findings), discrete if chosen == BOTH else None


def _chosen(asked: str, table: Table, discrete: tuple[Hashable, ...]) -> str:
    """The test by the types of the columns."""
    if asked != "auto":
        return asked
    if not discrete:
        return NUMBERS
    return DISCRETE if len(discrete) == len(table.all_names) else BOTH


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


def without_gaps(table: Table, weights: Weights | None) -> tuple[Table, Weights | None, tuple[Finding, ...]]:
    """Leave out the rows with missing or infinite values, and say how many."""
    complete = np.ones(table.n_rows, dtype=np.bool_)
    for i in range(len(table.names)):
        if table.values.dtype.kind == "f":
            complete &= np.isfinite(table.values[:, i].astype(np.float64))
    for column in table.texts.values():
        complete &= np.array([value is not None for value in column], dtype=np.bool_)
    gone = int((~complete).sum())
    if not gone:
        return table, weights, ()
    message = f"{gone} of {table.n_rows} rows have missing or infinite values and were left out"
    finding = Finding("dropped rows", "warning", (), message, "")
    return table.rows(complete), None if weights is None else weights[complete], (finding,)


def take_weights(table: Table, weights: object) -> tuple[Table, Weights | None]:
    """The weights, from a column of the table, which then is no variable, or from an array."""
    if weights is None:
        return table, None
    if isinstance(weights, str) or (isinstance(weights, Hashable) and weights in table.kinds):
        if weights not in table.names:
            known = "is not numeric" if weights in table.kinds else "is not there"
            raise InputError(f"weights: column {weights!r} {known}")
        array = np.asarray(table.column(weights), dtype=np.float64)
        table = table.part(name for name in table.all_names if name != weights)
    else:
        try:
            array = np.asarray(weights, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError("weights: give a column's name or one number for each row") from error
    if array.shape != (table.n_rows,):
        raise InputError(f"weights: {table.n_rows} are needed, one for each row; the shape is {array.shape}")
    if not np.isfinite(array).all() or (array < 0).any():
        row = int(np.argmax(~np.isfinite(array) | (array < 0)))
        raise InputError(f"weights: the weight of row {row + 1} is {array[row]}; frequency weights are 0 or more")
    if array.sum() < FEWEST_ROWS:
        total = f"they sum to {array.sum():g}" if array.any() else "all are zero"
        raise InputError(f"weights: {total}; frequency weights say how many rows a row stands for")
    return table.rows(array > 0), array[array > 0]

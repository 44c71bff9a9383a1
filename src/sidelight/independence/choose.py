"""From whatever the user hands in to a test that answers questions, with what the data doctor had to say."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.data.coding import code_table, discrete_columns
from sidelight.data.read import read_table
from sidelight.data.rows import FEWEST_ROWS
from sidelight.data.table import Table
from sidelight.doctor.discrete import examine_discrete
from sidelight.doctor.findings import Diagnosis, Finding, together
from sidelight.doctor.numbers import examine, few_rows
from sidelight.errors import InputError
from sidelight.graphs.names import check_names
from sidelight.independence import (
    CITest,
    Contingency,
    DegenerateGaussian,
    FisherZ,
    FunctionTest,
    KernelTest,
    PairwiseFisherZ,
)
from sidelight.independence.options import DISCRETE_TESTS, DataOptions
from sidelight.sufficient.blocks import expand
from sidelight.sufficient.correlation import Correlation, moments
from sidelight.sufficient.em import em_moments
from sidelight.sufficient.rank_correlation import KINDS

# With fewer, tests given all other columns have lost too much power: benchmarks/accuracy.py rows has the figures.
ROWS_PER_COLUMN = 10
# How many false members of all boundaries together chance may add; benchmarks/discrete.py choices has the figures.
DISCRETE_SHARE = 0.2

Tick = Callable[[], None]
Start = Callable[[str], Tick]  # told the name of a phase that begins, returns what to call at each of its steps
Weights = NDArray[np.float64]


def _unobserved(phase: str) -> Tick:
    return lambda: None


@dataclass(frozen=True)
class Prepared:
    """A test, what to use for its boundaries and at which level, what is doubtful about its data, how it reads them."""

    test: CITest
    boundaries: str
    boundary_alpha: float
    findings: tuple[Finding, ...]
    settings: Mapping[str, str] = field(default_factory=dict)


def prepare(source: object, alpha: float, options: DataOptions, start: Start = _unobserved) -> Prepared:
    """Turn a test, a correlation matrix or a table into answers to questions."""
    if isinstance(source, nx.Graph):
        raise InputError("a graph gives no answers by itself; wrap it: sl.learn(sl.DSeparation(graph), …)")
    options.check()
    if isinstance(source, CITest | Correlation):
        _refuse_options(source, options)
    if isinstance(source, CITest):
        source.names = check_names(getattr(source, "names", None))  # type: ignore[arg-type]
        return Prepared(source, "tc", alpha, ())
    if isinstance(source, Correlation):
        if source.is_singular and source.n_samples > len(source):
            raise InputError(
                "the correlation matrix is singular: some columns are combinations of others; leave them out"
            )
        return _prepared(FisherZ(source), alpha, ())
    if callable(options.test):
        _refuse_for("a function as the test", options, ("correlation", "discrete", "missing", "weights"))
        table = read_table(source, options.names, options.columns, options.drop)
        return Prepared(FunctionTest(options.test, source, table.all_names), "iamb", alpha, ())
    test, diagnosis, discrete = _test_and_diagnosis(source, options, start)
    diagnosis.raise_if_unusable()
    return replace(_prepared(test, alpha, diagnosis.warnings), settings=options.settings(test, discrete))


def diagnose(
    source: object,
    names: Sequence[Hashable] | None = None,
    columns: Iterable[Hashable] | None = None,
    drop: Iterable[Hashable] | None = None,
    test: str = "auto",
    discrete: Iterable[Hashable] | None = None,
    missing: str = "error",
    weights: object = None,
) -> Diagnosis:
    """Everything that is wrong or doubtful about a table: a path, a data frame or an array."""
    options = DataOptions(names, columns, drop, test=test, discrete=discrete, missing=missing, weights=weights)
    options.check()
    if callable(test):
        raise InputError("diagnose looks at a table for one of the library's own tests, not for a function")
    return _test_and_diagnosis(source, options, _unobserved)[1]


def _prepared(test: CITest, alpha: float, findings: tuple[Finding, ...]) -> Prepared:
    """Total conditioning at level 2/n², as the paper does, where one inverse does it from many samples; else IAMB.

    For contingency tables always IAMB.
    """
    n = max(1, len(test.names))
    if isinstance(test, Contingency):
        return Prepared(test, "iamb", min(alpha, DISCRETE_SHARE / n**2), findings)
    many = False
    if isinstance(test, FisherZ):
        correlation = test.correlation
        many = correlation.n_samples >= ROWS_PER_COLUMN * len(correlation) and not correlation.is_singular
    elif isinstance(test, DegenerateGaussian):
        many = test.n_samples >= ROWS_PER_COLUMN * test.n_columns
    return Prepared(test, "tc" if many else "iamb", min(alpha, 2 / n**2), findings)


def _refuse_options(source: object, options: DataOptions) -> None:
    _refuse_for(f"a {type(source).__name__}", options, tuple(vars(options)))


def _refuse_for(what: str, options: DataOptions, names: tuple[str, ...]) -> None:
    """Raise when an option was given that says nothing here."""
    defaults = DataOptions()
    for name in names:
        value, default = getattr(options, name), getattr(defaults, name)
        if value is not default and not (isinstance(value, str) and value == default):
            raise InputError(f"{name}= goes with a table and its tests, not with {what}")


def _test_and_diagnosis(
    source: object, options: DataOptions, start: Start
) -> tuple[CITest, Diagnosis, tuple[Hashable, ...]]:
    """Read a table once, choose the test, and say what the doctor says and which columns are discrete."""
    start("reading")
    table = read_table(source, options.names, options.columns, options.drop)
    table, weights = take_weights(table, options.weights)
    lost: tuple[Finding, ...] = ()
    if options.missing == "drop":
        table, weights, lost = without_gaps(table, weights)
    discrete = discrete_columns(table, options.discrete)
    chosen = _chosen_test(str(options.test), table, discrete)
    if chosen == "kernel":
        _refuse_for("the kernel test", options, ("correlation", "weights"))
        if options.missing in ("pairwise", "em"):
            raise InputError(f'missing="{options.missing}" does not go with the kernel test; use "drop"')
    elif chosen != "fisher-z" and options.correlation != "pearson":
        raise InputError(
            f"correlation={options.correlation!r} is for tables of numbers; for these columns the test is {chosen!r}"
        )
    tick = start("correlations")
    if chosen in ("fisher-z", "kernel"):
        test, diagnosis = _fisher_z(table, weights, options, tick)
    elif chosen == "mixed":
        test, diagnosis = _mixed(table, discrete, weights, options)
    elif options.missing == "em":
        raise InputError('missing="em" is for numbers; for discrete tables use "drop" or "pairwise"')
    else:
        coded = code_table(table)
        test = DISCRETE_TESTS[chosen](coded.codes, coded.n_categories, coded.names, weights)
        diagnosis = together(
            examine_discrete(table, coded, options.missing == "pairwise", weights is not None),
            Diagnosis(table.n_rows, 0, tuple(few_rows(0, table.n_rows if weights is None else int(weights.sum())))),
        )
    return test, replace(diagnosis, findings=(*lost, *diagnosis.findings)), discrete


def _chosen_test(asked: str, table: Table, discrete: tuple[Hashable, ...]) -> str:
    """The test by the types of the columns: Fisher Z for numbers, tables for discrete ones, blocks for both."""
    if asked != "auto":
        return asked
    if not discrete:
        return "fisher-z"
    return "chi2-moments" if len(discrete) == len(table.all_names) else "mixed"


def _fisher_z(table: Table, weights: Weights | None, options: DataOptions, tick: Tick) -> tuple[CITest, Diagnosis]:
    if options.missing in ("pairwise", "em"):
        return _with_gaps(table, weights, options)
    if weights is not None and options.correlation != "pearson":
        raise InputError(f"weights= goes with correlation='pearson', not with {options.correlation!r}")
    if weights is None:
        summary = KINDS[options.correlation](table.values, tick)
    else:
        summary = moments(table.values, tick, weights)
    correlation = Correlation.computed(summary.correlations, summary.n_samples, table.names)
    diagnosis = examine(table, summary, correlation)
    if options.test == "kernel" and not diagnosis.errors:
        return KernelTest(table.values, table.names), diagnosis
    return FisherZ(correlation), diagnosis


def _with_gaps(table: Table, weights: Weights | None, options: DataOptions) -> tuple[CITest, Diagnosis]:
    """Fisher Z on numbers with missing values: the doctor looks at the complete rows, if there are enough."""
    if weights is not None or options.correlation != "pearson":
        raise InputError(f'missing="{options.missing}" goes without weights= and with correlation="pearson"')
    values = np.asarray(table.values, dtype=np.float64)
    there = np.isfinite(values)
    empty = [name for i, name in enumerate(table.names) if not there[:, i].any()]
    if empty:
        raise InputError(f"column {str(empty[0])!r} has missing values only; drop it: drop={empty[:1]!r}")
    summary = em_moments(np.where(there, values, np.nan))
    correlation = Correlation.computed(summary.correlations, summary.n_samples, table.names)
    complete: NDArray[np.bool_] = np.asarray(there.all(axis=1))
    if complete.sum() > len(table.names) + 3:
        whole = moments(values[complete])
        rows = Correlation.computed(whole.correlations, whole.n_samples, table.names)
        diagnosis = examine(table.rows(complete), whole, rows)
    else:
        diagnosis = examine(replace(table, values=np.where(there, values, summary.means)), summary, correlation)
    if options.missing == "em":
        return FisherZ(correlation), diagnosis
    return PairwiseFisherZ(np.where(there, values, np.nan), table.names), diagnosis


def _mixed(
    table: Table, discrete: tuple[Hashable, ...], weights: Weights | None, options: DataOptions
) -> tuple[CITest, Diagnosis]:
    if options.missing in ("pairwise", "em"):
        raise InputError(f'missing="{options.missing}" is not for mixed tables; use "drop"')
    numbers = table.part(name for name in table.all_names if name not in discrete)
    codes = table.part(discrete)
    summary = moments(numbers.values, weights=weights)
    correlation = Correlation.computed(summary.correlations, summary.n_samples, numbers.names)
    coded = code_table(codes)
    diagnosis = together(
        examine(numbers, summary, correlation), examine_discrete(codes, coded, False, weights is not None)
    )
    if diagnosis.errors:
        return FisherZ(correlation), diagnosis  # not to be used
    return DegenerateGaussian(expand(table, frozenset(discrete), weights), table.all_names), diagnosis


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

"""From whatever the user hands in to a test that answers questions, with what the data doctor had to say."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

import networkx as nx

from sidelight.data.read import read_table
from sidelight.doctor import Diagnosis, Finding, examine
from sidelight.errors import InputError
from sidelight.graphs import check_names
from sidelight.independence import CITest, FisherZ
from sidelight.statistics.correlation import Correlation
from sidelight.statistics.correlation_kinds import KINDS

# With fewer, tests given all other columns have lost too much power: benchmarks/accuracy.py rows has the figures.
ROWS_PER_COLUMN = 10

Tick = Callable[[], None]
Start = Callable[[str], Tick]  # told the name of a phase that begins, returns what to call at each of its steps


def _unobserved(phase: str) -> Tick:
    return lambda: None


@dataclass(frozen=True)
class DataOptions:
    """How a table is to be read and summarised."""

    names: Sequence[Hashable] | None = None
    columns: Iterable[Hashable] | None = None
    drop: Iterable[Hashable] | None = None
    correlation: str = "pearson"


@dataclass(frozen=True)
class Prepared:
    """A test, what to use for its boundaries and at which level, and what is doubtful about its data."""

    test: CITest
    boundaries: str
    boundary_alpha: float
    findings: tuple[Finding, ...]


def prepare(source: object, alpha: float, options: DataOptions, start: Start = _unobserved) -> Prepared:
    """Turn a test, a correlation matrix or a table into answers to questions."""
    if isinstance(source, nx.Graph):
        raise InputError("a graph gives no answers by itself; wrap it: sl.learn(sl.DSeparation(graph), …)")
    if isinstance(source, CITest | Correlation):
        _refuse_options(source, options)
    if isinstance(source, CITest):
        source.names = check_names(getattr(source, "names", None))  # type: ignore[arg-type]
        return Prepared(source, "tc", alpha, ())
    if isinstance(source, Correlation):
        return _prepare_correlation(source, alpha, ())
    correlation, diagnosis = summarise(source, options, start)
    diagnosis.raise_if_unusable()
    return _prepare_correlation(correlation, alpha, diagnosis.warnings)


def diagnose(
    source: object,
    names: Sequence[Hashable] | None = None,
    columns: Iterable[Hashable] | None = None,
    drop: Iterable[Hashable] | None = None,
) -> Diagnosis:
    """Everything that is wrong or doubtful about a table: a path, a data frame or an array."""
    return summarise(source, DataOptions(names, columns, drop))[1]


def summarise(source: object, options: DataOptions, start: Start = _unobserved) -> tuple[Correlation, Diagnosis]:
    """Read a table once, and return its correlations and what the doctor says about it."""
    if options.correlation not in KINDS:
        raise InputError(f"correlation={options.correlation!r}: there are {', '.join(map(repr, KINDS))}")
    start("reading")
    table = read_table(source, options.names, options.columns, options.drop)
    moments = KINDS[options.correlation](table.values, start("correlations"))
    correlation = Correlation.computed(moments.correlations, table.n_rows, table.names)
    return correlation, examine(table, moments, correlation)


def _prepare_correlation(correlation: Correlation, alpha: float, findings: tuple[Finding, ...]) -> Prepared:
    """Total conditioning at level 2/n², as the paper does, where there are many samples; else IAMB."""
    n = len(correlation)
    many = correlation.n_samples >= ROWS_PER_COLUMN * n and not correlation.is_singular
    boundary_alpha = min(alpha, 2 / max(1, n) ** 2)
    return Prepared(FisherZ(correlation), "tc" if many else "iamb", boundary_alpha, findings)


def _refuse_options(source: object, options: DataOptions) -> None:
    for option, default in vars(DataOptions()).items():
        if getattr(options, option) != default:
            raise InputError(f"{option}= goes with a table, not with a {type(source).__name__}")

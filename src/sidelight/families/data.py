"""What a family of tests gets of a table, and what it makes of it: statistics, from which test and scores follow."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sidelight.families.base import CITest
from sidelight.families.gaussian.correlation import Correlation, Moments, n_whole
from sidelight.kinds.base import UsedKind
from sidelight.kinds.number import Number
from sidelight.kinds.types import ColumnType
from sidelight.tables.all_rows import FEWEST_ROWS, AllRows, Groups, Tick, Weights
from sidelight.tables.experiments import SettingsOfRows
from sidelight.tables.findings import Finding
from sidelight.tables.gaps import Gaps
from sidelight.tables.strings import Coded
from sidelight.tables.table import Table, code_table

if TYPE_CHECKING:
    from sidelight.families.options import CorrelationOf, DataOptions

DETERMINED = 1e-7  # the share of a column's variance that others must leave, so that nothing needs a closer look
FEW_CATEGORIES = 20  # a column with no more needs no closer look
DIGITS = 9  # of what variables are ordered by; what differs less may differ by rounding
MOST_COPIED = 1 << 28  # bytes of codes, which a test in another order has again
Key = tuple[float, ...]


@dataclass(frozen=True)
class TestData:
    """The rows of a table, what its columns are taken as, and how they are tested."""

    __test__ = False  # not a test of the test suite

    rows: AllRows
    kinds: Mapping[Hashable, UsedKind]  # ordered categories are positions in their order
    missing: str
    correlation: CorrelationOf
    tick: Tick

    @property
    def table(self) -> Table:
        """All rows, or some of them where they come in batches."""
        return self.rows.sample

    @property
    def weights(self) -> Weights | None:
        """The weights of these rows."""
        return self.rows.counts

    @property
    def numbers(self) -> tuple[Hashable, ...]:
        """Columns whose values are numbers."""
        return tuple(name for name, kind in self.kinds.items() if not kind.is_coded)

    @property
    def coded(self) -> tuple[Hashable, ...]:
        """Columns whose values are categories, ordered or not."""
        return tuple(name for name, kind in self.kinds.items() if kind.is_coded)

    @property
    def discrete(self) -> tuple[Hashable, ...]:
        """Unordered categories."""
        return tuple(name for name in self.coded if not self.kinds[name].is_ordered)

    @property
    def ordinal(self) -> tuple[Hashable, ...]:
        """Ordered categories."""
        return tuple(name for name in self.coded if self.kinds[name].is_ordered)

    @property
    def n_samples(self) -> int:
        """How many rows count: those of the table, or the sum of their weights."""
        return n_whole(self.rows.n_samples)


@dataclass(frozen=True)
class NumberSummary:
    """Columns of numbers with their moments and correlations; these are of normal scores if they are ``by_ranks``.

    Where values are missing and correlations are estimates, ``incomplete`` has the values as they are, and the table
    has means in their place. Few rows make such estimates nearly singular, so that a combination of columns counts only
    where it holds in the rows that have all of them.
    """

    table: Table
    moments: Moments
    correlation: Correlation
    by_ranks: bool = False
    ranks_may_help: bool = False
    incomplete: NDArray[np.float64] | None = None

    @property
    def in_range(self) -> NDArray[np.bool_]:
        """Which variances are neither too small nor too large for double precision."""
        return (self.moments.variances > 1e-290) & (self.moments.variances < 1e290)

    @property
    def vary(self) -> NDArray[np.bool_]:
        """Which columns certainly vary: their variance is not tiny beside their mean."""
        with np.errstate(all="ignore"):
            return self.moments.variances > (DETERMINED * np.abs(self.moments.means)) ** 2

    @property
    def is_clean(self) -> bool:
        """True where all columns are fine and none is nearly determined by others; ranks do not show sums of values."""
        fine = np.isfinite(self.moments.means) & self.in_range & self.vary
        return not self.by_ranks and bool(fine.all()) and self.correlation.smallest_pivot > DETERMINED


class Statistics(ABC):
    """What a test and its scores are built from, and what the doctor is told about the columns."""

    most_categories: int | None = None  # of a column, where each becomes a column of its own

    def __init__(self, data: TestData) -> None:
        self.data = data

    @cached_property
    def numbers(self) -> NumberSummary | None:
        """The columns of numbers, if there are any to be tested as such."""
        return None

    @cached_property
    def coded(self) -> Coded | None:
        """The discrete columns of the sample as codes, if there are any to be tested as such."""
        return None

    @abstractmethod
    def test(self) -> CITest:
        """The test; a column that does not vary is independent of all others."""

    def findings(self) -> Iterator[Finding]:
        """What is doubtful for this family alone; the test can be built."""
        return iter(())

    @property
    def is_clean(self) -> bool:
        """True where nothing can be wrong with these columns: then the doctor may look at them later."""
        if self.data.n_samples <= 2 * FEW_CATEGORIES or self.data.n_samples < FEWEST_ROWS:
            return False
        numbers, coded = self.numbers, self.coded
        return (numbers is None or numbers.is_clean) and (coded is None or _are_clean(coded))


def _are_clean(coded: Coded) -> bool:
    """True where all columns have a few categories, and no two can be one another's recoding."""
    if not all(1 < count <= FEW_CATEGORIES for count in coded.n_categories):
        return False
    return len({coded.sizes(i) for i in range(len(coded.names))}) == len(coded.names)


@dataclass(frozen=True)
class TableTest:
    """A value of ``test=``: how its statistics are made, and which values of other options it accepts.

    ``takes`` is the kind that it takes all columns as; without one it takes each as what it is. ``incomplete`` makes
    statistics for ``missing="pairwise"`` and ``"em"``, where that takes another way.
    """

    takes: UsedKind | None
    statistics: Callable[[TestData], Statistics]
    incomplete: Callable[[TestData], Statistics] | None = None
    in_batches: bool = False  # True if it can be built where the rows do not fit into memory
    correlations: tuple[str, ...] = ("pearson",)
    missing: tuple[str, ...] = ("error", "drop")
    weights: bool = True
    within_groups: bool = False

    def taken_as_discrete(self, names: Sequence[Hashable], discrete: Sequence[Hashable]) -> tuple[Hashable, ...]:
        """The columns that it takes as discrete, of which these are by themselves."""
        if self.takes is None:
            return tuple(discrete)
        return tuple(names) if self.takes.is_coded else ()

    def statistics_of(self, data: TestData) -> Statistics:
        """The statistics of these rows."""
        keeps_gaps = data.missing in ("pairwise", "em")
        return (self.incomplete or self.statistics)(data) if keeps_gaps else self.statistics(data)


def discrete_sample(data: TestData, names: tuple[Hashable, ...]) -> Coded:
    """Columns of the sample as codes."""
    return code_table(data.table.part(names))


# An order of the variables that depends on the data alone. Where tests contradict each other, what is learned depends
# on the order of the variables; in this one it is the same whatever the order of the columns is, their names, their
# scales and signs, and the labels of categories.


def by_data(names: Sequence[Hashable], first: Sequence[Key], second: Callable[[int], float]) -> list[int]:
    """The variables by a first key, those with the same by a second one, and those with the same again by name."""
    keys, groups = [tuple(map(_rounded, key)) for key in first], dict[Key, list[int]]()
    for v, key in enumerate(keys):
        groups.setdefault(key, []).append(v)
    tied = {v for members in groups.values() if len(members) > 1 for v in members}
    further = {v: _rounded(second(v)) for v in tied}
    return sorted(range(len(keys)), key=lambda v: (keys[v], further.get(v, 0.0), str(names[v])))


def entropy(counts: Iterable[float]) -> float:
    """Of the categories with these counts, whatever their order."""
    shares = np.sort([count for count in counts if count > 0])
    shares = shares / max(1.0, shares.sum())
    return float(-(shares * np.log(shares)).sum())


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


@dataclass(frozen=True)
class TypedTable:
    """All rows of a table and what its columns are, before any is set aside; ``given`` are the types the user gave."""

    rows: AllRows
    find_gaps: Callable[[], Gaps]
    types: tuple[ColumnType, ...]
    options: DataOptions
    given: Collection[Hashable]
    notes: tuple[Finding, ...]

    @cached_property
    def gaps(self) -> Gaps:
        """Where values are missing."""
        return self.find_gaps().part(self.rows.sample.all_names)

    @cached_property
    def is_complete(self) -> bool:
        """True where no value is missing."""
        return not self.rows.sample.incomplete if self.rows.in_memory else not self.gaps.by_column

    @property
    def has_empty_columns(self) -> bool:
        """True where a column has no value at all."""
        if not self.rows.in_memory:
            return bool(self.gaps.empty)
        return any(gone.all() for gone in self.rows.sample.gap_masks().values())

    @property
    def discrete(self) -> tuple[Hashable, ...]:
        """The columns that are categories, ordered or not."""
        kept = self.rows.sample.kinds
        return tuple(column.name for column in self.types if column.kind.is_coded and column.name in kept)


@dataclass(frozen=True)
class TestedRows:
    """Columns as a test takes them, and what is said of that choice; resamples are other rows of the same columns."""

    __test__ = False

    data: TestData
    entry: TableTest
    types: tuple[ColumnType, ...]
    choices: tuple[Finding, ...] = ()

    @cached_property
    def statistics(self) -> Statistics:
        """Computed once, for the test and for the doctor."""
        return self.entry.statistics_of(self.data)

    def test(self) -> CITest:
        """The test on these rows."""
        test = self.statistics.test()
        if self.data.rows.waves is not None:
            test.time_order = self.data.rows.waves.order
        return test

    @property
    def discrete(self) -> tuple[Hashable, ...]:
        """The columns that the test takes as discrete."""
        return self.entry.taken_as_discrete(self.data.table.all_names, self.data.discrete)

    @property
    def fractional(self) -> bool:
        """True when rows have survey weights."""
        return self.data.rows.fractional

    @property
    def counts_as_weights(self) -> bool:
        """True where a frequency weight does what repeated rows do, to the last step of a test."""
        if self.data.weights is not None:
            return not self.fractional
        plain = self.entry.weights and self.data.correlation == "pearson" and self.data.missing in ("error", "drop")
        return self.entry.takes == Number() and plain

    def with_rows(
        self,
        table: Table,
        weights: Weights | None,
        groups: Groups | None = None,
        settings: SettingsOfRows | None = None,
    ) -> TestedRows:
        """Other rows with the same columns."""
        held = AllRows.held(table, weights, groups)
        rows = replace(held, fractional=self.fractional, settings=settings, waves=self.data.rows.waves)
        return replace(self, data=replace(self.data, rows=rows))

"""How a test is built from a table, and which options go with it: one entry for each value of ``test=``."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Literal

from sidelight.families.base import CITest
from sidelight.families.gaussian.correlation import Moments, Summaries, moments, n_whole
from sidelight.families.in_batches import AllCoded, AllRows
from sidelight.families.mixed.blocks import Blocks, expand, named_categories
from sidelight.tables.coding import code_table
from sidelight.tables.findings import Diagnosis
from sidelight.tables.rows import Weights
from sidelight.tables.table import Table

Tick = Callable[..., None]  # at each step, or with a number of them


@dataclass(frozen=True)
class TestData:
    """What a test is built from: a table as it was read, and how its columns are to be taken."""

    __test__ = False  # not a test of the test suite

    table: Table
    discrete: tuple[Hashable, ...]
    ordinal: tuple[Hashable, ...]  # ordered categories, which the table has as positions in their order
    weights: Weights | None
    missing: str
    correlation: str
    tick: Tick
    has_gaps: bool = False  # that are an error: no test can be built, and the rest is examined
    all_rows: AllRows | None = None  # where the table has only some of the rows, and they come in batches
    summaries: Summaries | None = None  # what the doctor has computed before

    @property
    def n_samples(self) -> int:
        """How many rows count: those of the table, or the sum of their weights."""
        if self.all_rows is not None:
            return n_whole(self.all_rows.n_samples)
        return self.table.n_rows if self.weights is None else n_whole(self.weights.sum())

    @property
    def is_weighted(self) -> bool:
        """True where rows have weights."""
        return self.weights is not None or (self.all_rows is not None and self.all_rows.weights is not None)

    def moments(self) -> Moments:
        """Of the columns of numbers, over all rows."""
        if self.all_rows is not None:
            return self.all_rows.moments(self.table.names, self.tick)
        if self.summaries is not None and self.weights is None:
            return self.summaries.of(self.table.values, self.tick)
        return moments(self.table.values, self.tick, self.weights)

    def coded(self) -> AllCoded:
        """All columns of all rows as codes, and the weights of the rows."""
        coded = code_table(self.table)
        return AllCoded(coded, self.weights) if self.all_rows is None else self.all_rows.coded(coded, self.tick)

    def blocks(self) -> Blocks:
        """All columns of all rows, expanded."""
        discrete, ordinal = frozenset(self.discrete), frozenset(self.ordinal)
        if self.all_rows is None:
            return expand(self.table, discrete, self.weights, ordinal)
        coded = code_table(self.table.part(self.discrete))
        table, weights = self.all_rows.in_files(self.table.all_names, coded, self.tick)
        return named_categories(expand(table, discrete, weights, ordinal, self.all_rows.memory), coded, self.table)


Columns = Literal["numbers", "discrete", "both"]
Built = tuple[CITest | None, Diagnosis]  # no test where the diagnosis has errors


@dataclass(frozen=True)
class TableTest:
    """A value of ``test=``: how the test is built, and which values of other options it accepts.

    ``build`` has the doctor examine the table, ``make`` has not; those ``with_gaps`` are for ``missing="pairwise"`` and
    ``"em"`` where that takes another way.
    """

    columns: Columns
    build: Callable[[TestData], Built]
    make: Callable[[TestData], CITest]
    build_with_gaps: Callable[[TestData], Built] | None = None
    make_with_gaps: Callable[[TestData], CITest] | None = None
    in_batches: bool = False  # True if it can be built where the rows do not fit into memory
    correlations: tuple[str, ...] = ("pearson",)
    missing: tuple[str, ...] = ("error", "drop")
    weights: bool = True

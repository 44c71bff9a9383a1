"""Statistics of mixed tables: blocks of columns, from rows in memory or in files."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from sidelight.families.data import NumberSummary, Statistics, TestData, discrete_sample
from sidelight.families.discrete.statistics import codes_of
from sidelight.families.gaussian.incomplete import incomplete_summary
from sidelight.families.gaussian.statistics import summary_of
from sidelight.families.mixed.blocks import Blocks, expand, named_categories
from sidelight.families.mixed.incomplete import PairwiseMixed
from sidelight.families.mixed.logistic import most_columns
from sidelight.families.mixed.test import DegenerateGaussian
from sidelight.tables.findings import Finding, FindingKind
from sidelight.tables.strings import Coded
from sidelight.tables.table import Kind, Table
from sidelight.text.sentences import listed

RARE_ROWS = 10  # of a category; with fewer, tests with skewed numbers are warned of
FEW_COLUMNS = 12  # fewer than these may not suffice for the conditioning sets of a table
MOST_CATEGORIES = 200  # of a column; each becomes a column of its own, and inverses take long


class MixedStatistics(Statistics):
    """Moments of the numbers, codes of the categories, and blocks of all columns."""

    most_categories = MOST_CATEGORIES

    @cached_property
    def numbers(self) -> NumberSummary | None:
        return summary_of(self.data, self.data.numbers)

    @cached_property
    def coded(self) -> Coded:
        return discrete_sample(self.data, self.data.coded)

    @cached_property
    def blocks(self) -> Blocks:
        """All columns of all rows, expanded."""
        data = self.data
        if data.rows.in_memory:
            return expand(data.table, data.kinds, data.weights)
        like = discrete_sample(data, data.discrete)
        table, weights = _in_files(data, like)
        return named_categories(expand(table, data.kinds, weights, data.rows.memory), like, data.table)

    def test(self) -> DegenerateGaussian:
        return DegenerateGaussian(self.blocks, self.data.table.all_names)

    def findings(self) -> Iterator[Finding]:
        blocks, names = self.blocks, self.data.table.all_names
        varying = np.flatnonzero((blocks.n_categories > 1) & ~blocks.is_ordinal).tolist()
        counts = [np.bincount(blocks.codes[:, i], blocks.weights) for i in varying]
        yield from _rare_categories([names[i] for i in varying], counts)
        yield from _linear_tests(len(blocks.codes))


class IncompleteMixedStatistics(MixedStatistics):
    """The same with missing values."""

    @cached_property
    def numbers(self) -> NumberSummary | None:
        return incomplete_summary(self.data.table.part(self.data.numbers), self.data.weights)

    @property
    def is_clean(self) -> bool:
        return False  # what is estimated needs a closer look

    def test(self) -> PairwiseMixed:  # type: ignore[override]
        return PairwiseMixed(self.data)

    def findings(self) -> Iterator[Finding]:
        coded = self.coded
        unordered = [i for i, name in enumerate(coded.names) if name in self.data.discrete]
        counts = [_counts(coded.codes[:, i], self.data.weights) for i in unordered]
        yield from _rare_categories([coded.names[i] for i in unordered], counts)
        yield from _linear_tests(self.data.table.n_rows)


def _in_files(data: TestData, like: Coded) -> tuple[Table, NDArray[np.float64] | None]:
    """The columns as numbers or codes, in an array that is in a file unless it fits into memory."""
    names, like = data.table.all_names, replace(like, codes=like.codes[:0])
    numbers = partial(_as_numbers, names=names, like=like)
    values, weights = data.rows.stored(numbers, len(names), np.dtype(np.float64), data.tick)
    kinds: dict[Hashable, Kind] = {name: "integer" if name in like.names else "float" for name in names}
    return Table(tuple(names), values, {}, kinds), weights


def _as_numbers(table: Table, names: Sequence[Hashable], like: Coded) -> NDArray[np.float64]:
    codes, place = codes_of(table, like), {name: i for i, name in enumerate(like.names)}
    columns = [codes[:, place[name]] if name in place else table.column(name) for name in names]
    return np.column_stack(columns).astype(np.float64)


def _counts(codes: NDArray[np.integer], weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """How many rows each category has."""
    there = codes >= 0
    return np.bincount(codes[there], None if weights is None else weights[there]).astype(np.float64)


def _linear_tests(n_rows: int) -> Iterator[Finding]:
    """A warning where rows are so many that a category is fitted on few columns only."""
    most = most_columns(n_rows)
    if most < FEW_COLUMNS:
        text = (
            f"with {n_rows} rows, a category is tested given more than {most} numbers and indicators of categories by "
            "a linear model, to save time; such tests reject too often, and there may be extra edges"
        )
        yield Finding(FindingKind.LINEAR_TESTS, "warning", (), text, "a part of the rows can be tested without it")


def _rare_categories(names: Sequence[Hashable], counts: Sequence[NDArray[np.generic]]) -> Iterator[Finding]:
    """A warning that a test of few rows against the others relies on the numbers' being Gaussian.

    ``counts`` has for each of these discrete columns how many rows each category has.
    """
    rare = [name for name, count in zip(names, counts, strict=True) if np.min(count) < RARE_ROWS]
    if rare:
        have = "column {} has a category" if len(rare) == 1 else "columns {} have categories"
        text = f"{have.format(listed(rare, quoted=True))} with fewer than {RARE_ROWS} rows"
        remedy = "tests with skewed numbers reject too often there at small significance levels; merge rare categories"
        yield Finding(FindingKind.RARE_CATEGORIES, "warning", tuple(rare), text, remedy)

"""Statistics of mixed tables: blocks of columns, which the kinds of columns say, from rows in memory or in files.

A number is one column as it is, a category indicators. The joint correlation matrix of all these columns is the
sufficient statistic of the degenerate-Gaussian test (Andrews, Ramsey & Cooper 2019). The columns themselves are kept
for tests that the correlations do not suffice for.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from sidelight.families.data import NumberSummary, Statistics, TestData, discrete_sample
from sidelight.families.discrete.statistics import codes_of
from sidelight.families.gaussian.correlation import Correlation, Moments, moments, moments_of
from sidelight.families.mixed.score_tests import most_columns
from sidelight.families.mixed.test import DegenerateGaussian
from sidelight.families.mixed.within import WithinGroups
from sidelight.files.memory import empty
from sidelight.kinds.base import Block, UsedKind
from sidelight.tables.all_rows import Groups
from sidelight.tables.findings import Finding, FindingKind
from sidelight.tables.groups import less_means_of_groups
from sidelight.tables.strings import Coded, as_in_data
from sidelight.tables.table import Kind, Table
from sidelight.text.sentences import listed

ROWS_AT_ONCE = 1 << 16
RIDGE = 1e-8  # makes a variable that the conditioning set determines independent of everything, instead of undefined
RARE_ROWS = 10  # of a category; with fewer, tests with skewed numbers are warned of
FEW_COLUMNS = 12  # fewer than these may not suffice for the conditioning sets of a table
MOST_CATEGORIES = 200  # of a column; each becomes a column of its own, and inverses take long
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Blocks:
    """Correlations of the expanded columns; block i is ``start[i]:start[i] + sizes[i]``.

    ``columns`` are the expanded columns, numbers standardised. ``codes`` has a column for each variable, whose category
    0 is the most frequent, or the lowest of ordered ones; ``n_categories`` is 1 for a number, and for a category that
    does not vary; ``categories`` of unordered ones are in the order of the codes. The first ``tested`` columns of a
    block are what is tested of a variable and what scores see of it. With ``groups`` the expanded columns are
    differences from the means of their group, and ``lookups`` have the columns of each category as they were.
    """

    matrix: Floats
    start: NDArray[np.int64]
    sizes: NDArray[np.int64]
    n_samples: float
    columns: Floats
    codes: NDArray[np.integer]
    n_categories: NDArray[np.int64]
    categories: tuple[tuple[object, ...], ...]
    weights: Floats | None
    tested: NDArray[np.int64]
    is_ordinal: NDArray[np.bool_]
    groups: Groups | None = None
    lookups: tuple[Floats, ...] = ()

    def places(self, members: Sequence[int]) -> NDArray[np.int64]:
        """Where the columns of these variables are."""
        found = [np.arange(self.start[v], self.start[v] + self.sizes[v]) for v in members]
        return np.concatenate([np.empty(0, dtype=np.int64), *found])

    def in_order(self, order: Sequence[int]) -> Blocks:
        """The same variables in another order; their columns stay where they are."""
        chosen = np.array(order, dtype=np.int64)
        return replace(
            self,
            start=self.start[chosen],
            sizes=self.sizes[chosen],
            codes=self.codes.T[chosen].T,
            n_categories=self.n_categories[chosen],
            categories=tuple(self.categories[v] for v in order),
            tested=self.tested[chosen],
            is_ordinal=self.is_ordinal[chosen],
            lookups=tuple(self.lookups[v] for v in order) if self.lookups else (),
        )

    def shared(self) -> Floats:
        """For each pair the sum of the squared canonical correlations of what is tested, whatever its columns are."""
        vary = np.flatnonzero(self.tested)
        widths, sums = self.tested[vary], np.zeros((len(self.tested), len(self.tested)))
        tested = np.concatenate(
            [np.empty(0, dtype=np.int64), *map(np.arange, self.start[vary], self.start[vary] + widths)]
        )
        first, matrix = np.cumsum(widths) - widths, self.matrix[np.ix_(tested, tested)]
        whiten = np.zeros_like(matrix)
        for at, width in zip(first, widths, strict=True):
            own = slice(at, at + width)
            whiten[own, own] = np.linalg.inv(np.linalg.cholesky(matrix[own, own]))
        squared = (whiten @ matrix @ whiten.T) ** 2
        if len(vary):
            sums[np.ix_(vary, vary)] = np.add.reduceat(np.add.reduceat(squared, first, axis=0), first, axis=1)
        return sums


def expand(
    table: Table,
    kinds: Mapping[Hashable, UsedKind],
    weights: Floats | None,
    memory: int | None = None,
    groups: Groups | None = None,
) -> Blocks:
    """Summarise a table whose columns have these kinds.

    What is kept is in files if it takes more than a share of so many bytes of memory.
    """
    kinds = {name: kinds[name] for name in table.all_names}
    in_memory = None if memory is None else memory // 4
    codes, found = _coded(table, kinds, weights, in_memory)
    start = np.zeros(len(found) + 1, dtype=np.int64)
    np.cumsum([block.lookup.shape[1] for block in found], out=start[1:])
    shape = table.n_rows, int(start[-1])
    columns = np.empty(shape) if in_memory is None else empty(shape, np.float64, in_memory, "C")
    for first in range(0, table.n_rows, ROWS_AT_ONCE):
        rows = slice(first, first + ROWS_AT_ONCE)
        for i, (name, block) in enumerate(zip(kinds, found, strict=True)):
            if kinds[name].is_coded:
                columns[rows, start[i] : start[i + 1]] = block.lookup[codes[rows, i]]
            else:
                columns[rows, start[i]] = table.column(name)[rows]
    lost = 0 if groups is None else less_means_of_groups(columns, groups)
    summary = moments(columns, weights=weights).less(lost)
    matrix = np.nan_to_num(summary.correlations)
    matrix[np.diag_indices_from(matrix)] = 1 + RIDGE
    _standardise(columns, start[:-1][[block.is_scaled for block in found]], summary)
    return Blocks(
        matrix,
        start[:-1],
        np.diff(start),
        summary.n_samples,
        columns,
        codes,
        np.array([len(block.lookup) for block in found], dtype=np.int64),
        tuple(block.categories for block in found),
        weights,
        np.array([block.tested for block in found], dtype=np.int64),
        np.array([kind.is_ordered for kind in kinds.values()], dtype=np.bool_),
        groups,
        () if groups is None else tuple(block.lookup for block in found),
    )


def _coded(
    table: Table, kinds: Mapping[Hashable, UsedKind], weights: Floats | None, in_memory: int | None
) -> tuple[NDArray[np.integer], list[Block]]:
    """The codes of each column, and the columns that they stand for."""
    shape = table.n_rows, len(kinds)
    codes = np.empty(shape, np.int8, order="F") if in_memory is None else empty(shape, np.int8, in_memory)
    blocks: list[Block] = []
    for i, (name, kind) in enumerate(kinds.items()):
        column, block = kind.block(table, name, weights)
        if len(block.lookup) > 127 and codes.dtype == np.int8:
            wider = empty(codes.shape, np.int32, in_memory)
            wider[:, :i] = codes[:, :i]
            codes = wider
        codes[:, i] = column
        blocks.append(block)
    return codes, blocks


def _standardise(columns: Floats, chosen: NDArray[np.int64], summary: Moments) -> None:
    """Columns of numbers, in place and a few rows at a time."""
    spread = np.sqrt(summary.variances[chosen])
    scale = np.where(spread > 0, spread, 1.0)
    for first in range(0, len(columns), ROWS_AT_ONCE):
        rows = columns[first : first + ROWS_AT_ONCE]
        rows[:, chosen] = (rows[:, chosen] - summary.means[chosen]) / scale


class MixedStatistics(Statistics):
    """Moments of the numbers, codes of the categories, and blocks of all columns."""

    most_categories = MOST_CATEGORIES

    @cached_property
    def numbers(self) -> NumberSummary | None:
        table = self.data.table.part(self.data.numbers)
        found = moments_of(self.data.rows, table.names, self.data.tick)
        return NumberSummary(table, found, Correlation.computed(found.correlations, found.n_samples, table.names))

    @cached_property
    def coded(self) -> Coded:
        return discrete_sample(self.data, self.data.coded)

    @cached_property
    def blocks(self) -> Blocks:
        """All columns of all rows, expanded."""
        data = self.data
        if data.rows.in_memory:
            return expand(data.table, data.kinds, data.weights, groups=data.rows.groups)
        like = discrete_sample(data, data.discrete)
        table, weights = _in_files(data, like)
        return _named_categories(expand(table, data.kinds, weights, data.rows.memory), like, data.table)

    def test(self) -> DegenerateGaussian:
        kind = DegenerateGaussian if self.data.rows.groups is None else WithinGroups
        return kind(self.blocks, self.data.table.all_names)

    def findings(self) -> Iterator[Finding]:
        blocks, names = self.blocks, self.data.table.all_names
        varying = np.flatnonzero((blocks.n_categories > 1) & ~blocks.is_ordinal).tolist()
        counts = [np.bincount(blocks.codes[:, i], blocks.weights) for i in varying]
        yield from rare_categories([names[i] for i in varying], counts)
        yield from linear_tests(len(blocks.codes))


def _in_files(data: TestData, like: Coded) -> tuple[Table, Floats | None]:
    """The columns as numbers or codes, in an array that is in a file unless it fits into memory."""
    names, like = data.table.all_names, replace(like, codes=like.codes[:0])
    numbers = partial(_as_numbers, names=names, like=like)
    values, weights = data.rows.stored(numbers, len(names), np.dtype(np.float64), data.tick)
    kinds: dict[Hashable, Kind] = {name: "integer" if name in like.names else "float" for name in names}
    return Table(tuple(names), values, {}, kinds), weights


def _as_numbers(table: Table, names: Sequence[Hashable], like: Coded) -> Floats:
    codes, place = codes_of(table, like), {name: i for i, name in enumerate(like.names)}
    columns = [codes[:, place[name]] if name in place else table.column(name) for name in names]
    return np.column_stack(columns).astype(np.float64)


def _named_categories(blocks: Blocks, coded: Coded, table: Table) -> Blocks:
    """Blocks of a table of codes, with the categories that these stand for in another one."""
    values = dict(zip(coded.names, coded.categories, strict=True))
    named = [
        tuple(as_in_data(values[name][int(code)], table.kinds[name]) for code in codes)  # type: ignore[call-overload]
        for name, codes in zip(table.all_names, blocks.categories, strict=True)
    ]
    return replace(blocks, categories=tuple(named))


def linear_tests(n_rows: int) -> Iterator[Finding]:
    """A warning where rows are so many that a category is fitted on few columns only."""
    most = most_columns(n_rows)
    if most < FEW_COLUMNS:
        text = (
            f"with {n_rows} rows, a category is tested given more than {most} numbers and indicators of categories by "
            "a linear model, to save time; such tests reject too often, and there may be extra edges"
        )
        yield Finding(FindingKind.LINEAR_TESTS, "warning", (), text, "a part of the rows can be tested without it")


def rare_categories(names: Sequence[Hashable], counts: Sequence[NDArray[np.generic]]) -> Iterator[Finding]:
    """A warning that a test of few rows against the others relies on the numbers' being Gaussian.

    ``counts`` has for each of these discrete columns how many rows each category has.
    """
    rare = [name for name, count in zip(names, counts, strict=True) if np.min(count) < RARE_ROWS]
    if rare:
        have = "column {} has a category" if len(rare) == 1 else "columns {} have categories"
        text = f"{have.format(listed(rare, quoted=True))} with fewer than {RARE_ROWS} rows"
        remedy = "tests with skewed numbers reject too often there at small significance levels; merge rare categories"
        yield Finding(FindingKind.RARE_CATEGORIES, "warning", tuple(rare), text, remedy)

"""Counts of few columns where rows are very many: the marginal tables of groups of columns are counted once and kept.

Tests and scores ask thousands of times about a few columns each. A pass over the rows takes hardly longer for twelve
columns than for three, so it counts as many columns together as have few combinations of categories; what is asked
about any of these is then added up from the combinations that occur. Counts are whole numbers, so that it makes no
difference to them which group answered.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.families.discrete.distinct import DistinctRows
from sidelight.tables.all_rows import Kept

Codes = NDArray[np.integer]
Floats = NDArray[np.float64]

AT_ONCE = 1 << 22  # rows that are counted for all groups before the next ones
ROWS_PER_CELL = 64  # of a marginal table, at least: adding it up is then much quicker than a pass over the rows
MOST_CELLS = 1 << 20
MOST_KEPT = 128_000_000  # bytes
CELLS_AT_ONCE = 1 << 21  # of all groups in one pass, eight bytes for each core


class RowsHere:
    """Rows of codes in memory, or in a file that is mapped into it; a whole weight says how many a row stands for."""

    def __init__(self, codes: Codes, n_categories: Sequence[int], weights: Floats | None = None) -> None:
        self.codes, self.n_categories = np.asfortranarray(codes), tuple(n_categories)
        self.weights = np.empty(0) if weights is None else weights
        self.n_samples = len(codes) if weights is None else int(weights.sum())
        self.categories = np.array(n_categories, dtype=np.int64)

    def tables(self, groups: Sequence[Sequence[int]]) -> list[Floats]:
        """For each group of columns how many rows have each combination, by all cores; the last changes fastest."""
        n_rows = len(self.codes)
        if n_rows <= AT_ONCE:
            return self._counted(groups, 0, n_rows)
        from joblib import cpu_count

        with ThreadPoolExecutor(cpu_count()) as threads:
            starts = range(0, n_rows, -(-n_rows // cpu_count()))
            found = threads.map(lambda start, stop: self._counted(groups, start, stop), starts, [*starts[1:], n_rows])
            totals = next(found)
            for tables in found:
                for total, table in zip(totals, tables, strict=True):
                    total += table
            return totals

    def part(self, columns: Sequence[int]) -> tuple[RowsHere, tuple[int, ...]]:
        """Rows with at least these columns, for counts of too many combinations, and where they are: all rows here."""
        return self, tuple(columns)

    def _counted(self, groups: Sequence[Sequence[int]], first: int, last: int) -> list[Floats]:
        from sidelight.families.discrete.kernels.counts import count_cells

        members = [np.array(group, dtype=np.int64) for group in groups]
        sums = [np.zeros(int(self.categories[group].prod())) for group in members]
        for start in range(first, last, AT_ONCE):
            for group, total in zip(members, sums, strict=True):
                part, stop = np.empty(len(total)), min(start + AT_ONCE, last)
                count_cells(self.codes, self.categories, group, self.weights, start, stop, part)
                total += part
        return sums


class RowsElsewhere:
    """Rows whose parts, each a ``RowsHere``, are kept by workers of a cluster: they count, and counts are summed."""

    def __init__(
        self, parts: Kept, n_categories: Sequence[int], n_samples: int, places: Sequence[int] | None = None
    ) -> None:
        self._parts, self.n_categories, self.n_samples = parts, tuple(n_categories), n_samples
        self._places = tuple(range(len(self.n_categories)) if places is None else places)  # of columns in the parts

    def in_order(self, order: Sequence[int]) -> RowsElsewhere:
        """The same rows with the columns in this order; nothing is sent."""
        categories = [self.n_categories[v] for v in order]
        return RowsElsewhere(self._parts, categories, self.n_samples, self._in_parts(order))

    def _in_parts(self, columns: Sequence[int]) -> list[int]:
        return [self._places[v] for v in columns]

    def tables(self, groups: Sequence[Sequence[int]]) -> list[Floats]:
        """The sums of what each part has, of which only the combinations that occur are sent."""
        sums = [np.zeros(int(np.prod([self.n_categories[v] for v in group]))) for group in groups]
        for found in self._parts.each(partial(_tables, groups=[*map(self._in_parts, groups)])):
            for total, (cells, counts) in zip(sums, found, strict=True):
                total[cells] += counts
        return sums

    def part(self, columns: Sequence[int]) -> tuple[RowsHere, tuple[int, ...]]:
        """Equal rows as one; there are fewer of them than rows, since only these columns are wanted."""
        categories = [self.n_categories[v] for v in columns]
        merged = DistinctRows(categories, None, give_up=False)
        wanted = partial(_distinct, columns=self._in_parts(columns), categories=categories)
        for codes, weights in self._parts.each(wanted):
            merged.add(codes, weights)
        codes, weights = merged.finished()
        return RowsHere(codes, categories, weights), tuple(range(len(columns)))


def _tables(rows: RowsHere, groups: Sequence[Sequence[int]]) -> list[tuple[Codes, Floats]]:
    found = rows.tables(groups)
    return [(cells := np.flatnonzero(counts), counts[cells]) for counts in found]


def _distinct(rows: RowsHere, columns: Sequence[int], categories: Sequence[int]) -> tuple[Codes, Floats]:
    merged = DistinctRows(categories, None, give_up=False)
    merged.add(rows.codes[:, columns], rows.weights if len(rows.weights) else None)
    return merged.finished()


class _MarginalTable(NamedTuple):
    """The combinations of some columns' categories that occur, and how many rows have them."""

    columns: tuple[int, ...]
    rows: RowsHere

    @property
    def n_bytes(self) -> int:
        return self.rows.codes.nbytes + self.rows.weights.nbytes


class MarginalTables:
    """Counts of any few columns of some rows."""

    def __init__(self, rows: RowsHere | RowsElsewhere) -> None:
        self.rows = rows
        self._most_cells = min(MOST_CELLS, max(1, rows.n_samples // ROWS_PER_CELL))
        n = len(rows.n_categories)
        self._kept, self._n_bytes = list[_MarginalTable](), 0  # the newest is last
        self._has = np.zeros((0, n), dtype=np.bool_)  # for each table, which columns it has
        self._asked_together = np.zeros((n, n))

    def __getstate__(self) -> dict[str, object]:
        # Tables are quickly counted anew, and what was asked before makes no other test of it.
        forgotten = {"_kept": [], "_n_bytes": 0, "_has": self._has[:0]}
        return {**self.__dict__, **forgotten, "_asked_together": np.zeros_like(self._asked_together)}

    def has_few(self, columns: Iterable[int]) -> bool:
        """Are the combinations of these columns' categories few enough?"""
        return prod(self.rows.n_categories[v] for v in columns) <= self._most_cells

    def prepare(self, fixed: Sequence[int], others: Sequence[int]) -> None:
        """Count what questions about the fixed columns with each of the others need, in as few passes as possible."""
        self._asked_together[np.ix_(fixed, [*fixed, *others])] += 1
        known = np.flatnonzero(self._has[self._with_all(fixed)].any(axis=0))
        left = [y for y in others if y not in known and self.has_few((*fixed, y))]
        groups, n_cells = list[list[int]](), 0
        while left and n_cells < CELLS_AT_ONCE:  # what is left is counted when it is asked for
            groups.append(self._group(fixed, left))
            left = [y for y in left if y not in groups[-1]]
            n_cells += prod(self.rows.n_categories[v] for v in groups[-1])
        for group, counts in zip(groups, self.rows.tables(groups) if groups else (), strict=True):
            self._keep(group, counts)

    def counts(self, columns: Sequence[int]) -> Floats:
        """How many rows have each combination of the categories of these columns; the last one's change fastest."""
        table = self._smallest(columns)
        if table is None:
            self.prepare(columns[:-1], columns[-1:])
            table = self._smallest(columns)
        if table is None:  # their combinations are too many to be kept
            return self.rows.tables([columns])[0]
        return table.rows.tables([[table.columns.index(v) for v in columns]])[0]

    def _with_all(self, columns: Sequence[int]) -> NDArray[np.int64]:
        """The tables that have all of these columns."""
        return np.flatnonzero(self._has[:, columns].all(axis=1))

    def _smallest(self, columns: Sequence[int]) -> _MarginalTable | None:
        """The table with the fewest combinations that has all of these columns."""
        usable = self._with_all(columns)
        if not len(usable):
            return None
        return self._kept[min(usable.tolist(), key=lambda position: len(self._kept[position].rows.codes))]

    def _group(self, fixed: Sequence[int], wanted: Collection[int]) -> list[int]:
        """The fixed columns, wanted ones, and others asked about with them: as many as have few combinations."""
        group, categories = list(fixed), np.array(self.rows.n_categories)
        cells, is_wanted = prod(categories[group].tolist()), np.isin(range(len(categories)), list(wanted))
        while True:
            possible = cells * categories <= self._most_cells
            possible[group] = False
            if not possible.any():
                return sorted(group)
            asked = self._asked_together[group].sum(axis=0) + self._asked_together[:, group].sum(axis=1)
            # First what is wanted, then what is asked about most often together; columns with fewer categories
            # before others, since more of them find room.
            order = np.lexsort((categories, -asked, ~is_wanted, ~possible))
            group.append(int(order[0]))
            cells *= int(categories[order[0]])

    def _keep(self, group: Sequence[int], counts: Floats) -> None:
        categories = [self.rows.n_categories[v] for v in group]
        codes, weights = occurring(counts, categories)
        self._kept.append(_MarginalTable(tuple(group), RowsHere(codes, categories, weights)))
        self._has = np.vstack([self._has, np.isin(range(self._has.shape[1]), group)])
        self._n_bytes += self._kept[-1].n_bytes
        while len(self._kept) > 1 and self._n_bytes > MOST_KEPT:
            self._n_bytes -= self._kept.pop(0).n_bytes
            self._has = self._has[1:]


def occurring(counts: Floats, categories: Sequence[int]) -> tuple[Codes, Floats]:
    """The combinations of categories that occur, as rows of codes, and their counts."""
    cells = np.flatnonzero(counts)
    codes = np.empty((len(cells), len(categories)), dtype=np.min_scalar_type(-max(categories, default=1)), order="F")
    for i, code in enumerate(np.unravel_index(cells, categories)):
        codes[:, i] = code
    return codes, counts[cells]

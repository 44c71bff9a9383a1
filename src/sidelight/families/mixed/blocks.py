"""Mixed tables as blocks of columns, which the kinds of columns say: a number as it is, indicators of categories.

The joint correlation matrix of all these columns is the sufficient statistic of the degenerate-Gaussian test (Andrews,
Ramsey & Cooper 2019). The columns themselves are kept for tests that the correlations do not suffice for.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sidelight.families.gaussian.correlation import Moments, moments
from sidelight.families.gaussian.em import em_correlations
from sidelight.files.memory import empty
from sidelight.kinds.base import Block, UsedKind
from sidelight.tables.strings import Coded, as_in_data
from sidelight.tables.table import Table

ROWS_AT_ONCE = 1 << 16
RIDGE = 1e-8  # makes a variable that the conditioning set determines independent of everything, instead of undefined


@dataclass(frozen=True)
class Blocks:
    """Correlations of the expanded columns; block i is ``start[i]:start[i + 1]``.

    ``columns`` are the expanded columns, numbers standardised. ``codes`` has a column for each variable, whose category
    0 is the most frequent, or the lowest of ordered ones; ``n_categories`` is 1 for a number, and for a category that
    does not vary; ``categories`` of unordered ones are in the order of the codes. The first ``tested`` columns of a
    block are what is tested of a variable and what scores see of it.
    """

    matrix: NDArray[np.float64]
    start: NDArray[np.int64]
    n_samples: float
    columns: NDArray[np.float64]
    codes: NDArray[np.integer]
    n_categories: NDArray[np.int64]
    categories: tuple[tuple[object, ...], ...]
    weights: NDArray[np.float64] | None
    tested: NDArray[np.int64]
    is_ordinal: NDArray[np.bool_]


def expand(
    table: Table, kinds: Mapping[Hashable, UsedKind], weights: NDArray[np.float64] | None, memory: int | None = None
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
    summary = moments(columns, weights=weights)
    matrix = np.nan_to_num(summary.correlations)
    matrix[np.diag_indices_from(matrix)] = 1 + RIDGE
    _standardise(columns, start[:-1][[block.is_scaled for block in found]], summary)
    return Blocks(
        matrix,
        start,
        summary.n_samples,
        columns,
        codes,
        np.array([len(block.lookup) for block in found], dtype=np.int64),
        tuple(block.categories for block in found),
        weights,
        np.array([block.tested for block in found], dtype=np.int64),
        np.array([kind.is_ordered for kind in kinds.values()], dtype=np.bool_),
    )


def _coded(
    table: Table,
    kinds: Mapping[Hashable, UsedKind],
    weights: NDArray[np.float64] | None,
    in_memory: int | None,
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


def _standardise(columns: NDArray[np.float64], chosen: NDArray[np.int64], summary: Moments) -> None:
    """Columns of numbers, in place and a few rows at a time."""
    spread = np.sqrt(summary.variances[chosen])
    scale = np.where(spread > 0, spread, 1.0)
    for first in range(0, len(columns), ROWS_AT_ONCE):
        rows = columns[first : first + ROWS_AT_ONCE]
        rows[:, chosen] = (rows[:, chosen] - summary.means[chosen]) / scale


def named_categories(blocks: Blocks, coded: Coded, table: Table) -> Blocks:
    """Blocks of a table of codes, with the categories that these stand for in another one."""
    values = dict(zip(coded.names, coded.categories, strict=True))
    named = [
        tuple(as_in_data(values[name][int(code)], table.kinds[name]) for code in codes)  # type: ignore[call-overload]
        for name, codes in zip(table.all_names, blocks.categories, strict=True)
    ]
    return replace(blocks, categories=tuple(named))


def em_blocks(
    table: Table, kinds: Mapping[Hashable, UsedKind], weights: NDArray[np.float64] | None, n_samples: float
) -> Blocks:
    """The same for a table of numbers and codes with gaps: correlations by EM, as many samples as they are worth.

    The blocks are those of a table without gaps, whose gaps are then put back, whole blocks at a time.
    """
    values = np.asarray(table.values, dtype=np.float64)
    there = np.isfinite(values)
    usual = [_usual(values[there[:, i], i], kinds[name]) for i, name in enumerate(table.names)]
    blocks = expand(replace(table, values=np.where(there, values, usual)), kinds, weights)
    columns = np.where(np.repeat(there, np.diff(blocks.start), axis=1), blocks.columns, np.nan)
    matrix = em_correlations(columns, weights)
    matrix[np.diag_indices_from(matrix)] = 1 + RIDGE
    return replace(blocks, matrix=matrix, n_samples=n_samples)


def _usual(values: NDArray[np.float64], kind: UsedKind) -> float:
    """The most frequent code, or the mean; 0 if there is none."""
    if not len(values):
        return 0.0
    return float(np.bincount(values.astype(np.int64)).argmax()) if kind.is_coded else float(values.mean())

"""Mixed tables as blocks of columns: a number as it is, a discrete column as indicators of all categories but one.

The block of an ordered category begins with one column of scores, and indicators complete it: what it explains as a
condition may have any shape, but what is tested of it is one column.

The joint correlation matrix of all these columns is the sufficient statistic of the degenerate-Gaussian test (Andrews,
Ramsey & Cooper 2019). The columns themselves are kept for tests that the correlations do not suffice for.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sidelight.families.gaussian.correlation import Moments, moments
from sidelight.families.gaussian.em import em_correlations
from sidelight.files.scratch import empty
from sidelight.tables.coding import Coded, as_in_data, code_columns
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
    table: Table,
    discrete: frozenset[object],
    weights: NDArray[np.float64] | None,
    ordinal: frozenset[object] = frozenset(),
    memory: int | None = None,
) -> Blocks:
    """Summarise a table whose columns in ``discrete`` become indicators, and those in ``ordinal`` scores with them.

    What is kept is in files if it takes more than a share of so many bytes of memory.
    """
    in_memory = None if memory is None else memory // 4
    codes, n_categories, categories = _coded(table, discrete, weights, ordinal, in_memory)
    is_discrete, is_ordinal = (np.array([name in kind for name in table.all_names]) for kind in (discrete, ordinal))
    start = np.zeros(len(n_categories) + 1, dtype=np.int64)
    width = np.where(is_discrete, n_categories - 1, np.where(is_ordinal, np.maximum(1, n_categories - 1), 1))
    np.cumsum(width, out=start[1:])
    columns = empty((table.n_rows, int(start[-1])), np.float64, in_memory, "C")
    scores = {i: scores_by_rank(codes[:, i], weights) for i in np.flatnonzero(is_ordinal).tolist()}
    for first in range(0, table.n_rows, ROWS_AT_ONCE):
        rows = slice(first, first + ROWS_AT_ONCE)
        for i, name in enumerate(table.all_names):
            block = columns[rows, start[i] : start[i + 1]]
            if is_discrete[i]:
                block[...] = codes[rows, i : i + 1] == np.arange(1, n_categories[i])
            elif is_ordinal[i]:
                block[:, 0] = scores[i][codes[rows, i]]
                block[:, 1:] = codes[rows, i : i + 1] == np.arange(1, n_categories[i] - 1)
            else:
                block[:, 0] = table.column(name)[rows]
    summary = moments(columns, weights=weights)
    matrix = np.nan_to_num(summary.correlations)
    matrix[np.diag_indices_from(matrix)] = 1 + RIDGE
    _standardise(columns, start[:-1][~is_discrete], summary)  # numbers and scores
    tested = np.where(is_ordinal, 1, np.diff(start))
    n_samples = summary.n_samples
    return Blocks(matrix, start, n_samples, columns, codes, n_categories, categories, weights, tested, is_ordinal)


def _coded(
    table: Table,
    discrete: frozenset[object],
    weights: NDArray[np.float64] | None,
    ordinal: frozenset[object],
    in_memory: int | None,
) -> tuple[NDArray[np.integer], NDArray[np.int64], tuple[tuple[object, ...], ...]]:
    """The codes of each column, how many there are, and what those of unordered categories stand for."""
    n_categories = np.ones(len(table.all_names), dtype=np.int64)
    codes = empty((table.n_rows, len(n_categories)), np.int8, in_memory)
    categories: list[tuple[object, ...]] = [()] * len(n_categories)
    for i, name in enumerate(table.all_names):
        column: NDArray[np.integer] | int = 0
        if name in discrete:
            column, categories[i] = _by_frequency(table, name, weights)
            n_categories[i] = len(categories[i])
        elif name in ordinal:
            values, column = np.unique(table.column(name), return_inverse=True)
            n_categories[i] = max(1, len(values))
        if n_categories[i] > 127 and codes.dtype == np.int8:
            wider = empty(codes.shape, np.int32, in_memory)
            wider[:, :i] = codes[:, :i]
            codes = wider
        codes[:, i] = column
    return codes, n_categories, tuple(categories)


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


def scores_by_rank(codes: NDArray[np.integer], weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Normal scores: the quantiles of the normal distribution at the middle of each category's ranks."""
    from scipy.special import ndtri

    counts = np.bincount(codes, weights)
    scores: NDArray[np.float64] = ndtri((np.cumsum(counts) - counts / 2) / max(1.0, counts.sum()))
    return scores


def em_blocks(
    table: Table,
    discrete: frozenset[object],
    weights: NDArray[np.float64] | None,
    n_samples: float,
    ordinal: frozenset[object] = frozenset(),
) -> Blocks:
    """The same for a table of numbers and codes with gaps: correlations by EM, as many samples as they are worth.

    The blocks are those of a table without gaps, whose gaps are then put back, whole blocks at a time.
    """
    values = np.asarray(table.values, dtype=np.float64)
    there, coded = np.isfinite(values), discrete | ordinal
    usual = [_usual(values[there[:, i], i], name in coded) for i, name in enumerate(table.names)]
    blocks = expand(replace(table, values=np.where(there, values, usual)), discrete, weights, ordinal)
    columns = np.where(np.repeat(there, np.diff(blocks.start), axis=1), blocks.columns, np.nan)
    matrix = em_correlations(columns, weights)
    matrix[np.diag_indices_from(matrix)] = 1 + RIDGE
    return replace(blocks, matrix=matrix, n_samples=n_samples)


def _usual(values: NDArray[np.float64], is_discrete: bool) -> float:
    """The most frequent code, or the mean; 0 if there is none."""
    if not len(values):
        return 0.0
    return float(np.bincount(values.astype(np.int64)).argmax()) if is_discrete else float(values.mean())


def _by_frequency(
    table: Table, name: Hashable, weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.integer], tuple[object, ...]]:
    """A column's codes and the categories that they stand for, the most frequent first."""
    coded = code_columns([name], [table.cells(name)])
    codes, values = coded.codes[:, 0], [as_in_data(value, table.kinds[name]) for value in coded.categories[0]]
    order = np.argsort(-np.bincount(codes, weights, len(values)), kind="stable")
    return np.argsort(order)[codes], tuple(values[i] for i in order.tolist())

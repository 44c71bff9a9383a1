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

from sidelight.data.coding import as_in_data, as_read, code_columns
from sidelight.data.table import Table
from sidelight.sufficient.correlation import moments
from sidelight.sufficient.em import em_correlations

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
) -> Blocks:
    """Summarise a table whose columns in ``discrete`` become indicators, and those in ``ordinal`` scores with them."""
    pieces: list[NDArray[np.float64]] = []
    n_categories = np.ones(len(table.all_names), dtype=np.int64)
    codes = np.zeros((table.n_rows, len(n_categories)), dtype=np.int32, order="F")
    categories: list[tuple[object, ...]] = [()] * len(n_categories)
    for i, name in enumerate(table.all_names):
        column = table.column(name)
        if name in discrete:
            codes[:, i], categories[i] = _by_frequency(table, name, weights)
            n_categories[i] = len(categories[i])
            pieces.append((codes[:, i : i + 1] == np.arange(1, n_categories[i])).astype(np.float64))
        elif name in ordinal:
            codes[:, i] = np.unique(column, return_inverse=True)[1]
            n_categories[i] = codes[:, i].max(initial=0) + 1
            others = codes[:, i : i + 1] == np.arange(1, n_categories[i] - 1)
            pieces.append(np.column_stack([scores_of_ranks(codes[:, i], weights), others]))
        else:
            pieces.append(np.asarray(column, dtype=np.float64)[:, None])
    start = np.zeros(len(pieces) + 1, dtype=np.int64)
    np.cumsum([piece.shape[1] for piece in pieces], out=start[1:])
    columns = np.hstack(pieces) if pieces else np.empty((table.n_rows, 0))
    summary = moments(columns, weights=weights)
    matrix = np.nan_to_num(summary.correlations)
    matrix[np.diag_indices_from(matrix)] = 1 + RIDGE
    numbers = start[:-1][[name not in discrete for name in table.all_names]]  # and scores
    spread = np.sqrt(summary.variances[numbers])
    columns[:, numbers] = (columns[:, numbers] - summary.means[numbers]) / np.where(spread > 0, spread, 1.0)
    small = np.int8 if n_categories.max(initial=1) <= 127 else np.int32
    is_ordinal = np.array([name in ordinal for name in table.all_names], dtype=np.bool_)
    tested = np.where(is_ordinal, 1, np.diff(start))
    codes, named, n_samples = codes.astype(small), tuple(categories), summary.n_samples
    return Blocks(matrix, start, n_samples, columns, codes, n_categories, named, weights, tested, is_ordinal)


def scores_of_ranks(codes: NDArray[np.integer], weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Normal scores: the quantiles of the normal distribution at the middle of each category's ranks."""
    from scipy.special import ndtri

    counts = np.bincount(codes, weights)
    scores: NDArray[np.float64] = ndtri((np.cumsum(counts) - counts / 2) / max(1.0, counts.sum()))[codes]
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
    coded = code_columns([name], [as_read(table, name)])
    codes, values = coded.codes[:, 0], [as_in_data(value, table.kinds[name]) for value in coded.categories[0]]
    order = np.argsort(-np.bincount(codes, weights, len(values)), kind="stable")
    return np.argsort(order)[codes], tuple(values[i] for i in order.tolist())

"""Mixed tables as blocks of columns: a number as it is, a discrete column as indicators of all categories but one.

The joint correlation matrix of all these columns is the sufficient statistic of the degenerate-Gaussian test (Andrews,
Ramsey & Cooper 2019). The columns themselves are kept for tests that the correlations do not suffice for.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sidelight.data.coding import code_columns
from sidelight.data.table import Table
from sidelight.sufficient.correlation import moments
from sidelight.sufficient.em import em_correlations

RIDGE = 1e-8  # makes a variable that the conditioning set determines independent of everything, instead of undefined


@dataclass(frozen=True)
class Blocks:
    """Correlations of the expanded columns; block i is ``start[i]:start[i + 1]``.

    ``columns`` are the expanded columns, numbers standardised. ``codes`` has a column for each variable, whose category
    0 is the most frequent; ``n_categories`` is 1 for a number, and for a category that does not vary.
    """

    matrix: NDArray[np.float64]
    start: NDArray[np.int64]
    n_samples: float
    columns: NDArray[np.float64]
    codes: NDArray[np.integer]
    n_categories: NDArray[np.int64]
    weights: NDArray[np.float64] | None


def expand(table: Table, discrete: frozenset[object], weights: NDArray[np.float64] | None) -> Blocks:
    """Summarise a table whose columns in ``discrete`` become blocks of indicators."""
    pieces: list[NDArray[np.float64]] = []
    n_categories = np.ones(len(table.all_names), dtype=np.int64)
    codes = np.zeros((table.n_rows, len(n_categories)), dtype=np.int32, order="F")
    for i, name in enumerate(table.all_names):
        column = table.column(name)
        if name in discrete:
            codes[:, i], n_categories[i] = _by_frequency(name, column, weights)
            pieces.append((codes[:, i : i + 1] == np.arange(1, n_categories[i])).astype(np.float64))
        else:
            pieces.append(np.asarray(column, dtype=np.float64)[:, None])
    start = np.zeros(len(pieces) + 1, dtype=np.int64)
    np.cumsum([piece.shape[1] for piece in pieces], out=start[1:])
    columns = np.hstack(pieces) if pieces else np.empty((table.n_rows, 0))
    summary = moments(columns, weights=weights)
    matrix = np.nan_to_num(summary.correlations)
    matrix[np.diag_indices_from(matrix)] = 1 + RIDGE
    numbers = start[:-1][[name not in discrete for name in table.all_names]]
    spread = np.sqrt(summary.variances[numbers])
    columns[:, numbers] = (columns[:, numbers] - summary.means[numbers]) / np.where(spread > 0, spread, 1.0)
    small = np.int8 if n_categories.max(initial=1) <= 127 else np.int32
    return Blocks(matrix, start, summary.n_samples, columns, codes.astype(small), n_categories, weights)


def em_blocks(
    table: Table, discrete: frozenset[object], weights: NDArray[np.float64] | None, n_samples: float
) -> Blocks:
    """The same for a table of numbers and codes with gaps: correlations by EM, as many samples as they are worth.

    The blocks are those of a table without gaps, whose gaps are then put back, whole blocks at a time.
    """
    values = np.asarray(table.values, dtype=np.float64)
    there = np.isfinite(values)
    usual = [_usual(values[there[:, i], i], name in discrete) for i, name in enumerate(table.names)]
    blocks = expand(replace(table, values=np.where(there, values, usual)), discrete, weights)
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
    name: Hashable, column: Sequence[object] | NDArray[np.generic], weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.integer], int]:
    """A column's codes, the most frequent category first, and how many categories there are."""
    coded = code_columns([name], [column])
    codes, n_categories = coded.codes[:, 0], coded.n_categories[0]
    counts = np.bincount(codes, weights, n_categories)
    return np.argsort(np.argsort(-counts, kind="stable"))[codes], n_categories

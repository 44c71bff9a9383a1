"""Mixed tables as blocks of columns: a number as it is, a discrete column as indicators of all categories but one.

The joint correlation matrix of all these columns is the sufficient statistic of the degenerate-Gaussian test (Andrews,
Ramsey & Cooper 2019).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sidelight.data.coding import code_columns
from sidelight.data.table import Table
from sidelight.sufficient.correlation import moments

RIDGE = 1e-8  # makes a variable that the conditioning set determines independent of everything, instead of undefined


@dataclass(frozen=True)
class Blocks:
    """Correlations of the expanded columns; block i is ``start[i]:start[i + 1]``."""

    matrix: NDArray[np.float64]
    start: NDArray[np.int64]
    n_samples: float


def expand(table: Table, discrete: frozenset[object], weights: NDArray[np.float64] | None) -> Blocks:
    """Summarise a table whose columns in ``discrete`` become blocks of indicators."""
    pieces: list[NDArray[np.float64]] = []
    for name in table.all_names:
        column = table.column(name)
        if name in discrete:
            coded = code_columns([name], [column])
            pieces.append((coded.codes == np.arange(1, coded.n_categories[0])).astype(np.float64))
        else:
            pieces.append(np.asarray(column, dtype=np.float64)[:, None])
    start = np.zeros(len(pieces) + 1, dtype=np.int64)
    np.cumsum([piece.shape[1] for piece in pieces], out=start[1:])
    summary = moments(np.hstack(pieces) if pieces else np.empty((table.n_rows, 0)), weights=weights)
    matrix = np.nan_to_num(summary.correlations)
    matrix[np.diag_indices_from(matrix)] = 1 + RIDGE
    return Blocks(matrix, start, summary.n_samples)

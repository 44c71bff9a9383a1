# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
"""Partial correlations given one set after the other, for ``search_subsets``.

Consecutive sets share their first members, and so the first rows and columns of their Cholesky factors: only those from
the first change on are computed anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.kernels import DETERMINED
from sidelight.kernels.compiling import njit
from sidelight.kernels.subsets import add_kind


class Correlations(NamedTuple):
    """A correlation matrix; the dependence is the absolute partial correlation."""

    matrix: NDArray[np.float64]


@njit(inline="always")
def _explain(matrix, v, row, start, stop, basis, factor):
    """Write into a row of the factor what each of these members of the basis adds in explaining v."""
    for i in range(start, stop):
        total = matrix[v, basis[i]]
        for j in range(i):
            total -= factor[i, j] * factor[row, j]
        factor[row, i] = total / factor[i, i]


@njit(inline="always")
def _left(matrix, v, w, row, other, rank, factor):
    """What the basis leaves unexplained of the covariance of v and w, which have these rows of the factor."""
    left = matrix[v, w]
    for i in range(rank):
        left -= factor[row, i] * factor[other, i]
    return left


@njit(inline="always")
def _correlation(matrix, x, y, given, n_given, kept, rank, basis, factor):
    """The absolute correlation of x and y given these, from the Cholesky factor of all; x and y have its last two rows.

    The basis are the given variables that earlier ones do not determine; ``rank[i]`` is that of the first i given.
    """
    for i in range(kept, n_given):
        r, z = rank[i], given[i]
        _explain(matrix, z, r, 0, r, basis, factor)
        left = _left(matrix, z, z, r, r, r, factor)
        rank[i + 1] = r
        if left > DETERMINED:
            basis[r], factor[r, r], rank[i + 1] = z, np.sqrt(left), r + 1
    r, of_x, of_y = rank[n_given], len(factor) - 2, len(factor) - 1
    _explain(matrix, x, of_x, rank[kept], r, basis, factor)
    _explain(matrix, y, of_y, rank[kept], r, basis, factor)
    left_of_x, left_of_y = _left(matrix, x, x, of_x, of_x, r, factor), _left(matrix, y, y, of_y, of_y, r, factor)
    if left_of_x <= DETERMINED or left_of_y <= DETERMINED:
        return 0.0
    return min(1.0, abs(_left(matrix, x, y, of_x, of_y, r, factor)) / np.sqrt(left_of_x * left_of_y))


def _workspace(data, largest):
    rank, basis = np.zeros(largest + 1, dtype=np.int64), np.empty(largest, dtype=np.int64)
    return rank, basis, np.empty((largest + 2, largest))


def _dependence(data, work, x, y, given, n_given, kept):
    rank, basis, factor = work
    return _correlation(data.matrix, x, y, given, n_given, kept, rank, basis, factor)


add_kind(Correlations, _workspace, _dependence)

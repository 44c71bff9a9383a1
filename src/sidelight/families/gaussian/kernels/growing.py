# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
"""IAMB's growth of one boundary from a correlation matrix, without solving anew for each member.

Kept for every column y, given the members so far: its covariance with x, its own variance, and what each member added
in explaining it (a row of the members' Cholesky factor). One more member z then takes one row of the matrix and one
pass over these: n times the number of members. The sums are those of ``partial_correlations``, term by term.
"""

from __future__ import annotations

import numpy as np

from sidelight.kernels import DETERMINED
from sidelight.kernels.compiling import njit

FEW = 16  # members, for which there is room at first


@njit(cache=True)
def _condition_on(matrix, z, x, rank, explained, covariance, left):
    """Take what z explains out of all covariances with x and all variances; return the rank of the members."""
    if left[z] <= DETERMINED:
        return rank  # the members before it determine it
    row, pivot = explained[rank], np.sqrt(left[z])
    row[:] = matrix[z]
    for i in range(rank):
        share, earlier = explained[i, z], explained[i]
        for y in range(len(row)):
            row[y] -= share * earlier[y]
    for y in range(len(row)):
        row[y] /= pivot
    of_x = row[x]
    for y in range(len(row)):
        covariance[y] -= of_x * row[y]
        left[y] -= row[y] * row[y]
    return rank + 1


@njit(cache=True)
def _strongest(x, waiting, covariance, left, strengths):
    """The first of the waiting columns with the largest absolute correlation with x, and that; −1 if none waits."""
    left_of_x = left[x]
    for y in range(len(strengths)):
        strength = min(1.0, abs(covariance[y]) / np.sqrt(left_of_x * max(left[y], DETERMINED)))
        strengths[y] = (strength if left[y] > DETERMINED else 0.0) if waiting[y] else -1.0
    best, largest = -1, -1.0
    for y in range(len(strengths)):
        if strengths[y] > largest:
            best, largest = y, strengths[y]
    return best, largest


@njit(cache=True, nogil=True)
def grow_boundary(matrix, x, start, pool, critical):
    """The members at the start and, one after the other, the column of the pool that depends on x most given these.

    It ends where no absolute partial correlation exceeds ``critical`` at the number of members, or at its last entry.
    """
    n, size, rank = len(matrix), 0, 0
    covariance, left, strengths = matrix[x].copy(), np.diag(matrix).copy(), np.empty(n)
    waiting = np.zeros(n, dtype=np.bool_)
    waiting[pool] = True
    waiting[x] = False
    members, explained = np.empty(len(start) + len(pool), dtype=np.int64), np.empty((FEW, n))
    while True:
        if size < len(start):
            chosen = start[size]
        else:
            if left[x] <= DETERMINED:
                break
            chosen, strength = _strongest(x, waiting, covariance, left, strengths)
            if chosen < 0 or strength <= critical[min(size, len(critical) - 1)]:
                break
        if rank == len(explained):
            explained = np.concatenate((explained, np.empty_like(explained)))
        rank = _condition_on(matrix, chosen, x, rank, explained, covariance, left)
        waiting[chosen] = False
        members[size] = chosen
        size += 1
    return members[:size]

"""Numba kernels for correlation matrices: partial correlations, inverses, and IAMB's growth of a boundary.

All of them take the same sums term by term, so that they agree to the last bit: a Cholesky factor, whose rows say what
each given variable adds in explaining others. Given variables that earlier ones determine add nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from sidelight.kernels import DETERMINED
from sidelight.kernels.compiling import njit
from sidelight.kernels.subsets import add_kind

FEW = 16  # members of a boundary, for which there is room at first


class Correlations(NamedTuple):
    """A correlation matrix, for ``search_subsets``; the dependence is the absolute partial correlation."""

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
def _scaled(covariance, left_of_x, left_of_y):
    """The correlation from what is left of a covariance and two variances; 0 when one of the two is determined."""
    if left_of_x <= DETERMINED or left_of_y <= DETERMINED:
        return 0.0
    return max(-1.0, min(1.0, covariance / np.sqrt(left_of_x * left_of_y)))  # at most 1 but for rounding


@njit(inline="always")
def _correlation(matrix, x, y, given, n_given, kept, rank, basis, factor):
    """The correlation of x and y given these, from the Cholesky factor of all; x and y have its last two rows.

    The basis are the given variables that earlier ones do not determine; ``rank[i]`` is that of the first i given.
    Consecutive sets share their first members, and so the first rows and columns of their factors: only those from the
    first change on, which ``kept`` says, are computed anew.
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
    return _scaled(_left(matrix, x, y, of_x, of_y, r, factor), left_of_x, left_of_y)


@register_jitable
def _workspace(data, largest):
    rank, basis = np.zeros(largest + 1, dtype=np.int64), np.empty(largest, dtype=np.int64)
    return rank, basis, np.empty((largest + 2, largest))


def _dependence(data, work, x, y, given, n_given, kept):
    rank, basis, factor = work
    return abs(_correlation(data.matrix, x, y, given, n_given, kept, rank, basis, factor))


add_kind(Correlations, _workspace, _dependence)


@njit(cache=True)
def partial_correlation(matrix, x, y, given):
    """The correlation of x and y given ``given``; 0 when one of them is determined by ``given``."""
    rank, basis, factor = _workspace(matrix, len(given))
    return _correlation(matrix, x, y, given, len(given), 0, rank, basis, factor)


@njit(cache=True)
def unexplained_share(matrix, x, given):
    """The share of the variance of x that ``given`` does not explain; at least what counts as none."""
    n = len(given)
    rank, basis, factor = _workspace(matrix, n)
    _correlation(matrix, x, x, given, n, 0, rank, basis, factor)  # writes what the basis explains of x
    return max(_left(matrix, x, x, n, n, rank[n], factor), DETERMINED)


@njit(cache=True)
def _condition_on(z, x, rank, explained, covariance, left):
    """Take what z explains out of all covariances with x and all variances; return the rank of what is given.

    ``explained`` has a row for each variable given before, what it adds in explaining each column, and then the row of
    z in the matrix. It takes one pass over these, in which the processor does several columns at once.
    """
    if left[z] <= DETERMINED:
        return rank  # the members before it determine it
    row, pivot = explained[rank], np.sqrt(left[z])
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
def partial_correlations(matrix, x, candidates, given):
    """The correlations of x with each candidate given ``given``; 0 when one of the two is determined by ``given``."""
    columns = np.concatenate((given, candidates, np.array([x])))
    n, rank = len(columns), 0
    explained, covariance, left = np.empty((len(given), n)), np.empty(n), np.empty(n)
    for c in range(n):
        covariance[c], left[c] = matrix[x, columns[c]], matrix[columns[c], columns[c]]
    for i in range(len(given)):
        row, from_matrix = explained[rank], matrix[given[i]]
        for c in range(n):
            row[c] = from_matrix[columns[c]]
        rank = _condition_on(i, n - 1, rank, explained, covariance, left)
    result = np.empty(len(candidates))
    for i in range(len(candidates)):
        result[i] = _scaled(covariance[len(given) + i], left[n - 1], left[len(given) + i])
    return result


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
        explained[rank] = matrix[chosen]
        rank = _condition_on(chosen, x, rank, explained, covariance, left)
        waiting[chosen] = False
        members[size] = chosen
        size += 1
    return members[:size]


@njit(cache=True)
def correlation_of_first_two(matrix, members):
    """The correlation of the first two members given all the others; one array is quicker to hand over than three."""
    return partial_correlation(matrix, members[0], members[1], members[2:])


# The next kernels write into an array of the caller's: numba takes longer to hand one over than they take to fill it.


@njit(cache=True)
def invert(matrix, members, result):
    """Write the inverse of the members' correlation matrix into ``result``; return the smallest pivot on the way.

    When a member is determined by others there is no inverse; then the pivot is 0.
    """
    k = len(members)
    lower = np.empty((k, k))
    smallest_pivot = 1.0
    for i in range(k):
        for j in range(i + 1):
            total = matrix[members[i], members[j]]
            for h in range(j):
                total -= lower[i, h] * lower[j, h]
            if i > j:
                lower[i, j] = total / lower[j, j]
            elif total <= DETERMINED:
                return 0.0
            else:
                lower[i, i] = np.sqrt(total)
                smallest_pivot = min(smallest_pivot, total)
    # Invert the factor in place, then multiply: K = L⁻ᵀ L⁻¹.
    for j in range(k):
        lower[j, j] = 1.0 / lower[j, j]
        for i in range(j + 1, k):
            total = 0.0
            for h in range(j, i):
                total -= lower[i, h] * lower[h, j]
            lower[i, j] = total / lower[i, i]
    for i in range(k):
        for j in range(i + 1):
            total = 0.0
            for h in range(i, k):
                total += lower[h, i] * lower[h, j]
            result[i, j] = result[j, i] = total
    return smallest_pivot


@njit(cache=True)
def weak_pairs(precision, critical, weak):
    """Mark all pairs: is the absolute partial correlation given all the others at most ``critical``?

    Reads the upper triangle only.
    """
    k = len(precision)
    for i in range(k):
        weak[i, i] = True
        for j in range(i + 1, k):
            is_weak = precision[i, j] ** 2 <= critical**2 * precision[i, i] * precision[j, j]
            weak[i, j] = weak[j, i] = is_weak


@njit(cache=True)
def weak_pairs_leaving_out(precision, positions, critical, weak):
    """The same without some members: leaving out z is the rank-one update K − K[:, z] K[z, :] / K[z, z]."""
    k, updated = len(precision), precision.copy()
    kept = np.ones(k, dtype=np.bool_)
    for z in positions:
        kept[z] = False
        for i in range(k):
            if kept[i]:
                share = updated[i, z] / updated[z, z]
                for j in range(k):
                    if kept[j]:
                        updated[i, j] -= share * updated[z, j]
    order = np.flatnonzero(kept)
    result = np.empty((len(order), len(order)))
    for i in range(len(order)):
        for j in range(len(order)):
            result[i, j] = updated[order[i], order[j]]
    weak_pairs(result, critical, weak)

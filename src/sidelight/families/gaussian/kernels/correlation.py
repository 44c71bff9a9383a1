# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
"""Numba kernels for correlation matrices: arrays in, arrays out, no policy."""

from __future__ import annotations

import numpy as np

from sidelight.kernels import DETERMINED
from sidelight.kernels.compiling import njit


@njit(cache=True)
def _explain(matrix, y, basis, factor, explained):
    """Write into ``explained`` what each basis variable adds in explaining y; return the variance left of y."""
    left = matrix[y, y]
    for i in range(len(basis)):
        total = matrix[y, basis[i]]
        for j in range(i):
            total -= factor[i, j] * explained[j]
        explained[i] = total / factor[i, i]
        left -= explained[i] ** 2
    return left


@njit(cache=True)
def _basis(matrix, given):
    """The members of ``given`` that earlier ones do not determine, and the Cholesky factor of their correlations."""
    basis = np.empty(len(given), dtype=np.int64)
    factor = np.zeros((len(given), len(given)))
    size = 0
    for z in given:
        left = _explain(matrix, z, basis[:size], factor, factor[size])
        if left > DETERMINED:
            factor[size, size] = np.sqrt(left)
            basis[size] = z
            size += 1
    return basis[:size], factor  # a part of it would be another type, and ``_explain`` compiled twice


@njit(cache=True)
def _scaled(covariance, left_of_x, left_of_y):
    """The correlation from what is left of a covariance and two variances; 0 when one of the two is determined."""
    if left_of_x <= DETERMINED or left_of_y <= DETERMINED:
        return 0.0
    return max(-1.0, min(1.0, covariance / np.sqrt(left_of_x * left_of_y)))  # at most 1 but for rounding


@njit(cache=True)
def _take_out(row, shares, explained, rank, of_x, covariance, left):
    """Turn correlations with a variable into what it adds in explaining each column, and take that out of the rest.

    ``shares`` are what the earlier rows add in explaining the variable, and its root of the variance that is left;
    ``of_x`` is what it adds in explaining x.
    """
    for j in range(rank):
        share, earlier = shares[j], explained[j]
        for c in range(len(row)):
            row[c] -= share * earlier[c]
    pivot = shares[rank]
    for c in range(len(row)):
        row[c] /= pivot
        covariance[c] -= of_x * row[c]
        left[c] -= row[c] * row[c]


@njit(cache=True)
def partial_correlations(matrix, x, candidates, given):
    """The correlations of x with each candidate given ``given``; 0 when one of the two is determined by ``given``.

    All candidates at a time, one row of the matrix for each member of the basis: the processor does several at once.
    """
    basis, factor = _basis(matrix, given)
    of_x, result = np.empty(len(basis)), np.zeros(len(candidates))
    left_of_x = _explain(matrix, x, basis, factor, of_x)
    if left_of_x <= DETERMINED:
        return result
    explained = np.empty((len(basis), len(candidates)))
    covariance, left = np.empty(len(candidates)), np.empty(len(candidates))
    for c in range(len(candidates)):
        covariance[c], left[c] = matrix[x, candidates[c]], matrix[candidates[c], candidates[c]]
    for i in range(len(basis)):
        row, from_matrix = explained[i], matrix[basis[i]]
        for c in range(len(candidates)):
            row[c] = from_matrix[candidates[c]]
        _take_out(row, factor[i], explained, i, of_x[i], covariance, left)
    for c in range(len(candidates)):
        result[c] = _scaled(covariance[c], left_of_x, left[c])
    return result


@njit(cache=True)
def unexplained_share(matrix, x, given):
    """The share of the variance of x that ``given`` does not explain; at least what counts as none."""
    basis, factor = _basis(matrix, given)
    return max(_explain(matrix, x, basis, factor, np.empty(len(basis))), DETERMINED)


@njit(cache=True)
def partial_correlation(matrix, x, y, given):
    """The correlation of x and y given ``given``; 0 when one of them is determined by ``given``."""
    basis, factor = _basis(matrix, given)
    of_x, of_y = np.empty(len(basis)), np.empty(len(basis))
    left_of_x = _explain(matrix, x, basis, factor, of_x)
    left_of_y = _explain(matrix, y, basis, factor, of_y)
    covariance = matrix[x, y]
    for i in range(len(basis)):
        covariance -= of_x[i] * of_y[i]
    return _scaled(covariance, left_of_x, left_of_y)


@njit(cache=True)
def correlation_of_first_two(matrix, members):
    """The correlation of the first two members given all the others."""
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
def leave_out(precision, positions):
    """The inverse of the correlation matrix without some members, from the inverse with them.

    Leaving out member z is the rank-one update K − K[:, z] K[z, :] / K[z, z].
    """
    k = len(precision)
    updated = precision.copy()
    kept = np.ones(k, dtype=np.bool_)
    for z in positions:
        kept[z] = False
        for i in range(k):
            if kept[i]:
                share = updated[i, z] / updated[z, z]
                for j in range(k):
                    if kept[j]:
                        updated[i, j] -= share * updated[z, j]
    order, n_kept = np.empty(k, dtype=np.int64), 0
    for i in range(k):
        if kept[i]:
            order[n_kept] = i
            n_kept += 1
    result = np.empty((n_kept, n_kept))
    for i in range(n_kept):
        for j in range(n_kept):
            result[i, j] = updated[order[i], order[j]]
    return result


@njit(cache=True, inline="always")
def is_weak(precision, i, j, critical):
    """Is the absolute partial correlation of two members given all others at most ``critical``?"""
    return precision[i, j] ** 2 <= critical**2 * precision[i, i] * precision[j, j]


@njit(cache=True)
def weak_pairs(precision, critical, weak):
    """Mark all pairs: is the absolute partial correlation given all the others at most ``critical``?

    Reads the upper triangle only.
    """
    k = len(precision)
    for i in range(k):
        weak[i, i] = True
        for j in range(i + 1, k):
            weak[i, j] = weak[j, i] = is_weak(precision, i, j, critical)


@njit(cache=True)
def weak_pairs_leaving_out(precision, positions, critical, weak):
    """The same without some members."""
    weak_pairs(leave_out(precision, positions), critical, weak)


@njit(cache=True)
def weak_pairs_one_by_one(matrix, members, critical, weak):
    """The same where some members are determined by others, and there is no inverse."""
    k = len(members)
    weak[:] = True
    given = np.empty(max(0, k - 2), dtype=np.int64)
    for i in range(k):
        for j in range(i):
            n_given = 0
            for h in range(k):
                if h != i and h != j:
                    given[n_given] = members[h]
                    n_given += 1
            rho = partial_correlation(matrix, members[i], members[j], given)
            weak[i, j] = weak[j, i] = abs(rho) <= critical

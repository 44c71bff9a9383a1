# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
"""Numba kernels for correlation matrices: arrays in, arrays out, no policy."""

from __future__ import annotations

import numpy as np
from numba import njit

from sidelight.statistics.correlation import DETERMINED


@njit(cache=True)
def partial_correlation(matrix, x, y, given):
    """The correlation of x and y given ``given``; 0 when one of them is determined by ``given``.

    The last two rows of the Cholesky factor of (given, x, y) hold it. Members of ``given`` that earlier ones determine
    add nothing and are passed over.
    """
    k = len(given)
    factor = np.zeros((k + 2, k + 2))
    index = np.empty(k + 2, dtype=np.int64)
    index[:k] = given
    index[k], index[k + 1] = x, y
    used = 0
    for row in range(k + 2):
        for column in range(used):
            total = matrix[index[row], index[column]]
            for j in range(column):
                total -= factor[used, j] * factor[column, j]
            factor[used, column] = total / factor[column, column]
        pivot = matrix[index[row], index[row]]
        for j in range(used):
            pivot -= factor[used, j] ** 2
        if pivot <= DETERMINED:
            if row >= k:
                return 0.0
            continue
        if row == k + 1:
            covered = factor[used, used - 1]
            return covered / np.sqrt(covered**2 + pivot)
        factor[used, used] = np.sqrt(pivot)
        index[used] = index[row]
        used += 1
    return 0.0


@njit(cache=True)
def inverse(matrix, members):
    """The inverse of the members' correlation matrix, and the smallest pivot met on the way.

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
                return np.empty((0, 0)), 0.0
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
    result = np.empty((k, k))
    for i in range(k):
        for j in range(i + 1):
            total = 0.0
            for h in range(i, k):
                total += lower[h, i] * lower[h, j]
            result[i, j] = result[j, i] = total
    return result, smallest_pivot


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
    order = np.flatnonzero(kept)
    result = np.empty((len(order), len(order)))
    for i in range(len(order)):
        for j in range(len(order)):
            result[i, j] = updated[order[i], order[j]]
    return result


@njit(cache=True)
def weak_pairs(precision, critical):
    """For all pairs: is the absolute partial correlation given all the others at most ``critical``?

    Reads the upper triangle only.
    """
    k = len(precision)
    weak = np.empty((k, k), dtype=np.bool_)
    for i in range(k):
        weak[i, i] = True
        for j in range(i + 1, k):
            within = precision[i, j] ** 2 <= critical**2 * precision[i, i] * precision[j, j]
            weak[i, j] = weak[j, i] = within
    return weak


@njit(cache=True)
def weak_pairs_one_by_one(matrix, members, critical):
    """The same where some members are determined by others, and there is no inverse."""
    k = len(members)
    weak = np.ones((k, k), dtype=np.bool_)
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
    return weak

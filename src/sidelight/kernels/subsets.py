# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
"""Numba kernels that go through subsets: choices in lexicographic order, and the search by partial correlations."""

from __future__ import annotations

import numpy as np
from numba import njit

from sidelight.kernels import DETERMINED
from sidelight.kernels.correlation import _explain


@njit(cache=True)
def row(items, start, i):
    """The i-th row of rows laid end to end."""
    return items[start[i] : start[i + 1]]


@njit(cache=True)
def pool_without(items, start, i, x, y, pool):
    """Copy the i-th row but for x and y; return how many are left."""
    size = 0
    for z in row(items, start, i):
        if z != x and z != y:
            pool[size] = z
            size += 1
    return size


@njit(cache=True)
def next_choice(choice, size, n):
    """Move on to the next ``size`` of n positions in lexicographic order; return the first that changed, or −1."""
    i = size - 1
    while i >= 0 and choice[i] == n - size + i:
        i -= 1
    if i >= 0:
        choice[i] += 1
        for j in range(i + 1, size):
            choice[j] = choice[j - 1] + 1
    return i


@njit(cache=True)
def _add_to_basis(matrix, z, basis, rank, factor):
    """One more given variable, unless earlier ones determine it; return the rank with it."""
    left = _explain(matrix, z, basis[:rank], factor, factor[rank])
    if left <= DETERMINED:
        return rank
    factor[rank, rank] = np.sqrt(left)
    basis[rank] = z
    return rank + 1


@njit(cache=True)
def _correlation_given_basis(matrix, x, y, basis, factor, of_x, of_y):
    left_of_x = _explain(matrix, x, basis, factor, of_x)
    left_of_y = _explain(matrix, y, basis, factor, of_y)
    if left_of_x <= DETERMINED or left_of_y <= DETERMINED:
        return 0.0
    covariance = matrix[x, y]
    for i in range(len(basis)):
        covariance -= of_x[i] * of_y[i]
    return min(1.0, abs(covariance) / np.sqrt(left_of_x * left_of_y))


@njit(cache=True, nogil=True)
def search_correlations(matrix, critical, asked, budget, stop):
    """For each pair the first set of its search given which the correlation is at most ``critical[size of the set]``.

    Subsequent sets share their first members, and so the first rows of their Cholesky factors: only those from the
    first change on are computed anew.
    """
    n_chosen, chosen = np.full(len(asked.x), -1, dtype=np.int64), np.zeros((len(asked.x), asked.width), dtype=np.int64)
    weakest, by_size = np.full(len(asked.x), np.inf), np.zeros(len(critical), dtype=np.int64)
    most = len(critical)  # one more than the largest set, and room for a base that is larger than allowed
    pool, choice = np.empty(len(matrix), dtype=np.int64), np.empty(asked.width + 1, dtype=np.int64)
    basis, ranks = np.empty(most, dtype=np.int64), np.zeros(most + 1, dtype=np.int64)
    factor, of_x, of_y = np.empty((most, most)), np.empty(most), np.empty(most)
    for s in range(len(asked.x)):
        x, y = asked.x[s], asked.y[s]
        n_pool = pool_without(asked.pool_items, asked.pool_start, asked.pool_of[s], x, y, pool)
        n_base = 0
        for z in row(asked.base_items, asked.base_start, asked.base_of[s]):
            ranks[n_base + 1] = _add_to_basis(matrix, z, basis, ranks[n_base], factor)
            n_base += 1
        for size in range(asked.smallest, min(asked.largest, n_pool, asked.most_given - n_base) + 1):
            choice[:size] = np.arange(size)
            changed = 0
            while True:
                if budget == 0 or stop[0]:
                    return n_chosen, chosen, weakest, by_size, True
                budget -= 1
                for i in range(changed, size):
                    at = n_base + i
                    ranks[at + 1] = _add_to_basis(matrix, pool[choice[i]], basis, ranks[at], factor)
                rank = ranks[n_base + size]
                strength = _correlation_given_basis(matrix, x, y, basis[:rank], factor, of_x, of_y)
                by_size[n_base + size] += 1
                weakest[s] = min(weakest[s], strength)
                if strength <= critical[n_base + size]:
                    n_chosen[s] = size
                    for i in range(size):
                        chosen[s, i] = pool[choice[i]]
                    break
                changed = next_choice(choice, size, n_pool)
                if changed < 0:
                    break
            if n_chosen[s] >= 0:
                break
    return n_chosen, chosen, weakest, by_size, False

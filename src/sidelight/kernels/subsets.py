"""The search for separating sets among the subsets of a pool: one loop, compiled for each kind of test.

A kind of test is a named tuple of the arrays it needs. Its two functions, ``workspace`` and ``dependence``, are chosen
by the type of that tuple when numba compiles the loop (docs/decisions/0010).
"""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import overload

from sidelight.kernels.compiling import njit


def workspace(data, largest):
    """Arrays that ``dependence`` may use for sets of at most this size, and keeps from one set to the next."""
    raise NotImplementedError


def dependence(data, work, x, y, given, n_given, kept):
    """How strongly x and y depend on each other given the first ``n_given`` of these.

    The first ``kept`` are as in the last set of the same pair; 0 for the first set of a pair.
    """
    raise NotImplementedError


def add_kind(kind, workspace_of, dependence_of):
    """Let ``search_subsets`` take data of this named-tuple class."""

    def is_kind(data):
        return isinstance(data, types.NamedTuple | types.NamedUniTuple) and data.instance_class is kind

    overload(workspace, inline="always")(lambda data, largest: workspace_of if is_kind(data) else None)
    overload(dependence, inline="always")(
        lambda data, work, x, y, given, n_given, kept: dependence_of if is_kind(data) else None
    )


@njit(cache=True)
def _row(items, start, i):
    """The i-th row of rows laid end to end."""
    return items[start[i] : start[i + 1]]


@njit(cache=True)
def _longest_row(start):
    longest = 0
    for i in range(len(start) - 1):
        longest = max(longest, start[i + 1] - start[i])
    return longest


@njit(cache=True)
def _pool_without(items, start, i, x, y, pool):
    """Copy the i-th row but for x and y; return how many are left."""
    size = 0
    for z in _row(items, start, i):
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


@njit(cache=True, nogil=True)
def search_subsets(data, critical, searches, budget, stop):
    """For each pair the first set of its search given which the dependence is at most ``critical[size of the set]``."""
    n = len(searches.x)
    n_chosen, chosen = np.full(n, -1, dtype=np.int64), np.zeros((n, searches.width), dtype=np.int64)
    weakest, by_size = np.full(n, np.inf), np.zeros(len(critical), dtype=np.int64)
    pool = np.empty(_longest_row(searches.pool_start), dtype=np.int64)
    choice = np.empty(searches.width + 1, dtype=np.int64)
    given, work = np.empty(len(critical), dtype=np.int64), workspace(data, len(critical))
    for s in range(n):
        x, y = searches.x[s], searches.y[s]
        n_pool = _pool_without(searches.pool_items, searches.pool_start, searches.pool_of[s], x, y, pool)
        base = _row(searches.base_items, searches.base_start, searches.base_of[s])
        n_base, kept = len(base), 0
        given[:n_base] = base
        for size in range(searches.smallest, min(searches.largest, n_pool, searches.most_given - n_base) + 1):
            n_given = n_base + size
            choice[:size] = np.arange(size)
            changed = 0
            while changed >= 0:
                if budget == 0 or stop[0]:
                    return n_chosen, chosen, weakest, by_size, True
                budget -= 1
                for i in range(changed, size):
                    given[n_base + i] = pool[choice[i]]
                strength = dependence(data, work, x, y, given, n_given, kept)
                by_size[n_given] += 1
                weakest[s] = min(weakest[s], strength)
                if strength <= critical[n_given]:
                    n_chosen[s] = size
                    chosen[s, :size] = given[n_base:n_given]
                    break
                changed = next_choice(choice, size, n_pool)
                kept = n_base + max(0, changed)
            if n_chosen[s] >= 0:
                break
    return n_chosen, chosen, weakest, by_size, False

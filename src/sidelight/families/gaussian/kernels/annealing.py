# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment"
"""Numba kernels that anneal an order of the variables, by a Gaussian score (simulated annealing).

Each variable has a few candidates, and a table of the best score with parents among each set of these (Kuipers, Suter
and Moffa 2022 restrict candidates in this way). So a move takes a few look-ups, and the parents are the best ones, not
those that greedy choice finds. Variables change places with the next one, or move farther; what lowers the score is
accepted too, more seldom the more it loses and the colder it is.

A set of candidates is the number whose bits are its members. Scores are in nats.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.kernels import DETERMINED
from sidelight.kernels.all_subsets import best_within, lowest_member, number_of_members, sweep
from sidelight.kernels.compiling import njit

WARM, COLD = 5.0, 0.3  # nats: how much less is accepted with a probability of 1/e at first, and at last
FARTHEST = 12  # places, for a variable that moves farther than to the next one
LEAST_GAIN = 1e-6  # nats


class Tables(NamedTuple):
    """The candidates of each variable, and the best scores with parents among sets of them.

    ``bit[v, y]`` is the set of y alone among the candidates of v, 0 if it is none. The table of v is
    ``values[start[v] : start[v + 1]]``.
    """

    candidates: NDArray[np.int64]  # of each variable how many they are, and these
    bit: NDArray[np.int64]
    start: NDArray[np.int64]
    values: NDArray[np.float64]


@njit(cache=True, nogil=True, error_model="numpy")
def tables_of(matrix, candidates, ways, n_rows, penalty, most):
    """The tables for these candidates (in each row how many, and then which); required parents are among them."""
    n = len(matrix)
    bit, start = np.zeros((n, n), np.int64), np.zeros(n + 1, np.int64)
    for v in range(n):
        start[v + 1] = start[v] + (1 << candidates[v, 0])
        for b in range(candidates[v, 0]):
            bit[v, candidates[v, b + 1]] = 1 << b
    values = np.empty(start[n])
    for v in range(n):
        table, required = values[start[v] : start[v + 1]], 0
        _score_sets(matrix, v, candidates[v, 1 : candidates[v, 0] + 1], n_rows, penalty, most, table)
        if len(ways) > 0:
            for y in range(n):
                required |= bit[v, y] if ways[y, v] == 2 else 0
        for s in range(len(table)):
            if s & required != required:
                table[s] = -np.inf
        best_within(table, 0)
    return Tables(candidates, bit, start, values)


@njit(cache=True, error_model="numpy")
def _score_sets(matrix, v, candidates, n_rows, penalty, most, table):
    """The score of v with each set of candidates as parents, each from a smaller set by one sweep."""
    n = len(candidates)
    left = np.zeros((n + 1, n + 2, n + 1))  # as in ``score_all_subsets``, with v as the last column
    for i in range(n + 1):
        x = candidates[i] if i < n else v
        left[n, n + 1, i] = matrix[x, x]
        for j in range(n + 1):
            left[n, i, j] = matrix[x, candidates[j] if j < n else v]
    for s in range(len(table)):
        lowest = n
        if s > 0:
            lowest, rest = lowest_member(s), s & (s - 1)
            sweep(left[n] if rest == 0 else left[lowest_member(rest)], lowest, left[lowest])
        size, unexplained = number_of_members(s), max(left[lowest, n + 1, n], DETERMINED)
        table[s] = -0.5 * (n_rows * np.log(unexplained) + penalty * size) if size <= most else -np.inf


@njit(cache=True, nogil=True, error_model="numpy")
def anneal(tables, order, n_steps, seed):
    """Anneal an order: the parents of each variable in the best order met, after how many they are, and the score.

    ``order`` becomes that order. The seed is not 0.
    """
    n, state = len(order), np.full(1, seed, np.uint64)
    current, sets = order.copy(), np.zeros(n, np.int64)  # of each variable, the candidates before it
    for i in range(n):
        for j in range(i):
            sets[order[i]] |= tables.bit[order[i], order[j]]
    score = best = _total(tables, sets)
    cooling, temperature = (COLD / WARM) ** (1 / max(1, n_steps)), WARM
    for _ in range(n_steps):
        temperature *= cooling
        place = int(_random(state) * n)
        distance = 1 if _random(state) < 0.7 else 2 + int(_random(state) * (FARTHEST - 1))
        target = place + distance if _random(state) < 0.5 else place - distance
        if not 0 <= target < n:
            continue
        gain = _gain(tables, current, sets, place, target)
        if gain >= 0 or (gain > -30 * temperature and _random(state) < np.exp(gain / temperature)):
            _move(tables, current, sets, place, target)
            score += gain
            if score > best + LEAST_GAIN:
                best = score
                order[:] = current
    return _parents(tables, order)


@njit(cache=True, error_model="numpy", _nrt=False)
def _random(state):
    """A number from 0 to 1 by xorshift: the same on each machine, and for any number of workers."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return (x >> np.uint64(11)) * (1.0 / (1 << 53))


@njit(cache=True, error_model="numpy", _nrt=False)
def _value(tables, v, members):
    return tables.values[tables.start[v] + members]


@njit(cache=True, error_model="numpy", _nrt=False)
def _total(tables, sets):
    total = 0.0
    for v in range(len(sets)):
        total += _value(tables, v, sets[v])
    return total


@njit(cache=True, error_model="numpy", _nrt=False)
def _gain(tables, order, sets, place, target):
    """What it gains to move a variable from one place to another."""
    x, step, gain = order[place], 1 if target > place else -1, 0.0
    of_x = sets[x]
    for i in range(place + step, target + step, step):
        y = order[i]
        of_x ^= tables.bit[x, y]
        if tables.bit[y, x]:
            gain += _value(tables, y, sets[y] ^ tables.bit[y, x]) - _value(tables, y, sets[y])
    return gain + _value(tables, x, of_x) - _value(tables, x, sets[x])


@njit(cache=True, error_model="numpy", _nrt=False)
def _move(tables, order, sets, place, target):
    x, step = order[place], 1 if target > place else -1
    for i in range(place, target, step):
        y = order[i + step]
        order[i] = y
        sets[x] ^= tables.bit[x, y]
        sets[y] ^= tables.bit[y, x]
    order[target] = x


@njit(cache=True, error_model="numpy")
def _parents(tables, order):
    """The best parents of each variable among its candidates before it, after how many they are, and their score."""
    n, total = len(order), 0.0
    parents = np.zeros((n, tables.candidates.shape[1]), np.int64)
    for i in range(n):
        v, members = order[i], 0
        for j in range(i):
            members |= tables.bit[v, order[j]]
        total += _value(tables, v, members)
        for b in range(tables.candidates[v, 0]):
            if members >> b & 1:
                if _value(tables, v, members ^ (1 << b)) == _value(tables, v, members):
                    members ^= 1 << b
                else:
                    parents[v, 0] += 1
                    parents[v, parents[v, 0]] = tables.candidates[v, b + 1]
    return parents, total

# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
"""Numba kernels for the search over orders of variables by a Gaussian score: arrays in, arrays out.

The score of a variable with some parents is −N log(unexplained share of its variance) − penalty · number of parents.
Parents are chosen greedily among the candidates before the variable in the order: the best one is added as long as the
score rises (the path), then the worst is dropped as long as it rises. A candidate that comes or goes changes the choice
only if it is on the path, or would be: most choices need only be checked.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from sidelight.kernels import DETERMINED


@njit(cache=True)
def choose(matrix, v, allowed, n_allowed, n_rows, penalty, path, parents):
    """Choose parents of v among the allowed; return the score and the lengths of the path and of the parents."""
    length = _grow(matrix, v, allowed, n_allowed, n_rows, penalty, path)
    if length == 0:
        return 0.0, 0, 0
    return _shrink(matrix, v, path, length, n_rows, penalty, parents)


@njit(cache=True)
def _grow(matrix, v, allowed, n_allowed, n_rows, penalty, path):
    most = len(path)
    factors = np.empty((n_allowed, most))
    variance, covariance = np.ones(n_allowed), np.empty(n_allowed)
    for i in range(n_allowed):
        covariance[i] = matrix[v, allowed[i]]
    unexplained, length = 1.0, 0
    while length < most:
        best, best_gain = -1, 0.0
        for i in range(n_allowed):
            if variance[i] > DETERMINED:
                gain = _gain(covariance[i], variance[i], unexplained, n_rows) - penalty
                if gain > best_gain:
                    best, best_gain = i, gain
        if best < 0:
            break
        root = np.sqrt(variance[best])
        explained = covariance[best] / root
        unexplained = max(unexplained - explained * explained, DETERMINED)
        variance[best] = 0.0
        for i in range(n_allowed):
            if variance[i] > DETERMINED:
                value = matrix[allowed[i], allowed[best]]
                for h in range(length):
                    value -= factors[i, h] * factors[best, h]
                value /= root
                factors[i, length] = value
                variance[i] -= value * value
                covariance[i] -= value * explained
        path[length] = allowed[best]
        length += 1
    return length


@njit(cache=True)
def _gain(covariance, variance, unexplained, n_rows):
    share = covariance * covariance / (variance * unexplained)
    return -n_rows * np.log(max(1.0 - share, DETERMINED))


@njit(cache=True)
def _shrink(matrix, v, path, length, n_rows, penalty, parents):
    """Drop parents while the score rises; the inverse over the parents and v, which is last, says what each adds."""
    members = np.empty(length + 1, np.int64)
    members[:length] = path[:length]
    members[length] = v
    inverse = np.linalg.inv(_taken(matrix, members))
    kept = np.ones(length + 1, np.bool_)
    n_kept = length
    while n_kept:
        worst, worst_loss = -1, penalty
        for j in range(length):
            if kept[j]:
                share = inverse[j, length] ** 2 / (inverse[j, j] * inverse[length, length])
                loss = -n_rows * np.log(max(1.0 - share, DETERMINED))
                if loss < worst_loss:
                    worst, worst_loss = j, loss
        if worst < 0:
            break
        kept[worst] = False
        n_kept -= 1
        pivot = inverse[worst, worst]
        for a in range(length + 1):
            if kept[a]:
                factor = inverse[a, worst] / pivot
                for b in range(length + 1):
                    if kept[b]:
                        inverse[a, b] -= factor * inverse[worst, b]
    position = 0
    for j in range(length):
        if kept[j]:
            parents[position] = members[j]
            position += 1
    return n_rows * np.log(max(inverse[length, length], 1.0)) - penalty * n_kept, length, n_kept


@njit(cache=True)
def _taken(matrix, members):
    k = len(members)
    taken = np.empty((k, k))
    for i in range(k):
        for j in range(k):
            taken[i, j] = matrix[members[i], members[j]]
    return taken


@njit(cache=True)
def would_join(matrix, v, x, path, length, n_rows, penalty):
    """Would x be on the path of v if it were allowed too?"""
    factors, explained, mine = np.empty((length, length)), np.empty(length), np.empty(length)
    variance, covariance, unexplained = 1.0, matrix[v, x], 1.0
    for step in range(length):
        own, with_v, with_x = 1.0, matrix[v, path[step]], matrix[x, path[step]]
        for h in range(step):
            value = matrix[path[step], path[h]]
            for g in range(h):
                value -= factors[step, g] * factors[h, g]
            value /= factors[h, h]
            factors[step, h] = value
            own -= value * value
            with_v -= value * explained[h]
            with_x -= value * mine[h]
        root = np.sqrt(max(own, DETERMINED))
        factors[step, step] = root
        explained[step] = with_v / root
        mine[step] = with_x / root
        if variance > DETERMINED:
            chosen = explained[step] * explained[step] / unexplained
            if covariance * covariance / (variance * unexplained) > chosen:
                return True
        unexplained = max(unexplained - explained[step] * explained[step], DETERMINED)
        variance -= mine[step] * mine[step]
        covariance -= mine[step] * explained[step]
    return variance > DETERMINED and _gain(covariance, variance, unexplained, n_rows) > penalty


@njit(cache=True)
def _contains(items, length, x):
    for i in range(length):  # noqa: SIM110 (a generator would not compile)
        if items[i] == x:
            return True
    return False


@njit(cache=True)
def _allowed(v, position, start, items, without, extra, buffer):
    """The candidates before v in the order, without one and with an extra one (−1: none); return how many."""
    n = 0
    for i in range(start[v], start[v + 1]):
        y = items[i]
        if y == extra or (y != without and position[y] < position[v]):
            buffer[n] = y
            n += 1
    return n


@njit(cache=True)
def search_orders(matrix, order, start, items, n_rows, penalty, most, tolerance):
    """Move one variable at a time to its best place in the order, until no move raises the score.

    ``items[start[v] : start[v + 1]]`` are the candidates of v, a symmetric relation. ``order`` is changed in place.
    Return the parents of each variable, how many they are, the scores, and the number of moves.
    """
    n = len(matrix)
    widest = 0
    for v in range(n):
        widest = max(widest, start[v + 1] - start[v])
    position = np.empty(n, np.int64)
    for i in range(n):
        position[order[i]] = i
    path, parents = np.empty((n, most), np.int64), np.empty((n, most), np.int64)
    length, n_parents, score = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n)
    buffer = np.empty(widest + 1, np.int64)
    for v in range(n):
        k = _allowed(v, position, start, items, -1, -1, buffer)
        score[v], length[v], n_parents[v] = choose(matrix, v, buffer, k, n_rows, penalty, path[v], parents[v])
    waiting, n_moves = np.ones(n, np.bool_), 0
    some_path, some_parents = np.empty(most, np.int64), np.empty(most, np.int64)
    near, keys = np.empty(widest, np.int64), np.empty(widest, np.int64)
    before, after = np.empty(widest), np.empty(widest)
    progress = True
    while progress:
        progress = False
        for turn in range(n):
            x = order[turn]
            if not waiting[x]:
                continue
            waiting[x] = False
            k = start[x + 1] - start[x]
            for i in range(k):
                keys[i] = position[items[start[x] + i]]
            ranked = np.argsort(keys[:k])
            now = 0
            for i in range(k):
                near[i] = items[start[x] + ranked[i]]
                if position[near[i]] < position[x]:
                    now = i + 1
            # The scores of the others with x before them, and after.
            total = 0.0
            for i in range(k):
                y = near[i]
                if i >= now:  # x is before y
                    before[i] = after[i] = score[y]
                    if _contains(path[y], length[y], x):
                        m = _allowed(y, position, start, items, x, -1, buffer)
                        after[i] = choose(matrix, y, buffer, m, n_rows, penalty, some_path, some_parents)[0]
                else:
                    before[i] = after[i] = score[y]
                    if would_join(matrix, y, x, path[y], length[y], n_rows, penalty):
                        m = _allowed(y, position, start, items, -1, x, buffer)
                        before[i] = choose(matrix, y, buffer, m, n_rows, penalty, some_path, some_parents)[0]
                total += before[i]
            # The scores of x after none, one, two … of them.
            own, own_length = 0.0, 0
            best, best_place, current = total, 0, 0.0
            if now == 0:
                current = total
            for i in range(k):
                if would_join(matrix, x, near[i], some_path, own_length, n_rows, penalty):
                    own, own_length, _ = choose(matrix, x, near, i + 1, n_rows, penalty, some_path, some_parents)
                total += after[i] - before[i]
                if own + total > best:
                    best, best_place = own + total, i + 1
                if i + 1 == now:
                    current = own + total
            if best <= current + tolerance:
                continue
            if best_place < now:
                target = position[near[best_place]]
                for i in range(position[x], target, -1):
                    order[i] = order[i - 1]
                    position[order[i]] = i
            else:
                target = position[near[best_place - 1]]
                for i in range(position[x], target):
                    order[i] = order[i + 1]
                    position[order[i]] = i
            order[target] = x
            position[x] = target
            m = _allowed(x, position, start, items, -1, -1, buffer)
            score[x], length[x], n_parents[x] = choose(matrix, x, buffer, m, n_rows, penalty, path[x], parents[x])
            for i in range(min(now, best_place), max(now, best_place)):
                y = near[i]
                if before[i] != after[i] or _contains(path[y], length[y], x) or best_place < now:
                    m = _allowed(y, position, start, items, -1, -1, buffer)
                    score[y], length[y], n_parents[y] = choose(
                        matrix, y, buffer, m, n_rows, penalty, path[y], parents[y]
                    )
            for i in range(k):
                waiting[near[i]] = True
            n_moves += 1
            progress = True
    return parents, n_parents, score, n_moves

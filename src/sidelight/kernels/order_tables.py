# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
"""Numba kernels for the search over orders where the scores of all sets of candidates are tabled: arrays in and out.

The candidates of v are ``items[start[v] : start[v + 1]]``, a symmetric relation; a set of them is a mask, and
``tables[first[v] + mask]`` its score.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def best_subsets(tables, masks, first, sizes):
    """In place: for each mask the score of its best subset, and which that is."""
    for v in range(len(sizes)):
        offset = first[v]
        for mask in range(1 << sizes[v]):
            masks[offset + mask] = mask
            for bit in range(sizes[v]):
                if mask >> bit & 1:
                    smaller = offset + (mask ^ (1 << bit))
                    if tables[smaller] >= tables[offset + mask]:
                        tables[offset + mask] = tables[smaller]
                        masks[offset + mask] = masks[smaller]


@njit(cache=True)
def _before(v, position, start, items):
    """The candidates of v that come before it, as a mask."""
    mask = 0
    for i in range(start[v], start[v + 1]):
        if position[items[i]] < position[v]:
            mask |= 1 << (i - start[v])
    return mask


@njit(cache=True)
def _bit_of(v, x, start, items):
    for i in range(start[v], start[v + 1]):
        if items[i] == x:
            return 1 << (i - start[v])
    return 0


@njit(cache=True)
def search_tables(order, start, items, tables, first, tolerance):
    """Move one variable at a time to its best place; return for each its candidates before it, and the moves."""
    n = len(order)
    position = np.empty(n, np.int64)
    for i in range(n):
        position[order[i]] = i
    waiting, n_moves, progress = np.ones(n, np.bool_), 0, True
    while progress:
        progress = False
        for turn in range(n):
            x = order[turn]
            if not waiting[x]:
                continue
            waiting[x] = False
            near = items[start[x] : start[x + 1]][np.argsort(position[items[start[x] : start[x + 1]]])]
            best_place, now, gain = _best_place(x, near, position, start, items, tables, first)
            if gain <= tolerance:
                continue
            target = position[near[best_place]] if best_place < now else position[near[best_place - 1]]
            step = 1 if target > position[x] else -1
            for i in range(position[x], target, step):
                order[i] = order[i + step]
                position[order[i]] = i
            order[target], position[x] = x, target
            waiting[near] = True
            n_moves += 1
            progress = True
    found = np.empty(n, np.int64)
    for v in range(n):
        found[v] = _before(v, position, start, items)
    return found, n_moves


@njit(cache=True)
def _best_place(x, near, position, start, items, tables, first):
    """After how many of its candidates x is best placed, after how many it is now, and what the move gains."""
    k = len(near)
    change, total = np.empty(k), 0.0
    now = 0
    for i in range(k):
        y = near[i]
        bit, mask = _bit_of(y, x, start, items), _before(y, position, start, items)
        with_x, without_x = tables[first[y] + (mask | bit)], tables[first[y] + (mask & ~bit)]
        change[i] = without_x - with_x
        if position[y] < position[x]:
            now = i + 1
    mask, best, best_place, current = 0, tables[first[x]], 0, tables[first[x]]
    for i in range(k):
        mask |= _bit_of(x, near[i], start, items)
        total += change[i]
        value = tables[first[x] + mask] + total
        if value > best:
            best, best_place = value, i + 1
        if i + 1 == now:
            current = value
    return best_place, now, best - current

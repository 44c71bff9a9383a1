# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment"
"""Numba kernels for the search over orders of variables by a Gaussian score: arrays in, arrays out.

The parents of a variable are chosen among the candidates before it in the order (``sidelight.kernels.paths``). Most
choices need not be made again when a variable is moved, and a path over more candidates begins as before.
"""

from __future__ import annotations

import numpy as np

from sidelight.kernels.compiling import njit
from sidelight.kernels.paths import NEVER, NONE, begin, choose, grow, keep, look_at, room_for, shrink

AT_ONCE = np.int64(32)  # candidates that are looked at beyond those allowed


@njit(cache=True, nogil=True, error_model="numpy")
def search_orders(matrix, order, waiting, start, items, ways, n_rows, penalty, most, tolerance):
    """Move one variable at a time to its best place in the order, until none that is waiting raises the score by that.

    After a move, those wait again to which it matters. That is nearly, not quite, all whose best place may be another:
    whoever wants to be sure searches again from the order found, with all of them waiting.

    ``items[start[v] : start[v + 1]]`` are the candidates of v, a symmetric relation. ``order`` is changed in place;
    so is ``waiting``, which variables are to be tried.
    Return the parents of each variable, after how many they are, and the scores.
    """
    n, least, widest = len(matrix), -np.expm1(-penalty / n_rows), AT_ONCE
    position, would, mirror = np.empty(n, np.int64), np.empty(len(items), np.int64), _mirrored(start, items)
    for i in range(n):
        position[order[i]] = i
        widest = max(widest, start[i + 1] - start[i])
    problem = matrix, start, items, mirror, ways, n_rows, penalty, least
    room = room_for(min(most, widest), widest)
    kept = np.empty((2, n, room[1].shape[1]), np.int64)
    scores, changes = np.empty(n), np.empty((2, widest + 1))
    for v in range(n):
        _settle(v, position, problem, room, kept, scores, would)
    progress = True
    while progress:
        progress = False
        for turn in range(n):
            x = order[turn]
            if not waiting[x]:
                continue
            waiting[x] = False
            near, now = _by_position(x, order, position, start, items)
            _toggle(x, near, now, position, problem, room, kept, scores, would, changes)
            place, gain = _best_place(x, near, now, problem, room, changes)
            if gain <= tolerance:
                continue
            total = scores.sum()
            _wake(x, place, now, near, problem, kept, would, changes, waiting)
            _move(order, position, x, position[items[near[place if place < now else place - 1]]])
            _settle(x, position, problem, room, kept, scores, would)
            for i in range(min(now, place), max(now, place)):  # x has come before these, or after
                if not np.isnan(changes[0, i]):
                    _settle(items[near[i]], position, problem, room, kept, scores, would)
            if scores.sum() > total + tolerance / 2:  # else rounding promised a gain that is none
                progress = True
                _wake(x, place, now, near, problem, kept, would, changes, waiting)
                waiting[x] = False
    return kept[1], scores


@njit(cache=True, error_model="numpy")
def _wake(x, place, now, near, problem, kept, would, changes, waiting):
    """Have those tried again to which a variable matters whose place or choice changes."""
    items = problem[2]
    _wake_beside(x, problem, kept, would, waiting)
    for i in range(len(near)):
        y = items[near[i]]
        if min(now, place) <= i < max(now, place) and not np.isnan(changes[0, i]):
            waiting[y] = True
            _wake_beside(y, problem, kept, would, waiting)
        elif would[near[i]] < NEVER or _step_of(kept[0, y], x) < NEVER:
            waiting[y] = True


@njit(cache=True, error_model="numpy")
def _wake_beside(v, problem, kept, would, waiting):
    """Have those tried again that are on the path of v, or would join it."""
    start, items, mirror = problem[1], problem[2], problem[3]
    for h in range(kept[0, v, 0]):
        waiting[kept[0, v, h + 1]] = True
    for e in range(start[v], start[v + 1]):
        if would[mirror[e]] < NEVER:
            waiting[items[e]] = True


@njit(cache=True, error_model="numpy")
def _mirrored(start, items):
    """Where v is among the candidates of y, for each candidate y of v."""
    mirror, seen = np.empty(len(items), np.int64), start.copy()
    for v in range(len(start) - 1):
        for e in range(start[v], start[v + 1]):
            mirror[e] = seen[items[e]]
            seen[items[e]] += 1
    return mirror


@njit(cache=True, error_model="numpy")
def _settle(v, position, problem, room, kept, scores, would):
    """Choose parents of v among the candidates before it, and note which of those after it would join its path."""
    matrix, start, items, mirror, ways, n_rows, penalty, least = problem
    numbers, square, candidates = room
    names, joins, entries, n_before = candidates[0], candidates[1], candidates[4], NONE
    for e in range(start[v], start[v + 1]):
        entries[n_before] = e
        n_before += position[items[e]] < position[v]
    n = n_before
    for e in range(start[v], start[v + 1]):
        if position[items[e]] > position[v]:
            entries[n] = e
            n += 1
    for i in range(n):
        names[i] = items[entries[i]]
    scores[v], length = choose(matrix, v, n, n_before, ways, n_rows, penalty, least, numbers, square, candidates)
    keep(v, length, square, candidates, kept)
    for i in range(n):
        would[mirror[entries[i]]] = joins[i]


@njit(cache=True, error_model="numpy")
def _by_position(v, order, position, start, items):
    """The candidates of v in their order, as places among the items; how many are before v."""
    first, k, now = start[v], start[v + 1] - start[v], 0
    near = np.empty(k, np.int64)
    if k == len(order) - 1:  # all others
        for y in range(len(order)):
            if y != v:
                near[position[y] - (position[y] > position[v])] = first + y - (y > v)
        return near, position[v]
    for i in range(k):  # sorting by insertion compiles much faster than argsort
        e, j = first + i, i
        while j > 0 and position[items[near[j - 1]]] > position[items[e]]:
            near[j] = near[j - 1]
            j -= 1
        near[j] = e
        now += position[items[e]] < position[v]
    return near, now


@njit(cache=True, error_model="numpy")
def _toggle(x, near, now, position, problem, room, kept, scores, would, changes):
    """What each variable near x, of which the first ``now`` are before it, gains when x comes after it.

    Not a number where the choice is the same.
    """
    ways, place = problem[4], position[x]
    for i in range(len(near)):
        y, is_before = problem[2][near[i]], i < now
        changes[0, i] = np.nan
        if len(ways) > 0 and ways[x, y] == 2:  # always before it
            continue
        n_same = would[near[i]] if is_before else _step_of(kept[0, y], x)
        if n_same < NEVER:
            position[x] = -1 if is_before else len(position)
            score = _changed_score(y, n_same, position, problem, room, kept[0, y])
            changes[0, i] = scores[y] - score if is_before else score - scores[y]
    position[x] = place


@njit(cache=True, error_model="numpy")
def _changed_score(y, n_same, position, problem, room, path):
    """The score of y with parents among the candidates before it, where so many steps of its path are as before."""
    matrix, start, items, _, ways, n_rows, penalty, least = problem
    numbers, square, candidates = room
    names, forced, n = candidates[0], candidates[3], n_same
    for h in range(n_same):
        names[h] = path[h + 1]  # it comes again below, but explains nothing then
    for e in range(start[y], start[y + 1]):
        names[n] = items[e]
        n += position[items[e]] < position[y]
    n_required = begin(matrix, y, n, n_same, ways, numbers, candidates)
    for h in range(n_same):
        forced[h] = h
    length = grow(matrix, n, n, n_same, NONE, least, numbers, square, candidates)
    return shrink(length, n_required, n_rows, penalty, least, square)


@njit(cache=True, error_model="numpy")
def _step_of(path, x):
    """The step of a path that x is, NEVER if it is not on it."""
    for h in range(path[0]):
        if path[h + 1] == x:
            return h
    return NEVER


@njit(cache=True, error_model="numpy")
def _best_place(x, near, now, problem, room, changes):
    """After how many of those near it x is best placed, and what the move there gains.

    It stays after its required parents and before its required children.
    """
    items, ways, first, last = problem[2], problem[4], NONE, len(near)
    if len(ways) > 0:
        for i in range(len(near)):
            if ways[items[near[i]], x] == 2:
                first = i + 1
            if ways[x, items[near[i]]] == 2:
                last = min(last, i)
    _own_scores(x, near, first, last, problem, room, changes[1])
    total, best, best_place, current = 0.0, -np.inf, first, 0.0
    for place in range(first, last + 1):
        if place > first and not np.isnan(changes[0, place - 1]):
            total += changes[0, place - 1]
        value = changes[1, place] + total
        if value > best:
            best, best_place = value, place
        if place == now:
            current = value
    return best_place, best - current


@njit(cache=True, error_model="numpy")
def _own_scores(x, near, first, last, problem, room, scores):
    """The scores of x with parents among so many of those near it, for each number from the first to the last.

    One more candidate changes the path only from the step on at which it joins.
    """
    matrix, _, items, _, ways, n_rows, penalty, least = problem
    numbers, square, candidates = room
    names, joins, n_allowed, length, seen = candidates[0], candidates[1], first, NONE, first
    for i in range(last):
        names[i] = items[near[i]]
    n_required = begin(matrix, x, last, first, ways, numbers, candidates)
    while True:
        length = grow(matrix, seen, n_allowed, n_required, length, least, numbers, square, candidates)
        score = shrink(length, n_required, n_rows, penalty, least, square)
        scores[n_allowed] = score
        while n_allowed < last and (n_allowed == seen or joins[n_allowed] == NEVER):
            if n_allowed == seen:
                seen = min(last, seen + AT_ONCE)
                look_at(matrix, n_allowed, seen, n_required, length, least, numbers, square, candidates)
            else:
                n_allowed += 1
                scores[n_allowed] = score
        if n_allowed == last:
            return
        length = joins[n_allowed]
        n_allowed += 1
        for i in range(n_allowed, seen):
            joins[i] = joins[i] if joins[i] < length else NEVER


@njit(cache=True, error_model="numpy")
def _move(order, position, x, target):
    step = 1 if target > position[x] else -1
    for i in range(position[x], target, step):
        order[i] = order[i + step]
        position[order[i]] = i
    order[target], position[x] = x, target

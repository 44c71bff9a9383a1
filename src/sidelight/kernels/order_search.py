# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment"
"""Numba kernels for the search over orders of variables by a Gaussian score: arrays in, arrays out.

The parents of a variable are chosen among the candidates before it in the order (``sidelight.kernels.paths``). Most
choices need not be made again when a variable is moved, and a path over more candidates begins as before.

Where all variables are each other's candidates, the matrix is kept in the order of the variables, so that the
candidates of one, all before it, are the first columns.
"""

from __future__ import annotations

import numpy as np

from sidelight.kernels.compiling import njit
from sidelight.kernels.paths import (
    ALIGNED,
    COLUMN,
    ENTRY,
    FORCED,
    JOINS,
    NAME,
    NEVER,
    NONE,
    STAND_IN,
    TAKEN,
    VARIANCE,
    begin,
    grow,
    keep,
    look_at,
    room_for,
    shrink,
)

AHEAD = np.int64(32)  # candidates that are looked at beyond those allowed


@njit(cache=True, nogil=True, error_model="numpy")
def search_orders(matrix, order, waiting, start, items, ways, n_rows, penalty, most, tolerance):
    """Move one variable at a time to its best place in the order, until none that is waiting raises the score by that.

    After a move, those wait again to which it matters. That is nearly, not quite, all whose best place may be another:
    whoever wants to be sure searches again from the order found, with all of them waiting.

    ``items[start[v] : start[v + 1]]`` are the candidates of v, a symmetric relation. ``order`` is changed in place;
    so is ``waiting``, which variables are to be tried.
    Return the parents of each variable, after how many they are, and the scores.
    """
    n, least, widest = len(matrix), -np.expm1(-penalty / n_rows), AHEAD
    position, would, mirror = np.empty(n, np.int64), np.empty(len(items), np.int64), _mirrored(start, items)
    for i in range(n):
        position[order[i]] = i
        widest = max(widest, start[i + 1] - start[i] + 1)
    numbers, square, candidates, layout = room_for(min(most, widest), widest)
    layout[ALIGNED] = len(items) == n * (n - 1)
    if layout[ALIGNED]:
        matrix = _in_order(matrix, order)
    problem = matrix, start, items, mirror, ways, n_rows, penalty, least
    room = numbers, square, candidates, layout, position if layout[ALIGNED] else np.empty(n, np.int64)
    kept = np.empty((2, n, square.shape[1]), np.int64)
    scores, changes = np.empty(n), np.empty((2, widest + 1))
    for v in range(n):
        _settle(v, order, position, problem, room, kept, scores, would)
    progress = True
    while progress:
        progress = False
        for turn in range(n):
            x = order[turn]
            if not waiting[x]:
                continue
            waiting[x] = False
            near, now = _by_position(x, order, position, start, items)
            _toggle(x, near, now, order, position, problem, room, kept, scores, would, changes)
            place, gain = _best_place(x, near, now, order, position, problem, room, changes)
            if gain <= tolerance:
                continue
            total = scores.sum()
            _wake(x, place, now, near, problem, kept, would, changes, waiting)
            target = position[items[near[place if place < now else place - 1]]]
            if layout[ALIGNED]:
                _move_in_matrix(matrix, position[x], target)
            _move(order, position, x, target)
            _settle(x, order, position, problem, room, kept, scores, would)
            for i in range(min(now, place), max(now, place)):  # x has come before these, or after
                if not np.isnan(changes[0, i]):
                    _settle(items[near[i]], order, position, problem, room, kept, scores, would)
            if scores.sum() > total + tolerance / 2:  # else rounding promised a gain that is none
                progress = True
                _wake(x, place, now, near, problem, kept, would, changes, waiting)
                waiting[x] = False
    return kept[1], scores


@njit(cache=True, error_model="numpy", _nrt=False)
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


@njit(cache=True, error_model="numpy", _nrt=False)
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


@njit(cache=True, error_model="numpy", _nrt=False)
def _settle(v, order, position, problem, room, kept, scores, would):
    """Choose parents of v among the candidates before it, and note which of those after it would join its path."""
    matrix, start, items, mirror, ways, n_rows, penalty, least = problem
    numbers, square, candidates, layout, where = room
    if layout[ALIGNED]:
        n, n_before = len(order), position[v]
        n_required = _begin_with_first(v, n, order, position, problem, room)
        numbers[VARIANCE, 0, n_before] = TAKEN  # v itself
        for i in range(n):
            candidates[ENTRY, i] = start[order[i]] + v - (v > order[i])
    else:
        n, n_before = _those_before_first(v, position, start, items, candidates)
        n_required = begin(matrix, v, v, n, n, ways, numbers, candidates, layout, where)
        for i in range(n):
            candidates[ENTRY, i] = mirror[candidates[ENTRY, i]]
    length = grow(matrix, n, n_before, n_required, NONE, least, numbers, square, candidates, layout, where)
    scores[v] = shrink(length, n_required, n_rows, penalty, least, square)
    keep(v, length, square, candidates, kept)
    for i in range(n):
        if candidates[NAME, i] != v:
            would[candidates[ENTRY, i]] = candidates[JOINS, i]


@njit(cache=True, error_model="numpy", _nrt=False)
def _begin_with_first(v, n, order, position, problem, room):
    """Begin a path of v whose candidates are the first in the order; how many are required."""
    numbers, _, candidates, layout, where = room
    for i in range(n):
        candidates[NAME, i] = order[i]
    return begin(problem[0], position[v], v, n, n, problem[4], numbers, candidates, layout, where)


@njit(cache=True, error_model="numpy", _nrt=False)
def _those_before_first(v, position, start, items, candidates):
    """Write down the candidates of v, those before it first; how many there are, and how many of these."""
    n = NONE
    for is_after in range(2):
        for e in range(start[v], start[v + 1]):
            if (position[items[e]] > position[v]) == is_after:
                candidates[NAME, n], candidates[ENTRY, n] = items[e], e
                n += 1
        if not is_after:
            n_before = n
    return n, n_before


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


@njit(cache=True, error_model="numpy", _nrt=False)
def _toggle(x, near, now, order, position, problem, room, kept, scores, would, changes):
    """What each variable near x, of which the first ``now`` are before it, gains when x comes after it.

    Not a number where the choice is the same.
    """
    ways = problem[4]
    for i in range(len(near)):
        y, is_before = problem[2][near[i]], i < now
        changes[0, i] = np.nan
        if len(ways) > 0 and ways[x, y] == 2:  # always before it
            continue
        n_same = would[near[i]] if is_before else _step_of(kept[0, y], x)
        if n_same < NEVER:
            score = _changed_score(x, y, n_same, order, position, problem, room, kept[0, y])
            changes[0, i] = scores[y] - score if is_before else score - scores[y]


@njit(cache=True, error_model="numpy", _nrt=False)
def _changed_score(x, y, n_same, order, position, problem, room, path):
    """The score of y if x, now after it, came before it, or the other way round.

    So many steps of the path of y are the same.
    """
    matrix, start, items, _, ways, n_rows, penalty, least = problem
    numbers, square, candidates, layout, where = room
    place, place_of_y, comes = position[x], position[y], position[x] > position[y]
    n = place_of_y + comes
    if layout[ALIGNED]:
        if comes:  # it stands in for y itself, which is no candidate
            order[place_of_y], position[x], layout[STAND_IN], layout[COLUMN] = x, place_of_y, place_of_y, place
        n_required = _begin_with_first(y, n, order, position, problem, room)
        if not comes:
            numbers[VARIANCE, 0, place] = TAKEN
        for h in range(n_same):
            candidates[FORCED, h] = position[path[h + 1]]
    else:
        n = _same_steps_first(x, y, n_same, comes, position, start, items, path, candidates)
        n_required = begin(matrix, y, y, n, n_same, ways, numbers, candidates, layout, where)
    length = grow(matrix, n, n, n_same, NONE, least, numbers, square, candidates, layout, where)
    order[place_of_y], position[x], layout[STAND_IN] = y, place, -1
    return shrink(length, n_required, n_rows, penalty, least, square)


@njit(cache=True, error_model="numpy", _nrt=False)
def _same_steps_first(x, y, n_same, comes, position, start, items, path, candidates):
    """Write down the candidates of y with x, or without it, the first steps of the path first; how many there are."""
    n = n_same
    for h in range(n_same):
        candidates[NAME, h], candidates[FORCED, h] = path[h + 1], h  # it comes again below, but explains nothing then
    for e in range(start[y], start[y + 1]):
        candidates[NAME, n] = items[e]
        n += comes if items[e] == x else position[items[e]] < position[y]
    return n


@njit(cache=True, error_model="numpy", _nrt=False)
def _step_of(path, x):
    """The step of a path that x is, NEVER if it is not on it."""
    for h in range(path[0]):
        if path[h + 1] == x:
            return h
    return NEVER


@njit(cache=True, error_model="numpy", _nrt=False)
def _best_place(x, near, now, order, position, problem, room, changes):
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
    _own_scores(x, near, first, last, order, position, problem, room, changes[1])
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


@njit(cache=True, error_model="numpy", _nrt=False)
def _own_scores(x, near, first, last, order, position, problem, room, scores):
    """The scores of x with parents among so many of those near it, for each number from the first to the last.

    One more candidate changes the path only from the step on at which it joins.
    """
    matrix, _, items, _, ways, n_rows, penalty, least = problem
    numbers, square, candidates, layout, where = room
    joins, length, skipped = candidates[JOINS], NONE, len(order)
    if layout[ALIGNED]:
        skipped = position[x]  # its own place is passed over
        first, last = first + (first > skipped), last + (last > skipped)
        n_required = _begin_with_first(x, last, order, position, problem, room)
        if skipped < last:
            numbers[VARIANCE, 0, skipped] = TAKEN
    else:
        for i in range(last):
            candidates[NAME, i] = items[near[i]]
        n_required = begin(matrix, x, x, last, first, ways, numbers, candidates, layout, where)
    n_allowed = seen = first
    while True:
        length = grow(matrix, seen, n_allowed, n_required, length, least, numbers, square, candidates, layout, where)
        score = shrink(length, n_required, n_rows, penalty, least, square)
        scores[n_allowed - (n_allowed > skipped)] = score
        while n_allowed < last and (n_allowed == seen or joins[n_allowed] == NEVER):
            if n_allowed == seen:
                seen = min(last, seen + AHEAD)
                look_at(matrix, n_allowed, seen, n_required, length, least, numbers, square, candidates, layout)
            else:
                n_allowed += 1
                scores[n_allowed - (n_allowed > skipped)] = score
        if n_allowed == last:
            return
        length = joins[n_allowed]
        n_allowed += 1
        for i in range(n_allowed, seen):
            joins[i] = joins[i] if joins[i] < length else NEVER


@njit(cache=True, error_model="numpy")
def _in_order(matrix, order):
    """The matrix with its rows and columns in this order; indexing by arrays would take long to compile."""
    n = len(order)
    found = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            found[i, j] = matrix[order[i], order[j]]
    return found


@njit(cache=True, error_model="numpy", _nrt=False)
def _move_in_matrix(matrix, source, target):
    """Move a row and a column of the matrix from one place to another."""
    step, n = 1 if target > source else -1, len(matrix)
    for i in range(source, target, step):
        for j in range(n):
            matrix[i, j], matrix[i + step, j] = matrix[i + step, j], matrix[i, j]
    for r in range(n):
        value = matrix[r, source]
        for i in range(source, target, step):
            matrix[r, i] = matrix[r, i + step]
        matrix[r, target] = value


@njit(cache=True, error_model="numpy", _nrt=False)
def _move(order, position, x, target):
    step = 1 if target > position[x] else -1
    for i in range(position[x], target, step):
        order[i] = order[i + step]
        position[order[i]] = i
    order[target], position[x] = x, target

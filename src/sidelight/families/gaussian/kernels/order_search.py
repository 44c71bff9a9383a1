# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment"
"""Numba kernels for the search over orders of variables by a Gaussian score (docs/decisions/0016 has an example).

The parents of a variable are chosen among the candidates before it in the order (``paths``). Most
choices need not be made again when a variable is moved, and a path over more candidates begins as before.

Where all variables are each other's candidates, they are aligned: the matrix is kept in the order of the variables, so
that the candidates of one, all before it, are the first columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.families.gaussian.kernels.paths import (
    NEVER,
    NONE,
    NOT_TO_CHOOSE,
    Integers,
    Numbers,
    begin,
    grow,
    keep,
    look_at,
    problem_of,
    room_for,
    shrink,
)
from sidelight.kernels.compiling import njit

AHEAD = np.int64(32)  # candidates that are looked at beyond those allowed


class Search(NamedTuple):
    """An order of the variables and what is known of each in it, changed in place.

    ``items[start[v] : start[v + 1]]`` are the candidates of v, a symmetric relation; a place among the items is an
    entry. ``mirror`` says for the entry of y among the candidates of v which one is that of v among those of y.
    """

    order: Integers
    position: Integers
    start: Integers
    items: Integers
    mirror: Integers
    paths: Integers  # of each variable how many steps there are, and these
    parents: Integers  # the same of those that are left of the path
    scores: Numbers
    would: Integers  # by entry, of x among the candidates of y: the step at which y, now after x, would join x's path
    waiting: NDArray[np.bool_]  # which variables are to be tried


class Nearby(NamedTuple):
    """The candidates of a variable x that is tried at other places, in their order."""

    entries: Integers
    now: int  # how many of them are before x
    gains: Numbers  # what each gains when x comes after it; not a number where its choice is the same
    own: Numbers  # the score of x after so many of them


@njit(cache=True, nogil=True, error_model="numpy")
def search_orders(matrix, order, waiting, start, items, ways, n_rows, penalty, patience, most, tolerance):
    """Move one variable at a time to its best place in the order, until none that is waiting raises the score by that.

    After a move, those wait again to which it matters. That is nearly, not quite, all whose best place may be another:
    whoever wants to be sure searches again from the order found, with all of them waiting.

    ``order`` and ``waiting`` are changed in place. Return the parents of each variable, after how many they are, and
    the scores.
    """
    n, widest = len(matrix), AHEAD
    position = np.empty(n, np.int64)
    for i in range(n):
        position[order[i]] = i
        widest = max(widest, start[i + 1] - start[i] + 1)
    is_aligned, most = len(items) == n * (n - 1), min(most, widest)
    room = room_for(most, widest, is_aligned, position if is_aligned else np.empty(n, np.int64))
    aligned = _in_order(matrix, order) if is_aligned else matrix
    problem = problem_of(aligned, ways, n_rows, penalty, patience)
    paths, parents = np.empty((n, most + 1), np.int64), np.empty((n, most + 1), np.int64)
    would, mirror = np.empty(len(items), np.int64), _mirrored(start, items)
    search = Search(order, position, start, items, mirror, paths, parents, np.empty(n), would, waiting)
    gains, own = np.empty(widest + 1), np.empty(widest + 1)
    for v in range(n):
        _settle(search, problem, room, v)
    progress = True
    while progress:
        progress = False
        for turn in range(n):
            x = order[turn]
            if waiting[x]:
                waiting[x] = False
                entries, now = _by_position(search, x)
                near = Nearby(entries, now, gains, own)
                progress |= _try(search, problem, room, x, near, tolerance)
    return parents, search.scores


@njit(cache=True, error_model="numpy", _nrt=False)
def _try(search, problem, room, x, near, tolerance):
    """Move x to its best place if that raises the score; return whether it did."""
    _toggle(search, problem, room, x, near)
    place, gain = _best_place(search, problem, room, x, near)
    if gain <= tolerance:
        return False
    total = search.scores.sum()
    _wake(search, x, near, place)
    target = search.position[search.items[near.entries[place if place < near.now else place - 1]]]
    if room.is_aligned:
        _move_in_matrix(problem.matrix, search.position[x], target)
    _move(search.order, search.position, x, target)
    _settle(search, problem, room, x)
    for i in range(min(near.now, place), max(near.now, place)):  # x has come before these, or after
        if not np.isnan(near.gains[i]):
            _settle(search, problem, room, search.items[near.entries[i]])
    if search.scores.sum() <= total + tolerance / 2:  # rounding promised a gain that is none
        return False
    _wake(search, x, near, place)
    search.waiting[x] = False
    return True


@njit(cache=True, error_model="numpy", _nrt=False)
def _wake(search, x, near, place):
    """Have those tried again to which a variable matters whose place or choice changes."""
    _wake_beside(search, x)
    for i in range(len(near.entries)):
        entry = near.entries[i]
        y = search.items[entry]
        if min(near.now, place) <= i < max(near.now, place) and not np.isnan(near.gains[i]):
            search.waiting[y] = True
            _wake_beside(search, y)
        elif search.would[entry] < NEVER or _step_of(search.paths[y], x) < NEVER:
            search.waiting[y] = True


@njit(cache=True, error_model="numpy", _nrt=False)
def _wake_beside(search, v):
    """Have those tried again that are on the path of v, or would join it."""
    for h in range(search.paths[v, 0]):
        search.waiting[search.paths[v, h + 1]] = True
    for e in range(search.start[v], search.start[v + 1]):
        if search.would[search.mirror[e]] < NEVER:
            search.waiting[search.items[e]] = True


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
def _settle(search, problem, room, v):
    """Choose parents of v among the candidates before it, and note which of those after it would join its path."""
    if room.is_aligned:
        n, n_before = len(search.order), search.position[v]
        n_required = _begin_with_first(search, problem, room, v, n)
        room.variances[0, n_before] = NOT_TO_CHOOSE  # v itself
        for i in range(n):
            room.entries[i] = search.start[search.order[i]] + v - (v > search.order[i])
    else:
        n, n_before = _those_before_first(search, room, v)
        n_required = begin(problem, room, v, v, n, n)
        for i in range(n):
            room.entries[i] = search.mirror[room.entries[i]]
    length = grow(problem, room, n, n_before, n_required, NONE)
    search.scores[v] = shrink(problem, room, length, n_required)
    keep(room, length, search.paths[v], search.parents[v])
    for i in range(n):
        if room.names[i] != v:
            search.would[room.entries[i]] = room.joins[i]


@njit(cache=True, error_model="numpy", forceinline=True, _nrt=False)
def _begin_with_first(search, problem, room, v, n):
    """Begin a path of v whose candidates are the first in the order; how many are required."""
    for i in range(n):
        room.names[i] = search.order[i]
    return begin(problem, room, v, search.position[v], n, n)


@njit(cache=True, error_model="numpy", _nrt=False)
def _those_before_first(search, room, v):
    """Write down the candidates of v, those before it first; how many there are, and how many of these."""
    n, position = NONE, search.position
    for is_after in range(2):
        for e in range(search.start[v], search.start[v + 1]):
            if (position[search.items[e]] > position[v]) == is_after:
                room.names[n], room.entries[n] = search.items[e], e
                n += 1
        if not is_after:
            n_before = n
    return n, n_before


@njit(cache=True, error_model="numpy")
def _by_position(search, v):
    """The entries of the candidates of v in their order; how many of them are before v."""
    position, items, first = search.position, search.items, search.start[v]
    entries, now = np.empty(search.start[v + 1] - first, np.int64), 0
    if len(entries) == len(position) - 1:  # all others
        for y in range(len(position)):
            if y != v:
                entries[position[y] - (position[y] > position[v])] = first + y - (y > v)
        return entries, position[v]
    for i in range(len(entries)):  # sorting by insertion compiles much faster than argsort
        e, j = first + i, i
        while j > 0 and position[items[entries[j - 1]]] > position[items[e]]:
            entries[j] = entries[j - 1]
            j -= 1
        entries[j] = e
        now += position[items[e]] < position[v]
    return entries, now


@njit(cache=True, error_model="numpy", forceinline=True, _nrt=False)
def _toggle(search, problem, room, x, near):
    """What each variable near x gains when x comes after it."""
    ways = problem.ways
    for i in range(len(near.entries)):
        entry, is_before = near.entries[i], i < near.now
        y = search.items[entry]
        near.gains[i] = np.nan
        if len(ways) > 0 and ways[x, y] == 2:  # always before it
            continue
        n_same = search.would[entry] if is_before else _step_of(search.paths[y], x)
        if n_same < NEVER:
            score = _changed_score(search, problem, room, x, y, n_same)
            near.gains[i] = search.scores[y] - score if is_before else score - search.scores[y]


@njit(cache=True, error_model="numpy", _nrt=False)
def _changed_score(search, problem, room, x, y, n_same):
    """The score of y if x, now after it, came before it, or the other way round.

    So many steps of the path of y are the same.
    """
    order, position, path = search.order, search.position, search.paths[y]
    place, place_of_y, comes = position[x], position[y], position[x] > position[y]
    n = place_of_y + comes
    if room.is_aligned:
        if comes:  # it stands in for y itself, which is no candidate
            order[place_of_y], position[x], room.stands_in[0], room.stands_in[1] = x, place_of_y, place_of_y, place
        n_required = _begin_with_first(search, problem, room, y, n)
        if not comes:
            room.variances[0, place] = NOT_TO_CHOOSE
        for h in range(n_same):
            room.forced[h] = position[path[h + 1]]
    else:
        n = _same_steps_first(search, room, x, y, n_same)
        n_required = begin(problem, room, y, y, n, n_same)
    length = grow(problem, room, n, n, n_same, NONE)
    order[place_of_y], position[x], room.stands_in[0] = y, place, -1
    return shrink(problem, room, length, n_required)


@njit(cache=True, error_model="numpy", _nrt=False)
def _same_steps_first(search, room, x, y, n_same):
    """Write down the candidates of y with x, or without it, the first steps of the path first; how many there are."""
    n, position = n_same, search.position
    for h in range(n_same):
        room.names[h], room.forced[h] = search.paths[y, h + 1], h  # it comes again below, but explains nothing then
    for e in range(search.start[y], search.start[y + 1]):
        z = search.items[e]
        room.names[n] = z
        n += position[x] > position[y] if z == x else position[z] < position[y]
    return n


@njit(cache=True, error_model="numpy", _nrt=False)
def _step_of(path, x):
    """The step of a path that x is, NEVER if it is not on it."""
    for h in range(path[0]):
        if path[h + 1] == x:
            return h
    return NEVER


@njit(cache=True, error_model="numpy", forceinline=True, _nrt=False)
def _best_place(search, problem, room, x, near):
    """After how many of those near it x is best placed, and what the move there gains.

    It stays after its required parents and before its required children.
    """
    ways, first, last = problem.ways, NONE, len(near.entries)
    if len(ways) > 0:
        for i in range(len(near.entries)):
            y = search.items[near.entries[i]]
            if ways[y, x] == 2:
                first = i + 1
            if ways[x, y] == 2:
                last = min(last, i)
    _own_scores(search, problem, room, x, near, first, last)
    total, best, best_place, current = 0.0, -np.inf, first, 0.0
    for place in range(first, last + 1):
        if place > first and not np.isnan(near.gains[place - 1]):
            total += near.gains[place - 1]
        value = near.own[place] + total
        if value > best:
            best, best_place = value, place
        if place == near.now:
            current = value
    return best_place, best - current


@njit(cache=True, error_model="numpy", _nrt=False)
def _own_scores(search, problem, room, x, near, first, last):
    """The scores of x with parents among so many of those near it, for each number from the first to the last.

    One more candidate changes the path only from the step on at which it joins.
    """
    joins, length, skipped = room.joins, NONE, len(search.order)
    if room.is_aligned:
        skipped = search.position[x]  # its own place is passed over
        first, last = first + (first > skipped), last + (last > skipped)
        n_required = _begin_with_first(search, problem, room, x, last)
        if skipped < last:
            room.variances[0, skipped] = NOT_TO_CHOOSE
    else:
        for i in range(last):
            room.names[i] = search.items[near.entries[i]]
        n_required = begin(problem, room, x, x, last, first)
    n_allowed = seen = first
    while True:
        length = grow(problem, room, seen, n_allowed, n_required, length)
        score = shrink(problem, room, length, n_required)
        near.own[n_allowed - (n_allowed > skipped)] = score
        while n_allowed < last and (n_allowed == seen or joins[n_allowed] == NEVER):
            if n_allowed == seen:
                seen = min(last, seen + AHEAD)
                look_at(problem, room, n_allowed, seen, n_required, length)
            else:
                n_allowed += 1
                near.own[n_allowed - (n_allowed > skipped)] = score
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

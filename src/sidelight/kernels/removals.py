# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment"
"""RSL's recursion on a correlation matrix as a numba kernel: which variable is removed next, and what follows.

The same decisions, and the same tests in the same order, as ``sidelight.learners.rsl.recursion`` with the variant
"robust" of ``variants``. The best of the waiting variables is looked for, not kept in a heap. Boundaries are in one
array: the members of x are ``items[start[x] : start[x] + size[x]]``, in ascending order.
"""

from __future__ import annotations

import numpy as np

from sidelight.kernels import WELL_CONDITIONED
from sidelight.kernels.compiling import njit
from sidelight.kernels.correlation import invert
from sidelight.kernels.examining import (
    LEFT,
    LIMIT,
    MEMBERS,
    N_REST,
    NONE,
    NOT_REMOVABLE,
    REACHED,
    REMOVABILITY,
    any_weak,
    count,
    drop,
    find_neighbours,
    is_weak,
    n_left_out_if_removable,
    separate_members,
)

PRIORITY, WAITS, POSTPONED, EXAMINATIONS, FALLBACK, LEFT_OUT, IS_REMOVED = range(7)  # rows of the state
N_FIELDS = 7
UNLIKELY = np.int64(1 << 40)  # a priority after all others
MOST_MEMBERS = 60  # of a boundary that is examined here: with more, tests take so long that Ctrl-C has to be heard
AT_ONCE = 10_000  # tests in one call
ENDED = 2  # in the row of the limit: whether the next variable is one that is not examined here
NOT_ANYWAY, NOBODY = np.bool_(False), np.int64(-1)


@njit(cache=True, error_model="numpy")
def set_priority(x, start, items, size, state, patience):
    """The lowest is examined first, the first of several: small boundaries, if they are cliques."""
    priority = size[x] + patience * state[POSTPONED, x]
    for i in range(start[x], start[x] + size[x]):
        y = items[i]
        at, end = start[y], start[y] + size[y]
        for j in range(start[x], start[x] + size[x]):
            if i == j:
                continue
            while at < end and items[at] < items[j]:
                at += 1
            if at == end or items[at] != items[j]:
                state[PRIORITY, x] = priority + UNLIKELY
                return
    state[PRIORITY, x] = priority


@njit(cache=True, error_model="numpy")
def _next(start, items, size, state, patience):
    """The best of the waiting variables, -1 if none waits. A priority that has become worse is noticed here."""
    while True:
        best = NOBODY
        for x in range(len(size)):
            if state[WAITS, x] and (best < 0 or state[PRIORITY, x] < state[PRIORITY, best]):
                best = x
        if best < 0:
            return best
        before = state[PRIORITY, best]
        set_priority(best, start, items, size, state, patience)
        if state[PRIORITY, best] == before:
            return best


@njit(cache=True, error_model="numpy")
def _invert(matrix, x, start, items, size, precision, members):
    """Write down x and its members, and the inverse of their correlations; is it well conditioned?"""
    members[0] = x
    for i in range(size[x]):
        members[i + 1] = items[start[x] + i]
    return invert(matrix, members[: size[x] + 1], precision) >= WELL_CONDITIONED


@njit(cache=True, error_model="numpy")
def _fallback(matrix, critical, start, items, size, counts, state, shares, precision, members):
    """The variable of whose members' pairs the smallest share is independent given the rest; -1 if that is unclear."""
    best = NOBODY
    for x in range(len(size)):
        if state[IS_REMOVED, x]:
            continue
        k, n_weak = size[x], 0
        if np.isnan(shares[x]) and k > 1:
            if k > MOST_MEMBERS or not _invert(matrix, x, start, items, size, precision, members):
                return NOBODY
            count(counts, REMOVABILITY, k - 1, k * (k - 1) // 2)
            for i in range(1, k + 1):
                for j in range(i + 1, k + 1):
                    n_weak += is_weak(precision, i, j, critical[0, k - 1])
        if np.isnan(shares[x]):
            shares[x] = n_weak / max(1, k * (k - 1) // 2)
        less = best < 0 or shares[x] < shares[best]
        if less or (shares[x] == shares[best] and k < size[best]):
            best = x
    return best


@njit(cache=True, error_model="numpy")
def _examine(
    matrix, x, anyway, sides, critical, start, items, size, counts, squares, rest, separated, room, left_out, sets
):
    """How many members are left out to find the neighbours of x, which is done then; NOT_REMOVABLE if it is not."""
    precision, part, members, n_rest, k = squares[0], squares[1], room[MEMBERS], room[N_REST], size[x]
    exactly = sides[1, k]
    if not anyway and sides[0, k] >= 0 and any_weak(precision, k + 1, NOT_ANYWAY, critical, counts):
        return NOT_REMOVABLE
    for i in range(k):
        y = members[i + 1]
        for h in range(size[y]):
            rest[i, h] = items[start[y] + h]
        n_rest[i] = drop(rest[i], size[y], x)
    n_separated = separate_members(matrix, members, k, critical, counts, rest, n_rest, separated)
    if not anyway:
        exactly = n_left_out_if_removable(
            precision, k, sides[0, k], exactly, n_separated, separated, critical, counts, part, room
        )
    if exactly != NOT_REMOVABLE:
        find_neighbours(precision, members, k, exactly, critical, counts, part, room, left_out, sets)
    return exactly


@njit(cache=True, error_model="numpy")
def _go_on_without(x, start, items, size, state, shares, rest, n_rest, patience):
    """x is removed: its members have other boundaries, and are worth examining again."""
    state[IS_REMOVED, x], state[WAITS, x] = 1, 0
    for i in range(size[x]):
        y = items[start[x] + i]
        size[y], shares[y], state[POSTPONED, y], state[WAITS, y] = n_rest[i], np.nan, 0, 1
        for h in range(n_rest[i]):
            items[start[y] + h] = rest[i, h]
    for i in range(size[x]):
        set_priority(items[start[x] + i], start, items, size, state, patience)


@njit(cache=True, error_model="numpy")
def _is_to_wait(x, start, size, state, left_out):
    """Has x co-parents, and is it the first time that this is seen with its boundary?"""
    for i in range(start[x], start[x] + size[x]):
        if left_out[i] >= 0:
            return state[POSTPONED, x] == 0
    return False


@njit(cache=True, error_model="numpy")
def remove_some(
    most,
    matrix,
    critical,
    sides,
    patience,
    start,
    items,
    size,
    counts,
    state,
    shares,
    left_out,
    sets,
    log,
):
    """Remove up to so many variables, one after the other; return how many were.

    It ends before that where the limit on tests is reached or after some thousands of tests, so that Ctrl-C is heard,
    and before it examines a variable whose boundary is nearly collinear or large. Boundaries are symmetric.

    ``critical`` are the largest weak correlations by size of the conditioning set, at alpha and for the confirmation;
    ``sides`` says how many members are left out of tests, by size of the boundary. What was found about a variable
    that is removed stays where its boundary is: its members in ``items``, how many of them were left out to separate
    each in ``left_out``, and which in ``sets``. ``log`` is the variables in order, each with the counts by then.
    """
    largest = sides.shape[1] - 1  # boundary
    widest = min(largest, MOST_MEMBERS) + 1
    squares, separated = np.empty((2, widest, widest)), np.empty((2, widest * widest // 2))
    rest, room = np.empty((widest, largest), np.int64), np.empty((6, widest + 1), np.int64)
    n_removed, at_first = NONE, counts[LIMIT, LEFT]
    while n_removed < most and at_first - counts[LIMIT, LEFT] < AT_ONCE:
        x = _next(start, items, size, state, patience)
        anyway = x < 0
        if anyway:
            x = _fallback(matrix, critical, start, items, size, counts, state, shares, squares[0], room[MEMBERS])
        if counts[LIMIT, REACHED]:
            break
        if x < 0 or size[x] > MOST_MEMBERS or not _invert(matrix, x, start, items, size, squares[0], room[MEMBERS]):
            counts[LIMIT, ENDED] = 1
            break
        state[FALLBACK, x], state[WAITS, x] = anyway, 0
        state[EXAMINATIONS, x] += not anyway
        first = start[x]
        state[LEFT_OUT, x] = _examine(
            matrix, x, anyway, sides, critical, start, items, size, counts, squares, rest, separated, room,
            left_out[first:], sets[first:],
        )  # fmt: skip
        if counts[LIMIT, REACHED]:
            break
        if state[LEFT_OUT, x] == NOT_REMOVABLE:
            continue
        if not anyway and _is_to_wait(x, start, size, state, left_out):
            state[POSTPONED, x] = state[WAITS, x] = 1
            set_priority(x, start, items, size, state, patience)
            continue
        log[n_removed, 0] = x
        for phase in range(LIMIT):
            log[n_removed, phase + 1] = counts[phase].sum()
        _go_on_without(x, start, items, size, state, shares, rest, room[N_REST], patience)
        n_removed += 1
    return n_removed


@njit(cache=True, error_model="numpy")
def wait_all(start, items, size, state, patience):
    """All variables wait to be examined."""
    for x in range(len(size)):
        state[WAITS, x] = 1
        set_priority(x, start, items, size, state, patience)

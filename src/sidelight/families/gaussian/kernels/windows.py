# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment"
"""Numba kernels that put a few consecutive variables of an order in their best order, by a Gaussian score.

Where single moves no longer raise the score, several variables may have to change places together. Of a window of the
order all orders are compared, by dynamic programming over its subsets as in exact search: after the variables before
the window and some of it, the score of the next one is that of the parents chosen among all of these (``paths``).
"""

from __future__ import annotations

import numpy as np

from sidelight.families.gaussian.kernels.paths import (
    NEVER,
    NONE,
    begin,
    grow,
    problem_of,
    room_for,
    shrink,
)
from sidelight.kernels.compiling import njit

WIDTH = 6  # wider windows take much longer, and find little more
MOST_ROUNDS = 20


@njit(cache=True, nogil=True, error_model="numpy")
def order_windows(matrix, order, ways, n_rows, penalty, patience, most, tolerance):
    """Put each window of consecutive variables in its best order, until none gains by it; how many times one did.

    ``order`` is changed in place. A window has to be looked at again only when one that overlaps it has changed.
    """
    n = len(order)
    width, problem = min(WIDTH, n), problem_of(matrix, ways, n_rows, penalty, patience)
    room = room_for(min(most, n), n, False, np.empty(n, np.int64))
    values, joining = np.empty((width, 1 << width)), np.empty(1 << width, np.int64)
    totals, last, before = np.empty(1 << width), np.empty(1 << width, np.int64), np.empty(width, np.int64)
    is_waiting, n_changed = np.ones(n - width + 1, np.bool_), NONE
    for _ in range(MOST_ROUNDS):
        n_before = n_changed
        for start in range(len(is_waiting)):
            if is_waiting[start]:
                for member in range(width):
                    _score_after_each(problem, room, order, start, member, values[member], joining)
                if _reorder(order, start, values, totals, last, before, tolerance):
                    n_changed += 1
                    is_waiting[max(0, start - width + 1) : start + width] = True
                is_waiting[start] = False
        if n_changed == n_before:
            break
    return n_changed


@njit(cache=True, error_model="numpy", _nrt=False)
def _score_after_each(problem, room, order, start, member, values, joining):
    """The score of a member of the window after all before it and each subset of the other members.

    One more variable that would not join the path of a subset changes nothing: neither its score, nor which others
    would join.
    """
    n_sets, width = len(values), NONE
    while n_sets >> (width + 1):
        width += 1
    for s in range(n_sets):
        if (s >> member) & 1:
            continue
        same = -1
        for b in range(width):
            if (s >> b) & 1 and not (joining[s ^ (1 << b)] >> b) & 1:
                same = s ^ (1 << b)
        if same >= 0:
            values[s], joining[s] = values[same], joining[same]
        else:
            values[s], joining[s] = _score_after(problem, room, order, start, width, member, s)


@njit(cache=True, error_model="numpy", _nrt=False)
def _score_after(problem, room, order, start, width, member, s):
    """The score of a member of the window after all before it and some of it, and which others would join its path."""
    v, n = order[start + member], start
    for i in range(start):
        room.names[i] = order[i]
    for is_later in range(2):
        for b in range(width):
            if b != member and (s >> b) & 1 != is_later:
                room.names[n], room.entries[n] = order[start + b], b
                n += 1
        if not is_later:
            n_allowed = n
    n_required = begin(problem, room, v, v, n, n_allowed)
    length = grow(problem, room, n, n_allowed, n_required, NONE)
    score, joining = shrink(problem, room, length, n_required), NONE
    for i in range(n_allowed, n):
        if room.joins[i] < NEVER:
            joining |= 1 << room.entries[i]
        if len(problem.ways) > 0 and problem.ways[room.names[i], v] == 2:  # it must come before
            score, joining = -np.inf, joining | 1 << room.entries[i]
    return score, joining


@njit(cache=True, error_model="numpy", _nrt=False)
def _reorder(order, start, values, totals, last, before, tolerance):
    """Write down the best order of a window if it gains more than the tolerance; return whether it does."""
    width, whole = len(values), len(totals) - 1
    totals[0], current, members = 0.0, 0.0, 0
    for s in range(1, len(totals)):
        totals[s] = -np.inf
        for b in range(width):
            if (s >> b) & 1:
                total = totals[s ^ (1 << b)] + values[b, s ^ (1 << b)]
                if total > totals[s]:
                    totals[s], last[s] = total, b
    for b in range(width):
        current += values[b, members]
        members |= 1 << b
        before[b] = order[start + b]
    if not totals[whole] > current + tolerance:
        return False
    for place in range(width - 1, -1, -1):
        order[start + place] = before[last[members]]
        members ^= 1 << last[members]
    return True

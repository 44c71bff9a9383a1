# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
"""Kernels that walk a DAG: what is reached, and by which kind of open walk."""

from __future__ import annotations

import numpy as np

from sidelight.kernels.compiling import njit


@njit(cache=True, nogil=True)
def reached(start, items, sources):
    """The sources and whatever can be reached from them along these adjacency lists."""
    found = sources.copy()
    pending = np.empty(len(sources), dtype=np.int64)
    count = 0
    for v in range(len(sources)):
        if sources[v]:
            pending[count] = v
            count += 1
    while count:
        count -= 1
        v = pending[count]
        for k in range(start[v], start[v + 1]):
            w = items[k]
            if not found[w]:
                found[w] = True
                pending[count] = w
                count += 1
    return found


@njit(cache=True, nogil=True)
def open_walks(source, given, parents_start, parents, children_start, children):
    """What walks from the source that ``given`` leaves open arrive at: causal walks, and others.

    A walk is causal while it only follows arrows. It passes a collider when that or a descendant of it is given, any
    other variable when it is not given, and does not return to the source. Row 0 of the result: others; row 1: causal.
    """
    n = len(given)
    opened = reached(parents_start, parents, given)
    arrived = np.zeros((2, n), dtype=np.bool_)
    seen = np.zeros((n, 2, 2), dtype=np.bool_)  # variable, along an arrow into it, causal so far
    seen[source] = True
    stack = np.empty((4 * n, 3), dtype=np.int64)
    count = 0
    for k in range(parents_start[source], parents_start[source + 1]):
        count = _push(seen, stack, count, parents[k], 0, 0)
    for k in range(children_start[source], children_start[source + 1]):
        count = _push(seen, stack, count, children[k], 1, 1)
    while count:
        count -= 1
        v, into, causal = stack[count]
        arrived[causal, v] = True
        if not given[v]:  # on along a chain, or from a common cause
            for k in range(children_start[v], children_start[v + 1]):
                count = _push(seen, stack, count, children[k], 1, causal)
        if (into and opened[v]) or (not into and not given[v]):  # through an open collider, or up a chain
            for k in range(parents_start[v], parents_start[v + 1]):
                count = _push(seen, stack, count, parents[k], 0, 0)
    return arrived


@njit(cache=True, nogil=True)
def _push(seen, stack, count, v, into, causal):
    if seen[v, into, causal]:
        return count
    seen[v, into, causal] = True
    stack[count] = v, into, causal
    return count + 1


@njit(cache=True, nogil=True)
def wrongly_adjusted(cause, given, parents_start, parents, children_start, children):
    """The variables on which the effect of ``cause`` is told wrongly when it is adjusted for the given ones.

    That is so for a given variable that ``cause`` has an effect on (it is taken to have none); for descendants of a
    variable on a causal path that is given or has a given descendant; and where an open walk arrives that is not
    causal. (A walk that turns back at a collider behind a causal path needs no look of its own: its end is of the
    second kind.)
    """
    itself = np.zeros(len(given), dtype=np.bool_)
    itself[cause] = True
    descendants = reached(children_start, children, itself)
    misled = descendants & reached(parents_start, parents, given)
    misled[cause] = False
    wrong = reached(children_start, children, misled)
    wrong |= open_walks(cause, given, parents_start, parents, children_start, children)[0]
    wrong = np.where(given, descendants, wrong)
    wrong[cause] = False
    return wrong

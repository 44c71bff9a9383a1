"""Numba kernels of the d-separation oracle, and of walks through a DAG: arrays in, arrays out.

A moral graph is the union of one clique per *family*, a vertex with its parents. So the components of what is left
without the members come from joining, family by family, the vertices that are not members.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.kernels.compiling import njit
from sidelight.kernels.subsets import add_kind

OUTSIDE, ANCESTOR = -2, -1  # what a vertex is when it is not a member; a member carries its position


@njit(cache=True)
def _ancestral_set(parents_start, parents, members, place, found):
    """Find the members and their ancestors; return how many they are.

    ``place`` becomes, for every vertex, its position among the members, ANCESTOR or OUTSIDE.
    """
    for vertex in range(len(place)):
        place[vertex] = OUTSIDE
    for i in range(len(members)):
        place[members[i]] = i
        found[i] = members[i]
    n_found, done = len(members), 0
    while done < n_found:
        vertex = found[done]
        done += 1
        for p in parents[parents_start[vertex] : parents_start[vertex + 1]]:
            if place[p] == OUTSIDE:
                place[p] = ANCESTOR
                found[n_found] = p
                n_found += 1
    return n_found


@njit(cache=True)
def _root(leader, v):
    """The representative of v's component, halving the path on the way."""
    while leader[v] != v:
        leader[v] = leader[leader[v]]
        v = leader[v]
    return v


@njit(cache=True)
def _join_family(parents_start, parents, vertex, place, leader, in_family):
    """Join the family's vertices that are not members; list those that are. Return their component and number."""
    component, n_members = -1, 0
    for p in range(parents_start[vertex] - 1, parents_start[vertex + 1]):
        relative = vertex if p < parents_start[vertex] else parents[p]
        if place[relative] >= 0:
            in_family[n_members] = place[relative]
            n_members += 1
        elif component < 0:
            component = _root(leader, relative)
        else:
            leader[_root(leader, relative)] = component
    return component, n_members


@njit(cache=True)
def separated_pairs(parents_start, parents, members):
    """For all pairs of members: does the set of the other members d-separate them?"""
    n, k = len(parents_start) - 1, len(members)
    place, vertices, leader = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.arange(n)
    n_vertices = _ancestral_set(parents_start, parents, members, place, vertices)
    separated, in_family = np.ones((k, k), dtype=np.bool_), np.empty(k, dtype=np.int64)
    # Which member touches which vertex that is not one: as many times as there are families, at most.
    touching, touched = np.empty(n + len(parents), dtype=np.int64), np.empty(n + len(parents), dtype=np.int64)
    n_touches = 0
    for vertex in vertices[:n_vertices]:
        component, n_members = _join_family(parents_start, parents, vertex, place, leader, in_family)
        for a in in_family[:n_members]:
            for b in in_family[:n_members]:
                separated[a, b] = False
            if component >= 0:
                touching[n_touches], touched[n_touches] = a, component
                n_touches += 1
    _connect_by_components(leader, touching[:n_touches], touched[:n_touches], in_family, separated)
    return separated


@njit(cache=True)
def _connect_by_components(leader, touching, touched, unique, separated):
    """Members that touch one component are not separated; sorting them would take long to compile."""
    n, k = len(leader), len(separated)
    latest, seen = np.empty(n, dtype=np.int64), np.empty(k, dtype=np.int64)
    previous = np.empty(len(touched), dtype=np.int64)
    for v in range(n):
        latest[v] = -1
    for a in range(k):
        seen[a] = -1
    for t in range(len(touched)):
        root = _root(leader, touched[t])
        previous[t], latest[root] = latest[root], t
    for root in range(n):
        n_unique, t = 0, latest[root]
        while t >= 0:
            a, t = touching[t], previous[t]
            if seen[a] != root:
                seen[a] = root
                for b in unique[:n_unique]:
                    separated[a, b] = separated[b, a] = False
                unique[n_unique] = a
                n_unique += 1


class Parents(NamedTuple):
    """The parents in a DAG, for ``search_subsets``; the dependence is 0 for what is d-separated, else 1."""

    start: NDArray[np.int64]
    items: NDArray[np.int64]


def _workspace(data, largest):
    members, rows = np.empty(largest + 2, dtype=np.int64), np.empty((4, len(data.start) - 1), dtype=np.int64)
    return members, rows[0], rows[1], rows[2], rows[3]


def _dependence(data, work, x, y, given, n_given, kept):
    members, place, vertices, leader, in_family = work
    for i in range(kept, n_given):
        members[i] = given[i]
    members[n_given], members[n_given + 1] = x, y
    n_vertices = _ancestral_set(data.start, data.items, members[: n_given + 2], place, vertices)
    place[x] = place[y] = ANCESTOR
    for vertex in vertices[:n_vertices]:
        leader[vertex] = vertex
    for vertex in vertices[:n_vertices]:
        _join_family(data.start, data.items, vertex, place, leader, in_family)
    return 0.0 if _root(leader, x) != _root(leader, y) else 1.0


add_kind(Parents, _workspace, _dependence)


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

# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
"""Numba kernels of the d-separation oracle: arrays in, arrays out.

A moral graph is the union of one clique per *family*, a vertex with its parents. So the components of what is left
without the members come from joining, family by family, the vertices that are not members.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from sidelight.kernels.subsets import next_choice, pool_without, row

OUTSIDE, ANCESTOR = -2, -1  # what a vertex is when it is not a member; a member carries its position


@njit(cache=True)
def _ancestral_set(parents_start, parents, members):
    """The members and their ancestors, and for every vertex its position among the members, ANCESTOR or OUTSIDE."""
    place = np.full(len(parents_start) - 1, OUTSIDE, dtype=np.int64)
    found = np.empty(len(place), dtype=np.int64)
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
    return found[:n_found], place


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
    vertices, place = _ancestral_set(parents_start, parents, members)
    separated = np.ones((len(members), len(members)), dtype=np.bool_)
    leader = np.arange(len(place))
    in_family = np.empty(len(members), dtype=np.int64)
    touching_member, touched_vertex = [0 for _ in range(0)], [0 for _ in range(0)]
    for vertex in vertices:
        component, n_members = _join_family(parents_start, parents, vertex, place, leader, in_family)
        for a in in_family[:n_members]:
            for b in in_family[:n_members]:
                separated[a, b] = False
            if component >= 0:
                touching_member.append(a)
                touched_vertex.append(component)

    # Each (component, member) as one number, sorted and without repetition: members of one component stand together.
    k = len(members)
    touches = np.empty(len(touched_vertex), dtype=np.int64)
    for t in range(len(touches)):
        touches[t] = _root(leader, touched_vertex[t]) * k + touching_member[t]
    touches = np.unique(touches)
    first = 0
    for last in range(len(touches)):
        if touches[last] // k != touches[first] // k:
            first = last
        for earlier in range(first, last):
            a, b = touches[earlier] % k, touches[last] % k
            separated[a, b] = separated[b, a] = False
    return separated


@njit(cache=True)
def _separated(parents_start, parents, x, y, given_and_pair):
    """Are x and y, which come last in ``given_and_pair``, d-separated by the rest of it?"""
    vertices, place = _ancestral_set(parents_start, parents, given_and_pair)
    place[x] = place[y] = ANCESTOR
    leader = np.arange(len(place))
    in_family = np.empty(len(given_and_pair), dtype=np.int64)
    for vertex in vertices:
        _join_family(parents_start, parents, vertex, place, leader, in_family)
    return _root(leader, x) != _root(leader, y)


@njit(cache=True, nogil=True)
def search_separated(parents_start, parents, asked, budget, stop):
    """For each pair the first set of its search that d-separates it."""
    n_chosen, chosen = np.full(len(asked.x), -1, dtype=np.int64), np.zeros((len(asked.x), asked.width), dtype=np.int64)
    n = len(parents_start) - 1
    weakest, by_size = np.ones(len(asked.x)), np.zeros(n + 1, dtype=np.int64)
    pool, choice, members = (
        np.empty(n, dtype=np.int64),
        np.empty(asked.width + 1, dtype=np.int64),
        np.empty(n, dtype=np.int64),
    )
    for s in range(len(asked.x)):
        x, y = asked.x[s], asked.y[s]
        n_pool = pool_without(asked.pool_items, asked.pool_start, asked.pool_of[s], x, y, pool)
        base = row(asked.base_items, asked.base_start, asked.base_of[s])
        members[: len(base)] = base
        for size in range(asked.smallest, min(asked.largest, n_pool, asked.most_given - len(base)) + 1):
            n_given = len(base) + size
            members[n_given], members[n_given + 1] = x, y
            choice[:size] = np.arange(size)
            changed = 0
            while changed >= 0:
                if budget == 0 or stop[0]:
                    return n_chosen, chosen, weakest, by_size, True
                budget -= 1
                for i in range(changed, size):
                    members[len(base) + i] = pool[choice[i]]
                by_size[n_given] += 1
                if _separated(parents_start, parents, x, y, members[: n_given + 2]):
                    n_chosen[s], weakest[s] = size, 0.0
                    for i in range(size):
                        chosen[s, i] = pool[choice[i]]
                    break
                changed = next_choice(choice, size, n_pool)
            if n_chosen[s] >= 0:
                break
    return n_chosen, chosen, weakest, by_size, False

"""Directed paths in a graph given as a matrix: its strongly connected components in order, and what reaches what."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.bool_]


def ordered_components(graph: Matrix) -> list[list[int]]:
    """The strongly connected components, each sorted, causes first; ties by the smallest member."""
    if not len(graph):
        return []
    label = _components_by_smallest_member(graph)
    members: list[list[int]] = [[] for _ in range(int(label.max()) + 1)]
    for position, component in enumerate(label.tolist()):
        members[component].append(position)
    return [members[component] for component in _topological_order(_between(graph, label))]


def reachable(graph: Matrix) -> Matrix:
    """[i, j]: a directed path of at least one arrow leads from i to j."""
    components = ordered_components(graph)
    number = np.empty(len(graph), dtype=np.intp)
    for at, members in enumerate(components):
        number[members] = at
    from_component = np.zeros((len(components), len(graph)), dtype=bool)
    for at in reversed(range(len(components))):
        members, reached = components[at], from_component[at]
        reached |= graph[members].any(axis=0)
        later = np.unique(number[reached])
        reached |= from_component[later[later > at]].any(axis=0)
        if len(members) > 1:
            reached[members] = True
    return from_component[number]


def _components_by_smallest_member(graph: Matrix) -> NDArray[np.intp]:
    """The number of each vertex's component; components are numbered in the order of their smallest members."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    _, label = connected_components(csr_matrix(graph), directed=True, connection="strong")
    _, smallest = np.unique(label, return_index=True)
    rank = np.empty(len(smallest), dtype=np.intp)
    rank[np.argsort(smallest)] = np.arange(len(smallest))
    return np.asarray(rank[label])


def _between(graph: Matrix, label: NDArray[np.intp]) -> Matrix:
    """[a, b]: an arrow leads from component a to another component b."""
    count = int(label.max()) + 1
    between = np.zeros((count, count), dtype=bool)
    if count > 1:
        tails, heads = np.nonzero(graph)
        between[label[tails], label[heads]] = True
        np.fill_diagonal(between, False)
    return between


def _topological_order(graph: Matrix) -> list[int]:
    """The vertices of an acyclic graph with tails before heads, the smallest first among those that may come next."""
    waiting_for = graph.sum(axis=0)
    ready: list[int] = np.flatnonzero(waiting_for == 0).tolist()
    order = []
    while ready:
        vertex = heapq.heappop(ready)
        order.append(vertex)
        heads = np.flatnonzero(graph[vertex])
        waiting_for[heads] -= 1
        for head in heads[waiting_for[heads] == 0].tolist():
            heapq.heappush(ready, head)
    return order

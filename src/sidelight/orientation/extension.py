"""A DAG with the skeleton and the arrows of a partially directed graph (Dor & Tarsi 1992).

A variable that has no arrow out of it, and whose undirected neighbours are adjacent to all its other neighbours, can
be made a sink and set aside. Where contradictory arrows leave no such variable, the least bad one is taken, so that
there always is a DAG over the skeleton.
"""

from __future__ import annotations

from heapq import heappop, heappush

from sidelight.graphs.dag import PartialDag


def extend_to_dag(graph: PartialDag) -> list[frozenset[int]]:
    """The parents of each variable in a DAG that keeps the skeleton, and all arrows and v-structures if possible."""
    left = graph.copy()
    parents: list[frozenset[int]] = [frozenset()] * len(graph)
    remaining = set(range(len(graph)))
    waiting = list(range(len(graph)))  # worth a look: new, or a neighbour was set aside since the last look
    while remaining:
        x = _next_sink(left, waiting, remaining)
        neighbours = left.adjacency(x)
        parents[x] = frozenset(neighbours)
        _set_aside(left, x)
        remaining.discard(x)
        for y in neighbours:
            heappush(waiting, y)
    return parents


def _next_sink(graph: PartialDag, waiting: list[int], remaining: set[int]) -> int:
    """The first waiting variable that can be a sink; if none can, the one with the fewest obstacles."""
    while waiting:
        x = heappop(waiting)
        if x in remaining and _can_be_sink(graph, x):
            return x
    return min(remaining, key=lambda x: (_obstacles(graph, x), x))


def _can_be_sink(graph: PartialDag, x: int) -> bool:
    neighbours = graph.adjacency(x)
    return not graph.children[x] and all(neighbours - {y} <= graph.adjacency(y) for y in graph.undirected[x])


def _obstacles(graph: PartialDag, x: int) -> int:
    """How many arrows and non-adjacent pairs stand against making x a sink."""
    neighbours = graph.adjacency(x)
    missing = sum(len(neighbours - graph.adjacency(y)) - 1 for y in graph.undirected[x])
    return len(graph.children[x]) + missing


def _set_aside(graph: PartialDag, x: int) -> None:
    for y in graph.undirected[x]:
        graph.undirected[y].discard(x)
    for y in graph.parents[x]:
        graph.children[y].discard(x)
    for y in graph.children[x]:
        graph.parents[y].discard(x)
    graph.undirected[x], graph.parents[x], graph.children[x] = set(), set(), set()

"""A DAG with the skeleton and the arrows of a partially directed graph (Dor & Tarsi 1992).

A variable that has no arrow out of it, and whose undirected neighbours are adjacent to all its other neighbours, can
be made a sink and set aside. Where contradictory arrows leave no such variable, the least bad one is taken, so that
there always is a DAG over the skeleton.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from sidelight.graphs import PartialDag


def extend_to_dag(graph: PartialDag) -> list[frozenset[int]]:
    """The parents of each variable in a DAG that keeps the skeleton, and all arrows and v-structures if possible."""
    remaining = graph.copy()
    parents: list[frozenset[int]] = [frozenset()] * len(graph)
    heap = [(_obstacles(remaining, x), x) for x in range(len(graph))]
    heapify(heap)
    done: set[int] = set()
    while heap:
        obstacles, x = heappop(heap)
        if x in done or obstacles != _obstacles(remaining, x):
            continue  # an outdated entry; the current one is in the heap too
        neighbours = remaining.adjacency(x)
        parents[x] = frozenset(neighbours)
        done.add(x)
        _set_aside(remaining, x)
        for y in sorted(neighbours):
            heappush(heap, (_obstacles(remaining, y), y))
    return parents


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

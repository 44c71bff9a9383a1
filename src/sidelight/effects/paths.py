"""Possibly causal paths in DAGs, essential graphs and MPDAGs (Perković, Kalisch & Maathuis 2017).

A path is possibly causal if no edge points from one of its variables to an earlier one. Such a path has a subsequence
with the same ends that is unshielded; by Meek's first rule that begins with undirected edges and goes on along arrows.
After an arrow every further one may be followed: one that led back would close a cycle in some DAG of the class. So
reachability takes a search over edges among undirected ones, and one over variables among arrows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Sequence, Set
from typing import Protocol

from sidelight.graphs.ancestral import NOTHING, reached

Path = tuple[int, ...]


class Directions(Protocol):
    """What a graph has to say here; DAGs, partially directed graphs and graphs with marks all do."""

    @property
    def parents(self) -> Sequence[Set[int]]: ...

    @property
    def children(self) -> Sequence[Set[int]]: ...

    @property
    def undirected(self) -> Sequence[Set[int]]: ...

    def adjacent(self, a: int, b: int) -> bool: ...


def possible_descendants(graph: Directions, start: Iterable[int], avoided: Collection[int] = NOTHING) -> set[int]:
    """All variables to which a possibly causal path leads from one of these, them included, around what is avoided."""
    return reached(graph.children, _joined(graph, start, avoided), avoided)


def possible_ancestors(graph: Directions, end: Iterable[int], avoided: Collection[int] = NOTHING) -> set[int]:
    """All variables from which a possibly causal path leads to one of these, them included, around what is avoided."""
    return _joined(graph, reached(graph.parents, end, avoided), avoided)


def _joined(graph: Directions, start: Iterable[int], avoided: Collection[int]) -> set[int]:
    """What unshielded paths of undirected edges lead to, or come from."""
    found = {v for v in start if v not in avoided}
    waiting = [(v, w) for v in sorted(found) for w in sorted(graph.undirected[v]) if w not in avoided]
    seen = set(waiting)
    while waiting:
        u, v = waiting.pop()
        found.add(v)
        for w in graph.undirected[v]:
            if w != u and w not in avoided and (v, w) not in seen and not graph.adjacent(u, w):
                seen.add((v, w))
                waiting.append((v, w))
    return found


def shortest_possible_path(graph: Directions, start: int, end: int, avoided: Collection[int] = NOTHING) -> Path | None:
    """A shortest possibly causal path around what is avoided, the first in column order; None without one."""
    if start in avoided or end in avoided:
        return None
    if start == end:
        return (start,)
    first: list[tuple[int, int]] = [(start, w) for w in sorted(graph.children[start] | graph.undirected[start])]
    came_from: dict[tuple[int, int], tuple[int, int] | None] = dict.fromkeys(e for e in first if e[1] not in avoided)
    waiting = deque(came_from)
    while waiting:
        edge = waiting.popleft()
        u, v = edge
        if v == end:
            return _back(came_from, edge)
        onwards = {w for w in graph.undirected[v] if w != u and not graph.adjacent(u, w)} | graph.children[v]
        for w in sorted(onwards):
            if w not in avoided and (v, w) not in came_from:
                came_from[v, w] = edge
                waiting.append((v, w))
    return None


def _back(came_from: dict[tuple[int, int], tuple[int, int] | None], edge: tuple[int, int] | None) -> Path:
    path: list[int] = []
    while edge is not None:
        path.append(edge[1])
        first, edge = edge[0], came_from[edge]
    return (first, *reversed(path))


def undecided_path(graph: Directions, causes: Collection[int], target: int) -> Path | None:
    """A shortest proper possibly causal path from a cause to the target that begins with an undirected edge.

    Without one the effect is identified (Perković 2020), and only then. On such a path no variable is a parent of its
    first, and from its second on it can be taken as unshielded.
    """
    found = (
        (x, *path)
        for x in sorted(causes)
        for v in sorted(graph.undirected[x])
        if (path := shortest_possible_path(graph, v, target, {*causes, *graph.parents[x]})) is not None
    )
    return min(found, key=lambda path: (len(path), path), default=None)


def causal_paths_begin(graph: Directions, causes: Collection[int], target: int) -> set[int]:
    """The children of causes from which a possibly causal path around all causes leads to the target."""
    ancestors = possible_ancestors(graph, [target], causes)
    return {v for x in causes for v in graph.children[x] if v in ancestors}


def possibly_between(graph: Directions, causes: Collection[int], target: int) -> set[int]:
    """Mediators and the target: what lies on proper possibly causal paths that begin with an arrow."""
    begin = causal_paths_begin(graph, causes, target)
    return possible_descendants(graph, begin, causes) & possible_ancestors(graph, [target], causes)

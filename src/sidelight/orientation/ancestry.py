"""Who causes whom in all, some or no members of a class, from its graph with circles: a PAG or an essential graph.

a causes b in some member when a path may lead from a to b; in all, when a path of arrows does, or two paths may lead
there that have no variable next to a in common, nor adjacent ones (Mooij and Claassen, UAI 2020, section 3).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from sidelight.graphs.marks import ARROW, CIRCLE, TAIL, MarkedGraph


def with_circles(graph: MarkedGraph) -> MarkedGraph:
    """The same with circles at both ends of undirected edges: what these mean in an essential graph."""
    edges = ((*e[:2], CIRCLE, CIRCLE) if e.at_a == e.at_b == TAIL else e for e in graph.edges())
    return MarkedGraph.of_edges(graph.names, edges)


def arrows_path(graph: MarkedGraph, a: int, b: int) -> list[int] | None:
    """A shortest path of arrows from a to b."""
    waiting = [[a]]
    seen = {a}
    for path in waiting:  # grows meanwhile
        if path[-1] == b:
            return path
        for v in sorted(graph.children[path[-1]] - seen):
            seen.add(v)
            waiting.append([*path, v])
    return None


def possible_path(graph: MarkedGraph, a: int, b: int) -> list[int] | None:
    """A shortest path that may lead from a to b: no arrow points back, and nothing has a tail at its far end.

    A shortest one is uncovered: of three variables in a row the outer two are not adjacent.
    """
    return next(possible_paths(graph, a, b), None)


def two_ways(graph: MarkedGraph, a: int, b: int) -> tuple[list[int], list[int]] | None:
    """Two uncovered paths that may lead from a to b, whose second variables are neither the same nor adjacent."""
    found = list(possible_paths(graph, a, b))
    pairs = ((p, q) for p, q in combinations(found, 2) if q[1] not in graph.ends[p[1]])
    return next(pairs, None)


def possible_paths(graph: MarkedGraph, a: int, b: int) -> Iterator[list[int]]:
    """Uncovered paths that may lead from a to b: for each second variable a shortest one, the shortest first."""
    paths = (_uncovered_path(graph, a, second, b) for second in sorted(graph.ends[a]) if may_lead(graph, a, second))
    yield from sorted((path for path in paths if path is not None), key=len)


def _uncovered_path(graph: MarkedGraph, a: int, second: int, b: int) -> list[int] | None:
    waiting, seen = [[a, second]], {(a, second)}
    for path in waiting:  # grows meanwhile
        u, v = path[-2:]
        if v == b:
            return path
        for w in sorted(graph.ends[v]):
            if (v, w) not in seen and w not in graph.ends[u] and w not in path and may_lead(graph, v, w):
                seen.add((v, w))
                waiting.append([*path, w])
    return None


def may_lead(graph: MarkedGraph, v: int, w: int) -> bool:
    """May the edge be v → w?"""
    return graph.ends[w][v] != ARROW and graph.ends[v][w] != TAIL


def is_visible(graph: MarkedGraph, a: int, b: int) -> bool:
    """Does a → b exclude a hidden cause of both? (Zhang 2008, "Causal reasoning with ancestral graphs", Definition 8.)

    It does when some c that is not adjacent to b points at a, or is joined to a by colliders that are all causes of b.
    """
    waiting, seen = [a], {a}
    for v in waiting:  # grows meanwhile
        for c in sorted(graph.ends[v]):
            if c in seen or c == b or graph.ends[c][v] != ARROW:
                continue
            if c not in graph.ends[b]:
                return True
            if c in graph.parents[b] and graph.ends[v][c] == ARROW:
                seen.add(c)
                waiting.append(c)
    return False

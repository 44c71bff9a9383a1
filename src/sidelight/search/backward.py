"""GES's backward phase: edges are taken out over a whole equivalence class, as long as that raises the score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, combinations

from sidelight.families.score import Score, Tick
from sidelight.graphs.dag import Dag, PartialDag
from sidelight.graphs.separating_sets import ordered
from sidelight.knowledge.constraints import Constraints
from sidelight.orientation.essential import essential_graph, extend_to_dag, representative
from sidelight.orientation.known import agrees

MOST_NEIGHBOURS = 10  # of an edge; with more, only few subsets are tried
Deletion = tuple[float, int, int, tuple[int, ...]]  # the gain, the edge, and what is dropped from its head's parents


def backward(score: Score, dag: Dag, tick: Tick = lambda: None, known: Constraints | None = None) -> Dag:
    """Take out the edge whose loss raises the score most, in any DAG of the class, as long as there is one.

    With knowledge, as long as some DAG of the class that is left agrees with it.
    """
    graph, deletions = essential_graph(dag), dict[int, list[Deletion]]()
    changed: Iterable[int] = range(len(dag))
    while True:
        deletions |= {y: list(_deletions(score, graph, y)) for y in changed}
        by_gain = _by_gain(chain.from_iterable(deletions.values()), known)
        left = (_member_without(dag, graph, deletion, known) for deletion in by_gain)
        without = next((found for found in left if found is not None), None)
        if without is None:
            return dag
        dag, before = without, graph
        graph = essential_graph(dag)
        changed = _affected(before, graph)
        tick()


def _by_gain(deletions: Iterable[Deletion], known: Constraints | None) -> Iterable[Deletion]:
    """The best deletion; with knowledge all of them, the best first."""
    if known is None:
        best = max(deletions, default=None)
        return () if best is None else (best,)
    return sorted((d for d in deletions if ordered(d[1], d[2]) not in known.adjacent), reverse=True)


def _affected(before: PartialDag, after: PartialDag) -> set[int]:
    """The heads whose deletions may differ: those with other arrows or edges, and neighbours of a lost edge's ends."""
    vertices = range(len(after))
    turned = {
        v for v in vertices if before.parents[v] != after.parents[v] or before.undirected[v] != after.undirected[v]
    }
    ends = {v for v in vertices if before.adjacency(v) != after.adjacency(v)}
    return turned.union(ends, *(before.adjacency(v) for v in ends))


def _member_without(dag: Dag, graph: PartialDag, deletion: Deletion, known: Constraints | None) -> Dag | None:
    """A DAG of the class without an edge, that agrees with what is known; None if there is none."""
    left = Dag(dag.names, tuple(extend_to_dag(_without(graph, *deletion[1:]))))
    if known is None or agrees(left, known):
        return left
    other = representative(left, known)
    return other if agrees(other, known) and other.v_structures() == left.v_structures() else None


def _deletions(score: Score, graph: PartialDag, y: int) -> Iterator[Deletion]:
    """The deletions of x → y or x — y, for any x, that raise the score (Chickering 2002), with what they gain."""
    scores = dict[frozenset[int], float]()  # most deletions have the same parents before them

    def local(parents: frozenset[int]) -> float:
        if parents not in scores:
            scores[parents] = score.local(y, parents)
        return scores[parents]

    for x in sorted(graph.parents[y] | graph.undirected[y]):
        related = sorted(graph.undirected[y] & graph.adjacency(x)) if graph.undirected[y] else []
        for dropped in _subsets(related):
            rest = set(related) - set(dropped)
            if not _is_clique(graph, rest):
                continue
            parents = frozenset(rest | graph.parents[y]) - {x}
            gain = local(parents) - local(parents | {x})
            if gain > 0:
                yield gain, x, y, dropped


def _subsets(members: list[int]) -> Iterator[tuple[int, ...]]:
    most = len(members) if len(members) <= MOST_NEIGHBOURS else 1
    for size in range(most + 1):
        yield from combinations(members, size)


def _is_clique(graph: PartialDag, members: set[int]) -> bool:
    return all(members - {x} <= graph.adjacency(x) for x in members)


def _without(graph: PartialDag, x: int, y: int, dropped: tuple[int, ...]) -> PartialDag:
    """The graph without the edge; what was related to both, and is dropped from y's parents, points away from them."""
    left = graph.copy()
    left.undirected[x].discard(y)
    left.undirected[y].discard(x)
    left.children[x].discard(y)
    left.parents[y].discard(x)
    for z in dropped:
        left.orient(y, z)
        if z in left.undirected[x]:
            left.orient(x, z)
    return left

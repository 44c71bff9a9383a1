"""Search by score inside what RSL found: restrict, then maximise.

RSL's boundaries and skeleton say which variables can be each other's parents at all. Among these, a search over orders of the
variables maximises a score: one variable is moved to its best place at a time (as in BOSS, Andrews et al. 2023), with the
parents chosen greedily among the candidates before it. It starts from several orders and keeps the best result; at the
end edges are taken out, over the whole equivalence class, as long as that raises the score (GES's backward phase).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from sidelight.graphs.dag import Dag, PartialDag
from sidelight.learners.skeleton import Skeleton
from sidelight.orientation.essential import essential_graph, extend_to_dag
from sidelight.scores import Score

FEW_ROWS = 20  # per variable; with fewer, boundaries have lost members, and candidates are looked for more widely
MOST_PARENTS = 60
MOST_NEIGHBOURS = 10  # of an edge in the backward phase; with more, only few subsets are tried


def maximise(
    score: Score,
    dag: Dag,
    boundaries: Sequence[set[int]],
    orders: Sequence[Sequence[int]],
    most_parents: int = MOST_PARENTS,
    wide: bool = False,
    tick: Callable[[], None] = lambda: None,
) -> Dag:
    """The best DAG that the search finds from these orders, beside that of RSL itself."""
    near = candidates(boundaries, dag.neighbours, wide)
    found = []
    for order in orders:
        found.append(score.search(order, near, most_parents))
        tick()
    best = max(found, key=lambda result: result.score)  # the first among equals
    return backward(score, Dag(dag.names, best.parents), tick)


def candidates(boundaries: Sequence[set[int]], neighbours: Sequence[frozenset[int]], wide: bool) -> list[set[int]]:
    """For each variable its boundary and what is within two edges, or, more widely, within two boundaries; symmetric."""
    steps = boundaries if wide else neighbours
    near = [set(boundaries[x]).union(steps[x], *(steps[y] for y in steps[x])) - {x} for x in range(len(boundaries))]
    for x, members in enumerate(near):
        for y in members:
            near[y].add(x)
    return near


def skeleton_of(dag: Dag) -> Skeleton:
    """The edges, with the parents of the later of two variables as what separates them."""
    skeleton = Skeleton.without_edges(len(dag))
    for x in reversed(dag.topological_order()):
        skeleton.remove(x, dag.parents[x], dag.parents[x])
    return skeleton


def backward(score: Score, dag: Dag, tick: Callable[[], None] = lambda: None) -> Dag:
    """Take out the edge whose loss raises the score most, in any DAG of the class, as long as there is one."""
    graph = essential_graph(dag)
    while True:
        best = max(_deletions(score, graph), default=None)
        if best is None:
            return dag
        graph = _without(graph, *best[1:])
        dag = Dag(dag.names, tuple(extend_to_dag(graph)))
        graph = essential_graph(dag)
        tick()


def _deletions(score: Score, graph: PartialDag) -> Iterator[tuple[float, int, int, tuple[int, ...]]]:
    """The deletions of x → y or x — y that raise the score (Chickering 2002), with what they gain."""
    for x in range(len(graph)):
        for y in sorted(graph.children[x] | graph.undirected[x]):
            related = sorted(graph.undirected[y] & graph.adjacency(x))
            for dropped in _subsets(related):
                rest = set(related) - set(dropped)
                if not _is_clique(graph, rest):
                    continue
                parents = (rest | graph.parents[y]) - {x}
                gain = score.local(y, parents) - score.local(y, parents | {x})
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

"""Search by score inside what RSL found: restrict, then maximise.

RSL's boundaries and skeleton say which variables can be each other's parents at all. Among these, a search over orders
of the variables maximises a score: one variable is moved to its best place at a time (as in BOSS, Andrews et al. 2023),
with the parents chosen among the candidates before it. It starts from several orders and keeps the best result; at the
end edges are taken out, over the whole equivalence class, as long as that raises the score (GES's backward phase).

Where a score takes a pass over the rows, the candidates are RSL's neighbours and what hill climbing by a stricter score
adds to them; an edge that only the scores support must raise the score by more than one that tests support.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, pairwise
from typing import NamedTuple

import networkx as nx
import numpy as np

from sidelight.families.score import MUST, FoundParents, Score, Space, Tick
from sidelight.graphs.dag import Dag, PartialDag, components
from sidelight.graphs.properties import diamonds
from sidelight.graphs.separating_sets import ordered
from sidelight.interview.parallel import in_parallel
from sidelight.knowledge.constraints import Constraints
from sidelight.learners.skeleton import Skeleton
from sidelight.orientation.essential import essential_graph, extend_to_dag, member
from sidelight.orientation.known import agrees
from sidelight.orientation.reasons import one_dag, undirected_part
from sidelight.search.climbing import climb
from sidelight.search.supported import Supported
from sidelight.side_information import AllBounds, CliqueBound, DiamondFree, MaxInDegree, SideInformation

MOST_PARENTS = 60
MOST_ROUNDS, CLEAR_GAIN = 20, 1e-3  # of searching near what was found last, as long as the score rises by so many nats
MOST_NEIGHBOURS = 10  # of an edge in the backward phase; with more, only few subsets are tried
MOST_TURNED = 500  # arrows
MOST_COLUMNS = 300  # up to which climbing looks at all pairs, and searches start from the order of removals too

SEARCH, BOUND = "search", "side information"  # the steps of what was found before and after a bound is kept
Near = list[set[int]]
Deletion = tuple[float, int, int, tuple[int, ...]]  # the gain, the edge, and what is dropped from its head's parents


class SearchStep(NamedTuple):
    """What the search had after one of its parts."""

    what: str
    score: float
    n_edges: int


@dataclass(frozen=True)
class FoundDag:
    """The best DAG by a score, the last of the stages that led to it, each with what it is."""

    by: Score
    stages: tuple[tuple[str, Dag], ...]

    @property
    def dag(self) -> Dag:
        """The DAG of the last stage."""
        return self.stages[-1][1]

    @cached_property
    def steps(self) -> tuple[SearchStep, ...]:
        """The stages with their scores."""
        return tuple(SearchStep(what, self.by.total(dag), len(dag.edges())) for what, dag in self.stages)

    @cached_property
    def losses(self) -> Mapping[tuple[int, int], float]:
        """What the score loses without each edge."""
        return edge_losses(self.by, self.dag)

    @cached_property
    def turn_costs(self) -> Mapping[tuple[int, int], float]:
        """What the score loses with an arrow turned."""
        return turn_costs(self.by, self.dag)

    @property
    def score(self) -> float:
        """Of the DAG."""
        return self.steps[-1].score

    @property
    def margin(self) -> float:
        """What the assumed bound costs."""
        scores = {step.what: step.score for step in self.steps}
        return scores[SEARCH] - scores.get(BOUND, scores[SEARCH])

    def connected(
        self, pairs: Iterable[tuple[int, int]], side: SideInformation | None, known: Constraints | None
    ) -> FoundDag:
        """With an edge for each pair that is in two components by then, if bounds and knowledge allow it."""
        return self._changed("connected components", connect(self.by, self.dag, pairs, side, known))

    def with_edges(
        self, pairs: Iterable[tuple[int, int]], side: SideInformation | None, known: Constraints | None
    ) -> FoundDag:
        """With an edge for each pair, if bounds and knowledge allow it."""
        dag = self.dag
        for x, y in pairs:
            dag = _with_best_arrow(self.by, dag, x, y, side, known) or dag
        return self._changed("edges that tests demand", dag)

    def _changed(self, what: str, dag: Dag) -> FoundDag:
        if dag is self.dag:
            return self
        return FoundDag(self.by, (*self.stages, (what, dag)))


def maximise(
    score: Score,
    dag: Dag,
    boundaries: Sequence[set[int]],
    removal_order: Sequence[int],
    side: SideInformation | None = None,
    tick: Tick = lambda: None,
    n_jobs: int = 1,
    known: Constraints | None = None,
) -> FoundDag:
    """The best DAG that the search finds from RSL's DAG, from the order of its removals, and near what that gives."""
    removed_last_first = removal_order[::-1] if len(dag) <= MOST_COLUMNS else ()  # of many, it takes longest
    suggested: list[Sequence[int]] = [dag.topological_order(), removed_last_first, score.order()]
    orders = [agreeing_order(order, known) for order in suggested if len(order) == len(dag)]
    if score.looks_widely:
        free = _near_boundaries(score, dag, boundaries, orders, tick, n_jobs, known)
    else:
        free = _near_neighbours(score, dag, boundaries, orders, tick, known)
    if known is not None:
        free = agreeing(score, free, known)
    kept = representative(within(score, free, side, known), known)
    by_tests = ("structure by tests", dag)
    return FoundDag(score, (by_tests, (SEARCH, kept)) if side is None else (by_tests, (SEARCH, free), (BOUND, kept)))


def _space(near: Near, known: Constraints | None) -> Space:
    """Where to look: among candidates, and pairs that are known to be adjacent."""
    if known is None:
        return Space(near, MOST_PARENTS)
    beside: Near = [set() for _ in near]
    for x, y in known.adjacent:
        beside[x].add(y)
    ways = known.allowed.astype(np.int8)
    for x, v in known.required:
        ways[x, v] = MUST
    return Space(_joined(near, beside), MOST_PARENTS, ways)


def _best(score: Score, orders: Iterable[Sequence[int]], space: Space, tick: Tick, n_jobs: int = 1) -> FoundParents:
    """The best result of searches from these orders; the first among equals."""
    calls = [(order, space) for order in orders]
    if n_jobs != 1 and len(calls) > 1 and score.looks_widely:  # such searches run in a kernel
        found: list[FoundParents] = in_parallel(n_jobs, score.search, calls, threads=True)
    else:
        found = [score.search(*call, tick=tick) for call in calls]
    tick()
    return max(found, key=lambda result: result.score)


def _near_boundaries(
    score: Score,
    dag: Dag,
    boundaries: Sequence[set[int]],
    orders: Iterable[Sequence[int]],
    tick: Tick,
    n_jobs: int,
    known: Constraints | None,
) -> Dag:
    """Search near RSL's structure, then near what was found last, as long as the score rises."""
    space = _space(candidates(score, boundaries, dag), known)
    if score.reach != "all":
        space = space._replace(near=_joined(space.near, score.best_parents(space)))
    best = _best(score, orders, space, tick, n_jobs)
    for _ in range(MOST_ROUNDS):
        again = best
        if score.reach != "all":
            found = Dag(dag.names, best.parents)
            wider = _joined(space.near, candidates(score, boundaries, found), score.best_parents(space, best.order))
            changed, space = _unequal(space.near, wider), space._replace(near=wider)
            again = score.search(best.order, space, changed)
        if again.score <= best.score + CLEAR_GAIN:  # from another order of the same DAG
            order = Dag(dag.names, best.parents).topological_order()
            again = score.search(agreeing_order(order, known), space)
        tick()
        if again.score <= best.score + CLEAR_GAIN:
            break
        best = again
    return backward(score, Dag(dag.names, best.parents), tick, known)


def _near_neighbours(
    score: Score,
    dag: Dag,
    boundaries: Sequence[set[int]],
    orders: Sequence[Sequence[int]],
    tick: Tick,
    known: Constraints | None,
) -> Dag:
    """Search among RSL's edges and those that a stricter score adds, which must raise the score by more."""
    near = neighbours = _joined(dag.neighbours)
    if score.strict is not None:
        beyond = _beyond(score.strict, dag, boundaries, orders, tick, known)
        again = agreeing_order(beyond.topological_order(), known)
        near, orders = _joined(neighbours, beyond.neighbours), [*orders, again]
    supported = Supported(score, neighbours, score.untested_cost)
    found = _best(supported, orders, _space(near, known), tick)
    return backward(supported, Dag(dag.names, found.parents), tick, known)


def _beyond(
    score: Score,
    dag: Dag,
    boundaries: Sequence[set[int]],
    orders: Iterable[Sequence[int]],
    tick: Tick,
    known: Constraints | None,
) -> Dag:
    """The best DAG that climbing finds from the best one within RSL's skeleton, and a search near that."""
    n, neighbours = len(dag), _joined(dag.neighbours)
    found = _best(score, orders, _space(neighbours, known), tick)
    start = backward(score, Dag(dag.names, found.parents), tick, known)
    near = _all_others(n) if n <= MOST_COLUMNS else _within_two(boundaries, boundaries)
    climbed = backward(score, climb(score, start, _space(near, known), tick), tick, known)
    near = _joined(neighbours, _within_two(climbed.neighbours, climbed.neighbours))
    found = _best(score, [agreeing_order(climbed.topological_order(), known)], _space(near, known), tick)
    searched = backward(score, Dag(dag.names, found.parents), tick, known)
    return max(climbed, searched, key=score.total)


# What is known holds for the DAG that the search began with, and for every one that it looks at, but for paths and for
# edges without a direction; the result is changed where it disagrees with these.


def agreeing_order(order: Sequence[int], known: Constraints | None) -> list[int]:
    """The order, with required causes before their effects."""
    if known is None or not known.required:
        return list(order)
    position = {v: i for i, v in enumerate(order)}
    graph = nx.DiGraph(sorted(known.required))
    graph.add_nodes_from(order)
    return list(nx.lexicographical_topological_sort(graph, key=position.__getitem__))


def agreeing(score: Score, dag: Dag, known: Constraints) -> Dag:
    """The DAG with edges that must be there, and without those that make an ancestor of what is none.

    Another DAG of the same class is taken if it agrees as it is.
    """
    other = representative(dag, known)
    if agrees(other, known) and other.v_structures() == dag.v_structures():
        return other
    graph = nx.DiGraph(dag.edges())
    graph.add_nodes_from(range(len(dag)))
    for x, y in sorted(known.adjacent):
        if not graph.has_edge(x, y) and not graph.has_edge(y, x):
            ways = [(a, b) for a, b in ((x, y), (y, x)) if known.allowed[a, b] and not nx.has_path(graph, b, a)]
            ways.sort(key=lambda way: _gain(score, graph, *way), reverse=True)
            graph.add_edges_from(ways[:1])
    for x, y in sorted(known.not_ancestors):
        while nx.has_path(graph, x, y):
            path = nx.shortest_path(graph, x, y)
            edges = [edge for edge in pairwise(path) if ordered(*edge) not in known.adjacent]
            if not edges:  # all of them must be there
                break
            graph.remove_edge(*min(edges, key=lambda edge: _gain(score, graph, *edge)))
    return Dag(dag.names, tuple(frozenset(graph.predecessors(v)) for v in range(len(dag))))


def _gain(score: Score, graph: nx.DiGraph, tail: int, head: int) -> float:
    """What an edge adds to the score."""
    parents = set(graph.predecessors(head)) - {tail}
    return score.local(head, parents | {tail}) - score.local(head, parents)


def representative(dag: Dag, known: Constraints | None = None) -> Dag:
    """One DAG for all of a class: which one the search ended at may depend on rounding."""
    return Dag(dag.names, tuple(member(essential_graph(dag, known), known)))


def within(score: Score, dag: Dag, side: SideInformation | None, known: Constraints | None = None) -> Dag:
    """The DAG without the edges that break the assumption, at each step the one whose loss costs least."""
    required = set[tuple[int, int]]() if known is None else known.adjacent
    while edges := next(_mendable(dag, side, required), []):
        _, tail, head = min((_loss(score, dag, tail, head), tail, head) for tail, head in edges)
        parents = [found - {tail} if v == head else found for v, found in enumerate(dag.parents)]
        dag = Dag(dag.names, tuple(parents))
    return dag


def connect(
    score: Score,
    dag: Dag,
    pairs: Iterable[tuple[int, int]],
    side: SideInformation | None = None,
    known: Constraints | None = None,
) -> Dag:
    """The DAG with an edge for each pair that is in two components by then, the way that the score prefers."""
    component = components(dag.neighbours)
    for x, y in pairs:
        connected = None if component[x] == component[y] else _with_best_arrow(score, dag, x, y, side, known)
        if connected is not None:
            dag = connected
            component[component == component[y]] = component[x]
    return dag


def _with_best_arrow(
    score: Score, dag: Dag, x: int, y: int, side: SideInformation | None, known: Constraints | None
) -> Dag | None:
    """The DAG with an edge between two that are not adjacent, the way that the score prefers; None if none may be."""
    free = [(tail, head) for tail, head in ((x, y), (y, x)) if not _has_detour(dag, head, tail)]
    ways = sorted(free, key=lambda way: gain_of(score, dag, *way), reverse=True)
    allowed = (added for way in ways if _allowed(added := _with_edge(dag, *way), side, known))
    with_edge = next(allowed, None)
    return None if with_edge is None else representative(with_edge, known)


def _with_edge(dag: Dag, tail: int, head: int) -> Dag:
    return Dag(dag.names, tuple(found | {tail} if v == head else found for v, found in enumerate(dag.parents)))


def _allowed(dag: Dag, side: SideInformation | None, known: Constraints | None) -> bool:
    return next(too_many(dag, side), None) is None and (known is None or agrees(dag, known))


def gain_of(score: Score, dag: Dag, tail: int, head: int) -> float:
    """What an arrow more would add to the score."""
    return score.local(head, dag.parents[head] | {tail}) - score.local(head, dag.parents[head])


def _loss(score: Score, dag: Dag, tail: int, head: int) -> float:
    parents = dag.parents[head]
    return score.local(head, parents) - score.local(head, parents - {tail})


def edge_losses(score: Score, dag: Dag) -> dict[tuple[int, int], float]:
    """What the score loses without each edge (tail, head)."""
    return {(tail, head): _loss(score, dag, tail, head) for tail, head in dag.edges()}


def turn_costs(score: Score, dag: Dag) -> dict[tuple[int, int], float]:
    """What turning each arrow of the class costs, with the parents of both ends chosen anew.

    Left out are arrows that cannot be turned alone, since another directed path leads the same way; and all, where
    there are very many.
    """
    graph = essential_graph(dag)
    arrows, part = graph.directed_edges(), undirected_part(graph)
    costs = {}
    for tail, head in arrows if len(arrows) <= MOST_TURNED else ():
        members = chain([dag], (_member(dag, graph, part, other, tail) for other in sorted(graph.undirected[tail])))
        free = next((member for member in members if not _has_detour(member, tail, head)), None)
        if free is not None:
            costs[tail, head] = _turn_cost(score, free, tail, head)
    return costs


def _member(dag: Dag, graph: PartialDag, part: PartialDag, tail: int, head: int) -> Dag:
    """The DAG of the class, with its undirected edges that are connected with this one directed as this one asks."""
    arrows = one_dag(part, tail, head)
    turned = {v for arrow in arrows for v in arrow}
    parents = [set(graph.parents[v]) if v in turned else set(found) for v, found in enumerate(dag.parents)]
    for parent, v in arrows:
        parents[v].add(parent)
    return Dag(dag.names, tuple(map(frozenset, parents)))


def _has_detour(dag: Dag, tail: int, head: int) -> bool:
    """Is there a directed path from tail to head beside the edge?"""
    seen, left = set[int](), list(dag.parents[head] - {tail})
    while left:
        x = left.pop()
        if x == tail:
            return True
        if x not in seen:
            seen.add(x)
            left.extend(dag.parents[x])
    return False


def _turn_cost(score: Score, dag: Dag, tail: int, head: int) -> float:
    before, after = dag.parents[tail], dag.parents[head] - {tail}
    now = score.local(tail, before) + score.local(head, after | {tail})
    turned = score.local(tail, before | {head}) + score.local(head, after)
    # With all parents of both, nothing that held is lost; of those added, the needless ones are taken out again.
    covered = _trimmed(score, tail, before | {head}, after) + _trimmed(score, head, after, before)
    return now - max(turned, covered)


def _trimmed(score: Score, v: int, parents: frozenset[int], added: frozenset[int]) -> float:
    """The score of v with its parents and those of the added that raise it."""
    members, value = parents | added, score.local(v, parents | added)
    for y in sorted(added - parents):
        without = score.local(v, members - {y})
        if without >= value:
            members, value = members - {y}, without
    return value


def _mendable(
    dag: Dag, side: SideInformation | None, required: Collection[tuple[int, int]]
) -> Iterator[list[tuple[int, int]]]:
    """For each breach of the assumption that can be mended, the edges that are not known to be there."""
    for edges in too_many(dag, side):
        free = [edge for edge in edges if ordered(*edge) not in required]
        if free:
            yield free


def too_many(dag: Dag, side: SideInformation | None) -> Iterator[list[tuple[int, int]]]:
    """The edges among variables that break the assumption together, breach by breach."""
    if isinstance(side, AllBounds):
        for bound in side.bounds:
            yield from too_many(dag, bound)
    elif isinstance(side, MaxInDegree):
        crowded = (v for v, parents in enumerate(dag.parents) if len(parents) > side.d)
        yield from ([(tail, v) for tail in sorted(dag.parents[v])] for v in crowded)
    else:
        for members in _breaches(dag, side):
            yield [(tail, head) for tail, head in dag.edges() if {tail, head} <= members]


def _breaches(dag: Dag, side: SideInformation | None) -> Iterator[set[int]]:
    """Cliques that are too large, the largest first, or diamonds."""
    if isinstance(side, CliqueBound):
        cliques = sorted(nx.find_cliques(nx.Graph(dag.edges())), key=len, reverse=True)
        yield from (set(clique) for clique in cliques if len(clique) > side.clique_bound)
    elif isinstance(side, DiamondFree):
        index = {name: v for v, name in enumerate(dag.names)}
        yield from ({index[name] for name in diamond} for diamond in diamonds(dag.to_networkx()))


def candidates(score: Score, boundaries: Sequence[set[int]], dag: Dag) -> Near:
    """What can be a parent of each variable; symmetric.

    Its boundary and what is within two edges, or all.
    """
    return _all_others(len(dag)) if score.reach == "all" else _within_two(boundaries, dag.neighbours)


def _unequal(near: Sequence[set[int]], wider: Near) -> set[int]:
    """The variables that have other candidates now."""
    return {v for v, members in enumerate(near) if members != wider[v]}


def _all_others(n: int) -> Near:
    return [set(range(n)) - {x} for x in range(n)]


def _within_two(boundaries: Sequence[Collection[int]], steps: Sequence[Collection[int]]) -> Near:
    """For each variable its boundary, and what two steps reach; symmetric."""
    reached = [set(steps[x]).union(*(steps[y] for y in steps[x])) - {x} for x in range(len(steps))]
    return _joined(boundaries, reached)


def _joined(*parts: Sequence[Collection[int]]) -> Near:
    """For each variable what any part has for it; made symmetric."""
    near: Near = [set().union(*members) for members in zip(*parts, strict=True)]
    for x, members in enumerate(near):
        for y in list(members):
            near[y].add(x)
    return near


def skeleton_of(dag: Dag) -> Skeleton:
    """The edges, with the parents of the later of two variables as what separates them."""
    skeleton = Skeleton.without_edges(len(dag))
    for x in reversed(dag.topological_order()):
        skeleton.remove(x, dag.parents[x], dag.parents[x])
    return skeleton


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

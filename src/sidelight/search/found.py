"""What a score-based search found, and what may become of it: edges that bounds forbid, edges that tests demand.

What each edge and each direction is worth is what the score loses without it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple

import networkx as nx

from sidelight.families.score import Score
from sidelight.graphs.dag import Dag, PartialDag, components
from sidelight.graphs.separating_sets import ordered
from sidelight.knowledge.constraints import Constraints
from sidelight.orientation.essential import essential_graph, one_dag, representative, undirected_part
from sidelight.orientation.known import agrees
from sidelight.search.restarts import Restarts
from sidelight.side_information import SideInformation

MOST_TURNED = 500  # arrows
SEARCH, BOUND = "search", "side information"  # the steps of what was found before and after a bound is kept


class SearchStep(NamedTuple):
    """What the search had after one of its parts."""

    what: str
    score: float
    n_edges: int


class Effort(NamedTuple):
    """How a search went: through all structures, or all with edges among some pairs, or by so many restarts."""

    is_exact: bool = False
    is_near: bool = False  # True when only pairs that tests or a stricter score join were looked at
    is_informed: bool = False  # True when only structures that agree with background knowledge were
    restarts: Restarts = Restarts()

    def __str__(self) -> str:
        if not self.is_exact:
            return f"score-based search may have stopped at a local optimum{self.restarts}"
        informed = " that agree with the background knowledge" if self.is_informed else ""
        near = " with edges only among the pairs that tests or a stricter score suggest" if self.is_near else ""
        rule = ", where an edge that tests do not support must gain more" if self.is_near else ""
        return f"all structures{informed}{near} were compared, and none of them has a higher score{rule}"


NO_EFFORT = Effort()


@dataclass(frozen=True)
class FoundDag:
    """The best DAG by a score, the last of the stages that led to it, each with what it is."""

    by: Score
    stages: tuple[tuple[str, Dag], ...]
    effort: Effort = NO_EFFORT

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
    def is_best(self) -> bool:
        """Is it proved that no structure scores higher?"""
        as_found = not self._is_bounded and self.stages[-1][0] in (SEARCH, BOUND)
        return self.effort.is_exact and not self.effort.is_near and as_found

    @property
    def reliability(self) -> str:
        """What is known of the result among all structures, as a clause."""
        added = "" if self.stages[-1][0] in (SEARCH, BOUND) else "; after that, edges that tests demand were added"
        bounded = "; after that, edges were taken out to keep the assumption" if self._is_bounded else ""
        return f"{self.effort}{bounded}{added}"

    @property
    def _is_bounded(self) -> bool:
        """Did the assumed bound change what the search had found?"""
        dags = dict(self.stages)
        return BOUND in dags and essential_graph(dags[SEARCH]) != essential_graph(dags[BOUND])

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
        return replace(self, stages=(*self.stages, (what, dag)))


def within(score: Score, dag: Dag, side: SideInformation | None, known: Constraints | None = None) -> Dag:
    """The DAG without the edges that break the assumption, at each step the one whose loss costs least."""
    if side is None:
        return dag
    required = set[tuple[int, int]]() if known is None else known.adjacent
    bounds, firsts = side.each(), [0] * len(side.each())
    while edges := _first_breach(dag, bounds, firsts, required):
        _, tail, head = min((_loss(score, dag, tail, head), tail, head) for tail, head in edges)
        firsts = [min(first, tail, head) for first in firsts]
        parents = [found - {tail} if v == head else found for v, found in enumerate(dag.parents)]
        dag = Dag(dag.names, tuple(parents))
    return _dearest_edges(score, dag, side, required)


def _dearest_edges(score: Score, dag: Dag, side: SideInformation, required: Collection[tuple[int, int]]) -> Dag:
    """Where only the bound itself tells whether a graph keeps it: the edges, the dearest first, as long as it is kept.

    All of them if the bound is none that fewer edges bring about.
    """
    if side.keeps(dag.to_networkx()) is not False or side.keeps(_with_edges(dag, []).to_networkx()) is False:
        return dag
    losses, kept = edge_losses(score, dag), list[tuple[int, int]]()
    for edge in sorted(losses, key=lambda edge: (ordered(*edge) not in required, -losses[edge])):
        if ordered(*edge) in required or side.keeps(_with_edges(dag, [*kept, edge]).to_networkx()) is not False:
            kept.append(edge)
    return _with_edges(dag, kept)


def _with_edges(dag: Dag, edges: Iterable[tuple[int, int]]) -> Dag:
    """A DAG over the same names with these edges only."""
    parents: list[set[int]] = [set() for _ in dag.names]
    for tail, head in edges:
        parents[head].add(tail)
    return Dag(dag.names, tuple(map(frozenset, parents)))


def _first_breach(
    dag: Dag, bounds: Sequence[SideInformation], firsts: list[int], required: Collection[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Of the first breach of a bound that can be mended, the edges that are not known to be there; none if none can.

    None of a bound begins before its place in ``firsts``, which becomes that of the breach.
    """
    for i, bound in enumerate(bounds):
        for edges in bound.breaches(dag, firsts[i]):
            free = [edge for edge in edges if ordered(*edge) not in required]
            if free:
                firsts[i] = min(map(min, edges))
                return free
        firsts[i] = len(dag)
    return []


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
    """The DAG with an edge between two that are not adjacent, the way that the score prefers; None if none may be.

    None too if new rows would be predicted worse with it.
    """
    free = [(tail, head) for tail, head in ((x, y), (y, x)) if not _has_detour(dag, head, tail)]
    ways = sorted(free, key=lambda way: gain_of(score, dag, *way), reverse=True)
    ways = [way for way in ways if _predicts(score, dag, *way)]
    allowed = (added for way in ways if _allowed(added := _with_edge(dag, *way), side, known))
    with_edge = next(allowed, None)
    return None if with_edge is None else member_to_keep(score, with_edge, known)


def _predicts(score: Score, dag: Dag, tail: int, head: int) -> bool:
    """Is an arrow more expected to predict new rows better? Yes where the score rises, or falls for its cost alone."""
    by = score.predictive
    return by is None or max(gain_of(score, dag, tail, head), gain_of(by, dag, tail, head)) > 0


def member_to_keep(score: Score, dag: Dag, known: Constraints | None) -> Dag:
    """The DAG of the class that does not depend on rounding; the DAG itself, where others may have lower scores."""
    return representative(dag, known) if score.is_equivalent else dag


def _with_edge(dag: Dag, tail: int, head: int) -> Dag:
    return Dag(dag.names, tuple(found | {tail} if v == head else found for v, found in enumerate(dag.parents)))


def _allowed(dag: Dag, side: SideInformation | None, known: Constraints | None) -> bool:
    keeps = side is None or side.keeps(dag.to_networkx()) is not False
    return keeps and (known is None or agrees(dag, known))


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

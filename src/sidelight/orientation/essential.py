"""Essential graphs: of a DAG, and of a skeleton with separating sets.

V-structures: a — c — b with a, b not adjacent is a → c ← b exactly when c is not in the set that separates a and b.
With exact separating sets these and Meek's rules give the essential graph of the true DAG. On data the evidence can
contradict itself; then the arrows that lose are dropped (``without_contradictions``), and if what remains still belongs
to no DAG, the nearest DAG found by ``extend_to_dag`` decides. The result is the essential graph of some DAG in every
case, and ``Orientation.overruled`` lists the v-structures that are not in it. Knowledge overrules v-structures, and
directs more edges: then the result has the directions that all DAGs of the class share which agree with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush

import networkx as nx

from sidelight.errors import InputError
from sidelight.graphs.dag import Dag, PartialDag
from sidelight.knowledge.constraints import Constraints
from sidelight.orientation.known import agreeing_member, agrees, close_under_knowledge, in_known_order, known_arrows
from sidelight.orientation.meek import close_under_meek_rules, forced_by

VStructure = tuple[int, int, int]


@dataclass(frozen=True)
class Orientation:
    """A DAG, the v-structures in the evidence for it, and what is known; its class follows when it is needed."""

    dag: Dag
    evidence: Sequence[VStructure] = ()
    known: Constraints | None = None

    @cached_property
    def graph(self) -> PartialDag:
        """The essential graph of the DAG."""
        return essential_graph(self.dag, self.known)

    @cached_property
    def overruled(self) -> list[VStructure]:
        """The v-structures in the evidence that the DAG does not have."""
        shown = set(self.dag.v_structures())
        return [v for v in self.evidence if v not in shown]


def orient(
    names: tuple[Hashable, ...],
    adjacency: Sequence[set[int]],
    lacking: Callable[[int], Iterable[tuple[int, int]]],
    known: Constraints | None = None,
) -> Orientation:
    """Direct the edges of a skeleton by its v-structures (see ``find_v_structures``), and by what is known."""
    evidence = find_v_structures(len(adjacency), lacking)
    possible = evidence if known is None else [v for v in evidence if all(known.allowed[arrow] for arrow in arrows(v))]
    partial = with_v_structures(adjacency, without_contradictions(possible))
    if known is None:
        close_under_meek_rules(partial)
    else:
        close_under_knowledge(partial, known)
    return Orientation(Dag(names, tuple(member(partial, known))), evidence, known)


def essential_graph(dag: Dag, known: Constraints | None = None) -> PartialDag:
    """The essential graph of a DAG: an edge is directed when all DAGs with the same v-structures agree on it.

    With knowledge, when all those agree that it allows.
    """
    graph = with_v_structures(dag.neighbours, dag.v_structures())
    close_under_meek_rules(graph)
    if known is not None:
        close_under_knowledge(graph, known, dag)
    return graph


def member(graph: PartialDag, known: Constraints | None = None) -> list[frozenset[int]]:
    """The parents of each variable in one DAG that the graph stands for, and that agrees with what is known."""
    if known is None:
        return extend_to_dag(graph)
    agreeing = agreeing_member(graph, known)
    edges = [*graph.directed_edges(), *graph.undirected_edges()]
    parents = extend_to_dag(agreeing or graph, frozenset(known_arrows(known, edges)))
    if agreeing is None:  # the data contradict what is known of paths
        return list(in_known_order(Dag(known.names, tuple(parents)), known).parents)
    return parents


def essential_graph_of(graph: nx.DiGraph) -> nx.DiGraph:
    """The essential graph of a DAG, both as ``networkx.DiGraph``; an undirected edge stands in both directions."""
    dag = Dag.from_networkx(graph)
    return essential_graph(dag).to_networkx(dag.names)


def with_v_structures(adjacency: Sequence[Collection[int]], v_structures: Iterable[VStructure]) -> PartialDag:
    """The skeleton with just the arrows of these v-structures, which do not contradict each other."""
    parents: list[set[int]] = [set() for _ in adjacency]
    children: list[set[int]] = [set() for _ in adjacency]
    for a, c, b in v_structures:
        parents[c].update((a, b))
        children[a].add(c)
        children[b].add(c)
    undirected = [set(near) - tails - heads for near, tails, heads in zip(adjacency, parents, children, strict=True)]
    return PartialDag(parents, children, undirected)


def find_v_structures(n_variables: int, lacking: Callable[[int], Iterable[tuple[int, int]]]) -> list[VStructure]:
    """All (a, c, b) with a < b that the separating sets show to be a → c ← b, sorted.

    ``lacking(c)`` yields the non-adjacent pairs of c's neighbours whose separating set does not contain c.
    """
    return sorted((a, c, b) for c in range(n_variables) for a, b in lacking(c))


def arrows(v_structure: VStructure) -> tuple[tuple[int, int], tuple[int, int]]:
    """The two directed edges of a v-structure."""
    a, c, b = v_structure
    return (a, c), (b, c)


def without_contradictions(v_structures: Iterable[VStructure]) -> list[VStructure]:
    """Keep the v-structures whose arrows all win.

    An arrow wins against its reverse when more v-structures contain it; on a tie neither wins. The rule does not
    depend on the order of the columns.
    """
    v_structures = list(v_structures)
    votes = Counter(arrow for v in v_structures for arrow in arrows(v))
    return [v for v in v_structures if all(votes[t, h] > votes[h, t] for t, h in arrows(v))]


# A DAG with the skeleton and the arrows of a partially directed graph (Dor & Tarsi 1992). A variable that has no arrow
# out of it, and whose undirected neighbours are adjacent to all its other neighbours, can be made a sink and set aside.
# Where contradictory arrows leave no such variable, the least bad one is taken, so that there always is a DAG.


def extend_to_dag(graph: PartialDag, fixed: Collection[tuple[int, int]] = ()) -> list[frozenset[int]]:
    """The parents of each variable in a DAG that keeps the skeleton, and all arrows and v-structures if possible.

    Fixed arrows, which have no cycle, are kept in any case.
    """
    left = graph.copy()
    parents: list[frozenset[int]] = [frozenset()] * len(graph)
    remaining = set(range(len(graph)))
    waiting = list(range(len(graph)))  # to be examined: new, or a neighbour was set aside since
    while remaining:
        x = _next_sink(left, waiting, remaining, fixed)
        neighbours = left.adjacency(x)
        parents[x] = frozenset(neighbours)
        _set_aside(left, x)
        remaining.discard(x)
        for y in neighbours:
            heappush(waiting, y)
    return parents


def _next_sink(graph: PartialDag, waiting: list[int], remaining: set[int], fixed: Collection[tuple[int, int]]) -> int:
    """The first waiting variable that can be a sink; if none can, the one with the fewest obstacles."""
    while waiting:
        x = heappop(waiting)
        if x in remaining and _can_be_sink(graph, x):
            return x
    return min(remaining, key=lambda x: (any((x, y) in fixed for y in graph.children[x]), _obstacles(graph, x), x))


def _can_be_sink(graph: PartialDag, x: int) -> bool:
    neighbours = graph.adjacency(x)
    return not graph.children[x] and all(neighbours - {y} <= graph.adjacency(y) for y in graph.undirected[x])


def _obstacles(graph: PartialDag, x: int) -> int:
    """How many arrows and non-adjacent pairs keep x from being a sink."""
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


def one_dag(graph: PartialDag, tail: int, head: int) -> list[tuple[int, int]]:
    """One way to direct the undirected edges connected with this one, which is directed tail → head."""
    part = graph.copy()
    members = {tail, head}.union(*forced_by(part, tail, head))
    waiting = list(members)
    while waiting:
        for v in part.undirected[waiting.pop()] - members:
            members.add(v)
            waiting.append(v)
    undirected = graph.undirected
    dag = extend_to_dag(part)
    return sorted((p, v) for v in members for p in dag[v] if p in undirected[v])


def undirected_part(graph: PartialDag) -> PartialDag:
    """Without the arrows; of an essential graph, no rule has an instance with both its arrows and new ones."""
    n = len(graph)
    return PartialDag([set() for _ in range(n)], [set() for _ in range(n)], [set(s) for s in graph.undirected])


# Knowledge that comes after learning: it directs further edges, as long as it changes no edge.


def directed_further(dag: Dag, known: Constraints) -> tuple[PartialDag, Dag]:
    """The graph of the DAG's class with all directions that knowledge implies, and a DAG that it stands for.

    Raises where the class has no DAG that agrees: then only learning anew can use what is known.
    """
    found = agreeing_dag(dag, known)
    if found is None:
        against = _disagreements(dag, essential_graph(dag), known)
        reasons = "; ".join(against) or "no DAG of the learned class agrees with all of it"
        raise InputError(f"the learned structure disagrees with what you say: {reasons}. Learn again with it")
    return essential_graph(found, known), found


def agreeing_dag(dag: Dag, known: Constraints) -> Dag | None:
    """A DAG of the same class that agrees with what is known; None if none is found."""
    graph = essential_graph(dag)
    if next(_disagreements(dag, graph, known), None) is not None:
        return None
    close_under_knowledge(graph, known)
    found = Dag(dag.names, tuple(member(graph, known)))
    return found if agrees(found, known) and found.v_structures() == dag.v_structures() else None


def _disagreements(dag: Dag, essential: PartialDag, known: Constraints) -> Iterator[str]:
    names = [repr(str(name)) for name in dag.names]
    for x, y in sorted(known.adjacent):
        if y not in dag.neighbours[x]:
            yield f"{names[x]} and {names[y]} are not adjacent in it"
    for tail, head in dag.edges():
        if not known.allowed[tail, head] and not known.allowed[head, tail]:
            yield f"{names[tail]} and {names[head]} are adjacent in it"
    for tail, head in essential.directed_edges():
        if not known.allowed[tail, head] and known.allowed[head, tail]:
            yield f"{names[tail]} → {names[head]} is directed in it"


def representative(dag: Dag, known: Constraints | None = None) -> Dag:
    """One DAG for all of a class: which one the search ended at may depend on rounding."""
    return Dag(dag.names, tuple(member(essential_graph(dag, known), known)))

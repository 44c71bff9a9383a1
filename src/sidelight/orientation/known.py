"""Directions with knowledge: required and forbidden arrows, and who is or is not an ancestor of whom.

With the arrows that knowledge gives, Meek's four rules find every direction on which all DAGs of the class that agree
with it are of one mind (Meek 1995). Ancestors are about paths, for which no such rules are complete: there an edge is
directed when a search finds no DAG with the other direction.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import networkx as nx

from sidelight.graphs.dag import Dag, PartialDag
from sidelight.graphs.separating_sets import Skeleton, ordered
from sidelight.knowledge.constraints import Constraints
from sidelight.orientation.meek import close_under_meek_rules

Arrow = tuple[int, int]
MOST_STEPS, FEWEST_STEPS = 40_000, 200  # of searches, the former shared by the variables; beyond, edges stay undirected


def known_arrows(known: Constraints, edges: list[tuple[int, int]]) -> list[Arrow]:
    """The directions of those edges that can have but one."""
    allowed = known.allowed
    return [(a, b) if allowed[a, b] else (b, a) for a, b in edges if allowed[a, b] != allowed[b, a]]


def told_arrows(known: Constraints, dag: Dag) -> list[Arrow]:
    """The arrows of a DAG whose direction experiments tell.

    All DAGs that explain the experiments as well as this one have them (Hauser and Bühlmann 2012, Theorem 10).
    """
    return [arrow for arrow in dag.edges() if known.tells(*arrow)] if known.settings else []


def with_told_arrows(known: Constraints, dag: Dag) -> Constraints:
    """What is known, with the arrows of a DAG whose direction experiments tell."""
    told = told_arrows(known, dag)
    if not told:
        return known
    allowed = known.allowed.copy()
    for tail, head in told:
        allowed[head, tail] = False
    return replace(known, allowed=allowed)


def keep_known(skeleton: Skeleton, known: Constraints) -> None:
    """Change what disagrees with what is known, which true answers never do.

    Pairs that are known to be adjacent become so. An edge that may have no direction goes; no set is known that
    separates its pair, so no direction follows from it. Directions that are known make no cycle: an edge of one goes.
    """
    for x, y in sorted(known.adjacent):
        if y not in skeleton.adjacency[x]:
            skeleton.add_edge(x, y)
    for x, y in skeleton.edges():
        if not known.allowed[x, y] and not known.allowed[y, x]:
            _take_out(skeleton, x, y)
    while cycle := _known_cycle(skeleton, known):
        _take_out(skeleton, *next(edge for edge in cycle if ordered(*edge) not in known.adjacent))


def _take_out(skeleton: Skeleton, x: int, y: int) -> None:
    skeleton.adjacency[x].discard(y)
    skeleton.adjacency[y].discard(x)
    skeleton.explicit_sets.setdefault(ordered(x, y), frozenset())
    skeleton.unseparated.add(ordered(x, y))


def _known_cycle(skeleton: Skeleton, known: Constraints) -> list[Arrow]:
    """A cycle of edges each of which can have but one direction; empty if there is none."""
    try:
        return list(nx.find_cycle(nx.DiGraph(known_arrows(known, skeleton.edges()))))
    except nx.NetworkXNoCycle:
        return []


def close_under_knowledge(graph: PartialDag, known: Constraints, dag: Dag | None = None) -> None:
    """Direct, in place, what knowledge and Meek's rules imply.

    Where a DAG is given, which the data may have forced to disagree with the knowledge, edges point as in the DAG.
    """
    for tail, head in known_arrows(known, graph.undirected_edges()):
        graph.orient(*((tail, head) if dag is None or tail in dag.parents[head] else (head, tail)))
    for tail, head in [] if dag is None else told_arrows(known, dag):
        if head in graph.undirected[tail]:
            graph.orient(tail, head)
    close_under_meek_rules(graph)
    if known.has_open_paths:
        _direct_by_ancestors(graph, known)


def agreeing_member(graph: PartialDag, known: Constraints) -> PartialDag | None:
    """The graph with some more edges directed, so that all its DAGs agree about ancestors; None if none is found."""
    return _Search(known).member(graph)


def agrees(dag: Dag, known: Constraints) -> bool:
    """Does a DAG have all that is required, and nothing that is forbidden?"""
    graph = PartialDag([set(p) for p in dag.parents], [set(c) for c in dag.children], [set() for _ in dag.names])
    return (
        all(known.allowed[tail, head] for tail, head in dag.edges())
        and all(b in dag.neighbours[a] for a, b in known.adjacent)
        and _Search(known).open_path(graph) is None
    )


def broken_paths(dag: Dag, known: Constraints) -> list[tuple[int, int, bool]]:
    """The pairs (a, b) with a path that there should not be, or without one that should be: then True."""
    graph = nx.DiGraph(dag.edges())
    graph.add_nodes_from(range(len(dag)))
    wrong = [(a, b, False) for a, b in sorted(known.open_not_ancestors) if nx.has_path(graph, a, b)]
    return wrong + [(a, b, True) for a, b in sorted(known.open_ancestors) if not nx.has_path(graph, a, b)]


def in_known_order(dag: Dag, known: Constraints) -> Dag:
    """The DAG with edges turned, as few as an order near its own allows, so that what is no ancestor comes later."""
    mutual = {(a, b) for a, b in known.not_ancestors if (b, a) in known.not_ancestors}
    order = nx.DiGraph([*known_arrows(known, dag.edges()), *((b, a) for a, b in known.not_ancestors - mutual)])
    order.add_nodes_from(range(len(dag)))
    if not nx.is_directed_acyclic_graph(order):
        return dag
    now = {v: i for i, v in enumerate(dag.topological_order())}
    place = {v: i for i, v in enumerate(nx.lexicographical_topological_sort(order, key=now.__getitem__))}
    parents = tuple(frozenset(y for y in dag.neighbours[v] if place[y] < place[v]) for v in range(len(dag)))
    return Dag(dag.names, parents)


def _direct_by_ancestors(graph: PartialDag, known: Constraints) -> None:
    """Direct the edges for which a search finds no agreeing DAG with the other direction."""
    if _Search(known).open_path(graph) is None or _Search(known).member(graph) is None:
        return  # nothing is left to decide, or no DAG agrees
    search, changed = _Search(known), True
    while changed:
        changed = False
        for a, b in graph.undirected_edges():
            for tail, head in ((a, b), (b, a)):
                if head in graph.undirected[tail] and _is_impossible(graph, search, tail, head):
                    graph.orient(head, tail)
                    close_under_meek_rules(graph)
                    changed = True


def _is_impossible(graph: PartialDag, search: _Search, tail: int, head: int) -> bool:
    return search.steps_left > 0 and search.member(_directed(graph, tail, head)) is None and search.steps_left > 0


def _directed(graph: PartialDag, tail: int, head: int) -> PartialDag:
    """A copy with one edge directed, and what follows; by Meek's theorem a closed graph allows either direction."""
    changed = graph.copy()
    changed.orient(tail, head)
    close_under_meek_rules(changed)
    return changed


class _Search:
    """A search, edge by edge, for directions with which every demand about ancestors is met."""

    def __init__(self, known: Constraints) -> None:
        self._excluded, self._certain = _by_first(known.open_not_ancestors), _by_first(known.open_ancestors)
        self.steps_left = max(FEWEST_STEPS, MOST_STEPS // max(1, len(known.names)))

    def member(self, graph: PartialDag) -> PartialDag | None:
        """The closed graph, or one with more directions, all of whose DAGs agree."""
        self.steps_left -= 1
        path = self.open_path(graph)
        if path is None:
            return graph
        choice = next(((a, b) for a, b in path if b in graph.undirected[a]), None)
        if choice is None or self.steps_left <= 0:
            return None
        for tail, head in (choice, choice[::-1]):
            found = self.member(_directed(graph, tail, head))
            if found is not None:
                return found
        return None

    def open_path(self, graph: PartialDag) -> list[Arrow] | None:
        """A path that breaks a demand or may do so; one without undirected edges breaks it. None if all are met."""
        for directed in (True, False):
            for a, others in self._excluded.items():
                came_from = _reached(graph, a, directed)
                for b in others:
                    if b in came_from:
                        return _path(came_from, a, b)
        for a, others in self._certain.items():
            certain = _reached(graph, a, directed=True)
            lacking = next((b for b in others if b not in certain), None)
            if lacking is not None:
                possible = _reached(graph, a, directed=False)
                return _path(possible, a, lacking) if lacking in possible else []
        return None


def _by_first(pairs: Iterable[Arrow]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for a, b in sorted(pairs):
        found.setdefault(a, []).append(b)
    return found


def _reached(graph: PartialDag, a: int, directed: bool) -> dict[int, int]:
    """What directed paths from a reach, or paths that may become so; and by which variable each was reached."""
    came_from, waiting = {a: a}, [a]
    for v in waiting:
        for w in sorted(graph.children[v] if directed else graph.children[v] | graph.undirected[v]):
            if w not in came_from:
                came_from[w] = v
                waiting.append(w)
    return came_from


def _path(came_from: dict[int, int], a: int, b: int) -> list[Arrow]:
    path: list[Arrow] = []
    while b != a:
        path.append((came_from[b], b))
        b = came_from[b]
    return path[::-1]

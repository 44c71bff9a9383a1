"""Adjustment sets: the generalised adjustment criterion (Perković et al. 2018), which sets meet it, and the one
with the smallest asymptotic variance (Henckel, Perković & Maathuis 2022).

Where the effect is identified, all DAGs of the class agree on it, so a set is valid in all of them if it is in one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Set
from dataclasses import dataclass

import networkx as nx

from sidelight.effects.paths import (
    Directions,
    Path,
    possible_descendants,
    possibly_between,
    undecided_path,
)
from sidelight.graphs.ancestral import reached
from sidelight.graphs.dag import Dag

Given = frozenset[int]
MOST_SETS = 100  # minimal sets that are listed
FROM_TAIL, FROM_HEAD = True, False  # how a path arrives at a variable: against an arrow out of it, or along one


@dataclass(frozen=True)
class Objection:
    """Why a set cannot be adjusted for: by an undecided path, by what is forbidden in it, or by an open path."""

    undecided: Path | None = None
    forbidden: Given = frozenset()
    open_path: Path | None = None


def forbidden_set(graph: Directions, causes: Collection[int], target: int) -> Given:
    """What no adjustment may contain: possible descendants of what lies between the causes and the target."""
    return frozenset(possible_descendants(graph, possibly_between(graph, causes, target)))


def optimal_set(graph: Directions, causes: Collection[int], target: int) -> Given:
    """The parents of what lies between; of all valid sets it estimates best.

    It is valid if any set is, as long as the target is a possible descendant of every cause. Where nothing lies
    between, the effect is 0, and the parents of a single cause show it if any set does.
    """
    between = possibly_between(graph, causes, target)
    parents = {p for v in between or causes for p in graph.parents[v]}
    return frozenset(parents - possible_descendants(graph, between) - set(causes))


def objection(graph: Directions, dag: Dag, causes: Collection[int], target: int, given: Set[int]) -> Objection | None:
    """Why the set is not valid; None if it is. The DAG is any one of the class."""
    undecided = undecided_path(graph, causes, target)
    if undecided is not None:
        return Objection(undecided=undecided)
    forbidden = forbidden_set(graph, causes, target) & given
    if forbidden:
        return Objection(forbidden=forbidden)
    path = open_path(dag, causes, target, given)
    return None if path is None else Objection(open_path=path)


def is_valid(graph: Directions, dag: Dag, causes: Collection[int], target: int, given: Set[int]) -> bool:
    """True when adjusting for the set gives the effect in all DAGs; it has neither cause nor target."""
    return not given & {*causes, target} and objection(graph, dag, causes, target, given) is None


@dataclass(frozen=True)
class _WithoutCausalPaths:
    """A DAG without the arrows with which proper causal paths begin: what is open then is not causal."""

    parents: tuple[frozenset[int], ...]
    children: tuple[frozenset[int], ...]

    @staticmethod
    def of(dag: Dag, causes: Collection[int], target: int) -> _WithoutCausalPaths:
        above = reached(dag.parents, {target}, causes)
        cut = {(x, v) for x in causes for v in dag.children[x] if v in above}
        parents = tuple(frozenset(p for p in dag.parents[v] if (p, v) not in cut) for v in range(len(dag)))
        children = tuple(frozenset(c for c in dag.children[v] if (v, c) not in cut) for v in range(len(dag)))
        return _WithoutCausalPaths(parents, children)


def open_path(dag: Dag, causes: Collection[int], target: int, given: Set[int]) -> Path | None:
    """A shortest proper path that is not causal and that the set leaves open; None if it blocks all of them."""
    graph = _WithoutCausalPaths.of(dag, causes, target)
    opened = reached(graph.parents, given, ())  # colliders at these are open
    came_from: dict[tuple[int, bool], tuple[int, bool] | None] = {}
    waiting: deque[tuple[int, bool]] = deque()

    def visit(v: int, arrival: bool, before: tuple[int, bool]) -> None:
        if v not in causes and (v, arrival) not in came_from:
            came_from[v, arrival] = before
            waiting.append((v, arrival))

    for x in sorted(causes):
        came_from[x, FROM_TAIL] = None
        for v in sorted(graph.parents[x]):
            visit(v, FROM_TAIL, (x, FROM_TAIL))
        for v in sorted(graph.children[x]):
            visit(v, FROM_HEAD, (x, FROM_TAIL))
    while waiting:
        state = v, arrival = waiting.popleft()
        if v == target:
            return _without_loops(came_from, state)
        if v not in given:  # passed as a chain or a fork
            for w in sorted(graph.children[v]):
                visit(w, FROM_HEAD, state)
        if (v not in given) if arrival == FROM_TAIL else (v in opened):
            for w in sorted(graph.parents[v]):
                visit(w, FROM_TAIL, state)
    return None


def _without_loops(came_from: dict[tuple[int, bool], tuple[int, bool] | None], end: tuple[int, bool]) -> Path:
    """The path that was found; where it comes by a variable twice, leaving out what is between keeps it open."""
    path: list[int] = []
    state: tuple[int, bool] | None = end
    while state is not None:
        if state[0] in path:
            del path[path.index(state[0]) :]
        path.append(state[0])
        state = came_from[state]
    return tuple(reversed(path))


# Minimal sets: the minimal separators of causes and target among their ancestors in the moral graph.


def minimal_set(graph: Directions, dag: Dag, causes: Collection[int], target: int) -> Given | None:
    """What remains of the optimal set, or of all ancestors, when nothing more can be left out; None if no set is valid.

    Among ancestors, of which both consist, separation is monotone: leaving out one at a time suffices.
    """
    if not is_valid(graph, dag, causes, target, kept := optimal_set(graph, causes, target)):
        ancestors = reached(dag.parents, {*causes, target})
        kept = frozenset(ancestors - {*causes, target} - forbidden_set(graph, causes, target))
        if not is_valid(graph, dag, causes, target, kept):
            return None
    for v in sorted(kept):
        if open_path(dag, causes, target, kept - {v}) is None:
            kept -= {v}
    return kept


def minimal_sets(graph: Directions, dag: Dag, causes: Collection[int], target: int) -> Iterator[Given]:
    """All valid sets of which no part is valid, as they are found (Shen & Liang 1997); none if no set is valid."""
    if minimal_set(graph, dag, causes, target) is None:
        return
    moral = _moral_ancestors(dag, causes, target)
    source, sink = -1, target
    for v in sorted(forbidden_set(graph, causes, target) - {target, *causes}):  # passed through, never in a set
        if v in moral:
            moral.add_edges_from((a, b) for a in moral[v] for b in moral[v] if a < b)
            moral.remove_node(v)
    moral.add_edges_from((source, w) for x in causes for w in list(moral[x]) if w not in causes)
    moral.add_node(source)
    moral.remove_nodes_from(causes)
    waiting = [_near(moral, frozenset({source}), sink)]
    seen = set(waiting)
    for separator in waiting:  # grows meanwhile
        yield separator
        side = _component(moral, source, separator)
        for v in sorted(separator):
            if not moral.has_edge(v, sink):
                found = _near(moral, side | {v}, sink)
                if found not in seen:
                    seen.add(found)
                    waiting.append(found)


def _near(graph: nx.Graph, side: Given, sink: int) -> Given:
    """What separates the sink from these: the neighbours of them that the sink reaches without another one."""
    border = {w for v in side for w in graph[v]} - side
    beyond = _component(graph, sink, border)
    return frozenset(w for w in border if any(n in beyond for n in graph[w]))


def _component(graph: nx.Graph, start: int, removed: Collection[int]) -> Given:
    return frozenset(reached(graph.adj, {start}, removed))


def _moral_ancestors(dag: Dag, causes: Collection[int], target: int) -> nx.Graph:
    graph = _WithoutCausalPaths.of(dag, causes, target)
    kept = reached(graph.parents, {*causes, target}, ())
    moral = nx.Graph()
    moral.add_nodes_from(kept)
    for v in kept:
        family = sorted({v, *graph.parents[v]})
        moral.add_edges_from((a, b) for i, a in enumerate(family) for b in family[i + 1 :])
    return moral

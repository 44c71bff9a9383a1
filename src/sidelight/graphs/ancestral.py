"""Ancestral graphs: what a DAG with hidden and selected variables says of those that are observed.

A directed edge a → b of a maximal ancestral graph (MAG) says that a is a cause of b, a ↔ b that neither is a cause of
the other, a — b that both are causes of what was selected (Richardson and Spirtes, Annals of Statistics 2002).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from sidelight.graphs.dag import Dag
from sidelight.graphs.marks import ARROW, TAIL, Mark, MarkedGraph
from sidelight.graphs.separating_sets import Skeleton

Reach = Sequence[Collection[int]] | Mapping[int, Collection[int]]
NOTHING: frozenset[int] = frozenset()


def reached(onwards: Reach, start: Iterable[int], avoided: Collection[int] = NOTHING) -> set[int]:
    """Everything that can be reached from these by going on, them included, around what is avoided."""
    found = {v for v in start if v not in avoided}
    waiting = list(found)
    while waiting:
        new = {w for w in onwards[waiting.pop()] if w not in avoided} - found
        found |= new
        waiting.extend(new)
    return found


def m_separated(graph: MarkedGraph, x: int, y: int, given: Collection[int]) -> bool:
    """Is every path between x and y blocked by these? On a path, colliders are open if they have descendants there."""
    open_colliders = reached(graph.parents, given)
    blocked = set(given)
    waiting = [(v, at_v) for v, at_v in graph.ends[x].items()]
    seen = set(waiting)
    while waiting:
        v, at_v = waiting.pop()
        if v == y:
            return False
        for w, at_w in graph.ends[v].items():
            collides = at_v == ARROW and graph.ends[w][v] == ARROW
            passes = v in open_colliders if collides else v not in blocked
            if passes and w != x and (w, at_w) not in seen:
                seen.add((w, at_w))
                waiting.append((w, at_w))
    return True


def inducing_path(graph: MarkedGraph, x: int, y: int) -> list[int] | None:
    """A path between x and y that no set blocks: all inner variables are colliders on it and ancestors of x or y."""
    ancestors = reached(graph.parents, (x, y))
    before: dict[int, int] = {}
    waiting = [v for v, at_v in graph.ends[x].items() if at_v == ARROW and v in ancestors and v != y]
    before |= dict.fromkeys(waiting, x)
    for v in waiting:  # grows meanwhile
        if graph.ends[y].get(v) == ARROW:
            return [*_path_to(v, before, x), y]
        for w in graph.spouses[v] & ancestors:
            if w not in before and w not in (x, y):
                before[w] = v
                waiting.append(w)
    return None


def _path_to(v: int, before: dict[int, int], x: int) -> list[int]:
    path = [v]
    while path[-1] != x:
        path.append(before[path[-1]])
    return path[::-1]


def is_ancestral(graph: MarkedGraph) -> bool:
    """No arrow at an ancestor of the edge's other end, no cycle, and no arrow where an undirected edge ends."""
    for v, row in enumerate(graph.ends):
        into = [u for u in row if graph.ends[u][v] == ARROW]
        if into and graph.undirected[v]:
            return False
        if into and not reached(graph.children, graph.children[v]).isdisjoint([v, *into]):
            return False
    return True


def is_maximal(graph: MarkedGraph) -> bool:
    """Is there a set that separates each pair which is not adjacent?"""
    return next(unseparable_pairs(graph), None) is None


def unseparable_pairs(graph: MarkedGraph) -> Iterator[tuple[int, int]]:
    """The pairs of an ancestral graph that are not adjacent, and joined by an inducing path."""
    for district in districts(graph.spouses, range(len(graph))):
        ends = district.union(*(graph.parents[v] for v in district))
        for x, y in combinations(sorted(ends), 2):
            if y not in graph.ends[x] and inducing_path(graph, x, y) is not None:
                yield x, y


def districts(spouses: Reach, members: Iterable[int]) -> Iterator[set[int]]:
    """What ↔ connects, where it does, from these on: an inducing path runs within one of these, but for its ends."""
    left = {v for v in members if spouses[v]}
    while left:
        district = reached(spouses, [min(left)])
        left -= district
        yield district


def separators(mag: MarkedGraph) -> Skeleton:
    """The edges of a MAG without undirected ones, and what separates the other pairs.

    A variable without effects is separated from all others by its district and the parents of that. A member that is
    no neighbour is separated by what is left of them among the ancestors of the two: a path of colliders to it within
    these would be an inducing path.
    """
    skeleton, removed = Skeleton.without_edges(len(mag)), set[int]()
    for x in reversed(Dag(mag.names, mag.parents).topological_order()):
        removed.add(x)
        boundary = _boundary_of_last(mag, x, removed)
        neighbours = mag.neighbours[x] - removed
        skeleton.remove(x, boundary, neighbours)
        for y in sorted(boundary - neighbours):
            others = set(range(len(mag))) - reached(mag.parents, (x, y))
            skeleton.note(x, y, frozenset(_boundary_of_last(mag, x, others)))
    return skeleton


def _boundary_of_last(mag: MarkedGraph, x: int, without: Collection[int]) -> set[int]:
    """The Markov boundary of x in the graph without these, where x has no children: its district, and the parents."""
    district = reached(mag.spouses, [x], set(without) - {x})
    return district.union(*(mag.parents[v] for v in district)) - {x, *without}


def mag_of(dag: Dag, hidden: Collection[int] = (), selected: Collection[int] = ()) -> MarkedGraph:
    """The MAG of a DAG of which some variables are hidden, and some are selected on; over the observed ones, in order.

    Two are adjacent exactly when their observed ancestors, and those of what was selected, do not separate them.
    """
    observed = [v for v in range(len(dag)) if v not in set(hidden) and v not in set(selected)]
    position = {v: i for i, v in enumerate(observed)}
    whole = MarkedGraph.of_dag(dag)
    of_selected = reached(dag.parents, selected)
    ancestors = {v: reached(dag.parents, [v]) for v in observed}
    edges = list[tuple[int, int, Mark, Mark]]()
    for x in observed:
        for y in _possibly_adjacent(dag, x, position, of_selected):
            given = ((ancestors[x] | ancestors[y] | of_selected) & position.keys()) - {x, y}
            if x < y and (y in whole.ends[x] or not m_separated(whole, x, y, given.union(selected))):
                at_x = TAIL if x in ancestors[y] or x in of_selected else ARROW
                at_y = TAIL if y in ancestors[x] or y in of_selected else ARROW
                edges.append((position[x], position[y], at_x, at_y))
    names: list[Hashable] = [dag.names[v] for v in observed]
    return MarkedGraph.of_edges(names, edges)


def _possibly_adjacent(dag: Dag, x: int, observed: Collection[int], of_selected: Collection[int]) -> list[int]:
    """The observed variables at the end of paths on which every observed variable is a collider."""
    waiting = [(v, True) for v in dag.children[x]] + [(v, False) for v in dag.parents[x]]
    seen = set(waiting)
    for v, by_arrow in waiting:  # grows meanwhile
        onward = [(p, False) for p in dag.parents[v]] if by_arrow or v not in observed else []
        onward += [(c, True) for c in dag.children[v]] if v not in observed else []
        for step in onward:
            if step not in seen and step[0] != x:
                seen.add(step)
                waiting.append(step)
    return sorted({v for v, _ in waiting} & set(observed))


def dag_of(mag: MarkedGraph) -> Dag:
    """A DAG of which this is the MAG: for each a ↔ b a hidden cause of both, after the observed variables.

    The MAG has no undirected edges.
    """
    causes = list(mag.parents)
    hidden = [(e.a, e.b) for e in mag.edges() if e.at_a == e.at_b == ARROW]
    for u, effects in enumerate(hidden, len(mag)):
        for v in effects:
            causes[v] |= {u}
    return Dag(
        (*mag.names, *(("hidden cause of", *effects) for effects in hidden)), (*causes, *[NOTHING] * len(hidden))
    )

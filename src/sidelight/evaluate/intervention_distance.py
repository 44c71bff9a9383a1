"""The structural intervention distance (SID) of Peters and Bühlmann (2015): for how many ordered pairs of variables
does a learned graph lead to the wrong effect of an intervention, when it is estimated by adjusting for parents?

A learned class of DAGs has a smallest and a largest distance among its members. Its undirected components can be
directed independently of each other, so each is searched alone; one with too many orientations is bounded by the
parent sets that each of its variables can have.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice

import networkx as nx
import numpy as np

from sidelight.graphs.dag import AdjacencyArrays, Dag, PartialDag
from sidelight.orientation.meek import close_under_meek_rules

MOST_ORIENTATIONS, MOST_VARIABLES = 1000, 60  # of a component, to try them all


class _Mistakes:
    """How many effects of a variable are wrong in the true DAG after adjusting for a set; each computed once."""

    def __init__(self, truth: Dag) -> None:
        self._n = len(truth)
        self._parents, self._children = AdjacencyArrays.of(truth.parents), AdjacencyArrays.of(truth.children)
        self._known: dict[tuple[int, frozenset[int]], int] = {}

    def of(self, cause: int, given: frozenset[int]) -> int:
        from sidelight.families.oracle.kernels import wrongly_adjusted

        if (cause, given) not in self._known:
            flags = np.zeros(self._n, dtype=np.bool_)
            flags[list(given)] = True
            wrong = wrongly_adjusted(
                cause, flags, self._parents.start, self._parents.items, self._children.start, self._children.items
            )
            self._known[cause, given] = int(wrong.sum())
        return self._known[cause, given]


def intervention_distance(learned: PartialDag, truth: Dag) -> tuple[int, int]:
    """The smallest and the largest SID of the DAGs in the learned class, both over the same columns."""
    mistakes = _Mistakes(truth)
    undirected = nx.Graph(learned.undirected_edges())
    lowest = highest = sum(
        mistakes.of(v, frozenset(learned.parents[v])) for v in range(len(learned)) if v not in undirected
    )
    for component in sorted(map(sorted, nx.connected_components(undirected))):
        low, high = _component_bounds(learned, component, mistakes)
        lowest, highest = lowest + low, highest + high
    return lowest, highest


def _component_bounds(learned: PartialDag, component: list[int], mistakes: _Mistakes) -> tuple[int, int]:
    totals = []
    if len(component) <= MOST_VARIABLES:
        for parents in islice(_parents_in_each_orientation(learned, component), MOST_ORIENTATIONS + 1):
            totals.append(sum(mistakes.of(v, among) for v, among in zip(component, parents, strict=True)))
    if 0 < len(totals) <= MOST_ORIENTATIONS:
        return min(totals), max(totals)
    each = [_variable_bounds(learned, v, mistakes) for v in component]
    return sum(low for low, _ in each), sum(high for _, high in each)


def _variable_bounds(learned: PartialDag, v: int, mistakes: _Mistakes) -> tuple[int, int]:
    """The fewest and the most mistakes with any parents that v can have; 0 and all if those are too many to try."""
    parent_sets = list(islice(_possible_parents(learned, v), MOST_ORIENTATIONS + 1))
    if len(parent_sets) > MOST_ORIENTATIONS:
        return 0, len(learned) - 1
    counts = [mistakes.of(v, parents) for parents in parent_sets]
    return min(counts), max(counts)


def _parents_in_each_orientation(learned: PartialDag, component: list[int]) -> Iterator[list[frozenset[int]]]:
    """The parents of the component's variables, for every way to direct its edges."""
    position = {v: i for i, v in enumerate(component)}
    edges = ((position[a], position[b]) for a in component for b in learned.undirected[a] if a < b)
    for directed in _orientations(PartialDag.from_skeleton(len(component), edges)):
        yield [
            frozenset([*learned.parents[v], *(component[p] for p in directed.parents[i])])
            for i, v in enumerate(component)
        ]


def _orientations(graph: PartialDag) -> Iterator[PartialDag]:
    """Every way to direct the edges without a v-structure or a cycle."""
    waiting = [graph]
    while waiting:
        partial = waiting.pop()
        edge = next(((a, min(others)) for a, others in enumerate(partial.undirected) if others), None)
        if edge is None:
            yield partial
            continue
        for tail, head in (edge, edge[::-1]):
            directed = partial.copy()
            directed.orient(tail, head)
            close_under_meek_rules(directed)
            waiting.append(directed)


def _possible_parents(graph: PartialDag, v: int) -> Iterator[frozenset[int]]:
    """The parent sets of v in the DAGs of the class: its parents and any clique of its undirected neighbours."""
    neighbours = sorted(graph.undirected[v])
    among_neighbours = nx.Graph((a, b) for a, b in combinations(neighbours, 2) if b in graph.undirected[a])
    among_neighbours.add_nodes_from(neighbours)
    yield frozenset(graph.parents[v])
    for clique in nx.enumerate_all_cliques(among_neighbours):
        yield frozenset([*graph.parents[v], *clique])

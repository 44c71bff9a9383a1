"""One graph for many: the edges that most resamples have, directed as most of them say, and always a legal graph."""

from __future__ import annotations

import networkx as nx

from sidelight.graphs.dag import Dag, PartialDag
from sidelight.knowledge import Constraints
from sidelight.orientation.essential import Orientation, member
from sidelight.result.shares import MAJORITY, Shares

Arrow = tuple[int, int]


def consensus_graph(shares: Shares, threshold: float | None = None, known: Constraints | None = None) -> Orientation:
    """The essential graph, and a DAG of its class, with the pairs whose share reaches the threshold as edges.

    An edge points as it does in more than half of the graphs that have it. Arrows that would close a cycle are left
    open, those with the smallest share first; what is open then gets its direction as in any essential graph, so that
    no new v-structure arises where that is possible.
    """
    edges = shares.chosen(threshold)
    graph = PartialDag.from_skeleton(len(shares.names), edges)
    for tail, head in _without_cycles(_majority_arrows(shares, edges, known)):
        graph.orient(tail, head)
    dag = Dag(shares.names, tuple(member(graph, known)))
    return Orientation(dag, known=known)


def _majority_arrows(shares: Shares, edges: list[tuple[int, int]], known: Constraints | None) -> list[Arrow]:
    """The arrows that more than half of the graphs with the edge have, those with the largest share first."""
    found = []
    for x, y in edges:
        counts = shares.counts[x, y]
        count, tail, head = max((counts.forward, x, y), (counts.backward, y, x))
        if count > MAJORITY * counts.adjacent and (known is None or known.allowed[tail, head]):
            found.append((-count, tail, head))
    return [(tail, head) for _, tail, head in sorted(found)]


def _without_cycles(arrows: list[Arrow]) -> list[Arrow]:
    """The arrows, each kept if it closes no cycle with those kept before."""
    graph = nx.DiGraph(arrows)
    if nx.is_directed_acyclic_graph(graph):
        return arrows
    graph.remove_edges_from(arrows)
    kept = []
    for tail, head in arrows:
        if not nx.has_path(graph, head, tail):
            graph.add_edge(tail, head)
            kept.append((tail, head))
    return kept

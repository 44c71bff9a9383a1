"""Essential graphs: of a DAG, and of a skeleton with separating sets.

With exact separating sets the v-structures and Meek's rules give the essential graph of the true DAG. On data the
evidence can contradict itself; then the arrows that lose are let go (``without_contradictions``), and if what remains
still belongs to no DAG, the nearest DAG found by ``extend_to_dag`` decides. The result is the essential graph of some
DAG in every case, and ``Orientation.overruled`` lists the v-structures that are not in it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

import networkx as nx

from sidelight.graphs.dag import Dag, PartialDag
from sidelight.orientation.extension import extend_to_dag
from sidelight.orientation.meek import close_under_meek_rules
from sidelight.orientation.v_structures import (
    VStructure,
    arrows,
    find_v_structures,
    without_contradictions,
)


@dataclass(frozen=True)
class Orientation:
    """An essential graph, a DAG of its class, and the v-structures in the evidence that it does not have."""

    graph: PartialDag
    dag: Dag
    overruled: list[VStructure]


def orient(
    names: tuple[Hashable, ...],
    adjacency: Sequence[set[int]],
    lacking: Callable[[int], Iterable[tuple[int, int]]],
) -> Orientation:
    """Direct the edges of a skeleton by the sets that separate its non-adjacent pairs.

    ``lacking(c)`` yields the non-adjacent pairs of c's neighbours whose separating set does not contain c.
    """
    evidence = find_v_structures(len(adjacency), lacking)
    partial = with_v_structures(adjacency, without_contradictions(evidence))
    close_under_meek_rules(partial)
    dag = Dag(names, tuple(extend_to_dag(partial)))
    graph = essential_graph(dag)
    shown = set(dag.v_structures())
    return Orientation(graph, dag, [v for v in evidence if v not in shown])


def essential_graph(dag: Dag) -> PartialDag:
    """The essential graph of a DAG: an edge is directed when all DAGs with the same v-structures agree on it."""
    graph = with_v_structures(dag.neighbours, dag.v_structures())
    close_under_meek_rules(graph)
    return graph


def essential_graph_of(graph: nx.DiGraph) -> nx.DiGraph:
    """The essential graph of a DAG, both as networkx has them; an undirected edge stands in both directions."""
    dag = Dag.from_networkx(graph)
    return essential_graph(dag).to_networkx(dag.names)


def with_v_structures(adjacency: Sequence[Iterable[int]], v_structures: Iterable[VStructure]) -> PartialDag:
    """The skeleton with just the arrows of these v-structures."""
    edges = ((a, b) for a, neighbours in enumerate(adjacency) for b in neighbours if a < b)
    graph = PartialDag.from_skeleton(len(adjacency), edges)
    for tail, head in sorted({arrow for v in v_structures for arrow in arrows(v)}):
        graph.orient(tail, head)
    return graph

"""Properties of a structure that may be known before learning: cliques, diamonds, treewidth, degrees.

Plain functions of a networkx graph. Each is a quantity of the paper's Table 1, or can be
``sidelight.learning`` as side information.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import networkx as nx

from sidelight.graphs.dag import Dag, clique_number_of_edges


def clique_number(graph: nx.Graph) -> int:
    """Size of the largest clique of the skeleton (ω); 0 for a graph without vertices."""
    return clique_number_of_edges(graph.edges, graph.number_of_nodes())


def diamonds(graph: nx.DiGraph) -> Iterator[tuple[Hashable, Hashable, Hashable, Hashable]]:
    """Yield the paper's directed diamonds (A, B, C, D).

    A, B and C are parents of D, A is adjacent to B and to C, and B and C are not adjacent (Figure 1 of the paper).
    """
    dag = Dag.from_networkx(graph)
    for b, d, c in dag.v_structures():
        for a in sorted(dag.parents[d] & dag.neighbours[b] & dag.neighbours[c]):
            yield dag.names[a], dag.names[b], dag.names[c], dag.names[d]


def is_diamond_free(graph: nx.DiGraph) -> bool:
    """True when the graph contains none of the paper's diamonds."""
    return next(diamonds(graph), None) is None


def treewidth_bound(graph: nx.Graph) -> int:
    """An upper bound on the treewidth of the skeleton, by the minimum-degree heuristic."""
    skeleton = nx.Graph(graph.edges)
    return int(nx.approximation.treewidth_min_degree(skeleton)[0]) if skeleton else 0


def max_in_degree(graph: nx.DiGraph) -> int:
    """Largest number of parents (Δin)."""
    return max((degree for _, degree in graph.in_degree), default=0)


def max_degree(graph: nx.Graph) -> int:
    """Largest number of neighbours (Δ)."""
    return max((degree for _, degree in graph.degree), default=0)


def max_boundary(graph: nx.DiGraph) -> int:
    """Size of the largest Markov boundary (α)."""
    return max(map(len, Dag.from_networkx(graph).boundaries()), default=0)


def markov_boundaries(graph: nx.DiGraph) -> dict[Hashable, frozenset[Hashable]]:
    """The Markov boundary of each variable: parents, children and co-parents."""
    dag = Dag.from_networkx(graph)
    return {
        name: frozenset(dag.names[m] for m in members)
        for name, members in zip(dag.names, dag.boundaries(), strict=True)
    }


def moral_graph(graph: nx.DiGraph) -> nx.Graph:
    """Each variable adjacent to the members of its Markov boundary."""
    return nx.moral_graph(graph)


def is_removable(graph: nx.DiGraph, name: Hashable) -> bool:
    """True when taking the variable out changes no d-separation among the others (Theorem 3 of the paper).

    Every child W of X must be adjacent to all other neighbours of X, and must have all parents of every child of X
    that is itself a parent of W.
    """
    children, parents = set(graph.successors(name)), graph.pred
    neighbours = children | set(graph.predecessors(name))
    return all(
        neighbours - {w} <= set(graph.successors(w)) | set(graph.predecessors(w))
        and all(set(parents[y]) <= set(parents[w]) for y in children & set(parents[w]))
        for w in children
    )


def v_structures(graph: nx.DiGraph) -> list[tuple[Hashable, Hashable, Hashable]]:
    """All (a, c, b) with a → c ← b and a, b not adjacent."""
    dag = Dag.from_networkx(graph)
    return [(dag.names[a], dag.names[c], dag.names[b]) for a, c, b in dag.v_structures()]


def skeleton(graph: nx.DiGraph) -> nx.Graph:
    """The graph without its directions."""
    return nx.Graph(graph.to_undirected(as_view=True))


def summary(graph: nx.DiGraph) -> dict[str, int | bool]:
    """The row of the paper's table of structures: n, edges, ω, Δin, Δ, α, diamond-free, and a treewidth bound."""
    return {
        "variables": graph.number_of_nodes(),
        "edges": graph.number_of_edges(),
        "clique_number": clique_number(graph),
        "max_in_degree": max_in_degree(graph),
        "max_degree": max_degree(graph),
        "max_boundary": max_boundary(graph),
        "diamond_free": is_diamond_free(graph),
        "treewidth_bound": treewidth_bound(graph),
    }

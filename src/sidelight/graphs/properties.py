"""Properties of a structure that may be known before learning: cliques, diamonds, treewidth, degrees.

Plain functions of a networkx graph. Each is a quantity of the paper's Table 1, or can be
``sidelight.learning`` as side information.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import combinations

import networkx as nx

from sidelight.graphs.dag import Dag

Adjacency = dict[int, set[int]]
MOST_STEPS = 50_000  # before a question that may take exponential time is left undecided


def clique_number(graph: nx.Graph) -> int:
    """Size of the largest clique of the skeleton (ω); 0 for a graph without vertices."""
    return max(map(len, nx.find_cliques(nx.Graph(graph.edges))), default=min(1, len(graph)))


def diamonds(graph: nx.DiGraph) -> Iterator[tuple[Hashable, Hashable, Hashable, Hashable]]:
    """Yield the paper's directed diamonds (A, B, C, D).

    A, B and C are parents of D, A is adjacent to B and to C, and B and C are not adjacent (Figure 1 of the paper).
    """
    dag = Dag.from_networkx(graph)
    for a, b, c, d in dag.diamonds():
        yield dag.names[a], dag.names[b], dag.names[c], dag.names[d]


def is_diamond_free(graph: nx.DiGraph) -> bool:
    """True when the graph contains none of the paper's diamonds."""
    return next(diamonds(graph), None) is None


def treewidth_bound(graph: nx.Graph) -> int:
    """An upper bound on the treewidth of the skeleton, by the minimum-degree heuristic, ties by position."""
    skeleton = _by_position(graph)
    return int(nx.approximation.treewidth_min_degree(skeleton)[0]) if skeleton else 0


def treewidth_at_most(graph: nx.Graph, most: int) -> bool | None:
    """Is the treewidth of the skeleton at most this? None where deciding it takes too long.

    It is that of the largest block. The vertices of a block are taken out one after the other, each joining its
    neighbours, of which there may be at most ``most``; which vertices are left says what the rest looks like.
    """
    skeleton = _by_position(graph)
    if treewidth_bound(skeleton) <= most:
        return True
    decided = [_block_at_most(skeleton.subgraph(block), most) for block in nx.biconnected_components(skeleton)]
    return False if False in decided else None if None in decided else True


def _by_position(graph: nx.Graph) -> nx.Graph:
    """The skeleton over numbers, edges in order: what is left undecided depends on neither names nor directions."""
    position = {v: i for i, v in enumerate(graph)}
    return nx.Graph(sorted(tuple(sorted((position[a], position[b]))) for a, b in graph.edges))


def _block_at_most(block: nx.Graph, most: int) -> bool | None:
    first: Adjacency = {v: set(block[v]) for v in sorted(block)}
    waiting, seen, n_steps = [_reduced(first, most)], set[frozenset[int]](), 0
    while waiting:
        left = waiting.pop()
        if len(left) <= most + 1:
            return True
        if frozenset(left) in seen or _has_dense_minor(left, most):
            continue
        seen.add(frozenset(left))
        n_steps += len(left) * sum(len(left[v]) <= most for v in left)
        if n_steps > MOST_STEPS:
            return None
        firsts = sorted((v for v in left if len(left[v]) <= most), key=lambda v: len(left[v]), reverse=True)
        waiting += [_reduced(_without_vertex(left, v), most) for v in firsts]
    return False


def _reduced(left: Adjacency, most: int) -> Adjacency:
    """What is left when vertices are taken out that may be the first."""
    changed = True
    while changed:
        changed = False
        for v in list(left):
            if len(left[v]) <= most and _is_safe(left, v):
                left, changed = _without_vertex(left, v), True
    return left


def _is_safe(left: Adjacency, v: int) -> bool:
    """Are its neighbours a clique, but for one of them? Then what is left without it is a minor of what there was.

    See Bodlaender, Koster and van den Eijkhof (2005).
    """
    apart = [{a, b} for a, b in combinations(left[v], 2) if b not in left[a]]
    return not apart or bool(set.intersection(*apart))


def _without_vertex(left: Adjacency, v: int) -> Adjacency:
    """The vertex taken out, with its neighbours joined."""
    around = left[v]
    return {
        u: (neighbours | around) - {u, v} if u in around else neighbours for u, neighbours in left.items() if u != v
    }


def _has_dense_minor(left: Adjacency, most: int) -> bool:
    """Do contractions of the vertex of smallest degree lead to a graph in which all have more than ``most``?"""
    minor = {v: set(neighbours) for v, neighbours in left.items()}
    while minor:
        v = min(minor, key=lambda v: len(minor[v]))
        neighbours = minor.pop(v)
        if len(neighbours) > most:
            return True
        into = min(neighbours, key=lambda u: len(minor[u]), default=v)
        for u in neighbours:
            minor[u] = (minor[u] | (neighbours if u == into else {into})) - {u, v}
    return False


def has_vertex_cover(graph: nx.Graph, size: int) -> bool | None:
    """Do some ``size`` vertices touch every edge of the skeleton? None where deciding it takes too long.

    A vertex is in a cover, or all its neighbours are; a graph without a vertex of degree 3 consists of paths and
    rings, of which one with m edges needs half as many vertices, rounded up.
    """
    waiting, n_steps = [(_by_position(graph), size)], 0
    while waiting:
        left, room = waiting.pop()
        v, degree = max(left.degree, key=lambda found: found[1], default=(None, 0))
        if degree <= 2:
            parts = (left.subgraph(part).number_of_edges() for part in nx.connected_components(left))
            if sum((n_edges + 1) // 2 for n_edges in parts) <= room:
                return True
        elif left.number_of_edges() <= room * degree and len(nx.maximal_matching(left)) <= room:
            n_steps += 2 * left.number_of_edges()
            if n_steps > MOST_STEPS:
                return None
            around = set(left[v])
            if degree <= room:
                waiting.append((_without(left, around), room - degree))
            waiting.append((_without(left, {v}), room - 1))
    return False


def _without(graph: nx.Graph, vertices: set[Hashable]) -> nx.Graph:
    return nx.Graph((a, b) for a, b in graph.edges if a not in vertices and b not in vertices)


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

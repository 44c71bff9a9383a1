"""Random DAGs that keep a promise: a clique number, no diamonds, a treewidth. For thousands of variables.

Edges come in random order and are left out when they would break the promise, so that dense graphs end up with fewer
edges than were asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import networkx as nx
import numpy as np

from sidelight.errors import InputError


class Growing:
    """A DAG in the making: parents, children and neighbours by position in a topological order."""

    def __init__(self, n: int) -> None:
        self.parents: list[set[int]] = [set() for _ in range(n)]
        self.neighbours: list[set[int]] = [set() for _ in range(n)]

    def add(self, earlier: int, later: int) -> None:
        """Join the two."""
        self.parents[later].add(earlier)
        self.neighbours[earlier].add(later)
        self.neighbours[later].add(earlier)

    def remove(self, earlier: int, later: int) -> None:
        """Take their edge out."""
        self.parents[later].discard(earlier)
        self.neighbours[earlier].discard(later)
        self.neighbours[later].discard(earlier)

    def shuffled(self, rng: np.random.Generator) -> nx.DiGraph:
        """The graph over 0 … n-1, its vertices in an order that is not topological."""
        order = rng.permutation(len(self.parents)).tolist()
        graph = nx.DiGraph()
        graph.add_nodes_from(range(len(order)))
        graph.add_edges_from(
            (order[parent], order[child]) for child, parents in enumerate(self.parents) for parent in sorted(parents)
        )
        return graph


def with_clique_number(n: int, m: int, degree: float, rng: np.random.Generator) -> nx.DiGraph:
    """A random DAG of about this mean degree in which no more than m variables are all joined to each other."""
    if m < 2:
        raise InputError(f"m={m}: a graph with an edge has a clique number of 2 at least")

    def keeps(graph: Growing, a: int, b: int) -> bool:
        return not _has_clique(graph, graph.neighbours[a] & graph.neighbours[b], m - 1)

    return _grown(n, degree, rng, keeps)


def diamond_free(n: int, degree: float, rng: np.random.Generator) -> nx.DiGraph:
    """A random DAG of about this mean degree without diamonds."""

    def keeps(graph: Growing, a: int, b: int) -> bool:
        graph.add(a, b)
        common_children = [v for v in graph.neighbours[a] & graph.neighbours[b] if {a, b} <= graph.parents[v]]
        kept = all(_is_union_of_cliques(graph, graph.parents[v]) for v in (b, *common_children))
        graph.remove(a, b)
        return kept

    return _grown(n, degree, rng, keeps)


def with_treewidth(
    n: int, t: int, rng: np.random.Generator, max_in_degree: int | None = None, share: float = 0.7
) -> nx.DiGraph:
    """A random DAG of treewidth at most t: part of a random t-tree, each edge kept with this probability.

    Every variable has at most t parents, or ``max_in_degree`` if that is less.
    """
    if t < 1:
        raise InputError(f"t={t}: a graph with an edge has a treewidth of 1 at least")
    most = t if max_in_degree is None else min(t, max_in_degree)
    graph, cliques = Growing(n), [tuple(range(min(t, n)))]
    for v in range(n):
        home = tuple(range(v)) if v < t else cliques[int(rng.integers(len(cliques)))]
        chosen = [u for u in home if rng.random() < share]
        for u in rng.permutation(chosen)[:most].tolist() if chosen else []:
            graph.add(u, v)
        if v >= t:
            cliques.extend((*home[:i], *home[i + 1 :], v) for i in range(t))
    return graph.shuffled(rng)


def _grown(n: int, degree: float, rng: np.random.Generator, keeps: Callable[[Growing, int, int], bool]) -> nx.DiGraph:
    if n < 0 or not 0 <= degree <= max(0, n - 1):
        raise InputError(f"degree={degree}: the mean degree of {n} variables lies between 0 and {max(0, n - 1)}")
    graph = Growing(n)
    for a, b in _random_pairs(n, round(n * degree / 2), rng):
        if keeps(graph, a, b):
            graph.add(a, b)
    return graph.shuffled(rng)


def _random_pairs(n: int, count: int, rng: np.random.Generator) -> Iterator[tuple[int, int]]:
    """So many different pairs a < b in random order."""
    if count > n * (n - 1) // 4:
        pairs = list(combinations(range(n), 2))
        yield from (pairs[i] for i in rng.permutation(len(pairs))[:count].tolist())
        return
    seen: set[tuple[int, int]] = set()
    while len(seen) < count:
        a, b = sorted(rng.integers(n, size=2).tolist())
        if a < b and (a, b) not in seen:
            seen.add((a, b))
            yield a, b


def _has_clique(graph: Growing, among: set[int], size: int) -> bool:
    """Are there so many of these that are all joined to each other?"""
    if size <= 0:
        return True
    return any(_has_clique(graph, among & graph.neighbours[v] & set(range(v)), size - 1) for v in among)


def _is_union_of_cliques(graph: Growing, vertices: set[int]) -> bool:
    """True when, among these, the neighbours of each are joined to each other: then nothing like a diamond is there."""
    return all(
        b in graph.neighbours[a] for v in vertices for a, b in combinations(sorted(graph.neighbours[v] & vertices), 2)
    )

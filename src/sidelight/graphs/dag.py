"""Graph values over column indices, and their conversions from and to networkx.

A ``Dag`` is a directed acyclic graph; a ``PartialDag`` is a graph with directed and undirected edges, such as an
essential graph. Both keep the order of the variables: ties anywhere in the library are broken by it.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from itertools import chain, combinations

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.graphs.names import check_names


@dataclass(frozen=True)
class Dag:
    """A directed acyclic graph: the parents of each variable, by column index."""

    names: tuple[Hashable, ...]
    parents: tuple[frozenset[int], ...]

    @staticmethod
    def from_networkx(graph: nx.DiGraph) -> Dag:
        """Convert a ``networkx.DiGraph``; a graph that is undirected or has a cycle is an ``InputError``."""
        if not isinstance(graph, nx.DiGraph) or graph.is_multigraph():
            raise InputError(f"a networkx.DiGraph is needed here, not a {type(graph).__name__}")
        if not nx.is_directed_acyclic_graph(graph):
            cycle = [tail for tail, _ in nx.find_cycle(graph)]
            path = " → ".join(map(str, [*cycle, cycle[0]]))
            raise InputError(f"the graph has a directed cycle: {path}; a Bayesian network is acyclic")
        names = check_names(graph.nodes)
        index = {name: i for i, name in enumerate(names)}
        return Dag(names, tuple(frozenset(index[p] for p in graph.predecessors(name)) for name in names))

    def to_networkx(self) -> nx.DiGraph:
        """Return the graph over the names."""
        graph = nx.DiGraph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from((self.names[p], self.names[v]) for p, v in self.edges())
        return graph

    def renumbered(self, place: Sequence[int], names: tuple[Hashable, ...]) -> Dag:
        """The same graph with each variable at another place, where these names are."""
        return Dag(names, tuple(map(frozenset, renumbered(self.parents, place))))

    def __len__(self) -> int:
        return len(self.names)

    def edges(self) -> list[tuple[int, int]]:
        """All (parent, child) pairs, sorted."""
        return sorted((p, v) for v, parents in enumerate(self.parents) for p in parents)

    def topological_order(self) -> list[int]:
        """The variables with parents before children, ties by column.

        What networkx does for any graph takes as long as a search by score on fifty variables, which needs many.
        """
        n_waited_for = list(map(len, self.parents))
        ready, order = [v for v, count in enumerate(n_waited_for) if count == 0], list[int]()
        while ready:
            v = heappop(ready)
            order.append(v)
            for child in self.children[v]:
                n_waited_for[child] -= 1
                if n_waited_for[child] == 0:
                    heappush(ready, child)
        return order

    @cached_property
    def children(self) -> tuple[frozenset[int], ...]:
        """The children of each variable."""
        children: list[set[int]] = [set() for _ in self.names]
        for child, parents in enumerate(self.parents):
            for parent in parents:
                children[parent].add(child)
        return tuple(map(frozenset, children))

    @cached_property
    def neighbours(self) -> tuple[frozenset[int], ...]:
        """Parents and children of each variable."""
        return tuple(p | c for p, c in zip(self.parents, self.children, strict=True))

    def boundaries(self) -> list[set[int]]:
        """The Markov boundary of each variable: parents, children and co-parents."""
        boundaries = [set(neighbours) for neighbours in self.neighbours]
        for parents in self.parents:
            for y, z in combinations(parents, 2):
                boundaries[y].add(z)
                boundaries[z].add(y)
        return boundaries

    def v_structures(self) -> list[tuple[int, int, int]]:
        """All (a, c, b) with a → c ← b, a < b, and a, b not adjacent; sorted."""
        return sorted(
            (a, c, b)
            for c, parents in enumerate(self.parents)
            for a, b in combinations(sorted(parents), 2)
            if b not in self.neighbours[a]
        )

    def diamonds(self, first: int = 0) -> Iterator[tuple[int, int, int, int]]:
        """All (a, b, c, d) with a, b, c parents of d, a adjacent to b and c, and b, c not adjacent; sorted by b, d, c.

        From ``first`` on, if only those with such a b are asked for.
        """
        for b in range(first, len(self)):
            for d in sorted(self.children[b]):
                between = self.parents[d] & self.neighbours[b]
                apart = sorted(c for c in self.parents[d] - self.neighbours[b] if c > b) if between else ()
                yield from ((a, b, c, d) for c in apart for a in sorted(between & self.neighbours[c]))


@dataclass(frozen=True)
class AdjacencyArrays:
    """Adjacency lists laid end to end, as numba kernels read them: row v is ``items[start[v]:start[v + 1]]``."""

    start: NDArray[np.int64]
    items: NDArray[np.int64]

    @staticmethod
    def of(rows: Sequence[Iterable[int]]) -> AdjacencyArrays:
        """Lay out one row per variable."""
        ordered = [sorted(row) for row in rows]
        start = np.zeros(len(ordered) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in ordered], out=start[1:])
        return AdjacencyArrays(start, np.fromiter(chain.from_iterable(ordered), np.int64, start[-1]))

    @staticmethod
    def complete(n: int) -> AdjacencyArrays:
        """All other variables in each row; sorting them takes as long as a short search."""
        others = np.tile(np.arange(n), (n, 1))[~np.eye(n, dtype=np.bool_)]
        return AdjacencyArrays(np.arange(n + 1) * (n - 1), others)


@dataclass
class PartialDag:
    """Directed and undirected edges over column indices; orientation turns the latter into the former."""

    parents: list[set[int]]
    children: list[set[int]]
    undirected: list[set[int]]

    @staticmethod
    def from_skeleton(n: int, edges: Iterable[tuple[int, int]]) -> PartialDag:
        """All edges undirected."""
        graph = PartialDag([set() for _ in range(n)], [set() for _ in range(n)], [set() for _ in range(n)])
        for a, b in edges:
            graph.undirected[a].add(b)
            graph.undirected[b].add(a)
        return graph

    @staticmethod
    def from_networkx(graph: nx.DiGraph, names: Iterable[Hashable]) -> PartialDag:
        """By position in the names; an edge that stands in both directions is undirected."""
        position = {name: i for i, name in enumerate(names)}
        edges = [(position[a], position[b], not graph.has_edge(b, a)) for a, b in graph.edges]
        found = PartialDag.from_skeleton(len(position), ((a, b) for a, b, _ in edges))
        for tail, head, directed in edges:
            if directed:
                found.orient(tail, head)
        return found

    def __len__(self) -> int:
        return len(self.parents)

    def renumbered(self, place: Sequence[int]) -> PartialDag:
        """The same graph with each variable at another place."""
        return PartialDag(*(renumbered(rows, place) for rows in (self.parents, self.children, self.undirected)))

    def copy(self) -> PartialDag:
        """A copy that shares nothing."""
        return PartialDag(
            [set(s) for s in self.parents], [set(s) for s in self.children], [set(s) for s in self.undirected]
        )

    def adjacent(self, a: int, b: int) -> bool:
        """True when there is an edge of either kind between a and b."""
        return b in self.undirected[a] or b in self.parents[a] or b in self.children[a]

    def adjacency(self, a: int) -> set[int]:
        """All variables adjacent to a, by an edge of either kind."""
        return self.undirected[a] | self.parents[a] | self.children[a]

    def orient(self, tail: int, head: int) -> None:
        """Turn the undirected edge tail — head into tail → head."""
        self.undirected[tail].remove(head)
        self.undirected[head].remove(tail)
        self.parents[head].add(tail)
        self.children[tail].add(head)

    def to_networkx(self, names: Sequence[Hashable]) -> nx.DiGraph:
        """The graph over names: an undirected edge stands in both directions and has ``directed=False``."""
        graph = nx.DiGraph()
        graph.add_nodes_from(names)
        graph.add_edges_from(((names[a], names[b]) for a, b in self.directed_edges()), directed=True)
        for a, b in self.undirected_edges():
            graph.add_edge(names[a], names[b], directed=False)
            graph.add_edge(names[b], names[a], directed=False)
        return graph

    def directed_edges(self) -> list[tuple[int, int]]:
        """All (tail, head) pairs, sorted."""
        return sorted((tail, head) for head, parents in enumerate(self.parents) for tail in parents)

    def undirected_edges(self) -> list[tuple[int, int]]:
        """All undirected edges as (smaller, larger), sorted."""
        return sorted((a, b) for a, neighbours in enumerate(self.undirected) for b in neighbours if a < b)


def renumbered(rows: Sequence[Iterable[int]], place: Sequence[int]) -> list[set[int]]:
    """A set of variables for each variable, with each at another place."""
    found: list[set[int]] = [set() for _ in rows]
    for v, members in enumerate(rows):
        found[place[v]] = {place[y] for y in members}
    return found


def cliques(adjacency: Sequence[Set[int]], size: int) -> Iterator[list[int]]:
    """The maximal sets of at least ``size`` variables, two or more, that are pairwise adjacent.

    Each two of them have size - 2 common neighbours.
    """
    edges = [
        (x, y)
        for x, neighbours in enumerate(adjacency)
        for y in neighbours
        if x < y and (size == 2 or len(neighbours & adjacency[y]) >= size - 2)
    ]
    return (sorted(clique) for clique in nx.find_cliques(nx.Graph(edges)) if len(clique) >= size)


def components(adjacency: Sequence[Collection[int]]) -> NDArray[np.int64]:
    """The number of each variable's component."""
    numbers, n_found = [-1] * len(adjacency), 0
    for start in range(len(adjacency)):
        left = [start] if numbers[start] < 0 else []
        for x in left:  # grows meanwhile
            if numbers[x] < 0:
                numbers[x] = n_found
                left.extend(adjacency[x])
        n_found += bool(left)
    return np.array(numbers, dtype=np.int64)

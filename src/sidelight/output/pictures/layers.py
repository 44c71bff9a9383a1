"""Layers of a layered drawing: every edge points to a later layer, edges are short in sum, and few of them cross.

The layers are the optimum of a linear program whose matrix is totally unimodular, so that a vertex of it is integral
(Gansner, Koutsofios, North and Vo, 1993). Edges over several layers are split at bends, one in each layer between. The
order within layers is the best of some sweeps: barycentres, then exchanges of neighbours.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

Edge = tuple[int, int]
SWEEPS = 24
PATIENCE = 8  # sweeps without improvement
MOST_VERTICES_TO_EXCHANGE = 6000  # beyond, exchanges would take longer than all the rest


@dataclass(frozen=True)
class Layered:
    """Vertices by layer, in the order in which they are drawn; those from ``n_nodes`` on are bends of edges."""

    n_nodes: int
    layers: list[list[int]]
    before: list[list[int]]
    after: list[list[int]]
    bends: dict[Edge, list[int]]

    def is_bend(self, vertex: int) -> bool:
        """True for a vertex that only bends an edge."""
        return vertex >= self.n_nodes


def layered(n_nodes: int, edges: Sequence[Edge]) -> Layered:
    """Lay the nodes of an acyclic graph into layers and split its long edges."""
    layer = assign_layers(n_nodes, edges)
    layers: list[list[int]] = [[] for _ in range(max(layer) + 1)]
    for node in range(n_nodes):
        layers[layer[node]].append(node)
    graph = Layered(n_nodes, layers, [[] for _ in layer], [[] for _ in layer], {})
    for tail, head in edges:
        _join(graph, tail, head, layer)
    return graph


def assign_layers(n_nodes: int, edges: Sequence[Edge]) -> list[int]:
    """The layer of each node, counted from 0."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    if not edges:
        return [0] * n_nodes
    tails, heads = np.array(edges).T
    rows = np.arange(len(edges))
    ones = np.ones(len(edges))
    matrix = coo_array((np.r_[ones, -ones], (np.r_[rows, rows], np.r_[tails, heads])), shape=(len(edges), n_nodes))
    lengthening = np.bincount(heads, minlength=n_nodes) - np.bincount(tails, minlength=n_nodes)
    found = linprog(lengthening, A_ub=matrix.tocsr(), b_ub=-ones, bounds=(0, None), method="highs-ds")
    layer = np.rint(found.x).astype(int)
    return (layer - layer.min()).tolist()  # type: ignore[no-any-return]


def _join(graph: Layered, tail: int, head: int, layer: Sequence[int]) -> None:
    """Join the two, by way of a bend in each layer between."""
    between = range(layer[tail] + 1, layer[head])
    bends = [len(graph.before) + i for i in range(len(between))]
    for bend, depth in zip(bends, between, strict=True):
        graph.before.append([])
        graph.after.append([])
        graph.layers[depth].append(bend)
    for upper, lower in pairwise([tail, *bends, head]):
        graph.after[upper].append(lower)
        graph.before[lower].append(upper)
    graph.bends[tail, head] = bends


# The order within layers.


def reduce_crossings(graph: Layered) -> None:
    """Order the vertices of each layer, in place."""
    layers = graph.layers
    best, fewest, since = [list(layer) for layer in layers], count_crossings(graph), 0
    for sweep in range(SWEEPS):
        _sweep(graph, downwards=sweep % 2 == 0)
        if len(graph.before) <= MOST_VERTICES_TO_EXCHANGE:
            _exchange(graph)
        crossings = count_crossings(graph)
        since += 1
        if crossings < fewest:
            best, fewest, since = [list(layer) for layer in layers], crossings, 0
        if since == PATIENCE or fewest == 0:
            break
    layers[:] = best


def count_crossings(graph: Layered) -> int:
    """How many pairs of edges cross between neighbouring layers."""
    total = 0
    for upper, lower in pairwise(graph.layers):
        position = {vertex: i for i, vertex in enumerate(lower)}
        seen: list[int] = []
        for vertex in upper:
            ends = [position[w] for w in graph.after[vertex]]
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _sweep(graph: Layered, downwards: bool) -> None:
    """Sort each layer by the mean position of its neighbours in the one before; a node without any keeps its place."""
    neighbours = graph.before if downwards else graph.after
    previous: dict[int, int] = {}
    for layer in graph.layers if downwards else reversed(graph.layers):
        centre = {
            vertex: sum(previous[w] for w in neighbours[vertex]) / len(neighbours[vertex])
            for vertex in layer
            if neighbours[vertex]
        }
        moving = iter(sorted(centre, key=centre.__getitem__))
        layer[:] = [next(moving) if vertex in centre else vertex for vertex in layer]
        previous = {vertex: i for i, vertex in enumerate(layer)}


def _exchange(graph: Layered) -> None:
    """Exchange neighbours within a layer as long as that saves crossings."""
    for i, layer in enumerate(graph.layers):
        above = _sorted_ends(graph.before, layer, graph.layers[i - 1] if i else [])
        below = _sorted_ends(graph.after, layer, graph.layers[i + 1] if i + 1 < len(graph.layers) else [])
        improved = True
        while improved:
            improved = False
            for j in range(len(layer) - 1):
                left, right = layer[j], layer[j + 1]
                if _saves(above[left], above[right]) + _saves(below[left], below[right]) > 0:
                    layer[j], layer[j + 1] = right, left
                    improved = True


def _sorted_ends(neighbours: list[list[int]], layer: Sequence[int], other: Sequence[int]) -> dict[int, list[int]]:
    position = {vertex: i for i, vertex in enumerate(other)}
    return {vertex: sorted(position[w] for w in neighbours[vertex]) for vertex in layer}


def _saves(left: list[int], right: list[int]) -> int:
    """How many crossings fewer there are when the vertices with these ends change places."""
    if not left or not right or left[-1] <= right[0]:
        fewer = 0
    else:
        fewer = sum(len(left) - bisect_right(left, end) for end in right)
    return fewer - sum(len(right) - bisect_right(right, end) for end in left)

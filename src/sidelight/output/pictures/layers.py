"""Layers of a layered drawing: every edge points to a later layer, and the edges are as short as they can be in sum.

The layers are the optimum of a linear program whose matrix is totally unimodular, so that a vertex of it is integral
(Gansner, Koutsofios, North and Vo, 1993). Edges over several layers are split at bends, one in each layer between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Edge = tuple[int, int]


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
        graph.bends[tail, head] = _split(graph, tail, head, layer)
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


def _split(graph: Layered, tail: int, head: int, layer: Sequence[int]) -> list[int]:
    bends = []
    previous = tail
    for between in range(layer[tail] + 1, layer[head]):
        bend = len(graph.before)
        graph.before.append([])
        graph.after.append([])
        graph.layers[between].append(bend)
        _join(graph, previous, bend)
        bends.append(bend)
        previous = bend
    _join(graph, previous, head)
    return bends


def _join(graph: Layered, upper: int, lower: int) -> None:
    graph.after[upper].append(lower)
    graph.before[lower].append(upper)

"""Places within layers: neighbours near each other, long edges straight, nothing overlapping.

The weighted sum of squared offsets along edges is minimised one layer at a time. With the order and the distances kept,
a layer's best places are an isotonic regression on the weighted means of the neighbours' places.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sidelight.output.pictures.layers import Layered

SWEEPS = 40
STRAIGHTNESS = (1.0, 2.0, 8.0)  # the weight of an edge between 0, 1 or 2 bends


def place(graph: Layered, extent: Sequence[float], gap: float) -> NDArray[np.float64]:
    """The place of each vertex along its layer, where vertex v takes up ``extent[v]``, from the common centre."""
    from scipy.optimize import isotonic_regression

    room = np.array([0.0 if graph.is_bend(v) else extent[v] for v in range(len(graph.before))])
    places = np.zeros(len(room))
    rows = [_Row(graph, layer, room, gap) for layer in graph.layers]
    for row in rows:
        places[row.vertices] = row.offsets - row.offsets[-1] / 2
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            if row.total_weight.min() > 0:
                wanted = row.wanted(places) - row.offsets
                places[row.vertices] = isotonic_regression(wanted, weights=row.total_weight).x + row.offsets
    return places


class _Row:
    """A layer's vertices, how far each stays from the first at least, and what pulls them."""

    def __init__(self, graph: Layered, layer: list[int], room: NDArray[np.float64], gap: float) -> None:
        self.vertices = np.array(layer)
        gaps = np.array([_gap(graph, a, b, gap) for a, b in pairwise(layer)])
        distances = (room[layer[:-1]] + room[layer[1:]]) / 2 + gaps
        self.offsets = np.r_[0.0, np.cumsum(distances)]
        pulls = [(i, w) for i, v in enumerate(layer) for w in (*graph.before[v], *graph.after[v])]
        self._owner = np.array([i for i, _ in pulls], dtype=np.int64)
        self._puller = np.array([w for _, w in pulls], dtype=np.int64)
        self._weight = np.array([STRAIGHTNESS[graph.is_bend(layer[i]) + graph.is_bend(w)] for i, w in pulls])
        self.total_weight = np.bincount(self._owner, self._weight, len(layer))

    def wanted(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        pulled = np.bincount(self._owner, self._weight * places[self._puller], len(self.vertices))
        centred: NDArray[np.float64] = pulled / self.total_weight
        return centred


def _gap(graph: Layered, a: int, b: int, gap: float) -> float:
    return gap / 2 if graph.is_bend(a) and graph.is_bend(b) else gap

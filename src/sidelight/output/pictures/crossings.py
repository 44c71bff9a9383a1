"""The order within layers, so that few edges cross: barycentres, exchanges of neighbours, the best of some sweeps."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import pairwise

from sidelight.output.pictures.layers import Layered

SWEEPS = 24
PATIENCE = 8  # sweeps without improvement
MOST_VERTICES_TO_EXCHANGE = 6000  # beyond, exchanges would take longer than all the rest


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

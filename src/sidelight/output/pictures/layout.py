"""Where the variables and edges of a network are drawn: in layers, causes first, component by component.

Within layers, neighbours stand near each other and long edges are straight: the weighted sum of squared offsets along
edges is minimised one layer at a time. With the order and the distances kept, a layer's best places are an isotonic
regression on the weighted means of the neighbours' places.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.network import Network
from sidelight.orientation.pag import downward
from sidelight.output.pictures.layers import Edge, Layered, layered, reduce_crossings
from sidelight.text.visible import visible

Point = tuple[float, float]
LONGEST_LABEL = 20  # columns of a monospaced terminal; a wide character takes two
CHARACTER_WIDTH = 7.4  # on average, at the size of the drawings' letters
NODE_HEIGHT = 30.0
NARROWEST_NODE = 44.0
PADDING = 22.0  # of a label within its node, both sides together
GAP = 20.0  # between nodes of one layer
LAYER_GAP = 40.0
ASPECT = 1.6  # the width of a good picture, in heights
MOST_STRETCHED, MOST_SPREAD = 8.0, 1.6  # how many times further apart layers and nodes may stand for that
SWEEPS = 40
STRAIGHTNESS = (1.0, 2.0, 8.0)  # the weight of an edge between 0, 1 or 2 bends
SPREAD = 0.7  # the share of a node's side over which edges arrive


@dataclass(frozen=True)
class Layout:
    """Centres and widths of the nodes, and for each edge of the DAG the points it passes, ends included.

    ``across`` is True when layers follow each other from left to right, not from the top down.
    """

    labels: list[str]
    centres: list[Point]
    widths: list[float]
    routes: dict[Edge, list[Point]]
    size: Point
    across: bool


@dataclass(frozen=True)
class _Part:
    """Some nodes and their edges, drawn by themselves from (0, 0) on."""

    members: list[int]
    centres: list[Point]
    routes: dict[Edge, list[Point]]
    size: Point


def lay_out(network: Network) -> Layout:
    """Lay out a learned network; edges without direction stand as in one DAG, or, of a PAG, one MAG of the class."""
    graph = network.by_position
    edges = downward(graph.marks) if network.is_pag else graph.dag.edges()
    labels = [label(name) for name in network.names]
    widths = [max(NARROWEST_NODE, CHARACTER_WIDTH * columns(text) + PADDING) for text in labels]
    if not labels:
        return Layout([], [], [], {}, (1.0, 1.0), False)
    components = _components(len(labels), edges)
    ordered = [(members, _ordered(members, edges)) for members in components if len(members) > 1]
    alone = _alone([node for members in components if len(members) == 1 for node in members], widths)
    down, across = (
        _packed([*(_drawn(members, graph, widths, way) for members, graph in ordered), *alone]) for way in (False, True)
    )
    chosen = min((down, across), key=lambda whole: abs(np.log(whole.size[0] / whole.size[1] / ASPECT)))
    centres = dict(zip(chosen.members, chosen.centres, strict=True))
    in_order = [centres[node] for node in range(len(labels))]
    return Layout(labels, in_order, widths, chosen.routes, chosen.size, chosen is across)


def label(name: object) -> str:
    """The name without invisible characters, cut to what a node can hold."""
    text = visible(str(name))
    if columns(text) <= LONGEST_LABEL:
        return text
    end = next(end for end in range(len(text)) if columns(text[: end + 1]) >= LONGEST_LABEL)
    return text[:end].rstrip() + "…"


def columns(text: str) -> int:
    """How many columns a text takes up."""
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def _components(n_nodes: int, edges: Sequence[Edge]) -> list[list[int]]:
    """Connected components, the largest first."""
    graph = nx.Graph()
    graph.add_nodes_from(range(n_nodes))
    graph.add_edges_from(edges)
    return sorted((sorted(members) for members in nx.connected_components(graph)), key=lambda m: (-len(m), m))


def _ordered(members: list[int], edges: Sequence[Edge]) -> Layered:
    position = {node: i for i, node in enumerate(members)}
    graph = layered(len(members), [(position[a], position[b]) for a, b in edges if a in position])
    reduce_crossings(graph)
    return graph


def _drawn(members: list[int], graph: Layered, widths: Sequence[float], across: bool) -> _Part:
    """Place one component, its layers from left to right or from the top down."""
    wide, high = [widths[node] for node in members], [NODE_HEIGHT] * len(members)
    along, thick = (high, wide) if across else (wide, high)
    places = _placed(graph, along, GAP / 2 if across else GAP)
    aspect = 1 / ASPECT if across else ASPECT
    depths, deep = _depths(graph, thick, _span(places, along)[1] / aspect)
    places *= min(MOST_SPREAD, max(1.0, deep * aspect / _span(places, along)[1]))
    low, length = _span(places, along)
    points = [(float(p - low), d) for p, d in zip(places, depths, strict=True)]
    routes = _routes(graph, points, along, thick)
    turned = (lambda p: (p[1], p[0])) if across else (lambda p: p)
    return _Part(
        members,
        [turned(p) for p in points[: len(members)]],
        {(members[a], members[b]): [turned(p) for p in route] for (a, b), route in routes.items()},
        turned((length, deep)),
    )


def _span(places: NDArray[np.float64], along: Sequence[float]) -> tuple[float, float]:
    """Where a drawing begins along its layers, and how long it is; bends take no room."""
    halves = np.r_[np.array(along) / 2, np.zeros(len(places) - len(along))]
    low = float((places - halves).min())
    return low, float((places + halves).max()) - low


def _depths(graph: Layered, thick: Sequence[float], wanted: float) -> tuple[list[float], float]:
    """How far down each vertex stands, and how deep all is; long layers stand further apart, for a good picture."""
    thickest = [max((thick[v] for v in layer if not graph.is_bend(v)), default=0.0) for layer in graph.layers]
    crowded = [min(1.5, sum(len(graph.after[v]) for v in layer) / 40) for layer in graph.layers[:-1]]
    gaps = LAYER_GAP * (1 + np.array(crowded))
    if len(gaps):
        gaps *= min(MOST_STRETCHED, max(1.0, (wanted - sum(thickest)) / gaps.sum()))
    starts = np.r_[0.0, np.cumsum(np.array(thickest[:-1]) + gaps)]
    depths = [0.0] * len(graph.before)
    for layer, start, thickness in zip(graph.layers, starts.tolist(), thickest, strict=True):
        for vertex in layer:
            depths[vertex] = start + thickness / 2
    return depths, float(starts[-1] + thickest[-1])


def _routes(
    graph: Layered, points: Sequence[Point], along: Sequence[float], thick: Sequence[float]
) -> dict[Edge, list[Point]]:
    """The points of each edge: where it leaves its tail, its bends, where it reaches its head."""
    leaving = _ports(graph.after, points, along, graph.n_nodes)
    reaching = _ports(graph.before, points, along, graph.n_nodes)
    routes = {}
    for (tail, head), bends in graph.bends.items():
        chain = [tail, *bends, head]
        start = (points[tail][0] + leaving[tail, chain[1]], points[tail][1] + thick[tail] / 2)
        end = (points[head][0] + reaching[head, chain[-2]], points[head][1] - thick[head] / 2)
        routes[tail, head] = [start, *(points[bend] for bend in bends), end]
    return routes


def _ports(
    neighbours: list[list[int]], points: Sequence[Point], along: Sequence[float], n_nodes: int
) -> dict[tuple[int, int], float]:
    """How far from a node's centre each edge meets its side: spread, in the order of the other ends."""
    ports = {}
    for node in range(n_nodes):
        others = sorted(neighbours[node], key=lambda other: points[other][0])
        step = min(14.0, SPREAD * along[node] / max(1, len(others)))
        for i, other in enumerate(others):
            ports[node, other] = (i - (len(others) - 1) / 2) * step
    return ports


def _alone(nodes: list[int], widths: Sequence[float]) -> list[_Part]:
    """Nodes without edges, in rows of their own."""
    single = [_Part([node], [(widths[node] / 2, NODE_HEIGHT / 2)], {}, (widths[node], NODE_HEIGHT)) for node in nodes]
    return [_packed(single)] if single else []


def _packed(parts: list[_Part]) -> _Part:
    """Parts on shelves, in their order, within a width that makes a good picture."""
    area = sum((part.size[0] + GAP) * (part.size[1] + GAP) for part in parts)
    limit = max(parts[0].size[0], float(np.sqrt(area * ASPECT)))
    members: list[int] = []
    centres: list[Point] = []
    routes: dict[Edge, list[Point]] = {}
    x = y = shelf = width = 0.0
    for part in parts:
        if x and x + part.size[0] > limit:
            x, y, shelf = 0.0, y + shelf + GAP, 0.0
        members += part.members
        centres += [(x + px, y + py) for px, py in part.centres]
        routes |= {edge: [(x + px, y + py) for px, py in route] for edge, route in part.routes.items()}
        x += part.size[0] + GAP
        width, shelf = max(width, x - GAP), max(shelf, part.size[1])
    return _Part(members, centres, routes, (width, y + shelf))


# Places within layers.


def _placed(graph: Layered, extent: Sequence[float], gap: float) -> NDArray[np.float64]:
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
        gaps = np.array([gap / (1 + (graph.is_bend(a) and graph.is_bend(b))) for a, b in pairwise(layer)])
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

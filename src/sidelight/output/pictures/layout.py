"""Where the variables and edges of a network are drawn: in layers, causes first, component by component.

Within layers, neighbours stand near each other and long edges are straight: the weighted sum of squared offsets along
edges is minimised one layer at a time. With the order and the distances kept, a layer's best places are an isotonic
regression on the weighted means of the neighbours' places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.network import Network
from sidelight.orientation.pag import downward
from sidelight.output.pictures.curves import Piece, Point, pieces
from sidelight.output.pictures.labels import Labels
from sidelight.output.pictures.layers import Edge, Layered, layered, reduce_crossings

GAP = 16.0  # between nodes of one layer
LAYER_GAP = 34.0
ASPECT = 1.3  # the width of a good picture, in heights: a page of a paper, a window beside a panel
MOST_STRETCHED, MOST_SPREAD = 3.0, 1.1  # how many times further apart layers and nodes may stand for that
SWEEPS = 40
STRAIGHTNESS = (1.0, 2.0, 8.0)  # the weight of an edge between 0, 1 or 2 bends
CLEARANCE = 4.0  # between an edge and the boxes that it passes, where there is room
SPREAD = 0.7  # the share of a node's side over which edges arrive


@dataclass(frozen=True)
class Layout:
    """Labels and centres of the nodes, and for each edge of the DAG the points it passes, ends included.

    ``across`` is True when layers follow each other from left to right, not from the top down.
    """

    labels: Labels
    centres: list[Point]
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
    labels = Labels.of(network.names)
    if not network.names:
        return Layout(labels, [], {}, (1.0, 1.0), False)
    components = _components(len(labels.texts), edges)
    ordered = [(members, _ordered(members, edges)) for members in components if len(members) > 1]
    single = [node for members in components if len(members) == 1 for node in members]
    ways = (_whole([_drawn(*part, labels, across) for part in ordered], single, labels) for across in (False, True))
    down, across = ways
    chosen = min((down, across), key=_room)
    centres = dict(zip(chosen.members, chosen.centres, strict=True))
    in_order = [centres[node] for node in range(len(labels.texts))]
    return Layout(labels, in_order, chosen.routes, chosen.size, chosen is across)


def _room(whole: _Part) -> float:
    """How large a frame of a good picture's form must be to hold it: the smaller, the larger its letters can be."""
    return max(whole.size[0] / ASPECT, whole.size[1])


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


def _drawn(members: list[int], graph: Layered, labels: Labels, across: bool) -> _Part:
    """Place one component, its layers from left to right or from the top down."""
    wide, high = [labels.widths[node] for node in members], [labels.height] * len(members)
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
    passing = _passages(graph, points, along, thick)
    routes = {}
    for (tail, head), bends in graph.bends.items():
        chain = [tail, *bends, head]
        start = (points[tail][0] + leaving[tail, chain[1]], points[tail][1] + thick[tail] / 2)
        end = (points[head][0] + reaching[head, chain[-2]], points[head][1] - thick[head] / 2)
        routes[tail, head] = [start, *_around(chain, [start, *(points[bend] for bend in bends), end], passing), end]
    return routes


def _passages(
    graph: Layered, points: Sequence[Point], along: Sequence[float], thick: Sequence[float]
) -> dict[int, tuple[float, float]]:
    """For each bend, how much room there is to the nearest box of its layer, and half the thickness of the layer."""
    passages = {}
    for layer in graph.layers:
        boxes = [v for v in layer if not graph.is_bend(v)]
        half = max((thick[v] for v in boxes), default=0.0) / 2
        for bend in filter(graph.is_bend, layer):
            room = min((abs(points[v][0] - points[bend][0]) - along[v] / 2 for v in boxes), default=np.inf)
            passages[bend] = (float(room), half)
    return passages


def _around(chain: list[int], route: list[Point], passing: dict[int, tuple[float, float]]) -> Iterator[Point]:
    """The bends of a route; where the curve would cut the corner of a box, it passes the layer upright."""
    upright = set[int]()
    while True:
        points = [around for i in range(len(route)) for around in _passed(i, route[i], chain, passing, upright)]
        curve = pieces(points, across=False)
        cut = {
            i
            for i in range(1, len(chain) - 1)
            if i not in upright and _cuts(route[i], points, curve, passing[chain[i]])
        }
        if not cut:
            return iter(points[1:-1])
        upright |= cut


def _passed(
    i: int, point: Point, chain: list[int], passing: dict[int, tuple[float, float]], upright: set[int]
) -> list[Point]:
    half = passing[chain[i]][1] if i in upright else 0.0
    return [(point[0], point[1] - half), (point[0], point[1] + half)] if half else [point]


def _cuts(bend: Point, points: list[Point], curve: list[Piece], passage: tuple[float, float]) -> bool:
    """Does the curve, as it passes a layer, come nearer to a box of it than it may?"""
    room, half = passage
    at = points.index(bend)
    away = np.abs(np.vstack([curve[at - 1].sampled(points[at - 1]), curve[at].sampled(bend)]) - bend)
    return bool(away[away[:, 1] <= half + CLEARANCE, 0].max() > room - CLEARANCE)


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


def _whole(parts: list[_Part], single: list[int], labels: Labels) -> _Part:
    """All components, and below them the nodes without edges, in rows as wide as what is above."""
    height = labels.height
    nodes = [_Part([i], [(labels.widths[i] / 2, height / 2)], {}, (labels.widths[i], height)) for i in single]
    if not parts:
        return _packed(nodes)
    above = _packed(parts)
    return _stacked([above, _packed(nodes, above.size[0])] if nodes else [above])


def _packed(parts: list[_Part], width: float | None = None) -> _Part:
    """Parts on shelves, in their order, within a width; by default one that makes a good picture."""
    area = sum((part.size[0] + GAP) * (part.size[1] + GAP) for part in parts)
    limit = max(parts[0].size[0], float(np.sqrt(area * ASPECT)) if width is None else width)
    shelves: list[list[_Part]] = [[]]
    for part in parts:
        if shelves[-1] and sum(other.size[0] + GAP for other in shelves[-1]) + part.size[0] > limit:
            shelves.append([])
        shelves[-1].append(part)
    return _stacked([_side_by_side(shelf) for shelf in shelves])


def _side_by_side(parts: list[_Part]) -> _Part:
    starts = np.cumsum([0.0, *(part.size[0] + GAP for part in parts)]).tolist()
    return _joined([(part, (start, 0.0)) for part, start in zip(parts, starts, strict=False)])


def _stacked(parts: list[_Part]) -> _Part:
    starts = np.cumsum([0.0, *(part.size[1] + GAP for part in parts)]).tolist()
    return _joined([(part, (0.0, start)) for part, start in zip(parts, starts, strict=False)])


def _joined(placed: list[tuple[_Part, Point]]) -> _Part:
    """Parts as one, each moved so far."""

    def moved(points: list[Point], by: Point) -> list[Point]:
        return [(x + by[0], y + by[1]) for x, y in points]

    return _Part(
        [member for part, _ in placed for member in part.members],
        [centre for part, by in placed for centre in moved(part.centres, by)],
        {edge: moved(route, by) for part, by in placed for edge, route in part.routes.items()},
        (max(by[0] + part.size[0] for part, by in placed), max(by[1] + part.size[1] for part, by in placed)),
    )


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

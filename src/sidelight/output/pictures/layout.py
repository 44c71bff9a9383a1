"""Where the variables and edges of a network are drawn: in layers, causes first, component by component."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.network import Network
from sidelight.output.pictures.coordinates import place
from sidelight.output.pictures.crossings import reduce_crossings
from sidelight.output.pictures.labels import label, label_width
from sidelight.output.pictures.layers import Edge, Layered, layered

Point = tuple[float, float]
NODE_HEIGHT = 30.0
NARROWEST_NODE = 44.0
PADDING = 22.0  # of a label within its node, both sides together
GAP = 20.0  # between nodes of one layer
LAYER_GAP = 40.0
ASPECT = 1.6  # the width of a good picture, in heights
MOST_STRETCHED, MOST_SPREAD = 8.0, 1.6  # how many times further apart layers and nodes may stand for that
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
    """Lay out a learned network; edges without direction stand as in ``network.to_dag()``."""
    position = {name: i for i, name in enumerate(network.names)}
    edges = [(position[a], position[b]) for a, b in network.to_dag().edges]
    labels = [label(name) for name in network.names]
    widths = [max(NARROWEST_NODE, label_width(text) + PADDING) for text in labels]
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
    places = place(graph, along, GAP / 2 if across else GAP)
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

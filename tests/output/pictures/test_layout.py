from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import sidelight as sl
from sidelight.output.pictures import lay_out
from sidelight.output.pictures.curves import pieces
from sidelight.simulation.random_graphs import erdos_renyi
from tests.graphs_for_tests import dags

TOLERANCE = 1e-6


def boxes(layout):
    half = layout.labels.height / 2
    return [(x - w / 2, y - half, x + w / 2, y + half)
            for (x, y), w in zip(layout.centres, layout.labels.widths, strict=True)]  # fmt: skip


def overlap(one, other):
    return all(one[i] < other[i + 2] - TOLERANCE and other[i] < one[i + 2] - TOLERANCE for i in (0, 1))


@settings(max_examples=50)
@given(dags(min_size=1, max_size=8))
def test_no_two_variables_overlap_and_all_are_within_the_picture(dag):
    layout = lay_out(sl.learn(sl.DSeparation(dag)))
    for one, other in combinations(boxes(layout), 2):
        assert not overlap(one, other)
    for left, top, right, bottom in boxes(layout):
        assert left >= -TOLERANCE
        assert top >= -TOLERANCE
        assert right <= layout.size[0] + TOLERANCE
        assert bottom <= layout.size[1] + TOLERANCE


@settings(max_examples=50)
@given(dags(min_size=1, max_size=8))
def test_every_edge_leaves_and_reaches_the_sides_of_its_variables(dag):
    net = sl.learn(sl.DSeparation(dag))
    layout = lay_out(net)
    names = net.names
    assert {(names[a], names[b]) for a, b in layout.routes} == set(net.to_dag().edges)
    along = 0 if layout.across else 1
    for (tail, head), route in layout.routes.items():
        assert route[0][along] == pytest.approx(boxes(layout)[tail][along + 2])
        assert route[-1][along] == pytest.approx(boxes(layout)[head][along])


@pytest.mark.parametrize("across", [False, True])
def test_a_curve_passes_its_points_and_stays_between_them(across):
    route = [(0.0, 0.0), (30.0, 50.0), (40.0, 100.0), (40.0, 150.0)]
    route = [(y, x) for x, y in route] if across else route
    curve = pieces(route, across)
    assert [piece.end for piece in curve] == route[1:]
    side = 1 if across else 0
    for before, piece in zip(route, curve, strict=False):
        low, high = sorted((before[side], piece.end[side]))
        assert all(low <= point[side] <= high for point in piece)


def test_a_network_without_variables_or_edges_has_a_layout():
    assert lay_out(sl.learn(sl.DSeparation(nx.DiGraph()))).centres == []
    empty = nx.DiGraph()
    empty.add_nodes_from("abc")
    assert len(lay_out(sl.learn(sl.DSeparation(empty))).centres) == 3


@pytest.mark.parametrize("n", [40, 60, 80])
def test_no_edge_passes_through_a_variable(n):
    graph = nx.relabel_nodes(
        erdos_renyi(n, 2.6 / n, np.random.default_rng(n)), lambda v: f"variable_{v}_" + "x" * (v % 9)
    )
    layout = lay_out(sl.learn(sl.DSeparation(graph), sl.Required(*graph.edges)))
    for edge, route in layout.routes.items():
        starts = [route[0], *(piece.end for piece in pieces(route, layout.across))]
        curve = [p for s, piece in zip(starts, pieces(route, layout.across), strict=False) for p in piece.sampled(s)]
        for v, (left, top, right, bottom) in enumerate(boxes(layout)):
            assert v in edge or not any(left < x < right and top < y < bottom for x, y in curve)

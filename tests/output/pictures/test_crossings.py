from itertools import combinations

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import sidelight as sl
from sidelight.output.pictures.layers import count_crossings, layered, reduce_crossings
from tests.graphs_for_tests import dags


def crossings_one_by_one(graph):
    position = {vertex: i for row in graph.layers for i, vertex in enumerate(row)}
    total = 0
    for row in graph.layers:
        edges = [(position[v], position[w]) for v in row for w in graph.after[v]]
        total += sum((a - c) * (b - d) < 0 for (a, b), (c, d) in combinations(edges, 2))
    return total


@given(dags(min_size=1))
def test_crossings_counted_by_order_are_those_counted_one_by_one(dag):
    graph = layered(len(dag), list(dag.edges))
    assert count_crossings(graph) == crossings_one_by_one(graph)


@given(dags(min_size=1))
def test_ordering_keeps_the_layers_and_adds_no_crossings(dag):
    graph = layered(len(dag), list(dag.edges))
    before, rows = count_crossings(graph), [set(row) for row in graph.layers]
    reduce_crossings(graph)
    assert count_crossings(graph) <= before
    assert [set(row) for row in graph.layers] == rows


@pytest.mark.parametrize("name", ["sachs", "alarm", "hepar2", "andes", "diabetes"])
def test_no_more_edges_cross_than_in_the_layout_of_igraph(name):
    dag = nx.convert_node_labels_to_integers(sl.networks.load(name))
    graph = layered(len(dag), list(dag.edges))
    reduce_crossings(graph)
    depth = {vertex: i for i, row in enumerate(graph.layers) for vertex in row}
    split = igraph.Graph(len(depth), [(v, w) for v, after in enumerate(graph.after) for w in after], directed=True)
    theirs = split.layout_sugiyama(layers=[depth[v] for v in range(len(depth))])
    places = np.array(theirs.coords)[:, 0]
    ours = count_crossings(graph)
    graph.layers[:] = [sorted(row, key=places.__getitem__) for row in graph.layers]
    assert ours <= count_crossings(graph)

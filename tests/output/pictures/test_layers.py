from itertools import product

import networkx as nx
from hypothesis import given

from sidelight.output.pictures.layers import assign_layers, layered
from tests.graphs_for_tests import dags


def total_length(layer, edges):
    return sum(layer[head] - layer[tail] for tail, head in edges)


@given(dags(min_size=1))
def test_every_edge_points_to_a_later_layer(dag):
    layer = assign_layers(len(dag), list(dag.edges))
    assert min(layer) == 0
    assert all(layer[tail] < layer[head] for tail, head in dag.edges)


@given(dags(min_size=1, max_size=5))
def test_no_other_layers_make_the_edges_shorter(dag):
    edges = list(dag.edges)
    others = (
        layer for layer in product(range(len(dag)), repeat=len(dag)) if all(layer[a] < layer[b] for a, b in edges)
    )
    assert total_length(assign_layers(len(dag), edges), edges) == min(total_length(layer, edges) for layer in others)


@given(dags(min_size=1))
def test_an_edge_has_one_bend_in_each_layer_between_its_ends(dag):
    graph = layered(len(dag), list(dag.edges))
    layer = {vertex: i for i, row in enumerate(graph.layers) for vertex in row}
    for (tail, head), bends in graph.bends.items():
        assert [layer[v] for v in (tail, *bends, head)] == list(range(layer[tail], layer[head] + 1))
        assert all(lower in graph.after[upper] for upper, lower in nx.utils.pairwise((tail, *bends, head)))

from itertools import combinations, permutations

import networkx as nx
from hypothesis import given, settings

from sidelight.graphs import properties
from tests.graphs_for_tests import (
    DIAMOND,
    dags,
    diamond_free,
    is_removable_by_definition,
    small_dags,
    subsets,
    v_structures,
)


def assert_removability_is_that_of_the_definition(graph):
    for x in graph:
        assert properties.is_removable(graph, x) == is_removable_by_definition(graph, x)


def test_removability_agrees_with_its_definition_in_every_dag_of_four_variables():
    for graph in small_dags():
        assert_removability_is_that_of_the_definition(graph)


@settings(max_examples=40)
@given(dags(min_size=5, max_size=6))
def test_removability_agrees_with_its_definition(graph):
    assert_removability_is_that_of_the_definition(graph)


@given(dags(max_size=7))
def test_diamonds_are_those_of_the_definition(graph):
    def adjacent(a, b):
        return graph.has_edge(a, b) or graph.has_edge(b, a)

    expected = {
        (a, frozenset((b, c)), d)
        for a, b, c, d in permutations(graph, 4)
        if all(graph.has_edge(v, d) for v in (a, b, c)) and adjacent(a, b) and adjacent(a, c) and not adjacent(b, c)
    }
    assert {(a, frozenset((b, c)), d) for a, b, c, d in properties.diamonds(graph)} == expected
    assert properties.is_diamond_free(graph) == (not expected)


@given(dags(max_size=7))
def test_the_clique_number_is_that_of_the_largest_complete_subset(graph):
    def complete(vertices):
        return all(graph.has_edge(a, b) or graph.has_edge(b, a) for a, b in combinations(vertices, 2))

    assert properties.clique_number(graph) == max(len(s) for s in subsets(graph) if complete(s))


@given(dags())
def test_a_clique_number_is_at_most_the_treewidth_bound_plus_one(graph):
    if len(graph):
        assert properties.clique_number(graph) <= properties.treewidth_bound(graph) + 1


def test_the_treewidth_bound_does_not_depend_on_the_names():
    graph = nx.gnp_random_graph(60, 0.08, seed=1)
    bounds = {properties.treewidth_bound(nx.relabel_nodes(graph, lambda v, k=k: (k, str(v)))) for k in range(20)}
    assert len(bounds) == 1


@given(dags())
def test_boundaries_are_neighbours_in_the_moral_graph(graph):
    moral = nx.moral_graph(graph)
    boundaries = properties.markov_boundaries(graph)
    assert all(boundaries[x] == set(moral[x]) for x in graph)
    assert properties.max_boundary(graph) == max((len(b) for b in boundaries.values()), default=0)


@given(dags())
def test_v_structures_are_those_of_the_definition(graph):
    assert {(frozenset((a, b)), c) for a, c, b in properties.v_structures(graph)} == v_structures(graph)


@given(dags(max_size=10))
def test_dropping_edges_makes_a_graph_diamond_free(graph):
    assert properties.is_diamond_free(diamond_free(graph))


def test_the_summary_of_a_diamond():
    assert properties.summary(DIAMOND) == {
        "variables": 4,
        "edges": 5,
        "clique_number": 3,
        "max_in_degree": 3,
        "max_degree": 3,
        "max_boundary": 3,
        "diamond_free": False,
        "treewidth_bound": 2,
    }


def test_properties_are_fast_on_thousands_of_nodes():
    graph = nx.gn_graph(3000, seed=1).reverse()
    summary = properties.summary(graph)
    assert (summary["variables"], summary["clique_number"], summary["treewidth_bound"]) == (3000, 2, 1)

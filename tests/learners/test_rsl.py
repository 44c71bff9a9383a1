"""With the oracle, every result is exact: skeleton, separating sets, essential graph. All variants, all assumptions."""

from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.graphs import properties
from tests.graphs_for_tests import (
    Recorded,
    d_separated,
    dags,
    diamond_free,
    edge_set,
    essential_graph_by_definition,
    small_dags,
)

VARIANTS = ["robust", "paper", "published"]


def assert_exact(net, graph):
    edges = edge_set(graph)
    assert edge_set(net.skeleton) == edges
    for x, y in combinations(graph, 2):
        pair = frozenset((x, y))
        if pair in edges:
            assert pair not in net.separating_sets
        else:
            assert d_separated(graph, x, y, net.separating_sets[pair])
    assert_same_class(net, graph)


def assert_same_class(net, graph):
    """Same skeleton and v-structures, so same essential graph; and a DAG of the class."""
    from sidelight.graphs.dag import Dag
    from sidelight.orientation import essential_graph

    truth, dag = Dag.from_networkx(graph), net.to_dag()
    essential = essential_graph(truth)
    assert net.directed_edges == [(truth.names[a], truth.names[b]) for a, b in essential.directed_edges()]
    assert net.undirected_edges == [(truth.names[a], truth.names[b]) for a, b in essential.undirected_edges()]
    assert properties.v_structures(dag) == properties.v_structures(graph)
    assert edge_set(dag) == edge_set(graph)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_dag_of_up_to_four_variables_is_learned_exactly(variant):
    for graph in small_dags():
        m = max(1, properties.clique_number(graph))
        sides = [None, sl.CliqueNumber(m), *[sl.DiamondFree()] * properties.is_diamond_free(graph)]
        for side in sides:
            assert_exact(sl.learn(sl.DSeparation(graph), side, variant=variant), graph)


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=50)
@given(graph=dags(min_size=5, max_size=9), slack=st.integers(0, 2))
def test_a_true_clique_bound_gives_the_true_structure(variant, graph, slack):
    m = max(1, properties.clique_number(graph)) + slack
    net = sl.learn(sl.DSeparation(graph), sl.CliqueNumber(m), variant=variant)
    assert_exact(net, graph)
    assert net.certificate.status == "consistent"
    assert net.warnings == ()


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=50)
@given(graph=dags(min_size=5, max_size=10))
def test_a_diamond_free_graph_is_learned_exactly(variant, graph):
    graph = diamond_free(graph)
    net = sl.learn(sl.DSeparation(graph), sl.DiamondFree(), variant=variant)
    assert_exact(net, graph)
    assert net.certificate.status == "cannot be checked"
    assert net.warnings == ()


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=50)
@given(graph=dags(min_size=5, max_size=8))
def test_without_side_information_the_structure_is_exact_and_the_bound_consistent(variant, graph):
    net = sl.learn(sl.DSeparation(graph), variant=variant)
    assert_exact(net, graph)
    assert net.certificate.status == "consistent"


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=50)
@given(graph=dags(min_size=4, max_size=9))
def test_a_false_assumption_of_diamond_freeness_never_costs_an_edge(variant, graph):
    net = sl.learn(sl.DSeparation(graph), sl.DiamondFree(), variant=variant)
    assert edge_set(net.skeleton) >= edge_set(graph)
    assert nx.is_directed_acyclic_graph(net.to_dag())


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=60)
@given(graph=dags(max_size=8), m=st.integers(1, 4))
def test_exactly_the_bounds_that_are_too_low_are_violated(variant, graph, m):
    net = sl.learn(sl.DSeparation(graph), sl.CliqueNumber(m), variant=variant)
    assert edge_set(net.skeleton) >= edge_set(graph)
    kept = properties.clique_number(graph) <= m
    assert net.certificate.status == ("consistent" if kept else "violated")


@settings(max_examples=50)
@given(graph=dags(max_size=7))
def test_other_assumptions_are_bounds_on_the_clique_number(graph):
    oracle = sl.DSeparation(graph)
    for side in (
        sl.Treewidth(properties.treewidth_bound(graph)),
        sl.MaxInDegree(properties.max_in_degree(graph)),
        sl.VertexCover(len(nx.approximation.min_weighted_vertex_cover(graph.to_undirected()))),
    ):
        net = sl.learn(oracle, side)
        assert_exact(net, graph)
        assert net.n_tests == sl.learn(oracle, sl.CliqueNumber(side.clique_bound)).n_tests


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=40)
@given(graph=dags(max_size=7))
def test_batch_answers_change_neither_result_nor_counts(variant, graph):
    one_by_one = Recorded(graph)
    slow = sl.learn(one_by_one, sl.CliqueNumber(3), variant=variant)
    fast = sl.learn(sl.DSeparation(graph), sl.CliqueNumber(3), variant=variant)
    assert slow.tests_by_size == fast.tests_by_size
    assert len(one_by_one.questions) == slow.n_tests + slow.boundary_tests
    assert (slow.directed_edges, slow.undirected_edges) == (fast.directed_edges, fast.undirected_edges)
    assert dict(slow.separating_sets) == dict(fast.separating_sets)


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=50)
@given(graph=dags(max_size=8), data=st.data())
def test_relabelled_columns_give_the_same_graph(variant, graph, data):
    shuffled = nx.DiGraph()
    shuffled.add_nodes_from(data.draw(st.permutations(list(graph))))
    shuffled.add_edges_from(graph.edges)
    m = sl.CliqueNumber(max(1, properties.clique_number(graph)))
    one, other = (sl.learn(sl.DSeparation(g), m, variant=variant) for g in (graph, shuffled))
    assert set(one.directed_edges) == set(other.directed_edges)
    assert set(map(frozenset, one.undirected_edges)) == set(map(frozenset, other.undirected_edges))


@settings(max_examples=50)
@given(graph=dags(max_size=8))
def test_given_boundaries_save_finding_them(graph):
    boundaries = properties.markov_boundaries(graph)
    given_them = sl.learn(sl.DSeparation(graph), boundaries=boundaries)
    found_them = sl.learn(sl.DSeparation(graph))
    assert given_them.boundary_tests == 0
    assert found_them.boundary_tests == len(graph) * (len(graph) - 1) // 2
    assert given_them.boundaries == found_them.boundaries == boundaries
    assert given_them.directed_edges == found_them.directed_edges
    assert given_them.n_tests == found_them.n_tests


@settings(max_examples=60)
@given(graph=dags(max_size=5))
def test_the_essential_graph_is_that_of_the_definition(graph):
    if graph.number_of_edges() <= 8:
        net = sl.learn(sl.DSeparation(graph))
        directed, undirected = essential_graph_by_definition(graph)
        assert set(net.directed_edges) == directed
        assert set(map(frozenset, net.undirected_edges)) == undirected


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("side", [None, sl.DiamondFree(), sl.CliqueNumber(1), sl.CliqueNumber(5)])
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_no_edges_and_few_variables(variant, side, n):
    graph = nx.empty_graph(n, create_using=nx.DiGraph)
    net = sl.learn(sl.DSeparation(graph), side, variant=variant)
    assert net.n_tests == 0
    assert list(net.skeleton.nodes) == list(graph)
    assert net.skeleton.number_of_edges() == 0
    assert len(net.separating_sets) == n * (n - 1) // 2


def test_a_chain_of_thousands_needs_no_recursion():
    graph = nx.path_graph(3000, create_using=nx.DiGraph)
    net = sl.learn(sl.DSeparation(graph), sl.DiamondFree(), variant="paper")
    assert edge_set(net.skeleton) == edge_set(graph)
    assert net.directed_edges == []


def collider(parents):
    """One child of many parents, the child first: as many pairs of co-parents as there can be."""
    graph = nx.DiGraph()
    graph.add_nodes_from(["child", *range(parents)])
    graph.add_edges_from((p, "child") for p in range(parents))
    return graph


@pytest.mark.parametrize(
    "graph",
    [nx.path_graph(400, create_using=nx.DiGraph), collider(60), nx.DiGraph((0, leaf) for leaf in range(1, 400))],
    ids=["chain", "collider", "star"],
)
def test_memory_of_separating_sets_grows_with_the_boundaries(graph):
    net = sl.learn(sl.DSeparation(graph), sl.DiamondFree(), variant="paper")
    sets = net.separating_sets
    n = len(graph)
    kept = sum(len(b) + 1 for b in sets._boundary.values()) + sum(len(s) + 1 for s in sets._left_out.values())
    assert len(sets) == n * (n - 1) // 2 - graph.number_of_edges()
    assert kept <= n + 2 * sum(len(b) for b in net.boundaries.values())


@settings(max_examples=50)
@given(graph=dags(max_size=8), side=st.sampled_from([sl.DiamondFree(), sl.CliqueNumber(2), sl.CliqueNumber(3)]))
def test_pairs_lacking_a_variable_are_found_as_by_looking_at_every_pair(graph, side):
    net = sl.learn(sl.DSeparation(graph), side)
    sets, index = net.separating_sets, list(net.names)
    for c in range(len(graph)):
        around = sorted(net.by_position.dag.neighbours[c])
        expected = {
            (a, b)
            for a, b in combinations(around, 2)
            if b not in net.by_position.dag.neighbours[a] and index[c] not in sets[frozenset((index[a], index[b]))]
        }
        assert set(sets.lacking(c)) == expected

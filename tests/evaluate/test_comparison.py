from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.evaluate.comparison import class_distance, compare_skeletons
from sidelight.simulation.random_graphs import erdos_renyi
from tests.graphs_for_tests import d_separated, dags, dags_over_the_skeleton, graph_in_order


def test_skeletons_are_compared_without_directions():
    found = compare_skeletons(nx.Graph([("a", "b"), ("c", "d")]), nx.DiGraph([("b", "a"), ("b", "c")]))
    assert (found.found, found.missing, found.extra, found.shd) == (1, 1, 1, 2)
    assert (found.precision, found.recall, found.f1) == (0.5, 0.5, 0.5)


def test_nothing_learned_of_nothing_is_perfect():
    assert compare_skeletons(nx.Graph(), nx.Graph()).f1 == 1.0


@pytest.mark.parametrize(
    ("learned", "distance"),
    [
        ([("a", "c"), ("b", "c")], 0),
        ([("a", "c"), ("c", "a"), ("b", "c")], 1),  # undirected instead of directed
        ([("c", "a"), ("b", "c")], 1),  # reversed
        ([("b", "c")], 1),  # missing
        ([("a", "c"), ("b", "c"), ("a", "b")], 1),  # extra
    ],
)
def test_each_pair_that_differs_counts_once(learned, distance):
    assert class_distance(nx.DiGraph(learned), nx.DiGraph([("a", "c"), ("b", "c")])) == distance


@given(dags(max_size=7))
def test_the_learned_class_of_an_oracle_is_at_distance_0(graph):
    net = sl.learn(sl.DSeparation(graph))
    assert class_distance(net.to_networkx(), sl.essential_graph(graph)) == 0


@given(dags(max_size=7))
def test_a_network_learned_from_the_oracle_is_perfect_in_every_respect(graph):
    found = sl.compare(sl.learn(sl.DSeparation(graph)), graph)
    assert found.same
    assert (found.skeleton.f1, found.directions.f1, found.separating_sets) == (1.0, 1.0, 1.0)
    assert found.missing_edges == found.extra_edges == ()


def effects_told_wrongly(learned, truth, seed=0):
    """The definition, in a linear model with coefficients in general position: is the coefficient of the cause, with
    the learned parents in the regression, its total effect in the truth?
    """
    order, n = list(truth), len(truth)
    rng = np.random.default_rng(seed)
    weights = np.zeros((n, n))
    for a, b in truth.edges:
        weights[order.index(b), order.index(a)] = rng.uniform(0.5, 1.5) * rng.choice([-1, 1])
    total = np.linalg.inv(np.eye(n) - weights)
    covariance = total @ np.diag(rng.uniform(0.5, 1.5, n)) @ total.T
    wrong = 0
    for i, j in permutations(range(n), 2):
        given = [order.index(p) for p in learned.predecessors(order[i])]
        told = 0.0
        if j not in given:
            used = [i, *given]
            told = np.linalg.solve(covariance[np.ix_(used, used)], covariance[used, j])[0]
        wrong += abs(told - total[j, i]) > 1e-9
    return wrong


@given(dags(min_size=1, max_size=7), dags(min_size=1, max_size=7))
def test_sid_counts_the_effects_that_adjusting_for_learned_parents_tells_wrongly(learned, truth):
    learned.add_nodes_from(truth)
    truth.add_nodes_from(learned)
    expected = effects_told_wrongly(learned, truth)
    assert sl.compare(learned, truth).intervention_distance == (expected, expected)


@pytest.mark.parametrize("seed", range(20))
def test_sid_agrees_with_gadjid(seed):
    gadjid = pytest.importorskip("gadjid")
    rng = np.random.default_rng(seed)
    learned, truth = (erdos_renyi(40, 0.1, rng) for _ in range(2))
    matrices = [nx.to_numpy_array(g, nodelist=range(40), dtype=np.int8) for g in (truth, learned)]
    _, mistakes = gadjid.sid(*matrices, edge_direction="from row to column")
    assert sl.compare(learned, truth).intervention_distance == (mistakes, mistakes)


@settings(max_examples=50)
@given(dags(min_size=2, max_size=5), dags(min_size=2, max_size=5))
def test_the_sid_of_a_class_spans_those_of_its_dags(one, truth):
    one.add_nodes_from(truth)
    truth.add_nodes_from(one)
    learned = sl.essential_graph(one)
    distances = [sl.compare(dag, truth).intervention_distance[0] for dag in members_of_the_class(learned)]
    assert sl.compare(learned, truth).intervention_distance == (min(distances), max(distances))


def members_of_the_class(essential):
    """All DAGs with this essential graph."""
    directed = {(a, b) for a, b in essential.edges if not essential.has_edge(b, a)}
    for dag in dags_over_the_skeleton(essential):
        if directed <= set(dag.edges) and nx.utils.graphs_equal(sl.essential_graph(dag), essential):
            yield dag


def test_a_component_with_too_many_orientations_is_bounded_by_its_parent_sets(monkeypatch):
    clique = nx.DiGraph(list(combinations(range(4), 2)))
    learned = sl.essential_graph(clique)
    exact = sl.compare(learned, clique).intervention_distance
    monkeypatch.setattr("sidelight.evaluate.intervention_distance.MOST_ORIENTATIONS", 3)
    low, high = sl.compare(learned, clique).intervention_distance
    assert low <= exact[0] <= exact[1] <= high


@given(dags(min_size=1, max_size=7), st.data())
def test_one_walk_tells_what_depends_on_a_variable(graph, data):
    given = data.draw(st.sets(st.sampled_from(sorted(graph))))
    x = data.draw(st.sampled_from(sorted(graph)))
    oracle = sl.DSeparation(graph)
    index = {name: i for i, name in enumerate(graph)}
    connected = oracle.connected(index[x], [index[z] for z in given - {x}])
    for y in set(graph) - given - {x}:
        assert connected[index[y]] == (not d_separated(graph, x, y, given - {x}))


def test_separating_sets_that_do_not_separate_count_against_the_network():
    truth = nx.DiGraph([("a", "b"), ("b", "c"), ("a", "c")])
    wrong = sl.learn(sl.DSeparation(graph_in_order("abc", [("a", "b"), ("b", "c")])))
    found = sl.compare(wrong, truth)
    assert found.separating_sets == 0.0
    assert found.missing_edges == (("a", "c"),)


def test_graphs_over_different_names_are_refused_by_name():
    with pytest.raises(sl.InputError, match=r"learned graph does not have 'z'"):
        sl.compare(nx.DiGraph([("a", "b")]), nx.DiGraph([("a", "b"), ("b", "z")]))
    with pytest.raises(sl.InputError, match=r"truth does not have 'b'"):
        sl.compare(nx.DiGraph([("a", "b")]), graph_in_order("a", []))


def test_without_a_true_dag_interventions_are_not_compared():
    truth = nx.DiGraph([("a", "b"), ("b", "a")])
    found = sl.compare(nx.DiGraph([("a", "b")]), truth)
    assert found.same
    assert found.intervention_distance is None


@pytest.mark.parametrize("figure", ["F1 1.000", "SHD 0", "SID", "ALSS"])
def test_the_comparison_in_words_names_its_figures(figure):
    dag = nx.DiGraph([("a", "c"), ("b", "c")])
    assert figure in str(sl.compare(sl.learn(sl.DSeparation(dag)), dag))


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")], "belongs to no DAG"),  # undirected: four in a ring
        ([("a", "a")], "'a' has an edge to itself"),
    ],
)
def test_a_graph_that_stands_for_no_dag_is_refused(edges, message):
    both_ways = nx.DiGraph([*edges, *(edge[::-1] for edge in edges)])
    with pytest.raises(sl.InputError, match=message):
        sl.compare(both_ways, both_ways)


def test_a_directed_cycle_is_refused_also_beside_undirected_edges():
    graph = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "c")])
    with pytest.raises(sl.InputError, match="belongs to no DAG"):
        sl.compare(graph, graph)


def test_arrows_that_follow_from_others_need_not_be_drawn():
    drawn = nx.DiGraph([("a", "c"), ("b", "c"), ("c", "d"), ("d", "c")])
    truth = nx.DiGraph([("a", "c"), ("b", "c"), ("c", "d")])
    found = sl.compare(drawn, truth)
    assert found.same
    assert found.intervention_distance == (0, 0)


def test_the_sid_of_large_components_is_bounded_in_little_time():
    chain = nx.DiGraph((i, i + 1) for i in range(100))
    low, high = sl.compare(sl.essential_graph(chain), chain).intervention_distance
    assert low == 0 < high
    clique = nx.DiGraph(combinations(range(12), 2))  # 12! orientations
    low, high = sl.compare(sl.essential_graph(clique), clique).intervention_distance
    assert low == 0 < high

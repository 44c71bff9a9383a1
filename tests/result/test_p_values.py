"""The p-values told about a network are the test's own, of questions that decided on the edge."""

import copy
import pickle
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.examples import example
from sidelight.learners.task import Step
from sidelight.result.by_position import MOST_SETS, EdgeTests
from sidelight.simulation import random_graphs
from sidelight.simulation.gaussian import linear_gaussian
from tests.graphs_for_tests import Recorded, dags

LEARNERS = ["rsl", "marvel", "pc", "pc-stable", "gs", "mmpc"]


def gaussian(n=12, rows=150, seed=0):
    rng = np.random.default_rng(seed)
    graph = random_graphs.erdos_renyi(n, 0.3, rng)
    return linear_gaussian(graph, rows, rng)[1]


def positions(net, names):
    return [net.names.index(name) for name in names]


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_evidence_of_an_edge_is_what_the_test_answers_one_by_one(learner):
    values = gaussian()
    net = sl.learn(values, learner=learner)
    test = sl.FisherZ(sl.Correlation(np.corrcoef(values.T), len(values)))
    assert len(net.edge_evidence) == net.skeleton.number_of_edges() > 5
    for pair, evidence in net.edge_evidence.items():
        x, y = positions(net, sorted(pair))
        sets = net.by_position.edge_tests.about(x, y).sets
        one_by_one = [test.p_value(x, y, given) for given in sets]
        assert evidence.weakest_p == pytest.approx(max(one_by_one), rel=1e-6)
        assert evidence.weakest_p == pytest.approx(test.p_value(x, y, positions(net, evidence.weakest_given)), rel=1e-6)
        rest = positions(net, evidence.boundary_given)
        assert evidence.boundary_p == pytest.approx(test.p_value(x, y, rest), rel=1e-6)
        assert evidence.n_tests == len(sets) == len(set(sets))
        assert evidence.boundary_effect == pytest.approx(correlation_of_residuals(values, x, y, rest), abs=1e-9)


def correlation_of_residuals(values, x, y, given):
    regressors = np.column_stack([np.ones(len(values)), values[:, given]])
    residuals = values[:, [x, y]] - regressors @ np.linalg.lstsq(regressors, values[:, [x, y]], rcond=None)[0]
    return np.corrcoef(residuals.T)[0, 1]


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_p_value_of_a_missing_edge_is_that_given_its_separating_set(learner):
    values = gaussian()
    test = sl.FisherZ(sl.Correlation(np.corrcoef(values.T), len(values)))
    one_by_one, at_once = (sl.learn(values, learner=learner).missing_p_values for _ in range(2))
    net = sl.learn(values, learner=learner)
    all_of_them = dict(at_once.items())
    assert set(all_of_them) == set(net.separating_sets)
    for pair, p in all_of_them.items():
        x, y = sorted(pair)
        assert p == pytest.approx(test.p_value(x, y, sorted(net.separating_sets[pair])), rel=1e-6)
        assert p == pytest.approx(one_by_one[pair], rel=1e-9)


def test_pairs_that_are_joined_have_no_p_value_as_missing_edges_and_the_other_way_round():
    net = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b"), ("b", "c")])))
    assert frozenset("ab") not in net.missing_p_values
    assert frozenset("ac") not in net.edge_evidence
    assert net.missing_p_values[frozenset("ac")] == 1
    assert net.edge_evidence[frozenset("ab")].weakest_p == 0


@pytest.mark.parametrize("learner", ["rsl", "pc", "pc-stable"])
@settings(max_examples=25)
@given(graph=dags(min_size=2, max_size=7))
def test_the_questions_about_an_edge_were_asked_when_it_was_learned(learner, graph):
    test = Recorded(graph)
    net = sl.learn(test, learner=learner)
    for x, y in net.by_position.edge_tests.edges():
        for conditions in net.by_position.edge_tests.about(x, y).sets:
            assert (frozenset((x, y)), frozenset(conditions)) in test.questions


@settings(max_examples=40)
@given(graph=dags(min_size=2, max_size=7), side=st.sampled_from([sl.DiamondFree(), sl.CliqueNumber(3)]))
def test_small_questions_count_where_edges_are_looked_at_twice(graph, side):
    test = Recorded(graph)
    test.loses_power = True
    net = sl.learn(test, side)
    for x, y in net.by_position.edge_tests.edges():
        about = net.by_position.edge_tests.about(x, y)
        assert () in about.sets
        assert all((frozenset((x, y)), frozenset(given)) in test.questions for given in about.sets)


@pytest.mark.parametrize("left_out", [0, 1, 5, 10, None])
def test_the_questions_about_one_edge_stay_few_and_say_what_they_are(left_out):
    names = tuple(range(40))
    adjacency = [set(range(1, 40)), *({0} for _ in range(39))]
    steps = (Step(0, names[1:], (1,), {}, left_out=left_out), *(Step(v, (), (), {}) for v in names[1:]))
    about = EdgeTests(names, adjacency, {}, steps, False).about(0, 1)
    assert 1 <= len(about.sets) <= MOST_SETS
    if isinstance(left_out, int):
        size = {0: 0, 1: 1, 5: 1, 10: 1}[left_out]
        assert {len(about.rest) - len(given) for given in about.sets} == {0, size}
        assert ("without any one of its members" in about.words) == (size > 0)


def test_a_costly_test_is_not_asked_again_unless_somebody_wants_to_know():
    test = Recorded(nx.DiGraph([("a", "b"), ("b", "c")]))
    net = sl.learn(test)
    asked = len(test.questions)
    assert not net.edge_evidence.is_quick
    assert not net.missing_p_values.is_quick
    assert '"edge_evidence"' not in sl.output.formats.to_json(net)
    assert len(test.questions) == asked
    assert net.explain("a", "c").as_dict()["p"] == 1
    assert len(test.questions) == asked + 1


def test_every_edge_and_every_missing_edge_has_its_evidence():
    net = sl.learn(gaussian())
    pairs = {frozenset(pair) for pair in combinations(net.names, 2)}
    assert set(net.edge_evidence) | set(net.missing_p_values) == pairs
    assert len(net.edge_evidence) + len(net.missing_p_values) == len(pairs)


def test_a_network_whose_test_cannot_be_pickled_is_pickled_with_what_was_asked():
    names = ["a", "b", "c"]
    net = sl.learn(sl.FunctionTest(lambda x, y, given, data: 0.0 if {x, y} == {"a", "b"} else 0.5, None, names))
    asked = net.missing_p_values[frozenset("ac")]
    again = pickle.loads(pickle.dumps(net))
    assert again == net
    assert again.missing_p_values == {frozenset("ac"): asked}
    assert again.edge_evidence == {}
    assert "were not kept" in str(again.explain("a", "b"))
    assert copy.deepcopy(net).edge_evidence[frozenset("ab")].weakest_p == 0


def test_a_pickled_network_still_asks_where_its_test_can_be_pickled():
    net = sl.learn(example("newborns"), sl.DiamondFree())
    again = pickle.loads(pickle.dumps(net))
    assert dict(again.missing_p_values) == dict(net.missing_p_values)
    assert dict(again.edge_evidence) == dict(net.edge_evidence)

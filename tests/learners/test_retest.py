"""The re-test of edges: it changes nothing with true answers, and corrects what thin strata do."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import sidelight as sl
from sidelight.graphs.separating_sets import Skeleton
from sidelight.interview import Interview
from sidelight.learners.rsl import retest_edges
from tests.graphs_for_tests import dags, edge_set


class LosesPower(sl.DSeparation):
    loses_power = True


@given(graph=dags(max_size=8))
def test_with_true_answers_nothing_changes(graph):
    net = sl.learn(LosesPower(graph))
    assert edge_set(net.skeleton) == edge_set(graph)
    assert dict(net.separating_sets) == dict(sl.learn(sl.DSeparation(graph)).separating_sets)


class Answers(sl.CITest):
    """Dependent but for what is listed: x, y and the set."""

    def __init__(self, size, *independent):
        self.names = range(size)
        self._independent = {(frozenset(pair), frozenset(given)) for *pair, given in independent}

    def p_value(self, x, y, given):
        return float((frozenset((x, y)), frozenset(given)) in self._independent)


def retested(size, edges, answers, explicit_sets=()):
    skeleton = Skeleton.without_edges(size)
    skeleton.removal_order.extend(range(size))
    skeleton.boundary_at_removal.update({x: frozenset(range(size)) - {x} for x in range(size)})
    for x, y in edges:
        skeleton.add_edge(x, y)
    skeleton.explicit_sets.update(explicit_sets)
    retest_edges(skeleton, Interview(Answers(size, *answers), 0.01))
    return skeleton


def test_an_edge_between_independent_variables_is_removed():
    skeleton = retested(3, [(0, 1), (1, 2)], [(0, 1, ())])
    assert skeleton.edges() == [(1, 2)]
    assert skeleton.explicit_sets == {(0, 1): frozenset()}


def test_an_edge_that_one_neighbour_explains_is_removed():
    skeleton = retested(3, [(0, 1), (1, 2), (0, 2)], [(0, 2, (1,))])
    assert skeleton.edges() == [(0, 1), (1, 2)]
    assert skeleton.explicit_sets == {(0, 2): frozenset({1})}


def test_nothing_is_concluded_from_variables_that_can_replace_each_other():
    """1 explains 2 to 0 as well as 2 explains 1: they may be copies."""
    edges = [(0, 1), (0, 2), (1, 2)]
    assert retested(3, edges, [(0, 2, (1,)), (0, 1, (2,))]).edges() == edges


def test_an_edge_missed_because_of_a_false_neighbour_is_tested_again():
    """0 — 1 was put for 0 — 2: given 1, 2 seemed independent of 0, but 2 explains 1 and not the other way round."""
    apart = {(0, 2): frozenset({1})}
    assert retested(3, [(0, 1), (1, 2)], [(0, 1, (2,))], apart).edges() == [(0, 2), (1, 2)]
    still = [(0, 1, (2,)), (0, 2, ())]
    assert retested(3, [(0, 1), (1, 2)], still, apart).edges() == [(1, 2)]


def test_an_edge_that_is_put_back_has_no_separating_set():
    apart = {(0, 2): frozenset({1})}
    assert (0, 2) not in retested(3, [(0, 1), (1, 2)], [(0, 1, (2,))], apart).explicit_sets
    skeleton = Skeleton.without_edges(3)
    skeleton.left_out[0, 1] = (2,)
    skeleton.add_edge(1, 0)
    assert skeleton.left_out == {}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_tests_that_the_counts_cannot_decide_are_reported(n_jobs):
    """Two copies but for one row: given one, the other is the same all over each stratum."""
    a = [0, 1] * 100
    frame = pd.DataFrame({"a": a, "b": [1 - a[0], *a[1:]], "c": [0, 0, 1, 1] * 50})
    test = sl.GSquare(np.array(frame, dtype=np.int8), [2, 2, 2], list(frame))
    net = sl.learn(test, boundaries="gs", n_jobs=n_jobs)
    assert test.n_undecided == sum(warning.kind == "undecided tests" for warning in net.warnings) == 0
    frame["d"] = a
    test = sl.GSquare(np.array(frame, dtype=np.int8), [2, 2, 2, 2], list(frame))
    net = sl.learn(test, boundaries="gs", n_jobs=n_jobs)
    assert "could not be decided" in net.certificate.sentence
    (warning,) = [w.text for w in net.warnings if w.kind == "undecided tests"]
    assert test.n_undecided > 0
    assert warning.startswith(f"{test.n_undecided} of ")
    assert isinstance(net.to_dag(), nx.DiGraph)


@pytest.mark.parametrize("options", [{"boundaries": "iamb"}, {"boundaries": "fast-iamb"}, {"learner": "mmpc"}])
@pytest.mark.parametrize("n_jobs", [1, 2, -2])
def test_each_undecided_test_is_counted_once(options, n_jobs):
    """Columns of one value: nothing can be decided."""
    test = sl.GSquare(np.zeros((50, 4), dtype=np.int8), [2] * 4, list("abcd"))
    given = {"boundaries": {a: set("abcd") - {a} for a in "abcd"}} if "learner" in options else {}
    net = sl.learn(test, n_jobs=n_jobs, **options, **given)
    assert test.n_undecided == net.n_tests + net.boundary_tests + net.check_tests > 0


def test_edges_are_retested_with_remembered_answers_too(tmp_path):
    codes = np.random.default_rng(0).integers(0, 2, (100, 3), dtype=np.int8)
    test = sl.ChiSquare(codes, [2, 2, 2], list("abc"))
    remembered = sl.Remembered(test, tmp_path / "answers.db")
    assert remembered.loses_power
    assert sl.learn(remembered).tests_by_phase == sl.learn(test).tests_by_phase

"""Through every boundary algorithm the oracle gives exactly the true boundaries."""

import numpy as np
import pytest
from hypothesis import given, settings

import sidelight as sl
from sidelight.boundaries import ALGORITHMS, one_block
from sidelight.graphs.dag import Dag
from sidelight.graphs.properties import markov_boundaries
from sidelight.interview import Interview
from sidelight.simulation import random_graphs
from sidelight.simulation.gaussian import linear_gaussian
from tests.graphs_for_tests import Recorded, dags


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=150)
@given(graph=dags(max_size=9))
def test_the_oracle_gives_the_true_boundaries(name, graph):
    found = ALGORITHMS[name](one_block(len(graph)), Interview(sl.DSeparation(graph), 0.01))
    assert found == Dag.from_networkx(graph).boundaries()


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=50)
@given(graph=dags(max_size=6))
def test_the_essential_graph_on_top_is_the_true_one(name, graph):
    net, truth = sl.learn(sl.DSeparation(graph), boundaries=name), sl.learn(sl.DSeparation(graph))
    assert net.boundaries == markov_boundaries(graph)
    assert net.directed_edges == truth.directed_edges


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_question_is_counted(name):
    graph = random_graphs.erdos_renyi(7, 0.4, np.random.default_rng(0))
    test = Recorded(graph)
    ask = Interview(test, 0.01)
    ALGORITHMS[name](one_block(len(graph)), ask)
    repeated = 1 if name in ("tc", "gs") else 2  # a choice and its check are one question, computed twice by default
    assert ask.n_tests <= len(test.questions) <= repeated * ask.n_tests


def test_iamb_finds_most_of_the_boundaries_with_fewer_rows_than_columns():
    rng = np.random.default_rng(4)
    graph = random_graphs.erdos_renyi(120, 1.5 / 120, rng)
    names, values = linear_gaussian(graph, 100, rng)
    net = sl.learn(values, sl.DiamondFree(), names=names)
    truth = markov_boundaries(graph)
    pairs = {frozenset((x, y)) for x, members in truth.items() for y in members}
    found = {frozenset((x, y)) for x, members in net.boundaries.items() for y in members}
    assert len(pairs & found) >= 0.7 * len(pairs)
    assert len(found - pairs) <= 0.2 * len(found)

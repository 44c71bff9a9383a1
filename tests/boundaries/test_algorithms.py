"""Through every boundary algorithm the oracle gives exactly the true boundaries."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.boundaries import ALGORITHMS, iamb, one_block
from sidelight.boundaries.growing import grow_some
from sidelight.graphs.dag import Dag
from sidelight.graphs.properties import markov_boundaries
from sidelight.interview import Interview
from sidelight.simulation import random_graphs
from sidelight.simulation.gaussian import linear_gaussian
from tests.graphs_for_tests import Recorded, dags


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=60)
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


class OneByOne(sl.FisherZ):
    """The same test without a way to grow a boundary at once."""

    def grown(self, x, members, pool, alpha):
        return None


def correlations(seed, n_columns, n_rows):
    """Of random columns of which some depend on others, one is a copy and one a sum."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((n_rows, n_columns)) @ (np.eye(n_columns) + rng.binomial(1, 0.2, (n_columns,) * 2))
    if n_columns > 4 and seed % 2:
        values[:, 3], values[:, 4] = values[:, 0], values[:, 1] - values[:, 2]
    found = np.corrcoef(values, rowvar=False)
    return sl.Correlation((found + found.T) / 2, n_rows)  # so that both ways read the same numbers


random_tables = {"seed": st.integers(0, 10_000), "n_columns": st.integers(2, 25), "n_rows": st.integers(3, 60)}


@settings(max_examples=60)
@given(**random_tables, alpha=st.sampled_from([0.001, 0.05, 0.4]), n_jobs=st.sampled_from([1, 2]))
def test_growing_at_once_finds_and_counts_what_growing_one_by_one_does(seed, n_columns, n_rows, alpha, n_jobs):
    found = correlations(seed, n_columns, n_rows)
    known, cut = {(0, n_columns - 1)} if seed % 3 else frozenset(), seed % n_columns
    blocks = [block for block in (range(cut), range(cut, n_columns)) if block]
    at_once, one_by_one = (Interview(test(found), alpha, adjacent=known) for test in (sl.FisherZ, OneByOne))
    assert iamb(blocks, at_once, n_jobs) == iamb(blocks, one_by_one)
    assert at_once.tests_by_size == one_by_one.tests_by_size
    assert at_once.tally().n_undecided == one_by_one.tally().n_undecided


@settings(max_examples=30)
@given(**random_tables)
def test_boundaries_found_anew_are_the_same_at_once_and_one_by_one(seed, n_columns, n_rows):
    found, rng = correlations(seed, n_columns, n_rows), np.random.default_rng(seed)
    start = {
        x: rng.permutation([y for y in range(n_columns) if y != x])[: x % 3].tolist() for x in range(0, n_columns, 2)
    }
    before, asked = [set() for _ in range(n_columns)], [Interview(test(found), 0.05) for test in (sl.FisherZ, OneByOne)]
    first, second = (grow_some(before, start, ask, one_block(n_columns)) for ask in asked)
    assert first == second
    assert asked[0].tests_by_size == asked[1].tests_by_size


@pytest.mark.parametrize("seed", range(5))
def test_what_grows_has_at_each_step_the_largest_partial_correlation_by_regression(seed):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((200, 12)) @ (np.eye(12) + rng.binomial(1, 0.2, (12, 12)))
    test = sl.FisherZ(sl.Correlation(np.corrcoef(values, rowvar=False), 200))
    members = test.grown(0, [], np.arange(12), 0.01).tolist()
    for size in range(min(len(members) + 1, 11)):
        design = np.column_stack([np.ones(200), values[:, members[:size]]])
        residuals = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
        others = [y for y in range(1, 12) if y not in members[:size]]
        strengths = {y: abs(np.corrcoef(residuals[:, 0], residuals[:, y])[0, 1]) for y in others}
        best = max(strengths, key=strengths.get)
        depends = not test.independent(0, best, members[:size], 0.01)
        assert [best] * depends == members[size : size + 1]

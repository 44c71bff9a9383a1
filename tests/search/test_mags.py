"""The search for a graph with ↔ that scores higher than the best DAG: it finds hidden causes, and ends at a MAG."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.graphs.ancestral import is_ancestral, is_maximal, m_separated, mag_of, separators
from sidelight.graphs.dag import Dag
from sidelight.orientation.pag import is_pag, pag_of
from sidelight.search.mags import _arrows, best_mag
from tests.orientation.test_pag import dags_with_hidden

ROWS = 20_000
FOUND = [  # edges, and what is hidden
    ([("a", "x"), ("u", "x"), ("u", "y"), ("b", "y"), ("y", "z")], "u"),
    ([("a", "x"), ("c", "x"), ("u", "x"), ("u", "y"), ("b", "y"), ("d", "y")], "u"),
    ([("a", "x"), ("u", "x"), ("u", "y"), ("b", "y"), ("v", "y"), ("v", "z"), ("c", "z")], "uv"),
    ([("a", "x"), ("c", "x"), ("x", "m"), ("m", "y"), ("u", "x"), ("u", "y")], "u"),  # a cause of y by way of m
    ([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")], ""),
]


def correlation_without_noise(graph, hidden, random):
    """What infinitely many rows of a linear model would show, as if it were of ``ROWS``."""
    dag = Dag.from_networkx(graph)
    weights = np.zeros((len(dag), len(dag)))
    for p, v in dag.edges():
        weights[v, p] = random.uniform(0.5, 0.9) * random.choice([-1, 1])
    effects = np.linalg.inv(np.eye(len(dag)) - weights)
    kept = [v for v, name in enumerate(dag.names) if name not in hidden]
    covariance = (effects @ effects.T)[np.ix_(kept, kept)]
    spread = np.sqrt(np.diag(covariance))
    return sl.Correlation(covariance / np.outer(spread, spread), ROWS, [dag.names[v] for v in kept])


@pytest.mark.parametrize(("edges", "hidden"), FOUND)
@pytest.mark.parametrize("seed", range(2))
def test_with_nothing_left_to_chance_the_pag_is_the_true_one(edges, hidden, seed):
    graph = nx.DiGraph(edges)
    correlation = correlation_without_noise(graph, hidden, np.random.default_rng(seed))
    net = sl.learn(correlation, hidden=True)
    dag = Dag.from_networkx(graph)
    assert net.by_position.marks == pag_of(mag_of(dag, [dag.names.index(v) for v in hidden])).graph


@given(st.integers(0, 10**6), st.integers(3, 7))
@settings(max_examples=15)
def test_the_result_is_a_mag_that_scores_no_less_and_the_pag_is_its_own(seed, n):
    random = np.random.default_rng(seed)
    values = random.normal(size=(60, 2 * n)) @ np.triu(random.normal(size=(2 * n, 2 * n)))
    correlation = sl.Correlation(np.corrcoef(values[:, ::2].T), 60)
    score = sl.FisherZ(correlation).score("auto", None)
    dag = sl.learn(correlation).by_position.dag
    found = best_mag(dag, score)
    assert is_ancestral(found.graph)
    assert is_maximal(found.graph)
    assert pag_of(found.graph).graph == found.pag.graph
    assert is_pag(found.pag.graph)
    assert found.score >= score.total(dag) - 1e-6


@given(dags_with_hidden(max_size=9, selection=False))
@settings(max_examples=60)
def test_each_separating_set_of_a_mag_separates(case):
    graph, hidden, _ = case
    dag = Dag.from_networkx(graph)
    mag = mag_of(dag, [dag.names.index(v) for v in hidden])
    skeleton = separators(mag)
    assert skeleton.adjacency == list(map(set, mag.neighbours))
    sets = skeleton.separating_sets(mag.names)
    for x, y in combinations(range(len(mag)), 2):
        if not mag.adjacent(x, y):
            assert m_separated(mag, x, y, sets.between(x, y))


@given(st.integers(0, 10**6))
@settings(max_examples=30)
def test_a_chordal_graph_is_directed_without_v_structures_from_any_two_neighbours(seed):
    graph = nx.random_tree(9, seed=seed) if hasattr(nx, "random_tree") else nx.random_labeled_tree(9, seed=seed)
    graph, _ = nx.complete_to_chordal_graph(nx.compose(graph, nx.gnp_random_graph(9, 0.25, seed=seed)))
    circles = [set(graph[v]) for v in range(9)]
    for first in [[0], *([x, 0] for x in circles[0])]:
        directed = nx.DiGraph(_arrows(circles, first))
        assert {frozenset(edge) for edge in directed.edges} == {frozenset(edge) for edge in graph.edges}
        dag = Dag.from_networkx(directed)
        assert dag.v_structures() == []
        assert dag.names[dag.topological_order()[0]] in first or len(first) == 1

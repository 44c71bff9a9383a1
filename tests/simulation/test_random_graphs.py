"""Random structures have the properties that they were asked to have."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.graphs.properties import clique_number, is_diamond_free, max_in_degree, treewidth_bound
from sidelight.simulation import random_graphs

seeds = st.integers(0, 10**6)


@given(n=st.integers(0, 25), m=st.integers(2, 5), density=st.floats(0, 1), seed=seeds)
def test_the_clique_number_is_kept(n, m, density, seed):
    graph = random_graphs.with_clique_number(n, m, density * max(0, n - 1), np.random.default_rng(seed))
    assert nx.is_directed_acyclic_graph(graph)
    assert list(graph) == list(range(n))
    assert n == 0 or clique_number(graph) <= m


@given(n=st.integers(0, 20), density=st.floats(0, 1), seed=seeds)
def test_there_are_no_diamonds(n, density, seed):
    graph = random_graphs.diamond_free(n, density * max(0, n - 1), np.random.default_rng(seed))
    assert nx.is_directed_acyclic_graph(graph)
    assert is_diamond_free(graph)


@given(n=st.integers(0, 9), t=st.integers(1, 4), limit=st.integers(1, 4), seed=seeds)
def test_treewidth_and_in_degree_are_kept(n, t, limit, seed):
    graph = random_graphs.with_treewidth(n, t, np.random.default_rng(seed), max_in_degree=limit)
    assert nx.is_directed_acyclic_graph(graph)
    assert n == 0 or max_in_degree(graph) <= min(t, limit)
    assert n == 0 or _treewidth(graph) <= t


def _treewidth(graph):
    """Exact for small graphs: the best elimination order, over sets of eliminated vertices."""
    skeleton = nx.Graph(graph)
    best = {frozenset(): 0}
    for _ in range(len(skeleton)):
        following = {}
        for gone, width in best.items():
            for v in set(skeleton) - gone:
                reached = set(nx.node_connected_component(skeleton.subgraph(gone | {v}), v))
                around = set(nx.node_boundary(skeleton, reached)) - gone
                key = gone | {v}
                following[key] = min(following.get(key, len(skeleton)), max(width, len(around)))
        best = following
    return min(best.values())


def test_thousands_of_variables():
    rng = np.random.default_rng(0)
    for graph in (
        random_graphs.with_clique_number(3000, 3, 6, rng),
        random_graphs.diamond_free(3000, 6, rng),
        random_graphs.with_treewidth(3000, 3, rng),
    ):
        assert len(graph) == 3000
        assert graph.number_of_edges() > 3000
    assert treewidth_bound(graph) <= 6


def test_the_same_seed_gives_the_same_graph():
    first, second = (random_graphs.diamond_free(50, 3, np.random.default_rng(7)) for _ in range(2))
    assert list(first.edges) == list(second.edges)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda rng: random_graphs.with_clique_number(5, 1, 2, rng), "the clique number m must be at least 2; got 1"),
        (
            lambda rng: random_graphs.diamond_free(5, 5, rng),
            "degree must be between 0 and 4 for 5 variables; got 5",
        ),
        (lambda rng: random_graphs.with_treewidth(5, 0, rng), "the treewidth t must be at least 1; got 0"),
    ],
)
def test_a_property_that_no_graph_has_is_refused(make, message):
    with pytest.raises(sl.InputError, match=message):
        make(np.random.default_rng(0))


@pytest.mark.parametrize("text", ["clique", "clique:x", "erdos-renyi:3", "tree"])
def test_words_for_random_structures_that_mean_nothing_are_refused(text):
    with pytest.raises(sl.InputError, match="must be one of erdos-renyi"):
        random_graphs.random_structure(text, 10, np.random.default_rng(0))


def test_words_for_random_structures_give_what_they_name():
    rng = np.random.default_rng(0)
    assert clique_number(random_graphs.random_structure("clique:3", 50, rng, degree=8)) <= 3
    assert is_diamond_free(random_graphs.random_structure("diamond-free", 50, rng, degree=6))
    assert max_in_degree(random_graphs.random_structure("treewidth:3", 50, rng, max_parents=2)) <= 2
    assert random_graphs.random_structure("erdos-renyi", 200, rng, exponent=0.5).number_of_edges() == pytest.approx(
        1407, rel=0.1
    )


def test_large_random_graphs_have_the_density_of_small_ones(monkeypatch):
    monkeypatch.setattr(random_graphs, "DENSE", 100)
    graph = random_graphs.erdos_renyi(600, 0.05, np.random.default_rng(0))
    assert nx.is_directed_acyclic_graph(graph)
    assert graph.number_of_edges() == pytest.approx(600 * 599 / 2 * 0.05, rel=0.05)

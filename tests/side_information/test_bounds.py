"""Bounds say of a graph whether it keeps them, and what a certificate may claim follows from that."""

from dataclasses import fields
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.graphs import properties
from sidelight.options import Options
from sidelight.side_information import BOUNDS, AllBounds, SideInformation, parse_side, side_in_words
from tests.graphs_for_tests import dags, dags_over_the_skeleton, v_structures
from tests.learners.test_hybrid import exact_correlation

TRIANGLE = nx.DiGraph([("a", "b"), ("a", "c"), ("b", "c")])
SQUARE = nx.DiGraph([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])


class Unchecked(SideInformation):
    """A bound of the user's own that says what may be left out, and nothing else."""

    def left_out(self, boundary_size):
        return 0, min(1, boundary_size - 1)

    def __str__(self):
        return "forest"


class Forest(Unchecked):
    def keeps(self, graph):
        return nx.is_forest(graph.to_undirected())


def treewidth_by_orders(graph):
    """The smallest largest degree at which vertices are taken out, by sets of vertices that are taken out first."""
    neighbours, widths = {v: set(graph.to_undirected()[v]) for v in graph}, {frozenset(): 0}

    def degree(first, v):
        reached, waiting = {v}, [v]
        for x in waiting:
            for y in neighbours[x] - reached:
                reached.add(y)
                if y in first:
                    waiting.append(y)
        return len(reached - first - {v})

    for size in range(1, len(graph) + 1):
        for members in map(frozenset, combinations(graph, size)):
            widths[members] = min(max(widths[members - {v}], degree(members - {v}, v)) for v in members)
    return widths[frozenset(graph)]


def smallest_cover(graph):
    covers = (c for size in range(len(graph) + 1) for c in combinations(graph, size))
    return next(len(cover) for cover in covers if all({a, b} & set(cover) for a, b in graph.edges))


@settings(max_examples=80, deadline=None)
@given(dags(max_size=8), st.integers(0, 7))
def test_treewidth_and_vertex_cover_are_decided_as_by_trying_everything(graph, number):
    assert properties.treewidth_at_most(graph, number) is (treewidth_by_orders(graph) <= number)
    assert properties.has_vertex_cover(graph, number) is (smallest_cover(graph) <= number)


def test_what_would_take_too_long_is_left_undecided():
    hard = nx.gnp_random_graph(120, 0.06, seed=0)
    assert None in [properties.treewidth_at_most(hard, t) for t in range(10, 30, 4)]
    assert None in [properties.has_vertex_cover(hard, k) for k in range(60, 100, 8)]


@settings(max_examples=60, deadline=None)
@given(dags(min_size=2, max_size=6))
def test_all_dags_of_a_class_have_the_same_largest_in_degree(graph):
    equivalent = [dag for dag in dags_over_the_skeleton(graph) if v_structures(dag) == v_structures(graph)]
    assert len({properties.max_in_degree(dag) for dag in equivalent}) <= 1


@pytest.mark.parametrize("bound", [sl.DiamondFree, *BOUNDS])
def test_a_bound_is_a_name_of_the_package_that_the_help_of_side_has(bound):
    meaning = next(field.metadata for field in fields(Options) if field.name == "side")
    assert getattr(sl, bound.__name__) is bound
    assert f"``{bound.__name__}(" in meaning["meaning"]
    assert bound.word in meaning["command"]


@settings(max_examples=60, deadline=None)
@given(dags(min_size=1, max_size=7), st.integers(1, 3))
def test_with_the_oracle_a_bound_is_consistent_exactly_when_the_true_graph_keeps_it(graph, number):
    for side in (bound(number) for bound in BOUNDS):
        net = sl.learn(sl.DSeparation(graph), side)
        assert net.certificate.status == ("consistent" if side.keeps(graph) else "violated"), side


@settings(max_examples=30, deadline=None)
@given(dags(min_size=3, max_size=7), st.integers(0, 10**6))
def test_what_score_based_search_returns_keeps_every_bound(graph, seed):
    correlation = exact_correlation(graph, np.random.default_rng(seed))
    for side in (*(bound(max(1, bound.smallest)) for bound in BOUNDS), Forest(), Forest() & sl.MaxInDegree(1)):
        net = sl.learn(correlation, side, alpha=1e-6)
        assert all(bound.keeps(net.to_dag()) for bound in net.settings.side.each())
        assert net.certificate.status != "cannot be checked"


@pytest.mark.parametrize("graph", [TRIANGLE, SQUARE], ids=["triangle", "square"])
def test_a_bound_that_cannot_be_checked_is_never_called_consistent(graph):
    correlation = exact_correlation(graph, np.random.default_rng(0))
    for source in (sl.DSeparation(graph), correlation):
        certificate = sl.learn(source, Unchecked(), alpha=1e-6).certificate
        assert certificate.status == "cannot be checked"
        assert "(forest) was not checked" in certificate.sentence
        assert "diamond" not in certificate.sentence


def test_a_bound_of_the_users_own_that_the_learned_graph_breaks_is_violated():
    certificate = sl.learn(sl.DSeparation(SQUARE), Forest()).certificate
    assert certificate.status == "violated"
    assert "breaks the assumption (forest)" in certificate.sentence
    tree = nx.DiGraph([("a", "b"), ("b", "c")])
    assert sl.learn(sl.DSeparation(tree), Forest()).certificate.status == "cannot be checked"  # it proves nothing


def test_a_bound_that_only_some_structures_could_keep_takes_out_nothing():
    """A property that fewer edges do not bring about cannot be kept by taking out edges."""

    class Connected(Unchecked):
        def keeps(self, graph):
            return nx.is_weakly_connected(graph)

    graph = nx.DiGraph([("a", "b"), ("c", "d")])
    net = sl.learn(exact_correlation(graph, np.random.default_rng(0)), Connected(), alpha=1e-6)
    assert len(net.skeleton.edges) == 2
    assert net.certificate.status == "violated"


def test_known_edges_that_no_cover_touches_contradict_the_bound():
    with pytest.raises(sl.InputError, match="a — b and c — d cannot all be edges"):
        sl.learn(sl.DSeparation(SQUARE), sl.VertexCover(1) & sl.Edge(("a", "b"), ("c", "d")))
    with pytest.raises(sl.InputError, match="cannot all be edges"):
        sl.learn(sl.DSeparation(SQUARE), sl.Treewidth(1) & sl.Edge(("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")))


@pytest.mark.parametrize("bound", [None, sl.DiamondFree(), *(kind(2) for kind in BOUNDS)], ids=str)
def test_the_words_of_a_bound_are_read_back(bound):
    assert parse_side(side_in_words(bound)) == bound


def test_a_bound_of_the_users_own_has_no_words():
    assert side_in_words(AllBounds((sl.DiamondFree(), Forest()))) is None

import networkx as nx
import pytest
from hypothesis import given

import sidelight as sl
from sidelight.compare import class_distance, compare_skeletons
from tests.graphs_for_tests import dags


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

"""The graph with marks: what it is made from, what it says, and that it is sparse."""

import pickle

import networkx as nx
import pytest
from hypothesis import given

from sidelight.errors import InputError
from sidelight.graphs.dag import Dag, PartialDag
from sidelight.graphs.marks import ARROW, CIRCLE, TAIL, Mark, MarkedEdge, MarkedGraph
from tests.graphs_for_tests import dags

ALL_KINDS = [
    (0, 1, TAIL, ARROW),
    (1, 2, ARROW, ARROW),
    (2, 3, CIRCLE, ARROW),
    (3, 4, CIRCLE, CIRCLE),
    (0, 4, TAIL, TAIL),
]


@given(dags())
def test_a_dag_and_its_graph_with_marks_are_the_same(graph):
    dag = Dag.from_networkx(graph)
    marked = MarkedGraph.of_dag(dag)
    assert marked.to_dag() == dag
    assert marked.parents == dag.parents
    assert marked.children == dag.children
    assert marked.neighbours == dag.neighbours
    assert marked.n_edges == len(dag.edges())


def test_directed_and_undirected_edges_come_back():
    graph = PartialDag.from_skeleton(4, [(0, 1), (1, 2), (2, 3)])
    graph.orient(1, 0)
    marked = MarkedGraph.of_partial("abcd", graph)
    assert marked.to_partial() == graph
    assert list(marked.edges()) == [(0, 1, ARROW, TAIL), (1, 2, TAIL, TAIL), (2, 3, TAIL, TAIL)]
    assert marked.undirected == ({*()}, {2}, {1, 3}, {2})


def test_each_mark_stands_at_the_end_that_was_asked_for():
    graph = MarkedGraph.of_edges("abcde", ALL_KINDS)
    assert graph.mark(0, 1) is Mark.ARROW
    assert graph.mark(1, 0) is Mark.TAIL
    assert graph.mark(2, 3) is Mark.ARROW
    assert graph.mark(3, 2) is Mark.CIRCLE
    assert graph.mark(0, 2) is None
    assert graph.adjacent(4, 0)
    assert not graph.adjacent(4, 1)
    assert graph.edge(3, 2) == graph.edge(2, 3).reversed() == (3, 2, ARROW, CIRCLE)
    assert str(graph.mark(3, 2)) == "circle"


def test_each_kind_of_edge_has_its_neighbours():
    graph = MarkedGraph.of_edges("abcde", ALL_KINDS)
    assert graph.parents[1] == {0}
    assert graph.children[0] == {1}
    assert graph.spouses == (set(), {2}, {1}, set(), set())
    assert graph.undirected == ({4}, set(), set(), set(), {0})
    assert graph.circles == (set(), set(), set(), {4}, {3})
    assert graph.joined(CIRCLE, ARROW)[2] == {3}
    assert graph.neighbours[3] == {2, 4}


def test_edges_do_not_depend_on_the_order_in_which_they_were_given():
    turned = [MarkedEdge(*edge).reversed() for edge in reversed(ALL_KINDS)]
    first, second = (MarkedGraph.of_edges("abcde", edges) for edges in (ALL_KINDS, turned))
    assert first == second
    assert hash(first) == hash(second)
    assert list(first.edges()) == list(second.edges()) == sorted(first.edges())
    assert pickle.loads(pickle.dumps(first)) == first


@pytest.mark.parametrize(
    ("marks", "symbol"),
    [
        ((TAIL, ARROW), "→"),
        ((ARROW, TAIL), "←"),
        ((ARROW, ARROW), "↔"),
        ((TAIL, TAIL), "—"),
        ((CIRCLE, ARROW), "○→"),
        ((ARROW, CIRCLE), "←○"),
        ((CIRCLE, CIRCLE), "○—○"),
        ((TAIL, CIRCLE), "—○"),
        ((CIRCLE, TAIL), "○—"),
    ],
)
def test_every_edge_has_a_symbol(marks, symbol):
    assert MarkedEdge(0, 1, *marks).symbol == symbol


@pytest.mark.parametrize(
    "edges", [[(0, 0, TAIL, ARROW)], [(0, 1, TAIL, ARROW), (1, 0, TAIL, ARROW)], [(0, 5, TAIL, TAIL)]]
)
def test_an_edge_joins_two_different_variables_once(edges):
    with pytest.raises(InputError, match="only once"):
        MarkedGraph.of_edges("abc", edges)


def test_a_graph_with_other_edges_is_no_dag_and_has_no_directed_and_undirected_edges_alone():
    graph = MarkedGraph.of_edges("ab", [(0, 1, ARROW, ARROW)])
    with pytest.raises(InputError, match="a ↔ b"):
        graph.to_dag()
    with pytest.raises(InputError, match="a ↔ b"):
        graph.to_partial()


def test_ten_thousand_columns_take_memory_for_their_edges_alone():
    dag = Dag.from_networkx(nx.DiGraph((v, v + 1) for v in range(9_999)))
    graph = MarkedGraph.of_dag(dag)
    assert graph.n_edges == 9_999
    assert sum(map(len, graph.ends)) == 2 * 9_999

"""Statements about causes, and visible edges, against all members of a class."""

import networkx as nx
import pytest

from sidelight.graphs.ancestral import mag_of, reached
from sidelight.graphs.dag import Dag
from sidelight.graphs.marks import MarkedGraph
from sidelight.orientation.ancestry import arrows_path, is_visible, possible_path, two_ways, with_circles
from sidelight.orientation.essential import essential_graph
from sidelight.orientation.pag import pag_of
from tests.graphs_for_tests import dags_over_the_skeleton, small_dags, v_structures
from tests.orientation.test_pag import classes, pag_by_definition


def answer(graph, a, b):
    if arrows_path(graph, a, b) is not None or two_ways(graph, a, b) is not None:
        return "yes"
    return "no" if possible_path(graph, a, b) is None else "possibly"


def truth(members, a, b):
    found = {b in reached(member.children, [a]) for member in members}
    return "possibly" if len(found) == 2 else "yes" if found.pop() else "no"


def test_who_causes_whom_is_what_all_some_or_no_members_of_a_class_say():
    for members in classes(4, False).values():
        pag = pag_by_definition(members)
        for a in range(4):
            for b in range(4):
                if a != b:
                    assert answer(pag, a, b) == truth(members, a, b), list(pag.edges())


def test_the_same_holds_for_essential_graphs():
    for graph in small_dags():
        dag = Dag.from_networkx(graph)
        drawn = with_circles(MarkedGraph.of_partial(dag.names, essential_graph(dag)))
        same = (
            [g for g in dags_over_the_skeleton(graph) if v_structures(g) == v_structures(graph)] if graph.edges else []
        )
        members = [MarkedGraph.of_dag(Dag.from_networkx(g)) for g in same]
        for a in range(len(dag) if members else 0):
            for b in range(len(dag)):
                if a != b:
                    assert answer(drawn, a, b) == truth(members, a, b)


@pytest.mark.parametrize(
    ("edges", "hidden", "expected"),
    [
        ([("c", "a"), ("d", "a"), ("a", "b")], [], True),
        ([("a", "b")], [], False),
        ([("u", "a"), ("u", "b"), ("a", "b")], ["u"], False),
        # c → d ↔ a, d → b: a path of colliders to a, all of them causes of b.
        ([("c", "d"), ("u", "d"), ("u", "a"), ("d", "b"), ("a", "b"), ("e", "a")], ["u"], True),
    ],
)
def test_visible_edges_are_those_that_exclude_a_hidden_cause_of_both(edges, hidden, expected):
    dag = Dag.from_networkx(nx.DiGraph(edges))
    mag = mag_of(dag, [dag.names.index(v) for v in hidden])
    a, b = mag.names.index("a"), mag.names.index("b")
    assert is_visible(mag, a, b) == expected
    pag = pag_of(mag).graph
    assert not (pag.parents[b] >= {a} and is_visible(pag, a, b) and not expected)

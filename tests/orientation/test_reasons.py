"""Every arrow of an essential graph is derived from v-structures, and an edge without direction has either."""

import networkx as nx
from hypothesis import given, settings

from sidelight.graphs.dag import Dag
from sidelight.orientation import essential_graph
from sidelight.orientation.essential import one_dag
from sidelight.orientation.meek import close_under_meek_rules
from sidelight.orientation.reasons import consequences, derivation, reasons
from tests.graphs_for_tests import dags, graph_in_order, v_structures


@settings(max_examples=150)
@given(dags(min_size=1))
def test_exactly_the_directed_edges_have_reasons(graph):
    dag = Dag.from_networkx(graph)
    assert sorted(reasons(dag)) == essential_graph(dag).directed_edges()


@settings(max_examples=150)
@given(dags(min_size=3))
def test_every_derivation_starts_from_v_structures_and_each_step_from_earlier_ones(graph):
    dag = Dag.from_networkx(graph)
    known = reasons(dag)
    true = set(dag.v_structures())
    for arrow in known:
        steps = derivation(arrow, known)
        assert steps[-1].arrow == arrow
        assert steps[0].v_structures
        for i, step in enumerate(steps):
            assert set(step.v_structures) <= true
            assert {step.arrow for step in steps[:i]} >= set(step.premises)
            assert bool(step.v_structures) != bool(step.rule)
            assert is_an_instance(step, dag)


def is_an_instance(step, dag):
    """The rule says what it says of the true DAG: its arrows are there, and what should not be adjacent is not."""
    (_, b), edges = step.arrow, set(dag.edges())
    c, d = (*step.others, 0, 0)[:2]
    apart = {0: None, 1: (c, b), 2: None, 3: (c, d), 4: (c, b)}[step.rule]
    return {step.arrow, *step.premises} <= edges and (apart is None or apart[1] not in dag.neighbours[apart[0]])


@settings(max_examples=200)
@given(dags(min_size=2, max_size=7))
def test_an_undirected_edge_has_either_direction_in_a_dag_of_the_class(graph):
    dag = Dag.from_networkx(graph)
    essential, wanted = essential_graph(dag), v_structures(graph)
    for a, b in essential.undirected_edges():
        for tail, head in ((a, b), (b, a)):
            follows, witness = set(consequences(essential, tail, head)), one_dag(essential, tail, head)
            other = dag.to_networkx()
            other.remove_edges_from([(dag.names[v], dag.names[u]) for u, v in witness])
            other.add_edges_from((dag.names[u], dag.names[v]) for u, v in witness)
            assert other.number_of_edges() == graph.number_of_edges()
            assert nx.is_directed_acyclic_graph(other)
            assert v_structures(other) == wanted
            assert {(tail, head), *follows} <= set(witness)
            closed = essential.copy()
            closed.orient(tail, head)
            close_under_meek_rules(closed)
            assert follows == set(closed.directed_edges()) - set(essential.directed_edges()) - {(tail, head)}


def test_meek_s_first_two_rules_tell_their_premises():
    names = ["a", "b", "c", "d", "e"]
    dag = Dag.from_networkx(
        graph_in_order(names, [("a", "c"), ("b", "c"), ("c", "d"), ("a", "d"), ("b", "e"), ("c", "e")])
    )
    known = reasons(dag)
    assert known[0, 2].v_structures == ((0, 2, 1),)
    assert (known[2, 3].rule, known[2, 3].others) == (1, (1,))
    assert (known[0, 3].rule, known[0, 3].premises) == (2, ((0, 2), (2, 3)))
    assert [step.arrow for step in derivation((0, 3), known)] == [(0, 2), (1, 2), (2, 3), (0, 3)]

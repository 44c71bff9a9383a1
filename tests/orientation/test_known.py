"""Directions with knowledge: exactly those on which all DAGs of the class agree that the knowledge allows."""

from itertools import combinations, product

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.graphs.dag import Dag
from sidelight.knowledge import Known, constraints_of
from sidelight.orientation.essential import essential_graph, member
from sidelight.orientation.known import agrees
from tests.graphs_for_tests import dags


def members_of_class(graph):
    """All DAGs with the skeleton and the v-structures of a DAG."""
    dag, edges = Dag.from_networkx(graph), [tuple(edge) for edge in graph.to_undirected().edges]
    for turned in product((False, True), repeat=len(edges)):
        other = nx.DiGraph([(b, a) if turn else (a, b) for (a, b), turn in zip(edges, turned, strict=True)])
        other.add_nodes_from(graph)
        ordered = nx.DiGraph()
        ordered.add_nodes_from(graph)
        ordered.add_edges_from(other.edges)
        if nx.is_directed_acyclic_graph(ordered) and Dag.from_networkx(ordered).v_structures() == dag.v_structures():
            yield ordered


def true_statements(graph, draw):
    """Some statements that hold for a DAG, of every kind."""
    names, arrows = list(graph), list(graph.edges)
    reach = nx.transitive_closure_dag(graph)
    pairs = [(a, b) for a in names for b in names if a != b]
    apart = [(a, b) for a, b in combinations(names, 2) if not graph.has_edge(a, b) and not graph.has_edge(b, a)]
    some = {
        sl.Required: arrows,
        sl.Edge: [draw(st.permutations(arrow)) for arrow in arrows],
        sl.Forbidden: [pair for pair in pairs if not graph.has_edge(*pair)],
        sl.NoEdge: apart,
        sl.Ancestor: list(reach.edges),
        sl.NotAncestor: [pair for pair in pairs if not reach.has_edge(*pair)],
    }
    for kind, true in some.items():
        if true and draw(st.integers(0, 2)) == 0:
            yield kind(*draw(st.lists(st.sampled_from(true).map(tuple), min_size=1, max_size=2, unique=True)))
    order = list(nx.topological_sort(graph))
    choice = draw(st.integers(0, 5))
    if choice == 0 and len(order) > 1:
        cut = draw(st.integers(1, len(order) - 1))
        yield sl.Tiers(order[:cut], order[cut:])
    elif choice == 1 and len(order) > 2:
        yield sl.Order(*order[::2])
    elif choice == 2:
        yield sl.Roots(*(v for v in names if graph.in_degree(v) == 0))
    elif choice == 3:
        yield sl.Leaves(*(v for v in names if graph.out_degree(v) == 0))
    elif choice == 4 and len(names) > 2:
        part = graph.subgraph(names[: len(names) // 2 + 1])
        yield sl.Part(list(part.edges), variables=list(part))


@st.composite
def dags_with_knowledge(draw, min_size=2, max_size=5):
    graph = draw(dags(min_size=min_size, max_size=max_size))
    return graph, Known((), tuple(true_statements(graph, draw)))


def agreeing(graph, known):
    """The members of the class that agree with what is known, by its constraints on arrows and paths."""
    constraints = constraints_of(known, tuple(graph))
    return [other for other in members_of_class(graph) if agrees(Dag.from_networkx(other), constraints)]


def common_directions(graphs):
    """The arrows in all of them, and the edges that point both ways among them."""
    arrows = set.intersection(*(set(graph.edges) for graph in graphs))
    directed = {frozenset(arrow) for arrow in arrows}
    return arrows, {frozenset(edge) for graph in graphs for edge in graph.edges} - directed


@settings(max_examples=50, deadline=None)
@given(dags_with_knowledge())
def test_directions_are_those_that_all_agreeing_dags_share(case):
    graph, known = case
    constraints = constraints_of(known, tuple(graph))
    dag = Dag.from_networkx(graph)
    assert agrees(dag, constraints)
    shown = essential_graph(dag, constraints)
    arrows, undirected = common_directions(agreeing(graph, known))
    names = dag.names
    assert {(names[a], names[b]) for a, b in shown.directed_edges()} == arrows
    assert {frozenset((names[a], names[b])) for a, b in shown.undirected_edges()} == undirected


@settings(max_examples=100, deadline=None)
@given(dags_with_knowledge())
def test_the_dag_of_a_graph_agrees_with_what_is_known(case):
    graph, known = case
    constraints = constraints_of(known, tuple(graph))
    dag = Dag.from_networkx(graph)
    found = Dag(dag.names, tuple(member(essential_graph(dag, constraints), constraints)))
    assert agrees(found, constraints)
    assert found.v_structures() == dag.v_structures()
    assert found.neighbours == dag.neighbours


def chain(n):
    return nx.path_graph(n, create_using=nx.DiGraph)


def test_one_arrow_directs_a_chain():
    graph = chain(4)
    constraints = constraints_of(Known((), (sl.Required((0, 1)),)), (0, 1, 2, 3))
    assert essential_graph(Dag.from_networkx(graph), constraints).directed_edges() == [(0, 1), (1, 2), (2, 3)]


def test_an_ancestor_directs_a_chain_and_one_that_is_none_its_end():
    dag, names = Dag.from_networkx(chain(4)), (0, 1, 2, 3)
    ancestor = constraints_of(Known((), (sl.Ancestor((0, 2)),)), names)
    assert essential_graph(dag, ancestor).directed_edges() == [(0, 1), (1, 2), (2, 3)]
    none = constraints_of(Known((), (sl.NotAncestor((3, 0)),)), names)
    assert essential_graph(dag, none).directed_edges() == [(2, 3)]  # else all of the chain would lead from 3 to 0

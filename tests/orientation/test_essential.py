"""On contradictory evidence the result is still the essential graph of some DAG, and says what it overruled."""

from itertools import combinations

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.graphs.dag import Dag, PartialDag
from sidelight.orientation import essential_graph, orient
from sidelight.orientation.essential import without_contradictions
from sidelight.orientation.meek import (
    avoids_both_by_a_path,
    avoids_cycle,
    avoids_cycle_or_v_structure,
    avoids_new_v_structure,
    close_under_meek_rules,
)
from tests.graphs_for_tests import dags


@st.composite
def skeletons_with_any_separating_sets(draw):
    """A skeleton, and separating sets that need not come from any DAG."""
    n = draw(st.integers(2, 8))
    pairs = list(combinations(range(n), 2))
    joined = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    adjacency = [set() for _ in range(n)]
    for (a, b), edge in zip(pairs, joined, strict=True):
        if edge:
            adjacency[a].add(b)
            adjacency[b].add(a)
    sets = {pair: frozenset(draw(st.sets(st.integers(0, n - 1), max_size=3)) - set(pair)) for pair in pairs}
    return adjacency, lambda c: lacking(adjacency, lambda a, b: sets[min(a, b), max(a, b)], c)


def lacking(adjacency, between, c):
    """The obvious version of what ``SeparatingSets.lacking`` does."""
    return [
        (a, b) for a, b in combinations(sorted(adjacency[c]), 2) if b not in adjacency[a] and c not in between(a, b)
    ]


@settings(max_examples=150)
@given(skeletons_with_any_separating_sets())
def test_any_evidence_gives_a_legal_essential_graph_over_the_skeleton(case):
    adjacency, lacking_in_evidence = case
    names = tuple(range(len(adjacency)))
    result = orient(names, adjacency, lacking_in_evidence)
    assert nx.is_directed_acyclic_graph(result.dag.to_networkx())
    assert [set(s) for s in result.dag.neighbours] == adjacency
    again = essential_graph(result.dag)
    assert again.directed_edges() == result.graph.directed_edges()
    assert again.undirected_edges() == result.graph.undirected_edges()
    shown = set(result.dag.v_structures())
    assert all(v not in shown for v in result.overruled)


@settings(max_examples=150)
@given(dags(min_size=1))
def test_evidence_of_a_dag_is_never_overruled(graph):
    dag = Dag.from_networkx(graph)
    parents, neighbours = dag.parents, [set(s) for s in dag.neighbours]

    def between(a, b):  # the parents of the later of the two separate them
        return parents[b] if not nx.has_path(graph, dag.names[b], dag.names[a]) else parents[a]

    result = orient(dag.names, neighbours, lambda c: lacking(neighbours, between, c))
    assert result.overruled == []
    assert result.graph.directed_edges() == essential_graph(dag).directed_edges()
    assert result.dag.v_structures() == dag.v_structures()


def test_an_arrow_with_more_votes_wins_and_a_tie_directs_nothing():
    towards_1 = (0, 1, 2)
    against = (1, 0, 3)  # asks for 1 → 0, against 0 → 1
    assert without_contradictions([towards_1, against]) == []
    assert without_contradictions([towards_1, (0, 1, 4), against]) == [towards_1, (0, 1, 4)]


def partial(n, directed, undirected):
    graph = PartialDag.from_skeleton(n, [*directed, *undirected])
    for tail, head in directed:
        graph.orient(tail, head)
    return graph


def test_each_of_meek_s_rules_directs_its_own_example():
    assert list(avoids_new_v_structure(partial(3, [(2, 0)], [(0, 1)]), 0, 1)) == [(2,)]
    assert list(avoids_cycle(partial(3, [(0, 2), (2, 1)], [(0, 1)]), 0, 1)) == [(2,)]
    rule_3 = partial(4, [(2, 1), (3, 1)], [(0, 1), (0, 2), (0, 3)])
    assert list(avoids_cycle_or_v_structure(rule_3, 0, 1)) == [(2, 3)]
    rule_4 = partial(4, [(2, 3), (3, 1)], [(0, 1), (0, 2), (0, 3)])
    assert list(avoids_both_by_a_path(rule_4, 0, 1)) == [(2, 3)]


def test_the_fourth_rule_takes_part_in_the_closure():
    graph = partial(4, [(2, 3), (3, 1)], [(0, 1), (0, 2), (0, 3)])
    close_under_meek_rules(graph)
    assert (0, 1) in graph.directed_edges()


def test_the_essential_graph_of_a_networkx_dag():
    graph = sl.essential_graph(nx.DiGraph([("a", "c"), ("b", "c"), ("c", "d"), ("e", "f")]))
    assert set(graph.edges(data="directed")) == {
        ("a", "c", True),
        ("b", "c", True),
        ("c", "d", True),
        ("e", "f", False),
        ("f", "e", False),
    }


@settings(max_examples=150)
@given(dags())
def test_an_essential_graph_is_closed_under_the_rules(graph):
    essential = essential_graph(Dag.from_networkx(graph))
    again = essential.copy()
    close_under_meek_rules(again)
    assert again == essential

"""The theory of hidden causes against definitions, by brute force: m-separation, MAGs, PAGs, and legality."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.graphs.ancestral import inducing_path, is_ancestral, is_maximal, m_separated, mag_of, unseparable_pairs
from sidelight.graphs.dag import Dag
from sidelight.graphs.marks import ARROW, CIRCLE, TAIL, MarkedGraph
from sidelight.orientation.pag import is_pag, mag_in, markov_equivalent, pag_of
from tests.graphs_for_tests import d_separated, dags, subsets

ENDS = {"": None, ">": (TAIL, ARROW), "<": (ARROW, TAIL), "b": (ARROW, ARROW), "u": (TAIL, TAIL)}


@st.composite
def dags_with_hidden(draw, max_size=8, selection=True):
    """A DAG, and which of its variables are hidden and which are selected on."""
    graph = draw(dags(min_size=2, max_size=max_size))
    roles = draw(st.lists(st.sampled_from("ooohs" if selection else "oooh"), min_size=len(graph), max_size=len(graph)))
    hidden, selected = ([v for v, its in zip(graph, roles, strict=True) if its == role] for role in "hs")
    return graph, hidden, selected


def separations(graph):
    """All (x, y, given) that are m-separated."""
    n = range(len(graph))
    return frozenset(
        (x, y, given)
        for x, y in combinations(n, 2)
        for given in subsets(z for z in n if z not in (x, y))
        if m_separated(graph, x, y, given)
    )


def is_separable(graph, x, y):
    return any(m_separated(graph, x, y, given) for given in subsets(z for z in range(len(graph)) if z not in (x, y)))


@cache
def classes(n, selection):
    """All MAGs over n variables, by what they separate."""
    found = {}
    pairs = list(combinations(range(n), 2))
    for kinds in product(ENDS.values() if selection else list(ENDS.values())[:4], repeat=len(pairs)):
        edges = [(*pair, *ends) for pair, ends in zip(pairs, kinds, strict=True) if ends is not None]
        graph = MarkedGraph.of_edges(range(n), edges)
        if is_ancestral(graph) and is_maximal(graph):
            found.setdefault(separations(graph), []).append(graph)
    return found


def pag_by_definition(members):
    """The marks that all members share, and circles."""

    def shared(a, b):
        marks = {member.mark(a, b) for member in members}
        return marks.pop() if len(marks) == 1 else CIRCLE

    edges = [(e.a, e.b, shared(e.b, e.a), shared(e.a, e.b)) for e in members[0].edges()]
    return MarkedGraph.of_edges(members[0].names, edges)


@given(dags_with_hidden())
@settings(max_examples=60)
def test_a_mag_separates_what_its_dag_does_given_what_was_selected(case):
    graph, hidden, selected = case
    dag = Dag.from_networkx(graph)
    index = {name: i for i, name in enumerate(dag.names)}
    mag = mag_of(dag, [index[v] for v in hidden], [index[v] for v in selected])
    assert is_ancestral(mag)
    assert is_maximal(mag)
    names = mag.names
    for x, y in combinations(range(len(names)), 2):
        for z in subsets(v for v in range(len(names)) if v not in (x, y)):
            apart = d_separated(graph, names[x], names[y], [*(names[v] for v in z), *selected])
            assert m_separated(mag, x, y, z) == apart


@given(dags(max_size=6))
@settings(max_examples=30)
def test_a_dag_without_hidden_variables_is_its_own_mag(graph):
    dag = Dag.from_networkx(graph)
    assert mag_of(dag) == MarkedGraph.of_dag(dag)


@pytest.mark.parametrize("selection", [False, True])
def test_the_rules_find_the_marks_that_all_mags_of_a_class_share(selection):
    for members in classes(4 if not selection else 3, selection).values():
        truth = pag_by_definition(members)
        for mag in members[:2]:
            assert pag_of(mag, selection).graph == truth
        assert mag_in(truth) in members
        assert is_pag(truth, selection)


def test_mags_are_equivalent_when_they_separate_the_same():
    representatives = [members[0] for members in classes(3, True).values()]
    for members in classes(3, True).values():
        assert all(markov_equivalent(members[0], other) for other in members)
    assert not any(markov_equivalent(a, b) for a, b in combinations(representatives, 2))


def test_only_pags_are_legal():
    """Every graph with marks over three variables is legal exactly when it is the PAG of some class."""
    truth = {pag_by_definition(members) for members in classes(3, False).values()}
    pairs, marks = list(combinations(range(3), 2)), [None, *product((TAIL, ARROW, CIRCLE), repeat=2)]
    for kinds in product(marks, repeat=3):
        edges = [(*pair, *ends) for pair, ends in zip(pairs, kinds, strict=True) if ends is not None]
        graph = MarkedGraph.of_edges(range(3), edges)
        assert is_pag(graph) == (graph in truth), list(graph.edges())


def test_pairs_with_an_inducing_path_cannot_be_separated_and_others_can():
    pairs, kinds = list(combinations(range(4), 2)), [ENDS[k] for k in ("", ">", "<", "b")]
    for ends in list(product(kinds, repeat=6))[::7]:
        graph = MarkedGraph.of_edges(range(4), [(*p, *e) for p, e in zip(pairs, ends, strict=True) if e is not None])
        if is_ancestral(graph):
            apart = [(x, y) for x, y in pairs if not graph.adjacent(x, y)]
            assert [p for p in apart if inducing_path(graph, *p)] == [p for p in apart if not is_separable(graph, *p)]
            assert set(unseparable_pairs(graph)) == {p for p in apart if inducing_path(graph, *p)}


def test_the_pag_of_a_dag_says_which_arrows_survive_hidden_causes():
    """x → c ← y, c → d: only the last arrow says that something is a cause (Spirtes, Glymour and Scheines)."""
    graph = nx.DiGraph([("x", "c"), ("y", "c"), ("c", "d")])
    pag = pag_of(MarkedGraph.of_dag(Dag.from_networkx(graph))).graph
    symbols = {(pag.names[e.a], pag.names[e.b]): e.symbol for e in pag.edges()}
    assert symbols == {("x", "c"): "○→", ("c", "y"): "←○", ("c", "d"): "→"}

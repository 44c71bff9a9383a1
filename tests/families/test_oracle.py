from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.families.subset_search import NO_LIMIT, Searches
from tests.graphs_for_tests import d_separated, dags, small_dags, subsets


@st.composite
def dag_and_members(draw, min_size=2):
    graph = draw(dags(min_size, max_size=9))
    members = draw(st.lists(st.sampled_from(list(graph)), min_size=2, max_size=len(graph), unique=True))
    return graph, members


def assert_answers_are_those_of_networkx(graph, members):
    answers = sl.DSeparation(graph).answers(members, 0.5)
    for (i, x), (j, y) in combinations(enumerate(members), 2):
        rest = [z for z in members if z not in (x, y)]
        assert answers[i, j] == answers[j, i] == d_separated(graph, x, y, rest)


def test_the_batch_oracle_agrees_with_networkx_in_every_dag_of_four_variables():
    for graph in small_dags():
        for members in subsets(graph):
            assert_answers_are_those_of_networkx(graph, members)


@settings(max_examples=100)
@given(dag_and_members(min_size=5))
def test_the_batch_oracle_agrees_with_networkx_on_every_pair(case):
    assert_answers_are_those_of_networkx(*case)


@settings(max_examples=150)
@given(dag_and_members())
def test_a_single_question_equals_the_batch_and_ignores_argument_order(case):
    graph, (x, y, *given) = case
    oracle = sl.DSeparation(graph)
    p = oracle.p_value(x, y, given)
    assert p == float(d_separated(graph, x, y, given))
    assert p == oracle.p_value(y, x, given[::-1])
    assert (p > 0.01) == oracle.independent(x, y, given, 0.01)
    others = [v for v in range(len(graph)) if v != x and v not in given]
    assert oracle.p_values(x, others, given).tolist() == [oracle.p_value(x, v, given) for v in others]


@pytest.mark.parametrize(
    "question", [(0, 50, []), (0, 10**30, []), (-1, 0, []), (0.9, 2, []), (0, 0, []), (0, 2, [0, 1]), ("a", "c", [])]
)
@pytest.mark.parametrize("test", ["oracle", "fisher z"])
def test_a_question_about_variables_that_are_not_there_is_refused(test, question):
    oracle = sl.DSeparation(nx.DiGraph([("a", "b"), ("c", "b")]))
    asked = oracle if test == "oracle" else sl.FisherZ(sl.Correlation([[1, 0, 0.5], [0, 1, 0], [0.5, 0, 1]], 50))
    with pytest.raises(sl.InputError, match="different variables by position"):
        asked.p_value(*question)


def test_a_cycle_is_named():
    graph = nx.DiGraph([("rain", "wet"), ("wet", "slip"), ("slip", "rain")])
    with pytest.raises(sl.InputError, match=r"cycle.*rain → wet → slip → rain"):
        sl.DSeparation(graph)


def test_a_self_loop_is_a_cycle():
    with pytest.raises(sl.InputError, match="a → a"):
        sl.DSeparation(nx.DiGraph([("a", "a")]))


@pytest.mark.parametrize("graph", [nx.Graph([(0, 1)]), nx.MultiDiGraph([(0, 1)]), [[0, 1], [0, 0]]])
def test_only_a_directed_graph_is_accepted(graph):
    with pytest.raises(sl.InputError, match=r"networkx\.DiGraph is needed"):
        sl.DSeparation(graph)


@settings(max_examples=60)
@given(dags(min_size=3, max_size=6))
def test_what_a_separating_set_needs_is_in_every_subset_that_separates(graph):
    test, names = sl.DSeparation(graph), list(graph)
    for x, y in combinations(range(len(names)), 2):
        pool = [v for v in range(len(names)) if v not in (x, y)]
        for members in map(sorted, subsets(pool)):
            needed = test.needed(x, y, members)
            separating = [s for s in subsets(members) if d_separated(graph, names[x], names[y], {names[v] for v in s})]
            assert needed is not None or not separating
            assert all(needed <= set(found) for found in separating)


@st.composite
def dag_with_roles(draw):
    graph = draw(dags(4, max_size=8))
    roles = draw(st.lists(st.sampled_from("oohs"), min_size=len(graph), max_size=len(graph)))
    return graph, *([v for v, its in zip(graph, roles, strict=True) if its == role] for role in "ohs")


@settings(max_examples=80)
@given(dag_with_roles(), st.data())
def test_hidden_variables_are_never_given_and_those_selected_on_always_are(case, data):
    graph, observed, hidden, selected = case
    oracle = sl.DSeparation(graph, hidden=hidden, selected=selected)
    assert list(oracle.names) == observed
    answers = oracle.answers(range(len(observed)), 0.5)
    for (i, x), (j, y) in combinations(enumerate(observed), 2):
        rest = [z for z in observed if z not in (x, y)]
        assert answers[i, j] == d_separated(graph, x, y, rest + selected)
        pool = data.draw(st.lists(st.sampled_from(rest), unique=True)) if rest else []
        given = [observed.index(z) for z in pool]
        assert oracle.p_value(i, j, given) == oracle.p_values(i, [j], given)[0]
        assert bool(oracle.p_value(i, j, given)) == d_separated(graph, x, y, pool + selected)
        found = oracle.search(Searches.one(i, j, given, (), 0, 9), 0.5, NO_LIMIT)
        apart = [z for z in subsets(pool) if d_separated(graph, x, y, [*z, *selected])]
        assert bool(apart) == (found.n_chosen[0] >= 0)
        needed = oracle.needed(i, j, given)
        assert (needed is None) == (not apart)
        assert not apart or needed == {observed.index(z) for z in set.intersection(*map(set, apart))}


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"hidden": ["z"]}, "hidden: 'z' is no variable"),
        ({"hidden": "a"}, "hidden must be a list"),
        ({"selected": 3}, "selected must be a list"),
        ({"hidden": ["a"], "selected": ["a"]}, "'a' cannot be hidden and selected"),
    ],
)
def test_roles_that_make_no_sense_are_refused(roles, message):
    with pytest.raises(sl.InputError, match=message):
        sl.DSeparation(nx.DiGraph([("a", "b")]), **roles)

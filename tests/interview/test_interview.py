"""The interview decides and counts: each consulted answer under its conditioning size, and within the limits."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.families.subset_search import Searches
from sidelight.graphs.dag import AdjacencyArrays
from sidelight.interview import (
    FEWEST_TO_SHARE,
    Interview,
    LimitReached,
    Limits,
    SetTooLarge,
    pairs_with_first,
    pairs_without_first,
)
from tests.graphs_for_tests import Recorded, dags, graph_in_order

CHAIN = graph_in_order(range(4), [(0, 1), (1, 2), (2, 3)])


def every_pair_of(size):
    return np.array(list(combinations(range(size), 2))).T


def about(graph, **limits):
    """An interview about a DAG that answers one test at a time, and the test itself."""
    test = Recorded(graph)
    return Interview(test, 0.01, Limits(**limits)), test


def made(test):
    return [(tuple(sorted(pair)), tuple(sorted(given))) for pair, given in test.questions]


def test_one_answer_counts_once_under_its_size():
    ask, _ = about(CHAIN)
    assert [ask.independent(0, 2, ()), ask.independent(0, 2, [1]), ask.independent(0, 3, [2])] == [False, True, True]
    assert ask.tests_by_size == {0: 1, 1: 2}
    assert ask.n_tests == 3


def test_any_independent_stops_at_the_first_and_counts_up_to_it():
    """Of 0, 1, 2, 3 the pairs come as 01, 02, 03, …: 0 and 2 are independent given 1 and 3."""
    ask, test = about(CHAIN)
    assert ask.any_independent([0, 1, 2, 3], every_pair_of(4))
    assert made(test) == [((0, 1), (2, 3)), ((0, 2), (1, 3))]
    assert ask.tests_by_size == {2: 2}


def test_any_independent_consults_every_pair_when_none_is_independent():
    ask, test = about(CHAIN)
    assert not ask.any_independent([1, 0, 2], pairs_with_first(3))
    assert made(test) == [((0, 1), (2,)), ((1, 2), (0,))]
    assert ask.tests_by_size == {1: 2}


def test_members_left_out_are_not_conditioned_on():
    """Without 2, 1 and 3 depend on each other given 0; positions are those of the members that are kept."""
    ask, test = about(CHAIN)
    assert not ask.any_independent([0, 1, 2, 3], pairs_without_first(3), left_out=[2])
    assert made(test) == [((1, 3), (0,))]
    assert ask.tests_by_size == {1: 1}


def test_no_pairs_are_no_tests():
    ask, _ = about(CHAIN)
    assert not ask.any_independent([0], pairs_with_first(1))
    assert ask.most_dependent(0, [], []) is None
    assert ask.n_tests == 0


def test_how_many_are_independent_counts_every_pair():
    ask, _ = about(CHAIN)
    assert ask.n_independent([0, 1, 2, 3], pairs_with_first(4)) == 2
    assert ask.tests_by_size == {2: 3}


def test_a_table_counts_an_answer_when_it_is_consulted():
    ask, test = about(CHAIN)
    table = ask.table([0, 1, 2, 3], left_out=[3])
    assert ask.n_tests == len(test.questions) == 0
    assert table.independent(0, 2)
    assert not table.independent(1, 2)
    assert ask.tests_by_size == {1: 2}


def test_the_dependence_matrix_counts_each_pair_once():
    ask, _ = about(CHAIN)
    expected = nx.to_numpy_array(CHAIN.to_undirected(), dtype=bool)
    assert np.array_equal(ask.dependence_matrix(range(4)), expected)
    assert ask.tests_by_size == {2: 6}


def test_candidates_count_one_each():
    """Given 2, only 1 depends on 0; the strongest of them is compared with alpha at no further count."""
    ask, _ = about(CHAIN)
    assert ask.most_dependent(0, [1, 3], [2]) == 1
    assert ask.most_dependent(0, [2, 3], [1]) is None
    assert ask.all_dependent(1, [0, 2, 3], []) == [0, 2, 3]
    assert ask.tests_by_size == {1: 4, 0: 3}


def test_a_search_counts_the_sets_up_to_the_one_that_separates():
    """For 0 and 3: the empty set, then {1}. For 1 and 2: the empty set, {0}, {3}, {0, 3}."""
    for test in (Recorded(CHAIN), sl.DSeparation(CHAIN)):
        ask = Interview(test, 0.01)
        assert ask.separating_set(0, 3, [1, 2]) == {1}
        assert ask.tests_by_size == {0: 1, 1: 1}
        assert ask.separating_set(1, 2, [0, 3]) is None
        assert ask.tests_by_size == {0: 2, 1: 3, 2: 1}
        assert ask.separating_set(0, 2, [3], base=[1]) == {1}
        assert ask.tests_by_size == {0: 2, 1: 4, 2: 1}


def test_a_limit_of_tests_is_for_all_interviews_that_share_it():
    limits = Limits(max_tests=3)
    first, second = (Interview(Recorded(CHAIN), 0.01, limits) for _ in range(2))
    first.independent(0, 1, [])
    second.independent(0, 1, [])
    second.independent(0, 2, [])
    assert limits.reached == set()
    for ask in (first, second):
        with pytest.raises(LimitReached):
            ask.independent(0, 3, [])
    assert limits.reached == {"max_tests"}
    assert (first.n_tests, second.n_tests) == (1, 2)


def test_no_test_is_made_beyond_the_limit():
    every_pair = every_pair_of(4)
    everything = nx.complete_graph(4, create_using=nx.DiGraph)
    for allowed in range(6):
        ask, test = about(nx.DiGraph((a, b) for a, b in everything.edges if a < b), max_tests=allowed)
        with pytest.raises(LimitReached):
            ask.any_independent(range(4), every_pair)
        assert len(test.questions) == ask.n_tests == allowed
    ask, test = about(CHAIN, max_tests=2)
    with pytest.raises(LimitReached):
        ask.separating_set(1, 2, [0, 3])
    assert len(test.questions) == ask.n_tests == 2


def test_a_first_independent_pair_within_the_limit_is_an_answer():
    ask, _ = about(CHAIN, max_tests=2)
    assert ask.any_independent([0, 1, 2, 3], every_pair_of(4))
    assert ask.limits.reached == set()


@pytest.mark.parametrize("test", [Recorded(CHAIN), sl.DSeparation(CHAIN)], ids=["lazy", "arrays"])
def test_sets_beyond_the_limit_are_not_tested_and_not_counted(test):
    ask = Interview(test, 0.01, Limits(max_conditioning=1))
    for too_large in (
        lambda: ask.independent(0, 1, [2, 3]),
        lambda: ask.any_independent(range(4), pairs_with_first(4)),
        lambda: ask.n_independent(range(4), pairs_with_first(4)),
        lambda: ask.table(range(4)),
    ):
        with pytest.raises(SetTooLarge):
            too_large()
    assert ask.n_tests == 0
    assert ask.limits.reached == {"max_conditioning"}


def test_a_search_says_that_a_limit_kept_sets_from_it_only_when_that_mattered():
    ask, _ = about(CHAIN, max_conditioning=1)
    assert ask.separating_set(0, 3, [1, 2]) == {1}
    assert ask.limits.reached == set()
    assert ask.separating_set(1, 2, [0, 3]) is None
    assert ask.limits.reached == {"max_conditioning"}
    assert max(ask.tests_by_size) == 1


def chance(n_variables):
    """Tables on which tests take their time: numbers for a kernel, codes for one test at a time."""
    rng = np.random.default_rng(3)
    values = rng.standard_normal((200, n_variables))
    values[:, 1:] += 0.5 * values[:, :-1]
    numbers = sl.FisherZ(sl.Correlation(np.corrcoef(values.T), len(values)))
    return numbers, sl.GSquare((values > 0).astype(np.int8), [2] * n_variables, range(n_variables))


@pytest.mark.parametrize("kind", [0, 1], ids=["threads", "processes"])
def test_any_number_of_workers_gives_the_same(kind):
    test = chance(14)[kind]
    assert test.releases_gil == (kind == 0)
    pairs = list(combinations(range(14), 2))
    pools = AdjacencyArrays.of([[y for y in range(14) if 0 < abs(x - y) < 4] for x in range(14)])
    searches = Searches.many(pairs, [x for x, _ in pairs], pools, 0, 2)
    assert len(searches) > FEWEST_TO_SHARE
    results = []
    for workers in (1, 2, 3):
        ask = Interview(test, 0.01)
        found = ask.search(searches, workers)
        results.append(([found.set_of(searches, i) for i in range(len(searches))], ask.tests_by_size))
    assert results[0] == results[1] == results[2]
    assert results[0][1].total() > len(searches)


@settings(max_examples=100)
@given(graph=dags(min_size=2, max_size=7), data=st.data())
def test_lazy_answers_and_arrays_agree(graph, data):
    members = data.draw(st.permutations(range(len(graph))))[: data.draw(st.integers(2, len(graph)))]
    left_out = data.draw(st.sets(st.sampled_from(members), max_size=len(members) - 2))
    n_kept = len(members) - len(left_out)
    lazy, arrays = Interview(Recorded(graph), 0.01), Interview(sl.DSeparation(graph), 0.01)
    pairs, first = every_pair_of(n_kept), pairs_with_first(len(members))
    kept = [z for z in members if z not in left_out]
    tables = [ask.table(members, list(left_out)) for ask in (lazy, arrays)]
    for x, y in combinations(kept, 2):
        assert tables[0].independent(x, y) == tables[1].independent(x, y)
    assert lazy.any_independent(members, pairs, list(left_out)) == arrays.any_independent(
        members, pairs, list(left_out)
    )
    assert lazy.n_independent(members, first) == arrays.n_independent(members, first)
    assert np.array_equal(lazy.dependence_matrix(range(len(graph))), arrays.dependence_matrix(range(len(graph))))
    assert lazy.tests_by_size == arrays.tests_by_size


def test_what_another_interview_counted_can_be_added():
    ask, _ = about(CHAIN)
    other = ask.fresh()
    other.independent(0, 1, [2])
    assert ask.n_tests == 0
    ask.take_over(other.tally())
    assert ask.tests_by_size == {1: 1}

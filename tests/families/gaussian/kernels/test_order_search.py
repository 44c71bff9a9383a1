"""The search over orders in a kernel does what the choice of parents in Python says, for candidates of both layouts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.families.gaussian.correlation import Correlation
from sidelight.families.gaussian.score import GaussianBic
from sidelight.families.score import Space, choose_parents

MOST = 10
TOLERANCE = 1e-4  # nats: above what the search calls a gain


def drawn(seed, n, rows=300):
    """Correlations of columns, each with a few of those before it as its causes."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((rows, n))
    for v in range(1, n):
        for parent in rng.choice(v, size=min(v, int(rng.integers(0, 4))), replace=False):
            values[:, v] += rng.uniform(-1, 1) * values[:, parent]
    return np.corrcoef(values.T)


def score_of(matrix):
    return GaussianBic(Correlation(matrix, 300), 1.5)


def everything(n):
    return [set(range(n)) - {x} for x in range(n)]


def some(n, seed):
    """A symmetric relation that leaves out a third of the pairs."""
    related = np.triu(np.random.default_rng(seed).random((n, n)) < 2 / 3, 1)
    return [set(np.flatnonzero(row).tolist()) for row in related | related.T]


def ways_of(n, order, seed):
    """Some arrows that must be there, from earlier to later ones, and some that may not."""
    rng = np.random.default_rng(seed)
    ways = np.where(rng.random((n, n)) < 0.2, 0, 1).astype(np.int8)
    for place in range(1, n, 3):
        ways[order[place - 1], order[place]] = 2
    return ways


def chosen(score, order, space):
    """The score and the parents of each variable, among the candidates before it, by the choice in Python."""
    position = {v: i for i, v in enumerate(order)}
    found = []
    for v in range(len(order)):
        allowed = frozenset(y for y in space.near[v] if position[y] < position[v] and space.may(y, v))
        found.append(choose_parents(score, v, allowed, space.most_parents, allowed & space.required(v)))
    return found


@pytest.mark.parametrize("layout", ["all others", "some others", "all others, with knowledge", "some, with knowledge"])
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 20))
def test_parents_are_those_of_a_greedy_choice_before_them_in_the_order(layout, seed, n):
    score, order = score_of(drawn(seed, n)), np.random.default_rng(seed).permutation(n).tolist()
    space = Space(everything(n) if layout.startswith("all") else some(n, seed), MOST)
    if "knowledge" in layout:
        ways = ways_of(n, order, seed)
        near = [
            members | set(np.flatnonzero((ways[x] == 2) | (ways[:, x] == 2))) for x, members in enumerate(space.near)
        ]
        space = Space([{int(y) for y in members} for members in near], MOST, ways)
    found = score.search(order, space)
    by_hand = chosen(score, found.order, space)
    assert [parents for _, parents in by_hand] == list(found.parents)
    assert found.score == pytest.approx(sum(value for value, _ in by_hand), abs=1e-6)
    assert found.score >= sum(value for value, _ in chosen(score, order, space)) - 1e-6


def test_two_causes_and_their_effect_are_ordered_as_by_hand():
    """The example of docs/decisions/0016."""
    third = 1 / np.sqrt(3)
    score = GaussianBic(Correlation([[1, 0, third], [0, 1, third], [third, third, 1]], 100), 2.0)
    a, b, c = range(3)
    by_hand = chosen(score, [c, a, b], Space(everything(3), MOST))
    assert [parents for _, parents in by_hand] == [{c}, {a, c}, set()]
    assert [2 * value for value, _ in by_hand] == pytest.approx([31.34, 50.89, 0], abs=0.01)
    found = score.search([c, a, b], Space(everything(3), MOST))
    assert found.order == [a, b, c]
    assert found.parents == (set(), set(), {a, b})
    assert 2 * found.score == pytest.approx(91.44, abs=0.01)


@pytest.mark.parametrize("n_required", [MOST, MOST + 4])
def test_there_is_room_for_all_parents_that_are_required(n_required):
    n = 20
    ways = np.ones((n, n), np.int8)
    ways[:n_required, n - 1] = 2
    score, space = score_of(drawn(3, n)), Space(everything(n), MOST, ways)
    found = score.search(list(range(n)), space)
    assert found.parents[n - 1] >= set(range(n_required))
    assert [parents for _, parents in chosen(score, found.order, space)] == list(found.parents)
    assert score.best_parents(space)[n - 1] >= set(range(n_required))


def test_a_matrix_that_cannot_be_written_to_is_searched_and_stays_as_it_is():
    """As workers get it: joblib maps large arrays, and a correlation that comes out of a pickle is not made anew."""
    correlation = Correlation(drawn(1, 12), 300)
    free = GaussianBic(correlation, 1.5).search(list(range(12))[::-1], Space(everything(12), MOST))
    correlation.matrix.flags.writeable = False
    before = correlation.matrix.copy()
    assert GaussianBic(correlation, 1.5).search(list(range(12))[::-1], Space(everything(12), MOST)) == free
    assert (correlation.matrix == before).all()


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 30))
def test_candidates_that_are_named_one_by_one_give_the_same_search(seed, n):
    """One more variable, without candidates and without correlations, keeps the matrix from being used as it is."""
    matrix, order = drawn(seed, n), np.random.default_rng(seed).permutation(n).tolist()
    wider = np.eye(n + 1)
    wider[:n, :n] = matrix
    found = score_of(matrix).search(order, Space(everything(n), MOST))
    named = score_of(wider).search([*order, n], Space([*everything(n), set()], MOST))
    assert named.parents == (*found.parents, frozenset())
    assert named.order == [*found.order, n]


@pytest.mark.parametrize("near", [everything, lambda n: some(n, 1)])
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 7))
def test_where_the_search_ends_no_move_of_one_variable_raises_the_score(near, seed, n):
    score, space = score_of(drawn(seed, n)), Space(near(n), MOST)
    found = score.search(list(range(n)), space)
    while (again := score.search(found.order, space)).order != found.order:
        found = again
    for x in range(n):
        others = [v for v in found.order if v != x]
        moved = ([*others[:place], x, *others[place:]] for place in range(n))
        best = max(sum(value for value, _ in chosen(score, order, space)) for order in moved)
        assert best <= found.score + TOLERANCE

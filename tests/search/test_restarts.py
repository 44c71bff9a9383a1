"""Restarts: never worse than without, the same for any number of workers, and what they are made of is right."""

from itertools import chain, combinations, permutations

import numpy as np
import pytest

import sidelight as sl
from sidelight.families.gaussian.kernels.windows import order_windows
from sidelight.families.gaussian.score import GaussianBic
from sidelight.families.score import NOTHING_KNOWN, Space, choose_parents
from sidelight.graphs.dag import Dag
from sidelight.search.exact import exact_search
from sidelight.search.restarts import Restarts, restarted, usual_restarts
from sidelight.simulation.random_graphs import erdos_renyi


def table(n, degree, n_rows, seed):
    """Weak effects in a dense graph, where one search ends at a local optimum."""
    rng = np.random.default_rng(seed)
    dag = Dag.from_networkx(erdos_renyi(n, degree / (n - 1), rng))
    values = rng.standard_normal((n_rows, n)) * np.sqrt(rng.uniform(1, 3, n))
    for v in dag.topological_order():
        for parent in sorted(dag.parents[v]):
            values[:, v] += rng.uniform(0.2, 0.8) * rng.choice([-1, 1]) * values[:, parent]
    return values


def score_of(values):
    return GaussianBic.extended(sl.Correlation(np.corrcoef(values.T), len(values), list(range(values.shape[1]))))


def everywhere(n):
    return Space([set(range(n)) - {v} for v in range(n)], 60)


def total(score, found):
    return sum(score.local(v, parents) for v, parents in enumerate(found.parents))


@pytest.mark.parametrize("seed", range(4))
def test_restarts_find_what_one_search_misses_and_say_how_many_did(seed):
    score, space = score_of(table(14, 8, 1000, seed)), everywhere(14)
    best = exact_search(score, space, None, lambda: None)
    once = score.search(score.order(), space)
    found, restarts = restarted(score, once, space, None, 20, lambda: None)
    assert once.score - 1e-6 <= found.score <= best.score + 1e-6
    assert found.score == pytest.approx(total(score, found))
    assert restarts.made == 20
    assert (restarts.improving > 0) == (restarts.last > 0)


def test_what_restarts_showed_is_said():
    assert str(Restarts(20, 0, 0)) == "; none of 20 restarts raised the score"
    assert "2 of 20 restarts raised the score, the last 17 did not" in str(Restarts(20, 2, 3))
    assert str(Restarts()) == ""


def test_the_result_is_the_same_for_any_number_of_workers_and_each_time():
    values = table(25, 6, 400, 7)
    nets = [sl.learn(values, names=[f"x{i}" for i in range(25)], n_jobs=n_jobs) for n_jobs in (1, 2, 1)]
    assert len({(net.score, tuple(net.directed_edges)) for net in nets}) == 1
    assert "100 restarts" in str(nets[0].certificate)


def test_whole_numbers_of_numpy_are_numbers_of_restarts():
    net = sl.learn(table(5, 3, 100, 1), names=list("abcde"), restarts=np.int64(1))
    assert "1 restart" in str(net.certificate)


def test_fewer_restarts_are_usual_with_more_columns():
    assert [usual_restarts(n) for n in (10, 40, 100, 200)] == [100, 39, 25, 5]


def in_order(score, order):
    """The score of the best DAG with this order, by the choice of parents in Python."""
    return sum(choose_parents(score, v, frozenset(order[:place]), 60)[0] for place, v in enumerate(order))


@pytest.mark.parametrize("seed", range(4))
def test_no_other_order_of_some_consecutive_variables_is_better_where_windows_end(seed):
    n, width = 7, 6
    score = score_of(table(n, 5, 200, seed))
    start = np.random.default_rng(seed).permutation(n)
    order = start.copy()
    order_windows(score._matrix, order, NOTHING_KNOWN, 200.0, score._cost, 2 * score.patience, 60, 1e-6)
    reached = in_order(score, order.tolist())
    assert reached >= in_order(score, start.tolist()) - 1e-6
    for first in range(n - width + 1):
        head, window, tail = np.split(order, [first, first + width])
        for other in list(permutations(window.tolist()))[:: 1 + seed]:
            assert in_order(score, [*head.tolist(), *other, *tail.tolist()]) <= reached + 1e-5


def test_variables_that_explain_another_only_together_are_found_by_patience():
    """x and z are correlated by .044, which does not pay with 2,000 rows; given y, nearly a copy of x, by .98."""
    matrix = np.array([[1, 0.999, 0.044], [0.999, 1, 0.0], [0.044, 0.0, 1]])
    score = GaussianBic(sl.Correlation(matrix, 2000, list("xyz")), 1.0)
    assert score.local(2, {0}) < score.local(2, set())
    assert choose_parents(score, 2, frozenset({0, 1}), 60)[1] == {0, 1}
    assert score.search([0, 1, 2], everywhere(3)).score > score.local(1, {0}) + 100


def test_restarts_keep_required_arrows_and_make_no_forbidden_one():
    n, score = 12, score_of(table(12, 6, 300, 3))
    ways = np.ones((n, n), np.int8)
    ways[0, 5], ways[5, 0], ways[2, 3] = 2, 0, 0
    space = everywhere(n)._replace(ways=ways)
    found, _ = restarted(score, score.search(list(range(n)), space), space, None, 13, lambda: None)
    assert 0 in found.parents[5]
    assert 2 not in found.parents[3]
    assert found.order.index(0) < found.order.index(5)
    assert found.score == pytest.approx(total(score, found))


def test_an_annealed_order_has_the_best_parents_and_is_the_best_order_of_few_variables():
    score, space = score_of(table(7, 5, 200, 2)), everywhere(7)
    anneal = score.annealing([{}] * 7, space)
    found, again = (anneal(list(range(7)), 12_345) for _ in range(2))
    assert found == again
    assert found.score == pytest.approx(exact_search(score, space, None, lambda: None).score)
    for place, v in enumerate(found.order):
        sets = chain.from_iterable(combinations(found.order[:place], size) for size in range(place + 1))
        assert score.local(v, found.parents[v]) == pytest.approx(max(score.local(v, each) for each in sets))


def test_annealing_among_few_candidates_takes_required_parents_and_those_seen_most_often():
    n = 22
    score, ways = score_of(table(n, 4, 300, 5)), np.ones((n, n), np.int8)
    ways[0, 5], ways[5, 0], ways[1, 5] = 2, 0, 0
    space, seen = everywhere(n)._replace(ways=ways), [dict.fromkeys(range(n - 1, -1, -1), 1) for _ in range(n)]
    seen[7] = {3: 9, 4: 8}
    candidates = score._candidates(seen, space)
    assert candidates[7, :3].tolist() == [2, 3, 4]
    assert 0 in candidates[5, 1:]
    assert 1 not in candidates[5, 1:]
    order = [0, *range(n - 1, 0, -1)]
    found = score.annealing(seen, space)(order, 1)
    assert 0 in found.parents[5]
    assert found.score == pytest.approx(total(score, found))


def test_the_last_digits_of_correlations_change_nothing():
    values = table(25, 5, 60, 1)
    matrix, noise = np.corrcoef(values.T), np.triu(np.random.default_rng(0).choice([-1e-15, 1e-15], (25, 25)), 1)
    nets = [sl.learn(sl.Correlation(each, 60), restarts=5) for each in (matrix, matrix + noise + noise.T)]
    assert nets[0].edge_losses == pytest.approx(nets[1].edge_losses)
    assert set(nets[0].directed_edges) == set(nets[1].directed_edges)


def test_digits_are_kept_where_scores_need_them():
    matrix = np.array([[1, 1 - 1e-9], [1 - 1e-9, 1]])
    assert GaussianBic(sl.Correlation(matrix, 1000), 1.0).local(0, [1]) == pytest.approx(-500 * np.log(2e-9), abs=4)

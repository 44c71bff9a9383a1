"""Restarts: never worse than without, the same for any number of workers, and what they are made of is right."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.families.gaussian.kernels.reinsertion import Scored, Structure, begin, eliminate, reinsert
from sidelight.families.gaussian.score import GaussianBic
from sidelight.families.score import FoundParents, Space
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
    assert "80 restarts" in str(nets[0].certificate)


def test_whole_numbers_of_numpy_are_numbers_of_restarts():
    net = sl.learn(table(5, 3, 100, 1), names=list("abcde"), restarts=np.int64(1))
    assert "1 restart" in str(net.certificate)


def test_fewer_restarts_are_usual_with_more_columns():
    assert [usual_restarts(n) for n in (10, 40, 100, 200)] == [100, 50, 40, 5]


def by_elimination(score, v, before):
    """Drop the parent without which the score is highest, as long as it rises."""
    parents = frozenset(before)
    while parents:
        worst = max(sorted(parents), key=lambda x: score.local(v, parents - {x}))
        if score.local(v, parents - {worst}) <= score.local(v, parents):
            break
        parents -= {worst}
    return parents


def structure_of(found, n):
    parents, counts = np.zeros((n, n), np.int64), np.array([len(members) for members in found.parents])
    for v, members in enumerate(found.parents):
        parents[v, : len(members)] = sorted(members)
    order = np.array(found.order)
    return Structure(order, np.empty_like(order), parents, counts, np.empty(n), np.ones(n, np.bool_))


def problem_of(score, n):
    return Scored(score._matrix, np.ones((n, n), np.int8), score._n_rows, score._cost, 1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_elimination_is_that_of_the_definition(seed):
    n, score = 9, score_of(table(9, 6, 80, seed))
    order = np.random.default_rng(seed).permutation(n).tolist()
    structure, problem = structure_of(FoundParents((frozenset(),) * n, 0.0, order), n), problem_of(score, n)
    begin(problem, structure)
    before = structure.scores / 2
    precision = np.linalg.inv(score._matrix[np.ix_(order, order)])
    eliminate(problem, structure, precision)
    for place, v in enumerate(order):
        wanted = by_elimination(score, v, order[:place])
        better = max(score.local(v, wanted), before[v])
        assert structure.scores[v] / 2 == pytest.approx(better)


@pytest.mark.parametrize("seed", range(5))
def test_reinsertion_ends_at_a_dag_with_the_score_it_says_and_no_lower(seed):
    n, score = 15, score_of(table(15, 6, 200, seed))
    found = score.search(list(range(n)), everywhere(n)._replace(most_parents=3))
    structure, problem = structure_of(found, n), problem_of(score, n)
    begin(problem, structure)
    start = structure.scores.sum()
    reinsert(problem, structure)
    assert structure.scores.sum() >= start - 1e-9
    assert sorted(structure.order.tolist()) == list(range(n))
    for v in range(n):
        parents = structure.parents[v, : structure.counts[v]].tolist()
        assert all(structure.position[x] < structure.position[v] for x in parents)
        assert structure.scores[v] / 2 == pytest.approx(score.local(v, parents))


def test_reinsertion_keeps_required_arrows_and_makes_no_forbidden_one():
    n, score = 12, score_of(table(12, 6, 300, 3))
    ways = np.ones((n, n), np.int8)
    ways[0, 5], ways[5, 0], ways[2, 3] = 2, 0, 0
    space = everywhere(n)._replace(ways=ways)
    order = [0, *[v for v in range(n) if v != 0]]
    found, _ = restarted(score, score.search(order, space), space, None, 10, lambda: None)
    assert 0 in found.parents[5]
    assert 2 not in found.parents[3]

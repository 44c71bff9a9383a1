"""Scores that take a pass over the rows, and the searches that use them."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

import sidelight as sl
from sidelight.families.discrete.score import BayesianDirichlet, DiscreteBic, DiscreteRows, QuotientNml
from sidelight.families.gaussian.score import GaussianBic
from sidelight.families.score import Space, choose_parents, search_orders
from sidelight.graphs.dag import Dag
from sidelight.search.climbing import Supported, climb

SCORES = [BayesianDirichlet, DiscreteBic, QuotientNml]


def drawn(seed, n=5, rows=400, categories=3):
    """Columns, each a noisy copy of the one before it."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, categories, size=(rows, n), dtype=np.int8)
    for v in range(1, n):
        kept = rng.random(rows) < 0.6
        codes[kept, v] = codes[kept, v - 1]
    return DiscreteRows(codes, [categories] * n, tuple(range(n)))


def everything(n):
    return [set(range(n)) - {x} for x in range(n)]


def no_edges(n):
    return Dag(tuple(range(n)), tuple(frozenset() for _ in range(n)))


@pytest.mark.parametrize("kind", SCORES)
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), parents=st.sets(st.integers(1, 4), max_size=3))
def test_scores_of_one_more_parent_are_those_of_each_alone(kind, seed, parents):
    rows = drawn(seed, rows=60)
    others = sorted({1, 2, 3, 4} - parents)
    together = kind(rows).with_one_more(0, parents, others)
    assert together == pytest.approx([kind(rows).local(0, {*parents, y}) for y in others])


@pytest.mark.parametrize("kind", SCORES)
def test_many_combinations_of_categories_are_counted_like_few(kind):
    """Counts are dense while combinations are few for the rows, and numbered where they are many."""
    codes = np.random.default_rng(0).integers(0, 9, size=(40, 4), dtype=np.int8)
    padded = np.vstack([codes, np.zeros((20_000, 4), dtype=codes.dtype)])
    few_rows = kind(DiscreteRows(codes, [9] * 4, (0, 1, 2, 3)))
    many_rows = kind(DiscreteRows(padded, [9] * 4, (0, 1, 2, 3), np.r_[np.ones(40), np.zeros(20_000)]))
    assert few_rows.with_one_more(0, (1,), [2, 3]) == pytest.approx(many_rows.with_one_more(0, (1,), [2, 3]))


def exact_regret(n_rows, n_categories):
    """The logarithm of the multinomial's normalising sum, by its recursion (Kontkanen & Myllymäki 2007)."""
    h = np.arange(1, n_rows)
    binomial = gammaln(n_rows + 1) - gammaln(h + 1) - gammaln(n_rows - h + 1)
    two = 2 + np.exp(binomial + h * np.log(h / n_rows) + (n_rows - h) * np.log(1 - h / n_rows)).sum()
    before, now = 1.0, two
    for k in range(3, n_categories + 1):
        before, now = now, now + n_rows / (k - 2) * before
    return np.log(now)


@pytest.mark.parametrize("n_rows", [50, 1000])
@pytest.mark.parametrize("n_categories", [2, 5, 20, 80])
def test_the_cost_of_quotient_nml_is_near_the_exact_one(n_rows, n_categories):
    rows = DiscreteRows(np.zeros((n_rows, 1), dtype=np.int8), [n_categories], (0,))
    assert QuotientNml(rows).cost(0, ()) == pytest.approx(exact_regret(n_rows, n_categories), abs=0.1)


def test_the_score_bic_is_that_of_the_fitted_network():
    table = pd.DataFrame(sl.networks.load_discrete("asia").sample(2000, np.random.default_rng(0)))
    net = sl.learn(table, learner="hybrid", score="bic")
    assert net.score == pytest.approx(net.fit(table, equivalent_sample_size=0).bic(table))


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("seed", range(3))
def test_climbing_ends_where_no_single_edge_raises_the_score(kind, seed):
    score = kind(drawn(seed))
    found = climb(score, no_edges(5), Space(everything(5), 10))
    best, graph = score.total(found), found.to_networkx()
    for x in range(5):
        for y in set(range(5)) - {x}:
            changed = graph.copy()
            if graph.has_edge(x, y):
                changed.remove_edge(x, y)
            else:
                changed.add_edge(x, y)
            if nx.is_directed_acyclic_graph(changed):
                assert score.total(Dag.from_networkx(changed)) <= best + 1e-6


@pytest.mark.parametrize("kind", SCORES)
def test_searches_find_a_chain(kind):
    score, chain = kind(drawn(0, rows=2000)), {frozenset((v, v + 1)) for v in range(4)}
    climbed = climb(score, no_edges(5), Space(everything(5), 10))
    ordered = search_orders(score, [2, 0, 4, 1, 3], Space(everything(5), 10))
    for parents in (climbed.parents, ordered.parents):
        assert {frozenset((x, v)) for v, found in enumerate(parents) for x in found} == chain
    assert ordered.score == pytest.approx(score.total(Dag(tuple(range(5)), ordered.parents)))


def test_parents_are_grown_and_shrunk():
    """A noisy copy explains more than either of two parents alone, and nothing beside both."""
    rng = np.random.default_rng(0)
    one, two = rng.integers(0, 2, size=(2, 3000))
    both = one * 2 + two
    copy = np.where(rng.random(3000) < 0.8, both, rng.integers(0, 4, 3000))
    score = QuotientNml(
        DiscreteRows(np.column_stack([both, one, two, copy]).astype(np.int8), [4, 2, 2, 4], tuple("abcd"))
    )
    assert score.local(0, (3,)) > max(score.local(0, (1,)), score.local(0, (2,)))
    assert choose_parents(score, 0, frozenset({1, 2, 3}), 10)[1] == {1, 2}


def test_an_edge_that_tests_do_not_support_costs_more():
    score = BayesianDirichlet(drawn(0))
    supported = Supported(score, [{1}, {0}, set(), set(), set()], 7.0)
    assert supported.local(0, (1,)) == pytest.approx(score.local(0, (1,)))
    assert supported.local(0, (1, 2, 3)) == pytest.approx(score.local(0, (1, 2, 3)) - 14)
    more = supported.with_one_more(0, (2,), [1, 3])
    assert more == pytest.approx([supported.local(0, (1, 2)), supported.local(0, (2, 3))])


def test_an_edge_that_a_stricter_score_clearly_joins_costs_half_as_much():
    score = BayesianDirichlet(drawn(0))
    supported = Supported(score, [{1}, {0}, set(), set(), set()], 7.0, [{1, 2}, {0}, {0}, set(), set()])
    assert supported.local(0, (1, 2, 3)) == pytest.approx(score.local(0, (1, 2, 3)) - 10.5)
    assert supported.local(2, (0,)) == pytest.approx(score.local(2, (0,)) - 3.5)
    more = supported.with_one_more(0, (2,), [1, 3])
    assert more == pytest.approx([supported.local(0, (1, 2)), supported.local(0, (2, 3))])
    assert supported.ceiling(0, (1, 2, 3))((2,)) == pytest.approx(score.ceiling(0, (1, 2, 3))((2,)) - 3.5)


@pytest.mark.parametrize("seed", range(3))
def test_the_best_parents_are_those_of_a_greedy_choice(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(300, 8)) @ rng.normal(size=(8, 8))
    score = GaussianBic.extended(sl.Correlation(np.corrcoef(values.T), 300))
    order, anywhere = rng.permutation(8).tolist(), Space(everything(8), 8)
    for v in range(8):
        before = frozenset(order[: order.index(v)])
        assert score.best_parents(anywhere, order)[v] == choose_parents(score, v, before, 8)[1]
        assert score.best_parents(anywhere)[v] == choose_parents(score, v, frozenset(range(8)) - {v}, 8)[1]

"""Counts from marginal tables, against counting the rows."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.families.discrete import marginal_tables
from sidelight.families.discrete import test as contingency
from sidelight.families.discrete.marginal_tables import MarginalTables, RowsHere
from sidelight.families.discrete.score import BayesianDirichlet, DiscreteRows, QuotientNml
from sidelight.families.discrete.test import GSquare, MomentChiSquare, worth_counting

CATEGORIES = (2, 3, 4, 2, 3, 5)


def drawn(seed=0, n_rows=2000, kind=np.int8):
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, count, n_rows) for count in CATEGORIES]).astype(kind)
    codes[:, 3] = codes[:, 0] ^ (rng.random(n_rows) < 0.1)
    codes[:, 4] = (codes[:, 1] + codes[:, 3]) % 3
    return codes


def counted_by_hand(codes, columns, weights):
    counts = np.zeros([CATEGORIES[v] for v in columns])
    np.add.at(counts, tuple(codes[:, columns].T.astype(int)), weights)
    return counts.ravel()


@given(
    st.integers(0, 5),
    st.booleans(),
    st.integers(1, 200),
    st.lists(st.permutations(range(6)).flatmap(lambda p: st.integers(1, 4).map(lambda k: p[:k])), min_size=1),
)
def test_counts_of_any_columns_are_those_of_the_rows_whatever_was_asked_before(seed, weighted, per_cell, questions):
    codes, weights = drawn(seed), np.random.default_rng(seed).integers(0, 4, 2000).astype(float) if weighted else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(marginal_tables, "ROWS_PER_CELL", per_cell)
        patch.setattr(marginal_tables, "MOST_KEPT", 3000)
        tables = MarginalTables(RowsHere(codes, CATEGORIES, weights))
        for columns in questions:
            by_hand = counted_by_hand(codes, columns, 1.0 if weights is None else weights)
            assert np.array_equal(tables.counts(columns), by_hand)


def test_rows_are_counted_in_parts_and_by_several_threads_alike(monkeypatch):
    codes = drawn(n_rows=5001)
    monkeypatch.setattr(marginal_tables, "AT_ONCE", 700)
    counts = RowsHere(codes, CATEGORIES).tables([[0, 1], [5, 2, 3]])
    for columns, found in zip([[0, 1], [5, 2, 3]], counts, strict=True):
        assert np.array_equal(found, counted_by_hand(codes, columns, 1.0))


def test_no_pass_counts_more_cells_than_it_may(monkeypatch):
    monkeypatch.setattr(marginal_tables, "CELLS_AT_ONCE", 30)
    codes = drawn(n_rows=2000)
    tables = MarginalTables(RowsHere(codes, CATEGORIES))
    tables.prepare([0], [1, 2, 3, 4, 5])
    assert len(tables._kept) < 4
    for v in range(1, 6):
        assert np.array_equal(tables.counts([0, v]), counted_by_hand(codes, [0, v], 1.0))


def test_one_pass_answers_for_all_columns_that_have_few_combinations_together():
    class Counting(RowsHere):
        passes = 0

        def tables(self, groups):
            self.passes += len(groups)
            return super().tables(groups)

    rows = Counting(drawn(n_rows=50_000), CATEGORIES)
    tables = MarginalTables(rows)
    tables.prepare([0], [1, 2, 3, 4, 5])
    for columns in ([0, 1], [3, 4, 0], [5, 2], [1, 2, 3, 4]):
        tables.counts(columns)
    assert rows.passes == 1  # 720 combinations, and 781 are few


@pytest.mark.parametrize("kind", [MomentChiSquare, GSquare])
@pytest.mark.parametrize("per_cell", [1, 30, 1000])
def test_tests_answer_as_those_that_count_the_rows(kind, per_cell, monkeypatch):
    codes = drawn(1)
    plain = kind(codes, CATEGORIES, "abcdef")
    monkeypatch.setattr(contingency, "MANY_ROWS", 1)
    monkeypatch.setattr(marginal_tables, "ROWS_PER_CELL", per_cell)
    test = kind(codes, CATEGORIES, "abcdef")
    assert test.sample_size == plain.sample_size
    for x, others, given_these in [(0, [1, 3, 4], []), (1, [4, 0, 5], [3]), (3, [0], [1, 2, 4]), (0, [3], [])]:
        expected = plain.p_values(x, others, given_these)
        assert np.allclose(test.p_values(x, others, given_these), expected, rtol=1e-9)
        for y in others:
            expected_effect = plain.effect_size(x, y, given_these)
            assert test.effect_size(x, y, given_these) == pytest.approx(expected_effect, abs=1e-12)


@pytest.mark.parametrize("score", [BayesianDirichlet, QuotientNml])
@pytest.mark.parametrize("per_cell", [1, 30, 1000])
def test_scores_are_those_of_the_rows(score, per_cell, monkeypatch):
    codes = drawn(2)
    monkeypatch.setattr(marginal_tables, "ROWS_PER_CELL", per_cell)
    plain = score(DiscreteRows(codes, CATEGORIES, "abcdef"))
    counted = score(DiscreteRows(codes, CATEGORIES, "abcdef", None, MarginalTables(RowsHere(codes, CATEGORIES))))
    for v, parents in [(0, ()), (4, (1, 3)), (5, (0, 1, 2)), (3, (0,))]:
        assert counted.local(v, parents) == pytest.approx(plain.local(v, parents), rel=1e-12)
        others = [y for y in range(6) if y != v and y not in parents]
        expected = plain.with_one_more(v, parents, others)
        assert counted.with_one_more(v, parents, others) == pytest.approx(expected, rel=1e-12)


def test_a_network_is_the_same_with_marginal_tables(monkeypatch):
    table = sl.simulate(sl.networks.load("child"), 5000, "discrete", seed=1).table
    plain = sl.learn(table)
    monkeypatch.setattr(contingency, "MANY_ROWS", 1)
    counted = sl.learn(table)
    assert counted.directed_edges == plain.directed_edges
    assert counted.undirected_edges == plain.undirected_edges
    assert counted.n_tests == plain.n_tests


def test_marginal_tables_need_whole_weights_and_no_gaps(monkeypatch):
    monkeypatch.setattr(contingency, "MANY_ROWS", 100)
    codes = drawn()
    assert worth_counting(codes, None)
    assert worth_counting(codes, np.full(2000, 2.0))
    assert not worth_counting(codes, np.full(2000, 0.5))
    assert not worth_counting(codes[:50], None)
    codes[7, 1] = -1
    assert not worth_counting(codes, None)


def test_marginal_tables_are_sent_without_what_they_have_counted():
    tables = MarginalTables(RowsHere(drawn(), CATEGORIES))
    unused = pickle.dumps(tables)
    before = tables.counts([0, 1])
    assert pickle.dumps(tables) == unused  # it is the same test that answers
    sent = pickle.loads(unused)
    assert np.array_equal(sent.counts([0, 1]), before)

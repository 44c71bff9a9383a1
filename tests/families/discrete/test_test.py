"""G², χ² and χ² with exact moments, against scipy, against all permutations, and under independence."""

import warnings
from functools import partial
from itertools import permutations, product
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import gammaln

import sidelight as sl
from sidelight.tables.strings import Texts, code_columns

TESTS = [sl.GSquare, sl.ChiSquare, sl.MomentChiSquare]


def random_codes(seed, rows=80, levels=(2, 3, 4, 2, 3)):
    """Columns with dependences and, with so few rows, many empty strata."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, k, rows) for k in levels])
    codes[:, 1] = np.where(rng.random(rows) < 0.5, codes[:, 0], codes[:, 1])
    return codes.astype(np.int8)


def make(test, codes, levels=(2, 3, 4, 2, 3), **options):
    return test(np.asfortranarray(codes), levels, [f"v{i}" for i in range(len(levels))], **options)


def by_scipy(codes, levels, x, y, given, statistic):
    """The sum over the strata that occur of scipy's statistic on the rows and columns that occur."""
    value = freedom = 0
    for stratum in np.unique(codes[:, given], axis=0):
        rows = codes[(codes[:, given] == stratum).all(axis=1)]
        table = np.zeros((levels[x], levels[y]))
        np.add.at(table, (rows[:, x], rows[:, y]), 1)
        table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
        if min(table.shape) > 1:
            result = stats.chi2_contingency(table, correction=False, lambda_=statistic)
            value, freedom = value + result.statistic, freedom + result.dof
    return value, freedom


@pytest.mark.parametrize(("test", "statistic"), [(sl.GSquare, "log-likelihood"), (sl.ChiSquare, "pearson")])
@settings(max_examples=100)
@given(seed=st.integers(0, 10_000), question=st.permutations(range(5)), size=st.integers(0, 3))
def test_statistics_and_degrees_of_freedom_agree_with_scipy(test, statistic, seed, question, size):
    codes, (x, y, *rest) = random_codes(seed), question
    counts = make(test, codes).count(x, y, rest[:size])
    value, freedom = by_scipy(codes, (2, 3, 4, 2, 3), x, y, rest[:size], statistic)
    assert counts.statistic == pytest.approx(value)
    assert counts.freedom == freedom
    p = make(test, codes).p_value(x, y, rest[:size])
    assert p == (pytest.approx(stats.chi2.sf(value, freedom)) if freedom else 1.0)


def test_unadjusted_degrees_of_freedom_are_those_of_the_full_table():
    codes = random_codes(0)
    test = make(sl.GSquare, codes, adjusted=False)
    value = test.count(1, 2, [0, 3]).statistic
    assert test.p_value(1, 2, [0, 3]) == pytest.approx(stats.chi2.sf(value, 2 * 3 * 2 * 2))


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=6))
def test_mean_and_variance_are_those_over_all_permutations(rows):
    codes = np.array(rows, dtype=np.int8)
    counts = make(sl.MomentChiSquare, codes, (3, 3)).count(0, 1, [])
    values = []
    for order in permutations(range(len(rows))):
        shuffled = np.column_stack([codes[:, 0], codes[list(order), 1]])
        values.append(make(sl.ChiSquare, shuffled, (3, 3)).count(0, 1, []).statistic)
    assert counts.mean == pytest.approx(np.mean(values), abs=1e-9)
    assert counts.variance == pytest.approx(np.var(values), abs=1e-9)


def test_exact_moments_keep_the_level_where_strata_are_thin():
    """3000 draws under independence given four columns, five rows a stratum: only the exact moments are calibrated."""
    rng = np.random.default_rng(1)
    rejected = dict.fromkeys(TESTS, 0)
    for _ in range(3000):
        codes = rng.integers(0, 3, (400, 6)).astype(np.int8)
        for test in TESTS:
            rejected[test] += make(test, codes, (3,) * 6).p_value(0, 1, [2, 3, 4, 5]) < 0.05
    assert rejected[sl.MomentChiSquare] / 3000 == pytest.approx(0.05, abs=0.012)
    assert rejected[sl.GSquare] / 3000 > 0.15


def tables_with(row_sums, column_sums):
    """All 3×3 tables with these margins and their probabilities under independence."""
    total = sum(row_sums)
    fixed = sum(gammaln(k + 1) for k in (*row_sums, *column_sums)) - gammaln(total + 1)
    (r1, r2, _), (c1, c2, _) = row_sums, column_sums
    for a, b in product(range(min(r1, c1) + 1), range(min(r1, c2) + 1)):
        for c, d in product(range(min(r2, c1 - a) + 1), range(min(r2, c2 - b) + 1)):
            rows = np.array([[a, b, r1 - a - b], [c, d, r2 - c - d], [c1 - a - c, c2 - b - d, 0]], dtype=float)
            rows[2, 2] = row_sums[2] - rows[2].sum()
            if (rows >= 0).all():
                yield rows, np.exp(fixed - gammaln(rows + 1).sum())


@pytest.mark.parametrize(
    ("row_sums", "column_sums"),
    [((12, 8, 380), (10, 5, 385)), ((4, 2, 194), (3, 4, 193)), ((6, 70, 74), (4, 76, 70)), ((30, 9, 61), (3, 2, 95))],
)
def test_rare_categories_are_not_rejected_more_than_twice_as_often_as_the_level_says(row_sums, column_sums):
    """Exactly, over all tables with these margins, down to 1e-6."""
    cells = np.array(list(product(range(3), range(3))), dtype=np.int8)
    found = []
    for table, probability in tables_with(row_sums, column_sums):
        if probability > 1e-12:
            test = make(sl.MomentChiSquare, cells, (3, 3), weights=table.ravel())
            found.append((test.p_value(0, 1, []), probability))
    p, probability = np.array(found).T
    assert probability.sum() == pytest.approx(1, abs=1e-6)
    for alpha in (0.05, 0.01, 1e-3, 1e-4, 1e-5, 1e-6):
        assert probability[p <= alpha].sum() <= 2 * alpha


@pytest.mark.parametrize("test", TESTS)
def test_with_many_rows_p_values_are_uniform_under_independence(test):
    rng = np.random.default_rng(2)
    p = [make(test, rng.integers(0, 3, (600, 3)).astype(np.int8), (3,) * 3).p_value(0, 1, [2]) for _ in range(2000)]
    assert stats.kstest(p, "uniform").pvalue > 0.01


@pytest.mark.parametrize("test", TESTS)
def test_frequency_weights_count_a_row_as_so_many(test):
    codes = random_codes(3)
    weights = np.random.default_rng(0).integers(0, 4, len(codes))
    weighted = make(test, codes, weights=weights.astype(float))
    repeated = make(test, np.repeat(codes, weights, axis=0))
    for question in ((0, 1, []), (0, 1, [2]), (1, 2, [0, 3]), (0, 4, [1, 2, 3])):
        assert weighted.p_value(*question) == pytest.approx(repeated.p_value(*question))


@pytest.mark.parametrize("test", TESTS)
def test_a_missing_value_leaves_its_row_out_of_the_tests_of_its_column(test):
    codes = random_codes(4)
    gaps = codes.copy()
    gaps[:30, 2] = -1
    assert make(test, gaps).p_value(0, 1, [3]) == make(test, codes).p_value(0, 1, [3])
    for question in ((0, 2, []), (0, 1, [2]), (1, 4, [3, 2])):
        assert make(test, gaps).p_value(*question) == pytest.approx(make(test, codes[30:]).p_value(*question))


@pytest.mark.parametrize("test", TESTS)
def test_counts_that_support_no_test_reject_nothing_and_are_counted(test):
    codes = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 2], [1, 1, 3]], dtype=np.int8)
    asked = make(test, codes, (2, 2, 4))
    assert asked.p_value(0, 1, [2]) == 1.0  # one row in each stratum
    assert make(test, codes, (2, 2, 5)).p_value(0, 2, [1]) >= 0
    assert asked.n_undecided == 1


@pytest.mark.parametrize("test", TESTS)
@settings(max_examples=60)
@given(
    seed=st.integers(0, 10_000), question=st.permutations(range(5)), size=st.integers(0, 3), rows=st.integers(2, 200)
)
def test_bitmaps_cells_and_strata_count_alike(test, seed, question, size, rows):
    codes, (x, y, *rest) = random_codes(seed, rows), question
    codes[np.random.default_rng(seed).random(codes.shape) < 0.05] = -1
    given = rest[:size]
    by_bits = make(test, codes).count(x, y, given)
    by_cells = make(test, codes, (9,) * 5).count(x, y, given)  # too many levels for bitmaps
    by_weighted_cells = make(test, codes, weights=np.ones(rows)).count(x, y, given)
    by_strata = make(test, codes, (100,) * 5).count(x, y, given)  # too many cells for a table
    for other in (by_cells, by_weighted_cells, by_strata):
        assert other == pytest.approx(by_bits)


@pytest.mark.parametrize("name", ["g_sq", "chi_square"])
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), question=st.permutations(range(5)), size=st.integers(0, 2))
def test_p_values_agree_with_pgmpy(name, seed, question, size):
    """Also where strata are empty or have one row, which pgmpy leaves out as we do.

    It also applies Yates' correction wherever a stratum has one degree of freedom, which is switched off here.
    """
    pgmpy = pytest.importorskip("pgmpy.estimators.CITests")
    codes, (x, y, *rest) = random_codes(seed), question
    columns = [f"v{i}" for i in range(5)]
    frame = pd.DataFrame(codes, columns=columns)
    given = rest[:size]
    uncorrected = partial(stats.chi2_contingency, correction=False)
    with warnings.catch_warnings(), mock.patch("scipy.stats.chi2_contingency", uncorrected):
        warnings.simplefilter("ignore")
        theirs = getattr(pgmpy, name)(columns[x], columns[y], [columns[z] for z in given], frame, boolean=False)
    ours = make({"g_sq": sl.GSquare, "chi_square": sl.ChiSquare}[name], codes)
    counts = ours.count(x, y, given)
    assert counts.statistic == pytest.approx(theirs[0], abs=1e-9)
    assert counts.freedom == theirs[2]
    if counts.freedom:
        assert ours.p_value(x, y, given) == pytest.approx(theirs[1])


def test_many_columns_need_no_table_of_all_combinations():
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 10, (500, 30)).astype(np.int8)
    p = make(sl.MomentChiSquare, codes, (10,) * 30).p_value(0, 1, list(range(2, 30)))
    assert p == 1.0  # 10^28 combinations, no two rows alike


def test_strings_booleans_and_integers_are_coded():
    texts, others = Texts.of(["x", "y", "x"]), Texts.of(["a", None, "b"])
    columns = [texts, np.array([True, False, True]), np.array([7, 7, 9]), others]
    coded = code_columns(["s", "b", "i", "o"], columns)
    assert coded.codes.tolist() == [[0, 1, 0, 0], [1, 0, 0, -1], [0, 1, 1, 1]]
    assert coded.codes.dtype == np.int8
    assert coded.categories == (("x", "y"), (False, True), (7, 9), ("a", "b"))


def test_textbook_tests_warn_where_counts_are_small_and_the_default_does_not():
    rng = np.random.default_rng(6)
    rare = pd.DataFrame(rng.choice(list("ab"), (200, 3), p=[0.95, 0.05]), columns=list("xyz"))
    plain = pd.DataFrame(rng.choice(list("ab"), (2000, 3)), columns=list("xyz"))
    for test, frame, expected in (
        ("g2", rare, True),
        ("chi2", rare, True),
        ("chi2-moments", rare, False),
        ("chi2", plain, False),
    ):
        kinds = {finding.kind for finding in sl.diagnose(frame, test=test).warnings}
        assert ("sparse counts" in kinds) == expected

"""Fisher Z against regression residuals, extended precision, and itself in batches."""

from fractions import Fraction
from itertools import combinations
from math import erfc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import sidelight as sl
from sidelight.families.gaussian.correlation import moments
from sidelight.families.gaussian.test import critical_correlation, normal_statistic
from sidelight.families.options import DataOptions
from sidelight.prepare import prepare

ALPHA = 0.01


def table(n=7, rows=200, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((rows, n))
    for i in range(1, n):
        values[:, i] += values[:, :i] @ (rng.random(i) * rng.choice([-1, 0, 1], i))
    return values


def fisher_z(values):
    found = moments(values)
    return sl.FisherZ(sl.Correlation.computed(found.correlations, len(values), tuple(range(values.shape[1]))))


def p_value_by_regression(values, x, y, given):
    """Correlate the residuals of two regressions, then Fisher's transform: an independent computation."""
    design = np.column_stack([np.ones(len(values)), values[:, list(given)]])
    residuals = [values[:, v] - design @ np.linalg.lstsq(design, values[:, v], rcond=None)[0] for v in (x, y)]
    rho = stats.pearsonr(*residuals).statistic
    statistic = np.arctanh(rho) * np.sqrt(len(values) - len(given) - 3)
    return 2 * stats.norm.sf(abs(statistic))


@st.composite
def questions(draw):
    members = draw(st.lists(st.integers(0, 6), min_size=2, max_size=7, unique=True))
    return draw(st.integers(0, 50)), members


@settings(max_examples=100)
@given(questions())
def test_p_values_equal_those_of_regression_residuals(case):
    seed, (x, y, *given) = case
    values = table(seed=seed)
    assert fisher_z(values).p_value(x, y, given) == pytest.approx(
        p_value_by_regression(values, x, y, given), rel=1e-8, abs=1e-300
    )


@settings(max_examples=100)
@given(questions())
def test_batch_answers_equal_single_ones_and_p_values(case):
    seed, members = case
    test = fisher_z(table(seed=seed))
    answers = test.answers(members, ALPHA)
    for i, j in combinations(range(len(members)), 2):
        x, y = members[i], members[j]
        given = [z for z in members if z not in (x, y)]
        assert answers[i, j] == answers[j, i] == test.independent(x, y, given, ALPHA)
        assert answers[i, j] == (test.p_value(x, y, given) > ALPHA)
        assert test.p_value(x, y, given) == pytest.approx(test.p_value(y, x, given[::-1]), rel=1e-9)


@settings(max_examples=100)
@given(questions(), st.data())
def test_leaving_members_out_equals_asking_without_them(case, data):
    seed, members = case
    left_out = data.draw(st.lists(st.sampled_from(members), max_size=len(members) - 2, unique=True))
    test, other = fisher_z(table(seed=seed)), fisher_z(table(seed=seed))
    kept = [z for z in members if z not in left_out]
    assert (test.answers(members, ALPHA, left_out) == other.answers(kept, ALPHA)).all()


@given(questions())
def test_dependences_rank_candidates_by_partial_correlation(case):
    seed, (x, *rest) = case
    test = fisher_z(table(seed=seed))
    given_these, candidates = rest[: len(rest) // 2], rest[len(rest) // 2 :]
    expected = [abs(test.partial_correlation(x, y, given_these)) for y in candidates]
    assert test.dependences(x, candidates, given_these) == pytest.approx(expected, abs=1e-10)


def exact_partial_correlation(matrix, x, y, given):
    """The same in rational arithmetic, from the same float64 matrix: no rounding at all."""
    index = [*given, x, y]
    rows = [[Fraction(float(matrix[i, j])) for j in index] for i in index]
    for k in range(len(given)):
        for i in range(k + 1, len(index)):
            share = rows[i][k] / rows[k][k]
            rows[i] = [a - share * b for a, b in zip(rows[i], rows[k], strict=True)]
    return float(rows[-2][-1]) / np.sqrt(float(rows[-2][-2]) * float(rows[-1][-1]))


@pytest.mark.parametrize("noise", [1e-2, 1e-4, 1e-6])
def test_ill_conditioned_matrices_agree_with_exact_arithmetic(noise):
    """Chains of near copies: the smaller the noise, the larger the condition number, up to 1e12 and more."""
    rng = np.random.default_rng(3)
    values = rng.standard_normal((500, 6))
    for i in range(1, 6):
        values[:, i] = values[:, i - 1] + noise * values[:, i]
    test = fisher_z(values)
    condition = test.correlation.condition_number
    assert condition > 0.1 / noise**2
    for x, y, *rest in ([0, 2, 1], [0, 5, 1, 2, 3], [1, 3, 0, 2, 4, 5], [4, 5, 0, 1, 2, 3]):
        exact = exact_partial_correlation(test.correlation.matrix, x, y, rest)
        found = test.partial_correlation(x, y, rest)
        assert np.isfinite(found)
        assert found == pytest.approx(exact, abs=max(1e-12, 20 * condition * 2.3e-16))


def test_a_determined_variable_is_independent_of_everything_and_nothing_is_nan():
    values = table(4)
    values = np.column_stack([values, values[:, 0] + 2 * values[:, 1], values[:, 3]])  # 4 = 0 + 2·1, 5 = 3
    test = fisher_z(values)
    assert test.p_value(2, 4, [0, 1]) == 1.0
    assert test.p_value(0, 3, [5]) == 1.0
    assert test.partial_correlation(2, 3, [0, 1, 4]) == pytest.approx(test.partial_correlation(2, 3, [0, 1]))
    for members in ([0, 1, 2, 4], [3, 5, 0], [0, 1, 2, 3, 4, 5]):
        answers = test.answers(members, ALPHA)
        for i, j in combinations(range(len(members)), 2):
            given = [z for z in members if z not in (members[i], members[j])]
            assert answers[i, j] == (test.p_value(members[i], members[j], given) > ALPHA)
    assert np.isfinite(test.dependences(2, [3, 4, 5], [0, 1])).all()


def test_with_too_few_samples_nothing_is_rejected():
    values = table(5, rows=6)
    test = fisher_z(values)
    assert test.p_value(0, 1, [2, 3, 4]) == 1.0
    assert test.independent(0, 1, [2, 3, 4], ALPHA)


@given(st.integers(1, 10_000), st.floats(1e-12, 0.5))
def test_the_critical_correlation_has_the_level_as_its_p_value(freedom, alpha):
    rho = critical_correlation(freedom, alpha)
    if rho < 1 - 1e-9:
        assert erfc(normal_statistic(rho, freedom) / 2**0.5) == pytest.approx(alpha, rel=1e-6)


@given(st.integers(12, 100), st.floats(0, 0.9))
def test_with_few_rows_p_values_are_those_of_students_t(rows, rho):
    test = sl.FisherZ(sl.Correlation.computed(np.array([[1, rho], [rho, 1]]), rows, ("x", "y")))
    by_t = 2 * stats.t.sf(rho * ((rows - 2) / (1 - rho**2)) ** 0.5, rows - 2)
    if by_t > 1e-9:
        assert test.p_value(0, 1, []) == pytest.approx(by_t, rel=0.2 if by_t < 1e-4 else 0.05)
    assert test.p_values(0, [1], [])[0] == pytest.approx(test.p_value(0, 1, []), rel=1e-9)


def test_under_independence_p_values_are_uniform():
    rng = np.random.default_rng(11)
    p = [fisher_z(rng.standard_normal((60, 4))).p_value(0, 1, [2, 3]) for _ in range(3000)]
    assert stats.kstest(p, "uniform").pvalue > 0.01


@pytest.mark.parametrize("candidates", [[1, 3], np.array([1, 3]), np.array([-1]), np.array([0.5])])
@pytest.mark.parametrize("n_samples", [3, 100])
def test_candidates_beyond_the_variables_are_refused(candidates, n_samples):
    test = sl.FisherZ(sl.Correlation(np.eye(3), n_samples))
    for ask in (test.dependences, test.p_values):
        with pytest.raises(sl.InputError, match="0 … 2"):
            ask(0, candidates, [])


@pytest.mark.parametrize(("rows", "n_given"), [(20, 10), (1000, 5)])
def test_normal_scores_keep_their_significance_level_given_others_whatever_the_margins(rows, n_given):
    """Under a Gaussian copula; 12 of 300 at 0.01 are beyond chance (p < 0.0001)."""
    rng, given = np.random.default_rng(0), range(2, n_given + 2)
    rejected = 0
    for _ in range(300):
        common = rng.standard_normal((rows, n_given)) + 0.7 * rng.standard_normal((rows, 1))
        pair = common @ rng.uniform(-1, 1, (n_given, 2)) + rng.standard_normal((rows, 2))
        frame = pd.DataFrame(np.sinh(np.column_stack([pair, common])))
        test = prepare(frame, DataOptions(correlation="normal-scores")).test
        rejected += test.p_value(0, 1, given) <= 0.01
    assert rejected < 12

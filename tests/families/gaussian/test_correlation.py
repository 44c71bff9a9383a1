import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.families.gaussian.correlation import BLOCK_BYTES, moments
from sidelight.families.gaussian.ranks import normal_scores


def correlated(rows, columns, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((rows, columns)) @ rng.standard_normal((columns, columns))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int8, np.bool_])
def test_correlations_agree_with_numpy_for_every_layout_and_type(order, dtype):
    values = correlated(500, 7)
    values = np.asarray(values > 0 if dtype is np.bool_ else values * 3, dtype=dtype, order=order)
    found = moments(values)
    wide = values.astype(np.float64)
    assert np.allclose(found.correlations, np.corrcoef(wide.T), atol=1e-13)
    assert np.allclose(found.means, wide.mean(axis=0))
    assert np.allclose(found.variances, wide.var(axis=0, ddof=1))


def test_the_diagonal_of_the_inverse_is_that_of_numpy_s_inverse():
    found = moments(correlated(300, 9)).correlation
    assert np.allclose(found.inverse_diagonal(), np.diagonal(np.linalg.inv(found.matrix)), rtol=1e-9)


def test_several_blocks_give_what_one_gives():
    rows = 3 * BLOCK_BYTES // (8 * 64) + 17
    values = correlated(rows, 64)
    assert np.allclose(moments(values).correlations, np.corrcoef(values.T), atol=1e-13)


def test_a_view_with_gaps_is_read_in_place():
    values = correlated(400, 12)
    assert np.allclose(moments(values[::2, 1::3]).correlations, np.corrcoef(values[::2, 1::3].T), atol=1e-13)


@pytest.mark.parametrize("offset", [1e6, 1e9, -1e12])
def test_large_offsets_and_trends_cost_no_digits(offset):
    """Compared with the same correlations in extended precision."""
    values = np.round(correlated(3000, 5) * 1024) / 1024 + offset  # exactly representable after the shift
    values[:, 0] += np.arange(3000)
    wide = values.astype(np.longdouble)
    centred = wide - wide.mean(axis=0)
    products = centred.T @ centred
    expected = products / np.sqrt(np.outer(np.diagonal(products), np.diagonal(products)))
    assert np.abs(moments(values).correlations - expected.astype(float)).max() < 1e-12


@given(st.integers(0, 40), st.integers(0, 5), st.integers(0, 1000))
def test_rows_in_any_order_give_the_same_correlations(rows, columns, seed):
    values = correlated(rows, columns, seed)
    shuffled = np.random.default_rng(seed).permutation(values)
    assert np.allclose(moments(values).correlations, moments(shuffled).correlations, atol=1e-12, equal_nan=True)


def test_a_missing_value_shows_in_its_own_column_only():
    values = correlated(100, 4)
    values[17, 2] = np.nan
    assert np.isnan(moments(values).means).tolist() == [False, False, True, False]


def test_the_input_is_not_changed():
    values = correlated(50, 3)
    before = values.copy()
    moments(values)
    assert (values == before).all()


def scores(values):
    return normal_scores(np.asarray(values), lambda: None)


def test_normal_scores_do_not_see_monotone_transforms():
    values = correlated(300, 4)
    bent = np.column_stack([np.exp(values[:, 0]), values[:, 1] ** 3, -1 / (1 + np.exp(values[:, 2])), values[:, 3]])
    assert np.array_equal(scores(values).correlations, scores(bent).correlations)


def test_normal_scores_estimate_the_gaussian_correlation():
    rng = np.random.default_rng(1)
    values = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=4000)
    assert scores(values).correlations[0, 1] == pytest.approx(0.6, abs=0.03)


def test_normal_scores_are_the_normal_quantiles_of_the_ranks():
    from scipy import stats

    values = np.round(correlated(200, 2), 1)  # with ties
    quantiles = [stats.norm.ppf(stats.rankdata(column) / 201) for column in values.T]
    assert scores(values).correlations[0, 1] == pytest.approx(stats.pearsonr(*quantiles).statistic)


def test_normal_scores_show_a_column_that_is_not_finite_and_no_outliers():
    values = correlated(100, 3)
    values[7, 0], values[8, 1], values[9, 2] = np.nan, np.inf, 1e12
    found = scores(values)
    assert np.isfinite(found.means).tolist() == [False, False, True]
    assert found.extremes[2] / np.sqrt(found.variances[2]) < 4


def test_the_inverse_and_the_condition_number_agree_with_numpy():
    matrix = np.corrcoef(correlated(200, 6).T)
    correlation = sl.Correlation(matrix, 200)
    assert np.allclose(np.tril(correlation.inverse()), np.tril(np.linalg.inv(matrix)))
    assert correlation.condition_number == pytest.approx(np.linalg.cond(matrix, 1), rel=0.5)
    assert not correlation.is_singular


def test_nothing_that_is_computed_from_a_correlation_changes_it():
    """The inverse comes out the same every time, and a copy is no larger than the matrix."""
    correlation = sl.Correlation(np.corrcoef(correlated(200, 40).T), 200)
    bare = len(pickle.dumps(correlation))
    first, pivot = correlation.inverse(), correlation.smallest_pivot
    assert np.array_equal(np.tril(first), np.tril(correlation.inverse()))
    assert correlation.smallest_pivot == pivot
    assert correlation.condition_number < np.inf
    assert len(pickle.dumps(correlation)) < bare + 200


def test_a_singular_matrix_has_no_inverse():
    correlation = sl.Correlation(np.ones((2, 2)), 9)
    assert correlation.is_singular
    assert correlation.condition_number == np.inf
    with pytest.raises(np.linalg.LinAlgError):
        correlation.inverse()


def test_a_matrix_without_columns_is_its_own_inverse():
    correlation = sl.Correlation(np.empty((0, 0)), 9)
    assert not correlation.is_singular
    assert correlation.inverse().shape == (0, 0)


@pytest.mark.parametrize(
    ("matrix", "n_samples", "names", "message"),
    [
        ([[1, 0]], 9, None, r"must be square; got one of shape \(1, 2\)"),
        ([[1, 0], [0, 1]], 9, ["a"], "2 columns, but 1 names were given"),
        ([[1, 0], [0, 1]], 9, ["a", "a"], "'a' is used twice"),
        ([[1, 0], [0, 1]], 0, None, "n_samples must be .*; got 0"),
        ([[1, 0], [0, 1]], 2.5, None, "n_samples must be .*; got 2.5"),
        ([[1, np.nan], [np.nan, 1]], 9, ["a", "b"], "correlation of 'a' and 'b' is nan"),
        ([[4, 0], [0, 1]], 9, ["a", "b"], "is this a covariance matrix"),
        ([[0.5, 0], [0, 1]], 9, ["a", "b"], "'a' with itself is 0.5"),
        ([[1, 0.3], [0.2, 1]], 9, ["a", "b"], "not symmetric"),
        ([[1, 0.9, 0.9], [0.9, 1, -0.9], [0.9, -0.9, 1]], 9, None, "must be positive semidefinite"),
    ],
)
def test_a_matrix_that_is_no_correlation_matrix_is_refused(matrix, n_samples, names, message):
    with pytest.raises(sl.InputError, match=message):
        sl.Correlation(matrix, n_samples, names)


def test_a_matrix_that_cannot_be_written_to_is_copied_and_any_other_is_not():
    """Kernels are compiled for arrays that can be."""
    matrix = np.eye(3)
    assert sl.Correlation(matrix, 10).matrix is matrix
    matrix.flags.writeable = False
    copy = sl.Correlation(matrix, 10).matrix
    assert copy.flags.writeable
    assert np.array_equal(copy, matrix)

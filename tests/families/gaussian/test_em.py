import numpy as np
import pytest

from sidelight.families.gaussian.em import effective_size, em_moments


def correlations(columns, seed=0):
    rng = np.random.default_rng(seed)
    return np.corrcoef(rng.standard_normal((columns, 3 * columns)))


def gaps(rows, columns, rate, seed=0):
    there = np.random.default_rng(seed).random((rows, columns)) >= rate
    return np.unique(there, axis=0, return_counts=True)


def partial_correlation(matrix):
    inverse = np.linalg.inv(matrix)
    return -inverse[0, 1] / np.sqrt(inverse[0, 0] * inverse[1, 1])


def size_from_the_information_matrix(matrix, patterns, counts):
    """By the textbook: the information on all entries of the covariance matrix, inverted, and a numerical gradient."""
    n = len(matrix)
    entries = [(i, j) for i in range(n) for j in range(i + 1)]
    bases = np.zeros((len(entries), n, n))
    for basis, (i, j) in zip(bases, entries, strict=True):
        basis[i, j] = basis[j, i] = 1
    information = np.zeros((len(entries), len(entries)))
    for there, count in zip(patterns, counts, strict=True):
        inverse = np.zeros((n, n))
        inverse[np.ix_(there, there)] = np.linalg.inv(matrix[np.ix_(there, there)])
        scaled = inverse @ bases
        information += count / 2 * np.einsum("aij,bji->ab", scaled, scaled)
    step = 1e-6
    gradient = np.array(
        [(partial_correlation(matrix + step * b) - partial_correlation(matrix - step * b)) / (2 * step) for b in bases]
    )
    variance = gradient @ np.linalg.solve(information, gradient)
    return (1 - partial_correlation(matrix) ** 2) ** 2 / variance


@pytest.mark.parametrize("columns", [2, 3, 6])
def test_complete_rows_count_in_full(columns):
    complete = np.ones((1, columns), dtype=np.bool_)
    assert effective_size(correlations(columns), complete, np.array([77.0])) == pytest.approx(77)


@pytest.mark.parametrize(("columns", "rate"), [(2, 0.3), (3, 0.5), (5, 0.3), (6, 0.5)])
def test_the_effective_size_is_that_of_the_whole_information_matrix(columns, rate):
    matrix, (patterns, counts) = correlations(columns, seed=1), gaps(300, columns, rate)
    inverse = np.linalg.inv(matrix)
    inverse[0, 1] = inverse[1, 0] = 0.0
    matrix = np.linalg.inv(inverse)  # the first two columns are independent given the others
    expected = size_from_the_information_matrix(matrix, patterns, counts)
    assert effective_size(matrix, patterns, counts.astype(float)) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("rho", [0.0, 0.9])
def test_rows_that_lack_one_of_two_columns_count_for_nothing_however_strongly_they_seem_to_depend(rho):
    patterns, counts = gaps(300, 2, 0.4)
    both = counts[patterns.all(axis=1)].sum()
    matrix = np.array([[1, rho], [rho, 1]])
    assert effective_size(matrix, patterns, counts.astype(float)) == pytest.approx(both)


def test_columns_that_are_never_seen_together_have_no_size():
    matrix = correlations(3)
    apart = np.array([[True, False, True], [False, True, True]])
    assert effective_size(matrix, apart, np.array([500.0, 500.0])) == 0


def test_without_gaps_em_gives_the_usual_moments():
    values = np.random.default_rng(0).standard_normal((200, 4)) @ correlations(4)
    assert np.allclose(em_moments(values).correlations, np.corrcoef(values.T), atol=1e-5)

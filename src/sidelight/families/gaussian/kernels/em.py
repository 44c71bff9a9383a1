"""Numba kernels for the EM algorithm on Gaussian rows with gaps: arrays in, arrays out."""

from __future__ import annotations

import numpy as np

from sidelight.kernels.compiling import njit

SMALLEST_PIVOT = 1e-12  # of standardised columns; what others leave so little of adds nothing to them


@njit(cache=True)
def _factor(covariance, present, lower):
    """Write the Cholesky factor of the columns that are present; return half the logarithm of the determinant."""
    total = 0.0
    for i in range(len(present)):
        for j in range(i + 1):
            value = covariance[present[i], present[j]]
            for h in range(j):
                value -= lower[i, h] * lower[j, h]
            if i > j:
                lower[i, j] = value / lower[j, j]
            elif value > SMALLEST_PIVOT:
                lower[i, i] = np.sqrt(value)
                total += np.log(lower[i, i])
            else:
                lower[i, i] = np.inf
    return total


@njit(cache=True)
def solve_lower(lower, right, k):
    """Overwrite the first k entries of a vector with the solution of ``lower`` · solution = vector."""
    for i in range(k):
        value = right[i]
        for h in range(i):
            value -= lower[i, h] * right[h]
        right[i] = value / lower[i, i]


@njit(cache=True)
def _add_row(row, mean, weight, present, absent, lower, explaining, sums, products):
    """Add a row's deviations, gaps filled by their regression on the rest; return the squared length of the rest."""
    k, deviation, solved = len(present), np.empty(len(row)), np.empty(len(present))
    for i in range(k):
        deviation[present[i]] = solved[i] = row[present[i]] - mean[present[i]]
    solve_lower(lower, solved, k)
    for a in range(len(absent)):
        value = 0.0
        for i in range(k):
            value += explaining[a, i] * solved[i]
        deviation[absent[a]] = value
    for i in range(len(row)):
        sums[i] += weight * deviation[i]
        for j in range(i + 1):
            products[i, j] += weight * deviation[i] * deviation[j]
    length = 0.0
    for i in range(k):
        length += solved[i] * solved[i]
    return length


@njit(cache=True)
def expected_moments(values, weights, start, patterns, mean, covariance):
    """The mean and covariance of rows whose gaps are filled as these moments say, and the rows' log-likelihood.

    Rows ``start[i] … start[i + 1]`` have the values that pattern i says are there.
    """
    n = len(mean)
    sums, products, lower, total, likelihood = np.zeros(n), np.zeros((n, n)), np.empty((n, n)), 0.0, 0.0
    for pattern in range(len(patterns)):
        present, absent = np.flatnonzero(patterns[pattern]), np.flatnonzero(~patterns[pattern])
        scale = _factor(covariance, present, lower) + 0.5 * len(present) * np.log(2 * np.pi)
        explaining = np.empty((len(absent), len(present)))
        for a in range(len(absent)):
            for i in range(len(present)):
                explaining[a, i] = covariance[absent[a], present[i]]
            solve_lower(lower, explaining[a], len(present))
        count = 0.0
        for row in range(start[pattern], start[pattern + 1]):
            length = _add_row(values[row], mean, weights[row], present, absent, lower, explaining, sums, products)
            likelihood -= weights[row] * (scale + 0.5 * length)
            count += weights[row]
        for a in range(len(absent)):  # what the regressions leave open
            for b in range(a + 1):
                left = covariance[absent[a], absent[b]] - (explaining[a] * explaining[b]).sum()
                products[absent[a], absent[b]] += count * left
        total += count
    for i in range(n):
        for j in range(i):
            products[j, i] = products[i, j]
    sums /= total
    return mean + sums, products / total - np.outer(sums, sums), likelihood

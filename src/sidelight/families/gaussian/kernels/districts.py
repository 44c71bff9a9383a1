"""Numba kernel that fits the variables that ↔ connects: residual iterative conditional fitting.

One variable at a time is regressed on its parents and on what the residuals of the others say of each of its spouses
(Drton, Eichler and Richardson, JMLR 2009, Algorithm 1), until the likelihood no longer rises.
"""

from __future__ import annotations

import numpy as np

from sidelight.families.gaussian.kernels.em import solve_lower
from sidelight.kernels import DETERMINED
from sidelight.kernels.compiling import njit


@njit(cache=True)
def _factorised(matrix, n):
    """Overwrite the lower half with the Cholesky factor; what others determine has an infinite pivot."""
    for i in range(n):
        for j in range(i + 1):
            value = matrix[i, j]
            for h in range(j):
                value -= matrix[i, h] * matrix[j, h]
            if i > j:
                matrix[i, j] = value / matrix[j, j]
            else:
                matrix[i, i] = np.sqrt(value) if value > DETERMINED * (1 + abs(matrix[i, i])) else np.inf


@njit(cache=True)
def _solve(factor, right, n):
    """Overwrite the first n entries with the solution of factor · factorᵀ · solution = right."""
    solve_lower(factor, right, n)
    for i in range(n - 1, -1, -1):
        value = right[i]
        for h in range(i + 1, n):
            value -= factor[h, i] * right[h]
        right[i] = value / factor[i, i]


@njit(cache=True)
def _residuals(covariance, effects, k):
    """The covariances of the residuals with the columns, and with each other."""
    with_columns = covariance[:k].copy()
    for v in range(k):
        for p in range(len(covariance)):
            if effects[v, p] != 0:
                for y in range(len(covariance)):
                    with_columns[v, y] -= effects[v, p] * covariance[p, y]
    among = with_columns[:, :k].copy()
    for v in range(k):
        for p in range(len(covariance)):
            if effects[v, p] != 0:
                for w in range(k):
                    among[w, v] -= effects[v, p] * with_columns[w, p]
    return with_columns, among


@njit(cache=True)
def _misfit(among, shared, k):
    """log det Ω + trace of Ω⁻¹ times the residuals' covariance, less the number of variables."""
    factor, total, column = shared.copy(), -1.0 * k, np.empty(k)
    _factorised(factor, k)
    for v in range(k):
        total += 2 * np.log(factor[v, v])
        column[:] = among[:, v]
        _solve(factor, column, k)
        total += column[v]
    return total


@njit(cache=True)
def _fit_one(v, covariance, parents, spouses, effects, shared, k):
    """Regress a variable on its parents and on what the other residuals say of its spouses; in place."""
    with_columns, among = _residuals(covariance, effects, k)
    n, rest = len(covariance), np.array([w for w in range(k) if w != v])
    causes = np.array([p for p in range(n) if parents[v, p]], dtype=np.int64)
    partners = np.array([i for i in range(k - 1) if spouses[v, rest[i]]], dtype=np.int64)
    factor = np.empty((k - 1, k - 1))
    for i in range(k - 1):
        for j in range(k - 1):
            factor[i, j] = shared[rest[i], rest[j]]
    _factorised(factor, k - 1)
    weights = np.zeros((len(partners), k - 1))  # of the residuals, for each spouse
    for q in range(len(partners)):
        weights[q, partners[q]] = 1.0
        _solve(factor, weights[q], k - 1)
    m, a = len(causes) + len(partners), len(causes)
    products, right = np.zeros((m, m)), np.zeros(m)
    for i in range(a):
        right[i] = covariance[causes[i], v]
        for j in range(i + 1):
            products[i, j] = covariance[causes[i], causes[j]]
    for q in range(len(partners)):
        for h in range(k - 1):
            right[a + q] += weights[q, h] * with_columns[rest[h], v]
            for j in range(a):
                products[a + q, j] += weights[q, h] * with_columns[rest[h], causes[j]]
            for r in range(q + 1):
                for g in range(k - 1):
                    products[a + q, a + r] += weights[q, h] * weights[r, g] * among[rest[h], rest[g]]
    solution = right.copy()
    _factorised(products, m)
    _solve(products, solution, m)
    left = covariance[v, v]
    for i in range(m):
        left -= solution[i] * right[i]
    for i in range(a):
        effects[v, causes[i]] = solution[i]
    explained = 0.0
    for q in range(len(partners)):
        w = rest[partners[q]]
        shared[v, w] = shared[w, v] = solution[a + q]
        for r in range(len(partners)):
            explained += solution[a + q] * solution[a + r] * weights[q, partners[r]]
    shared[v, v] = max(left, DETERMINED) + explained


@njit(cache=True)
def district_misfit(matrix, columns, parents, spouses, tolerance, most_rounds):
    """How far the best fit of a district stays from the correlations, in units of −2/N of the log-likelihood.

    The district's variables come first among the columns, the other parents after them; ``parents`` has a row for
    each of the district, ``spouses`` a row and column.
    """
    n, k = len(columns), len(parents)
    covariance = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            covariance[i, j] = matrix[columns[i], columns[j]]
    effects, shared = np.zeros((k, n)), np.zeros((k, k))
    no_spouses = np.zeros((k, k), dtype=np.bool_)
    for v in range(k):
        shared[v, v] = 1.0
    for v in range(k):
        _fit_one(v, covariance, parents, no_spouses, effects, shared, k)
    misfit = _misfit(_residuals(covariance, effects, k)[1], shared, k)
    for _ in range(most_rounds):
        for v in range(k):
            _fit_one(v, covariance, parents, spouses, effects, shared, k)
        before, misfit = misfit, _misfit(_residuals(covariance, effects, k)[1], shared, k)
        if before - misfit < tolerance:
            break
    return misfit

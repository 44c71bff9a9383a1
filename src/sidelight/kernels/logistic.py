# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
"""Numba kernels for multinomial logistic regression: the fit of a category on columns, and scores of another category.

Codes are 0, 1, …, k; category 0 is what the others are compared with. Column 0 of a design is constant.
"""

from __future__ import annotations

import numpy as np
from numba import njit

ITERATIONS = 25
RIDGE = 1e-2  # on slopes of standardised columns: categories that a column separates have a finite fit
ENOUGH = 1e-8  # improvement of the log-likelihood


@njit(cache=True)
def _probabilities(row, slopes, result):
    """Write the probabilities of the categories 1 … k for one row of the design; return the log of that of category 0.

    The exponents are at most 0, so that none overflows.
    """
    k = len(slopes)
    largest = 0.0
    for a in range(k):
        value = 0.0
        for j in range(len(row)):
            value += slopes[a, j] * row[j]
        result[a] = value
        largest = max(largest, value)
    total = np.exp(-largest)
    for a in range(k):
        result[a] = np.exp(result[a] - largest)
        total += result[a]
    for a in range(k):
        result[a] /= total
    return -largest - np.log(total)


@njit(cache=True)
def _derivatives(design, codes, weights, slopes, fitted, gradient, information):
    """Write fitted probabilities, gradient and information of the penalised log-likelihood, which is returned."""
    n, m = design.shape
    k = len(slopes)
    gradient[:], information[:] = 0.0, 0.0
    likelihood = 0.0
    for i in range(n):
        log_first = _probabilities(design[i], slopes, fitted[i])
        weight = weights[i] if len(weights) else 1.0
        likelihood += weight * (log_first if codes[i] == 0 else np.log(max(1e-300, fitted[i, codes[i] - 1])))
        for a in range(k):
            residual = weight * ((codes[i] == a + 1) - fitted[i, a])
            for j in range(m):
                gradient[a * m + j] += residual * design[i, j]
            for b in range(a + 1):
                w = weight * fitted[i, a] * ((a == b) - fitted[i, b])
                for j in range(m):
                    wj = w * design[i, j]
                    for h in range(m if b < a else j + 1):
                        information[a * m + j, b * m + h] += wj * design[i, h]
    for a in range(k):
        for j in range(1, m):
            likelihood -= RIDGE / 2 * slopes[a, j] ** 2
            gradient[a * m + j] -= RIDGE * slopes[a, j]
    for u in range(k * m):
        information[u, u] += RIDGE
        for v in range(u):
            information[v, u] = information[u, v]
    return likelihood


@njit(cache=True)
def fit(design, codes, n_categories, weights):
    """The probabilities of the categories but the first for each row, the gradient and the inverse information there.

    Newton's steps, halved where they overshoot.
    """
    n, m = design.shape
    k = n_categories - 1
    slopes, before = np.zeros((k, m)), np.zeros((k, m))
    fitted, gradient, information = np.empty((n, k)), np.empty(k * m), np.empty((k * m, k * m))
    best = -np.inf
    for _ in range(ITERATIONS):
        likelihood = _derivatives(design, codes, weights, slopes, fitted, gradient, information)
        if likelihood < best - ENOUGH:
            slopes = (slopes + before) / 2
            continue
        if likelihood - best < ENOUGH:
            break
        best = likelihood
        before = slopes.copy()
        slopes = slopes + np.linalg.solve(information, gradient).reshape((k, m))
    return fitted, gradient, np.linalg.inv(information)


@njit(cache=True)
def scores(design, codes, fitted, gradient, inverse, others, n_others, weights):
    """Scores for adding another category's indicators to a fit, their covariances, and the counts expected.

    Entry ``a * (n_others - 1) + b`` is about category a + 1 of the fit's and b + 1 of the other one. Scores and
    covariances are those given the scores of the design, which are near 0 already.
    """
    n, m = design.shape
    k, other = fitted.shape[1], n_others - 1
    size = k * other
    score, expected = np.zeros(size), np.zeros(size)
    covariance, cross = np.zeros((size, size)), np.zeros((size, k * m))
    for i in range(n):
        b = others[i] - 1
        if b < 0:
            continue
        weight = weights[i] if len(weights) else 1.0
        for a in range(k):
            u = a * other + b
            score[u] += weight * ((codes[i] == a + 1) - fitted[i, a])
            expected[u] += weight * fitted[i, a]
            for c in range(k):
                w = weight * fitted[i, a] * ((a == c) - fitted[i, c])
                covariance[u, c * other + b] += w
                for j in range(m):
                    cross[u, c * m + j] += w * design[i, j]
    explained = cross @ inverse
    return score - explained @ gradient, covariance - explained @ cross.T, expected

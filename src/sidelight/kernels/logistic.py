# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
"""Numba kernels for multinomial logistic regression: the fit of a category on columns, and scores of others.

Codes are 0, 1, …, k; category 0 is what the others are compared with. Column 0 of a design is constant.
"""

from __future__ import annotations

import numpy as np

from sidelight.kernels.compiling import njit

ITERATIONS = 25
RIDGE = 1e-2  # on the slopes of standardised columns: categories that a column separates have a finite fit
ENOUGH = 1e-2  # improvement of the log-likelihood; the scores are corrected for what is left


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
def _add_square(row, weight, top, left, information):
    """Add the weighted products of a row of the design with itself to a block on the diagonal or below it."""
    for j in range(len(row)):
        value = weight * row[j]
        line = information[top + j]
        for h in range(j + 1 if top == left else len(row)):
            line[left + h] += value * row[h]


@njit(cache=True)
def _derivatives(design, codes, weights, even, ridge, slopes, fitted, gradient, information):
    """Write fitted probabilities, gradient and information of the penalised log-likelihood, which is returned.

    Each row counts as so many rows of every category, ``even``, beside its own.
    """
    m, k = design.shape[1], len(slopes)
    likelihood = -ridge / 2 * (slopes**2).sum()
    gradient[:] = -ridge * slopes.ravel()
    information[:] = 0.0
    total = 1.0 + even * (k + 1)
    for i in range(len(design)):
        log_first = _probabilities(design[i], slopes, fitted[i])
        weight = weights[i] if len(weights) else 1.0
        likelihood += weight * (log_first if codes[i] == 0 else np.log(max(1e-300, fitted[i, codes[i] - 1])))
        if even:
            likelihood += weight * even * (log_first + np.log(np.maximum(1e-300, fitted[i])).sum())
        for a in range(k):
            residual = weight * ((codes[i] == a + 1) + even - total * fitted[i, a])
            for j in range(m):
                gradient[a * m + j] += residual * design[i, j]
            for b in range(a + 1):
                spread = weight * total * fitted[i, a] * ((a == b) - fitted[i, b])
                _add_square(design[i], spread, a * m, b * m, information)
    for u in range(k * m):
        information[u, u] += ridge
        for v in range(u):
            information[v, u] = information[u, v]
    return likelihood


@njit(cache=True)
def climb(design, codes, n_categories, weights, even, ridge, enough, iterations):
    """Slopes by category but the first, fitted probabilities, gradient and information at the largest likelihood.

    Newton's steps, halved where they overshoot, until one improves the likelihood by less than ``enough``.
    """
    n, m = design.shape
    k = n_categories - 1
    slopes, before = np.zeros((k, m)), np.zeros((k, m))
    fitted, gradient, information = np.empty((n, k)), np.empty(k * m), np.empty((k * m, k * m))
    best = -np.inf
    for _ in range(iterations):
        likelihood = _derivatives(design, codes, weights, even, ridge, slopes, fitted, gradient, information)
        if likelihood < best - enough:
            slopes = (slopes + before) / 2
            continue
        if likelihood - best < enough:
            break
        best = likelihood
        before = slopes.copy()
        slopes = slopes + np.linalg.solve(information, gradient).reshape((k, m))
    return slopes, fitted, gradient, information


@njit(cache=True)
def fit(design, codes, n_categories, weights):
    """Probabilities of the categories but the first for each row, the gradient and the inverse information there."""
    _, fitted, gradient, information = climb(design, codes, n_categories, weights, 0.0, RIDGE, ENOUGH, ITERATIONS)
    return fitted, gradient, np.linalg.inv(information)


@njit(cache=True)
def scores(design, codes, fitted, gradient, inverse, others, weights):
    """Scores for adding other columns to a fit, their covariances, and the sums of the columns that the fit expects.

    Entry ``a * others.shape[1] + b`` is about category a + 1 and the other column b. Scores and covariances are those
    given the scores of the design, which are near 0 already.
    """
    n, m = design.shape
    k, width = fitted.shape[1], others.shape[1]
    size = k * width
    score, expected = np.zeros(size), np.zeros(size)
    covariance, cross = np.zeros((size, size)), np.zeros((size, k * m))
    for i in range(n):
        weight = weights[i] if len(weights) else 1.0
        for b in range(width):
            value = weight * others[i, b]
            if value == 0:
                continue
            for a in range(k):
                u = a * width + b
                score[u] += value * ((codes[i] == a + 1) - fitted[i, a])
                expected[u] += value * fitted[i, a]
                for c in range(k):
                    w = value * fitted[i, a] * ((a == c) - fitted[i, c])
                    for d in range(width):
                        covariance[u, c * width + d] += w * others[i, d]
                    for j in range(m):
                        cross[u, c * m + j] += w * design[i, j]
    explained = cross @ inverse
    return score - explained @ gradient, covariance - explained @ cross.T, expected

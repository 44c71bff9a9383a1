"""Numba kernels for multinomial logistic regression: the fit of a category on columns, and scores of others.

Codes are 0, 1, …, k; category 0 is what the others are compared with. Column 0 of a design is constant.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sidelight.kernels.compiling import njit

ITERATIONS = 25
RIDGE = 1e-2  # on the slopes of standardised columns: categories that a column separates have a finite fit
ENOUGH = 1e-2  # improvement of the log-likelihood; the scores are corrected for what is left
SMALLEST_PIVOT = 1e-300

Floats = NDArray[np.float64]


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

    Each row counts as so many rows of every category, ``even``, beside its own. Of the information, which is symmetric,
    the lower half is written.
    """
    m, k = design.shape[1], len(slopes)
    likelihood = 0.0
    for a in range(k):
        for j in range(m):
            likelihood -= ridge / 2 * slopes[a, j] ** 2
            gradient[a * m + j] = -ridge * slopes[a, j]
    for u in range(k * m):
        for v in range(u):
            information[u, v] = 0.0
        information[u, u] = ridge
    total = 1.0 + even * (k + 1)
    for i in range(len(design)):
        row, probabilities, code = design[i], fitted[i], codes[i]
        weight = weights[i] if len(weights) else 1.0
        likelihood += weight * ((code == 0) + even) * _probabilities(row, slopes, probabilities)
        for a in range(k):
            share = (code == a + 1) + even
            if share > 0:
                likelihood += weight * share * np.log(max(1e-300, probabilities[a]))
            residual = weight * (share - total * probabilities[a])
            for j in range(m):
                gradient[a * m + j] += residual * row[j]
            for b in range(a + 1):
                spread = weight * total * probabilities[a] * ((a == b) - probabilities[b])
                _add_square(row, spread, a * m, b * m, information)
    return likelihood


@njit(cache=True)
def solve(matrix, vector, lower, result):
    """Solve a system of equations with a positive definite matrix, of which the lower half is read, by Cholesky.

    The factor is written to ``lower``. LAPACK's solver takes seconds to compile.
    """
    k = len(vector)
    for i in range(k):
        value = vector[i]
        for j in range(i + 1):
            total = matrix[i, j]
            for h in range(j):
                total -= lower[i, h] * lower[j, h]
            if i > j:
                lower[i, j] = total / lower[j, j]
                value -= lower[i, j] * result[j]
            else:
                lower[i, i] = np.sqrt(max(total, SMALLEST_PIVOT))
        result[i] = value / lower[i, i]
    for i in range(k - 1, -1, -1):
        value = result[i]
        for j in range(i + 1, k):
            value -= lower[j, i] * result[j]
        result[i] = value / lower[i, i]


@njit(cache=True)
def move(slopes, before, step, overshot):
    """Take a step of Newton's method, or half of the last one back where it went too far."""
    k, m = slopes.shape
    for a in range(k):
        for j in range(m):
            if overshot:
                slopes[a, j] = (slopes[a, j] + before[a, j]) / 2
            else:
                before[a, j] = slopes[a, j]
                slopes[a, j] += step[a * m + j]


@njit(cache=True)
def climb(
    design, codes, weights, even, ridge, enough, iterations, slopes, before, fitted, gradient, information, lower
):
    """Newton's steps from ``slopes``, halved where they overshoot, until one improves the likelihood by too little.

    Slopes, fitted probabilities, gradient and the lower half of the information are written; the rest is working space.
    """
    k, m = slopes.shape
    step, best = np.empty(k * m), -np.inf
    for _ in range(iterations):
        likelihood = _derivatives(design, codes, weights, even, ridge, slopes, fitted, gradient, information)
        if best - enough <= likelihood < best + enough:
            break
        overshot = likelihood < best
        if not overshot:
            best = likelihood
            solve(information, gradient, lower, step)
        move(slopes, before, step, overshot)


def fit(
    design: Floats,
    codes: NDArray[np.generic],
    n_categories: int,
    weights: Floats,
    even: float = 0.0,
    ridge: float = RIDGE,
    enough: float = ENOUGH,
    iterations: int = ITERATIONS,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Slopes by category but the first, fitted probabilities, gradient and information at the largest likelihood.

    Arrays are made here, and rows are contiguous, so that there is less to compile, and once.
    """
    n, m = design.shape
    k = n_categories - 1
    slopes, fitted, gradient = np.zeros((k, m)), np.empty((n, k)), np.empty(k * m)
    information, lower = np.zeros((2, k * m, k * m))
    found = slopes, np.zeros((k, m)), fitted, gradient, information, lower
    climb(np.ascontiguousarray(design), codes, weights, even, ridge, enough, iterations, *found)
    return slopes, fitted, gradient, symmetric(information)


def symmetric(lower: Floats) -> Floats:
    """The symmetric matrix whose lower half this is."""
    whole: Floats = np.tril(lower) + np.tril(lower, -1).T
    return whole


@njit(cache=True)
def scores(design, codes, fitted, others, weights, score, covariance, cross):
    """Add the scores for adding other columns to a fit, their covariances, and those with the scores of the fit.

    Entry ``a * others.shape[1] + b`` is about category a + 1 and the other column b.
    """
    m, k, width = design.shape[1], fitted.shape[1], others.shape[1]
    for i in range(len(design)):
        weight = weights[i] if len(weights) else 1.0
        for b in range(width):
            value = weight * others[i, b]
            if value == 0:
                continue
            for a in range(k):
                u = a * width + b
                score[u] += value * ((codes[i] == a + 1) - fitted[i, a])
                for c in range(k):
                    w = value * fitted[i, a] * ((a == c) - fitted[i, c])
                    for d in range(width):
                        covariance[u, c * width + d] += w * others[i, d]
                    for j in range(m):
                        cross[u, c * m + j] += w * design[i, j]

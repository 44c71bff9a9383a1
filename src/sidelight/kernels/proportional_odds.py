"""Numba kernels for proportional odds: the regression of an ordered category, and scores of other columns.

The log-odds of a category up to j are a threshold less a linear predictor (McCullagh 1980). Codes are 0, 1, …, k;
column 0 of a design is constant and not used, since the thresholds stand for it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sidelight.kernels.compiling import njit
from sidelight.kernels.logistic import ENOUGH, ITERATIONS, RIDGE, Floats, solve, symmetric

SMALLEST = 1e-12  # probability
LEAST_SHARE = 1e-6  # of a category that has no weight, so that the thresholds at the start are in order


@njit(cache=True)
def _cumulative(value):
    """The logistic function, without overflow."""
    if value >= 0:
        return 1 / (1 + np.exp(-value))
    small = np.exp(value)
    return small / (1 + small)


@njit(cache=True)
def _gradient(up_to, code, gradient):
    """Write the derivatives of log p of a category by the threshold below, by the one above, and by the predictor."""
    p = max(SMALLEST, up_to[code + 1] - up_to[code])
    gradient[0] = -up_to[code] * (1 - up_to[code]) / p
    gradient[1] = up_to[code + 1] * (1 - up_to[code + 1]) / p
    gradient[2] = up_to[code] + up_to[code + 1] - 1  # P(below) − P(above)
    return p


@njit(cache=True)
def _of_row(predictor, thresholds, up_to, gradient, information):
    """Write P(at most j) between 0 and 1, and the expected information on the thresholds and, last, the predictor.

    The information on two thresholds is 0 unless they are neighbours, and its lower half is written.
    """
    k = len(information) - 1
    up_to[0], up_to[k + 1] = 0.0, 1.0
    for j in range(k):
        up_to[j + 1] = _cumulative(thresholds[j] - predictor)
        information[j, j], information[k, j] = 0.0, 0.0
    information[k, k] = 0.0
    for code in range(k + 1):
        p = _gradient(up_to, code, gradient)
        below, above, own = gradient[0], gradient[1], gradient[2]
        information[k, k] += p * own * own
        if code > 0:  # there is no threshold below the first category, nor above the last
            information[code - 1, code - 1] += p * below * below
            information[k, code - 1] += p * below * own
        if code < k:
            information[code, code] += p * above * above
            information[k, code] += p * above * own
        if 0 < code < k:
            information[code, code - 1] = p * below * above


@njit(cache=True)
def _derivatives(design, codes, weights, even, ridge, values, fitted, up_to, own, row, gradient, information):
    """Write the values as fitted, gradient and, its lower half, information; return the penalised log-likelihood.

    Each row counts as so many rows of every category, ``even``, beside its own.
    """
    k = len(row) - 1
    size, likelihood, total = len(values), 0.0, 1.0 + even * (k + 1)
    for u in range(size):
        fitted[u] = values[u]
        penalty = ridge if u >= k else 0.0
        likelihood -= penalty / 2 * values[u] ** 2
        gradient[u] = -penalty * values[u]
        for v in range(u):
            information[u, v] = 0.0
        information[u, u] = penalty
    for i in range(len(design)):
        weight, code = weights[i] if len(weights) else 1.0, np.int64(codes[i])
        predictor = 0.0
        for u in range(k, size):
            predictor += design[i, u - k + 1] * values[u]
        _of_row(predictor, values, up_to, own, row)
        for category in range(k + 1):
            share = weight * ((category == code) + even)
            if share == 0:
                continue
            likelihood += share * np.log(_gradient(up_to, category, own))
            if category > 0:
                gradient[category - 1] += share * own[0]
            if category < k:
                gradient[category] += share * own[1]
            for u in range(k, size):
                gradient[u] += share * design[i, u - k + 1] * own[2]
        weight *= total
        for a in range(k):
            information[a, a] += weight * row[a, a]
            if a:
                information[a, a - 1] += weight * row[a, a - 1]
        for u in range(k, size):
            value = weight * design[i, u - k + 1]
            for a in range(k):
                information[u, a] += value * row[k, a]
            for v in range(k, u + 1):
                information[u, v] += value * design[i, v - k + 1] * row[k, k]
    return likelihood


@njit(cache=True)
def _in_order(thresholds, k):
    for j in range(1, k):  # noqa: SIM110 (a generator would not compile)
        if thresholds[j] <= thresholds[j - 1]:
            return False
    return True


@njit(cache=True)
def climb_ordered(
    design,
    codes,
    weights,
    even,
    ridge,
    enough,
    iterations,
    fitted,
    values,
    before,
    up_to,
    own,
    row,
    gradient,
    information,
    lower,
):
    """Fisher scoring from ``values``, with steps halved where they overshoot or cross thresholds.

    The values of the best fit, their gradient and the lower half of their information are written.
    """
    k, best = len(row) - 1, -np.inf
    step = np.empty(len(values))
    for _ in range(iterations):
        overshot = not _in_order(values, k)
        if not overshot:
            likelihood = _derivatives(
                design, codes, weights, even, ridge, values, fitted, up_to, own, row, gradient, information
            )
            if best - enough <= likelihood < best + enough:
                break
            overshot = likelihood < best
            if not overshot:
                best = likelihood
                solve(information, gradient, lower, step)
        for u in range(len(values)):
            if overshot:
                values[u] = (values[u] + before[u]) / 2
            else:
                before[u] = values[u]
                values[u] += step[u]


def fit_ordered(
    design: Floats,
    codes: NDArray[np.integer],
    n_categories: int,
    weights: Floats,
    even: float = 0.0,
    ridge: float = RIDGE,
    enough: float = ENOUGH,
    iterations: int = ITERATIONS,
) -> tuple[Floats, Floats, Floats]:
    """Thresholds, then slopes, as one array; the gradient and the information there."""
    m, k = design.shape[1] - 1, n_categories - 1
    counts = np.bincount(codes, weights if len(weights) else None, n_categories).astype(np.float64)
    counts += (even + LEAST_SHARE * (counts == 0)) * counts.sum()
    shares = np.cumsum(counts)[:k] / counts.sum()
    start = np.concatenate([np.log(shares / (1 - shares)), np.zeros(m)])
    fitted, values, before = start.copy(), start.copy(), start.copy()
    gradient, (information, lower) = np.empty(k + m), np.zeros((2, k + m, k + m))
    found = fitted, values, before, *working_space(k), gradient, information, lower
    climb_ordered(np.ascontiguousarray(design), codes, weights, even, ridge, enough, iterations, *found)
    return fitted, gradient, symmetric(information)


def working_space(k: int) -> tuple[Floats, Floats, Floats]:
    """For one row and so many thresholds: cumulative probabilities, derivatives and information."""
    return np.empty(k + 2), np.empty(3), np.zeros((k + 1, k + 1))


@njit(cache=True)
def ordered_scores(design, codes, fitted, others, weights, score, covariance, cross, up_to, own, row):
    """Add the scores for adding other columns to a fit, their covariances, and those with the scores of the fit."""
    k, size, width = len(row) - 1, len(fitted), others.shape[1]
    for i in range(len(design)):
        weight, predictor = weights[i] if len(weights) else 1.0, 0.0
        for u in range(k, size):
            predictor += design[i, u - k + 1] * fitted[u]
        _of_row(predictor, fitted, up_to, own, row)
        _gradient(up_to, np.int64(codes[i]), own)
        for b in range(width):
            value = weight * others[i, b]
            if value == 0:
                continue
            score[b] += value * own[2]
            for d in range(width):
                covariance[b, d] += value * others[i, d] * row[k, k]
            for a in range(k):
                cross[b, a] += value * row[k, a]
            for u in range(k, size):
                cross[b, u] += value * design[i, u - k + 1] * row[k, k]

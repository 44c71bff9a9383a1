# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
"""Numba kernels for ordered categories: proportional-odds regression, and sums of products within strata.

In the regression, the log-odds of a category up to j are a threshold less a linear predictor. Codes are 0, 1, …, k;
column 0 of a design is constant and not used, since the thresholds stand for it.
"""

from __future__ import annotations

import numpy as np

from sidelight.kernels.compiling import njit
from sidelight.kernels.logistic import ENOUGH, ITERATIONS, RIDGE

SMALLEST = 1e-12  # probability


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
    """Write P(at most j) between 0 and 1, and the expected information on the thresholds and, last, the predictor."""
    k = len(thresholds)
    up_to[0], up_to[k + 1] = 0.0, 1.0
    for j in range(k):
        up_to[j + 1] = _cumulative(thresholds[j] - predictor)
    information[:] = 0.0
    for code in range(k + 1):
        p = _gradient(up_to, code, gradient)
        for a, u in ((0, code - 1), (1, code), (2, k)):
            for b, v in ((0, code - 1), (1, code), (2, k)):
                # There is no threshold below the first category, nor above the last.
                if u >= 0 and v >= 0 and (u < k or a == 2) and (v < k or b == 2):
                    information[u, v] += p * gradient[a] * gradient[b]


@njit(cache=True)
def _derivatives(design, codes, weights, thresholds, slopes, gradient, information):
    """Write gradient and expected information of the penalised log-likelihood, which is returned."""
    m, k = len(slopes), len(thresholds)
    likelihood = -RIDGE / 2 * (slopes**2).sum()
    gradient[:], information[:] = 0.0, 0.0
    up_to, own, row = np.empty(k + 2), np.empty(3), np.empty((k + 1, k + 1))
    for i in range(len(design)):
        weight, code = weights[i] if len(weights) else 1.0, codes[i]
        predictor = 0.0
        for u in range(m):
            predictor += design[i, u + 1] * slopes[u]
        _of_row(predictor, thresholds, up_to, own, row)
        likelihood += weight * np.log(_gradient(up_to, code, own))
        if code > 0:
            gradient[code - 1] += weight * own[0]
        if code < k:
            gradient[code] += weight * own[1]
        for a in range(k):
            for b in range(k):
                information[a, b] += weight * row[a, b]
        for u in range(m):
            value = weight * design[i, u + 1]
            gradient[k + u] += value * own[2]
            for a in range(k):
                information[k + u, a] += value * row[k, a]
            for v in range(u + 1):
                information[k + u, k + v] += value * design[i, v + 1] * row[k, k]
    for u in range(k, k + m):
        gradient[u] -= RIDGE * slopes[u - k]
        information[u, u] += RIDGE
        for v in range(u):
            information[v, u] = information[u, v]
    return likelihood


@njit(cache=True)
def fit(design, codes, n_categories, weights):
    """Thresholds, then slopes, as one array; the gradient and the inverse information there.

    Fisher scoring, with steps halved where they overshoot or cross thresholds.
    """
    m, k = design.shape[1] - 1, n_categories - 1
    counts = np.zeros(n_categories)
    for i in range(len(codes)):
        counts[codes[i]] += weights[i] if len(weights) else 1.0
    shares = np.cumsum(counts)[:k] / counts.sum()
    values = np.concatenate((np.log(shares / (1 - shares)), np.zeros(m)))
    fitted, before = values, values
    gradient, information = np.empty(k + m), np.empty((k + m, k + m))
    best = -np.inf
    for _ in range(ITERATIONS):
        if (np.diff(values[:k]) <= 0).any():
            values = (values + before) / 2
            continue
        fitted = values
        likelihood = _derivatives(design, codes, weights, values[:k], values[k:], gradient, information)
        if likelihood < best - ENOUGH:
            values = (values + before) / 2
            continue
        if likelihood - best < ENOUGH:
            break
        best, before = likelihood, values
        values = values + np.linalg.solve(information, gradient)
    return fitted, gradient, np.linalg.inv(information)


@njit(cache=True)
def scores(design, codes, fitted, gradient, inverse, others, weights):
    """Scores for adding other columns to a fit, and their covariances, both given the scores of the fit."""
    m, width = design.shape[1] - 1, others.shape[1]
    k = len(fitted) - m
    score, covariance, cross = np.zeros(width), np.zeros((width, width)), np.zeros((width, k + m))
    up_to, own, row = np.empty(k + 2), np.empty(3), np.empty((k + 1, k + 1))
    for i in range(len(design)):
        weight, predictor = weights[i] if len(weights) else 1.0, 0.0
        for j in range(m):
            predictor += design[i, j + 1] * fitted[k + j]
        _of_row(predictor, fitted[:k], up_to, own, row)
        _gradient(up_to, codes[i], own)
        for b in range(width):
            value = weight * others[i, b]
            if value == 0:
                continue
            score[b] += value * own[2]
            for d in range(width):
                covariance[b, d] += value * others[i, d] * row[k, k]
            for a in range(k):
                cross[b, a] += value * row[k, a]
            for j in range(m):
                cross[b, k + j] += value * design[i, j + 1] * row[k, k]
    explained = cross @ inverse
    return score - explained @ gradient, covariance - explained @ cross.T


@njit(cache=True)
def products_in_strata(first, second, strata, n_strata, weights):
    """Sums over strata of products of deviations of two groups of columns, and their covariances under permutation.

    Within a stratum of n rows, the covariance of two products is that of the deviations of one group times that of the
    other, divided by n − 1 (Landis, Heyman & Koch 1978). Entry ``a * second.shape[1] + b`` is about columns a and b.
    """
    p, q = first.shape[1], second.shape[1]
    total = np.zeros(n_strata)
    sums_a, sums_b = np.zeros((n_strata, p)), np.zeros((n_strata, q))
    aa, bb, ab = np.zeros((n_strata, p, p)), np.zeros((n_strata, q, q)), np.zeros((n_strata, p, q))
    for i in range(len(strata)):
        s, weight = strata[i], weights[i] if len(weights) else 1.0
        total[s] += weight
        for a in range(p):
            sums_a[s, a] += weight * first[i, a]
            for c in range(p):
                aa[s, a, c] += weight * first[i, a] * first[i, c]
            for b in range(q):
                ab[s, a, b] += weight * first[i, a] * second[i, b]
        for b in range(q):
            sums_b[s, b] += weight * second[i, b]
            for d in range(q):
                bb[s, b, d] += weight * second[i, b] * second[i, d]
    products, covariance = np.zeros(p * q), np.zeros((p * q, p * q))
    for s in range(n_strata):
        if total[s] <= 1:
            continue
        for a in range(p):
            for b in range(q):
                products[a * q + b] += ab[s, a, b] - sums_a[s, a] * sums_b[s, b] / total[s]
                for c in range(p):
                    within_a = aa[s, a, c] - sums_a[s, a] * sums_a[s, c] / total[s]
                    for d in range(q):
                        within_b = bb[s, b, d] - sums_b[s, b] * sums_b[s, d] / total[s]
                        covariance[a * q + b, c * q + d] += within_a * within_b / (total[s] - 1)
    return products, covariance

"""Numba kernels of the mixed family: determinants of blocks, proportional-odds regression, and sums within strata.

In the regression of an ordered category, the log-odds of a category up to j are a threshold less a linear predictor.
Codes are 0, 1, …, k; column 0 of a design is constant and not used, since the thresholds stand for it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sidelight.kernels.compiling import njit
from sidelight.kernels.logistic import ENOUGH, ITERATIONS, RIDGE, Floats, solve, symmetric

SMALLEST = 1e-12  # probability


@njit(cache=True)
def log_unexplained(matrix, given, others, ends, own):
    """For each candidate, the log-determinant that the given columns and the candidate's leave of a block's own.

    Candidate i has the columns ``others[ends[i - 1] : ends[i]]``. The given columns are factored once.
    """
    n_given, n_own, widest = len(given), len(own), 0
    for i in range(len(ends)):
        widest = max(widest, ends[i] - (ends[i - 1] if i else 0))
    columns = np.empty(n_given + widest + n_own, dtype=np.int64)
    lower = np.empty((len(columns), len(columns)))
    for i in range(n_given):
        columns[i] = given[i]
        _add_to_factor(matrix, columns, lower, i)
    result = np.empty(len(ends))
    for i in range(len(ends)):
        place = n_given
        for other in range(ends[i - 1] if i else 0, ends[i]):
            columns[place] = others[other]
            _add_to_factor(matrix, columns, lower, place)
            place += 1
        total = 0.0
        for column in own:
            columns[place] = column
            total += np.log(_add_to_factor(matrix, columns, lower, place))
            place += 1
        result[i] = total
    return result


@njit(cache=True)
def _add_to_factor(matrix, columns, lower, i):
    """Write row i of the Cholesky factor of these columns; return its pivot, tiny if rounding made it non-positive."""
    for j in range(i):
        value = matrix[columns[i], columns[j]]
        for h in range(j):
            value -= lower[i, h] * lower[j, h]
        lower[i, j] = value / lower[j, j]
    pivot = matrix[columns[i], columns[i]]
    for h in range(i):
        pivot -= lower[i, h] ** 2
    pivot = max(pivot, 1e-12)
    lower[i, i] = np.sqrt(pivot)
    return pivot


@njit(cache=True)
def _log_determinant(matrix, first, first_end, second, second_end, columns, lower):
    """Of the part of a matrix with the columns from ``first`` and those from ``second`` on, in working space."""
    total, n_first = 0.0, first_end - first
    for i in range(n_first + second_end - second):
        columns[i] = first + i if i < n_first else second + i - n_first
        total += np.log(_add_to_factor(matrix, columns, lower, i))
    return total


@njit(cache=True)
def block_dependences(precision, start, tested):
    """For all pairs of blocks −log of det K_xy / (det K_x det K_y): 0 when independent given all the others.

    Of a block with fewer ``tested`` columns than it has, the first ones alone are compared; as a condition it is whole.
    That takes determinants of covariances, the inverse of K_xy, and each is one of K_xy without the tested columns.
    """
    k, n = len(start) - 1, len(precision)
    columns, lower, result = np.empty(n, dtype=np.int64), np.empty((n, n)), np.zeros((k, k))
    for i in range(k):
        first, first_rest, first_end = start[i], start[i] + tested[i], start[i + 1]
        for j in range(i):
            second, second_rest, second_end = start[j], start[j] + tested[j], start[j + 1]
            value = _log_determinant(precision, first_rest, first_end, second, second_end, columns, lower)
            value += _log_determinant(precision, first, first_end, second_rest, second_end, columns, lower)
            value -= _log_determinant(precision, first_rest, first_end, second_rest, second_end, columns, lower)
            value -= _log_determinant(precision, first, first_end, second, second_end, columns, lower)
            result[i, j] = result[j, i] = max(0.0, value)
    return result


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
def _derivatives(design, codes, weights, values, fitted, up_to, own, row, gradient, information):
    """Write the values as fitted, gradient and, its lower half, information; return the penalised log-likelihood."""
    k = len(row) - 1
    size, likelihood = len(values), 0.0
    for u in range(size):
        fitted[u] = values[u]
        ridge = RIDGE if u >= k else 0.0
        likelihood -= ridge / 2 * values[u] ** 2
        gradient[u] = -ridge * values[u]
        for v in range(u):
            information[u, v] = 0.0
        information[u, u] = ridge
    for i in range(len(design)):
        weight, code = weights[i] if len(weights) else 1.0, np.int64(codes[i])
        predictor = 0.0
        for u in range(k, size):
            predictor += design[i, u - k + 1] * values[u]
        _of_row(predictor, values, up_to, own, row)
        likelihood += weight * np.log(_gradient(up_to, code, own))
        if code > 0:
            gradient[code - 1] += weight * own[0]
        if code < k:
            gradient[code] += weight * own[1]
        for a in range(k):
            information[a, a] += weight * row[a, a]
            if a:
                information[a, a - 1] += weight * row[a, a - 1]
        for u in range(k, size):
            value = weight * design[i, u - k + 1]
            gradient[u] += value * own[2]
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
def climb(design, codes, weights, fitted, values, before, up_to, own, row, gradient, information, lower):
    """Fisher scoring from ``values``, with steps halved where they overshoot or cross thresholds.

    The values of the best fit, their gradient and the lower half of their information are written.
    """
    k, best = len(row) - 1, -np.inf
    step = np.empty(len(values))
    for _ in range(ITERATIONS):
        overshot = not _in_order(values, k)
        if not overshot:
            likelihood = _derivatives(design, codes, weights, values, fitted, up_to, own, row, gradient, information)
            if best - ENOUGH <= likelihood < best + ENOUGH:
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
    design: Floats, codes: NDArray[np.integer], n_categories: int, weights: Floats
) -> tuple[Floats, Floats, Floats]:
    """Thresholds, then slopes, as one array; the gradient and the information there."""
    m, k = design.shape[1] - 1, n_categories - 1
    counts = np.bincount(codes, weights if len(weights) else None, n_categories)
    shares = np.cumsum(counts)[:k] / counts.sum()
    start = np.concatenate([np.log(shares / (1 - shares)), np.zeros(m)])
    fitted, values, before = start.copy(), start.copy(), start.copy()
    gradient, (information, lower) = np.empty(k + m), np.zeros((2, k + m, k + m))
    found = fitted, values, before, *working_space(k), gradient, information, lower
    climb(np.ascontiguousarray(design), codes, weights, *found)
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


@njit(cache=True)
def sums_in_strata(columns, strata, weights, totals, sums, products):
    """Add the rows' weights, the sums of the columns, and those of their products with each other, by stratum."""
    width = columns.shape[1]
    for i in range(len(strata)):
        s, weight = strata[i], weights[i] if len(weights) else 1.0
        totals[s] += weight
        for u in range(width):
            value = weight * columns[i, u]
            sums[s, u] += value
            for v in range(width):
                products[s, u, v] += value * columns[i, v]


def products_in_strata(
    first: Floats, second: Floats, strata: NDArray[np.int64], n_strata: int, weights: Floats
) -> tuple[Floats, Floats]:
    """Sums over strata of products of deviations of two groups of columns, and their covariances under permutation.

    Within a stratum of n rows, the covariance of two products is that of the deviations of one group times that of the
    other, divided by n − 1 (Landis, Heyman & Koch 1978). Entry ``a * second.shape[1] + b`` is about columns a and b.
    """
    p, width = first.shape[1], first.shape[1] + second.shape[1]
    totals, sums, products = np.zeros(n_strata), np.zeros((n_strata, width)), np.zeros((n_strata, width, width))
    sums_in_strata(np.concatenate([first, second], axis=1), strata, weights, totals, sums, products)
    several = totals > 1
    totals, sums = totals[several, None, None], sums[several]
    within = products[several] - sums[:, :, None] * sums[:, None, :] / totals
    of_first, of_second = within[:, :p, :p] / (totals - 1), within[:, p:, p:]
    covariance = np.tensordot(of_first, of_second, (0, 0)).transpose(0, 2, 1, 3)
    size = p * (width - p)
    return within[:, :p, p:].sum(axis=0).ravel(), covariance.reshape(size, size)

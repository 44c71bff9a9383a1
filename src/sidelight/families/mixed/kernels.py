"""Numba kernels of the mixed family: determinants of blocks, and sums within strata."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sidelight.kernels.compiling import njit

Floats = NDArray[np.float64]


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

# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
"""Numba kernels for matrices of blocks: arrays in, arrays out."""

from __future__ import annotations

import numpy as np

from sidelight.kernels.compiling import njit


@njit(cache=True)
def log_determinant(matrix):
    """Of a positive definite matrix, by Cholesky; pivots that rounding made non-positive count as tiny."""
    k = len(matrix)
    lower = np.empty((k, k))
    total = 0.0
    for i in range(k):
        for j in range(i + 1):
            value = matrix[i, j]
            for h in range(j):
                value -= lower[i, h] * lower[j, h]
            if i > j:
                lower[i, j] = value / lower[j, j]
            else:
                pivot = max(value, 1e-12)
                lower[i, i] = np.sqrt(pivot)
                total += np.log(pivot)
    return total


@njit(cache=True)
def log_unexplained(matrix, given, others, ends, own):
    """For each candidate, the log-determinant that the given columns and the candidate's leave of a block's own.

    Candidate i has the columns ``others[ends[i - 1] : ends[i]]``. The given columns are factored once.
    """
    n_given, n_own, widest = len(given), len(own), 0
    for i in range(len(ends)):
        widest = max(widest, ends[i] - (ends[i - 1] if i else 0))
    columns = np.empty(n_given + widest + n_own, dtype=np.int64)
    columns[:n_given] = given
    lower = np.empty((len(columns), len(columns)))
    for i in range(n_given):
        _add_to_factor(matrix, columns, lower, i)
    result = np.empty(len(ends))
    for i in range(len(ends)):
        first = ends[i - 1] if i else 0
        width = ends[i] - first
        columns[n_given : n_given + width] = others[first : ends[i]]
        columns[n_given + width : n_given + width + n_own] = own
        total = 0.0
        for place in range(n_given, n_given + width + n_own):
            pivot = _add_to_factor(matrix, columns, lower, place)
            if place >= n_given + width:
                total += np.log(pivot)
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
def _take(matrix, rows):
    taken = np.empty((len(rows), len(rows)))
    for i in range(len(rows)):
        for j in range(len(rows)):
            taken[i, j] = matrix[rows[i], rows[j]]
    return taken


@njit(cache=True)
def leading_dependence(precision, first, second, n_first, n_second):
    """For two blocks of a precision matrix, the dependence of their first columns given all the other blocks."""
    covariance = np.linalg.inv(_take(precision, np.concatenate((first, second))))
    own, other = np.arange(n_first), len(first) + np.arange(n_second)
    both = log_determinant(_take(covariance, np.concatenate((own, other))))
    return log_determinant(_take(covariance, own)) + log_determinant(_take(covariance, other)) - both


@njit(cache=True)
def block_dependences(precision, start, tested):
    """For all pairs of blocks −log of det K_xy / (det K_x det K_y): 0 when independent given all the others.

    Of a block with fewer ``tested`` columns than it has, the first ones alone are compared; as a condition it is whole.
    """
    k = len(start) - 1
    own = np.empty(k)
    for i in range(k):
        own[i] = log_determinant(_take(precision, np.arange(start[i], start[i + 1])))
    result = np.zeros((k, k))
    for i in range(k):
        for j in range(i):
            if tested[i] < start[i + 1] - start[i] or tested[j] < start[j + 1] - start[j]:
                first, second = np.arange(start[i], start[i + 1]), np.arange(start[j], start[j + 1])
                value = leading_dependence(precision, first, second, tested[i], tested[j])
                result[i, j] = result[j, i] = max(0.0, value)
                continue
            both = np.concatenate((np.arange(start[i], start[i + 1]), np.arange(start[j], start[j + 1])))
            value = own[i] + own[j] - log_determinant(_take(precision, both))
            result[i, j] = result[j, i] = max(0.0, value)
    return result

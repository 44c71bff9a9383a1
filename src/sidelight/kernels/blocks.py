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
def _take(matrix, rows):
    taken = np.empty((len(rows), len(rows)))
    for i in range(len(rows)):
        for j in range(len(rows)):
            taken[i, j] = matrix[rows[i], rows[j]]
    return taken


@njit(cache=True)
def block_dependences(precision, start):
    """For all pairs of blocks −log of det K_xy / (det K_x det K_y): 0 when independent given all the others."""
    k = len(start) - 1
    own = np.empty(k)
    for i in range(k):
        own[i] = log_determinant(_take(precision, np.arange(start[i], start[i + 1])))
    result = np.zeros((k, k))
    for i in range(k):
        for j in range(i):
            both = np.concatenate((np.arange(start[i], start[i + 1]), np.arange(start[j], start[j + 1])))
            value = own[i] + own[j] - log_determinant(_take(precision, both))
            result[i, j] = result[j, i] = max(0.0, value)
    return result

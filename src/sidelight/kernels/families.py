# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
"""Numba kernels for scores of discrete families, a variable with its parents: arrays in, arrays out."""

from __future__ import annotations

from math import lgamma

import numpy as np
from numba import njit


@njit(cache=True)
def configurations(codes, parents, categories):
    """For each row the number of its combination of the parents' categories, and how many combinations occur.

    Combinations are numbered anew with every parent, so that numbers stay small however many could occur.
    """
    n_rows = len(codes)
    number, count = np.zeros(n_rows, np.int64), 1
    for parent in parents:
        seen = np.full(count * categories[parent], -1, np.int64)
        next_number = 0
        for row in range(n_rows):
            cell = number[row] * categories[parent] + codes[row, parent]
            if seen[cell] < 0:
                seen[cell] = next_number
                next_number += 1
            number[row] = seen[cell]
        count = next_number
    return number, count


@njit(cache=True)
def bayesian_dirichlet(codes, v, parents, categories, weights, equivalent_sample_size):
    """The log marginal likelihood with the uniform prior (BDeu)."""
    counts, sums = _counts(codes, v, parents, categories, weights)
    possible = 1.0
    for parent in parents:
        possible *= categories[parent]
    prior = equivalent_sample_size / possible
    cell = prior / categories[v]
    total = 0.0
    for i in range(len(sums)):
        total += lgamma(prior) - lgamma(prior + sums[i])
        for k in range(categories[v]):
            if counts[i, k] > 0:
                total += lgamma(cell + counts[i, k]) - lgamma(cell)
    return total


@njit(cache=True)
def log_likelihood(codes, v, parents, categories, weights):
    """The largest log-likelihood."""
    counts, sums = _counts(codes, v, parents, categories, weights)
    total = 0.0
    for i in range(len(sums)):
        for k in range(categories[v]):
            if counts[i, k] > 0:
                total += counts[i, k] * np.log(counts[i, k] / sums[i])
    return total


@njit(cache=True)
def _counts(codes, v, parents, categories, weights):
    number, count = configurations(codes, parents, categories)
    counts, sums = np.zeros((count, categories[v])), np.zeros(count)
    for row in range(len(codes)):
        weight = weights[row] if len(weights) else 1.0
        counts[number[row], codes[row, v]] += weight
        sums[number[row]] += weight
    return counts, sums

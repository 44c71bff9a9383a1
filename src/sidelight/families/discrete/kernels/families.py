"""Numba kernels for scores of discrete families, a variable with its parents: arrays in, arrays out."""

from __future__ import annotations

from math import lgamma

import numpy as np

from sidelight.kernels.compiling import njit


@njit(cache=True)
def refined(column, n_categories, number, count):
    """Number the combinations of what was numbered with one more column, as far as they occur; return how many.

    Numbers stay small, however many combinations could occur.
    """
    seen, found = np.full(count * n_categories, -1, np.int32), np.empty(len(number), np.int32)
    n_found = 0
    for row in range(len(number)):
        cell = number[row] * n_categories + column[row]
        if seen[cell] < 0:
            seen[cell] = n_found
            n_found += 1
        found[row] = seen[cell]
    return found, n_found


@njit(cache=True)
def families(codes, v, number, count, possible, others, categories, weights, equivalent_sample_size):
    """For v with its parents and each of the others in turn (−1: none): its log marginal likelihood with the uniform
    prior (BDeu), or its largest log-likelihood if the equivalent sample size is 0.

    The rows' combinations of the parents' categories are numbered: ``count`` occur, ``possible`` could.
    """
    values = np.empty(len(others))
    for i in range(len(others)):
        other = others[i]
        combinations = possible
        if other < 0:
            counts = _counts(codes[:, v], categories[v], number, count, weights)
        else:
            combinations *= categories[other]
            if count * categories[other] * categories[v] <= len(codes):
                counts = _dense_counts(codes, v, other, categories, number, count, weights)
            else:
                found, n_found = refined(codes[:, other], categories[other], number, count)
                counts = _counts(codes[:, v], categories[v], found, n_found, weights)
        values[i] = family(counts, equivalent_sample_size / combinations)
    return values


@njit(cache=True)
def family(counts, prior):
    """What one family adds, from a row of counts for each combination, which the prior counts as so many rows."""
    return _marginal_likelihood(counts, prior) if prior > 0 else _likelihood(counts)


@njit(cache=True)
def _counts(column, n_categories, number, count, weights):
    counts = np.zeros((count, n_categories))
    for row in range(len(column)):
        counts[number[row], column[row]] += weights[row] if len(weights) else 1.0
    return counts


@njit(cache=True)
def _dense_counts(codes, v, other, categories, number, count, weights):
    """The counts with one more parent in a single pass, where all combinations are few."""
    width, depth = categories[other], categories[v]
    column, values = codes[:, other], codes[:, v]
    n_rows, n_cells = len(values), count * width * depth
    counts = np.zeros(n_cells)
    if len(weights):
        for row in range(n_rows):
            counts[(number[row] * width + column[row]) * depth + values[row]] += weights[row]
        return counts.reshape(count * width, depth)
    # Rows in a row often fall into the same cell: four counters for each, so that they need not wait for each other.
    some = np.zeros((4, n_cells), np.int32)
    for row in range(n_rows - n_rows % 4, n_rows):
        some[0, (number[row] * width + column[row]) * depth + values[row]] += 1
    for first in range(0, n_rows - n_rows % 4, 4):
        for i in range(4):
            row = first + i
            some[i, (number[row] * width + column[row]) * depth + values[row]] += 1
    for cell in range(n_cells):
        counts[cell] = some[0, cell] + some[1, cell] + some[2, cell] + some[3, cell]
    return counts.reshape(count * width, depth)


@njit(cache=True)
def _marginal_likelihood(counts, prior):
    """With so many rows as the prior of each combination; the categories share them."""
    n_combinations, n_categories = counts.shape
    cell, total = prior / n_categories, 0.0
    of_prior, of_cell = lgamma(prior), lgamma(cell)
    for i in range(n_combinations):
        rows = 0.0
        for k in range(n_categories):
            if counts[i, k] > 0:
                rows += counts[i, k]
                total += lgamma(cell + counts[i, k]) - of_cell
        total += of_prior - lgamma(prior + rows)
    return total


@njit(cache=True)
def _likelihood(counts):
    n_combinations, n_categories = counts.shape
    total = 0.0
    for i in range(n_combinations):
        rows = 0.0
        for k in range(n_categories):
            if counts[i, k] > 0:
                rows += counts[i, k]
                total += counts[i, k] * np.log(counts[i, k])
        if rows > 0:
            total -= rows * np.log(rows)
    return total

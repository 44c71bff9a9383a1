# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
"""Numba kernels that count: contingency tables in strata, from integer codes. A negative code is a missing value."""

from __future__ import annotations

import numpy as np
from numba import njit

MISSING = -1


@njit(cache=True)
def _relabel(strata):
    """Number the strata that occur 0, 1, …, by hashing; missing ones stay missing. Return how many there are."""
    size = 16
    while size < 2 * len(strata):
        size *= 2
    keys = np.full(size, -1, dtype=np.int64)
    labels = np.empty(size, dtype=np.int64)
    n_labels = 0
    for row in range(len(strata)):
        key = strata[row]
        if key < 0:
            continue
        slot = ((key * np.int64(0x9E3779B97F4A7C1)) >> 7) & (size - 1)
        while keys[slot] != -1 and keys[slot] != key:
            slot = (slot + 1) & (size - 1)
        if keys[slot] == -1:
            keys[slot] = key
            labels[slot] = n_labels
            n_labels += 1
        strata[row] = labels[slot]
    return n_labels


@njit(cache=True)
def strata(codes, levels, given):
    """For every row the number of its stratum, one for each combination of the given columns; and how many there are.

    When the combinations that could occur outnumber the rows, those that do occur are numbered anew.
    """
    n_rows = codes.shape[0]
    result = np.zeros(n_rows, dtype=np.int64)
    possible = 1
    for z in given:
        if possible * levels[z] > max(4 * n_rows, 1024) and possible > 1:
            possible = _relabel(result)
        for row in range(n_rows):
            code = codes[row, z]
            if code < 0 or result[row] < 0:
                result[row] = MISSING
            else:
                result[row] = result[row] * levels[z] + code
        possible *= levels[z]
    if possible > n_rows:
        possible = _relabel(result)
    return result, possible


@njit(cache=True)
def _add_stratum(table, total, pearson):
    """The statistic of one table, its degrees of freedom without empty rows and columns, and its exact moments."""
    n_rows, n_columns = table.shape
    rows, columns = np.zeros(n_rows), np.zeros(n_columns)
    for i in range(n_rows):
        for j in range(n_columns):
            rows[i] += table[i, j]
            columns[j] += table[i, j]
    statistic = 0.0
    for i in range(n_rows):
        if rows[i] > 0:
            for j in range(n_columns):
                expected = rows[i] * columns[j] / total
                if expected > 0:
                    if pearson:
                        statistic += (table[i, j] - expected) ** 2 / expected
                    elif table[i, j] > 0:
                        statistic += 2 * table[i, j] * np.log(table[i, j] / expected)
    return statistic, *_exact_moments(rows, columns, total)


@njit(cache=True)
def _exact_moments(rows, columns, total):
    """Degrees of freedom, and the exact mean and variance of Pearson's χ² over all tables with these margins.

    Haldane (1940), in Dawson's form (1954). Both are those of the χ² distribution when the margins are large.
    """
    r, c, inverse_rows, inverse_columns = 0, 0, 0.0, 0.0
    for row in rows:
        if row > 0:
            r += 1
            inverse_rows += 1 / row
    for column in columns:
        if column > 0:
            c += 1
            inverse_columns += 1 / column
    freedom = (r - 1) * (c - 1)
    if freedom == 0 or total < 2:
        return 0, 0.0, 0.0
    v, w = (r - 1) * (total - r) / (total - 1), 0.0
    x, y = (c - 1) * (total - c) / (total - 1), 0.0
    if total > 2:
        w = (total * inverse_rows - r * r) / (total - 2)
        y = (total * inverse_columns - c * c) / (total - 2)
    variance = total**2 / (total - 1) * w * y
    if total > 3:
        variance += 2 * total / (total - 3) * (v - w) * (x - y)
    return freedom, total * freedom / (total - 1), max(0.0, variance)


@njit(cache=True)
def _all_at_once(codes, levels, x, y, stratum, n_strata, weights, pearson):
    """Count all strata in one pass, where their tables together are not much larger than the data."""
    counts = np.zeros((n_strata, levels[x], levels[y]))
    for row in range(codes.shape[0]):
        i, j, s = codes[row, x], codes[row, y], stratum[row]
        if s >= 0 and i >= 0 and j >= 0:
            counts[s, i, j] += weights[row] if len(weights) else 1.0
    statistic, freedom, mean, variance, used = 0.0, 0, 0.0, 0.0, 0.0
    for s in range(n_strata):
        total = counts[s].sum()
        if total > 0:
            more, free, expected, spread = _add_stratum(counts[s], total, pearson)
            statistic += more
            freedom += free
            mean += expected
            variance += spread
            used += total
    return statistic, freedom, mean, variance, used


@njit(cache=True)
def _stratum_by_stratum(codes, levels, x, y, stratum, n_strata, weights, pearson):
    """Sort the rows by stratum and count one stratum after the other: memory does not grow with their number."""
    n_rows = codes.shape[0]
    start = np.zeros(n_strata + 1, dtype=np.int64)
    for row in range(n_rows):
        if stratum[row] >= 0 and codes[row, x] >= 0 and codes[row, y] >= 0:
            start[stratum[row] + 1] += 1
    for s in range(n_strata):
        start[s + 1] += start[s]
    # Cells of x and y, sorted by stratum.
    cells = np.empty(start[n_strata], dtype=np.int64)
    weight_of = np.empty(start[n_strata])
    position = start[:-1].copy()
    for row in range(n_rows):
        s = stratum[row]
        if s >= 0 and codes[row, x] >= 0 and codes[row, y] >= 0:
            cells[position[s]] = codes[row, x] * levels[y] + codes[row, y]
            weight_of[position[s]] = weights[row] if len(weights) else 1.0
            position[s] += 1
    table = np.zeros((levels[x], levels[y]))
    flat = table.reshape(-1)
    statistic, freedom, mean, variance, used = 0.0, 0, 0.0, 0.0, 0.0
    for s in range(n_strata):
        if start[s + 1] - start[s] < 2 and not len(weights):
            used += start[s + 1] - start[s]  # one row tells nothing
            continue
        total = 0.0
        for i in range(start[s], start[s + 1]):
            flat[cells[i]] += weight_of[i]
            total += weight_of[i]
        if total > 0:
            more, free, expected, spread = _add_stratum(table, total, pearson)
            statistic += more
            freedom += free
            mean += expected
            variance += spread
            used += total
        for i in range(start[s], start[s + 1]):
            flat[cells[i]] = 0.0
    return statistic, freedom, mean, variance, used


@njit(cache=True)
def contingency_statistic(codes, levels, x, y, stratum, n_strata, weights, pearson):
    """G² (or Pearson's χ²) of x and y within strata, and of Pearson's the degrees of freedom, mean and variance.

    The last value is the weight of the rows used.
    """
    if n_strata * levels[x] * levels[y] <= max(codes.shape[0], 1024):
        return _all_at_once(codes, levels, x, y, stratum, n_strata, weights, pearson)
    return _stratum_by_stratum(codes, levels, x, y, stratum, n_strata, weights, pearson)

# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
"""Numba kernels for the tail of a sum of squares of small counts, which no smooth distribution describes far out.

A table with fixed margins is described by its cells outside of the largest row and the largest column. Each of them is
hypergeometric, and makes a fourfold table with the rest, whose χ² has few values with known probabilities. Those of
the cells that matter most are convolved on a grid; the other cells are summarised by their mean and variance.
"""

from __future__ import annotations

from math import lgamma

import numpy as np

from sidelight.kernels.compiling import njit

STEPS = 256  # of the grid from 0 to the statistic
SHARE = 0.02  # of the variance of the whole sum; a cell with less is summarised, so that there are never many
REGULAR = 2.1  # a cell whose χ² varies less is summarised: that of large counts has the variance 2
NEGLIGIBLE = 1e-13  # probabilities of single counts


@njit(cache=True)
def _largest(values):
    """Where the first of the largest values is; numba's ``argmax`` takes longer to compile."""
    largest = 0
    for i in range(1, len(values)):
        if values[i] > values[largest]:
            largest = i
    return largest


@njit(cache=True)
def add_free_cells(rows, columns, total, cells, position):
    """Write row sum, column sum and total of each cell outside of the largest row and column; return the position."""
    if total < 2:
        return position
    largest_row, largest_column = _largest(rows), _largest(columns)
    for i in range(len(rows)):
        if i != largest_row and rows[i] > 0:
            for j in range(len(columns)):
                if j != largest_column and columns[j] > 0:
                    cells[position, 0], cells[position, 1], cells[position, 2] = rows[i], columns[j], total
                    position += 1
    return position


@njit(cache=True)
def fourfold_variance(row, column, total, factor):
    """The exact variance of Pearson's χ² of a fourfold table with these margins (Haldane 1940), times a factor."""
    if total <= 2:
        return 0.0
    v = (total - 2) / (total - 1)
    w = (total / row + total / (total - row) - 4) / (total - 2)
    y = (total / column + total / (total - column) - 4) / (total - 2)
    variance = total**2 / (total - 1) * w * y
    if total > 3:
        variance += 2 * total / (total - 3) * (v - w) * (v - y)
    return max(0.0, variance) * factor**2


@njit(cache=True)
def _log_choose(n, k):
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


@njit(cache=True)
def _counts(row, column, total, counts, probabilities):
    """The counts that a cell can have, with their probabilities, from the most probable on; return how many."""
    smallest, largest = max(0, int(np.ceil(row + column - total))), int(min(row, column))
    mode = min(largest, max(smallest, int(row * column / total)))
    start = np.exp(_log_choose(row, mode) + _log_choose(total - row, column - mode) - _log_choose(total, column))
    n_counts = 0
    k, p = mode, start
    while k <= largest and p > NEGLIGIBLE and n_counts < len(counts):
        counts[n_counts], probabilities[n_counts] = k, p
        n_counts += 1
        p *= (row - k) * (column - k) / ((k + 1) * (total - row - column + k + 1))
        k += 1
    k, p = mode, start
    while k > smallest and n_counts < len(counts):
        p *= k * (total - row - column + k) / ((row - k + 1) * (column - k + 1))
        k -= 1
        if p <= NEGLIGIBLE:
            break
        counts[n_counts], probabilities[n_counts] = k, p
        n_counts += 1
    return n_counts


@njit(cache=True)
def _convolve(before, jump, probability, after):
    """Add to ``after`` what jumps from ``before``, split between two steps; return what jumps beyond the grid."""
    top, whole = len(before) - 1, int(jump) if 0.0 <= jump < STEPS else STEPS
    upper = probability * (jump - whole)
    lower = probability - upper
    last = min(top, STEPS - 1 - whole)
    for g in range(last + 1):
        after[g + whole] += lower * before[g]
        after[g + whole + 1] += upper * before[g]
    beyond = 0.0
    for g in range(max(0, last + 1), top + 1):
        beyond += probability * before[g]
    return beyond


@njit(cache=True)
def convolved(cells, value, mean_of_all, variance_of_all):
    """The distribution of the sum of the cells' χ² on a grid from 0 to ``value``.

    Returns the probabilities of the grid's points, that of more than ``value``, and mean and variance of the cells that
    were not convolved, with the value that the grid ends at: less than ``value`` when the sum of all cells is known to
    have a larger variance than independent cells have. A step less includes what the grid's points split off.
    """
    variances, sum_of_variances = np.empty(len(cells)), 0.0
    for i in range(len(cells)):
        variances[i] = fourfold_variance(cells[i, 0], cells[i, 1], cells[i, 2], cells[i, 3])
        sum_of_variances += variances[i]
    spread = np.sqrt(max(1.0, variance_of_all / max(1e-300, sum_of_variances)))
    value = max(1e-9, (mean_of_all + (value - mean_of_all) / spread) * (1 - 1 / STEPS))
    before, after, top, beyond = np.zeros(STEPS + 1), np.zeros(STEPS + 1), 0, 0.0
    counts, probabilities = np.empty(400), np.empty(400)
    mean, variance = 0.0, 0.0
    before[0] = 1.0
    for i in range(len(cells)):
        row, column, total, factor = cells[i, 0], cells[i, 1], cells[i, 2], cells[i, 3]
        if variances[i] < max(REGULAR, SHARE * variance_of_all):
            mean += factor * total / (total - 1)
            variance += variances[i]
            continue
        expected = row * column / total
        for g in range(STEPS + 1):
            after[g] = 0.0
        factor *= total**2 / (expected * (total - row) * (total - column)) * STEPS / value
        farthest = 0.0
        n_counts = _counts(row, column, total, counts, probabilities)
        whole = 0.0  # 1, but for margins that are not whole numbers
        for k in range(n_counts):
            whole += probabilities[k]
        for k in range(n_counts):
            jump = (counts[k] - expected) ** 2 * factor
            farthest = max(farthest, jump)
            beyond += _convolve(before[: top + 1], jump, probabilities[k] / whole, after)
        top = int(min(STEPS, top + farthest + 1))
        before, after = after, before
    too_much = max(0.0, sum_of_variances - variance_of_all)  # in thin strata a count leaves less to the others
    return before, beyond, mean, max(variance - too_much, variance / 10), value

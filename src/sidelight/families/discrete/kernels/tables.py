"""Numba kernels for contingency tables in strata: their statistics with exact moments, and the far tail of χ².

Three ways to count (``sidelight.families.discrete.kernels.counts``), each for the size of table that it is fastest for:
by bits, by cells, or, with the rows sorted by stratum, one stratum after the other, so that memory does not grow with
the combinations.

Far out, no smooth distribution describes a sum of squares of small counts. A table with fixed margins is described by
its cells outside of the largest row and the largest column. Each of them is hypergeometric, and makes a fourfold table
with the rest, whose χ² has few values with known probabilities. Those of the cells that matter most are convolved on a
grid; the other cells are summarised by their mean and variance.
"""

from __future__ import annotations

from math import lgamma

import numpy as np

from sidelight.families.discrete.kernels.counts import count_by_bits, count_cells, strata
from sidelight.kernels.compiling import njit

FEW_CELLS = 192  # up to here counting by bits is quicker
_LOOKED_UP = np.arange(4096.0) * np.log(np.maximum(1.0, np.arange(4096.0)))  # k log k
STEPS = 256  # of the grid from 0 to the statistic
SHARE = 0.02  # of the variance of the whole sum; a cell with less is summarised, so that there are never many
REGULAR = 2.1  # a cell whose χ² varies less is summarised: that of large counts has the variance 2
NEGLIGIBLE = 1e-13  # probabilities of single counts


@njit(cache=True)
def _k_log_k(k):
    if k == 0:
        return 0.0
    whole = np.uint64(k)
    if whole < len(_LOOKED_UP) and whole == k:
        return _LOOKED_UP[whole]
    return k * np.log(k)


@njit(cache=True)
def _add_stratum(table, rows, columns, pearson, sums, free):
    """Add to ``sums`` the statistic of one table, degrees of freedom without empty rows and columns, exact moments.

    ``rows`` and ``columns`` are working space for the margins. Then come the rows used, and how many free cells were
    written to ``free``, if it has space.
    """
    total, cells = _margins(table, rows, columns)
    if total <= 0:
        return
    sums[4] += total
    freedom = _occurring(rows) * _occurring(columns)
    if freedom == 0:
        return
    sums[1] += freedom
    if not pearson:
        for row in rows:
            cells -= _k_log_k(row)
        for column in columns:
            cells -= _k_log_k(column)
        sums[0] += 2 * (cells + _k_log_k(total))
        return
    _add_exact_moments(rows, columns, total, sums)
    if len(free):
        sums[5] = _add_free_cells(rows, columns, total, free, int(sums[5]))
    for i in range(len(rows)):
        if rows[i] > 0:
            for j in range(len(columns)):
                expected = rows[i] * columns[j] / total
                if expected > 0:
                    sums[0] += (table[i, j] - expected) ** 2 / expected


@njit(cache=True)
def _margins(table, rows, columns):
    """Write the margins of one table; return its total and the sum of k log k over its cells."""
    total, k_log_k = 0.0, 0.0
    for j in range(len(columns)):
        columns[j] = 0.0
    for i in range(len(rows)):
        rows[i] = 0.0
        for j in range(len(columns)):
            count = table[i, j]
            if count > 0:
                rows[i] += count
                columns[j] += count
                k_log_k += _k_log_k(count)
        total += rows[i]
    return total, k_log_k


@njit(cache=True)
def _occurring(margin):
    """How many categories occur, less one."""
    categories = -1
    for count in margin:
        categories += count > 0
    return categories


@njit(cache=True)
def _add_exact_moments(rows, columns, total, sums):
    """Add the exact mean and variance of Pearson's χ² over all tables with these margins.

    Haldane (1940), in Dawson's form (1954). Both are those of the χ² distribution when the margins are large.
    """
    if total < 2:
        return
    r, c, inverse_rows, inverse_columns = 0, 0, 0.0, 0.0
    for row in rows:
        if row > 0:
            r += 1
            inverse_rows += 1 / row
    for column in columns:
        if column > 0:
            c += 1
            inverse_columns += 1 / column
    v, w = (r - 1) * (total - r) / (total - 1), 0.0
    x, y = (c - 1) * (total - c) / (total - 1), 0.0
    if total > 2:
        w = (total * inverse_rows - r * r) / (total - 2)
        y = (total * inverse_columns - c * c) / (total - 2)
    variance = total**2 / (total - 1) * w * y
    if total > 3:
        variance += 2 * total / (total - 3) * (v - w) * (x - y)
    sums[2] += total * (r - 1) * (c - 1) / (total - 1)
    sums[3] += max(0.0, variance)


@njit(cache=True)
def _by_strata(codes, categories, x, y, stratum, n_strata, weights, pearson, sums, free):
    """Sort the rows by stratum and count one stratum after the other."""
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
            cells[position[s]] = codes[row, x] * categories[y] + codes[row, y]
            weight_of[position[s]] = weights[row] if len(weights) else 1.0
            position[s] += 1
    table, rows, columns = np.zeros((categories[x], categories[y])), np.empty(categories[x]), np.empty(categories[y])
    flat = table.reshape(-1)
    for s in range(n_strata):
        if start[s + 1] - start[s] < 2 and not len(weights):
            sums[4] += start[s + 1] - start[s]  # one row tells nothing
            continue
        for i in range(start[s], start[s + 1]):
            flat[cells[i]] += weight_of[i]
        _add_stratum(table, rows, columns, pearson, sums, free)
        for i in range(start[s], start[s + 1]):
            flat[cells[i]] = 0.0


@njit(cache=True)
def contingency_statistics(codes, bits, first, categories, x, candidates, given, weights, pearson, free):
    """G² (or Pearson's χ²) of x with each of the candidates within the strata of the given columns, one row each.

    A row holds the statistic; its degrees of freedom without empty rows and columns; the mean and variance of Pearson's
    χ²; the rows used; and how many free cells are in ``free``, which has as many places as there are degrees of freedom
    of the one candidate, or none. ``first`` is where a column's bitmaps begin in ``bits``, or negative if it has none.
    """
    result = np.zeros((len(candidates), 6))
    stratum, n_strata = np.empty(0, dtype=np.int64), 0
    members = np.empty(len(given) + 2, dtype=np.int64)
    for i in range(len(given)):
        members[i] = given[i]
    members[-2] = x
    for i in range(len(candidates)):
        y = members[-1] = candidates[i]
        n_cells, with_bits = 1.0, len(weights) == 0
        for z in members:
            n_cells *= categories[z]
            with_bits &= first[z] >= 0
        if n_cells > max(codes.shape[0], 1024):
            if len(stratum) == 0:
                stratum, n_strata = strata(codes, categories, given)
            _by_strata(codes, categories, x, y, stratum, n_strata, weights, pearson, result[i], free)
            continue
        tables = np.zeros((int(n_cells) // (categories[x] * categories[y]), categories[x], categories[y]))
        if with_bits and n_cells <= FEW_CELLS:
            count_by_bits(bits, first, categories, x, y, given, tables)
        else:
            count_cells(codes, categories, members, weights, 0, codes.shape[0], tables.reshape(-1))
        add_strata(tables, pearson, result[i], free)
    return result


@njit(cache=True)
def add_strata(tables, pearson, sums, free):
    """Add the statistics of the tables of all strata to ``sums``, a row as of ``contingency_statistics``."""
    rows, columns = np.empty(tables.shape[1]), np.empty(tables.shape[2])
    for s in range(len(tables)):
        _add_stratum(tables[s], rows, columns, pearson, sums, free)


@njit(cache=True)
def _largest(values):
    """Where the first of the largest values is; numba's ``argmax`` takes longer to compile."""
    largest = 0
    for i in range(1, len(values)):
        if values[i] > values[largest]:
            largest = i
    return largest


@njit(cache=True)
def _add_free_cells(rows, columns, total, cells, position):
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
    were not convolved, with the value that the grid ends at: nearer to the mean than ``value`` when the sum is known to
    have a larger variance than independent cells have, farther from it when it has a smaller one that the cells not
    convolved cannot make up for. A step less includes what the grid's points split off.
    """
    variances, sum_of_variances, variance_of_few = np.empty(len(cells)), 0.0, 0.0
    for i in range(len(cells)):
        variances[i] = fourfold_variance(cells[i, 0], cells[i, 1], cells[i, 2], cells[i, 3])
        sum_of_variances += variances[i]
        if variances[i] < max(REGULAR, SHARE * variance_of_all):
            variance_of_few += variances[i]
    too_much = max(0.0, sum_of_variances - variance_of_all)  # where rows are few a count leaves less to the others
    left = max(variance_of_few - too_much, variance_of_few / 10)
    of_cells = sum_of_variances - variance_of_few + left
    spread = np.sqrt(variance_of_all / max(1e-300, of_cells))
    value = max(1e-9, (mean_of_all + (value - mean_of_all) / spread) * (1 - 1 / STEPS))
    before, after, top, beyond = np.zeros(STEPS + 1), np.zeros(STEPS + 1), 0, 0.0
    counts, probabilities = np.empty(400), np.empty(400)
    mean = 0.0
    before[0] = 1.0
    for i in range(len(cells)):
        row, column, total, factor = cells[i, 0], cells[i, 1], cells[i, 2], cells[i, 3]
        if variances[i] < max(REGULAR, SHARE * variance_of_all):
            mean += factor * total / (total - 1)
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
    return before, beyond, mean, left, value

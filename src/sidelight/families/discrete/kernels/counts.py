# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, call-arg"
"""Numba kernels that count: contingency tables in strata, from integer codes. A negative code is a missing value.

Three ways to count, each for the size of table that it is fastest for. *By bits*: a category of a column is a bitmap
over the rows, and a cell is the number of ones in the conjunction of its categories; 64 rows at a time, for few
cells. *By cells*: every row's cell is computed, then all are tallied; for tables not much larger than the data. *By
strata*: the rows are sorted by stratum and counted one stratum after the other, so that memory does not grow with the
combinations.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import intrinsic

from sidelight.kernels.compiling import njit
from sidelight.kernels.tails import add_free_cells

MISSING = -1
BLOCK = 1024  # rows, or words of 64 rows, whose intermediate results stay in the cache
FEW_CELLS = 192  # up to here counting by bits is quicker
MOST_IN_FOUR = 1 << 13  # cells whose four tallies stay in the cache
_LOOKED_UP = np.arange(4096.0) * np.log(np.maximum(1.0, np.arange(4096.0)))  # k log k
FEW_CATEGORIES = 8  # columns with more categories have no bitmaps, which thus take no more memory than the codes


@intrinsic
def _ones(context, word):
    """How many bits of a word are set."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@njit(cache=True)
def set_bits(codes, column, bitmaps):
    """Set the bits of a column's categories, one row of ``bitmaps`` each, which are empty before."""
    for row in range(codes.shape[0]):
        code = codes[row, column]
        if code >= 0:
            bitmaps[code, row >> 6] |= np.uint64(1) << np.uint64(row & 63)


@njit(cache=True)
def _by_bits(bits, first, categories, x, y, given, counts):
    """Counts of all strata; the stratum is the number that the given columns' categories form as digits."""
    n_words = bits.shape[1]
    stratum_rows, x_rows = np.empty(BLOCK, dtype=np.uint64), np.empty(BLOCK, dtype=np.uint64)
    for start in range(0, n_words, BLOCK):
        stop = min(start + BLOCK, n_words)
        width = stop - start
        for s in range(counts.shape[0]):
            for word in range(width):
                stratum_rows[word] = ~np.uint64(0)
            rest = s
            for position in range(len(given) - 1, -1, -1):
                z = given[position]
                bitmap = bits[first[z] + rest % categories[z], start:stop]
                rest //= categories[z]
                for word in range(width):
                    stratum_rows[word] &= bitmap[word]
            for i in range(categories[x]):
                bitmap = bits[first[x] + i, start:stop]
                for word in range(width):
                    x_rows[word] = stratum_rows[word] & bitmap[word]
                for j in range(categories[y]):
                    bitmap = bits[first[y] + j, start:stop]
                    ones = np.uint64(0)
                    for word in range(width):
                        ones += _ones(x_rows[word] & bitmap[word])
                    counts[s, i, j] += ones


@njit(cache=True)
def _cells_of(codes, categories, members, start, stop, cell, code_signs, nowhere):
    """For a block of rows the cell, in mixed radix, of the members' codes; ``nowhere`` when one of them is missing.

    The arithmetic stays in the type of ``cell``, so that as many rows as possible are done at once.
    """
    width = stop - start
    kind = cell.dtype.type
    for row in range(width):
        cell[row], code_signs[row] = 0, 0
    for z in members:
        radix = kind(categories[z])
        column = codes[start:stop, z]
        for row in range(width):
            cell[row] = kind(cell[row] * radix + kind(column[row]))
            code_signs[row] |= column[row]
    nowhere = kind(nowhere)
    for row in range(width):
        cell[row] = nowhere if code_signs[row] < 0 else cell[row]


@njit(cache=True, nogil=True)
def count_cells(codes, categories, members, weights, start, stop, counts):
    """Count the rows from ``start`` to ``stop`` by the members' categories; the last one's change fastest."""
    n_cells = len(counts)
    # The cells of a block of rows are unsigned, so that indexing needs no check of signs.
    cell, code_signs = np.empty(BLOCK, dtype=np.uint32), np.empty(BLOCK, dtype=codes.dtype)
    weighed = np.zeros(n_cells + 1 if len(weights) else 0)
    # Neighbouring rows often fall into one cell; four tallies in turn do not wait for each other.
    n_tallies = 0 if len(weights) else 4 if n_cells <= MOST_IN_FOUR else 1
    tallies = np.zeros((max(1, n_tallies), n_cells + 1 if n_tallies else 0), dtype=np.int32)
    for first in range(start, stop, BLOCK):
        last = min(first + BLOCK, stop)
        _cells_of(codes, categories, members, first, last, cell, code_signs, n_cells)
        if len(weights):
            for row in range(last - first):
                weighed[cell[row]] += weights[first + row]
        elif n_tallies == 1:
            for row in range(last - first):
                tallies[0, cell[row]] += 1
        else:
            _tally_by_fours(cell, last - first, tallies[0], tallies[1], tallies[2], tallies[3])
    for i in range(n_cells):
        counts[i] = weighed[i] if len(weights) else 0
        for tally in range(n_tallies):
            counts[i] += tallies[tally, i]


@njit(cache=True)
def _tally_by_fours(cell, n_rows, first, second, third, fourth):
    fours = n_rows // 4 * 4
    for row in range(0, fours, 4):
        first[cell[row]] += 1
        second[cell[row + 1]] += 1
        third[cell[row + 2]] += 1
        fourth[cell[row + 3]] += 1
    for row in range(fours, n_rows):
        first[cell[row]] += 1


@njit(cache=True)
def _renumber(strata):
    """Number the strata that occur 0, 1, …, by hashing; missing ones stay missing. Return how many there are."""
    size = 16
    while size < 2 * len(strata):
        size *= 2
    keys, labels = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    for slot in range(size):
        keys[slot] = -1
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
def strata(codes, categories, given):
    """For every row the number of its stratum, one for each combination of the given columns; and how many there are.

    When the combinations that could occur outnumber the rows, those that do occur are numbered anew.
    """
    n_rows = codes.shape[0]
    result = np.zeros(n_rows, dtype=np.int64)
    possible = 1
    for z in given:
        if possible * categories[z] > max(4 * n_rows, 1024) and possible > 1:
            possible = _renumber(result)
        for row in range(n_rows):
            code = codes[row, z]
            if code < 0 or result[row] < 0:
                result[row] = MISSING
            else:
                result[row] = result[row] * categories[z] + code
        possible *= categories[z]
    if possible > n_rows:
        possible = _renumber(result)
    return result, possible


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
        sums[5] = add_free_cells(rows, columns, total, free, int(sums[5]))
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
            _by_bits(bits, first, categories, x, y, given, tables)
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

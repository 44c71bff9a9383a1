"""Numba kernels that count: contingency tables in strata, from integer codes. A negative code is a missing value.

*By bits*: a category of a column is a bitmap over the rows, and a cell is the number of ones in the conjunction of its
categories; 64 rows at a time, for few cells. *By cells*: every row's cell is computed, then all are tallied; for tables
not much larger than the data. Where there are more cells, strata are numbered, to be counted one after the other.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import intrinsic

from sidelight.kernels.compiling import njit

MISSING = -1
BLOCK = 1024  # rows, or words of 64 rows, whose intermediate results stay in the cache
MOST_IN_FOUR = 1 << 13  # cells whose four tallies stay in the cache


@intrinsic
def _ones(context, word):
    """How many bits of a word are set."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@njit(cache=True)
def count_by_bits(bits, first, categories, x, y, given, counts):
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

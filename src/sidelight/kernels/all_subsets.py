# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment"
"""Numba kernels for exact search over few variables (Silander and Myllymäki 2006).

A set of variables is the number whose bits are its members. In the row of a variable v, sets are those of the other
variables: the bit of v is left out of the number (``place_in_row``).

The Gaussian score of every variable with every set of parents: what a set leaves unexplained of all variables follows
from what the set without its lowest member leaves, by one sweep of the matrix. Sets are visited in the order of their
numbers, so that one matrix for each lowest member is kept: between a set and those that follow from it, only sets with
a lower lowest member are visited. Half of all sets have the lowest member 0, and need nothing but the variances.
"""

from __future__ import annotations

import numpy as np

from sidelight.kernels import DETERMINED
from sidelight.kernels.compiling import njit


@njit(cache=True, error_model="numpy", _nrt=False)
def place_in_row(members, v):
    """The number of a set without the bit of v: its place among the sets of the variables beside v."""
    return (members & ((1 << v) - 1)) | ((members >> (v + 1)) << v)


@njit(cache=True, nogil=True, error_model="numpy")
def score_all_subsets(matrix, n_rows, penalty, most, first, last, left, values):
    """Write the score of each variable (row) with each set of parents into ``values``, for sets first to last − 1.

    The column of a set is its number without the bit of the row's variable (``place_in_row``); sets of more than
    ``most`` parents are left out. ``left`` is what the sets before leave: [n] is the matrix itself, [b] belongs to the
    last set with the lowest member b; their last rows are variances.
    """
    n = len(matrix)
    for s in range(first, last):
        size = number_of_members(s)
        if s > 0:
            lowest = lowest_member(s)
            rest = s & (s - 1)
            source = left[n] if rest == 0 else left[lowest_member(rest)]
            sweep(source, lowest, left[lowest])
            variances = left[lowest, n]
        else:
            variances = left[n, n]
        if size > most:
            continue
        for v in range(n):
            if not (s >> v) & 1:
                left_of_v = max(variances[v], DETERMINED)
                values[v, place_in_row(s, v)] = -0.5 * (n_rows * np.log(left_of_v) + penalty * size)


@njit(cache=True, error_model="numpy", _nrt=False)
def sweep(source, pivot, target):
    """Take out what the pivot explains: of the rows of lower variables, and of all variances, in the last row."""
    n, row = source.shape[1], source[pivot]
    variance = source[n, pivot]
    reciprocal = 1 / variance if variance > DETERMINED else 0.0  # one that others determine explains nothing more
    for j in range(n):
        target[n, j] = source[n, j] - row[j] * row[j] * reciprocal
    for i in range(pivot):
        factor = row[i] * reciprocal
        for j in range(n):
            target[i, j] = source[i, j] - factor * row[j]


@njit(cache=True, error_model="numpy", _nrt=False)
def number_of_members(s):
    count = 0
    while s:
        s &= s - 1
        count += 1
    return count


@njit(cache=True, error_model="numpy", _nrt=False)
def lowest_member(s):
    place = 0
    while not (s >> place) & 1:
        place += 1
    return place


@njit(cache=True, nogil=True, error_model="numpy")
def best_within(values, must):
    """Turn the score of one variable with each set of parents into the best with parents among each set, in place.

    Members whose bit is set in ``must`` are parents wherever they are in the set.
    """
    n_sets, step = len(values), 1
    while step < n_sets:
        if not must & step:
            for first in range(0, n_sets, 2 * step):
                for i in range(first, first + step):
                    values[i + step] = max(values[i + step], values[i])
        step *= 2


@njit(cache=True, nogil=True, error_model="numpy")
def best_orders(values, totals, first, last):
    """Write the best score of a DAG over each set into ``totals``, for sets first to last − 1; one member is a sink."""
    for members in range(first, last):
        best = -np.inf if members else 0.0
        for v in range(len(values)):
            if (members >> v) & 1:
                best = max(best, totals[members ^ (1 << v)] + values[v, place_in_row(members, v)])
        totals[members] = best

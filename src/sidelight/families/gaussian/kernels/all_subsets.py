# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment"
"""A numba kernel for exact search: the Gaussian score of every variable with every set of parents.

What a set leaves unexplained of all variables follows from what the set without its lowest member leaves, by one sweep
of the matrix. Sets are visited in the order of their numbers (a set is the number whose bits are its members), so that
one matrix for each lowest member is kept: between a set and those that follow from it, only sets with a lower lowest
member are visited. Half of all sets have the lowest member 0, and need nothing but the variances.
"""

from __future__ import annotations

import numpy as np

from sidelight.kernels import DETERMINED
from sidelight.kernels.compiling import njit
from sidelight.kernels.subsets import place_in_row


@njit(cache=True, nogil=True, error_model="numpy")
def score_all_subsets(matrix, n_rows, penalty, most, first, last, left, values):
    """Write the score of each variable (row) with each set of parents into ``values``, for sets first to last − 1.

    The column of a set is its number without the bit of the row's variable (``place_in_row``); sets of more than
    ``most`` parents are left out. ``left`` is what the sets before leave: [n] is the matrix itself, [b] belongs to the
    last set with the lowest member b; their last rows are variances.
    """
    n = len(matrix)
    for s in range(first, last):
        size = _members(s)
        if s > 0:
            lowest = _lowest(s)
            rest = s & (s - 1)
            source = left[n] if rest == 0 else left[_lowest(rest)]
            _sweep(source, lowest, left[lowest])
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
def _sweep(source, pivot, target):
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
def _members(s):
    count = 0
    while s:
        s &= s - 1
        count += 1
    return count


@njit(cache=True, error_model="numpy", _nrt=False)
def _lowest(s):
    place = 0
    while not (s >> place) & 1:
        place += 1
    return place

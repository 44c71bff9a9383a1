# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment"
"""Numba kernels for what RSL tests about one variable, on a correlation matrix: arrays in, arrays out.

The same tests in the same order as ``sidelight.learners.rsl.examine``, whose words and reasons hold here too. The
members of a variable x are its boundary; with x as the first of them, they are known by position. The inverse of their
correlations is well conditioned.

Tests are counted by phase and size of the conditioning set. When none are left, a mark is set, and what was found since
has to be dropped.
"""

from __future__ import annotations

import numpy as np

from sidelight.kernels.compiling import njit
from sidelight.kernels.correlation import partial_correlation

# Numbers with a type: with literals as arguments, kernels would be compiled anew for each.
REMOVABILITY, UPDATE, CONFIRMATION, NEIGHBOURHOOD = np.int64(0), np.int64(1), np.int64(2), np.int64(3)  # rows of counts
LIMIT, LEFT, REACHED = 4, 0, 1  # the row of the limit: how many tests are left, and whether more were wanted
NOT_REMOVABLE = np.int64(-2)  # in the place of how many members are left out at a time
NEIGHBOUR = -1  # in the place of how many members were left out to separate one
PLACES, CHOSEN, FOUND, TRIED, MEMBERS, N_REST = range(6)  # rows of room for positions, members and numbers of them
NONE, ONE, PAIR = np.int64(0), np.int64(1), np.int64(2)


@njit(cache=True, error_model="numpy")
def count(counts, phase, size, wanted):
    """Count tests before their answers are used, as many as are left."""
    taken = min(wanted, counts[LIMIT, LEFT])
    counts[phase, size] += taken
    counts[LIMIT, LEFT] -= taken
    if taken < wanted:
        counts[LIMIT, REACHED] = 1


@njit(cache=True, error_model="numpy")
def _leave_out(precision, places, n, n_kept, part):
    """The inverse over the first of n places, the others left out one after the other, each by a rank-one update."""
    for a in range(n):
        for b in range(n):
            part[a, b] = precision[places[a], places[b]]
    for z in range(n_kept, n):
        for a in range(n):
            if a < n_kept or a > z:
                share = part[a, z] / part[z, z]
                for b in range(n):
                    if b < n_kept or b > z:
                        part[a, b] -= share * part[z, b]


@njit(cache=True, error_model="numpy")
def is_weak(precision, i, j, critical):
    """Is the absolute partial correlation of two members given all others at most ``critical``?"""
    return precision[i, j] ** 2 <= critical**2 * precision[i, i] * precision[j, j]


@njit(cache=True, error_model="numpy")
def _next_choice(chosen, size, n):
    """The next of the subsets of n things in lexicographic order, in place; False after the last."""
    i = size - 1
    while i >= 0 and chosen[i] == n - size + i:
        i -= 1
    if i < 0:
        return False
    chosen[i] += 1
    for j in range(i + 1, size):
        chosen[j] = chosen[j - 1] + 1
    return True


@njit(cache=True, error_model="numpy")
def any_weak(precision, n_kept, of_first, critical, counts):
    """Is any pair weakly correlated given all others: of the first with one of them, or else without the first?"""
    n_asked, size = NONE, n_kept - 2
    for i in range(0 if of_first else 1, 1 if of_first else n_kept):
        for j in range(i + 1, n_kept):
            n_asked += 1
            if is_weak(precision, i, j, critical[0, size]):
                count(counts, REMOVABILITY, size, n_asked)
                return True
    if n_asked > 0:
        count(counts, REMOVABILITY, size, n_asked)
    return False


@njit(cache=True, error_model="numpy")
def _any_weak_leaving_out(precision, k, size, critical, counts, part, room):
    """With any so many members left out: is any pair of the rest weakly correlated given all others?"""
    places, chosen = room[PLACES], room[CHOSEN]
    for turn in range(2):
        for h in range(size):
            chosen[h] = h
        while True:
            n = h = 0
            for j in range(k + 1):
                if h < size and chosen[h] + 1 == j:
                    places[k + 1 - size + h] = j
                    h += 1
                else:
                    places[n] = j
                    n += 1
            _leave_out(precision, places, k + 1, k + 1 - size, part)
            if any_weak(part, k + 1 - size, turn == 0, critical, counts) or counts[LIMIT, REACHED]:
                return True
            if not _next_choice(chosen, size, k):
                break
    return False


@njit(cache=True, error_model="numpy")
def _separates(precision, k, i, left_out, size, critical, counts, part, room):
    """Are the first member and the i-th weakly correlated given all others but those left out?"""
    places = room[PLACES]
    places[0], places[1] = 0, i
    for h in range(size):
        places[h + 2] = left_out[h]
    _leave_out(precision, places, size + 2, PAIR, part)
    count(counts, NEIGHBOURHOOD, k - 1 - size, ONE)
    return is_weak(part, NONE, ONE, critical[0, k - 1 - size])


@njit(cache=True, error_model="numpy")
def _search_sets(precision, k, i, size, n_found, critical, counts, part, room):
    """Look for the first set of members that, left out, separates the first from the i-th; it becomes the one found."""
    chosen, found, left_out = room[CHOSEN], room[FOUND], room[TRIED]
    for h in range(size):
        chosen[h] = h
    while counts[LIMIT, REACHED] == 0:
        n_same = 0
        for h in range(size):
            left_out[h] = chosen[h] + 1 if chosen[h] + 1 < i else chosen[h] + 2
            n_same += h < n_found and left_out[h] == found[h]
        is_known = n_same == size  # it was tried before
        if not is_known and _separates(precision, k, i, left_out, size, critical, counts, part, room):
            for h in range(size):
                found[h] = left_out[h]
            return True
        if not _next_choice(chosen, size, k - 1):
            break
    return False


@njit(cache=True, error_model="numpy")
def find_neighbours(precision, members, k, size, critical, counts, part, room, left_out, sets):
    """Distinguish neighbours from co-parents: how many members were left out to separate each, and which.

    Nothing left out first, then the set that separated one before, then all sets of that size.
    """
    found, n_found = room[FOUND], NONE
    for i in range(1, k + 1):
        if counts[LIMIT, REACHED]:
            return
        left_out[i - 1] = NEIGHBOUR
        if _separates(precision, k, i, found, NONE, critical, counts, part, room):
            left_out[i - 1] = 0
            continue
        if size <= 0:
            continue
        is_in = False
        for h in range(n_found):
            is_in |= found[h] == i
        again = n_found > 0 and not is_in
        if again and _separates(precision, k, i, found, size, critical, counts, part, room):
            left_out[i - 1] = size
        elif _search_sets(precision, k, i, size, n_found, critical, counts, part, room):
            left_out[i - 1] = n_found = size
        for h in range(left_out[i - 1]):
            sets[i - 1, h] = members[found[h]]


@njit(cache=True, error_model="numpy")
def drop(row, n, y):
    """Take y out of the first n of a row, if it is there; how many are left."""
    n_kept = 0
    for i in range(n):
        row[n_kept] = row[i]
        n_kept += row[i] != y
    return n_kept


@njit(cache=True, error_model="numpy")
def separate_members(matrix, members, k, critical, counts, rest, n_rest, separated):
    """UpdateMb: pairs of members leave each other's boundary that are independent given the smaller of the two.

    ``rest`` are the boundaries of the members without x. Return how many pairs left; of each, its correlation and the
    size of the set that separates it are written down.
    """
    n_separated = 0
    for i in range(k):
        for j in range(i + 1, k):
            y, z, there = members[i + 1], members[j + 1], False
            for h in range(n_rest[i]):
                there |= rest[i, h] == z
            if not there or counts[LIMIT, REACHED]:
                continue
            smaller, other = (i, z) if n_rest[i] <= n_rest[j] else (j, y)
            given = np.empty(n_rest[smaller], np.int64)
            for h in range(len(given)):
                given[h] = rest[smaller, h]
            size = drop(given, len(given), other)
            count(counts, UPDATE, size, ONE)
            rho = abs(partial_correlation(matrix, y, z, given[:size]))
            if rho <= critical[0, size]:
                n_rest[i], n_rest[j] = drop(rest[i], n_rest[i], z), drop(rest[j], n_rest[j], y)
                separated[0, n_separated], separated[1, n_separated] = rho, size
                n_separated += 1
    return n_separated


@njit(cache=True, error_model="numpy")
def _is_clear(n_separated, separated, critical, counts):
    """Is a pair that left each other's boundary independent at the level of the confirmation too?"""
    for i in range(n_separated):
        size = int(separated[1, i])
        count(counts, CONFIRMATION, size, ONE)
        if separated[0, i] <= critical[1, size]:
            return True
    return False


@njit(cache=True, error_model="numpy")
def n_left_out_if_removable(precision, k, at_most, exactly, n_separated, separated, critical, counts, part, room):
    """How many members are left out to find neighbours, given what left boundaries; NOT_REMOVABLE if x is not."""
    if _is_clear(n_separated, separated, critical, counts):
        return NONE
    if n_separated == 0:
        for size in range(1, at_most + 1):
            if _any_weak_leaving_out(precision, k, size, critical, counts, part, room):
                return NOT_REMOVABLE
    return exactly

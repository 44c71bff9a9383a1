# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment"
"""What RSL tests about one variable x, as numba kernels on a correlation matrix.

The same tests in the same order as in ``sidelight.learners.rsl.examine``, whose words and reasons hold here too. x and
its boundary are known by position here: x is 0, and its members are 1 to k. ``precision`` is the inverse of their
correlations, which is well conditioned; ``critical`` and ``counts`` are by size of the conditioning set.
"""

from __future__ import annotations

import numpy as np

from sidelight.families.gaussian.kernels.correlation import is_weak, leave_out, partial_correlation
from sidelight.kernels.compiling import njit
from sidelight.kernels.subsets import next_choice

REMOVABILITY, UPDATE, CONFIRMATION, NEIGHBOURHOOD = range(4)  # rows of counts
NEIGHBOUR = -1  # in the place of how many members were left out to separate one


@njit(cache=True, error_model="numpy")
def any_weak(precision, first, end, critical, counts):
    """Is any pair, whose earlier one is from ``first`` on and before ``end``, weakly correlated given all others?"""
    size = len(precision) - 2
    for i in range(first, end):
        for j in range(i + 1, len(precision)):
            counts[size] += 1
            if is_weak(precision, i, j, critical[size]):
                return True
    return False


@njit(cache=True, error_model="numpy")
def any_weak_leaving_out(precision, size, critical, counts):
    """With any so many members left out: is any pair of the rest weakly correlated given all others? x comes first."""
    k = len(precision) - 1
    for first, end in ((0, 1), (1, k + 1 - size)):
        choice, changed = np.arange(size), 0
        while changed >= 0:
            if any_weak(leave_out(precision, choice + 1), first, end, critical, counts):
                return True
            changed = next_choice(choice, size, k)
    return False


@njit(cache=True, error_model="numpy")
def drop(row, y):
    """Take y, if it is there, out of a row that begins with the number of those in it."""
    n_kept = 0
    for i in range(1, row[0] + 1):
        if row[i] != y:
            n_kept += 1
            row[n_kept] = row[i]
    row[0] = n_kept


@njit(cache=True, error_model="numpy")
def part_members(matrix, members, rests, critical, counts):
    """UpdateMb: pairs of members leave each other's boundary that are independent given the smaller of the two.

    ``rests`` are the boundaries of the members without x; each row begins with the number of those in it. Return of
    each pair its partial correlation and the size of the set that separates it.
    """
    n_parted, parted, given = 0, np.empty((len(members) ** 2 // 2, 2)), np.empty(rests.shape[1], np.int64)
    for i in range(1, len(members)):
        for j in range(i + 1, len(members)):
            y, z = members[i], members[j]
            if z not in rests[i, 1 : rests[i, 0] + 1]:
                continue
            smaller, other = (rests[i], z) if rests[i, 0] <= rests[j, 0] else (rests[j], y)
            for h in range(smaller[0] + 1):
                given[h] = smaller[h]
            drop(given, other)
            size = given[0]
            counts[size] += 1
            rho = abs(partial_correlation(matrix, y, z, given[1 : size + 1]))
            if rho <= critical[size]:
                drop(rests[i], z)
                drop(rests[j], y)
                parted[n_parted, 0], parted[n_parted, 1] = rho, size
                n_parted += 1
    return parted[:n_parted]


@njit(cache=True, error_model="numpy")
def is_clear(parted, critical, counts):
    """Is a pair that left each other's boundary independent at the level of the confirmation too?"""
    for i in range(len(parted)):
        size = int(parted[i, 1])
        counts[size] += 1
        if parted[i, 0] <= critical[size]:
            return True
    return False


@njit(cache=True, error_model="numpy")
def _separates(precision, i, left_out, critical, counts):
    """Are x and the i-th weakly correlated given all other members but those left out?"""
    size, part = len(left_out), np.empty((len(left_out) + 2, len(left_out) + 2))
    places = np.empty(size + 2, np.int64)
    places[0], places[1], places[2:] = 0, i, left_out
    for a in range(size + 2):
        for b in range(size + 2):
            part[a, b] = precision[places[a], places[b]]
    n_given = len(precision) - 2 - size
    counts[n_given] += 1
    return is_weak(leave_out(part, np.arange(2, size + 2)), 0, 1, critical[n_given])


@njit(cache=True, error_model="numpy")
def find_neighbours(precision, size, critical, counts, left_out, sets):
    """Distinguish neighbours from co-parents: how many members were left out to separate each, and which (by position).

    Nothing is left out first, then the set that separated one before, then all sets of this size.
    """
    found, n_given = np.empty(0, np.int64), len(precision) - 2
    for i in range(1, len(precision)):
        left_out[i - 1] = NEIGHBOUR
        counts[n_given] += 1
        if is_weak(precision, 0, i, critical[n_given]):
            left_out[i - 1] = 0
            continue
        if size <= 0:
            continue
        is_usable = len(found) > 0 and i not in found
        if not is_usable or not _separates(precision, i, found, critical, counts):
            another = _separating_set(precision, i, size, found, critical, counts)
            if len(another) == 0:
                continue
            found = another
        left_out[i - 1] = size
        sets[i - 1, :size] = found


@njit(cache=True, error_model="numpy")
def _separating_set(precision, i, size, tried, critical, counts):
    """The first set of so many other members that, left out, separates x from the i-th; empty if there is none."""
    k = len(precision) - 1
    choice, changed = np.arange(size), 0
    while changed >= 0:
        members = choice + 1
        members[members >= i] += 1
        is_known = len(tried) > 0 and (members == tried).all()
        if not is_known and _separates(precision, i, members, critical, counts):
            return members
        changed = next_choice(choice, size, k - 1)
    return np.empty(0, np.int64)

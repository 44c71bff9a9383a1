# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment"
"""RSL's recursion on a correlation matrix as a numba kernel: which variable is removed next, and what follows.

The same decisions, and the same tests in the same order, as ``sidelight.learners.rsl.recursion`` with the variant
"robust" of ``variants``. The best of the waiting variables is looked for, not kept in a heap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.families.gaussian.kernels.correlation import invert, is_weak
from sidelight.kernels import WELL_CONDITIONED
from sidelight.kernels.compiling import njit
from sidelight.learners.rsl.kernels.examining import (
    CONFIRMATION,
    NEIGHBOURHOOD,
    REMOVABILITY,
    UPDATE,
    any_weak,
    any_weak_leaving_out,
    drop,
    find_neighbours,
    is_clear,
    part_members,
)

Integers = NDArray[np.int64]
UNLIKELY = np.int64(1 << 40)  # a priority after all others
NOT_REMOVABLE = np.int64(-1)  # in the place of how many members are left out at a time
NOBODY = np.int64(-1)
AT_ONCE = 10_000  # tests in one call, and no examination is begun that may take a hundred times as many


class Removals(NamedTuple):
    """A run of the recursion: arrays that the kernel changes, with an entry for each variable unless otherwise said.

    The boundary of x is ``items[start[x] : start[x] + size[x]]``, in ascending order. What was found about a variable
    that is removed stays beside its boundary: how many members were left out to separate it from each, and which ones
    by position among x and its members.
    """

    matrix: NDArray[np.float64]
    critical: NDArray[np.float64]  # correlations, by size of the conditioning set
    clearly: NDArray[np.float64]  # the same for the confirmation
    sides: Integers  # by size of the boundary: at most how many members are left out, and exactly how many
    patience: int
    start: Integers
    items: Integers  # by place in the boundaries
    left_out: Integers  # beside the items
    sets: Integers  # a row beside each item
    size: Integers
    priority: Integers
    waits: NDArray[np.bool_]  # to be examined
    is_postponed: NDArray[np.bool_]
    is_removed: NDArray[np.bool_]
    by_fallback: NDArray[np.bool_]
    examinations: Integers
    n_left_out: Integers  # at a time, to find neighbours
    share: NDArray[np.float64]  # of independent pairs, for the fallback; nan if it is not known
    counts: Integers  # tests by phase and by size of the conditioning set
    log: Integers  # a row for each removal: the variable, and the tests of each phase by then


@njit(inline="always")
def _boundary(run, x):
    return run.items[run.start[x] : run.start[x] + run.size[x]]


@njit(cache=True, error_model="numpy", _nrt=False)
def wait(run, x):
    """Have x examined: the lowest priority first, the first of several; small boundaries, if they are cliques."""
    run.waits[x] = True
    run.priority[x] = run.size[x] + run.patience * run.is_postponed[x]
    members = _boundary(run, x)
    for y in members:
        others, at = _boundary(run, y), 0
        for z in members:
            while at < len(others) and others[at] < z:
                at += 1
            if z != y and (at == len(others) or others[at] != z):
                run.priority[x] += UNLIKELY
                return


@njit(cache=True, error_model="numpy", _nrt=False)
def _next(run):
    """The best of the waiting variables, or nobody. A priority that has become worse is noticed here."""
    while True:
        best = NOBODY
        for x in range(len(run.size)):
            if run.waits[x] and (best == NOBODY or run.priority[x] < run.priority[best]):
                best = x
        if best == NOBODY:
            return best
        before = run.priority[best]
        wait(run, best)
        if run.priority[best] == before:
            return best


@njit(cache=True, error_model="numpy", _nrt=False)
def _may_examine(run, x, tests_left):
    """False if the examination of x might need more tests than are left, or so many that Ctrl-C is not heard."""
    k, n_sets, most = run.size[x], 1.0, 1.0
    for size in range(1, max(run.sides[0, k], run.sides[1, k]) + 1):
        n_sets *= (k - size + 1) / size
        most += n_sets
    return 2 * (k + 1) ** 2 * most <= min(tests_left, 100 * AT_ONCE)


@njit(cache=True, error_model="numpy")
def _with_members(run, x):
    """x and its members, the inverse of their correlations, and whether that is well conditioned."""
    members = np.empty(run.size[x] + 1, np.int64)
    members[0], members[1:] = x, _boundary(run, x)
    precision = np.empty((len(members), len(members)))
    return members, precision, invert(run.matrix, members, precision) >= WELL_CONDITIONED


@njit(cache=True, error_model="numpy")
def _fallback(run, tests_left):
    """The variable of whose members' pairs the smallest share is independent; nobody if that is unclear."""
    best, critical = NOBODY, run.critical
    for x in range(len(run.size)):
        if run.is_removed[x]:
            continue
        k = run.size[x]
        if np.isnan(run.share[x]):
            _, precision, is_well = _with_members(run, x)
            n_pairs, n_weak = k * (k - 1) // 2, 0
            if not is_well or run.counts.sum() + n_pairs > tests_left:
                return NOBODY
            if k > 1:
                run.counts[REMOVABILITY, k - 1] += n_pairs
            for i in range(1, k + 1):
                for j in range(i + 1, k + 1):
                    n_weak += is_weak(precision, i, j, critical[k - 1])
            run.share[x] = n_weak / max(1, n_pairs)
        less = best == NOBODY or run.share[x] < run.share[best]
        if less or (run.share[x] == run.share[best] and k < run.size[best]):
            best = x
    return best


@njit(cache=True, error_model="numpy")
def _rests(run, members):
    """The boundaries of the members without x: in each row how many there are, and these."""
    rests = np.empty((len(members), run.sides.shape[1] + 1), np.int64)
    for i in range(1, len(members)):
        boundary = _boundary(run, members[i])
        rests[i, 0], rests[i, 1 : len(boundary) + 1] = len(boundary), boundary
        drop(rests[i], members[0])
    return rests


@njit(cache=True, error_model="numpy")
def _examine(run, members, precision, rests):
    """How many members are left out to find neighbours, and whether x is removable."""
    critical, counts = run.critical, run.counts
    at_most, exactly = run.sides[0, len(members) - 1], run.sides[1, len(members) - 1]
    if at_most >= 0 and any_weak(precision, 1, len(members), critical, counts[REMOVABILITY]):
        return NOT_REMOVABLE, False
    parted = part_members(run.matrix, members, rests, critical, counts[UPDATE])
    if is_clear(parted, run.clearly, counts[CONFIRMATION]):
        return np.int64(0), True  # x has no child
    if len(parted) == 0:
        for size in range(1, at_most + 1):
            if any_weak_leaving_out(precision, size, critical, counts[REMOVABILITY]):
                return NOT_REMOVABLE, False
    return exactly, True


@njit(cache=True, error_model="numpy")
def _remove(run, x, rests):
    """x is removed: its members have other boundaries, and are worth examining again."""
    run.is_removed[x] = True
    members = _boundary(run, x)
    for i in range(len(members)):
        y, rest = members[i], rests[i + 1]
        run.size[y], run.share[y], run.is_postponed[y] = rest[0], np.nan, False
        boundary = _boundary(run, y)
        boundary[:] = rest[1 : rest[0] + 1]
    for y in members:
        wait(run, y)


@njit(cache=True, error_model="numpy")
def remove_some(run, most, tests_left):
    """Remove up to so many variables; return how many were, and whether the kernel can go on.

    It cannot where the boundary of the next variable is nearly collinear, or its examination might take too long. A
    call ends after some thousands of tests too, so that Ctrl-C is heard. Boundaries are symmetric.
    """
    n_removed, n_tests = 0, 0
    run.counts[:] = 0
    while n_removed < most and n_tests < AT_ONCE:
        x = _next(run)
        anyway = x == NOBODY
        if anyway:
            x = _fallback(run, tests_left)
        if x == NOBODY or not _may_examine(run, x, tests_left - run.counts.sum()):
            return n_removed, False
        members, precision, is_well = _with_members(run, x)
        if not is_well:
            return n_removed, False
        run.waits[x], run.by_fallback[x] = False, anyway
        rests = _rests(run, members)
        if anyway:
            part_members(run.matrix, members, rests, run.critical, run.counts[UPDATE])
            size, is_removable = run.sides[1, run.size[x]], True
        else:
            run.examinations[x] += 1
            size, is_removable = _examine(run, members, precision, rests)
        if is_removable:
            critical, first = run.critical, run.start[x]
            left_out, sets = run.left_out[first : first + run.size[x]], run.sets[first:]
            find_neighbours(precision, size, critical, run.counts[NEIGHBOURHOOD], left_out, sets)
            if not anyway and not run.is_postponed[x] and (left_out >= 0).any():
                run.is_postponed[x] = True  # it has co-parents, and waits once
                wait(run, x)
            else:
                run.n_left_out[x] = size
                _remove(run, x, rests)
                run.log[n_removed, 0], run.log[n_removed, 1:] = x, run.counts.sum(axis=1)
                n_removed += 1
        n_tests = run.counts.sum()
    return n_removed, True


@njit(cache=True, error_model="numpy")
def wait_all(run):
    """All variables wait to be examined."""
    for x in range(len(run.size)):
        wait(run, x)

# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment"
"""Numba kernels that choose the parents of one variable by a Gaussian score: arrays in, arrays out.

The score of a variable with some parents is −N log(unexplained share of its variance) − penalty · number of parents.
Parents are chosen greedily among the candidates that are allowed: the best one is added as long as the score rises (the
path), then the worst is dropped as long as it rises. A candidate that comes or goes changes the choice only if it is on
the path, or would join it, and which ones would is seen while the path grows: it takes their covariances with it too.

Knowledge comes as a matrix of ways: an arrow from the row's variable to the column's must be there (2), may be (1), or
not (0); a matrix without entries says nothing. Required parents are first on a path, and are never dropped.
"""

from __future__ import annotations

import numpy as np

from sidelight.kernels import DETERMINED
from sidelight.kernels.compiling import njit

ROWS, VARIANCE, COVARIANCE = 0, 1, 2  # what is known of each candidate at each step of a path
# Numbers with a type: with literals as arguments, kernels would be compiled twice, with and without them.
NONE = np.int64(0)
NEVER = np.int64(1 << 30)  # the step at which a candidate joins a path that it does not join


@njit(cache=True, error_model="numpy")
def room_for(most, widest):
    """Room to grow a path in: numbers for each step and candidate, the path's factor, and candidates by number.

    A factor's row holds a step's coefficients on the steps before it, its own root, and last what it explains; below
    it there is room for its inverse, for what is dropped, and three rows more. Of the candidates there are their names,
    the step at which each would join, those on the path, those required, and where they are in a list.
    """
    room = widest + most  # a path may begin with steps that are given
    return np.empty((3, most + 1, room)), np.empty((3 * most + 3, most + 1)), np.empty((5, room), np.int64)


@njit(cache=True, error_model="numpy")
def begin(matrix, v, n, n_first, ways, numbers, candidates):
    """Write down what is known of the n candidates of v before the first step; how many of the first are required."""
    variance, covariance, n_required = numbers[VARIANCE, 0], numbers[COVARIANCE, 0], 0
    names, joins, forced = candidates[0], candidates[1], candidates[3]
    of_v = matrix[v]
    for i in range(n):
        variance[i], covariance[i], joins[i] = 1.0, of_v[names[i]], NEVER
    if len(ways) > 0:
        for i in range(n):
            if ways[names[i], v] == 0:
                variance[i] = 0.0  # as if it were determined: it is never chosen
            elif ways[names[i], v] == 2 and i < n_first:
                forced[n_required] = i
                n_required += 1
    return min(n_required, numbers.shape[1] - 1)


@njit(cache=True, error_model="numpy")
def grow(matrix, n, n_allowed, n_forced, length, least, numbers, square, candidates):
    """Add the best of the first candidates, those allowed, while each explains at least a share of what is left.

    The path goes on from a length that it has; its first steps are forced. Which of the other candidates would join it,
    and when, is written down.
    """
    unexplained, shares = _unexplained(length, square), numbers[ROWS, -1]
    while length < numbers.shape[1] - 1:
        best = candidates[3, length]
        if length >= n_forced:
            _write_shares(NONE, n, length, numbers)
            best, enough = _largest_share(shares, n_allowed, candidates[0]), least * unexplained
            ends = best < 0 or shares[best] <= enough
            _note_joining(n_allowed, n, length, enough if ends else shares[best], numbers, candidates)
            if ends:
                break
        root = np.sqrt(max(numbers[VARIANCE, length, best], DETERMINED))
        explained = numbers[COVARIANCE, length, best] / root
        for h in range(length):
            square[length, h] = numbers[ROWS, h, best]
        square[length, length], square[length, -1], candidates[2, length] = root, explained, best
        _condition(matrix, NONE, n, length, numbers, square, candidates)
        numbers[VARIANCE, length + 1, best] = 0.0
        unexplained = max(unexplained - explained * explained, DETERMINED)
        length += 1
    return length


@njit(cache=True, error_model="numpy")
def _unexplained(length, square):
    """The share of the variance of v that a path leaves."""
    unexplained = 1.0
    for h in range(length):
        unexplained = max(unexplained - square[h, -1] * square[h, -1], DETERMINED)
    return unexplained


@njit(cache=True, error_model="numpy")
def look_at(matrix, start, end, n_forced, length, least, numbers, square, candidates):
    """Note which of more candidates would join a path, with the numbers that its going on from there takes."""
    for h in range(length):
        if h >= n_forced:
            _write_shares(start, end, h, numbers)
            _note_joining(start, end, h, square[h, -1] * square[h, -1], numbers, candidates)
        _condition(matrix, start, end, h, numbers, square, candidates)
    if length < numbers.shape[1] - 1:
        _write_shares(start, end, length, numbers)
        _note_joining(start, end, length, least * _unexplained(length, square), numbers, candidates)


# Parts of arrays are taken as slices, since a loop over indices from a variable on is not done by several at once: an
# index might be negative.


@njit(cache=True, error_model="numpy")
def _write_shares(start, end, length, numbers):
    """How much of the variance of v each candidate explains after so many steps."""
    variance, covariance = numbers[VARIANCE, length, start:end], numbers[COVARIANCE, length, start:end]
    shares = numbers[ROWS, -1, start:end]
    for i in range(len(shares)):
        shares[i] = covariance[i] * covariance[i] / variance[i] if variance[i] > DETERMINED else 0.0


@njit(cache=True, error_model="numpy")
def _largest_share(shares, n, names):
    """Which of the first candidates explains most; −1 if there is none."""
    best, best_share = -1, 0.0
    for i in range(n):
        # Among equals the first variable, whatever the order of the candidates; one comparison decides nearly always.
        if shares[i] >= best_share and (shares[i] > best_share or best < 0 or names[i] < names[best]):
            best, best_share = i, shares[i]
    return best


@njit(cache=True, error_model="numpy", fastmath={"nnan", "nsz"})
def _largest(shares):
    """The largest share; without NaN, several are compared at once."""
    largest = 0.0
    for i in range(len(shares)):
        largest = max(largest, shares[i])
    return largest


@njit(cache=True, error_model="numpy")
def _note_joining(start, end, length, enough, numbers, candidates):
    """Note which candidates explain enough to be the next step."""
    shares, joins = numbers[ROWS, -1, start:end], candidates[1, start:end]
    if _largest(shares) >= enough:
        for i in range(len(shares)):
            if shares[i] >= enough:
                joins[i] = min(joins[i], length)


@njit(cache=True, error_model="numpy")
def _condition(matrix, start, end, length, numbers, square, candidates):
    """Take what the step after so many explains out of the variances and covariances of candidates."""
    names, of_step = candidates[0, start:end], matrix[candidates[0, candidates[2, length]]]
    added, variance = numbers[ROWS, length, start:end], numbers[VARIANCE, length, start:end]
    covariance, next_variance = numbers[COVARIANCE, length, start:end], numbers[VARIANCE, length + 1, start:end]
    next_covariance = numbers[COVARIANCE, length + 1, start:end]
    reciprocal, explained = 1 / square[length, length], square[length, -1]
    for i in range(len(added)):
        added[i] = of_step[names[i]]
    for h in range(length):
        earlier, factor = numbers[ROWS, h, start:end], square[length, h]
        for i in range(len(added)):
            added[i] -= earlier[i] * factor
    for i in range(len(added)):
        added[i] *= reciprocal
        next_variance[i] = variance[i] - added[i] * added[i]
        next_covariance[i] = covariance[i] - added[i] * explained


@njit(cache=True, error_model="numpy")
def shrink(length, n_required, n_rows, penalty, least, square):
    """Drop steps of a path while the score rises: the score; those left are marked in the last row.

    With v as the last variable, the inverse over all has 1 / left for it, last / left beside the others, and for these
    precision + last² / left: so much of what is unexplained does each add beside all others.
    """
    most = square.shape[1] - 1
    inverse, dropped = square[most : 2 * most], square[2 * most : 3 * most]
    last, precision, kept = square[-3], square[-2], square[-1]
    explained, n_kept = _invert(length, square, inverse, last, precision, kept), length
    left = max(1 - explained, DETERMINED)
    while n_kept:
        worst, worst_share = -1, least
        for j in range(n_required, length):
            share = last[j] * last[j] / (precision[j] * left + last[j] * last[j])
            if kept[j] > 0 and share < worst_share:
                worst, worst_share = j, share
        if worst < 0:
            break
        row = dropped[length - n_kept]
        _row_of_precision(inverse, length, worst, dropped, length - n_kept, row)
        coefficient = last[worst] / row[worst]
        for j in range(length):
            precision[j] -= row[j] * row[j]
            last[j] -= row[j] * coefficient
        left += coefficient * coefficient
        kept[worst] = 0.0
        n_kept -= 1
    return -n_rows * np.log(min(left, 1.0)) - penalty * n_kept


@njit(cache=True, error_model="numpy")
def _invert(length, factor, inverse, last, precision, kept):
    """The inverse of a factor, and of its product with itself the diagonal and what is beside it; what is explained."""
    explained = 0.0
    for i in range(length):
        last[i], precision[i], kept[i] = 0.0, 0.0, 1.0
        explained += factor[i, -1] * factor[i, -1]
        reciprocal = 1 / factor[i, i]
        for j in range(i):
            inverse[i, j] = 0.0
        for h in range(i):
            for j in range(h + 1):
                inverse[i, j] -= factor[i, h] * inverse[h, j]
        for j in range(i):
            inverse[i, j] *= reciprocal
        inverse[i, i] = reciprocal
        for j in range(i + 1):
            last[j] -= factor[i, -1] * inverse[i, j]
            precision[j] += inverse[i, j] * inverse[i, j]
    return explained


@njit(cache=True, error_model="numpy")
def _row_of_precision(inverse, length, x, dropped, n_dropped, row):
    """The row of x in the inverse over what is left of a path, divided by the root of x's own entry."""
    for j in range(length):
        row[j] = 0.0
    for i in range(x, length):
        for j in range(i + 1):
            row[j] += inverse[i, x] * inverse[i, j]
    for h in range(n_dropped):
        factor = dropped[h, x]
        for j in range(length):
            row[j] -= factor * dropped[h, j]
    root = np.sqrt(max(row[x], DETERMINED))
    for j in range(length):
        row[j] /= root


@njit(cache=True, error_model="numpy")
def choose(matrix, v, n, n_allowed, ways, n_rows, penalty, least, numbers, square, candidates):
    """Choose parents of v among the first of n candidates: the score, and the length of the path."""
    n_required = begin(matrix, v, n, n, ways, numbers, candidates)
    length = grow(matrix, n, n_allowed, n_required, NONE, least, numbers, square, candidates)
    return shrink(length, n_required, n_rows, penalty, least, square), length


@njit(cache=True, error_model="numpy")
def keep(v, length, square, candidates, kept):
    """Write down the path of v, and the parents that are left of it, each after how many they are."""
    paths, parents, n_kept = kept[0], kept[1], 0
    for h in range(length):
        paths[v, h + 1] = candidates[0, candidates[2, h]]
        if square[-1, h] > 0:
            n_kept += 1
            parents[v, n_kept] = paths[v, h + 1]
    paths[v, 0], parents[v, 0] = length, n_kept


@njit(cache=True, error_model="numpy")
def choose_among_all(matrix, order, later, ways, n_rows, penalty, most):
    """For each variable the best parents among all before it in the order, and later ones too if so said.

    In the row of each, how many they are comes first.
    """
    n, least = len(matrix), -np.expm1(-penalty / n_rows)
    most = max(1, min(most, n - 1))
    numbers, square, candidates = room_for(most, n)
    kept = np.empty((2, n, most + 1), np.int64)
    for i in range(n):
        n_allowed = NONE
        for j in range(n if later else i):
            candidates[0, n_allowed] = order[j]
            n_allowed += j != i
        v = order[i]
        _, length = choose(matrix, v, n_allowed, n_allowed, ways, n_rows, penalty, least, numbers, square, candidates)
        keep(v, length, square, candidates, kept)
    return kept[1]

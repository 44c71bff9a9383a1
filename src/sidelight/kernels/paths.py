# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment"
"""Numba kernels that choose the parents of one variable by a Gaussian score: arrays in, arrays out.

The score of a variable with some parents is −N log(unexplained share of its variance) − penalty · number of parents.
Parents are chosen greedily among the candidates that are allowed: the best one is added as long as the score rises (the
path), then the worst is dropped as long as it rises. A candidate that comes or goes changes the choice only if it is on
the path, or would join it, and which ones would is seen while the path grows: it takes their covariances with it too.

Knowledge comes as a matrix of ways: an arrow from the row's variable to the column's must be there (2), may be (1), or
not (0); a matrix without entries says nothing. Required parents are first on a path, and are never dropped.

Most of the time goes into loops over candidates. They are written so that the processor works on several at once, and
most kernels take arrays without counting references to them (``_nrt=False``): such a kernel cannot make an array.
"""

from __future__ import annotations

import numpy as np

from sidelight.kernels import DETERMINED
from sidelight.kernels.compiling import njit

# What is known of each candidate at each step of a path, and what of each candidate alone.
ROWS, VARIANCE, COVARIANCE = np.int64(0), np.int64(1), np.int64(2)
NAME, JOINS, ON_PATH, FORCED, ENTRY = 0, 1, 2, 3, 4
ALIGNED, STAND_IN, COLUMN = 0, 1, 2  # the layout of candidates
TAKEN = 1e300  # the variance of a candidate that is not to be chosen: whatever it explains is no share of that
ROUNDING = 1e-9  # more than a share loses where its last bits make way for a name
NAMES = np.int64((1 << 20) - 1)  # these bits
AT_ONCE = 8  # candidates: loops over a multiple of that have no rest to be done one by one
# Numbers with a type: with literals as arguments, kernels would be compiled twice, with and without them.
NONE = np.int64(0)
NEVER = np.int64(1 << 30)  # the step at which a candidate joins a path that it does not join


@njit(cache=True, error_model="numpy")
def room_for(most, widest):
    """Room to grow a path in: numbers for each step and candidate, the path's factor, candidates, and their layout.

    A factor's row holds a step's coefficients on the steps before it, its own root, and last what it explains; below
    it there is room for its inverse, for what is dropped, and three rows more. Of the candidates there are their names,
    the step at which each would join, those on the path, those that are the first on it, and where they are in a list.
    The layout says whether the candidates are the columns of the matrix as they come, and which one, if any, stands for
    another column than its own.
    """
    room = widest + most + AT_ONCE  # a path may begin with steps that are given
    layout = np.zeros(3, np.int64)
    layout[STAND_IN] = -1
    numbers, square = np.zeros((3, most + 1, room)), np.zeros((3 * most + 3, most + 1))
    return numbers, square, np.zeros((5, room), np.int64), layout


@njit(cache=True, error_model="numpy", _nrt=False)
def begin(matrix, row, v, n, n_first, ways, numbers, candidates, layout, where):
    """Write down what is known of the n candidates of v before the first step; how many of the first are required.

    The row of the matrix is that of v. Where each candidate is goes into ``where``, unless they are aligned: there the
    caller knows.
    """
    n_required = 0
    if not layout[ALIGNED]:
        for i in range(n):
            where[candidates[NAME, i]] = i
        for i in range(n, _rounded_up(n)):
            candidates[NAME, i] = 0
    _read(matrix, row, NONE, n, COVARIANCE, NONE, numbers, candidates, layout)
    for i in range(_rounded_up(n)):
        numbers[VARIANCE, 0, i], candidates[JOINS, i] = 1.0 if i < n else TAKEN, NEVER
    if len(ways) > 0:
        for i in range(n):
            way = ways[candidates[NAME, i], v]
            if way == 0:
                numbers[VARIANCE, 0, i] = TAKEN
            elif way == 2 and i < n_first:
                candidates[FORCED, n_required] = i
                n_required += 1
    return min(n_required, numbers.shape[1] - 1)


@njit(cache=True, error_model="numpy", _nrt=False)
def _rounded_up(n):
    return (n + AT_ONCE - 1) // AT_ONCE * AT_ONCE


@njit(cache=True, error_model="numpy", _nrt=False)
def grow(matrix, n, n_allowed, n_forced, length, least, numbers, square, candidates, layout, where):
    """Add the best of the first candidates, those allowed, while each explains at least a share of what is left.

    The path goes on from a length that it has; its first steps are forced. Which of the other candidates would join it,
    and when, is written down. Return the length.
    """
    unexplained = _unexplained(length, square)
    highest, of_all = _highest_rank(NONE, n, n_allowed, length, numbers, candidates)
    while length < numbers.shape[1] - 1:
        best = candidates[FORCED, length]
        if length >= n_forced:
            enough = _rank(least * unexplained, NONE)
            if of_all > max(highest, enough):
                _note_joining(n_allowed, n, length, max(highest, enough), numbers, candidates)
            if highest <= enough:
                break
            best = where[NAMES - (highest & NAMES)]
        variance = numbers[VARIANCE, length, best]
        root = np.sqrt(max(variance, DETERMINED))
        explained = numbers[COVARIANCE, length, best] / root
        for h in range(length):
            square[length, h] = numbers[ROWS, h, best]
        square[length, length], square[length, -1], candidates[ON_PATH, length] = root, explained, best
        unexplained = max(unexplained - explained * explained, DETERMINED)
        numbers[VARIANCE, length, best] = TAKEN
        highest, of_all = _condition(matrix, NONE, n, n_allowed, length, numbers, square, candidates, layout)
        numbers[VARIANCE, length, best] = variance
        length += 1
    return length


@njit(cache=True, error_model="numpy", _nrt=False)
def _unexplained(length, square):
    """The share of the variance of v that a path leaves."""
    unexplained = 1.0
    for h in range(length):
        unexplained = max(unexplained - square[h, -1] * square[h, -1], DETERMINED)
    return unexplained


@njit(cache=True, error_model="numpy", _nrt=False)
def look_at(matrix, start, end, n_forced, length, least, numbers, square, candidates, layout):
    """Note which of more candidates would join a path, with the numbers that its going on from there takes."""
    _, highest = _highest_rank(start, end, NONE, NONE, numbers, candidates)
    for h in range(length):
        step = candidates[ON_PATH, h]
        rank = _rank_of(numbers[COVARIANCE, h, step], numbers[VARIANCE, h, step], candidates[NAME, step])
        if h >= n_forced and highest > rank:
            _note_joining(start, end, h, rank, numbers, candidates)
        _, highest = _condition(matrix, start, end, NONE, h, numbers, square, candidates, layout)
    enough = _rank(least * _unexplained(length, square), NONE)
    if length < numbers.shape[1] - 1 and highest > enough:
        _note_joining(start, end, length, enough, numbers, candidates)


@njit(cache=True, error_model="numpy", forceinline=True, _nrt=False)
def _rank(share, name):
    """A whole number that is the higher the more a candidate explains, and among equals the lower its name.

    Numbers that are not negative have the order of their bits; the last ones make way for the name.
    """
    return (np.float64(share).view(np.int64) & ~NAMES) | (NAMES - name)


@njit(cache=True, error_model="numpy", forceinline=True, _nrt=False)
def _rank_of(covariance, variance, name):
    """The rank of a candidate; the lowest if others determine it."""
    share = covariance * covariance / variance
    return _rank(share if variance > DETERMINED else 0.0, name)


@njit(cache=True, error_model="numpy", _nrt=False)
def _note_joining(start, end, length, rank, numbers, candidates):
    """Note which candidates have a higher rank than the next step."""
    share = (1 - ROUNDING) * np.int64(rank & ~NAMES).view(np.float64)
    for i in range(start, end):
        covariance, variance = numbers[COVARIANCE, length, i], numbers[VARIANCE, length, i]
        if covariance * covariance < share * variance:  # a product takes less time than a share
            continue
        if _rank_of(covariance, variance, candidates[NAME, i]) > rank:
            candidates[JOINS, i] = min(candidates[JOINS, i], length)


# Parts of arrays are taken as slices, since a loop over indices from a variable on is not done by several at once: an
# index might be negative. Nor is one that looks for the largest of numbers, unless they are whole.


@njit(cache=True, error_model="numpy", _nrt=False)
def _highest_rank(start, end, n_allowed, length, numbers, candidates):
    """The highest rank of the first candidates after so many steps, those allowed, and of all."""
    end = start + _rounded_up(end - start)
    names, highest, of_all = candidates[NAME, start:end], NONE, NONE
    variance, covariance = numbers[VARIANCE, length, start:end], numbers[COVARIANCE, length, start:end]
    for i in range(len(names)):
        rank = _rank_of(covariance[i], variance[i], names[i])
        of_all = max(of_all, rank)
        highest = max(highest, rank if i < n_allowed else NONE)
    return highest, of_all


@njit(cache=True, error_model="numpy", _nrt=False)
def _condition(matrix, start, end, n_allowed, length, numbers, square, candidates, layout):
    """Take what the step after so many explains out of the variances and covariances of candidates.

    Return the highest rank then, of the first candidates, those allowed, and of all.
    """
    step = candidates[ON_PATH, length]
    row = step if layout[ALIGNED] else candidates[NAME, step]
    if layout[ALIGNED] and step == layout[STAND_IN]:
        row = layout[COLUMN]
    _read(matrix, row, start, end, ROWS, length, numbers, candidates, layout)
    _take_out(start, end, length, numbers, square)
    return _explain(start, end, n_allowed, length, numbers, square, candidates)


@njit(cache=True, error_model="numpy", forceinline=True, _nrt=False)
def _read(matrix, row, start, end, kind, step, numbers, candidates, layout):
    """Read what a row of the matrix has for candidates, as numbers of this kind; zero beyond its end."""
    if layout[ALIGNED]:
        _copy(matrix, row, start, start + _rounded_up(end - start), kind, step, numbers)
        if start <= layout[STAND_IN] < end:
            numbers[kind, step, layout[STAND_IN]] = matrix[row, layout[COLUMN]]
    else:
        _gather(matrix, row, start, start + _rounded_up(end - start), kind, step, numbers, candidates)


@njit(cache=True, error_model="numpy", _nrt=False)
def _gather(matrix, row, start, end, kind, step, numbers, candidates):
    values, names, of_row = numbers[kind, step, start:end], candidates[NAME, start:end], matrix[row]
    for i in range(len(values)):
        values[i] = of_row[names[i]]


@njit(cache=True, error_model="numpy", forceinline=True, _nrt=False)
def _copy(matrix, row, start, end, kind, step, numbers):
    values, of_row = numbers[kind, step, start:end], matrix[row, start:end]
    for i in range(len(of_row)):
        values[i] = of_row[i]
    for i in range(len(of_row), len(values)):
        values[i] = 0.0


@njit(cache=True, error_model="numpy", fastmath={"contract"}, forceinline=True, _nrt=False)
def _take_out(start, end, length, numbers, square):
    """Take the steps before out of the row of this one, each times its factor; four at once, to read it less often."""
    end, n_fours = start + _rounded_up(end - start), length - length % 4
    added = numbers[ROWS, length, start:end]
    for h in range(0, n_fours, 4):
        first, second = numbers[ROWS, h, start:end], numbers[ROWS, h + 1, start:end]
        third, fourth = numbers[ROWS, h + 2, start:end], numbers[ROWS, h + 3, start:end]
        a, b, c, d = square[length, h], square[length, h + 1], square[length, h + 2], square[length, h + 3]
        for i in range(len(added)):
            added[i] -= first[i] * a + second[i] * b + third[i] * c + fourth[i] * d
    for h in range(n_fours, length):
        earlier, factor = numbers[ROWS, h, start:end], square[length, h]
        for i in range(len(added)):
            added[i] -= earlier[i] * factor


@njit(cache=True, error_model="numpy", fastmath={"contract"}, forceinline=True, _nrt=False)
def _explain(start, end, n_allowed, length, numbers, square, candidates):
    """Write what a step leaves of variances and covariances; the highest rank of those allowed, and of all."""
    end = start + _rounded_up(end - start)
    names, added, highest, of_all = candidates[NAME, start:end], numbers[ROWS, length, start:end], NONE, NONE
    variance, next_variance = numbers[VARIANCE, length, start:end], numbers[VARIANCE, length + 1, start:end]
    covariance, next_covariance = numbers[COVARIANCE, length, start:end], numbers[COVARIANCE, length + 1, start:end]
    reciprocal, explained = 1 / square[length, length], square[length, -1]
    for i in range(len(added)):
        part = added[i] * reciprocal
        left, shared = variance[i] - part * part, covariance[i] - part * explained
        added[i], next_variance[i], next_covariance[i] = part, left, shared
        rank = _rank_of(shared, left, names[i])
        of_all = max(of_all, rank)
        highest = max(highest, rank if i < n_allowed else NONE)
    return highest, of_all


@njit(cache=True, error_model="numpy", _nrt=False)
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


@njit(cache=True, error_model="numpy", _nrt=False)
def _invert(length, factor, inverse, last, precision, kept):
    """The inverse of a factor, by columns, and of its product with itself the diagonal and what is beside it.

    Return what is explained. Sums are taken one by one: they are too short for several at once.
    """
    explained = 0.0
    for i in range(length):
        reciprocal = 1 / factor[i, i]
        explained += factor[i, -1] * factor[i, -1]
        inverse[i, i], last[i], precision[i], kept[i] = reciprocal, -factor[i, -1] * reciprocal, reciprocal**2, 1.0
        for j in range(i):
            total = 0.0
            for h in range(j, i):
                total -= factor[i, h] * inverse[j, h]
            total *= reciprocal
            inverse[j, i] = total
            last[j] -= factor[i, -1] * total
            precision[j] += total * total
    return explained


@njit(cache=True, error_model="numpy", _nrt=False)
def _row_of_precision(inverse, length, x, dropped, n_dropped, row):
    """The row of x in the inverse over what is left of a path, divided by the root of x's own entry."""
    for j in range(length):
        row[j] = 0.0
    for i in range(x, length):
        for j in range(i + 1):
            row[j] += inverse[x, i] * inverse[j, i]
    for h in range(n_dropped):
        factor = dropped[h, x]
        for j in range(length):
            row[j] -= factor * dropped[h, j]
    root = np.sqrt(max(row[x], DETERMINED))
    for j in range(length):
        row[j] /= root


@njit(cache=True, error_model="numpy", _nrt=False)
def keep(v, length, square, candidates, kept):
    """Write down the path of v, and the parents that are left of it, each after how many they are."""
    paths, parents, n_kept = kept[0], kept[1], 0
    for h in range(length):
        paths[v, h + 1] = candidates[NAME, candidates[ON_PATH, h]]
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
    most, where = max(1, min(most, n - 1)), np.arange(n)
    numbers, square, candidates, layout = room_for(most, n)
    kept, layout[ALIGNED] = np.empty((2, n, most + 1), np.int64), later
    for i in range(n):
        v, n_allowed = order[i], n if later else i
        for j in range(n_allowed):
            candidates[NAME, j] = j if later else order[j]
        n_required = begin(matrix, v, v, n_allowed, n_allowed, ways, numbers, candidates, layout, where)
        if later:
            numbers[VARIANCE, 0, v] = TAKEN
        length = grow(matrix, n_allowed, n_allowed, n_required, NONE, least, numbers, square, candidates, layout, where)
        shrink(length, n_required, n_rows, penalty, least, square)
        keep(v, length, square, candidates, kept)
    return kept[1]

# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment"
"""Numba kernels that choose the parents of one variable by a Gaussian score (docs/decisions/0016 has an example).

The score of a variable with some parents is −N log(unexplained share of its variance) − penalty · number of parents.
Parents are chosen greedily among the candidates that are allowed: the best one is added as long as the score rises, or
falls by little (the path), then the worst is dropped as long as it rises. A candidate that comes or goes changes the
choice only if it is on the path, or would join it, and which ones would is seen while the path grows: it takes their
covariances with it too.

Most of the time goes into loops over candidates. They are written so that the processor works on several at once, and
most kernels take arrays without counting references to them (``_nrt=False``): such a kernel cannot make an array.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.kernels import DETERMINED
from sidelight.kernels.compiling import njit

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

NOT_TO_CHOOSE = 0.0  # the variance of a candidate that is not to be chosen: it has nothing to explain with
LAST_BITS = np.int64(20)  # of a share, which rounding decides: shares that agree to nine digits are equal
ROUNDING = 1e-9  # more than a share loses without them
AT_ONCE = 8  # candidates: loops over a multiple of that have no rest to be done one by one
# Numbers with a type: with literals as arguments, kernels would be compiled twice, with and without them.
NONE = np.int64(0)
NO_NAME = np.int64(-1)
NEVER = np.int64(1 << 30)  # the step at which a candidate joins a path that it does not join


class Problem(NamedTuple):
    """Correlations, what is known, and the score.

    ``least`` is the share of what is left that pays for a parent, ``promising`` the share that a path goes on for: some
    variables explain another only together. An arrow from the row's variable to the column's must be there (2), may be
    (1), or not (0); ``ways`` without entries say nothing. Required parents are first on a path, and are never dropped.
    """

    matrix: Numbers
    ways: NDArray[np.int8]
    n_rows: float
    penalty: float
    least: float
    promising: float


class Room(NamedTuple):
    """Where the path of one variable v grows. A candidate is known by its place here, a step by its number.

    Where candidates are aligned, they are the first columns of the matrix as they come; but one of them may stand in
    for a later column.
    """

    is_aligned: bool
    stands_in: Integers  # the place of the candidate that does so, −1 if none does, and its column
    places: Integers  # of variables among the candidates
    names: Integers  # of candidates
    entries: Integers  # of candidates: where they are in a list of the caller's
    joins: Integers  # of candidates: the step at which each would join the path if it were allowed
    shares: Integers  # of candidates: what each explains if it is the next step, rounded
    variances: Numbers  # of candidates (columns), that so many steps (rows) leave
    covariances: Numbers  # the same, with v
    parts: Numbers  # of candidates: what each step (row) adds in explaining them
    steps: Integers  # the places of the candidates on the path
    forced: Integers  # those of the first steps, if they are given
    factor: Numbers  # the Cholesky factor of the steps
    explained: Numbers  # what each step adds in explaining v
    inverse: Numbers  # of the factor; this and what follows serves to drop steps
    dropped: Numbers
    last: Numbers
    precision: Numbers
    is_kept: NDArray[np.bool_]


@njit(cache=True, error_model="numpy")
def room_for(most, widest, is_aligned, places):
    """Room for paths of at most so many steps among at most so many candidates."""
    n = widest + most + AT_ONCE  # a path may begin with steps that are given
    whole, by_step = np.zeros((5, n), np.int64), np.zeros((3, most + 1, n))
    square, line, steps = np.zeros((3, most, most)), np.zeros((3, most)), np.zeros(most, np.int64)
    names, entries, joins, shares, forced = whole[0], whole[1], whole[2], whole[3], whole[4]
    return Room(
        is_aligned, np.full(2, -1, np.int64), places, names, entries, joins, shares, by_step[0], by_step[1], by_step[2],
        steps, forced, square[0], line[0], square[1], square[2], line[1], line[2], np.zeros(most, np.bool_),
    )  # fmt: skip


@njit(cache=True, error_model="numpy", _nrt=False)
def begin(problem, room, v, row, n, n_first):
    """Write down what is known of the n candidates of v before the first step; how many of the first are required.

    The row of the matrix is that of v. Where candidates are aligned, the caller knows their places.
    """
    n_required = 0
    if not room.is_aligned:
        for i in range(n):
            room.places[room.names[i]] = i
        for i in range(n, _rounded_up(n)):
            room.names[i] = 0
    _read(problem.matrix, row, NONE, n, room, room.covariances[0])
    for i in range(_rounded_up(n)):
        room.variances[0, i], room.joins[i] = 1.0 if i < n else NOT_TO_CHOOSE, NEVER
    if len(problem.ways) > 0:
        for i in range(n):
            way = problem.ways[room.names[i], v]
            if way == 0:
                room.variances[0, i] = NOT_TO_CHOOSE
            elif way == 2 and i < n_first:
                room.forced[n_required] = i
                n_required += 1
    return min(n_required, len(room.steps))


@njit(cache=True, error_model="numpy", _nrt=False)
def _rounded_up(n):
    return (n + AT_ONCE - 1) // AT_ONCE * AT_ONCE


@njit(cache=True, error_model="numpy", _nrt=False)
def grow(problem, room, n, n_allowed, n_forced, length):
    """Add the best of the first candidates, those allowed, while each explains a promising share of what is left.

    The path goes on from a length that it has; its first steps are forced. Which of the other candidates would join it,
    and when, is written down. Return the length.
    """
    unexplained = _unexplained(length, room)
    largest, of_others = _largest_shares(room, NONE, n, n_allowed, length)
    while length < len(room.steps):
        best = room.forced[length]
        if length >= n_forced:
            share, name = _rounded(problem.promising * unexplained), NO_NAME
            if largest > share:
                share, name = largest, _first_name(room, n_allowed, largest)
            if of_others >= share:
                _note_joining(room, n_allowed, n, length, share, name)
            if name == NO_NAME:
                break
            best = room.places[name]
        variance = room.variances[length, best]
        root = np.sqrt(max(variance, DETERMINED))
        explained = room.covariances[length, best] / root
        for h in range(length):
            room.factor[length, h] = room.parts[h, best]
        room.factor[length, length], room.explained[length], room.steps[length] = root, explained, best
        unexplained = max(unexplained - explained * explained, DETERMINED)
        room.variances[length, best] = NOT_TO_CHOOSE
        largest, of_others = _condition(problem.matrix, room, NONE, n, n_allowed, length)
        room.variances[length, best] = variance
        length += 1
    return length


@njit(cache=True, error_model="numpy", _nrt=False)
def _unexplained(length, room):
    """The share of the variance of v that a path leaves."""
    unexplained = 1.0
    for h in range(length):
        unexplained = max(unexplained - room.explained[h] * room.explained[h], DETERMINED)
    return unexplained


@njit(cache=True, error_model="numpy", _nrt=False)
def look_at(problem, room, start, end, n_forced, length):
    """Note which of more candidates would join a path, with the numbers that its going on from there takes."""
    _, largest = _largest_shares(room, start, end, NONE, NONE)
    for h in range(length):
        step = room.steps[h]
        share = _share_of(room.covariances[h, step], room.variances[h, step])
        if h >= n_forced and largest >= share:
            _note_joining(room, start, end, h, share, room.names[step])
        _, largest = _condition(problem.matrix, room, start, end, NONE, h)
    enough = _rounded(problem.promising * _unexplained(length, room))
    if length < len(room.steps) and largest > enough:
        _note_joining(room, start, end, length, enough, NO_NAME)


# A step is the candidate with the largest share, and among equals the one with the lowest name. Shares are rounded
# before they are compared, so that equal ones are equal whatever the order of the sums behind them.


@njit(cache=True, error_model="numpy", forceinline=True, _nrt=False)
def _rounded(share):
    """A share without its last bits, as a whole number.

    Numbers that are not negative have the order of their bits, and processors find the largest of whole numbers several
    at a time.
    """
    return np.float64(share).view(np.int64) >> LAST_BITS


@njit(cache=True, error_model="numpy", forceinline=True, _nrt=False)
def _share_of(covariance, variance):
    """What a candidate explains, rounded; nothing if others determine it."""
    share = covariance * covariance / variance
    return _rounded(share if variance > DETERMINED else 0.0)


@njit(cache=True, error_model="numpy", forceinline=True, _nrt=False)
def _first_name(room, n_allowed, share):
    """The lowest name among the candidates that are allowed and have this share."""
    shares, names, first = room.shares[:n_allowed], room.names[:n_allowed], NEVER
    for i in range(len(shares)):
        first = min(first, names[i] if shares[i] == share else NEVER)
    return first


@njit(cache=True, error_model="numpy", _nrt=False)
def _note_joining(room, start, end, length, share, name):
    """Note which candidates would be chosen in place of the next step, which has this share and this name."""
    at_least = (1 - ROUNDING) * np.int64(share << LAST_BITS).view(np.float64)
    for i in range(start, end):
        covariance, variance = room.covariances[length, i], room.variances[length, i]
        if covariance * covariance < at_least * variance:  # a product takes less time than a share
            continue
        its_share = _share_of(covariance, variance)
        if its_share > share or (its_share == share and room.names[i] < name):
            room.joins[i] = min(room.joins[i], length)


# Parts of arrays are taken as slices, since a loop over indices from a variable on is not done by several at once: an
# index might be negative. Nor is one that looks for the largest of numbers, unless they are whole.


@njit(cache=True, error_model="numpy", forceinline=True, _nrt=False)
def _largest_shares(room, start, end, n_allowed, length):
    """The largest share of the first candidates after so many steps, those allowed, and of the others."""
    end, largest, of_others = start + _rounded_up(end - start), NONE, NONE
    variance, covariance = room.variances[length, start:end], room.covariances[length, start:end]
    shares = room.shares[start:end]
    for i in range(len(shares)):
        shares[i] = share = _share_of(covariance[i], variance[i])
        largest = max(largest, share if i < n_allowed else NONE)
        of_others = max(of_others, NONE if i < n_allowed else share)
    return largest, of_others


@njit(cache=True, error_model="numpy", forceinline=True, _nrt=False)
def _condition(matrix, room, start, end, n_allowed, length):
    """Take what the step after so many explains out of the variances and covariances of candidates.

    Return the largest share then, of the first candidates, those allowed, and of the others.
    """
    step = room.steps[length]
    row = step if room.is_aligned else room.names[step]
    if room.is_aligned and step == room.stands_in[0]:
        row = room.stands_in[1]
    _read(matrix, row, start, end, room, room.parts[length])
    _take_out(room, start, end, length)
    return _explain(room, start, end, n_allowed, length)


@njit(cache=True, error_model="numpy", forceinline=True, _nrt=False)
def _read(matrix, row, start, end, room, values):
    """Read what a row of the matrix has for candidates; zero beyond its end."""
    if room.is_aligned:
        _copy(matrix, row, start, start + _rounded_up(end - start), values)
        if start <= room.stands_in[0] < end:
            values[room.stands_in[0]] = matrix[row, room.stands_in[1]]
    else:
        _gather(matrix, row, start, start + _rounded_up(end - start), room.names, values)


@njit(cache=True, error_model="numpy", _nrt=False)
def _gather(matrix, row, start, end, names, values):
    values, names, of_row = values[start:end], names[start:end], matrix[row]
    for i in range(len(values)):
        values[i] = of_row[names[i]]


@njit(cache=True, error_model="numpy", forceinline=True, _nrt=False)
def _copy(matrix, row, start, end, values):
    values, of_row = values[start:end], matrix[row, start:end]
    for i in range(len(of_row)):
        values[i] = of_row[i]
    for i in range(len(of_row), len(values)):
        values[i] = 0.0


@njit(cache=True, error_model="numpy", fastmath={"contract"}, forceinline=True, _nrt=False)
def _take_out(room, start, end, length):
    """Take the steps before out of the row of this one, each times its factor; four at once, to read it less often."""
    end, n_fours, factor = start + _rounded_up(end - start), length - length % 4, room.factor[length]
    added = room.parts[length, start:end]
    for h in range(0, n_fours, 4):
        first, second = room.parts[h, start:end], room.parts[h + 1, start:end]
        third, fourth = room.parts[h + 2, start:end], room.parts[h + 3, start:end]
        a, b, c, d = factor[h], factor[h + 1], factor[h + 2], factor[h + 3]
        for i in range(len(added)):
            added[i] -= first[i] * a + second[i] * b + third[i] * c + fourth[i] * d
    for h in range(n_fours, length):
        earlier, share = room.parts[h, start:end], factor[h]
        for i in range(len(added)):
            added[i] -= earlier[i] * share


@njit(cache=True, error_model="numpy", fastmath={"contract"}, forceinline=True, _nrt=False)
def _explain(room, start, end, n_allowed, length):
    """Write what a step leaves of variances and covariances; the largest share of those allowed, and of the others."""
    end = start + _rounded_up(end - start)
    added, shares, largest, of_others = room.parts[length, start:end], room.shares[start:end], NONE, NONE
    variance, next_variance = room.variances[length, start:end], room.variances[length + 1, start:end]
    covariance, next_covariance = room.covariances[length, start:end], room.covariances[length + 1, start:end]
    reciprocal, explained = 1 / room.factor[length, length], room.explained[length]
    for i in range(len(added)):
        part = added[i] * reciprocal
        left, shared = variance[i] - part * part, covariance[i] - part * explained
        added[i], next_variance[i], next_covariance[i] = part, left, shared
        shares[i] = share = _share_of(shared, left)
        largest = max(largest, share if i < n_allowed else NONE)
        of_others = max(of_others, NONE if i < n_allowed else share)
    return largest, of_others


@njit(cache=True, error_model="numpy", _nrt=False)
def shrink(problem, room, length, n_required):
    """Drop steps of a path while the score rises: the score; those left are marked.

    With v as the last variable, the inverse over all has 1 / left for it, last / left beside the others, and for these
    precision + last² / left: so much of what is unexplained does each add beside all others.
    """
    last, precision = room.last, room.precision
    explained, n_kept = _invert(room, length), length
    left = max(1 - explained, DETERMINED)
    while n_kept:
        worst, worst_share = -1, problem.least
        for j in range(n_required, length):
            share = last[j] * last[j] / (precision[j] * left + last[j] * last[j])
            if room.is_kept[j] and share < worst_share:
                worst, worst_share = j, share
        if worst < 0:
            break
        row = room.dropped[length - n_kept]
        _row_of_precision(room, length, worst, length - n_kept, row)
        coefficient = last[worst] / row[worst]
        for j in range(length):
            precision[j] -= row[j] * row[j]
            last[j] -= row[j] * coefficient
        left += coefficient * coefficient
        room.is_kept[worst] = False
        n_kept -= 1
    return -problem.n_rows * np.log(min(left, 1.0)) - problem.penalty * n_kept


@njit(cache=True, error_model="numpy", forceinline=True, _nrt=False)
def _invert(room, length):
    """The inverse of the factor, by columns, and of its product with itself the diagonal and what is beside it.

    Return what is explained. Sums are taken one by one: they are too short for several at once.
    """
    total_explained, factor, inverse, last, precision = 0.0, room.factor, room.inverse, room.last, room.precision
    for i in range(length):
        reciprocal, explained = 1 / factor[i, i], room.explained[i]
        total_explained += explained * explained
        inverse[i, i], last[i], precision[i], room.is_kept[i] = reciprocal, -explained * reciprocal, reciprocal**2, True
        for j in range(i):
            total = 0.0
            for h in range(j, i):
                total -= factor[i, h] * inverse[j, h]
            total *= reciprocal
            inverse[j, i] = total
            last[j] -= explained * total
            precision[j] += total * total
    return total_explained


@njit(cache=True, error_model="numpy", forceinline=True, _nrt=False)
def _row_of_precision(room, length, x, n_dropped, row):
    """The row of x in the inverse over what is left of a path, divided by the root of x's own entry."""
    inverse, dropped = room.inverse, room.dropped
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
def keep(room, length, path, parents):
    """Write down the path, and the parents that are left of it, each after how many they are."""
    n_kept = 0
    for h in range(length):
        path[h + 1] = room.names[room.steps[h]]
        if room.is_kept[h]:
            n_kept += 1
            parents[n_kept] = path[h + 1]
    path[0], parents[0] = length, n_kept


@njit(cache=True, error_model="numpy")
def least_share(n_rows, penalty):
    """The share of what is left that a parent must explain for the score to rise."""
    return -np.expm1(-penalty / n_rows)


@njit(cache=True, error_model="numpy")
def problem_of(matrix, ways, n_rows, penalty, patience):
    """What is to be solved, if a step of a path may lower the score by as much as the patience."""
    return Problem(matrix, ways, n_rows, penalty, least_share(n_rows, penalty), least_share(n_rows, penalty - patience))


@njit(cache=True, error_model="numpy")
def choose_among_all(matrix, order, later, ways, n_rows, penalty, patience, most):
    """For each variable the best parents among all before it in the order, and later ones too if so said.

    In the row of each, how many they are comes first.
    """
    n = len(matrix)
    most = max(1, min(most, n - 1))
    problem = problem_of(matrix, ways, n_rows, penalty, patience)
    room = room_for(most, n, later, np.arange(n))
    path, parents = np.empty(most + 1, np.int64), np.empty((n, most + 1), np.int64)
    for i in range(n):
        v, n_allowed = order[i], n if later else i
        for j in range(n_allowed):
            room.names[j] = j if later else order[j]
        n_required = begin(problem, room, v, v, n_allowed, n_allowed)
        if later:
            room.variances[0, v] = NOT_TO_CHOOSE
        length = grow(problem, room, n_allowed, n_allowed, n_required, NONE)
        shrink(problem, room, length, n_required)
        keep(room, length, path, parents[v])
    return parents

# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment"
"""Numba kernels for the search over orders of variables by a Gaussian score: arrays in, arrays out.

The score of a variable with some parents is −N log(unexplained share of its variance) − penalty · number of parents.
Parents are chosen greedily among the candidates before the variable in the order: the best one is added as long as the
score rises (the path), then the worst is dropped as long as it rises. A candidate that comes or goes changes the choice
only if it is on the path, or would join it, and which ones would is seen while the path grows: it takes their
covariances with it too. So most choices need not be made again, and a path over more candidates begins as before.

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
AT_ONCE = np.int64(32)  # candidates that are looked at beyond those allowed


@njit(cache=True, error_model="numpy")
def _room(most, widest):
    """Room to grow a path in: numbers for each step and candidate, the path's factor, and candidates by number.

    A factor's row holds a step's coefficients on the steps before it, its own root, and last what it explains; below
    it there is room for its inverse, for what is dropped, and three rows more. Of the candidates there are their names,
    the step at which each would join, those on the path, those required, and where they are in a list.
    """
    room = widest + most  # a path may begin with steps that are given
    return np.empty((3, most + 1, room)), np.empty((3 * most + 3, most + 1)), np.empty((5, room), np.int64)


@njit(cache=True, error_model="numpy")
def _begin(matrix, v, n, n_first, ways, numbers, candidates):
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
def _grow(matrix, n, n_allowed, n_forced, length, least, numbers, square, candidates):
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
def _look_at(matrix, start, end, n_forced, length, least, numbers, square, candidates):
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
def _shrink(length, n_required, n_rows, penalty, least, square):
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
def _choose(matrix, v, n, n_allowed, ways, n_rows, penalty, least, numbers, square, candidates):
    """Choose parents of v among the first of n candidates: the score, and the length of the path."""
    n_required = _begin(matrix, v, n, n, ways, numbers, candidates)
    length = _grow(matrix, n, n_allowed, n_required, NONE, least, numbers, square, candidates)
    return _shrink(length, n_required, n_rows, penalty, least, square), length


@njit(cache=True, error_model="numpy")
def _keep(v, length, square, candidates, kept):
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
    numbers, square, candidates = _room(most, n)
    kept = np.empty((2, n, most + 1), np.int64)
    for i in range(n):
        n_allowed = NONE
        for j in range(n if later else i):
            candidates[0, n_allowed] = order[j]
            n_allowed += j != i
        v = order[i]
        _, length = _choose(matrix, v, n_allowed, n_allowed, ways, n_rows, penalty, least, numbers, square, candidates)
        _keep(v, length, square, candidates, kept)
    return kept[1]


@njit(cache=True, nogil=True, error_model="numpy")
def search_orders(matrix, order, waiting, start, items, ways, n_rows, penalty, most, tolerance):
    """Move one variable at a time to its best place in the order, until none that is waiting raises the score by that.

    After a move, those wait again to which it matters. That is nearly, not quite, all whose best place may be another:
    whoever wants to be sure searches again from the order found, with all of them waiting.

    ``items[start[v] : start[v + 1]]`` are the candidates of v, a symmetric relation. ``order`` is changed in place;
    so is ``waiting``, which variables are to be tried.
    Return the parents of each variable, after how many they are, and the scores.
    """
    n, least, widest = len(matrix), -np.expm1(-penalty / n_rows), AT_ONCE
    position, would, mirror = np.empty(n, np.int64), np.empty(len(items), np.int64), _mirrored(start, items)
    for i in range(n):
        position[order[i]] = i
        widest = max(widest, start[i + 1] - start[i])
    problem = matrix, start, items, mirror, ways, n_rows, penalty, least
    room = _room(min(most, widest), widest)
    kept = np.empty((2, n, room[1].shape[1]), np.int64)
    scores, changes = np.empty(n), np.empty((2, widest + 1))
    for v in range(n):
        _settle(v, position, problem, room, kept, scores, would)
    progress = True
    while progress:
        progress = False
        for turn in range(n):
            x = order[turn]
            if not waiting[x]:
                continue
            waiting[x] = False
            near, now = _by_position(x, order, position, start, items)
            _toggle(x, near, now, position, problem, room, kept, scores, would, changes)
            place, gain = _best_place(x, near, now, problem, room, changes)
            if gain <= tolerance:
                continue
            total = scores.sum()
            _wake(x, place, now, near, problem, kept, would, changes, waiting)
            _move(order, position, x, position[items[near[place if place < now else place - 1]]])
            _settle(x, position, problem, room, kept, scores, would)
            for i in range(min(now, place), max(now, place)):  # x has come before these, or after
                if not np.isnan(changes[0, i]):
                    _settle(items[near[i]], position, problem, room, kept, scores, would)
            if scores.sum() > total + tolerance / 2:  # else rounding promised a gain that is none
                progress = True
                _wake(x, place, now, near, problem, kept, would, changes, waiting)
                waiting[x] = False
    return kept[1], scores


@njit(cache=True, error_model="numpy")
def _wake(x, place, now, near, problem, kept, would, changes, waiting):
    """Have those tried again to which a variable matters whose place or choice changes."""
    items = problem[2]
    _wake_beside(x, problem, kept, would, waiting)
    for i in range(len(near)):
        y = items[near[i]]
        if min(now, place) <= i < max(now, place) and not np.isnan(changes[0, i]):
            waiting[y] = True
            _wake_beside(y, problem, kept, would, waiting)
        elif would[near[i]] < NEVER or _step_of(kept[0, y], x) < NEVER:
            waiting[y] = True


@njit(cache=True, error_model="numpy")
def _wake_beside(v, problem, kept, would, waiting):
    """Have those tried again that are on the path of v, or would join it."""
    start, items, mirror = problem[1], problem[2], problem[3]
    for h in range(kept[0, v, 0]):
        waiting[kept[0, v, h + 1]] = True
    for e in range(start[v], start[v + 1]):
        if would[mirror[e]] < NEVER:
            waiting[items[e]] = True


@njit(cache=True, error_model="numpy")
def _mirrored(start, items):
    """Where v is among the candidates of y, for each candidate y of v."""
    mirror, seen = np.empty(len(items), np.int64), start.copy()
    for v in range(len(start) - 1):
        for e in range(start[v], start[v + 1]):
            mirror[e] = seen[items[e]]
            seen[items[e]] += 1
    return mirror


@njit(cache=True, error_model="numpy")
def _settle(v, position, problem, room, kept, scores, would):
    """Choose parents of v among the candidates before it, and note which of those after it would join its path."""
    matrix, start, items, mirror, ways, n_rows, penalty, least = problem
    numbers, square, candidates = room
    names, joins, entries, n_before = candidates[0], candidates[1], candidates[4], NONE
    for e in range(start[v], start[v + 1]):
        entries[n_before] = e
        n_before += position[items[e]] < position[v]
    n = n_before
    for e in range(start[v], start[v + 1]):
        if position[items[e]] > position[v]:
            entries[n] = e
            n += 1
    for i in range(n):
        names[i] = items[entries[i]]
    scores[v], length = _choose(matrix, v, n, n_before, ways, n_rows, penalty, least, numbers, square, candidates)
    _keep(v, length, square, candidates, kept)
    for i in range(n):
        would[mirror[entries[i]]] = joins[i]


@njit(cache=True, error_model="numpy")
def _by_position(v, order, position, start, items):
    """The candidates of v in their order, as places among the items; how many are before v."""
    first, k, now = start[v], start[v + 1] - start[v], 0
    near = np.empty(k, np.int64)
    if k == len(order) - 1:  # all others
        for y in range(len(order)):
            if y != v:
                near[position[y] - (position[y] > position[v])] = first + y - (y > v)
        return near, position[v]
    for i in range(k):  # sorting by insertion compiles much faster than argsort
        e, j = first + i, i
        while j > 0 and position[items[near[j - 1]]] > position[items[e]]:
            near[j] = near[j - 1]
            j -= 1
        near[j] = e
        now += position[items[e]] < position[v]
    return near, now


@njit(cache=True, error_model="numpy")
def _toggle(x, near, now, position, problem, room, kept, scores, would, changes):
    """What each variable near x, of which the first ``now`` are before it, gains when x comes after it.

    Not a number where the choice is the same.
    """
    ways, place = problem[4], position[x]
    for i in range(len(near)):
        y, is_before = problem[2][near[i]], i < now
        changes[0, i] = np.nan
        if len(ways) > 0 and ways[x, y] == 2:  # always before it
            continue
        n_same = would[near[i]] if is_before else _step_of(kept[0, y], x)
        if n_same < NEVER:
            position[x] = -1 if is_before else len(position)
            score = _changed_score(y, n_same, position, problem, room, kept[0, y])
            changes[0, i] = scores[y] - score if is_before else score - scores[y]
    position[x] = place


@njit(cache=True, error_model="numpy")
def _changed_score(y, n_same, position, problem, room, path):
    """The score of y with parents among the candidates before it, where so many steps of its path are as before."""
    matrix, start, items, _, ways, n_rows, penalty, least = problem
    numbers, square, candidates = room
    names, forced, n = candidates[0], candidates[3], n_same
    for h in range(n_same):
        names[h] = path[h + 1]  # it comes again below, but explains nothing then
    for e in range(start[y], start[y + 1]):
        names[n] = items[e]
        n += position[items[e]] < position[y]
    n_required = _begin(matrix, y, n, n_same, ways, numbers, candidates)
    for h in range(n_same):
        forced[h] = h
    length = _grow(matrix, n, n, n_same, NONE, least, numbers, square, candidates)
    return _shrink(length, n_required, n_rows, penalty, least, square)


@njit(cache=True, error_model="numpy")
def _step_of(path, x):
    """The step of a path that x is, NEVER if it is not on it."""
    for h in range(path[0]):
        if path[h + 1] == x:
            return h
    return NEVER


@njit(cache=True, error_model="numpy")
def _best_place(x, near, now, problem, room, changes):
    """After how many of those near it x is best placed, and what the move there gains.

    It stays after its required parents and before its required children.
    """
    items, ways, first, last = problem[2], problem[4], NONE, len(near)
    if len(ways) > 0:
        for i in range(len(near)):
            if ways[items[near[i]], x] == 2:
                first = i + 1
            if ways[x, items[near[i]]] == 2:
                last = min(last, i)
    _own_scores(x, near, first, last, problem, room, changes[1])
    total, best, best_place, current = 0.0, -np.inf, first, 0.0
    for place in range(first, last + 1):
        if place > first and not np.isnan(changes[0, place - 1]):
            total += changes[0, place - 1]
        value = changes[1, place] + total
        if value > best:
            best, best_place = value, place
        if place == now:
            current = value
    return best_place, best - current


@njit(cache=True, error_model="numpy")
def _own_scores(x, near, first, last, problem, room, scores):
    """The scores of x with parents among so many of those near it, for each number from the first to the last.

    One more candidate changes the path only from the step on at which it joins.
    """
    matrix, _, items, _, ways, n_rows, penalty, least = problem
    numbers, square, candidates = room
    names, joins, n_allowed, length, seen = candidates[0], candidates[1], first, NONE, first
    for i in range(last):
        names[i] = items[near[i]]
    n_required = _begin(matrix, x, last, first, ways, numbers, candidates)
    while True:
        length = _grow(matrix, seen, n_allowed, n_required, length, least, numbers, square, candidates)
        score = _shrink(length, n_required, n_rows, penalty, least, square)
        scores[n_allowed] = score
        while n_allowed < last and (n_allowed == seen or joins[n_allowed] == NEVER):
            if n_allowed == seen:
                seen = min(last, seen + AT_ONCE)
                _look_at(matrix, n_allowed, seen, n_required, length, least, numbers, square, candidates)
            else:
                n_allowed += 1
                scores[n_allowed] = score
        if n_allowed == last:
            return
        length = joins[n_allowed]
        n_allowed += 1
        for i in range(n_allowed, seen):
            joins[i] = joins[i] if joins[i] < length else NEVER


@njit(cache=True, error_model="numpy")
def _move(order, position, x, target):
    step = 1 if target > position[x] else -1
    for i in range(position[x], target, step):
        order[i] = order[i + step]
        position[order[i]] = i
    order[target], position[x] = x, target

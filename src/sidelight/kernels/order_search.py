# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
"""Numba kernels for the search over orders of variables by a Gaussian score: arrays in, arrays out.

The score of a variable with some parents is −N log(unexplained share of its variance) − penalty · number of parents.
Parents are chosen greedily among the candidates before the variable in the order: the best one is added as long as the
score rises (the path), then the worst is dropped as long as it rises. A candidate that comes or goes changes the choice
only if it is on the path, or would be: most choices need only be checked, by the Cholesky factor of the path, which is
kept. A choice is a tuple of arrays: the path, its length and factor, the parents and their number, the score, and how
many parents are required.

Knowledge comes as a matrix of ways: an arrow from the row's variable to the column's must be there (2), may be (1), or
not (0); a matrix without entries says nothing. Required parents are first on a path, and are never dropped.
"""

from __future__ import annotations

import numpy as np

from sidelight.kernels import DETERMINED
from sidelight.kernels.compiling import njit

NONE = np.int64(-1)  # no variable; a literal −1 would have kernels compiled twice, with and without it
MOST_KEPT = 20_000_000  # numbers in the factors of all variables


@njit(cache=True)
def no_choices(n, most, widest):
    """Room for the choices of n variables: path, length, factor, parents, number of parents, score, number required.

    A factor's row holds a step's coefficients on the steps before it, its own root, and last what it explains. The last
    two are room to work in, for so many candidates.
    """
    kept = min(most, max(1, int(np.sqrt(MOST_KEPT / max(1, n)))))
    return (
        np.empty((n, most), np.int64),
        np.zeros(n, np.int64),
        np.empty((n, kept, kept + 1)),
        np.empty((n, most), np.int64),
        np.zeros(n, np.int64),
        np.zeros(n),
        np.zeros(n, np.int64),
        np.empty((most + 3, max(1, widest))),
        np.empty((2 * most, most + 1)),
    )


@njit(cache=True)
def choose(matrix, v, allowed, n_allowed, n_required, n_rows, penalty, choices, slot):
    """Choose parents of v among the allowed, the first of which are required, into a slot; return the score."""
    path, length, factor, parents, n_parents, score, required, work, square = choices
    most, kept = path.shape[1], factor[slot]
    n_required = required[slot] = min(n_required, most)
    n_steps = _grow(matrix, v, allowed, n_allowed, n_required, n_rows, penalty, path[slot], work, square)
    for i in range(min(n_steps, len(kept))):
        kept[i, -1] = square[i, -1]
        for j in range(i + 1):
            kept[i, j] = square[i, j]
    length[slot] = n_steps
    score[slot], n_parents[slot] = _shrink(
        path[slot], n_steps, n_required, n_rows, penalty, square[:most], square[most:], parents[slot]
    )
    return score[slot]


@njit(cache=True)
def _grow(matrix, v, allowed, n_allowed, n_required, n_rows, penalty, path, work, square):
    """Add the best candidate while the score rises; the factor of the path is written into the square."""
    variance, covariance, shares = work[-1][:n_allowed], work[-2][:n_allowed], work[-3][:n_allowed]
    of_v, unexplained, length = matrix[v], 1.0, 0
    for i in range(n_allowed):
        variance[i], covariance[i] = 1.0, of_v[allowed[i]]
    while length < len(path):
        best = length if length < n_required else _largest_share(covariance, variance, allowed, shares)
        if length >= n_required and (best < 0 or _gain(shares[best] / unexplained, n_rows) <= penalty):
            break
        root = np.sqrt(max(variance[best], DETERMINED))
        explained = covariance[best] / root
        unexplained = max(unexplained - explained * explained, DETERMINED)
        for h in range(length):
            square[length, h] = work[h, best]
        square[length, length] = root
        square[length, -1] = explained
        added, of_best = work[length], matrix[allowed[best]]
        for i in range(n_allowed):
            added[i] = of_best[allowed[i]]
        for h in range(length):
            earlier, factor = work[h], work[h, best]
            for i in range(n_allowed):
                added[i] -= earlier[i] * factor
        for i in range(n_allowed):
            added[i] /= root
            variance[i] -= added[i] * added[i]
            covariance[i] -= added[i] * explained
        variance[best] = 0.0
        path[length] = allowed[best]
        length += 1
    return length


@njit(cache=True)
def _largest_share(covariance, variance, allowed, shares):
    """Which of the allowed explains most, −1 if none explains anything; the shares are written down."""
    for i in range(len(shares)):
        shares[i] = covariance[i] * covariance[i] / variance[i] if variance[i] > DETERMINED else 0.0
    best, best_share = -1, 0.0
    for i in range(len(shares)):
        # Among equals the first variable, whatever the order of the candidates.
        if shares[i] > best_share or (shares[i] == best_share and best >= 0 and allowed[i] < allowed[best]):
            best, best_share = i, shares[i]
    return best


@njit(cache=True)
def _gain(share, n_rows):
    return -n_rows * np.log(max(1.0 - share, DETERMINED))


@njit(cache=True)
def _shrink(path, length, n_required, n_rows, penalty, factor, inverse, parents):
    """Drop steps of a path while the score rises: the score, and how many parents are left.

    With v as the last variable, the inverse over all has 1 / left for it, last / left beside the others, and for these
    precision + last² / left: so much of what is unexplained does each add beside all others.
    """
    last, precision, explained = np.zeros(length), np.zeros(length), 0.0
    for i in range(length):
        explained += factor[i, -1] * factor[i, -1]
        inverse[i, i] = 1 / factor[i, i]
        for j in range(i):
            value = 0.0
            for h in range(j, i):
                value -= factor[i, h] * inverse[h, j]
            inverse[i, j] = value / factor[i, i]
        for j in range(i + 1):
            last[j] -= factor[i, -1] * inverse[i, j]
            precision[j] += inverse[i, j] * inverse[i, j]
    left, kept, n_kept = max(1 - explained, DETERMINED), np.ones(length, np.bool_), length
    dropped = np.empty((0, 0))  # rows of the inverse, one for each step that was dropped
    while n_kept:
        worst, worst_loss = -1, penalty
        for j in range(n_required, length):
            if kept[j]:
                loss = _gain(last[j] * last[j] / (precision[j] * left + last[j] * last[j]), n_rows)
                if loss < worst_loss:
                    worst, worst_loss = j, loss
        if worst < 0:
            break
        if n_kept == length:
            dropped = np.empty((length, length))
        row = dropped[length - n_kept]
        _row_of_precision(inverse, length, worst, dropped, length - n_kept, row)
        coefficient = last[worst]
        for j in range(length):
            precision[j] -= row[j] * row[j]
            last[j] -= row[j] * coefficient / row[worst]
        left += coefficient * coefficient / (row[worst] * row[worst])
        kept[worst] = False
        n_kept -= 1
    position = 0
    for j in range(length):
        if kept[j]:
            parents[position] = path[j]
            position += 1
    return -n_rows * np.log(min(left, 1.0)) - penalty * n_kept, n_kept


@njit(cache=True)
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


@njit(cache=True)
def would_join(matrix, v, x, choices, slot, n_rows, penalty):
    """Would x be on the path of v, which is in a slot, if it were allowed too? True where that is not known."""
    path, length, factor, n_required = choices[0][slot], choices[1][slot], choices[2][slot], choices[6][slot]
    if length > len(factor):
        return True
    mine = choices[8][0]  # room to work in
    variance, covariance, unexplained = 1.0, matrix[v, x], 1.0
    for step in range(length):
        value = matrix[x, path[step]]
        for h in range(step):
            value -= factor[step, h] * mine[h]
        value /= factor[step, step]
        mine[step] = value
        explained = factor[step, -1]
        if step >= n_required and variance > DETERMINED and covariance * covariance >= variance * explained * explained:
            return True
        unexplained = max(unexplained - explained * explained, DETERMINED)
        variance -= value * value
        covariance -= value * explained
    most = variance * unexplained
    if variance <= DETERMINED or covariance * covariance < 0.9 * most * penalty / (n_rows + penalty):
        return False  # without a logarithm: −log(1 − r) ≤ r / (1 − r)
    return _gain(covariance * covariance / most, n_rows) > penalty


@njit(cache=True)
def _on_path(choices, slot, x):
    path, length = choices[0], choices[1]
    for i in range(length[slot]):  # noqa: SIM110 (a generator would not compile)
        if path[slot, i] == x:
            return True
    return False


@njit(cache=True)
def choose_among_all(matrix, order, later, ways, n_rows, penalty, most):
    """For each variable the best parents among all before it in the order, and later ones too if so said; how many."""
    n = len(matrix)
    choices = no_choices(n, max(1, min(most, n - 1)), n)
    others = order[1:].copy()  # than the first
    for i in range(n):
        allowed, n_allowed, n_required = _possible(ways, order[i], others, n - 1 if later else i)
        choose(matrix, order[i], allowed, n_allowed, n_required, n_rows, penalty, choices, order[i])
        if i < n - 1:
            others[i] = order[i]  # in the place of the next one
    return choices[3], choices[4]


@njit(cache=True)
def _may(ways, x, v):
    return len(ways) == 0 or ways[x, v] > 0


@njit(cache=True)
def _must(ways, x, v):
    return len(ways) > 0 and ways[x, v] == 2


@njit(cache=True)
def _possible(ways, v, candidates, n):
    """The first n candidates that may be parents of v, those first that must be; how many, and how many must be."""
    if len(ways) == 0:
        return candidates, n, 0
    possible, n_possible, n_required = np.empty(n, np.int64), 0, 0
    for i in range(n):
        if _must(ways, candidates[i], v):
            possible[n_required] = candidates[i]
            n_required += 1
    n_possible = n_required
    for i in range(n):
        if _may(ways, candidates[i], v) and not _must(ways, candidates[i], v):
            possible[n_possible] = candidates[i]
            n_possible += 1
    return possible, n_possible, n_required


@njit(cache=True)
def _choose_before(matrix, v, position, start, items, ways, without, extra, n_rows, penalty, choices, slot):
    """Choose among the candidates before v in the order, without one and with an extra one."""
    before, n = np.empty(start[v + 1] - start[v], np.int64), 0
    for i in range(start[v], start[v + 1]):
        y = items[i]
        if y == extra or (y != without and position[y] < position[v]):
            before[n] = y
            n += 1
    allowed, n_allowed, n_required = _possible(ways, v, before, n)
    return choose(matrix, v, allowed, n_allowed, n_required, n_rows, penalty, choices, slot)


@njit(cache=True)
def _by_position(v, order, position, start, items):
    """The candidates of v in their order; sorting by insertion compiles much faster than argsort."""
    k = start[v + 1] - start[v]
    near = np.empty(k, np.int64)
    if k == len(order) - 1:  # all others
        for i in range(k):
            near[i] = order[i] if i < position[v] else order[i + 1]
        return near
    for i in range(k):
        y, j = items[start[v] + i], i
        while j > 0 and position[near[j - 1]] > position[y]:
            near[j] = near[j - 1]
            j -= 1
        near[j] = y
    return near


@njit(cache=True, nogil=True)
def search_orders(matrix, order, waiting, start, items, ways, n_rows, penalty, most, tolerance):
    """Move one variable at a time to its best place in the order, until no move raises the score.

    ``items[start[v] : start[v + 1]]`` are the candidates of v, a symmetric relation. ``order`` is changed in place;
    so is ``waiting``, which variables are to be tried.
    Return the parents of each variable, how many they are, and the scores.
    """
    n, widest = len(matrix), 1
    for v in range(n):
        widest = max(widest, start[v + 1] - start[v])
    position = np.empty(n, np.int64)
    for i in range(n):
        position[order[i]] = i
    choices = no_choices(n + 1, min(most, widest), widest)  # the last slot is for what is tried
    for v in range(n):
        _choose_before(matrix, v, position, start, items, ways, NONE, NONE, n_rows, penalty, choices, v)
    progress = True
    while progress:
        progress = False
        for turn in range(n):
            x = order[turn]
            if not waiting[x]:
                continue
            waiting[x] = False
            near, now = _by_position(x, order, position, start, items), 0
            while now < len(near) and position[near[now]] < position[x]:
                now += 1
            before, after = _with_and_without(
                matrix, x, near, now, position, start, items, ways, n_rows, penalty, choices
            )
            place, gain = _best_place(matrix, x, near, now, ways, before, after, n_rows, penalty, choices)
            if gain <= tolerance:
                continue
            total = _total(choices[5], x, near)
            _move(order, position, x, position[near[place]] if place < now else position[near[place - 1]])
            _choose_before(matrix, x, position, start, items, ways, NONE, NONE, n_rows, penalty, choices, x)
            for i in range(len(near)):
                y = near[i]
                changed = place < now or before[i] != after[i] or _on_path(choices, y, x)
                if changed and min(now, place) <= i < max(now, place):  # x has come before it, or after
                    _choose_before(matrix, y, position, start, items, ways, NONE, NONE, n_rows, penalty, choices, y)
            if _total(choices[5], x, near) > total + tolerance / 2:  # else rounding promised a gain that is none
                progress = True
                for y in near:
                    waiting[y] = True
    return choices[3], choices[4], choices[5][:n]


@njit(cache=True)
def _total(score, x, near):
    total = score[x]
    for y in near:
        total += score[y]
    return total


@njit(cache=True)
def _with_and_without(matrix, x, near, now, position, start, items, ways, n_rows, penalty, choices):
    """The scores of the variables near x, of which the first ``now`` are before it: with x before them, and after."""
    before, after, trial = np.empty(len(near)), np.empty(len(near)), len(matrix)
    for i in range(len(near)):
        y = near[i]
        before[i] = after[i] = choices[5][y]
        is_after = i >= now
        if not _may(ways, x, y) or _must(ways, x, y):  # x is never a parent of y, or always before it
            continue
        if _on_path(choices, y, x) if is_after else would_join(matrix, y, x, choices, y, n_rows, penalty):
            without, extra = (x, NONE) if is_after else (NONE, x)
            changed = _choose_before(
                matrix, y, position, start, items, ways, without, extra, n_rows, penalty, choices, trial
            )
            if is_after:
                after[i] = changed
            else:
                before[i] = changed
    return before, after


@njit(cache=True)
def _best_place(matrix, x, near, now, ways, before, after, n_rows, penalty, choices):
    """After how many of those near it x is best placed, and what the move there gains.

    It stays after its required parents and before its required children.
    """
    total, trial = 0.0, len(matrix)
    first, last = 0, len(near)
    for i in range(len(near)):
        total += before[i]
        if _must(ways, near[i], x):
            first = i + 1
        if _must(ways, x, near[i]):
            last = min(last, i)
    own = _own_score(matrix, x, near, first, ways, n_rows, penalty, choices)
    for i in range(first):
        total += after[i] - before[i]
    best, best_place, current = own + total, first, own + total
    for i in range(first, last):
        if _may(ways, near[i], x) and would_join(matrix, x, near[i], choices, trial, n_rows, penalty):
            own = _own_score(matrix, x, near, i + 1, ways, n_rows, penalty, choices)
        total += after[i] - before[i]
        if own + total > best:
            best, best_place = own + total, i + 1
        if i + 1 == now:
            current = own + total
    return best_place, best - current


@njit(cache=True)
def _own_score(matrix, x, near, n, ways, n_rows, penalty, choices):
    """The score of x with parents among the first n of those near it, in the slot for what is tried."""
    allowed, n_allowed, n_required = _possible(ways, x, near, n)
    return choose(matrix, x, allowed, n_allowed, n_required, n_rows, penalty, choices, len(matrix))


@njit(cache=True)
def _move(order, position, x, target):
    step = 1 if target > position[x] else -1
    for i in range(position[x], target, step):
        order[i] = order[i + step]
        position[order[i]] = i
    order[target], position[x] = x, target

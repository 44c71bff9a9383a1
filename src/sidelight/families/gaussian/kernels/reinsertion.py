# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, assignment"
"""Numba kernels that improve a DAG by its Gaussian score, starting from the parents that each variable has.

The search over orders (``order_search``) chooses parents from nothing, one at a time, and so misses those that explain
a variable only together. Two things find them. ``eliminate`` starts from all variables before one and drops the worst
as long as that raises the score. ``reinsert`` moves one variable at a time along the order, as FLOP does (Wienöbst,
Henckel and Weichwald 2025): whoever it passes keeps its parents, gains it if that pays, or replaces it.

The score of a variable is −N log(unexplained share of its variance) − penalty · number of parents.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.kernels import DETERMINED
from sidelight.kernels.compiling import njit

MOST_REPEATS = 4  # of adding and dropping parents
FIRST = np.int64(0)  # with a type: with literals as arguments, kernels would be compiled twice


class Scored(NamedTuple):
    """Correlations, what is known of arrows, and the score; a smaller gain than the tolerance may be rounding.

    An arrow from the row's variable to the column's must be there (2), may be (1), or not (0).
    """

    matrix: NDArray[np.float64]
    ways: NDArray[np.int8]
    n_rows: float
    penalty: float
    tolerance: float


class Structure(NamedTuple):
    """An order of the variables, the parents of each among those before it, and their scores; changed in place."""

    order: NDArray[np.int64]
    position: NDArray[np.int64]
    parents: NDArray[np.int64]  # by variable (row), the first ``counts`` of each row
    counts: NDArray[np.int64]
    scores: NDArray[np.float64]
    waiting: NDArray[np.bool_]  # which variables are to be moved


class Desk(NamedTuple):
    """Where the parents of one variable are chosen: members so far, their Cholesky factor, and the candidates.

    The diagonal of the factor holds reciprocals, 0 for a member that those before it determine.
    """

    members: NDArray[np.int64]
    factor: NDArray[np.float64]
    explained: NDArray[np.float64]  # what each member adds in explaining the variable
    inverse: NDArray[np.float64]  # of the factor
    names: NDArray[np.int64]  # of candidates
    parts: NDArray[np.float64]  # of candidates (rows): what each member adds in explaining them
    variances: NDArray[np.float64]  # of candidates, that the members leave
    covariances: NDArray[np.float64]  # the same, with the variable


@njit(cache=True, error_model="numpy")
def desk_for(n, most):
    """Room for at most so many members among n candidates."""
    square, wide, line = np.zeros((2, most + 1, most + 1)), np.zeros((n, most + 1)), np.zeros((2, n))
    members, names = np.zeros(most + 1, np.int64), np.zeros(n, np.int64)
    return Desk(members, square[0], np.zeros(most + 1), square[1], names, wide, line[0], line[1])


@njit(cache=True, nogil=True, error_model="numpy")
def begin(problem, structure):
    """Give each variable the parents it has that come before it in the order, and others for those it has lost."""
    n, most = len(structure.order), structure.parents.shape[1] - 1
    desk = desk_for(n, most)
    for i in range(n):
        structure.position[structure.order[i]] = i
    for v in range(n):
        size = FIRST
        for i in range(structure.counts[v]):
            if structure.position[structure.parents[v, i]] < structure.position[v]:
                desk.members[size] = structure.parents[v, i]
                size += 1
        left = _fit(problem, desk, v, size)
        if size < structure.counts[v]:
            size, left = _choose(problem, desk, structure.order, v, size, structure.position[v], v, left)
        _keep(problem, structure, desk, v, size, left)


@njit(cache=True, nogil=True, error_model="numpy")
def eliminate(problem, structure, precision):
    """Give each variable what elimination leaves of all before it, where that is better than what it has.

    ``precision`` is the inverse of the correlations in the order, and is changed: without its last row and column, less
    what these explain, it is that of the variables before. Return how many variables have other parents now.
    """
    n, n_changed = len(structure.order), FIRST
    most, desk = structure.parents.shape[1] - 1, np.empty((n, n))
    alive = np.empty(n, np.int64)
    for last in range(n - 1, 0, -1):
        v = structure.order[last]
        for i in range(last + 1):
            _copy(precision[i], desk[i], last + 1)
        size = _eliminated(problem, structure.order, desk, alive, last)
        score = problem.n_rows * np.log(desk[last, last]) - problem.penalty * size
        if size <= most and score > structure.scores[v] + problem.tolerance:
            for i in range(size):
                structure.parents[v, i] = structure.order[alive[i]]
            structure.counts[v], structure.scores[v] = size, score
            n_changed += 1
        _leave_out(precision, last, last)
    return n_changed


@njit(cache=True, error_model="numpy", _nrt=False)
def _eliminated(problem, order, precision, alive, last):
    """Drop the variable with the smallest partial correlation as long as that pays; how many of ``alive`` are left."""
    v, size = order[last], last
    for i in range(last):
        alive[i] = i
    while size > 0:
        worst, least = -1, np.inf
        for i in range(size):
            x, way = alive[i], problem.ways[order[alive[i]], v]
            share = -1.0 if way == 0 else precision[x, last] ** 2 / (precision[x, x] * precision[last, last])
            if way < 2 and share < least:
                worst, least = i, share
        if worst < 0 or -problem.n_rows * np.log(max(1 - least, DETERMINED)) >= problem.penalty:
            break
        x, size = alive[worst], size - 1
        for i in range(worst, size):
            alive[i] = alive[i + 1]
        _leave_out(precision, x, last + 1)
    return size


@njit(cache=True, error_model="numpy", _nrt=False)
def _leave_out(precision, x, n):
    """Turn the inverse for n variables into that without x; its own row and column are left as they are."""
    reciprocal = 1 / precision[x, x]
    for i in range(n):
        factor = precision[i, x] * reciprocal
        if i != x and factor != 0:
            for j in range(n):
                if j != x:
                    precision[i, j] -= factor * precision[x, j]


@njit(cache=True, nogil=True, error_model="numpy")
def reinsert(problem, structure):
    """Move each variable that is waiting to its best place in the order, until none of them gains by it."""
    n, most = len(structure.order), structure.parents.shape[1] - 1
    desk, own, before = desk_for(n, most), np.empty(most + 1, np.int64), np.empty(n)
    progress = True
    while progress:
        progress = False
        turns = structure.order.copy()
        for x in turns:
            if structure.waiting[x]:
                structure.waiting[x] = False
                progress |= _move(problem, structure, desk, own, before, x)


@njit(cache=True, error_model="numpy", _nrt=False)
def _move(problem, structure, desk, own, before, x):
    """Move a variable to its best place, if that raises the score; return whether it did."""
    n, start = len(structure.order), structure.position[x]
    earlier, gain_earlier = _walk(problem, structure, desk, own, x, FIRST, False)
    later, gain_later = _walk(problem, structure, desk, own, x, n - 1, False)
    if max(gain_earlier, gain_later) <= problem.tolerance:
        return False
    _copy(structure.scores, before, n)
    _wake_around(structure, x)
    place = earlier if gain_earlier >= gain_later else later
    _walk(problem, structure, desk, own, x, place, True)
    for i in range(min(start, place), max(start, place) + 1):
        v = structure.order[i]
        if structure.scores[v] != before[v]:
            _wake_around(structure, v)
    _wake_around(structure, x)
    structure.waiting[x] = False
    return True


@njit(cache=True, error_model="numpy", _nrt=False)
def _wake_around(structure, v):
    """Have a variable moved again, its parents, and its children."""
    structure.waiting[v] = True
    for i in range(structure.counts[v]):
        structure.waiting[structure.parents[v, i]] = True
    for child in range(len(structure.order)):
        if _has(structure.parents[child], structure.counts[child], v):
            structure.waiting[child] = True


@njit(cache=True, error_model="numpy", _nrt=False)
def _walk(problem, structure, desk, own, x, stop, is_final):
    """Let x pass one variable after the other as far as ``stop``; the best place on the way, and what it gains.

    It does not pass its required parents and children. Only a walk that is final changes the structure.
    """
    start, size, score = structure.position[x], structure.counts[x], structure.scores[x]
    step, place, total = 1 if stop > structure.position[x] else -1, structure.position[x], 0.0
    best, best_place = 0.0, place
    _copy(structure.parents[x], own, size)
    while place != stop:
        y = structure.order[place + step]
        if (problem.ways[x, y] if step > 0 else problem.ways[y, x]) == 2:
            break
        place += step
        if step < 0:
            gain, size, score = _pass_earlier(problem, structure, desk, own, size, score, x, y, place, is_final)
        else:
            gain, size, score = _pass_later(problem, structure, desk, own, size, score, x, y, place, is_final)
        total += gain
        if total + score - structure.scores[x] > best + problem.tolerance:
            best, best_place = total + score - structure.scores[x], place
    if is_final:
        _copy(own, structure.parents[x], size)
        structure.counts[x], structure.scores[x] = size, score
        _shift(structure, x, start, place)
    return best_place, best


@njit(cache=True, error_model="numpy", _nrt=False)
def _shift(structure, x, start, stop):
    """Write the order with x at its new place."""
    step = 1 if stop > start else -1
    for place in range(start, stop, step):
        y = structure.order[place + step]
        structure.order[place], structure.position[y] = y, place
    structure.order[stop], structure.position[x] = x, stop


@njit(cache=True, error_model="numpy", _nrt=False)
def _pass_earlier(problem, structure, desk, own, size, score, x, y, place, is_final):
    """x comes before y, to this place: y gains it if that pays, and x needs another parent if y was one."""
    gain, most = 0.0, len(desk.members) - 1
    if problem.ways[x, y] > 0 and structure.counts[y] < most:
        n_parents = _load(desk, structure.parents[y], structure.counts[y])
        left = _fit(problem, desk, y, n_parents)
        if _pays(problem, desk, y, x, n_parents, left):
            desk.members[n_parents] = x
            n_parents, left = _drop(problem, desk, y, n_parents + 1, _fit(problem, desk, y, n_parents + 1))
            gain = _score(problem, left, n_parents) - structure.scores[y]
            if is_final:
                _keep(problem, structure, desk, y, n_parents, left)
    if _has(own, size, y):
        size = _without(own, size, y)
        left = _fit(problem, desk, x, _load(desk, own, size))
        size, left = _choose(problem, desk, structure.order, x, size, place, x, left)
        _copy(desk.members, own, size)
        score = _score(problem, left, size)
    return gain, size, score


@njit(cache=True, error_model="numpy", _nrt=False)
def _pass_later(problem, structure, desk, own, size, score, x, y, place, is_final):
    """x comes after y, to this place: y needs another parent if x was one, and x gains y if that pays."""
    gain, most = 0.0, len(desk.members) - 1
    if _has(structure.parents[y], structure.counts[y], x):
        n_parents = _without(desk.members, _load(desk, structure.parents[y], structure.counts[y]), x)
        left = _fit(problem, desk, y, n_parents)
        n_parents, left = _choose(problem, desk, structure.order, y, n_parents, place, x, left)
        gain = _score(problem, left, n_parents) - structure.scores[y]
        if is_final:
            _keep(problem, structure, desk, y, n_parents, left)
    if problem.ways[y, x] > 0 and size < most:
        left = _fit(problem, desk, x, _load(desk, own, size))
        if _pays(problem, desk, x, y, size, left):
            desk.members[size] = y
            size, left = _drop(problem, desk, x, size + 1, _fit(problem, desk, x, size + 1))
            _copy(desk.members, own, size)
            score = _score(problem, left, size)
    return gain, size, score


@njit(cache=True, error_model="numpy", _nrt=False)
def _choose(problem, desk, order, v, size, n_before, left_out, left):
    """Add and drop members in turn: among the first of the order, one left out, until neither raises the score."""
    for _ in range(MOST_REPEATS):
        grown, left = _add(problem, desk, order, v, size, n_before, left_out, left)
        size, left = _drop(problem, desk, v, grown, left)
        if size == grown:
            break
    return size, left


@njit(cache=True, error_model="numpy", _nrt=False)
def _fit(problem, desk, v, size):
    """Factor the correlations of the members; return the share of v that they leave unexplained."""
    left = 1.0
    for i in range(size):
        x = desk.members[i]
        left_of_x = 1.0
        for j in range(i):
            part = problem.matrix[x, desk.members[j]]
            for h in range(j):
                part -= desk.factor[i, h] * desk.factor[j, h]
            desk.factor[i, j] = part * desk.factor[j, j]
            left_of_x -= desk.factor[i, j] ** 2
        part = problem.matrix[x, v]
        for h in range(i):
            part -= desk.factor[i, h] * desk.explained[h]
        desk.factor[i, i] = 1 / np.sqrt(left_of_x) if left_of_x > DETERMINED else 0.0
        desk.explained[i] = part * desk.factor[i, i]
        left -= desk.explained[i] ** 2
    return max(left, DETERMINED)


@njit(cache=True, error_model="numpy", _nrt=False)
def _look_at(problem, desk, v, x, size, candidate):
    """Write down what the members leave of a candidate x, and of its covariance with v."""
    part = desk.parts[candidate]
    variance, covariance = 1.0, problem.matrix[x, v]
    for i in range(size):
        explained = problem.matrix[x, desk.members[i]]
        for h in range(i):
            explained -= desk.factor[i, h] * part[h]
        part[i] = explained * desk.factor[i, i]
        variance -= part[i] ** 2
        covariance -= part[i] * desk.explained[i]
    desk.names[candidate], desk.variances[candidate], desk.covariances[candidate] = x, variance, covariance


@njit(cache=True, error_model="numpy", _nrt=False)
def _pays(problem, desk, v, x, size, left):
    """Does one more member raise the score of v?"""
    _look_at(problem, desk, v, x, size, FIRST)
    if desk.variances[0] <= DETERMINED:
        return False
    share = desk.covariances[0] ** 2 / desk.variances[0]
    return _gain(problem, left, share) > problem.penalty + problem.tolerance


@njit(cache=True, error_model="numpy", _nrt=False)
def _gain(problem, left, share):
    """What explaining this share more adds to the likelihood."""
    return problem.n_rows * np.log(left / max(left - share, DETERMINED))


@njit(cache=True, error_model="numpy", _nrt=False)
def _add(problem, desk, order, v, size, n_before, left_out, left):
    """Add the best candidate among the first of the order as long as that pays."""
    n = FIRST
    for i in range(n_before):
        x = order[i]
        if x != v and x != left_out and problem.ways[x, v] > 0 and not _has(desk.members, size, x):
            _look_at(problem, desk, v, x, size, n)
            n += 1
    while size < len(desk.members) - 1:
        best, share = -1, 0.0
        for i in range(n):
            if desk.variances[i] > DETERMINED and desk.covariances[i] ** 2 > share * desk.variances[i]:
                best, share = i, desk.covariances[i] ** 2 / desk.variances[i]
        if best < 0 or _gain(problem, left, share) <= problem.penalty + problem.tolerance:
            break
        _join(problem, desk, n, best, size)
        left = max(left - share, DETERMINED)
        size += 1
    return size, left


@njit(cache=True, error_model="numpy", _nrt=False)
def _join(problem, desk, n, best, size):
    """Make a candidate the next member, and write down what it explains of the others."""
    reciprocal = 1 / np.sqrt(desk.variances[best])
    desk.members[size], desk.factor[size, size] = desk.names[best], reciprocal
    _copy(desk.parts[best], desk.factor[size], size)
    desk.explained[size] = desk.covariances[best] * reciprocal
    for i in range(n):
        if desk.variances[i] > DETERMINED:
            explained = problem.matrix[desk.names[i], desk.names[best]]
            for h in range(size):
                explained -= desk.parts[i, h] * desk.factor[size, h]
            desk.parts[i, size] = explained * reciprocal
            desk.variances[i] -= desk.parts[i, size] ** 2
            desk.covariances[i] -= desk.parts[i, size] * desk.explained[size]
    desk.variances[best] = 0.0


@njit(cache=True, error_model="numpy", _nrt=False)
def _drop(problem, desk, v, size, left):
    """Drop the member that explains least as long as that pays; required ones stay."""
    while size > 0:
        _invert(desk, size)
        worst, least = -1, np.inf
        for i in range(size):
            variance, coefficient = 0.0, 0.0
            for j in range(i, size):
                variance += desk.inverse[j, i] ** 2
                coefficient += desk.inverse[j, i] * desk.explained[j]
            loss = coefficient**2 / variance if variance > 0 else 0.0
            if loss < least and problem.ways[desk.members[i], v] < 2:
                worst, least = i, loss
        if worst < 0 or problem.n_rows * np.log((left + least) / left) >= problem.penalty - problem.tolerance:
            break
        size = _without(desk.members, size, desk.members[worst])
        left = _fit(problem, desk, v, size)
    return size, left


@njit(cache=True, error_model="numpy", _nrt=False)
def _invert(desk, size):
    """Invert the factor of the members."""
    for j in range(size):
        desk.inverse[j, j] = desk.factor[j, j]
        for i in range(j + 1, size):
            total = 0.0
            for h in range(j, i):
                total -= desk.factor[i, h] * desk.inverse[h, j]
            desk.inverse[i, j] = total * desk.factor[i, i]


@njit(cache=True, error_model="numpy", _nrt=False)
def _score(problem, left, size):
    return -problem.n_rows * np.log(left) - problem.penalty * size


@njit(cache=True, error_model="numpy", _nrt=False)
def _load(desk, members, size):
    """Make these the members; how many there are."""
    _copy(members, desk.members, size)
    return size


@njit(cache=True, error_model="numpy", _nrt=False)
def _keep(problem, structure, desk, v, size, left):
    """Make the members the parents of v."""
    _copy(desk.members, structure.parents[v], size)
    structure.counts[v], structure.scores[v] = size, _score(problem, left, size)


@njit(cache=True, error_model="numpy", _nrt=False)
def _copy(source, target, size):
    for i in range(size):
        target[i] = source[i]


@njit(cache=True, error_model="numpy", _nrt=False)
def _without(members, size, x):
    """Take x out of the members, if it is one; how many there are then."""
    n = FIRST
    for i in range(size):
        if members[i] != x:
            members[n] = members[i]
            n += 1
    return n


@njit(cache=True, error_model="numpy", _nrt=False)
def _has(members, size, x):
    found = False
    for i in range(size):
        found |= members[i] == x
    return found

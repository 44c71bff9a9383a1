"""Numba kernels for multinomial logistic regression with intercepts of its own for each group of rows.

Codes are 0, 1, …, k; the slopes of category 0 are 0. For given slopes each group has its most likely intercepts, in
which categories that do not occur there have no part; Newton's steps for the slopes are those of this profile
likelihood. With small groups such slopes are too large, by half for pairs of rows, but the fitted probabilities are
close to those given how many rows of the group have each category, and exactly those for pairs (Chamberlain 1980).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sidelight.kernels.compiling import njit
from sidelight.kernels.logistic import move, solve

ITERATIONS = 30
RIDGE = 1e-2  # on the slopes of standardised columns
ENOUGH = 1e-6  # improvement of the log-likelihood
EXACT = 1e-8  # of the rows of a category, that a group's probabilities may sum up to more or less
LONGEST_STEP = 3.0

Floats = NDArray[np.float64]


@njit(cache=True)
def _softmax(offsets, intercepts, result):
    """Write the probabilities of categories with these offsets and intercepts; return the log of their sum."""
    largest = -np.inf
    for a in range(len(intercepts)):
        result[a] = offsets[a] + intercepts[a]
        largest = max(largest, result[a])
    total = 0.0
    for a in range(len(intercepts)):
        result[a] = np.exp(result[a] - largest)
        total += result[a]
    for a in range(len(intercepts)):
        result[a] /= total
    return largest + np.log(total)


@njit(cache=True)
def _level(offsets, counts, intercepts, probabilities, information, lower):
    """Newton's steps to the intercepts of a group, the first of them 0, and probabilities that sum to the counts."""
    n, k = offsets.shape
    gradient, step = np.empty(k - 1), np.empty(k - 1)
    for _ in range(ITERATIONS):
        information[: k - 1, : k - 1] = 0.0
        for a in range(k - 1):
            gradient[a] = counts[a + 1]
        for i in range(n):
            _softmax(offsets[i], intercepts, probabilities[i])
            for a in range(k - 1):
                share = probabilities[i, a + 1]
                gradient[a] -= share
                for b in range(a + 1):
                    information[a, b] += share * ((a == b) - probabilities[i, b + 1])
        if np.abs(gradient).max() <= EXACT * n:
            break
        solve(information[: k - 1, : k - 1], gradient, lower, step)
        shrink = min(1.0, LONGEST_STEP / max(1e-300, np.abs(step).max()))
        for a in range(k - 1):
            intercepts[a + 1] += shrink * step[a]


@njit(cache=True)
def _add_group(design, codes, rows, slopes, intercepts, fitted, gradient, information):
    """Fit the intercepts of a group, and add its part to the profile likelihood, which is returned, and derivatives."""
    k, q, n = len(slopes) + 1, design.shape[1], len(rows)
    counts = np.zeros(k)
    for i in rows:
        counts[codes[i]] += 1
    live = np.flatnonzero(counts)
    n_live = len(live)
    if n_live < 2:
        for i in rows:
            fitted[i] = 0.0
            fitted[i, live[0]] = 1.0
        return 0.0
    offsets, probabilities = np.zeros((n, n_live)), np.empty((n, n_live))
    for u in range(n):
        for a in range(n_live):
            if live[a] > 0:
                for j in range(q):
                    offsets[u, a] += slopes[live[a] - 1, j] * design[rows[u], j]
    own = intercepts[live] - intercepts[live[0]]
    among, lower = np.zeros((n_live - 1, n_live - 1)), np.zeros((n_live - 1, n_live - 1))
    _level(offsets, counts[live], own, probabilities, among, lower)
    intercepts[live] = own
    likelihood, cross = 0.0, np.zeros((n_live, q, n_live - 1))
    for u in range(n):
        row, p = design[rows[u]], probabilities[u]
        fitted[rows[u]] = 0.0
        for a in range(n_live):
            fitted[rows[u], live[a]] = p[a]
            if codes[rows[u]] == live[a]:
                likelihood += np.log(max(1e-300, p[a]))
            if live[a] == 0:
                continue
            top = (live[a] - 1) * q
            residual = (codes[rows[u]] == live[a]) - p[a]
            for j in range(q):
                gradient[top + j] += residual * row[j]
                for b in range(n_live - 1):
                    cross[a, j, b] += p[a] * ((a == b + 1) - p[b + 1]) * row[j]
            for b in range(a + 1):
                if live[b] > 0:
                    spread = p[a] * ((a == b) - p[b])
                    for j in range(q):
                        for h in range(q):
                            information[top + j, (live[b] - 1) * q + h] += spread * row[j] * row[h]
    _less_explained(cross, among, lower, live, information)
    return likelihood


@njit(cache=True)
def _less_explained(cross, among, lower, live, information):
    """Take from the information what the intercepts explain."""
    n_live, q, m = cross.shape
    solved = np.empty((n_live, q, m))
    for a in range(n_live):
        for j in range(q):
            solve(among, cross[a, j], lower, solved[a, j])
    for a in range(n_live):
        for b in range(a + 1):
            if live[a] > 0 and live[b] > 0:
                for j in range(q):
                    for h in range(q):
                        total = 0.0
                        for c in range(m):
                            total += cross[a, j, c] * solved[b, h, c]
                        information[(live[a] - 1) * q + j, (live[b] - 1) * q + h] -= total


@njit(cache=True)
def climb_in_groups(design, codes, order, starts, ridge, slopes, intercepts, fitted):
    """Newton's steps of the slopes, halved where they overshoot."""
    k, q = slopes.shape
    gradient, information, lower = np.empty(k * q), np.empty((k * q, k * q)), np.zeros((k * q, k * q))
    before, step, best = slopes.copy(), np.zeros(k * q), -np.inf
    for _ in range(ITERATIONS):
        information[:] = 0.0
        likelihood = 0.0
        for a in range(k):
            for j in range(q):
                likelihood -= ridge / 2 * slopes[a, j] ** 2
                gradient[a * q + j] = -ridge * slopes[a, j]
                information[a * q + j, a * q + j] = ridge
        for g in range(len(starts) - 1):
            rows = order[starts[g] : starts[g + 1]]
            likelihood += _add_group(design, codes, rows, slopes, intercepts[g], fitted, gradient, information)
        if best - ENOUGH <= likelihood < best + ENOUGH:
            break
        overshot = likelihood < best
        if not overshot:
            best = likelihood
            solve(information, gradient, lower, step)
        move(slopes, before, step, overshot)


def fit_in_groups(
    design: Floats,
    codes: NDArray[np.integer],
    n_categories: int,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
) -> tuple[Floats, Floats]:
    """Fitted probabilities of all categories, and slopes by category but the first.

    ``order`` has the rows group by group, of which group g has those from ``starts[g]`` on.
    """
    slopes = np.zeros((n_categories - 1, design.shape[1]))
    fitted = np.empty((len(codes), n_categories))
    intercepts = np.zeros((len(starts) - 1, n_categories))
    columns, kept = np.ascontiguousarray(design), np.ascontiguousarray(codes, dtype=np.int64)
    climb_in_groups(columns, kept, order, starts, RIDGE, slopes, intercepts, fitted)
    return fitted, slopes

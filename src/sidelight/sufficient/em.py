"""Means and correlations of Gaussian columns with missing values, by the EM algorithm (expectation–maximisation).

Rows with the same gaps share one regression of the missing values on the present ones. Values are assumed to be missing
at random. A partial correlation that comes from these moments is as uncertain as one of fewer complete rows:
``effective_size`` says how many, from the Fisher information of the values that are there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sidelight.sufficient.correlation import Moments

MOST_ROUNDS, TOLERANCE = 500, 1e-6
MOST_STEPS, PRECISION = 100, 1e-4  # of the conjugate gradients
NO_INFORMATION = 1e-10  # of what complete rows would have
RIDGE = 1e-15  # so that copies among the columns reach the data doctor instead of raising here
Matrix = NDArray[np.float64]


def em_moments(values: NDArray[np.generic]) -> Moments:
    """The moments that make the observed values most likely."""
    data = np.asarray(values, dtype=np.float64)
    scale = np.nanstd(data, axis=0)
    data = (data - np.nanmean(data, axis=0)) / scale
    patterns, pattern_of = np.unique(np.isnan(data), axis=0, return_inverse=True)
    groups = [(missing, data[pattern_of.ravel() == i]) for i, missing in enumerate(patterns)]
    mean, covariance = np.zeros(data.shape[1]), np.eye(data.shape[1])
    for _ in range(MOST_ROUNDS):
        new_mean, new_covariance = _one_round(groups, mean, covariance, len(data))
        change = np.abs(new_covariance - covariance).max(initial=0)
        mean, covariance = new_mean, new_covariance
        if change < TOLERANCE:
            break
    deviation = np.sqrt(np.diagonal(covariance))
    correlations = covariance / np.outer(deviation, deviation)
    np.fill_diagonal(correlations, 1.0)
    extremes = np.nanmax(np.abs(data), axis=0) * scale
    means = np.nanmean(np.asarray(values, dtype=np.float64), axis=0) + mean * scale
    return Moments(means, np.diagonal(covariance) * scale**2, correlations, len(data), extremes)


def _one_round(
    groups: list[tuple[NDArray[np.bool_], Matrix]], mean: Matrix, covariance: Matrix, n_rows: int
) -> tuple[Matrix, Matrix]:
    """Fill the gaps by their regression on the rest of the row, and add the variance that the regression leaves."""
    total = np.zeros_like(mean)
    products = np.zeros_like(covariance)
    for missing, rows in groups:
        filled, there = rows.copy(), ~missing
        if missing.any():
            known = covariance[np.ix_(there, there)] + RIDGE * np.eye(int(there.sum()))
            weights = np.linalg.solve(known, covariance[np.ix_(there, missing)])
            filled[:, missing] = mean[missing] + (rows[:, there] - mean[there]) @ weights
            left = covariance[np.ix_(missing, missing)] - covariance[np.ix_(missing, there)] @ weights
            products[np.ix_(missing, missing)] += len(rows) * left
        total += filled.sum(axis=0)
        products += filled.T @ filled
    new_mean = total / n_rows
    return new_mean, products / n_rows - np.outer(new_mean, new_mean)


def effective_size(correlations: Matrix, there: NDArray[np.bool_], counts: Matrix) -> float:
    """How many complete rows say as much about the partial correlation of the first two columns given the others.

    ``there`` has a row for each pattern of gaps: which values are present; ``counts`` says how often it occurs. Where
    the partial correlation is 0, its variance is G · I⁻¹ G, with its gradient G and the information I: V ↦ ½ Σ Kₖ V Kₖ,
    where Kₖ is the inverse of the correlations that are present in row k. Conjugate gradients find it, starting from
    the inverse of what complete rows have. The size is 0 where gaps leave the partial correlation undetermined.
    """
    matrix = _without_dependence(correlations)
    inverses, left = _inverses(matrix, there), _gradient(matrix)
    direction = guess = matrix @ left @ matrix
    variance, size = 0.0, float((left * guess).sum())
    for _ in range(MOST_STEPS):
        information = np.tensordot(counts, inverses @ direction @ inverses, axes=1) / 2
        curvature = float((direction * information).sum())
        if curvature <= NO_INFORMATION * counts.sum() * size:
            return 0.0
        step = size / curvature
        variance += step * size
        left = left - step * information
        guess = matrix @ left @ matrix
        size, before = float((left * guess).sum()), size
        if step * size <= PRECISION * variance:
            break
        direction = guess + size / before * direction
    return 1 / variance


def _without_dependence(correlations: Matrix) -> Matrix:
    """The same, but for the correlation of the first two columns, which is what the others explain of it."""
    matrix = correlations.copy()
    matrix[0, 1] = matrix[1, 0] = correlations[0, 2:] @ np.linalg.solve(correlations[2:, 2:], correlations[2:, 1])
    return matrix


def _gradient(matrix: Matrix) -> Matrix:
    """The derivative of the partial correlation of the first two columns, where that is 0."""
    inverse = np.linalg.inv(matrix)
    both = np.outer(inverse[0], inverse[1]) / np.sqrt(inverse[0, 0] * inverse[1, 1])
    gradient: Matrix = (both + both.T) / 2
    return gradient


def _inverses(correlations: Matrix, there: NDArray[np.bool_]) -> Matrix:
    """For each pattern the inverse of the correlations that are present, with zeros for what is missing."""
    present = there[:, :, None] & there[:, None, :]
    inverses: Matrix = np.linalg.inv(np.where(present, correlations, np.eye(len(correlations))))
    return np.where(present, inverses, 0.0)

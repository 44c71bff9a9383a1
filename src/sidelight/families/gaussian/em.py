"""Means and correlations of Gaussian columns with missing values, by the EM algorithm (expectation–maximisation).

Rows with the same gaps share one regression of the missing values on the present ones. Values are assumed to be missing
at random. A partial correlation that comes from these moments is as uncertain as one of fewer complete rows:
``effective_size`` says how many, from the Fisher information of the values that are there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sidelight.families.gaussian.correlation import Moments, n_whole

MOST_ROUNDS, TOLERANCE = 500, 1e-6
MOST_STEPS, PRECISION = 100, 1e-4  # of the conjugate gradients
NO_INFORMATION = 1e-10  # of what complete rows would have
Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class IncompleteRows:
    """Rows of numbers in the order of their gaps: rows ``start[i] … start[i + 1]`` have the values of pattern i."""

    values: Matrix
    weights: Matrix
    start: NDArray[np.int64]
    patterns: NDArray[np.bool_]

    @staticmethod
    def of(values: Matrix, weights: Matrix | None = None) -> IncompleteRows:
        """Order the rows; NaN is missing, and a weight says how many rows a row counts as."""
        patterns, pattern_of = np.unique(~np.isnan(values), axis=0, return_inverse=True)
        order = np.argsort(pattern_of.ravel(), kind="stable")
        start = np.zeros(len(patterns) + 1, dtype=np.int64)
        np.cumsum(np.bincount(pattern_of.ravel(), minlength=len(patterns)), out=start[1:])
        counts = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
        return IncompleteRows(np.ascontiguousarray(values[order]), counts[order], start, patterns)

    def filled(self, mean: Matrix, covariance: Matrix) -> tuple[Matrix, Matrix, float]:
        """Mean and covariance of the rows, their gaps filled as these moments say; and the rows' log-likelihood.

        A gap is its regression on the rest of the row; the variance that the regression leaves is added.
        """
        from sidelight.families.gaussian.kernels.em import expected_moments

        new_mean, new_covariance, likelihood = expected_moments(
            self.values, self.weights, self.start, self.patterns, mean, covariance
        )
        return new_mean, new_covariance, float(likelihood)


def em_moments(values: NDArray[np.generic], weights: Matrix | None = None) -> Moments:
    """The moments that make the observed values most likely; a weight says how many rows a row counts as."""
    data = np.asarray(values, dtype=np.float64)
    scale, centre = np.nanstd(data, axis=0), np.nanmean(data, axis=0)
    data = (data - centre) / scale
    rows = IncompleteRows.of(data, weights)
    mean, covariance = np.zeros(data.shape[1]), np.eye(data.shape[1])
    for _ in range(MOST_ROUNDS):
        before = covariance
        mean, covariance, _ = rows.filled(mean, before)
        if np.abs(covariance - before).max(initial=0) < TOLERANCE:
            break
    deviation = np.sqrt(np.diagonal(covariance))
    correlations = covariance / np.outer(deviation, deviation)
    np.fill_diagonal(correlations, 1.0)
    extremes = np.nanmax(np.abs(data), axis=0, initial=0.0) * scale
    n_rows = n_whole(rows.weights.sum())
    return Moments(centre + mean * scale, np.diagonal(covariance) * scale**2, correlations, n_rows, extremes)


def em_correlations(values: Matrix, weights: Matrix | None = None) -> Matrix:
    """The correlations by EM; a column that does not vary, or has no values, is uncorrelated with all others."""
    there = np.isfinite(values)
    varying = np.array([there[:, i].any() and np.ptp(values[there[:, i], i]) > 0 for i in range(values.shape[1])], bool)
    correlations = np.eye(len(varying))
    found = em_moments(np.where(there, values, np.nan)[:, varying], weights).correlations
    correlations[np.ix_(varying, varying)] = found
    return correlations


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

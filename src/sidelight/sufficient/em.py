"""Means and correlations of Gaussian columns with missing values, by the EM algorithm (expectation–maximisation).

Rows with the same gaps share one regression of the missing values on the present ones. Values are assumed to be missing
at random. The number of samples stays that of all rows, so tests on columns with many gaps reject somewhat too often.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sidelight.sufficient.correlation import Moments

MOST_ROUNDS, TOLERANCE = 500, 1e-6
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

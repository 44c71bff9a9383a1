"""Spearman and Kendall correlations, through their Gaussian-copula transforms.

For a Gaussian copula, whatever the margins, Pearson's correlation of the underlying normals is 2 sin(π ρ / 6) of
Spearman's ρ and sin(π τ / 2) of Kendall's τ. So monotone transforms do not matter, and outliers hardly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sidelight.kernels import DETERMINED
from sidelight.sufficient.correlation import Moments, moments

Tick = Callable[[], None]


def spearman(values: NDArray[np.generic], tick: Tick) -> Moments:
    """Correlations of the ranks, transformed."""
    from scipy.stats import rankdata

    plain = moments(values, tick)
    ranks = np.empty(values.shape, order="F")
    for i in range(values.shape[1]):
        ranks[:, i] = rankdata(values[:, i])
        tick()
    return _replaced(plain, 2 * np.sin(np.pi / 6 * moments(ranks).correlations))


def kendall(values: NDArray[np.generic], tick: Tick) -> Moments:
    """Kendall's τ of every pair, transformed. Takes O(n² N log N)."""
    from scipy.stats import kendalltau

    plain = moments(values, tick)
    tau = np.eye(values.shape[1])
    for i, j in combinations(range(values.shape[1]), 2):
        tau[i, j] = tau[j, i] = kendalltau(values[:, i], values[:, j]).statistic
        tick()
    return _replaced(plain, np.sin(np.pi / 2 * tau))


def _replaced(plain: Moments, correlations: NDArray[np.float64]) -> Moments:
    """The same moments with other correlations, made positive definite where sampling error left them indefinite."""
    finite = np.isfinite(correlations).all()
    copies = np.abs(correlations - np.diag(np.diagonal(correlations))).max(initial=0) >= 1 - DETERMINED
    # Copies stay, for the data doctor to report.
    if finite and len(correlations) and not copies and np.linalg.eigvalsh(correlations)[0] <= 0:
        correlations = _nearest_positive_definite(correlations)
    np.fill_diagonal(correlations, np.where(np.isfinite(np.diagonal(correlations)), 1.0, np.nan))
    return replace(plain, correlations=np.ascontiguousarray(correlations))


def _nearest_positive_definite(correlations: NDArray[np.float64]) -> NDArray[np.float64]:
    """Raise the eigenvalues that are not positive, and scale the diagonal back to 1."""
    eigenvalues, vectors = np.linalg.eigh(correlations)
    raised = (vectors * np.maximum(eigenvalues, 1e-8)) @ vectors.T
    scale = 1 / np.sqrt(np.diagonal(raised))
    result: NDArray[np.float64] = raised * scale * scale[:, None]
    return (result + result.T) / 2


RANK_CORRELATIONS: dict[str, Callable[[NDArray[np.generic], Tick], Moments]] = {
    "spearman": spearman,
    "kendall": kendall,
}

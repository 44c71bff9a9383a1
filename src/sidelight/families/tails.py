"""Tails of sums of squared counts, and normal scores of p-values.

A gamma distribution with the right mean and variance is close to such a sum near its centre. Far out, rare categories
decide: one count too many in a cell that expects 0.02 is a large χ² and not improbable. So small p-values are computed
from the probabilities of these counts (``sidelight.families.discrete.kernels.tables``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

REFINED = 0.1  # p-values below are computed anew
ROUGH_SCORE = 1.2  # normal scores up to here, of p-values above REFINED, need not be exact
RESOLVED = 1e-10  # below, the probabilities of single counts that were neglected may matter
TINY = 1e-250  # the normal score of smaller p-values is that of the gamma distribution


def far_tail(cells: NDArray[np.float64], statistic: float, mean: float, variance: float, by_gamma: float) -> float:
    """The probability of a sum as large as the statistic, from row sum, column sum, total and factor of its free cells.

    ``mean`` and ``variance`` are exact ones of the sum; ``by_gamma`` is the probability by the gamma distribution that
    has them, which ranks what is too far out to be resolved.
    """
    from scipy.special import gammaincc

    from sidelight.families.discrete.kernels.tables import convolved

    probabilities, beyond, rest, spread, value = convolved(cells, statistic, mean, variance)
    reached = probabilities.nonzero()[0]
    missing = value * (1 - reached / (len(probabilities) - 1))
    exceeded = gammaincc(rest**2 / spread, missing * rest / spread) if spread > 0 else missing <= rest
    p = float(beyond + probabilities[reached] @ exceeded)
    return min(1.0, max(p, min(by_gamma, RESOLVED)))


def wilson_hilferty(shape: float, value: float) -> float:
    """The normal score of a value of a gamma distribution, nearly (Wilson and Hilferty 1931)."""
    spread = 1 / (9 * shape)
    score: float = ((value / shape) ** (1 / 3) - (1 - spread)) / spread**0.5
    return score


def normal_score(p: float, rough: float) -> float:
    """The normal score of a p-value; where that is too small, the rough one."""
    from scipy.special import ndtri

    return float(-ndtri(min(p, 1 - 1e-12))) if p > TINY else max(rough, float(-ndtri(TINY)))

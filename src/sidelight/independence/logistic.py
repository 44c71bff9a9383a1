"""Two categories given a set with numbers in it: score tests in multinomial logistic regressions (Rao 1948).

One category is fitted on the set; the score says whether the other one's indicators would improve the fit. Fits are
kept, since one serves the tests with all other categories. Scores of rare pairs of categories are counts that are
hardly ever 1, so small p-values come from such counts (``sidelight.independence.tails``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sidelight.independence.tails import REFINED, far_tail
from sidelight.sufficient.blocks import Blocks

KEPT_BYTES = 64_000_000  # of fits; when there are more, all are forgotten
SMALLEST_VARIANCE = 1e-8  # of a count; a smaller one is rounding: the set determines the category
SMALLEST_EIGENVALUE = 1e-6  # of the scores' correlations; what is smaller follows from the other scores
SMALLEST_TOTAL = 20.0  # of the table that stands for a count

Floats = NDArray[np.float64]
Fit = tuple[Floats, Floats, Floats, Floats]


class ScoreTests:
    """Score tests between the discrete columns of a table, given sets of any columns."""

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self._weights = np.empty(0) if blocks.weights is None else np.asarray(blocks.weights, dtype=np.float64)
        self._fits: dict[tuple[int, tuple[int, ...]], Fit] = {}

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float | None:
        """The p-value for adding y to the fit of x on ``given``; None where the fit leaves nothing to be explained."""
        from sidelight.kernels.logistic import scores

        blocks = self._blocks
        design, fitted, gradient, inverse = self._fit(x, tuple(sorted(given)))
        columns = (blocks.codes[:, x], fitted, gradient, inverse, blocks.codes[:, y], int(blocks.n_categories[y]))
        return score_tail(*scores(design, *columns, self._weights))

    def _fit(self, x: int, given: tuple[int, ...]) -> Fit:
        from sidelight.kernels.logistic import fit

        if (x, given) not in self._fits:
            blocks = self._blocks
            members = np.concatenate([np.arange(*blocks.start[z : z + 2]) for z in given])
            design = np.column_stack([np.ones(len(blocks.columns)), blocks.columns[:, members]])
            if sum(sum(part.nbytes for part in kept) for kept in self._fits.values()) > KEPT_BYTES:
                self._fits.clear()
            fitted = fit(design, blocks.codes[:, x], int(blocks.n_categories[x]), self._weights)
            self._fits[x, given] = (design, *fitted)
        return self._fits[x, given]


def score_tail(score: Floats, covariance: Floats, expected: Floats) -> float | None:
    """The p-value of scores with these covariances, counts less what was expected; None if none of them varies."""
    from scipy.special import gammaincc

    used = np.diag(covariance) > SMALLEST_VARIANCE
    if not used.any():
        return None
    variance, expected = np.diag(covariance)[used], expected[used]
    spread = np.sqrt(variance)
    values, vectors = np.linalg.eigh(covariance[np.ix_(used, used)] / np.outer(spread, spread))
    kept = values > SMALLEST_EIGENVALUE
    statistic = float((((score[used] / spread) @ vectors[:, kept]) ** 2 / values[kept]).sum())
    p = float(gammaincc(kept.sum() / 2, statistic / 2))
    if p > REFINED:
        return p
    return _rare_counts(statistic, variance, expected, p)


def _rare_counts(statistic: float, variance: Floats, expected: Floats, p: float) -> float:
    """The tail, with a fourfold table for each count: its margins are equal and give the count's mean and variance."""
    from sidelight.kernels.tails import fourfold_variance

    narrowness = np.maximum(1 - np.sqrt(np.minimum(1.0, variance / expected)), 1e-6)
    total = np.maximum(expected / narrowness**2, np.maximum(SMALLEST_TOTAL, 2.5 * expected))
    margin = np.sqrt(expected * total)
    cells = np.column_stack([margin, margin, total])
    variances = [fourfold_variance(*cell) for cell in cells]
    return far_tail(cells, statistic, float((total / (total - 1)).sum()), float(np.sum(variances)), p)

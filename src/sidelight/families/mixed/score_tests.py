"""Scores of categories and other columns given a set: in regressions (Rao 1948), or within strata.

*Given any columns*, the category is fitted on the set, an ordered one by proportional odds (McCullagh 1980), others by
multinomial logistic regression; the score says whether the other column would improve the fit. Fits are kept, since one
serves the tests with all other columns. Scores of rare pairs of categories are counts that are hardly ever 1, so small
p-values come from such counts (``sidelight.families.tails``).

*Given categories*, products of deviations from the means of their stratum are summed, and compared with their moments
when the rows of each stratum are permuted: Mantel's test of a trend for two ordered categories, the test of equal mean
scores for an ordered and an unordered one (Landis, Heyman & Koch 1978). Whatever the strata do to both, the level is
kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sidelight.families.tails import REFINED, far_tail

if TYPE_CHECKING:
    from sidelight.families.mixed.statistics import Blocks

MOST_COLUMNS = 20  # numbers and indicators that a category is fitted on
MOST_WORK = 600_000  # rows · parameters², so that a fit takes about a millisecond
MOST_PATIENT_WORK = 200_000_000  # of one question at a time; then it takes some tenths of a second
ROWS_PER_PARAMETER = 5
KEPT_BYTES = 64_000_000  # of fits; when there are more, all are forgotten
SMALLEST_VARIANCE = 1e-8  # of a count; a smaller one is rounding: the set determines the category
SMALLEST_EIGENVALUE = 1e-6  # of the scores' correlations; what is smaller follows from the other scores
RARE = 5.0  # an expected count
POISSON = 0.6  # of its expectation; a count with a larger variance is nearly Poisson
SMALLEST_TOTAL, LARGE_TOTAL = 20.0, 100.0  # of the table that stands for a count, and for a rare one

Floats = NDArray[np.float64]
Fit = tuple[Floats, Floats, Floats]


def most_columns(n_rows: int) -> int:
    """On how many numbers and indicators a category of two values is fitted, with so many rows."""
    return min(MOST_COLUMNS, int((MOST_WORK / max(1, n_rows)) ** 0.5) - 1)


class ScoreTests:
    """Score tests of discrete columns with any others, given sets of any columns.

    The last design and the last strata are kept, since they serve several tests in a row.
    """

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self._weights = np.empty(0) if blocks.weights is None else np.asarray(blocks.weights, dtype=np.float64)
        self._fits: dict[tuple[int, tuple[int, ...]], Fit] = {}
        self._bytes = 0
        self._last_design: tuple[tuple[int, ...], Floats] = ((), np.empty((0, 0)))
        self._last_strata: tuple[tuple[int, ...], NDArray[np.int64]] = ((), np.zeros(len(blocks.codes), np.int64))

    def can_fit(self, x: int, given: Sequence[int], most_work: int = MOST_WORK) -> bool:
        """True if x is discrete and its fit on ``given`` has not too many columns, for the rows and for the time.

        So many columns nearly separate the categories, and the fit leaves nothing to test. Sets that are too large are
        those of total conditioning, which chooses candidates.
        """
        blocks = self._blocks
        width = int(blocks.sizes[list(given)].sum())
        steps = int(blocks.n_categories[x]) - 1
        parameters = steps + width * (1 if blocks.is_ordinal[x] else steps)
        enough_rows = parameters <= blocks.n_samples / ROWS_PER_PARAMETER
        quick = len(blocks.columns) * parameters**2 <= most_work
        return 0 < width <= MOST_COLUMNS and steps > 0 and enough_rows and quick

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float | None:
        """The p-value for adding y to the fit of x on ``given``; None where the fit leaves nothing to be explained."""
        blocks = self._blocks
        score, covariance, expected = self._scores(x, self._tested(y), tuple(sorted(given)))
        are_counts = blocks.n_categories[y] > 1 and not blocks.is_ordinal[y]
        return score_tail(score, covariance, expected if are_counts else None)

    def within_strata(self, x: int, y: int, given: Sequence[int]) -> tuple[float, int]:
        """A statistic that is χ² under independence, and its degrees of freedom: 0 where no stratum has both vary.

        One of the two is an ordered category, and all others are categories.
        """
        from sidelight.families.mixed.kernels import products_in_strata

        strata = self._strata(tuple(sorted(given)))
        n_strata = int(strata.max(initial=-1)) + 1
        return score_statistic(*products_in_strata(self._tested(x), self._tested(y), strata, n_strata, self._weights))

    def _tested(self, v: int) -> Floats:
        first = self._blocks.start[v]
        return np.ascontiguousarray(self._blocks.columns[:, first : first + self._blocks.tested[v]])

    def _strata(self, given: tuple[int, ...]) -> NDArray[np.int64]:
        """The number of each row's stratum."""
        if self._last_strata[0] != given:
            self._last_strata = given, strata_of(self._blocks, given)[0]
        return self._last_strata[1]

    def _scores(self, x: int, others: Floats, members: tuple[int, ...]) -> tuple[Floats, Floats, Floats | None]:
        """Scores and covariances given the scores of the fit, which are near 0 already; the expected sums of columns.

        An ordered category has scores, but no such sums.
        """
        from sidelight.kernels.logistic import scores
        from sidelight.kernels.proportional_odds import ordered_scores, working_space

        is_ordinal, steps = self._blocks.is_ordinal[x], int(self._blocks.n_categories[x]) - 1
        design, (fitted, gradient, inverse) = self._design(members), self._fit(x, members)
        size = others.shape[1] * (1 if is_ordinal else steps)
        score, covariance, cross = np.zeros(size), np.zeros((size, size)), np.zeros((size, len(gradient)))
        of_rows = design, self._blocks.codes[:, x], fitted, others, self._weights
        if is_ordinal:
            ordered_scores(*of_rows, score, covariance, cross, *working_space(steps))
            expected = None
        else:
            scores(*of_rows, score, covariance, cross)
            weighted = others * self._weights[:, None] if len(self._weights) else others
            expected = (fitted.T @ weighted).ravel()
        explained = cross @ inverse
        return score - explained @ gradient, covariance - explained @ cross.T, expected

    def _design(self, given: tuple[int, ...]) -> Floats:
        """A constant and the columns of the set."""
        if self._last_design[0] != given:
            blocks = self._blocks
            constant, columns = np.ones(len(blocks.columns)), blocks.columns[:, blocks.places(given)]
            self._last_design = given, np.ascontiguousarray(np.column_stack([constant, columns]))
        return self._last_design[1]

    def _fit(self, x: int, given: tuple[int, ...]) -> Fit:
        from sidelight.kernels.logistic import fit
        from sidelight.kernels.proportional_odds import fit_ordered

        if (x, given) not in self._fits:
            blocks = self._blocks
            fit_category = fit_ordered if blocks.is_ordinal[x] else fit
            found = fit_category(self._design(given), blocks.codes[:, x], int(blocks.n_categories[x]), self._weights)
            fitted, gradient, information = found[-3:]
            kept: Fit = fitted, gradient, np.linalg.inv(information).astype(np.float64, copy=False)
            self._bytes += sum(part.nbytes for part in kept)
            if self._bytes > KEPT_BYTES:
                self._fits.clear()
                self._bytes = sum(part.nbytes for part in kept)
            self._fits[x, given] = kept
        return self._fits[x, given]

    def __getstate__(self) -> dict[str, object]:
        """Without the fits, which take more room than the data."""
        return {**vars(self), "_fits": {}, "_bytes": 0, "_last_design": ((), np.empty((0, 0)))}


def strata_of(blocks: Blocks, given: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The number of each row's combination of these categories, and the first row that has each."""
    strata, first = np.zeros(len(blocks.codes), dtype=np.int64), np.zeros(1, dtype=np.int64)
    for z in given:  # numbered anew each time, so that numbers stay small
        wide = strata * int(blocks.n_categories[z]) + blocks.codes[:, z]
        first, strata = np.unique(wide, return_index=True, return_inverse=True)[1:]
    return strata.astype(np.int64, copy=False), first


def score_tail(score: Floats, covariance: Floats, expected: Floats | None) -> float | None:
    """The p-value of scores with these covariances, None if none varies; with expected counts where they are counts."""
    from scipy.special import gammaincc

    statistic, freedom = score_statistic(score, covariance)
    if not freedom:
        return None
    p = float(gammaincc(freedom / 2, statistic / 2))
    if p > REFINED or expected is None:
        return p
    used = np.diag(covariance) > SMALLEST_VARIANCE
    return _rare_counts(statistic, np.diag(covariance)[used], expected[used], p)


def score_statistic(score: Floats, covariance: Floats) -> tuple[float, int]:
    """The squared length of the scores in units of their covariances, and how many of them vary freely."""
    used = np.diag(covariance) > SMALLEST_VARIANCE
    if not used.any():
        return 0.0, 0
    spread = np.sqrt(np.diag(covariance)[used])
    values, vectors = np.linalg.eigh(covariance[np.ix_(used, used)] / np.outer(spread, spread))
    kept = values > SMALLEST_EIGENVALUE
    return float((((score[used] / spread) @ vectors[:, kept]) ** 2 / values[kept]).sum()), int(kept.sum())


def _rare_counts(statistic: float, variance: Floats, expected: Floats, p: float) -> float:
    """The tail, with a fourfold table for each count, whose equal margins give the count's mean and variance.

    A rare count that the set hardly explains is nearly Poisson, so its table is large; what that varies too much is a
    factor of its χ².
    """
    from sidelight.families.discrete.kernels.tables import fourfold_variance

    narrowness = np.maximum(1 - np.sqrt(np.minimum(1.0, variance / expected)), 1e-6)
    poisson = (expected < RARE) & (variance > POISSON * expected)
    least = np.where(poisson, LARGE_TOTAL, np.maximum(SMALLEST_TOTAL, 2.5 * expected))
    total = np.maximum(expected / narrowness**2, least)
    margin = np.sqrt(expected * total)
    factor = np.where(poisson, np.maximum(1.0, expected * (1 - margin / total) ** 2 / variance), 1.0)
    cells = np.column_stack([margin, margin, total, factor])
    variances = [fourfold_variance(*cell) for cell in cells]
    return far_tail(cells, statistic, float((factor * total / (total - 1)).sum()), float(np.sum(variances)), p)

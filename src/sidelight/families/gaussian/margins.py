"""How far columns are from Gaussian, and whether normal scores describe their dependences better than the values do.

Monotone functions of Gaussian columns have weaker linear correlations than their normal scores, so the determinant of
the latter's matrix is smaller (Klaassen & Wellner 1997). Linear effects of skewed noise have not: ranks bend them.
Decision 19 has the figures behind the numbers below.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sidelight.families.gaussian.correlation import Correlation, moments
from sidelight.families.gaussian.ranks import normal_scores

ROWS_SEEN, CELLS_SEEN, ROWS_PER_COLUMN, FEWEST_ROWS = 5_000, 1_000_000, 2, 50
SKEWED, HEAVY = 0.7, 1.0  # skewness, and excess kurtosis, from which on a column counts as far from Gaussian
GAIN = 0.15  # in the logarithm of the determinant, for each such column, from which on normal scores serve better
RIDGE, SINGULAR = 1e-3, 1e-8
COLUMNS_AT_ONCE = 128
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Margins:
    """Which columns are far from Gaussian, and how much more the normal scores of all explain than their values.

    ``gain`` is the difference of the logarithms of both determinants, divided by the number of such columns.
    """

    far: NDArray[np.bool_]
    gain: float

    @property
    def need_scores(self) -> bool:
        """True where normal scores serve better."""
        return self.gain > GAIN


def margins_of(values: NDArray[np.generic]) -> Margins:
    """From evenly spaced rows; columns that do not vary, or with gaps, are not looked at."""
    n_columns = max(1, values.shape[1])
    seen = min(ROWS_SEEN, max(ROWS_PER_COLUMN * n_columns, CELLS_SEEN // n_columns))
    some = values[:: max(1, len(values) // seen)]
    if len(some) < max(FEWEST_ROWS, ROWS_PER_COLUMN * n_columns):
        return Margins(np.zeros(some.shape[1], dtype=np.bool_), 0.0)
    far = _far_from_gaussian(some)
    if not far.any():
        return Margins(far, 0.0)
    rows = np.asarray(some, dtype=np.float64)
    with np.errstate(all="ignore"):
        rows = rows[:, rows.std(axis=0) > 0]
    scores = normal_scores(rows, lambda: None).correlations
    names = tuple(range(len(scores)))
    if Correlation.computed(scores, len(rows), names).smallest_pivot < SINGULAR:  # such as copies by rank
        return Margins(far, 0.0)
    return Margins(far, float(_log_determinant(moments(rows).correlations) - _log_determinant(scores)) / int(far.sum()))


def _far_from_gaussian(rows: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Some columns at a time: no second table of numbers."""
    far = np.zeros(rows.shape[1], dtype=np.bool_)
    for start in range(0, rows.shape[1], COLUMNS_AT_ONCE):
        some = slice(start, start + COLUMNS_AT_ONCE)
        far[some] = _far(np.asarray(rows[:, some], dtype=np.float64))
    return far


def _far(rows: Floats) -> NDArray[np.bool_]:
    with np.errstate(all="ignore"):
        standardised = (rows - rows.mean(axis=0)) / rows.std(axis=0)
        squared = np.square(standardised)
        skewness = (squared * standardised).mean(axis=0)
        kurtosis = np.square(squared).mean(axis=0) - 3
        far: NDArray[np.bool_] = (np.abs(skewness) > SKEWED) | (kurtosis > HEAVY)
    return far


def _log_determinant(correlations: Floats) -> float:
    """With a ridge, so that columns that others nearly determine do not decide alone."""
    ridged = (1 - RIDGE) * correlations + RIDGE * np.eye(len(correlations))
    return float(np.linalg.slogdet(ridged)[1])

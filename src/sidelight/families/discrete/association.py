"""Effect sizes of categories: how strongly they go together within strata, and in which direction."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray


def corrected_v(statistic: float, mean: float, rows: float, n_categories: int) -> float:
    """Cramér's V without the bias that χ² has (Bergsma 2013): χ² counts as far as it exceeds its expectation.

    Summed over strata, χ² has an expectation that grows with their number, and so has an uncorrected V.
    """
    if rows <= 0 or n_categories < 2:
        return 0.0
    return min(1.0, sqrt(max(0.0, statistic - mean) / (rows * (n_categories - 1))))


def direction(codes: NDArray[np.integer], weights: NDArray[np.float64]) -> float:
    """1 if the second categories of the first two columns go together within strata of the others, −1 if not.

    The numerator of Mantel and Haenszel's odds ratio against its denominator.
    """
    complete = (codes >= 0).all(axis=1)
    kept, counts = codes[complete].astype(np.int64), weights[complete] if len(weights) else None
    stratum = np.zeros(len(kept), dtype=np.int64)
    for column in kept.T[2:]:  # one at a time: sorting numbers is many times quicker than sorting rows
        stratum = np.unique(stratum * (column.max(initial=0) + 1) + column, return_inverse=True)[1]
    cells = 4 * stratum + 2 * kept[:, 0] + kept[:, 1]
    table = np.bincount(cells, counts, 4 * (int(stratum.max(initial=-1)) + 1)).reshape(-1, 4)
    difference = (table[:, 3] * table[:, 0] - table[:, 1] * table[:, 2]) / table.sum(axis=1)
    return 1.0 if difference.sum() >= 0 else -1.0


def measured(measure: str, names: Sequence[Hashable], categories: Sequence[object]) -> str:
    """The name of a measure with the categories that its sign refers to; None for a number.

    ``partial correlation with sex=male``, ``phi coefficient of smokes=yes with cancer=yes``.
    """
    of, *others = [
        f"{name}={category}" for name, category in zip(names, categories, strict=True) if category is not None
    ]
    return f"{measure} of {of} with {others[0]}" if others else f"{measure} with {of}"

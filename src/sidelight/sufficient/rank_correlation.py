"""Normal-scores (van der Waerden) correlations: Pearson's, of the normal quantiles that belong to the ranks.

For a Gaussian copula, whatever the margins, these correlations and all partial ones have Pearson's distribution
(Klaassen & Wellner 1997), so Fisher's Z holds as it stands. Monotone transforms do not matter, and outliers hardly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sidelight.sufficient.correlation import Moments, moments

Tick = Callable[[], None]


def normal_scores(values: NDArray[np.generic], tick: Tick) -> Moments:
    """The moments of the normal scores, but for the means, which are those of the values and show what is not finite.

    The score of rank r among N rows is the quantile r / (N + 1); equal values have the mean of their ranks.
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    scores, means = np.empty(values.shape, order="F"), np.empty(values.shape[1])
    for i, column in enumerate(values.T):
        wide = column.astype(np.float64)
        with np.errstate(all="ignore"):
            means[i] = wide.sum() / max(1, len(wide))
        scores[:, i] = ndtri(rankdata(wide) / (len(wide) + 1))
        tick()
    return replace(moments(scores, tick), means=means)

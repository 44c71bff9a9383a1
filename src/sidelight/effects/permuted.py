"""An effect of nothing, for comparison: the values of a cause are permuted over the rows, and all else stays in place.

Where only correlations are there, those of such a cause are drawn instead: with n rows they are close to normal, with
variance 1 / (n − 1), and correlated among each other as the other columns are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.families.gaussian.correlation import Moments, moments
from sidelight.families.gaussian.em import em_moments
from sidelight.tables.all_rows import Groups, are_fractional

Floats = NDArray[np.float64]
MOST_ROWS = 20_000_000  # that frequency weights may stand for


def covariance_of(found: Moments) -> Floats:
    """The covariances; 0 with a column that does not vary."""
    spreads = np.sqrt(found.variances)
    return np.asarray(np.nan_to_num(found.correlations) * np.outer(spreads, spreads))


def written_out(counts: Floats) -> NDArray[np.int64]:
    """The positions of rows, each as often as its frequency weight says; once each where weights are fractional."""
    if are_fractional(counts):
        return np.arange(len(counts))
    if counts.sum() > MOST_ROWS:
        raise InputError(f"the table stands for {counts.sum():,.0f} rows; at most {MOST_ROWS:,} can be permuted")
    return np.repeat(np.arange(len(counts)), counts.astype(np.int64))


@dataclass(frozen=True)
class NumberRows:
    """Rows of numbers, NaN where they are missing, with their weights; ``order`` has the columns that are meant.

    Rows in ``groups`` are differences from the means of their group.
    """

    values: NDArray[np.generic]
    weights: Floats | None
    order: tuple[int, ...]
    groups: Groups | None = None

    def columns(self, columns: Sequence[int]) -> Floats:
        """A copy of some columns."""
        return np.array(self.values[:, [self.order[v] for v in columns]], dtype=np.float64)

    def sums(self, products: Floats) -> Floats:
        """Sums over the rows of each group."""
        assert self.groups is not None
        groups = np.unique(self.groups, return_inverse=True)[1].ravel()
        return np.column_stack([np.bincount(groups, column) for column in products.T])

    def permuted(self, columns: Sequence[int], rng: np.random.Generator) -> Floats:
        """The covariances of some columns, the values of the first permuted over the rows."""
        values, weights = self.columns(columns), self.weights
        if weights is not None and not are_fractional(weights):
            values, weights = values[written_out(weights)], None
        if self.groups is not None:  # within each group
            before, after = (
                np.lexsort((tie, self.groups)) for tie in (np.arange(len(values)), rng.random(len(values)))
            )
            values[before, 0] = values[after, 0]
            return covariance_of(moments(values).less(len(np.unique(self.groups)) - 1))
        values[:, 0] = rng.permutation(values[:, 0])
        incomplete = bool(np.isnan(values).any())
        return covariance_of(em_moments(values, weights) if incomplete else moments(values, weights=weights))


def drawn(covariance: Floats, n_rows: float, rng: np.random.Generator) -> Floats:
    """The covariances of columns as they could be after permuting the first."""
    found, spread = covariance.copy(), float(np.sqrt(covariance[0, 0]))
    others = covariance[1:, 1:]
    found[0, 1:] = spread * rng.multivariate_normal(np.zeros(len(others)), others / (n_rows - 1), method="eigh")
    found[1:, 0] = found[0, 1:]
    return found

"""Linear-Gaussian networks: every variable is a number."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from sidelight.families.gaussian.em import IncompleteRows
from sidelight.fit.linear import LinearGaussianNode
from sidelight.fit.model import FittedNetwork
from sidelight.fit.rows import Rows
from sidelight.simulation.gaussian import LinearGaussian


class FittedGaussian(FittedNetwork):
    """Each variable is a linear function of its parents plus Gaussian noise."""

    conditionals: tuple[LinearGaussianNode, ...]

    @property
    def coefficients(self) -> dict[Hashable, dict[Hashable, float]]:
        """For each variable, the regression coefficients of its parents."""
        return {
            node.variable.name: {
                parent.name: float(slope) for parent, slope in zip(node.parents, node.slopes, strict=True)
            }
            for node in self.conditionals
        }

    @property
    def intercepts(self) -> dict[Hashable, float]:
        """The intercept of each variable."""
        return {node.variable.name: node.intercept for node in self.conditionals}

    @property
    def noise(self) -> dict[Hashable, float]:
        """The standard deviation of each variable's noise (by maximum likelihood: divided by the number of rows)."""
        return {node.variable.name: node.noise for node in self.conditionals}

    @property
    def model(self) -> LinearGaussian:
        """The parameters as arrays, by position."""
        intercepts, noises = (np.array(list(values.values())) for values in (self.intercepts, self.noise))
        return LinearGaussian(self.structure, tuple(node.slopes for node in self.conditionals), intercepts, noises)

    def _log_likelihood(self, rows: Rows) -> float:
        if not rows.has_gaps:
            return super()._log_likelihood(rows)
        mean, covariance = self.model.mean(), self.model.covariance()  # what is missing is integrated out
        scale = np.sqrt(np.diagonal(covariance))
        values = np.column_stack([rows.finite(name) for name in self.names])
        incomplete = IncompleteRows.of((values - mean) / scale, rows.weights)
        *_, likelihood = incomplete.filled(np.zeros(len(mean)), covariance / np.outer(scale, scale))
        weights = np.ones(len(values)) if rows.weights is None else rows.weights
        return likelihood - float(weights @ np.isfinite(values) @ np.log(scale))

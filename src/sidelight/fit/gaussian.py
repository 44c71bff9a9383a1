"""Linear-Gaussian networks: every variable is a number."""

from __future__ import annotations

from collections.abc import Hashable

from sidelight.fit.linear import LinearGaussianNode
from sidelight.fit.model import FittedNetwork


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

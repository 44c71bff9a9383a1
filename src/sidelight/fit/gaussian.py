"""Linear-Gaussian networks: every variable is a number.

Rows with gaps are fitted to by the EM algorithm: a round fills the gaps by their regression on the rest of the row, as
the network has it, and regresses each variable on its parents again. Values are assumed to be missing at random.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from sidelight.families.gaussian.em import MOST_ROUNDS, TOLERANCE, IncompleteRows
from sidelight.fit.model import FittedNetwork, parents_of
from sidelight.graphs.dag import Dag
from sidelight.kinds.base import Sample, Values, Variables, only_missing
from sidelight.kinds.number import LinearGaussianNode, check_noise, check_rows
from sidelight.simulation.gaussian import LinearGaussian


class FittedGaussian(FittedNetwork):
    """Each variable is a linear function of its parents plus Gaussian noise."""

    conditionals: tuple[LinearGaussianNode, ...]

    @staticmethod
    def fit_incomplete(dag: Dag, variables: Variables, sample: Sample, prior: float) -> tuple[LinearGaussianNode, ...]:
        """The parameters that make the observed values most likely."""
        values, parents = sample.matrix, parents_of(dag, variables)
        for v, variable in enumerate(variables):
            if np.isnan(values[:, v]).all():
                raise only_missing(variable.name)
            check_rows(variable, parents[v], len(parents[v]), sample.count)
        centre, spread = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
        scale = np.where(spread > 0, spread, 1.0)
        incomplete = IncompleteRows.of((values - centre) / scale, sample.weights)
        model, spreads = _most_likely(dag, incomplete)
        for v, variable in enumerate(variables):
            check_noise(variable, parents[v], model.noises[v], float(spreads[v]), 0.0)
        found = _rescaled(model, centre, scale)
        parameters = found.intercepts.tolist(), found.weights, found.noises.tolist()
        return tuple(LinearGaussianNode(*node) for node in zip(variables, parents, *parameters, strict=True))

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

    def _log_likelihood(self, sample: Sample) -> float:
        if not sample.has_gaps:
            return super()._log_likelihood(sample)
        mean, covariance = self.model.mean(), self.model.covariance()  # what is missing is integrated out
        scale = np.sqrt(np.diagonal(covariance))
        values = sample.matrix
        incomplete = IncompleteRows.of((values - mean) / scale, sample.weights)
        *_, likelihood = incomplete.filled(np.zeros(len(mean)), covariance / np.outer(scale, scale))
        return likelihood - float(sample.counts @ np.isfinite(values) @ np.log(scale))


def _most_likely(dag: Dag, incomplete: IncompleteRows) -> tuple[LinearGaussian, Values]:
    """What EM comes to for standardised columns, and their standard deviations."""
    mean, covariance = np.zeros(len(dag)), np.eye(len(dag))
    for _ in range(MOST_ROUNDS):
        before = covariance
        mean, expected, _ = incomplete.filled(mean, before)
        model = _regressed(dag, mean, expected)
        covariance = model.covariance()
        if np.abs(covariance - before).max(initial=0) < TOLERANCE:
            break
    return model, np.sqrt(np.maximum(0.0, np.diagonal(expected)))


def _regressed(dag: Dag, mean: Values, covariance: Values) -> LinearGaussian:
    """The regression of each variable on its parents, from moments."""
    weights: list[Values] = []
    noises, intercepts = np.empty(len(dag)), mean.copy()
    for v, parents in enumerate(dag.parents):
        given = sorted(parents)
        solution = np.linalg.lstsq(covariance[np.ix_(given, given)], covariance[given, v], rcond=None)
        slopes = np.asarray(solution[0], dtype=np.float64)
        noises[v] = np.sqrt(max(0.0, covariance[v, v] - slopes @ covariance[given, v]))
        intercepts[v] -= slopes @ mean[given]
        weights.append(slopes)
    return LinearGaussian(dag, tuple(weights), intercepts, noises)


def _rescaled(model: LinearGaussian, centre: Values, scale: Values) -> LinearGaussian:
    """The model of columns that have this centre and scale, from the one of standardised columns."""
    weights, intercepts = [], model.intercepts * scale + centre
    for v, parents in enumerate(model.dag.parents):
        slopes = model.weights[v] * scale[v] / scale[sorted(parents)]
        intercepts[v] -= slopes @ centre[sorted(parents)]
        weights.append(slopes)
    return LinearGaussian(model.dag, tuple(weights), intercepts, model.noises * scale)

"""Linear-Gaussian networks from rows with gaps: the EM algorithm for their parameters.

A round fills the gaps by their regression on the rest of the row, as the network has it, and regresses each variable on
its parents anew. Values are assumed to be missing at random.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sidelight.families.gaussian.em import MOST_ROUNDS, TOLERANCE, IncompleteRows
from sidelight.fit.linear import LinearGaussianNode, check_noise, check_rows
from sidelight.fit.rows import Rows
from sidelight.fit.variables import ModelVariable, only_missing
from sidelight.graphs.dag import Dag
from sidelight.simulation.gaussian import LinearGaussian

Values = NDArray[np.float64]


def fit_incomplete_gaussian(dag: Dag, variables: Sequence[ModelVariable], rows: Rows) -> tuple[LinearGaussianNode, ...]:
    """The parameters that make the observed values most likely."""
    values = np.column_stack([rows.finite(name) for name in dag.names])
    parents = [tuple(variables[p] for p in sorted(found)) for found in dag.parents]
    for v, variable in enumerate(variables):
        if np.isnan(values[:, v]).all():
            raise only_missing(variable.name)
        check_rows(variable, parents[v], len(parents[v]), rows.count)
    centre, spread = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    incomplete = IncompleteRows.of((values - centre) / scale, rows.weights)
    mean, covariance = np.zeros(len(dag)), np.eye(len(dag))
    for _ in range(MOST_ROUNDS):
        before = covariance
        mean, expected, _ = incomplete.filled(mean, before)
        model = _regressed(dag, mean, expected)
        covariance = model.covariance()
        if np.abs(covariance - before).max(initial=0) < TOLERANCE:
            break
    for v, variable in enumerate(variables):
        check_noise(variable, parents[v], model.noises[v], float(np.sqrt(max(0.0, expected[v, v]))), 0.0)
    found = _rescaled(model, centre, scale)
    return tuple(
        LinearGaussianNode(variable, parents[v], float(found.intercepts[v]), found.weights[v], float(found.noises[v]))
        for v, variable in enumerate(variables)
    )


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

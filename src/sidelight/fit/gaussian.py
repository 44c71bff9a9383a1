"""Linear-Gaussian networks by maximum likelihood: the regression of each variable on its parents."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.fit.model import FittedNetwork
from sidelight.fit.rows import Rows
from sidelight.graphs.dag import Dag
from sidelight.simulation.gaussian import LinearGaussian
from sidelight.sufficient.em import IncompleteRows
from sidelight.text.sentences import counted

Values = NDArray[np.float64]
NO_NOISE = 1e-7  # a column of which the parents leave no more than this share unexplained has no noise
ROUNDING = 1e-14  # of the numbers themselves: with a large mean, such as of times, less than that is rounding error


@dataclass(frozen=True, repr=False)
class FittedGaussian(FittedNetwork):
    """Each variable is a linear function of its parents plus Gaussian noise."""

    model: LinearGaussian
    n_rows: float

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The variables."""
        return self.model.dag.names

    @property
    def dag(self) -> nx.DiGraph:
        """The graph, over the names."""
        return self.model.dag.to_networkx()

    @property
    def n_parameters(self) -> int:
        """Coefficients, intercepts and standard deviations."""
        return 2 * len(self.names) + len(self.model.dag.edges())

    @property
    def coefficients(self) -> dict[Hashable, dict[Hashable, float]]:
        """For each variable, the regression coefficients of its parents."""
        return {
            name: {self.names[p]: float(w) for p, w in zip(sorted(parents), weights, strict=True)}
            for name, parents, weights in zip(self.names, self.model.dag.parents, self.model.weights, strict=True)
        }

    @property
    def intercepts(self) -> dict[Hashable, float]:
        """The intercept of each variable."""
        return dict(zip(self.names, self.model.intercepts.tolist(), strict=True))

    @property
    def noise(self) -> dict[Hashable, float]:
        """The standard deviation of each variable's noise (by maximum likelihood: divided by the number of rows)."""
        return dict(zip(self.names, self.model.noises.tolist(), strict=True))

    def sample(self, n_rows: int, seed: int | np.random.Generator | None = None) -> dict[Hashable, Values]:
        """New rows, as a dict of columns in the order of the variables."""
        return self.model.sample(n_rows, np.random.default_rng(seed))

    def _log_likelihood(self, rows: Rows) -> float:
        if rows.has_gaps:
            return self._log_likelihood_with_gaps(rows)
        columns = [rows.numbers(name) for name in self.names]
        total = 0.0
        for v, parents in enumerate(self.model.dag.parents):
            expected = self.model.intercepts[v] + sum(
                (w * columns[p] for p, w in zip(sorted(parents), self.model.weights[v], strict=True)), start=0.0
            )
            surprise = np.square((columns[v] - expected) / self.model.noises[v])
            densities = -0.5 * (surprise + np.log(2 * np.pi)) - np.log(self.model.noises[v])
            total += float(densities.sum() if rows.weights is None else densities @ rows.weights)
        return total

    def _log_likelihood_with_gaps(self, rows: Rows) -> float:
        """Of the values that are there: what is missing is integrated out."""
        mean, covariance = self.model.mean(), self.model.covariance()
        scale = np.sqrt(np.diagonal(covariance))
        values = np.column_stack([rows.finite(name) for name in self.names])
        incomplete = IncompleteRows.of((values - mean) / scale, rows.weights)
        *_, likelihood = incomplete.filled(np.zeros(len(mean)), covariance / np.outer(scale, scale))
        weights = np.ones(len(values)) if rows.weights is None else rows.weights
        return likelihood - float(weights @ np.isfinite(values) @ np.log(scale))

    def _in_words(self) -> list[str]:
        return [
            " ".join([f"{name} = {self.intercepts[name]:.4g}", *(f"{w:+.4g}·{p}" for p, w in terms.items())])
            + f" + noise of {self.noise[name]:.4g}"
            for name, terms in self.coefficients.items()
        ]


def fit_gaussian(dag: Dag, rows: Rows) -> FittedGaussian:
    """Regress each variable on its parents."""
    columns = [rows.numbers(name) for name in dag.names]
    means = np.array([np.average(column, weights=rows.weights) for column in columns])
    weights, noises = [], np.empty(len(dag))
    for v, parents in enumerate(dag.parents):
        check_rows(dag, v, rows.count)
        centred = np.column_stack([columns[p] - means[p] for p in (*sorted(parents), v)])
        slopes, noises[v] = _regression(centred[:, :-1], centred[:, -1], rows)
        rounding = ROUNDING * (abs(means[v]) + np.abs(slopes) @ np.abs(means[sorted(parents)]))
        check_noise(dag, v, noises[v], float(centred[:, -1].std()), float(rounding))
        weights.append(slopes)
    intercepts = means - [w @ means[sorted(p)] for w, p in zip(weights, dag.parents, strict=True)]
    return FittedGaussian(LinearGaussian(dag, tuple(weights), intercepts, noises), rows.count)


def check_rows(dag: Dag, v: int, count: float) -> None:
    """Raise when the rows are too few for a variable's parameters."""
    if count <= len(dag.parents[v]) + 1:
        why = f"has {counted(len(dag.parents[v]), 'parent')}; {count:g} rows are too few to fit it"
        raise InputError(f"variable {str(dag.names[v])!r} {why}")


def check_noise(dag: Dag, v: int, noise: float, spread: float, rounding: float) -> None:
    """Raise when the parents leave nothing of a variable; a deviation within ``rounding`` is none."""
    if noise <= max(NO_NOISE * spread, rounding):
        linear = dag.parents[v] and spread > rounding
        why = "a linear function of its parents, without noise" if linear else "constant"
        raise InputError(f"column {str(dag.names[v])!r} is {why}; such a variable has no likelihood")


def _regression(parents: Values, child: Values, rows: Rows) -> tuple[Values, float]:
    """Slopes, and the standard deviation of the residuals; columns are centred."""
    root = np.ones(len(child)) if rows.weights is None else np.sqrt(rows.weights)
    solution = np.linalg.lstsq(parents * root[:, None], child * root, rcond=None)
    slopes = np.asarray(solution[0], dtype=np.float64)
    residuals = (child - parents @ slopes) * root
    return slopes, float(np.sqrt(residuals @ residuals / rows.count))

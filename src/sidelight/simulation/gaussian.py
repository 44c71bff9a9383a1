"""Linear-Gaussian Bayesian networks: each variable a linear function of its parents plus Gaussian noise."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.graphs.dag import Dag

Values = NDArray[np.float64]
WEIGHTS = (1.0, 1.5)  # absolute values of coefficients, as in the paper's experiments
NOISES = (np.sqrt(0.5), np.sqrt(1.5))  # standard deviations


@dataclass(frozen=True)
class LinearGaussian:
    """A DAG with, for each variable, the weights of its parents (in column order), an intercept and a noise."""

    dag: Dag
    weights: tuple[Values, ...]
    intercepts: Values
    noises: Values

    def sample(self, n_rows: int, rng: np.random.Generator) -> dict[Hashable, Values]:
        """Columns of values, in the order of the variables."""
        rows = self.rows(rng.standard_normal((n_rows, len(self.dag))))
        return dict(zip(self.dag.names, rows.T, strict=True))

    def mean(self) -> Values:
        """The mean of each variable."""
        mean: Values = self.rows(np.zeros((1, len(self.dag))))[0]
        return mean

    def covariance(self) -> Values:
        """The covariances of the variables."""
        noises = self.rows(np.eye(len(self.dag))) - self.mean()
        covariance: Values = noises.T @ noises
        return covariance

    def rows(self, noise: Values) -> Values:
        """Turn standard normal noise, one column for each variable, into rows of the model; in place."""
        noise *= self.noises
        noise += self.intercepts
        for v in self.dag.topological_order():
            if self.dag.parents[v]:
                noise[:, v] += noise[:, sorted(self.dag.parents[v])] @ self.weights[v]
        return noise


def random_linear_gaussian(graph: nx.DiGraph, rng: np.random.Generator) -> LinearGaussian:
    """The paper's experiments: coefficients uniform on ±[1, 1.5], noise deviations uniform on [√0.5, √1.5]."""
    dag = Dag.from_networkx(graph)
    position = {name: i for i, name in enumerate(dag.names)}
    noises = rng.uniform(*NOISES, size=len(dag))
    weights = [np.zeros(0)] * len(dag)
    for child in nx.topological_sort(graph):
        weights[position[child]] = random_weights(len(dag.parents[position[child]]), rng)
    return LinearGaussian(dag, tuple(weights), np.zeros(len(dag)), noises)


def linear_gaussian(graph: nx.DiGraph, n_samples: int, rng: np.random.Generator) -> tuple[list[Hashable], Values]:
    """Names and rows of a random linear-Gaussian model over the graph, as in the paper's experiments."""
    noise = rng.standard_normal((n_samples, graph.number_of_nodes()))
    model = random_linear_gaussian(graph, rng)
    return list(model.dag.names), model.rows(noise)


def random_weights(count: int, rng: np.random.Generator) -> Values:
    """Coefficients, uniform on ±[1, 1.5]."""
    weights: Values = rng.uniform(*WEIGHTS, size=count) * rng.choice([-1.0, 1.0], size=count)
    return weights

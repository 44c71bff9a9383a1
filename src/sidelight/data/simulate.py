"""Simulated structures and data, as in the paper's experiments."""

from __future__ import annotations

from collections.abc import Hashable

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.graphs import Dag

Values = NDArray[np.float64]


def erdos_renyi(n: int, p: float, rng: np.random.Generator) -> nx.DiGraph:
    """A random DAG G(n, p) over 0 … n-1, its vertices in an order that is not topological."""
    order = rng.permutation(n)
    earlier, later = np.nonzero(np.triu(rng.random((n, n)) < p, 1))
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(zip(order[earlier].tolist(), order[later].tolist(), strict=True))
    return graph


def linear_gaussian(graph: nx.DiGraph, n_samples: int, rng: np.random.Generator) -> tuple[list[Hashable], Values]:
    """Names and rows of a linear-Gaussian model over the graph, with the paper's coefficients and noises.

    Coefficients are uniform on ±[1, 1.5], standard deviations of the noise uniform on [√0.5, √1.5].
    """
    dag = Dag.from_networkx(graph)
    position = {name: i for i, name in enumerate(dag.names)}
    values = rng.standard_normal((n_samples, len(dag)))
    values *= rng.uniform(np.sqrt(0.5), np.sqrt(1.5), size=len(dag))
    for child in nx.topological_sort(graph):
        column = position[child]
        parents = sorted(dag.parents[column])
        weights = rng.uniform(1.0, 1.5, size=len(parents)) * rng.choice([-1.0, 1.0], size=len(parents))
        if parents:
            values[:, column] += values[:, parents] @ weights
    return list(dag.names), values

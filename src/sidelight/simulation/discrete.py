"""Discrete Bayesian networks: a table of conditional probabilities for each variable, and rows sampled from them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.text.message import Message, Option

MOST_CELLS = 1_000_000  # of one variable's conditional probabilities


@dataclass(frozen=True)
class DiscreteNetwork:
    """A Bayesian network over discrete variables: categories, parents and conditional probabilities of each.

    ``tables[name]`` has one axis per parent, in order, and the variable itself on the last.
    """

    categories: dict[str, list[str]]
    parents: dict[str, list[str]]
    tables: dict[str, NDArray[np.float64]]

    @property
    def structure(self) -> nx.DiGraph:
        """The graph."""
        graph = nx.DiGraph()
        graph.add_nodes_from(self.categories)
        graph.add_edges_from((parent, child) for child, parents in self.parents.items() for parent in parents)
        return graph

    def sample(self, n_samples: int, rng: np.random.Generator) -> dict[str, NDArray[np.str_]]:
        """Columns of categories, in the order of the variables."""
        codes = self.sample_codes(n_samples, rng)
        return {name: np.array(self.categories[name])[codes[name]] for name in self.categories}

    def sample_codes(self, n_samples: int, rng: np.random.Generator) -> dict[str, NDArray[np.int64]]:
        """The same, as positions among the categories; ancestors first."""
        codes: dict[str, NDArray[np.int64]] = {}
        for name in nx.topological_sort(self.structure):
            table = self.tables[name]
            size = table.shape[-1]
            rows = np.zeros(n_samples, dtype=np.int64)
            for parent, count in zip(self.parents[name], table.shape, strict=False):
                rows = rows * count + codes[parent]
            bounds = np.cumsum(table.reshape(-1, size), axis=1)[rows]
            codes[name] = np.minimum((rng.random(n_samples)[:, None] >= bounds).sum(axis=1), size - 1)
        return codes


def random_discrete(graph: nx.DiGraph, rng: np.random.Generator) -> DiscreteNetwork:
    """Random conditional probabilities over a structure, with two to four categories for each variable."""
    categories = {str(v): list("abcd"[: int(rng.integers(2, 5))]) for v in graph}
    parents = {str(v): [str(p) for p in graph.predecessors(v)] for v in graph}
    tables = {}
    for name in categories:
        shape = [len(categories[p]) for p in parents[name]]
        if prod(shape) > MOST_CELLS:
            why = f"variable {name!r} has {len(shape)} parents, too many for a table of conditional probabilities; "
            raise InputError(Message(why, Option("kind", "mixed"), " has no such limit"))
        tables[name] = rng.dirichlet(np.full(len(categories[name]), 0.5), size=shape)
    return DiscreteNetwork(categories, parents, tables)

"""Bayesian networks over categories, alone or beside numbers, and rows sampled from them.

Of discrete variables alone, each has a table of conditional probabilities. In a mixed network a number is a linear
function of its parents plus noise, to which a discrete parent adds an amount for each category; a discrete variable is
drawn with probabilities that depend on its parents through a softmax.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.graphs.dag import Dag
from sidelight.simulation.gaussian import NOISES, Values, random_weights
from sidelight.text.message import Message, Option

Codes = NDArray[np.int64]
CATEGORIES = ("a", "b", "c", "d")
PILOT_ROWS = 2000  # of a mixed network; enough to estimate the spread of a column
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
        codes: dict[str, Codes] = {}
        for name in nx.topological_sort(self.structure):
            table = self.tables[name]
            size = table.shape[-1]
            rows = np.zeros(n_samples, dtype=np.int64)
            for parent, count in zip(self.parents[name], table.shape, strict=False):
                rows = rows * count + codes[parent]
            bounds = np.cumsum(table.reshape(-1, size), axis=1)[rows]
            codes[name] = np.minimum((rng.random(n_samples)[:, None] >= bounds).sum(axis=1), size - 1)
        return {name: np.array(self.categories[name])[codes[name]] for name in self.categories}


def random_discrete(graph: nx.DiGraph, rng: np.random.Generator) -> DiscreteNetwork:
    """Random conditional probabilities over a structure, with two to four categories for each variable."""
    categories = {str(v): list(CATEGORIES[: int(rng.integers(2, 5))]) for v in graph}
    parents = {str(v): [str(p) for p in graph.predecessors(v)] for v in graph}
    tables = {}
    for name in categories:
        shape = [len(categories[p]) for p in parents[name]]
        if prod(shape) > MOST_CELLS:
            why = f"variable {name!r} has {len(shape)} parents, too many for a table of conditional probabilities; "
            raise InputError(Message(why, Option("kind", "mixed"), " has no such limit"))
        tables[name] = rng.dirichlet(np.full(len(categories[name]), 0.5), size=shape)
    return DiscreteNetwork(categories, parents, tables)


# Mixed networks.


@dataclass(frozen=True)
class Variable:
    """One variable: the effects of its parents, each of shape (the parent's categories or 1, its own or 1)."""

    n_categories: int  # 1: a number
    effects: Mapping[int, Values]
    noise: float


@dataclass(frozen=True)
class MixedNetwork:
    """A DAG with a ``Variable`` each, and the standard deviation by which a number is divided in its effects."""

    dag: Dag
    variables: tuple[Variable, ...]
    spreads: Values

    def sample(self, n_rows: int, rng: np.random.Generator) -> dict[Hashable, NDArray[Any]]:
        """Columns of values and of categories, in the order of the variables."""
        columns: dict[int, Values | Codes] = {}
        for v in self.dag.topological_order():
            columns[v] = _drawn(self.variables[v], columns, self.spreads, n_rows, rng)
        return {
            name: np.array(CATEGORIES)[columns[v]] if self.variables[v].n_categories > 1 else columns[v]
            for v, name in enumerate(self.dag.names)
        }


def random_mixed(graph: nx.DiGraph, discrete_share: float, rng: np.random.Generator) -> MixedNetwork:
    """A model over the graph in which about this share of the variables is discrete, with two to four categories."""
    dag = Dag.from_networkx(graph)
    categories = np.where(rng.random(len(dag)) < discrete_share, rng.integers(2, len(CATEGORIES) + 1, len(dag)), 1)
    variables: dict[int, Variable] = {}
    columns: dict[int, Values | Codes] = {}
    spreads = np.ones(len(dag))
    for v in dag.topological_order():
        effects = {p: _effect(int(categories[p]), int(categories[v]), rng) for p in sorted(dag.parents[v])}
        variables[v] = Variable(int(categories[v]), effects, float(rng.uniform(*NOISES)))
        columns[v] = _drawn(variables[v], columns, spreads, PILOT_ROWS, rng)
        if categories[v] == 1:
            spreads[v] = columns[v].std()
    return MixedNetwork(dag, tuple(variables[v] for v in range(len(dag))), spreads)


def _effect(parent_categories: int, child_categories: int, rng: np.random.Generator) -> Values:
    """What a parent adds to a number, or to the log-odds of each category of a discrete variable."""
    shape = np.ones((parent_categories, child_categories))
    if parent_categories > 1 and child_categories > 1:
        grid = np.subtract.outer(np.arange(parent_categories), np.arange(child_categories)) % max(
            parent_categories, child_categories
        )
        shape = np.where(grid == 0, 2.0, 0.0)[rng.permutation(parent_categories)]
    elif parent_categories > 1 or child_categories > 1:
        count = max(parent_categories, child_categories)
        shape = rng.permutation(np.linspace(-1.5, 1.5, count)).reshape(parent_categories, child_categories)
    return shape * random_weights(1, rng)


def _drawn(
    variable: Variable, columns: Mapping[int, Values | Codes], spreads: Values, n_rows: int, rng: np.random.Generator
) -> Values | Codes:
    scores = np.zeros((n_rows, variable.n_categories))
    for parent, effect in variable.effects.items():
        values = columns[parent]
        scores += effect[values] if len(effect) > 1 else np.outer(values / spreads[parent], effect[0])
    if variable.n_categories == 1:
        return scores[:, 0] + variable.noise * rng.standard_normal(n_rows)
    # The largest of the scores with Gumbel noise is a draw from their softmax.
    codes: Codes = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    return codes

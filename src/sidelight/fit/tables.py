"""Discrete networks: a table of probabilities for each variable, with a Dirichlet prior.

Rows with gaps are fitted to by the EM algorithm, from expected counts.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from sidelight.errors import InputError
from sidelight.families.discrete.incomplete import Families, em_rounds, log_likelihood
from sidelight.fit.model import FittedNetwork, parents_of
from sidelight.graphs.dag import Dag
from sidelight.kinds.base import Sample, Values, Variables
from sidelight.kinds.category import TableNode, checked_shape
from sidelight.simulation.bif import render_bif
from sidelight.simulation.discrete import DiscreteNetwork
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted

MOST_COMBINATIONS = 100_000  # of the categories of a row's gaps, for its likelihood


class FittedTables(FittedNetwork):
    """Each variable has a table of probabilities given its parents."""

    conditionals: tuple[TableNode, ...]

    @staticmethod
    def fit_incomplete(dag: Dag, variables: Variables, sample: Sample, prior: float) -> tuple[TableNode, ...]:
        """The tables that EM comes to."""
        parents = parents_of(dag, variables)
        for variable, found in zip(variables, parents, strict=True):
            checked_shape(variable, found)
        families = Families.of(dag.parents, [len(variable.categories) for variable in variables])
        *_, (probabilities, _) = em_rounds(sample.matrix, sample.counts, families, prior)
        tables = families.tables(probabilities)
        return tuple(TableNode(*node) for node in zip(variables, parents, tables, strict=True))

    @property
    def categories(self) -> tuple[tuple[object, ...], ...]:
        """The values of each variable."""
        return tuple(variable.categories for variable in self.variables)

    def probabilities(self, name: Hashable) -> Values:
        """The table of a variable: an axis for each parent, in column order, and its own categories last."""
        return self.conditionals[self._position(name)].probabilities

    def to_bif(self) -> str:
        """The network in BIF, which most programs for Bayesian networks read."""
        nodes = {str(node.variable.name): node for node in self.conditionals}
        categories = {name: [str(category) for category in node.variable.categories] for name, node in nodes.items()}
        parents = {name: [str(parent.name) for parent in node.parents] for name, node in nodes.items()}
        tables = {name: node.probabilities for name, node in nodes.items()}
        return render_bif(DiscreteNetwork(categories, parents, tables))

    def _log_likelihood(self, sample: Sample) -> float:
        if not sample.has_gaps:
            return super()._log_likelihood(sample)
        families = Families.of(self.structure.parents, [len(values) for values in self.categories])
        probabilities = np.concatenate([node.probabilities.ravel() for node in self.conditionals])
        rows = sample.matrix, sample.counts
        likelihood, n_left_out = log_likelihood(*rows, families, probabilities, MOST_COMBINATIONS)
        if n_left_out:
            why = " so many missing values that depend on each other that they cannot be summed over; use "
            have = f"{counted(n_left_out, 'row')} {'has' if n_left_out == 1 else 'have'}"
            raise InputError(Message(have, why, Option("missing", "drop")))
        return likelihood

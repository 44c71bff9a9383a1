"""Discrete networks: a table of probabilities for each variable, with a Dirichlet prior."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

import numpy as np

from sidelight.errors import InputError
from sidelight.families.discrete.expected_counts import Families, log_likelihood
from sidelight.files.whole import check_target, write_whole
from sidelight.fit.model import FittedNetwork
from sidelight.fit.rows import Rows
from sidelight.fit.table import TableNode
from sidelight.fit.variables import Values
from sidelight.simulation.bif import render_bif
from sidelight.simulation.discrete import DiscreteNetwork
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted

MOST_COMBINATIONS = 100_000  # of the categories of a row's gaps, for its likelihood


class FittedTables(FittedNetwork):
    """Each variable has a table of probabilities given its parents."""

    conditionals: tuple[TableNode, ...]

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

    def write(self, path: str | Path, overwrite: bool = False) -> None:
        """Write the network to a BIF file."""
        target = Path(path).expanduser()
        if target.suffix.lower() != ".bif":
            raise InputError(
                f"a network with its probabilities is written as BIF; the name must end in .bif; got {str(path)!r}"
            )
        check_target(target, overwrite)
        write_whole(target, self.to_bif().encode(), overwrite)

    def _log_likelihood(self, rows: Rows) -> float:
        if not rows.has_gaps:
            return super()._log_likelihood(rows)
        codes = np.column_stack([variable.encoded(rows) for variable in self.variables])
        families = Families.of(self.structure.parents, [len(values) for values in self.categories])
        probabilities = np.concatenate([node.probabilities.ravel() for node in self.conditionals])
        weights = np.ones(len(codes)) if rows.weights is None else rows.weights
        likelihood, n_left_out = log_likelihood(codes, weights, families, probabilities, MOST_COMBINATIONS)
        if n_left_out:
            why = " so many missing values that depend on each other that they cannot be summed over; use "
            have = f"{counted(n_left_out, 'row')} {'has' if n_left_out == 1 else 'have'}"
            raise InputError(Message(have, why, Option("missing", "drop")))
        return likelihood

"""Discrete networks: a table of probabilities for each variable, with a Dirichlet prior."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

from sidelight.data.files import check_target, write_whole
from sidelight.errors import InputError
from sidelight.fit.model import FittedNetwork
from sidelight.fit.table import TableNode
from sidelight.fit.variables import Values
from sidelight.simulation.bif import render_bif
from sidelight.simulation.discrete import DiscreteNetwork


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

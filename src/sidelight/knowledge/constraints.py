"""What is known, by position in the names: which arrows may be there, which are, and which paths are or are not."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from sidelight.knowledge.closure import Closure, closure, path_matrix
from sidelight.knowledge.contradictions import check_consistent
from sidelight.knowledge.facts import Columns, Pair
from sidelight.knowledge.paths import Matrix, ordered_components, reachable
from sidelight.knowledge.statement import Known


@dataclass(frozen=True, eq=False)
class Constraints:
    """What is known, by position in the names, with everything that follows from it.

    Args:
        names: the variables.
        allowed: [i, j]: the arrow from i to j may be there; False on the diagonal.
        required: arrows that are there.
        adjacent: pairs (smaller, larger) known to be adjacent, those of required arrows included.
        ancestors: (i, j) with a directed path from i to j, those by required arrows included.
        not_ancestors: (i, j) without one, only those that ``allowed`` does not imply by itself.
    """

    names: tuple[Hashable, ...]
    allowed: Matrix
    required: frozenset[Pair]
    adjacent: frozenset[Pair]
    ancestors: frozenset[Pair]
    not_ancestors: frozenset[Pair]

    def blocks(self) -> list[list[int]]:
        """The strongly connected components of the allowed arrows, causes first.

        Every arrow of a DAG that agrees with what is known stays within a block or leads to a later one.
        """
        return ordered_components(self.allowed)

    @property
    def forbids_nothing(self) -> bool:
        """True when every arrow is allowed; then nothing is required either, since that forbids the reverse."""
        n = len(self.names)
        return int(self.allowed.sum()) == n * (n - 1)

    @property
    def says_nothing(self) -> bool:
        """True when every DAG agrees with what is known."""
        return self.forbids_nothing and not self.adjacent and not self.ancestors and not self.not_ancestors

    @property
    def open_ancestors(self) -> frozenset[Pair]:
        """The paths that have to be found: those that required arrows alone do not make."""
        return self.ancestors - self._by_required_arrows()

    @property
    def open_not_ancestors(self) -> frozenset[Pair]:
        """The paths that have to be avoided: those that would not close a cycle with required arrows."""
        return self.not_ancestors - {(j, i) for i, j in self._by_required_arrows()}

    def _by_required_arrows(self) -> frozenset[Pair]:
        return _pairs(path_matrix(len(self.names), self.required))


def constraints_of(known: Known, names: Sequence[Hashable]) -> Constraints:
    """What is known of these variables; unknown names and contradictions are an ``InputError``."""
    columns = Columns(tuple(names))
    columns.check(name for statement in known.statements for name in statement.names())
    closed = closure(len(columns.names), [statement.facts(columns) for statement in known.statements])
    check_consistent(known, columns, closed)
    return _constraints(closed, columns.names)


def _constraints(closed: Closure, names: tuple[Hashable, ...]) -> Constraints:
    closed.allowed.flags.writeable = False
    excluded = closed.excluded & reachable(closed.allowed) if closed.excluded.any() else closed.excluded
    np.fill_diagonal(excluded, False)  # that no path leads from a variable to itself need not be said
    return Constraints(
        names, closed.allowed, closed.required, closed.adjacent, _pairs(closed.certain), _pairs(excluded)
    )


def _pairs(matrix: Matrix) -> frozenset[Pair]:
    rows, columns = np.nonzero(matrix)
    return frozenset(zip(rows.tolist(), columns.tolist(), strict=True))

"""A network by position of its variables in ``names``: what explanations and pictures are made from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sidelight.graphs.dag import Dag, PartialDag
from sidelight.graphs.separating_sets import SeparatingSets
from sidelight.knowledge import Constraints, Known, constraints_of
from sidelight.orientation.essential import VStructure, find_v_structures, undirected_part
from sidelight.orientation.known import known_arrows
from sidelight.orientation.reasons import Reason, reasons
from sidelight.result.edge_tests import EdgeTests


@dataclass(frozen=True)
class ByPosition:
    """The graph, a DAG that it stands for, which tests are about each edge, and what was known; by position."""

    graph: PartialDag
    dag: Dag
    separating_sets: SeparatingSets
    edge_tests: EdgeTests
    said: Known | None = None

    @cached_property
    def known(self) -> Constraints | None:
        """What was known, by position; None if nothing was."""
        return constraints_of(self.said, self.dag.names) if self.said else None

    @cached_property
    def statements(self) -> list[tuple[str, Constraints]]:
        """Each statement in words, and what it says by itself."""
        return [
            (str(statement), constraints_of(Known((), (statement,)), self.dag.names))
            for statement in (self.said.statements if self.said else ())
        ]

    @cached_property
    def reasons(self) -> dict[tuple[int, int], Reason]:
        """Why each directed edge (tail, head) has its direction."""
        if self.known is None:
            return reasons(self.dag)
        return reasons(self.dag, self.graph.directed_edges(), known_arrows(self.known, self.dag.edges()))

    @cached_property
    def open_edges(self) -> PartialDag:
        """The undirected edges, with those directed ones that matter when some of them are directed."""
        return undirected_part(self.graph) if self.known is None else self.graph

    @cached_property
    def overruled(self) -> list[VStructure]:
        """The v-structures that separating sets imply but that contradict others."""
        shown = set(self.dag.v_structures())
        implied = find_v_structures(len(self.dag), self.separating_sets.lacking)
        return [v for v in implied if v not in shown]

    @cached_property
    def from_failed_sets(self) -> list[VStructure]:
        """The v-structures that would follow from separating sets which do not separate in the data."""
        return find_v_structures(len(self.dag), self.separating_sets.lacking_failed)

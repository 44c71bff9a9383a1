"""A network by position of its variables in ``names``: what explanations and pictures are made from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sidelight.graphs.dag import Dag, PartialDag
from sidelight.graphs.separating_sets import SeparatingSets
from sidelight.orientation.essential import VStructure, find_v_structures
from sidelight.orientation.reasons import Reason, reasons
from sidelight.result.edge_tests import EdgeTests


@dataclass(frozen=True)
class ByPosition:
    """The essential graph, a DAG of its class, and which tests are about each edge; variables are positions."""

    graph: PartialDag
    dag: Dag
    separating_sets: SeparatingSets
    edge_tests: EdgeTests

    @cached_property
    def reasons(self) -> dict[tuple[int, int], Reason]:
        """Why each directed edge (tail, head) has its direction."""
        return reasons(self.dag)

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

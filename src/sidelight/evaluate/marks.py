"""How near one PAG is to another: the ends of edges that differ, arrows, tails, and edges with arrows at both ends."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass

from sidelight.evaluate.counts import SkeletonComparison, compare_sets
from sidelight.graphs.ancestral import mag_of
from sidelight.graphs.dag import Dag
from sidelight.graphs.marks import ARROW, TAIL, Mark, MarkedGraph
from sidelight.orientation.pag import pag_of


@dataclass(frozen=True)
class MarkComparison:
    """Measures of two PAGs. An end of an edge is found if the other PAG has the edge with the same mark there.

    ``distance`` is the number of ends that differ: two for an edge that only one of them has. ``per_edge`` divides it
    by the number of true edges.
    """

    distance: int
    per_edge: float
    arrows: SkeletonComparison
    tails: SkeletonComparison
    bidirected: SkeletonComparison

    def as_dict(self) -> dict[str, object]:
        """All figures by name."""
        kinds = {"arrow": self.arrows, "tail": self.tails, "bidirected": self.bidirected}
        return {
            "mark_distance": self.distance,
            "mark_distance_per_edge": self.per_edge,
            **{f"{kind}_precision": found.precision for kind, found in kinds.items()},
            **{f"{kind}_recall": found.recall for kind, found in kinds.items()},
        }

    def lines(self) -> list[str]:
        """All of it in words."""
        kinds = {"arrows at ends of edges": self.arrows, "tails": self.tails, "↔": self.bidirected}
        return [
            f"marks: {self.distance} ends of edges differ ({self.per_edge:.3f} for each true edge)",
            *(
                f"{kind}: {found.found} found, {found.missing} missing, {found.extra} wrong or too many "
                f"(precision {found.precision:.3f}, recall {found.recall:.3f})"
                for kind, found in kinds.items()
            ),
        ]


def compare_marks(learned: MarkedGraph, truth: MarkedGraph) -> MarkComparison:
    """Compare two PAGs over the same variables, in the same order."""
    distance = sum(
        learned.mark(a, b) != truth.mark(a, b)
        for a in range(len(truth))
        for b in learned.ends[a].keys() | truth.ends[a].keys()
    )
    return MarkComparison(
        distance,
        distance / max(1, truth.n_edges),
        compare_sets(_ends(learned, ARROW), _ends(truth, ARROW)),
        compare_sets(_ends(learned, TAIL), _ends(truth, TAIL)),
        compare_sets(_bidirected(learned), _bidirected(truth)),
    )


def _ends(graph: MarkedGraph, mark: Mark) -> set[tuple[int, int]]:
    return {(a, b) for a, row in enumerate(graph.ends) for b, at_b in row.items() if at_b == mark}


def _bidirected(graph: MarkedGraph) -> set[tuple[int, int]]:
    return {(e.a, e.b) for e in graph.edges() if e.at_a == e.at_b == ARROW}


def pairs_that_differ(learned: MarkedGraph, truth: MarkedGraph) -> int:
    """How many pairs do not have the same edge, its marks included."""
    edges = [{(e.a, e.b): e for e in graph.edges()} for graph in (learned, truth)]
    return sum(edges[0].get(pair) != edges[1].get(pair) for pair in edges[0].keys() | edges[1].keys())


def pag_without(dag: Dag, hidden: Collection[int]) -> MarkedGraph:
    """The PAG of a DAG of which some variables are hidden."""
    return pag_of(mag_of(dag, hidden)).graph


def in_order(graph: MarkedGraph, names: Sequence[Hashable]) -> MarkedGraph:
    """The same graph over these names, as they are written, in their order."""
    position = {str(name): i for i, name in enumerate(names)}
    place = [position[str(name)] for name in graph.names]
    return MarkedGraph.of_edges(names, ((place[e.a], place[e.b], e.at_a, e.at_b) for e in graph.edges()))

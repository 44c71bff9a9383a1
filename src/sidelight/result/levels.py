"""What changes over significance levels: the graphs that the same data give at each."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Literal

from sidelight.graphs.dag import PartialDag
from sidelight.graphs.separating_sets import Pair

Way = Literal["→", "←", "—", ""]  # of the edge between the first and the second of a pair; none if not adjacent


@dataclass(frozen=True)
class Levels:
    """The edges at each of several significance levels, by position, the first of a pair before the second."""

    names: tuple[Hashable, ...]
    alphas: tuple[float, ...]
    edges: tuple[Mapping[Pair, Way], ...]

    @staticmethod
    def of(names: tuple[Hashable, ...], graphs: Mapping[float, PartialDag]) -> Levels:
        """From the graph at each level."""
        alphas = tuple(sorted(graphs))
        return Levels(names, alphas, tuple(_ways(graphs[alpha]) for alpha in alphas))

    def way(self, level: int, pair: Pair) -> Way:
        """How the edge of a pair points at the level of this number."""
        return self.edges[level].get(pair, "")

    def counts(self) -> list[tuple[float, int, int]]:
        """For each level: alpha, how many edges there are, and how many of them are directed."""
        return [
            (alpha, len(edges), sum(way != "—" for way in edges.values()))
            for alpha, edges in zip(self.alphas, self.edges, strict=True)
        ]

    def changes(self) -> list[tuple[Pair, tuple[Way, ...]]]:
        """The pairs whose edge is not the same at all levels, with how it points at each."""
        pairs = sorted({pair for edges in self.edges for pair in edges})
        rows = ((pair, tuple(edges.get(pair, "") for edges in self.edges)) for pair in pairs)
        return [(pair, ways) for pair, ways in rows if len(set(ways)) > 1]


def _ways(graph: PartialDag) -> dict[Pair, Way]:
    ways: dict[Pair, Way] = dict.fromkeys(graph.undirected_edges(), "—")
    for tail, head in graph.directed_edges():
        ways[min(tail, head), max(tail, head)] = "→" if tail < head else "←"
    return dict(sorted(ways.items()))

"""How near one graph is to another."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import networkx as nx


@dataclass(frozen=True)
class SkeletonComparison:
    """Edges found, missed and extra, whatever their direction."""

    found: int
    missing: int
    extra: int

    @property
    def precision(self) -> float:
        """The share of the learned edges that are true; 1 when none was learned."""
        return self.found / (self.found + self.extra) if self.found + self.extra else 1.0

    @property
    def recall(self) -> float:
        """The share of the true edges that were learned; 1 when there are none."""
        return self.found / (self.found + self.missing) if self.found + self.missing else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = 2 * self.found + self.missing + self.extra
        return 2 * self.found / total if total else 1.0

    @property
    def shd(self) -> int:
        """Structural Hamming distance as the paper counts it: missing and extra edges."""
        return self.missing + self.extra


def compare_skeletons(learned: nx.Graph, truth: nx.Graph) -> SkeletonComparison:
    """Compare the edges of two graphs over the same names, without their directions."""
    ours = {frozenset(edge) for edge in learned.edges}
    true = {frozenset(edge) for edge in truth.edges}
    return SkeletonComparison(len(ours & true), len(true - ours), len(ours - true))


def class_distance(learned: nx.DiGraph, truth: nx.DiGraph) -> int:
    """Structural Hamming distance of two essential graphs: the pairs whose edge, or its direction, differs.

    Both as ``Network.to_networkx`` gives them: an undirected edge stands in both directions.
    """
    pairs = {frozenset(edge) for edge in (*learned.edges, *truth.edges)}
    return sum(
        (learned.has_edge(a, b), learned.has_edge(b, a)) != (truth.has_edge(a, b), truth.has_edge(b, a))
        for a, b in map(sorted_by_text, pairs)
    )


def sorted_by_text(pair: frozenset[Hashable]) -> list[Hashable]:
    """A pair of names in a fixed order, whatever their types."""
    return sorted(pair, key=repr)

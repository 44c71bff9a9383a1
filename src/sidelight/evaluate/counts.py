"""What was found of something that is true, what was missed, and what is extra."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass


@dataclass(frozen=True)
class SkeletonComparison:
    """Edges found, missed and extra, whatever their direction."""

    found: int
    missing: int
    extra: int

    @property
    def precision(self) -> float:
        """The share of the learned edges that are true; 1 when none was learned."""
        return share(self.found, self.found + self.extra)

    @property
    def recall(self) -> float:
        """The share of the true edges that were learned; 1 when there are none."""
        return share(self.found, self.found + self.missing)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return share(2 * self.found, 2 * self.found + self.missing + self.extra)

    @property
    def shd(self) -> int:
        """Structural Hamming distance as the paper counts it: missing and extra edges."""
        return self.missing + self.extra


def share(part: int, whole: int) -> float:
    """The part of the whole; 1 if there is nothing to have a part of."""
    return part / whole if whole else 1.0


def compare_sets(ours: Set[object], true: Set[object]) -> SkeletonComparison:
    """What both have, what only the truth has, and what only ours has."""
    return SkeletonComparison(len(ours & true), len(true - ours), len(ours - true))

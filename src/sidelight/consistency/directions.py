"""Directions from what the data do not refute: the skeleton is mended, then oriented, then checked for open paths."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

from sidelight.consistency.checks import NOTHING, Refuted, marginally_dependent
from sidelight.consistency.mending import Mended, mend, other_sets
from sidelight.families import CITest
from sidelight.graphs.dag import components
from sidelight.graphs.separating_sets import Pair, SeparatingSets, ordered
from sidelight.knowledge.constraints import Constraints
from sidelight.learners.skeleton import Skeleton, keep_known
from sidelight.orientation.essential import Orientation, orient

# What is done about a set that the data refute: another set or an edge; no direction is taken from it; another set if
# there is one in the same graph; nothing.
Remedy = Literal["mend", "dismiss", "other set", "keep"]


@dataclass(frozen=True)
class Oriented:
    """Separating sets and directions after the check, and what it came to.

    ``unexplained`` are pairs that depend on each other marginally though the graph has no open path between them, with
    their p-values; ``n_tests`` is how many tests the check took, ``n_unchecked`` how many sets were too many for it.
    """

    sets: SeparatingSets
    orientation: Orientation
    mended: Mended
    unexplained: list[tuple[Pair, float]]
    n_tests: int = 0
    n_unchecked: int = 0

    @classmethod
    def unchecked(cls, names: tuple[Hashable, ...], skeleton: Skeleton, known: Constraints | None = None) -> Oriented:
        """Directions from all separating sets, without a check."""
        sets = skeleton.separating_sets(names)
        return cls(sets, orient(names, skeleton.adjacency, sets.lacking, known), Mended(), [])


def orient_mended(
    test: CITest,
    names: tuple[Hashable, ...],
    skeleton: Skeleton,
    refuted: Refuted,
    alpha: float,
    budget: int,
    largest: int,
    remedy: Remedy = "mend",
    known: Constraints | None = None,
) -> Oriented:
    """Mend what the data refute, or take no direction from it, or keep it, and direct the edges by the rest."""
    can_mend, mended = remedy == "mend", Mended(left=refuted.sets)
    if can_mend:
        mended = mend(test, skeleton, refuted, alpha, budget, largest)
    elif remedy == "other set" and refuted.sets:
        dag = Oriented.unchecked(names, skeleton, known).orientation.dag
        mended = other_sets(test, skeleton, dag, refuted, alpha, budget, largest)
    if known is not None:
        keep_known(skeleton, known)
        mended.added = [(x, y) for x, y in mended.added if y in skeleton.adjacency[x]]
    if remedy == "dismiss":
        skeleton.failed.update(ordered(x, y) for x, y, _ in refuted.sets)
    sets = skeleton.separating_sets(names)
    orientation = orient(names, skeleton.adjacency, sets.lacking, known)
    if test.is_exact:
        return Oriented(sets, orientation, mended, [])
    left = budget - mended.n_tests
    # Dependences between components were looked for, and mended, before.
    connected = components(skeleton.adjacency) if can_mend and refuted is not NOTHING else None
    unexplained, n_marginal = marginally_dependent(
        test, orientation.dag, alpha / max(1, len(sets)), left, component=connected, sets=sets
    )
    n_tests = refuted.n_tests + mended.n_tests + n_marginal
    return Oriented(sets, orientation, mended, unexplained, n_tests, refuted.n_unchecked)

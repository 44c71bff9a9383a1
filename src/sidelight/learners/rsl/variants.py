"""The variants of RSL: how its steps are put together. All are exact with an independence oracle (docs/decisions/0003).

- ``robust`` (the default) is made for data: it also tests what theory implies, and gives way where that fails.
- ``paper`` makes the paper's decisions with the fewest tests: none whose answer its lemmas imply.
- ``published`` makes every test, in the order of the published algorithm.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

from sidelight.interview import Phases
from sidelight.knowledge.constraints import Constraints
from sidelight.learners.rsl.examine import (
    Boundaries,
    Choices,
    LeftOut,
    Neighbourhood,
    Update,
    boundary_is_clique,
    every_pair_depends,
    every_pair_depends_leaving_out,
    every_set,
    find_neighbours,
    found_set_first,
    found_set_only,
    meets_equation_3,
    remove_and_separate,
    remove_only,
    share_of_independent_pairs,
)
from sidelight.side_information import SideInformation

CONFIRMATION_ALPHA = 0.1  # at which a pair must be independent too, to conclude that x has no child (decision 3)
PATIENCE = 4  # 0, 1, 2, 4 and 99 were tried with benchmarks/accuracy.py


@dataclass(frozen=True)
class Removal:
    """All that follows from removing x."""

    x: int
    neighbourhood: Neighbourhood
    update: Update


class Variant(ABC):
    """One run of RSL: the boundaries among the remaining variables, and the decisions in which variants differ.

    ``known`` is what is known of the structure, by position.
    """

    sets_for_known_neighbours: tuple[LeftOut, ...] = ()

    def __init__(
        self, boundaries: Boundaries, side: SideInformation, ask: Phases, known: Constraints | None = None
    ) -> None:
        self.boundaries, self.side, self.ask, self.known = boundaries, side, ask, known
        self.postponed: set[int] = set()  # removable variables that wait until their boundary changes
        self.independent_share: dict[int, float] = {}  # of the pairs in the present boundary, where it was asked for

    def members(self, x: int) -> list[int]:
        """The boundary of x in column order."""
        return sorted(self.boundaries[x])

    def priority(self, x: int) -> tuple[int, ...]:
        """The lowest is examined first: the smallest boundary (line 3 of Algorithm 3)."""
        return (len(self.boundaries[x]), x)

    # What knowledge says of x and its boundary (docs/decisions/0017). A member that is no neighbour has a common child
    # with x within the boundary, and so has a pair of members that x's removal separates: x itself.

    def possible_children(self, x: int, members: list[int]) -> list[int] | None:
        """The members that may be children of x; None if nothing is known."""
        return None if self.known is None else [y for y in members if self.known.allowed[x, y]]

    def update(self, x: int) -> Update:
        """UpdateMb; with knowledge, of the members that may be parents of x."""
        causes = None if self.known is None else [y for y in self.members(x) if self.known.allowed[y, x]]
        return remove_and_separate(x, self.boundaries, self.ask["update"], causes)

    def neighbours(self, x: int, members: list[int], exactly: int, choices: Choices) -> Neighbourhood:
        """FindNeighbors; members that cannot have a child in common with x are not tested with members left out."""
        children, ask = self.possible_children(x, members), self.ask["neighbourhood"]
        if self.known is None or children is None:
            return find_neighbours(x, members, exactly, choices, ask)
        neighbours = {y for y in members if not self.known.allowed[y, children].any()}

        def if_unknown(y: int, members: list[int], size: int, found: LeftOut | None) -> Iterable[LeftOut]:
            to_try = self.sets_for_known_neighbours if y in neighbours else choices(y, members, size, found)
            return (left_out for left_out in to_try if set(left_out) <= set(children))

        return find_neighbours(x, members, exactly, if_unknown, ask)

    def examine(self, x: int) -> Removal | None:
        """What follows from removing x if it is removable; if it can have no child, its whole boundary are parents."""
        members = self.members(x)
        children = self.possible_children(x, members)
        if children == []:
            return Removal(x, self.neighbours(x, members, 0, every_set), self.update(x))
        return self.examine_parent(x, members, children)

    @abstractmethod
    def examine_parent(self, x: int, members: list[int], children: list[int] | None) -> Removal | None:
        """The same for a variable that may have children, among these if something is known."""

    def should_wait(self, removal: Removal) -> bool:
        """True when a removable variable had better be removed later; by default the first is removed."""
        return False

    def fallback(self) -> int:
        """Which variable to remove when none is removable: the paper's choice, which keeps recall at 1."""
        return min(self.boundaries, key=lambda x: (len(self.boundaries[x]), x))

    def remove_anyway(self, x: int) -> Removal:
        """FindNeighbors, then UpdateMb: when x has co-parents, no other variable leaves a boundary (its line 5)."""
        members = self.members(x)
        _, exactly = self.side.left_out(len(members))
        neighbourhood = self.neighbours(x, members, exactly, every_set)
        if neighbourhood.separated:
            return Removal(x, neighbourhood, remove_only(x, self.boundaries))
        return Removal(x, neighbourhood, self.update(x))

    def apply(self, removal: Removal) -> None:
        """Go on without x (line 7 of Algorithm 1)."""
        del self.boundaries[removal.x]
        self.independent_share.pop(removal.x, None)
        self.boundaries.update(removal.update.boundaries)
        for y in removal.update.boundaries:
            self.postponed.discard(y)
            self.independent_share.pop(y, None)


class Published(Variant):
    """FindRemovable's condition, then FindNeighbors, then UpdateMb."""

    def examine_parent(self, x: int, members: list[int], children: list[int] | None) -> Removal | None:
        at_most, _ = self.side.left_out(len(members))
        removable = meets_equation_3(x, members, at_most, self.ask["removability"], children)
        return self.remove_anyway(x) if removable else None


class Paper(Variant):
    """No test whose answer follows from earlier ones."""

    sets_to_leave_out = staticmethod(found_set_only)

    def priority(self, x: int) -> tuple[int, ...]:
        """The paper's order, after those whose boundaries show that they cannot be removable."""
        return (not boundary_is_clique(x, self.boundaries), *super().priority(x))

    def examine_parent(self, x: int, members: list[int], children: list[int] | None) -> Removal | None:
        """Removability with nothing left out, then the update, then the rest only if x may have children.

        A pair that becomes separated when x is removed had x as its only common child. Then x has no child: it is
        removable, all its members are neighbours, and no test with members left out is needed.
        """
        at_most, exactly = self.side.left_out(len(members))
        if at_most >= 0 and not every_pair_depends(x, members, self.ask["removability"], children):
            return None
        update = self.update(x)
        if self.has_no_child(update):
            exactly = 0
        elif not update.separated:
            sizes, ask = range(1, at_most + 1), self.ask["removability"]
            if not all(every_pair_depends_leaving_out(x, members, size, ask, children) for size in sizes):
                return None
        return Removal(x, self.neighbours(x, members, exactly, self.sets_to_leave_out), update)

    def has_no_child(self, update: Update) -> bool:
        """True when removing x separates a pair."""
        return bool(update.separated)


class Robust(Paper):
    """Every neighbour must also depend on x given the whole rest of the boundary, and a separation must be clear."""

    sets_to_leave_out = staticmethod(found_set_first)
    sets_for_known_neighbours = ((),)

    def priority(self, x: int) -> tuple[int, ...]:
        """The same, as if a postponed variable had a few members more."""
        unlikely, size, _ = super().priority(x)
        return (unlikely, size + PATIENCE * (x in self.postponed), x)

    def has_no_child(self, update: Update) -> bool:
        """True when removing x separates a pair, and no weak dependence is in sight.

        Two causes of one effect depend on each other given the effect, but weakly. With few rows such a pair may seem
        to be separated when a third cause is removed, which would then be taken for the effect.
        """
        ask = self.ask.at_alpha("confirmation", max(CONFIRMATION_ALPHA, self.ask.alpha))
        return any(ask.independent(y, z, given) for y, z, given in update.separated)

    def should_wait(self, removal: Removal) -> bool:
        """A variable with co-parents waits once.

        On data, that it has some is the least certain conclusion: it rests on a test with a member left out. Others may
        be removed first, and its boundary may shrink meanwhile.
        """
        return bool(removal.neighbourhood.separated) and removal.x not in self.postponed

    def fallback(self) -> int:
        """The variable with the smallest share of independent pairs; on data, mistakes made there cost least."""
        for x in self.boundaries:
            if x not in self.independent_share:
                share = share_of_independent_pairs(x, self.members(x), self.ask["removability"])
                self.independent_share[x] = share
        least = min(self.independent_share.values())
        nearest = [x for x, share in self.independent_share.items() if share == least]
        return min(nearest, key=lambda x: (len(self.boundaries[x]), x))

    def remove_anyway(self, x: int) -> Removal:
        """Both steps, whatever the other finds: nothing follows from a removability that was not seen."""
        members = self.members(x)
        _, exactly = self.side.left_out(len(members))
        update = self.update(x)
        return Removal(x, self.neighbours(x, members, exactly, self.sets_to_leave_out), update)


VARIANTS: dict[str, type[Variant]] = {"robust": Robust, "paper": Paper, "published": Published}

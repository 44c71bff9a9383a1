"""What the steps of RSL share: the boundaries among the remaining variables, and what one step decides."""

from __future__ import annotations

from dataclasses import dataclass, field

from sidelight.graphs.separating_sets import Pair
from sidelight.learners.skeleton import Phases
from sidelight.side_information import SideInformation

Boundaries = dict[int, set[int]]
Question = tuple[int, int, list[int]]


@dataclass(frozen=True)
class Neighbourhood:
    """The neighbours of a variable, and for the rest of its boundary what was left out to separate them from it.

    ``left_out`` is how many members were left out at a time.
    """

    neighbours: list[int]
    separated: dict[Pair, tuple[int, ...]]
    left_out: int


@dataclass(frozen=True)
class Update:
    """The boundaries of the members once x is gone, and which pairs of them left each other's boundary, given what."""

    boundaries: Boundaries
    parted: list[Question]


@dataclass(frozen=True)
class Removal:
    """All that follows from taking x out."""

    x: int
    neighbourhood: Neighbourhood
    update: Update


@dataclass(frozen=True)
class State:
    """The remaining variables with their boundaries, what is known of the structure, and whom to ask."""

    boundaries: Boundaries
    side: SideInformation
    ask: Phases
    failing_shares: dict[Pair, float] = field(default_factory=dict)
    postponed: set[int] = field(default_factory=set)

    def members(self, x: int) -> list[int]:
        """The boundary of x in column order."""
        return sorted(self.boundaries[x])

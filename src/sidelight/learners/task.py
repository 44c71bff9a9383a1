"""What a learner is given, and what it leaves undecided when a limit is reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sidelight.graphs.separating_sets import Pair
from sidelight.learners.skeleton import Phases, Skeleton
from sidelight.side_information import SideInformation


@dataclass(frozen=True)
class Task:
    """The variables' boundaries (empty for learners that do not use them), the tests, and the options of learners.

    ``tick`` is called after each step of a learner.
    """

    boundaries: Sequence[set[int]]
    ask: Phases
    boundary_alpha: float  # the significance level for learners that look for boundaries themselves
    tick: Callable[[], None] = lambda: None
    n_jobs: int = 1
    side: SideInformation | None = None
    variant: str = "robust"
    loses_power: bool = False  # the test's: it loses much of its power with each variable it conditions on

    @property
    def n_variables(self) -> int:
        """How many variables there are."""
        return len(self.boundaries)

    def pairs(self) -> list[Pair]:
        """All x < y that are in each other's boundary."""
        return [(x, y) for x, members in enumerate(self.boundaries) for y in sorted(members) if x < y]

    def skeleton_of_boundaries(self) -> Skeleton:
        """Each variable adjacent to its boundary, which separates it from all others."""
        skeleton = Skeleton.without_edges(self.n_variables)
        skeleton.removal_order.extend(range(self.n_variables))
        for x, members in enumerate(self.boundaries):
            skeleton.adjacency[x] |= members
            skeleton.boundary_at_removal[x] = frozenset(members)
        return skeleton

    def complete_skeleton(self) -> Skeleton:
        """All variables adjacent; pairs separated later have the empty set unless another is noted."""
        skeleton = Skeleton.without_edges(self.n_variables)
        skeleton.removal_order.extend(range(self.n_variables))
        for x in range(self.n_variables):
            skeleton.adjacency[x] = set(range(self.n_variables)) - {x}
            skeleton.boundary_at_removal[x] = frozenset()
        return skeleton

"""What every learner takes, a ``Task``; and the steps of a recursion, by name."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sidelight.families.subset_search import Found, Searches
from sidelight.graphs.separating_sets import Pair, Skeleton
from sidelight.interview import Phases
from sidelight.knowledge.constraints import Constraints
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
    known: Constraints | None = None
    order: Sequence[Sequence[int]] = ()  # blocks of variables, none of which has a cause in a later block; () if one

    @property
    def n_variables(self) -> int:
        """How many variables there are."""
        return len(self.boundaries)

    def pairs(self) -> list[Pair]:
        """All x < y that are in each other's boundary."""
        return [(x, y) for x, members in enumerate(self.boundaries) for y in sorted(members) if x < y]

    def skeleton_of_boundaries(self) -> Skeleton:
        """Each variable adjacent to its boundary, which separates it from all others."""
        members = dict(enumerate(map(frozenset, self.boundaries)))
        return Skeleton([set(boundary) for boundary in self.boundaries], list(members), members)

    def complete_skeleton(self) -> Skeleton:
        """All variables adjacent; pairs separated later have the empty set unless another is noted."""
        everyone = range(self.n_variables)
        return Skeleton([{*everyone} - {x} for x in everyone], [*everyone], dict.fromkeys(everyone, frozenset()))


def separate_found(skeleton: Skeleton, searches: Searches, found: Found) -> None:
    """Remove the edges for which searches have found a separating set."""
    for i in np.flatnonzero(found.n_chosen >= 0).tolist():
        separating_set = found.set_of(searches, i)
        if separating_set is not None:
            skeleton.separate(int(searches.x[i]), int(searches.y[i]), separating_set)


@dataclass(frozen=True)
class Step:
    """One removal. ``boundary`` and ``neighbours`` are those among the variables that remained, in column order.

    Args:
        tests: how many tests each phase made in this step, also of variables that were not removed then.
        fallback: True when no variable met the condition of removability, and this one was nearest to it.
        left_out: how many members of the boundary were left out at a time to find neighbours; None: any number.
        undecided: True when a limit had ended the learning, so that all of the boundary was taken for neighbours.
    """

    removed: Hashable
    boundary: tuple[Hashable, ...]
    neighbours: tuple[Hashable, ...]
    tests: Mapping[str, int]
    fallback: bool = False
    left_out: int | None = None
    undecided: bool = False


def steps_of(skeleton: Skeleton, names: tuple[Hashable, ...]) -> tuple[Step, ...]:
    """The steps in the order of removal, by name."""

    def named(members: Iterable[int]) -> tuple[Hashable, ...]:
        return tuple(names[y] for y in sorted(members))

    steps, before, fallback = list[Step](), skeleton.counted_before, set(skeleton.fallbacks)
    for x, neighbours, left_out, counted in skeleton.log:
        tests = {phase: n - before.get(phase, 0) for phase, n in counted.items() if n > before.get(phase, 0)}
        boundary = named(skeleton.boundary_at_removal[x])
        steps.append(Step(names[x], boundary, named(neighbours), tests, x in fallback, left_out))
        before = counted
    for x in skeleton.removal_order[len(skeleton.log) :]:
        members = skeleton.boundary_at_removal[x]
        steps.append(Step(names[x], named(members), named(members & skeleton.adjacency[x]), {}, undecided=True))
    return tuple(steps)

"""The ways RSL's steps are put together. All are exact with an independence oracle (docs/decisions/0003).

- ``robust`` (the default) is made for data: it also asks what theory says must hold, and gives way where it does not.
- ``paper`` makes the paper's decisions with the fewest questions: what its lemmas already answer is not asked.
- ``published`` asks every question, in the order of the published algorithm.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sidelight.graphs.separating_sets import Pair
from sidelight.learners.rsl.examine import (
    Boundaries,
    Choices,
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
from sidelight.learners.skeleton import Phases
from sidelight.side_information import SideInformation

CONFIRMATION_ALPHA = (
    0.1  # the level at which a pair must be independent for the conclusion that x has no child (decision 3)
)
PATIENCE = 4  # 0, 1, 2, 4 and 99 were tried with benchmarks/accuracy.py


@dataclass(frozen=True)
class Removal:
    """All that follows from removing x."""

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


@dataclass(frozen=True)
class Variant:
    """Whom to examine first, how to examine, when to wait, and what to do when nobody is removable."""

    priority: Callable[[int, State], tuple[int, ...]]
    examine: Callable[[int, State], Removal | None]
    postpone: Callable[[Removal, State], bool]
    last_resort: Callable[[State], int]
    force: Callable[[int, State], Removal]


# Whom to examine first.


def smallest_boundary_first(x: int, state: State) -> tuple[int, ...]:
    """Line 3 of Algorithm 3."""
    return (len(state.boundaries[x]), x)


def likely_removable_first(x: int, state: State) -> tuple[int, ...]:
    """The paper's order among those whose boundary allows them to be removable; the others after them."""
    return (not boundary_is_clique(x, state.boundaries), len(state.boundaries[x]), x)


def likely_removable_and_not_postponed_first(x: int, state: State) -> tuple[int, ...]:
    """The same, where a postponed variable counts as having a few members more."""
    unlikely, size, _ = likely_removable_first(x, state)
    return (unlikely, size + PATIENCE * (x in state.postponed), x)


# Whether to wait with a removable variable.


def never(removal: Removal, state: State) -> bool:
    """The first that is removable is removed."""
    return False


def once_if_it_has_co_parents(removal: Removal, state: State) -> bool:
    """A variable with co-parents waits once.

    On data, that it has some is the least certain of conclusions: it rests on a question with a member left out. Others
    may be removed first, and its boundary may shrink meanwhile.
    """
    if removal.x in state.postponed or not removal.neighbourhood.separated:
        return False
    state.postponed.add(removal.x)
    return True


# How to examine.


def examine_as_published(x: int, state: State) -> Removal | None:
    """FindRemovable's condition, then FindNeighbors, then UpdateMb."""
    members = state.members(x)
    at_most, _ = state.side.left_out(len(members))
    if not meets_equation_3(x, members, at_most, state.ask["removability"]):
        return None
    return force_as_published(x, state)


def force_as_published(x: int, state: State) -> Removal:
    """FindNeighbors, then UpdateMb: when x has co-parents, nobody else leaves a boundary (its line 5)."""
    members = state.members(x)
    _, exactly = state.side.left_out(len(members))
    neighbourhood = find_neighbours(x, members, exactly, every_set, state.ask["neighbourhood"])
    if neighbourhood.separated:
        return Removal(x, neighbourhood, remove_only(x, state.boundaries))
    return Removal(x, neighbourhood, remove_and_separate(x, state.boundaries, state.ask["update"]))


def _examine_parting_first(
    x: int, state: State, choices: Choices, has_no_child: Callable[[Update, State], bool]
) -> Removal | None:
    """Removability with nothing left out, then the update, then the rest only if x may have children.

    A pair that parts when x is taken out had x as its only common child. Then x has no child: it is removable and all
    its members are neighbours, and the questions with members left out need not be asked.
    """
    members = state.members(x)
    at_most, exactly = state.side.left_out(len(members))
    if at_most >= 0 and not every_pair_depends(x, members, state.ask["removability"]):
        return None
    update = remove_and_separate(x, state.boundaries, state.ask["update"])
    if has_no_child(update, state):
        exactly = 0
    elif not update.separated and not all(
        every_pair_depends_leaving_out(x, members, size, state.ask["removability"]) for size in range(1, at_most + 1)
    ):
        return None
    return Removal(x, find_neighbours(x, members, exactly, choices, state.ask["neighbourhood"]), update)


def examine_with_fewest_questions(x: int, state: State) -> Removal | None:
    """No question whose answer follows from earlier ones."""
    return _examine_parting_first(x, state, found_set_only, a_pair_parted)


def examine_with_confirmation(x: int, state: State) -> Removal | None:
    """Every neighbour must also depend on x given the whole rest of the boundary, and a parting must be clear."""
    return _examine_parting_first(x, state, found_set_first, a_pair_parted_clearly)


def a_pair_parted(update: Update, state: State) -> bool:
    """What theory asks for."""
    return bool(update.separated)


def a_pair_parted_clearly(update: Update, state: State) -> bool:
    """The same where no weak dependence is in sight.

    Two causes of one effect depend on each other given the effect, but weakly. With few rows such a pair may seem to
    part when a third cause is taken out, which would then be taken for the effect.
    """
    ask = state.ask.at_level("confirmation", max(CONFIRMATION_ALPHA, state.ask.alpha))
    return any(ask.independent(*question) for question in update.separated)


def force_with_confirmation(x: int, state: State) -> Removal:
    """Take out a variable that is not known to be removable, trusting nothing that would follow from that."""
    members = state.members(x)
    _, exactly = state.side.left_out(len(members))
    update = remove_and_separate(x, state.boundaries, state.ask["update"])
    neighbourhood = find_neighbours(x, members, exactly, found_set_first, state.ask["neighbourhood"])
    return Removal(x, neighbourhood, update)


# Whom to take out when nobody is removable.


def smallest_boundary(state: State) -> int:
    """The paper's fallback, which keeps recall at 1 on graphs with diamonds."""
    return min(state.boundaries, key=lambda x: (len(state.boundaries[x]), x))


def nearest_to_removable(state: State) -> int:
    """The variable with the smallest share of failing pairs; on data, mistakes made there cost least."""

    def key(x: int) -> tuple[float, int, int]:
        size = len(state.boundaries[x])  # boundaries only shrink, so the size says which boundary it is
        if (x, size) not in state.failing_shares:
            share = share_of_independent_pairs(x, state.members(x), state.ask["removability"])
            state.failing_shares[x, size] = share
        return state.failing_shares[x, size], size, x

    return min(state.boundaries, key=key)


VARIANTS = {
    "robust": Variant(
        likely_removable_and_not_postponed_first,
        examine_with_confirmation,
        once_if_it_has_co_parents,
        nearest_to_removable,
        force_with_confirmation,
    ),
    "paper": Variant(
        likely_removable_first, examine_with_fewest_questions, never, smallest_boundary, force_as_published
    ),
    "published": Variant(smallest_boundary_first, examine_as_published, never, smallest_boundary, force_as_published),
}

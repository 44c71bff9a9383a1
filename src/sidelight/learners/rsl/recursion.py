"""Algorithm 1 of the paper, as a loop: there is no recursion limit, and the deepest call is the last line."""

from __future__ import annotations

from sidelight.interview import LimitReached, SetTooLarge
from sidelight.learners.rsl.queue import Queue
from sidelight.learners.rsl.state import Removal, State
from sidelight.learners.rsl.variants import VARIANTS, Variant
from sidelight.learners.skeleton import Skeleton
from sidelight.learners.task import Task
from sidelight.side_information import SideInformation


def learn_skeleton(task: Task, side: SideInformation) -> Skeleton:
    """Return the skeleton and what separates its non-adjacent pairs, removing one variable at a time."""
    variant = VARIANTS[task.variant]
    state = State({x: set(members) for x, members in enumerate(task.boundaries)}, side, task.ask)
    queue = Queue(state.boundaries, lambda x: variant.priority(x, state))
    skeleton = Skeleton.without_edges(task.n_variables)
    skeleton.assumption, skeleton.counted_before = side, task.ask.counts()
    try:
        while state.boundaries:
            removal = _find_removable(queue, variant, state, skeleton)
            _record(removal, state, skeleton)
            _apply(removal, state, queue)
            task.tick()
    except LimitReached:
        skeleton.leave_adjacent(state.boundaries)
    return skeleton


def _find_removable(queue: Queue, variant: Variant, state: State, skeleton: Skeleton) -> Removal:
    """Algorithm 3; when nobody is removable, which a kept promise excludes, the fallback of Appendix B."""
    while (x := queue.pop()) is not None:
        skeleton.examinations[x] += 1
        removal = _within_limits(x, variant, state)
        if removal is None:
            continue
        if not variant.postpone(removal, state):
            return removal
        queue.add(x)
    if state.ask.limits.reached:
        raise LimitReached
    x = variant.last_resort(state)
    skeleton.fallbacks.append(x)
    return variant.force(x, state)


def _within_limits(x: int, variant: Variant, state: State) -> Removal | None:
    """What follows from taking x out; None when it is not removable, or when only larger sets would tell."""
    try:
        return variant.examine(x, state)
    except SetTooLarge:
        return None


def _record(removal: Removal, state: State, skeleton: Skeleton) -> None:
    """Lines 6, 9 and 10 of Algorithm 1: the edges of x, and what separates it from the others."""
    found = removal.neighbourhood
    skeleton.remove(removal.x, state.boundaries[removal.x], found.neighbours)
    skeleton.left_out.update(found.separated)
    skeleton.finish_step(removal.x, found.neighbours, found.left_out, state.ask.counts())


def _apply(removal: Removal, state: State, queue: Queue) -> None:
    """Line 7: x is gone, and whoever's boundary changed is worth examining again."""
    del state.boundaries[removal.x]
    queue.discard(removal.x)
    state.boundaries.update(removal.update.boundaries)
    state.postponed.difference_update(removal.update.boundaries)
    for y in removal.update.boundaries:
        queue.add(y)

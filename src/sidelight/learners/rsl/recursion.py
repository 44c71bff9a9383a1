"""Algorithm 1 of the paper, as a loop, with the queue of Appendix D; and Algorithm 5, without side information.

Beyond the paper, the re-test of edges for tests that lose their power.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from heapq import heappop, heappush

from sidelight.graphs.dag import cliques
from sidelight.graphs.separating_sets import Skeleton
from sidelight.interview import Interview, LimitReached, SetTooLarge
from sidelight.learners.rsl.variants import VARIANTS, Removal, Variant
from sidelight.learners.task import Task
from sidelight.side_information import CliqueNumber, SideInformation

Priority = tuple[int, ...]


def learn(task: Task) -> Skeleton:
    """RSL with the side information, or Algorithm 5 if there is none; then the re-test of edges where it helps."""
    skeleton = learn_without_side_information(task) if task.side is None else learn_skeleton(task, task.side)
    if task.loses_power and task.variant == "robust" and not task.ask.limits.reached:
        with suppress(LimitReached):  # the edges as they are so far
            retest_edges(skeleton, task.ask["retest"])
    return skeleton


def learn_without_side_information(task: Task) -> Skeleton:
    """Algorithm 5: raise the bound until the result keeps it; the skeleton's ``assumption`` is that bound.

    A result never misses an edge, so its clique number is at least the true one; the first result whose clique number
    is within the bound is the true structure (the paper's Proposition 4).
    """
    # A boundary with a member means an edge, so the bound 1 need not be tried.
    m = 2 if any(task.boundaries) else 1
    while True:
        skeleton = learn_skeleton(task, CliqueNumber(m))
        if task.ask.limits.reached or next(cliques(skeleton.adjacency, m + 1), None) is None:
            return skeleton
        m += 1


def learn_skeleton(task: Task, side: SideInformation) -> Skeleton:
    """Algorithm 1: the skeleton and what separates its non-adjacent pairs, removing one variable at a time.

    Where knowledge gives an order of blocks, the last block is removed first: without it, the rest is a Bayesian
    network of its own, whose boundaries were found without it.
    """
    skeleton = Skeleton.without_edges(len(task.boundaries))
    skeleton.assumption, skeleton.counted_before = side, task.ask.counts()
    for block in reversed(task.order or [range(len(task.boundaries))]):
        boundaries = {x: set(task.boundaries[x]) for x in block}
        run = VARIANTS[task.variant](boundaries, side, task.ask, task.known)
        try:
            if "max_tests" in task.ask.limits.reached:
                raise LimitReached
            _remove_all(run, skeleton, task)
        except LimitReached:
            skeleton.leave_adjacent(run.boundaries)
    return skeleton


def _remove_all(run: Variant, skeleton: Skeleton, task: Task) -> None:
    queue = Queue(run.boundaries, run.priority)
    while run.boundaries:
        removal = _find_removable(queue, run, skeleton)
        _record(removal, run, skeleton)
        _go_on_without(removal, run, queue)
        task.tick()


def _find_removable(queue: Queue, run: Variant, skeleton: Skeleton) -> Removal:
    """Algorithm 3; when no variable is removable, which a true assumption excludes, the fallback of Appendix B."""
    while (x := queue.pop()) is not None:
        skeleton.examinations[x] += 1
        removal = _within_limits(x, run)
        if removal is None:
            continue
        if not run.should_wait(removal):
            return removal
        run.postponed.add(x)
        queue.add(x)
    if run.ask.limits.reached:
        raise LimitReached
    x = run.fallback()
    skeleton.fallbacks.append(x)
    return run.remove_anyway(x)


def _within_limits(x: int, run: Variant) -> Removal | None:
    """What follows from removing x; None when it is not removable, or when only larger sets would show it."""
    try:
        return run.examine(x)
    except SetTooLarge:
        return None


def _record(removal: Removal, run: Variant, skeleton: Skeleton) -> None:
    """Lines 6, 9 and 10 of Algorithm 1: the edges of x, and what separates it from the others."""
    found = removal.neighbourhood
    skeleton.remove(removal.x, run.boundaries[removal.x], found.neighbours)
    skeleton.left_out.update(found.separated)
    skeleton.finish_step(removal.x, found.neighbours, found.left_out, run.ask.counts())


def _go_on_without(removal: Removal, run: Variant, queue: Queue) -> None:
    """Line 7: x is removed, and variables whose boundary changed are worth examining again."""
    run.apply(removal)
    queue.discard(removal.x)
    for y in removal.update.boundaries:
        queue.add(y)


class Queue:
    """Variables whose boundary changed since they were last examined, best first (the flags of Appendix D).

    Priorities change while variables wait. A priority that has become better comes with a new ``add``; one that has
    become worse is noticed when the variable reaches the top.
    """

    def __init__(self, variables: Iterable[int], priority: Callable[[int], Priority]) -> None:
        self._priority = priority
        self._waiting: dict[int, Priority] = {}
        self._heap: list[tuple[Priority, int]] = []
        for x in variables:
            self.add(x)

    def add(self, x: int) -> None:
        """Flag x as worth examining."""
        self._waiting[x] = priority = self._priority(x)
        heappush(self._heap, (priority, x))

    def discard(self, x: int) -> None:
        """x was removed."""
        self._waiting.pop(x, None)

    def pop(self) -> int | None:
        """Take the best variable out, or None when none is waiting."""
        while self._heap:
            priority, x = heappop(self._heap)
            if self._waiting.get(x) != priority:
                continue  # removed, examined, or added again with another priority
            if self._priority(x) != priority:
                self.add(x)
                continue
            del self._waiting[x]
            return x
        return None


# The re-test of edges, for tests that lose their power as the conditioning set grows. RSL conditions on nearly a whole
# boundary. Where strata are thin, such a test may find a dependence that no test with a small set finds, or miss one
# that they show. So every edge x — y is also tested with the smallest sets:
#
# * x and y are independent given the empty set: the edge is removed.
# * x and y are independent given one neighbour z of either: the edge is removed, unless x and z are independent given
#   y, or y and z given x. Then the data cannot distinguish the two, and nothing is concluded.
# * If the edge was removed because of z, and the separating set of x and z has y in it, that set rests on a neighbour
#   of x that is none: x and z are tested again without y.
#
# With true answers none of this ever happens: nothing separates neighbours.


def retest_edges(skeleton: Skeleton, ask: Interview) -> None:
    """Remove edges that small conditioning sets refute, and add those that were missed because of them."""
    separating_set = skeleton.separating_sets(range(len(skeleton.adjacency))).between
    refuted = {
        (x, y): found for x, y in skeleton.edges() if (found := _refutation(x, y, skeleton.adjacency, ask)) is not None
    }
    misled = [
        (first, z, sorted(separating_set(first, z) - {other}))
        for (x, y), found in refuted.items()
        for z in found
        for first, other in ((x, y), (y, x))
        if z not in skeleton.adjacency[first] and other in separating_set(first, z)
    ]
    for (x, y), found in refuted.items():
        skeleton.separate(x, y, found)
    for x, z, rest in misled:
        if len(rest) > ask.limits.largest_set or ask.independent(x, z, rest):
            continue
        if _refutation(x, z, skeleton.adjacency, ask) is None:
            skeleton.add_edge(x, z)


def _refutation(x: int, y: int, adjacency: Sequence[set[int]], ask: Interview) -> tuple[int, ...] | None:
    """What separates x and y: the empty set or one neighbour of either; None if neither does."""
    if ask.independent(x, y, ()):
        return ()
    if ask.limits.largest_set < 1:
        return None
    for z in sorted((adjacency[x] | adjacency[y]) - {x, y}):
        if ask.independent(x, y, (z,)) and not ask.independent(x, z, (y,)) and not ask.independent(y, z, (x,)):
            return (z,)
    return None

"""CS, the collider sets (Pellet & Elisseeff 2008): what separates a pair must leave out its common children.

Two variables in each other's boundary that share no third member are neighbours. Else the common members may be common
children: some of them are left out of the conditioning set, and with them their descendants, which are reached from
them in the graph of boundaries.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import combinations

from sidelight.graphs.separating_sets import Skeleton
from sidelight.interview import Interview, LimitReached
from sidelight.learners.task import Task


def learn(task: Task) -> Skeleton:
    """Pair after pair; the graph of boundaries stays as it is meanwhile."""
    skeleton, ask = task.skeleton_of_boundaries(), task.ask["collider sets"]
    with suppress(LimitReached):
        for x, y in task.pairs():
            found = _separating_set(x, y, task.boundaries, ask)
            if found is not None:
                skeleton.separate(x, y, found)
            task.tick()
    return skeleton


def _separating_set(x: int, y: int, boundaries: Sequence[set[int]], ask: Interview) -> frozenset[int] | None:
    common = boundaries[x] & boundaries[y]
    base = min(boundaries[x] - common - {y}, boundaries[y] - common - {x}, key=len)
    for size in range(len(common)):
        for kept in map(set, combinations(sorted(common), size)):
            found = ask.separating_set(x, y, (), base | kept)
            if found is None:
                descendants = base & _reached(common - kept, boundaries, {x, y})
                found = ask.separating_set(x, y, descendants, (base - descendants) | kept, 0, len(descendants) - 1)
            if found is not None:
                return found
    return None


def _reached(start: Iterable[int], boundaries: Sequence[set[int]], barred: set[int]) -> set[int]:
    """What can be reached in the graph of boundaries without passing the barred variables."""
    reached = set(start)
    waiting = list(reached)
    while waiting:
        new = boundaries[waiting.pop()] - reached - barred
        reached |= new
        waiting.extend(new)
    return reached

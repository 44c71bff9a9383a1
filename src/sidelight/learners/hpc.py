"""HPC, hybrid parents and children (de Morais & Aussem 2010; Gasse, Aussem & Elghazel 2014), for many variables.

For every variable x three weak searches with small conditioning sets are combined:

* a superset of its parents and children: variables that neither the empty set nor any single variable separates from x;
* a superset of its spouses: variables that depend on x given what separated the two and one of the former;
* among both supersets, inter-IAMB and then a search of subsets find the parents and children.

A member of the first superset that x's search misses is put back when its own search finds x. Inter-IAMB makes
many tests, of which each wrong one adds a member, so it uses the significance level for boundaries.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress

from sidelight.boundaries.growing import grow_and_shrink_by_turns
from sidelight.families.subset_search import Searches
from sidelight.graphs.dag import AdjacencyArrays
from sidelight.graphs.separating_sets import Skeleton, ordered
from sidelight.interview import Interview, LimitReached, SetTooLarge
from sidelight.learners.pc_stable import separate_by_order
from sidelight.learners.task import Task


def learn(task: Task) -> Skeleton:
    """An edge remains unless the searches from both ends refute it."""
    skeleton = separate_by_order(task, largest=1)
    with suppress(LimitReached):
        boundaries = [_boundary(x, skeleton, task) for x in range(task.n_variables)]
        for x, y in skeleton.edges():
            found = _refutation(x, y, boundaries, task)
            if found is not None:
                skeleton.separate(x, y, found)
    return skeleton


def _boundary(x: int, skeleton: Skeleton, task: Task) -> frozenset[int] | None:
    """The boundary of x among the two supersets; None if it cannot be found within the user's limit."""
    ask = task.ask.at_alpha("boundary", task.boundary_alpha)
    try:
        candidates = skeleton.adjacency[x] | _spouses(x, skeleton, task.ask["spouses"])
        boundary = grow_and_shrink_by_turns(x, sorted(candidates), ask)
    except SetTooLarge:
        return None
    task.tick()
    return frozenset(boundary)


def _refutation(x: int, y: int, boundaries: Sequence[frozenset[int] | None], task: Task) -> frozenset[int] | None:
    """What separates x and y, if both ends find something; the smaller boundary has fewer subsets, and goes first."""
    first, second = boundaries[x], boundaries[y]
    if first is None or second is None:
        return None
    sides = sorted([(first, y), (second, x)], key=lambda side: len(side[0]))
    found: frozenset[int] | None = None
    for boundary, other in sides:
        found = boundary
        if other in boundary:
            found = task.ask["neighbourhood"].separating_set(x, y, boundary - {other})
        if found is None:
            return None
    return found


def _spouses(x: int, skeleton: Skeleton, ask: Interview) -> set[int]:
    """The variables that may have a common child with x."""
    far = sorted(set(range(len(skeleton.adjacency))) - skeleton.adjacency[x] - {x})
    separating = {z: skeleton.explicit_sets.get(ordered(x, z), frozenset()) for z in far}
    spouses: set[int] = set()
    for child in sorted(skeleton.adjacency[x]):
        through = [z for z in far if child not in separating[z]]
        through = _never_separated(x, through, [separating[z] | {child} for z in through], (), 0, ask)
        spouses.update(_never_separated(x, through, [{child}] * len(through), through, 1, ask))
    return spouses


def _never_separated(
    x: int, others: list[int], bases: Sequence[Collection[int]], pool: Sequence[int], size: int, ask: Interview
) -> list[int]:
    """The others that depend on x given their base and any ``size`` of the pool."""
    if not others:
        return []
    pairs, pools = [(x, z) for z in others], AdjacencyArrays.of([pool])
    searches = Searches.many(pairs, [0] * len(pairs), pools, size, size).with_bases(bases)
    found = ask.search(searches)
    if found.cut:
        raise LimitReached
    return [z for z, n_chosen in zip(others, found.n_chosen, strict=True) if n_chosen < 0]

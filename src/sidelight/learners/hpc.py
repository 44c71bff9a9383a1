"""HPC, hybrid parents and children (de Morais & Aussem 2010; Gasse, Aussem & Elghazel 2014), for many variables.

For every variable x three weak searches with small conditioning sets are combined:

* a superset of its parents and children: who is separated from x neither by nothing nor by one of the others;
* a superset of its spouses: who depends on x given what separated the two and one of the former;
* among both supersets, inter-IAMB and then a search of subsets find the parents and children.

A member of the first superset that x's search misses is put back when its own search finds x.
"""

from __future__ import annotations

from sidelight.boundaries.iamb import grow_and_shrink_by_turns
from sidelight.interview import Interview, LimitReached, SetTooLarge
from sidelight.learners.pc_stable import part_by_levels
from sidelight.learners.skeleton import Skeleton
from sidelight.learners.task import Task
from sidelight.separating_sets import ordered


def learn(task: Task) -> Skeleton:
    """An edge remains unless the searches from both ends refute it."""
    skeleton = part_by_levels(task, largest=1)
    try:
        refuted = [_refuted(x, skeleton, task) for x in range(task.n_variables)]
    except LimitReached:
        return skeleton
    for x, y in skeleton.edges():
        if y in refuted[x] and x in refuted[y]:
            skeleton.part(x, y, refuted[x][y])
    return skeleton


def _refuted(x: int, skeleton: Skeleton, task: Task) -> dict[int, frozenset[int]]:
    """The members of x's first superset that turn out not to be parents or children, with what separates them."""
    near = skeleton.adjacency[x]
    try:
        candidates = near | _spouses(x, skeleton, task.ask["spouses"])
        boundary = grow_and_shrink_by_turns(x, sorted(candidates), task.ask["boundary"])
    except SetTooLarge:  # not to be decided within the user's limit
        return {}
    apart = {y: frozenset(boundary) for y in near.difference(boundary)}
    for y in near.intersection(boundary):
        found = task.ask["neighbourhood"].separating_set(x, y, set(boundary) - {y})
        if found is not None:
            apart[y] = found
    task.tick()
    return apart


def _spouses(x: int, skeleton: Skeleton, ask: Interview) -> set[int]:
    """Who may have a common child with x."""
    far = set(range(len(skeleton.adjacency))) - skeleton.adjacency[x] - {x}
    apart = {z: skeleton.found_otherwise.get(ordered(x, z), frozenset()) for z in sorted(far)}
    spouses: set[int] = set()
    for child in sorted(skeleton.adjacency[x]):
        through = [
            z for z, between in apart.items() if child not in between and not ask.independent(x, z, [*between, child])
        ]
        spouses.update(
            z for z in through if all(not ask.independent(x, z, [child, other]) for other in through if other != z)
        )
    return spouses

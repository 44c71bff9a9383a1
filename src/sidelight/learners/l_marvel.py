"""L-MARVEL (Akbari, Mokhtarian, Ghassami & Kiyavash 2021): remove removable variables, where causes may be hidden.

x is removable from a MAG when for each neighbour y and each z of its boundary some set without x separates y and z, or
no set with x does; sets within the boundary of x are enough. y is a neighbour of x when no set within its boundary
separates them. What was found about a pair is remembered across rounds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations

from sidelight.graphs.separating_sets import Pair, Skeleton, ordered
from sidelight.interview import Interview, LimitReached, Phases, SetTooLarge
from sidelight.learners.task import Task

Boundaries = dict[int, set[int]]


@dataclass
class KnownPairs:
    """What is known about pairs of variables. Boundaries only shrink, so that what no subset does, none ever will."""

    neighbours: set[Pair] = field(default_factory=set)
    separated: dict[Pair, frozenset[int]] = field(default_factory=dict)
    inseparable: set[tuple[int, Pair]] = field(default_factory=set)  # by no set in the boundary of the first, with it
    examined: set[int] = field(default_factory=set)  # not removable with the boundaries that they have


def learn(task: Task) -> Skeleton:
    """Remove the first removable variable, by boundary size, until none is left."""
    boundaries: Boundaries = {x: set(members) for x, members in enumerate(task.boundaries)}
    memory, skeleton = KnownPairs(), Skeleton.without_edges(task.n_variables)
    try:
        while boundaries:
            x = _first_removable(boundaries, memory, skeleton, task.ask)
            neighbours = _neighbours(x, boundaries[x], memory, task.ask["neighbourhood"])
            skeleton.remove(x, boundaries[x], neighbours)
            for y in boundaries[x] - set(neighbours):
                skeleton.note(x, y, memory.separated[ordered(x, y)])
            _remove(x, boundaries, memory, task.ask["update"])
            skeleton.finish_step(x, neighbours, None, task.ask.counts())
            task.tick()
    except (LimitReached, SetTooLarge):
        skeleton.leave_adjacent(boundaries, memory.separated)
    return skeleton


def _first_removable(boundaries: Boundaries, memory: KnownPairs, skeleton: Skeleton, ask: Phases) -> int:
    """By boundary size; if none is removable, which true answers exclude, the one with the smallest boundary."""
    by_size = sorted(boundaries, key=lambda x: (len(boundaries[x]), x))
    for x in by_size:
        if x in memory.examined:
            continue
        try:
            if _is_removable(x, boundaries[x], memory, ask):
                return x
        except SetTooLarge:
            pass
        memory.examined.add(x)
    if ask.limits.reached:
        raise LimitReached
    skeleton.fallbacks.append(by_size[0])
    return by_size[0]


def _is_removable(x: int, boundary: set[int], memory: KnownPairs, ask: Phases) -> bool:
    """Are all separations between a neighbour and another member the same without x?"""
    neighbours = _neighbours(x, boundary, memory, ask["neighbourhood"])
    others = [z for z in sorted(boundary) if z not in neighbours]
    pairs = [*combinations(neighbours, 2), *(ordered(y, z) for y in neighbours for z in others)]
    return all(_does_without(x, pair, boundary, memory, ask["removability"]) for pair in pairs)


def _does_without(x: int, pair: Pair, boundary: set[int], memory: KnownPairs, ask: Interview) -> bool:
    """Does some set without x separate the pair, or none with x?"""
    if pair in memory.neighbours or (x, pair) in memory.inseparable:
        return True
    pool, known = boundary.difference(pair), memory.separated.get(pair)
    if known is not None and known <= pool:
        return True
    found = _separating_set(ask, *pair, pool)
    if found is not None:
        memory.separated[pair] = found
        return True
    if known is not None and known <= pool | {x}:
        return False
    found = _separating_set(ask, *pair, pool, [x])
    if found is not None:
        memory.separated[pair] = found
        return False
    memory.inseparable.add((x, pair))
    return True


def _neighbours(x: int, boundary: set[int], memory: KnownPairs, ask: Interview) -> list[int]:
    """The members that no subset of the others separates from x."""
    for y in sorted(boundary):
        pair = ordered(x, y)
        if pair in memory.neighbours or pair in memory.separated:
            continue
        found = _separating_set(ask, x, y, boundary - {y})
        if found is None:
            memory.neighbours.add(pair)
        else:
            memory.separated[pair] = found
    return [y for y in sorted(boundary) if ordered(x, y) in memory.neighbours]


def _separating_set(ask: Interview, x: int, y: int, pool: set[int], base: Iterable[int] = ()) -> frozenset[int] | None:
    """The first set that separates x and y; when only sets beyond the user's limit are left to try, that is raised."""
    found = ask.separating_set(x, y, pool, base)
    if found is None and len(pool) + len([*base]) > ask.limits.largest_set:
        raise SetTooLarge
    return found


def _remove(x: int, boundaries: Boundaries, memory: KnownPairs, ask: Interview) -> None:
    """Remove x; two members of its boundary leave each other's if x was on each path of colliders between them."""
    members = boundaries.pop(x)
    for y in members:
        boundaries[y].discard(x)
    memory.examined -= members
    for y, z in combinations(sorted(members), 2):
        if z not in boundaries[y] or (y, z) in memory.neighbours:
            continue
        given = min(boundaries[y] - {z}, boundaries[z] - {y}, key=len)
        # A pair that cannot be tested within the user's limit stays: a boundary with too many members still separates.
        if ask.limits.allow_size(len(given)) and ask.independent(y, z, sorted(given)):
            boundaries[y].discard(z)
            boundaries[z].discard(y)
            memory.separated.setdefault((y, z), frozenset(given))

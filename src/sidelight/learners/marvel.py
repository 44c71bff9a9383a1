"""MARVEL (Mokhtarian, Akbari, Ghassami & Kiyavash 2021): remove removable variables, without side information.

A variable is removable when (1) any two of its neighbours stay dependent given it and any subset of its boundary, and
(2) for each of its v-structures x → y ← t every other neighbour stays dependent on t given x, y and any subset of the
boundary. What has been found about a pair is remembered across rounds: that they are neighbours, what separates them,
that x and its boundary cannot separate them, and the arrows of v-structures.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from itertools import combinations

from sidelight.families.subset_search import NO_LIMIT
from sidelight.graphs.separating_sets import Pair, Skeleton, ordered
from sidelight.interview import Interview, LimitReached, Phases, SetTooLarge
from sidelight.learners.task import Task

Boundaries = dict[int, set[int]]


@dataclass
class Memory:
    """What is known about pairs of variables."""

    neighbours: set[Pair] = field(default_factory=set)
    separated: dict[Pair, frozenset[int]] = field(default_factory=dict)
    inseparable: set[tuple[int, Pair]] = field(default_factory=set)  # by the variable and its boundary
    arrows: set[Pair] = field(default_factory=set)  # from, to

    def separate(self, x: int, y: int, separating_set: Iterable[int]) -> None:
        """x and y are not adjacent: this set separates them."""
        self.separated[ordered(x, y)] = frozenset(separating_set)


@dataclass(frozen=True)
class Surroundings:
    """What was found around a variable: its neighbours and its v-structures, as (child, co-parent)."""

    neighbours: list[int]
    v_structures: list[Pair]


def learn(task: Task) -> Skeleton:
    """Remove the first removable variable, by boundary size, until none is left."""
    boundaries: Boundaries = {x: set(members) for x, members in enumerate(task.boundaries)}
    memory, skeleton = Memory(), Skeleton.without_edges(task.n_variables)
    try:
        while boundaries:
            x, around = _first_removable(boundaries, memory, skeleton, task.ask)
            skeleton.remove(x, boundaries[x], around.neighbours)
            for y in boundaries[x] - set(around.neighbours):
                skeleton.note(x, y, memory.separated[ordered(x, y)])
            _remove(x, around, boundaries, memory, task.ask)
            skeleton.finish_step(x, around.neighbours, None, task.ask.counts())
            task.tick()
    except LimitReached:
        skeleton.leave_adjacent(boundaries, memory.separated)
    return skeleton


def _first_removable(
    boundaries: Boundaries, memory: Memory, skeleton: Skeleton, ask: Phases
) -> tuple[int, Surroundings]:
    """By boundary size; if none is removable, which true answers exclude, the one with the smallest boundary."""
    by_size = sorted(boundaries, key=lambda x: (len(boundaries[x]), x))
    for x in by_size:
        try:
            around = _examine(x, boundaries[x], memory, ask)
        except SetTooLarge:
            continue
        if around is not None:
            return x, around
    if ask.limits.reached:
        raise LimitReached
    skeleton.fallbacks.append(by_size[0])
    return by_size[0], Surroundings(_neighbours(by_size[0], boundaries[by_size[0]], memory, ask), [])


def _examine(x: int, boundary: set[int], memory: Memory, ask: Phases) -> Surroundings | None:
    """The surroundings of x if it is removable."""
    neighbours = _neighbours(x, boundary, memory, ask)
    for pair in combinations(neighbours, 2):
        if not _inseparable(x, pair, boundary, memory, ask):
            return None
    v_structures = _v_structures(x, neighbours, boundary, memory, ask)
    if not _condition_on_v_structures(x, neighbours, v_structures, boundary, memory, ask):
        return None
    return Surroundings(neighbours, v_structures)


def _neighbours(x: int, boundary: set[int], memory: Memory, ask: Phases) -> list[int]:
    """The members that no proper subset of the others separates from x; given all others a member always depends."""
    found = []
    for y in sorted(boundary):
        pair, others = ordered(x, y), boundary - {y}
        separated = pair in memory.separated and memory.separated[pair] <= boundary
        if pair not in memory.neighbours and not separated:
            separating_set = _separating_set(ask["neighbourhood"], x, y, others, (), len(others) - 1)
            if separating_set is None:
                memory.neighbours.add(pair)
            else:
                memory.separate(x, y, separating_set)
        if pair in memory.neighbours:
            found.append(y)
    return found


def _separating_set(
    ask: Interview, x: int, y: int, pool: Collection[int], base: Collection[int], largest: int = NO_LIMIT
) -> frozenset[int] | None:
    """The first set that separates x and y; when only sets beyond the user's limit are left to try, that is raised."""
    found = ask.separating_set(x, y, pool, base, largest=largest)
    if found is None and len(base) + min(len(pool), largest) > ask.limits.largest_set:
        raise SetTooLarge
    return found


def _inseparable(x: int, pair: Pair, boundary: set[int], memory: Memory, ask: Phases) -> bool:
    """Condition 1 for one pair of neighbours."""
    if pair in memory.neighbours or (x, pair) in memory.inseparable:
        return True
    separating_set = _separating_set(ask["condition 1"], *pair, boundary - set(pair), [x])
    if separating_set is not None:
        memory.separate(*pair, separating_set)
        return False
    memory.inseparable.add((x, pair))
    return True


def _v_structures(x: int, neighbours: list[int], boundary: set[int], memory: Memory, ask: Phases) -> list[Pair]:
    """All x → child ← co-parent."""
    co_parents = sorted(boundary - set(neighbours))
    if len(neighbours) == 1:  # the only one through which the co-parents can be in the boundary
        memory.neighbours.update(ordered(neighbours[0], t) for t in co_parents)
        return [(neighbours[0], t) for t in co_parents]
    return [
        (y, t)
        for y in neighbours
        if (y, x) not in memory.arrows
        for t in co_parents
        if (y, t) not in memory.arrows and _is_child_of_both(y, x, t, boundary, memory, ask)
    ]


def _is_child_of_both(y: int, x: int, t: int, boundary: set[int], memory: Memory, ask: Phases) -> bool:
    """Is y a neighbour of x's co-parent t too, and not what separates them?"""
    separates, pair = memory.separated[ordered(x, t)], ordered(y, t)
    if y in separates:
        return False
    if pair not in memory.neighbours and (x, pair) not in memory.inseparable:
        if pair in memory.separated:
            return False
        interview = ask["v-structures"]
        found = _separating_set(interview, y, t, (), separates)
        if found is None:
            found = _separating_set(interview, y, t, boundary - {y, t}, [x])
        if found is not None:
            memory.separate(y, t, found)
            return False
    memory.inseparable.add((x, pair))
    memory.neighbours.add(pair)
    return True


def _condition_on_v_structures(
    x: int, neighbours: list[int], v_structures: list[Pair], boundary: set[int], memory: Memory, ask: Phases
) -> bool:
    """Condition 2: no other neighbour is separated from the co-parent given x, the child and some of the boundary."""
    useless: dict[Pair, set[int]] = {}  # children that are in no separating set of the pair
    for y, t in v_structures:
        for w in neighbours:
            pair = ordered(w, t)
            if w == y or pair in memory.neighbours or (x, pair) in memory.inseparable:
                continue
            if {x, y} <= memory.separated.get(pair, frozenset()):
                return False
            pool = boundary - {t, y, w} - useless.setdefault(pair, set())
            found = _separating_set(ask["condition 2"], w, t, pool, [x, y])
            if found is not None:
                memory.separate(w, t, found)
                return False
            useless[pair].add(y)
    return True


def _remove(x: int, around: Surroundings, boundaries: Boundaries, memory: Memory, ask: Phases) -> None:
    """Remove x; unless it has a child, its neighbours leave each other's boundary if x was their only common child."""
    for y, t in around.v_structures:
        memory.arrows.update({(x, y), (t, y)})
    for y in boundaries.pop(x):
        boundaries[y].discard(x)
    if any((x, y) in memory.arrows for y in boundaries):
        return
    for y, z in combinations(around.neighbours, 2):
        if (y, z) in memory.neighbours:
            continue
        given = min(boundaries[y] - {z}, boundaries[z] - {y}, key=len)
        # A pair that cannot be tested within the user's limit stays: a boundary with too many members still separates.
        if not ask.limits.allow_size(len(given)) or z not in boundaries[y]:
            continue
        if ask["update"].independent(y, z, sorted(given)):
            boundaries[y].discard(z)
            boundaries[z].discard(y)
            memory.separate(y, z, given)

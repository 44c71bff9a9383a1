"""What RSL tests about one variable x: is it removable, which members of Mb(x) are neighbours, what changes without it.

FindRemovable's condition (Lemmas 1 and 3 of the paper), FindNeighbors (Lemmas 2 and 4) and UpdateMb (Algorithm 2).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sidelight.graphs.separating_sets import Pair, ordered
from sidelight.interview import AnswerTable, Interview, Pairs, pairs_with_first, pairs_without_first

Boundaries = dict[int, set[int]]
LeftOut = tuple[int, ...]
Children = list[int] | None  # the members that may be children of x; None if nothing is known
Choices = Callable[[int, list[int], int, LeftOut | None], Iterable[LeftOut]]


# FindRemovable's condition: no pair within {x} ∪ Mb(x) is independent given the rest, leaving out few enough members.


def boundary_is_clique(x: int, boundaries: Boundaries) -> bool:
    """True when any two members of Mb(x) are in each other's boundary.

    Needed, at no cost in tests, for the condition below to hold: by the paper's limb lemma all of Mb(x) are parents
    of one variable or that variable itself.
    """
    members = boundaries[x]
    return all(len(members - boundaries[y]) == 1 for y in members if y in boundaries)  # y itself is missing


def every_pair_depends(x: int, members: list[int], ask: Interview, children: Children = None) -> bool:
    """True when any two members depend on each other given x and all the other members.

    The proofs use pairs with a child of x only, and leave out its children only; so where children are known to be
    among some, other pairs are not tested (docs/decisions/0017).
    """
    return not ask.any_independent([x, *members], _with_a_child(members, children))


def every_pair_depends_leaving_out(
    x: int, members: list[int], size: int, ask: Interview, children: Children = None
) -> bool:
    """True when, with any ``size`` ≥ 1 members left out, all pairs of the rest and x still depend on each other.

    The pairs with x come first: they are fewer, and fail more often.
    """
    within, with_x = [x, *members], pairs_with_first(len(members) + 1 - size)
    possible = members if children is None else children
    return not any(
        ask.any_independent(within, with_x if first else _with_a_child(members, children, left_out), left_out)
        for first in (True, False)
        for left_out in combinations(possible, size)
    )


def _with_a_child(members: list[int], children: Children, left_out: LeftOut = ()) -> Pairs:
    """The pairs of members that are not left out, as positions after x, of which one may be its child."""
    pairs = pairs_without_first(len(members) + 1 - len(left_out))
    if children is None:
        return pairs
    may_be = np.array([False, *(y in children for y in members if y not in left_out)])
    return pairs[:, may_be[pairs].any(axis=0)]


def meets_equation_3(x: int, members: list[int], at_most: int, ask: Interview, children: Children = None) -> bool:
    """Equation 3 (and 5) of the paper, test by test: pair after pair, with 0, 1, … members left out."""
    possible = set(members if children is None else children)
    for size in range(at_most + 1):
        for y, z in combinations([*members, x], 2):
            if z == x and size == 0:
                continue  # every member of a boundary depends on x given all the others
            if z != x and not possible & {y, z}:
                continue  # as known, neither is a child of x
            others = [v for v in [x, *members] if v not in (y, z)]
            for left_out in combinations([v for v in others if v in possible], size):
                if ask.independent(y, z, [v for v in others if v not in left_out]):
                    return False
    return True


def share_of_independent_pairs(x: int, members: list[int], ask: Interview) -> float:
    """How far x is from being removable: the share of its members' pairs that are independent given the rest."""
    pairs = pairs_without_first(len(members) + 1)
    return ask.n_independent([x, *members], pairs) / pairs.shape[1] if len(members) > 1 else 0.0


# FindNeighbors: a member y that is no neighbour is independent of x given the rest of the boundary without some set S
# of fixed size. By the proofs S holds the common children of x and y and is the same for all such y
# (docs/decisions/0003), so once found it may settle the others.


@dataclass(frozen=True)
class Neighbourhood:
    """The neighbours of a variable, and for the rest of its boundary the members left out of the separating set.

    ``left_out`` is how many members were left out at a time.
    """

    neighbours: list[int]
    separated: dict[Pair, LeftOut]
    left_out: int


def every_set(y: int, members: list[int], size: int, found: LeftOut | None) -> Iterable[LeftOut]:
    """All sets of ``size`` members to leave out, in lexicographic order."""
    return combinations([z for z in members if z != y], size) if size > 0 else ()


def found_set_only(y: int, members: list[int], size: int, found: LeftOut | None) -> Iterable[LeftOut]:
    """Once a set has separated an earlier member, that set alone; its own members are children of x."""
    if found is None:
        return every_set(y, members, size, found)
    return () if y in found else (found,)


def found_set_first(y: int, members: list[int], size: int, found: LeftOut | None) -> Iterable[LeftOut]:
    """Nothing left out, to confirm that y belongs to the boundary; then the set found before; then all others."""
    yield ()
    if found is not None and y not in found:
        yield found
    yield from (left_out for left_out in every_set(y, members, size, found) if left_out != found)


def find_neighbours(x: int, members: list[int], size: int, choices: Choices, ask: Interview) -> Neighbourhood:
    """Distinguish the neighbours of x from its co-parents, leaving out ``size`` members at a time."""
    within, answers = [x, *members], dict[LeftOut, AnswerTable]()
    neighbours: list[int] = []
    separated: dict[Pair, LeftOut] = {}
    found: LeftOut | None = None
    for y in members:
        for left_out in choices(y, members, size, found):
            if left_out not in answers:
                answers[left_out] = ask.table(within, left_out)
            if answers[left_out].independent(x, y):
                found = left_out or found
                separated[ordered(x, y)] = left_out
                break
        else:
            neighbours.append(y)
    return Neighbourhood(neighbours, separated, size)


# UpdateMb: x leaves every boundary. Two members of Mb(x) leave each other's boundary when x was their only common
# child: when they are independent given the smaller of their boundaries without x.


@dataclass(frozen=True)
class Update:
    """The boundaries of x's members without x; and which pairs left each other's boundary, as (y, z, given)."""

    boundaries: Boundaries
    separated: list[tuple[int, int, list[int]]]


def remove_only(x: int, boundaries: Boundaries) -> Update:
    """Lines 2–4: only x leaves."""
    return Update({y: boundaries[y] - {x} for y in boundaries[x] if y in boundaries}, separated=[])


def remove_and_separate(
    x: int, boundaries: Boundaries, ask: Interview, may_be_causes: Collection[int] | None = None
) -> Update:
    """Lines 2–9: x leaves, and pairs of its members that have no other common child leave each other's boundary.

    With knowledge, only pairs that may be causes of x can have it as their common child. Variables of earlier blocks
    have no boundaries here: theirs are found later, without x.
    """
    remaining, separated = remove_only(x, boundaries).boundaries, []
    members = sorted(boundaries[x] if may_be_causes is None else boundaries[x].intersection(may_be_causes))
    for y, z in combinations(members, 2):
        both = [remaining[a] for a in (y, z) if a in remaining]
        if not both or (y in remaining and z not in both[0]) or (z in remaining and y not in both[-1]):
            continue
        given = sorted(min(both, key=len) - {y, z})
        if ask.independent(y, z, given):
            for boundary in both:
                boundary -= {y, z}
            separated.append((y, z, given))
    return Update(remaining, separated)

"""UpdateMb (Algorithm 2): the boundaries once x is gone.

x leaves every boundary. Two members of Mb(x) leave each other's boundary when x was their only common child: when
they are independent given the smaller of their boundaries without x.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from sidelight.graphs.separating_sets import Pair
from sidelight.interview import Interview
from sidelight.learners.rsl.state import Boundaries, Question, Update


def take_out(x: int, boundaries: Boundaries) -> Update:
    """Lines 2–4: only x leaves."""
    return Update({y: boundaries[y] - {x} for y in boundaries[x]}, parted=[])


def take_out_and_part(x: int, boundaries: Boundaries, ask: Interview) -> Update:
    """Lines 2–9: x leaves, and so do pairs of its members that have no other common child."""
    remaining = take_out(x, boundaries).boundaries
    parted: list[Question] = []
    for y, z in _pairs_in_touch(sorted(boundaries[x]), remaining):
        given = min(remaining[y] - {z}, remaining[z] - {y}, key=len)
        if ask.independent(y, z, sorted(given)):
            remaining[y].discard(z)
            remaining[z].discard(y)
            parted.append((y, z, sorted(given)))
    return Update(remaining, parted)


def _pairs_in_touch(members: list[int], boundaries: Boundaries) -> Iterable[Pair]:
    return ((y, z) for y, z in combinations(members, 2) if z in boundaries[y])

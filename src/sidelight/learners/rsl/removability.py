"""FindRemovable's condition: does any pair within {x} ∪ Mb(x) separate, leaving out few enough members?

Lemma 1 (bounded clique number) and Lemma 3 (diamond-free) of the paper.
"""

from __future__ import annotations

from itertools import combinations

from sidelight.interview import Interview, pairs_with_first, pairs_without_first
from sidelight.learners.rsl.state import Boundaries


def boundary_is_clique(x: int, boundaries: Boundaries) -> bool:
    """True when any two members of Mb(x) are in each other's boundary.

    Needed, at no cost in tests, for the condition below to hold: by the paper's limb lemma all of Mb(x) are parents
    of one variable or that variable itself.
    """
    members = boundaries[x]
    return all(members - {y} <= boundaries[y] for y in members)


def every_pair_depends(x: int, members: list[int], ask: Interview) -> bool:
    """True when any two members depend on each other given x and all the other members."""
    return not ask.any_independent([x, *members], pairs_without_first(len(members) + 1))


def every_pair_depends_leaving_out(x: int, members: list[int], size: int, ask: Interview) -> bool:
    """True when, with any ``size`` ≥ 1 members left out, all pairs of the rest and x still depend on each other.

    The pairs with x come first: they are fewer, and fail more often.
    """
    within, kept = [x, *members], len(members) + 1 - size
    return not any(
        ask.any_independent(within, pairs, left_out)
        for pairs in (pairs_with_first(kept), pairs_without_first(kept))
        for left_out in combinations(members, size)
    )


def no_pair_separates(x: int, members: list[int], at_most: int, ask: Interview) -> bool:
    """Equation 3 (and 5) of the paper, question by question: pair after pair, with 0, 1, … members left out."""
    for size in range(at_most + 1):
        for y, z in combinations([*members, x], 2):
            if z == x and size == 0:
                continue  # every member of a boundary depends on x given all the others
            others = [v for v in [x, *members] if v not in (y, z)]
            for left_out in combinations([v for v in others if v != x], size):
                if ask.independent(y, z, [v for v in others if v not in left_out]):
                    return False
    return True


def share_of_failing_pairs(x: int, members: list[int], ask: Interview) -> float:
    """How far x is from being removable: the share of its members' pairs that are independent given the rest."""
    if len(members) < 2:
        return 0.0
    return float(ask.which_independent([x, *members], pairs_without_first(len(members) + 1)).mean())

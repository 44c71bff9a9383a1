"""IAMB with exchanges, for tests that lose their power as the conditioning set grows.

IAMB adds the most dependent variable first. That may be a proxy, such as a grandchild, in whose presence the true
member no longer shows, because its strata have become thin. So every member is challenged: when another variable
depends more strongly on x given the other members, and the member is independent of x beside it, it takes the member's
place. Afterwards the boundary is grown and shrunk as before. With true answers nobody is ever exchanged: a member of
the boundary depends on x whatever else is given beside the other members.
"""

from __future__ import annotations

from collections.abc import Sequence

from sidelight.boundaries.iamb import grow
from sidelight.boundaries.search import outside, search_each, shrink
from sidelight.interview import Interview


def exchange(n_variables: int, ask: Interview, n_jobs: int = 1) -> list[set[int]]:
    """Return the Markov boundary of every variable."""
    return search_each(_grow_shrink_and_exchange, n_variables, ask, n_jobs)


def _grow_shrink_and_exchange(x: int, variables: Sequence[int], ask: Interview) -> list[int]:
    members = shrink(x, grow(x, [], variables, ask), ask)
    tried: set[frozenset[int]] = set()  # on data, exchanges could go round in circles
    while frozenset(members) not in tried:
        tried.add(frozenset(members))
        for member in tuple(members):
            others = [z for z in members if z != member]
            challengers = outside(x, members, variables)
            best = ask.most_dependent(x, [member, *challengers], others)
            if best not in (None, member) and ask.independent(x, member, [*others, best]):
                members = [*others, best]
        members = shrink(x, grow(x, members, variables, ask), ask)
    return members

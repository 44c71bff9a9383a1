"""IAMB (Tsamardinos, Aliferis & Statnikov 2003): grow a boundary by the most dependent variable, then shrink it.

It conditions on the boundary found so far, never on everything else, so it works with fewer samples than variables.
Two variables are in each other's boundary when either search found the other: a member too many is noticed later by
the learner, a member too few costs an edge.
"""

from __future__ import annotations

from sidelight.interview import Interview


def iamb(n_variables: int, ask: Interview) -> list[set[int]]:
    """Return the Markov boundary of every variable."""
    boundaries = [_grow_and_shrink(x, n_variables, ask) for x in range(n_variables)]
    for x, members in enumerate(boundaries):
        for y in members:
            boundaries[y].add(x)
    return boundaries


def _grow_and_shrink(x: int, n_variables: int, ask: Interview) -> set[int]:
    members: list[int] = []
    candidates = [y for y in range(n_variables) if y != x]
    while (best := ask.most_dependent(x, candidates, members)) is not None:
        members.append(best)
        candidates.remove(best)
    for y in list(members):
        others = [z for z in members if z != y]
        if ask.independent(x, y, others):
            members = others
    return set(members)

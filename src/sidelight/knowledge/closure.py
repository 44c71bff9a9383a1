"""Everything that follows from statements together, by rules that are repeated until nothing new comes out.

A required arrow forbids its reverse. An adjacent pair with one direction forbidden is a required arrow. Required arrows
and known ancestors chain; a certain ancestor has no path from its descendant. Where i is no ancestor of j, no certain
descendant of i is one of j, and i is none of any certain ancestor of j.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sidelight.knowledge.facts import Facts, Pair, Rectangle
from sidelight.knowledge.paths import Matrix, reachable


@dataclass(frozen=True, eq=False)
class Closure:
    """What follows from statements.

    Args:
        allowed: [i, j]: the arrow from i to j may be there.
        required: arrows that are there.
        adjacent: pairs (smaller, larger) that are adjacent.
        ancestors: the pairs with a path that statements name as such.
        not_ancestors: [i, j]: a statement itself excludes every path from i to j.
        certain: [i, j]: a path from i to j is known, directly or by chaining.
        excluded: [i, j]: there is no path from i to j, where a rule had to say so.
    """

    allowed: Matrix
    required: frozenset[Pair]
    adjacent: frozenset[Pair]
    ancestors: frozenset[Pair]
    not_ancestors: Matrix
    certain: Matrix
    excluded: Matrix


def closure(n_variables: int, facts: Sequence[Facts]) -> Closure:
    """What follows from the facts; where they contradict each other, the result shows it."""
    allowed, not_ancestors = excluded_directly(n_variables, facts)
    required = {arrow for each in facts for arrow in each.required}
    ancestors = frozenset(pair for each in facts for pair in each.ancestors)
    adjacent = required | {pair for each in facts for pair in each.adjacent}
    while True:
        certain = path_matrix(n_variables, required | ancestors)
        excluded = _spread(not_ancestors | certain.T, certain)
        allowed &= ~excluded
        directed = _with_one_direction(adjacent, allowed)
        if directed <= required:
            break
        required |= directed
    in_order = frozenset((min(pair), max(pair)) for pair in adjacent)
    return Closure(allowed, frozenset(required), in_order, ancestors, not_ancestors, certain, excluded)


def excluded_directly(n_variables: int, facts: Sequence[Facts]) -> tuple[Matrix, Matrix]:
    """Which arrows may be there, and which paths may not, as far as the facts say so one by one."""
    allowed = ~np.eye(n_variables, dtype=bool)
    _mark(allowed, (area for each in facts for area in each.forbidden), False)
    excluded = np.zeros_like(allowed)
    _mark(excluded, (area for each in facts for area in each.not_ancestors), True)
    return allowed, excluded


def _mark(matrix: Matrix, areas: Iterable[Rectangle], value: bool) -> None:
    for rows, columns in areas:
        matrix[np.ix_(rows, columns)] = value


def path_matrix(n_variables: int, arrows: Collection[Pair]) -> Matrix:
    """[i, j]: arrows of these make a directed path from i to j."""
    graph = np.zeros((n_variables, n_variables), dtype=bool)
    for i, j in arrows:
        graph[i, j] = True
    return reachable(graph) if arrows else graph


def _spread(excluded: Matrix, certain: Matrix) -> Matrix:
    """Where i is no ancestor of j, neither is a certain descendant of i, and i is none of a certain ancestor of j."""
    below, above = np.flatnonzero(certain.any(axis=0)), np.flatnonzero(certain.any(axis=1))
    if not excluded.any() or not len(below):
        return excluded
    known, spread = certain.astype(np.float32), excluded.astype(np.float32)  # floats, since they multiply fast
    spread[below] += known[above][:, below].T @ spread[above]
    spread[:, above] += spread[:, below] @ known[above][:, below].T
    return spread > 0


def _with_one_direction(adjacent: set[Pair], allowed: Matrix) -> set[Pair]:
    """The arrows of the adjacent pairs of which only one direction may be there."""
    if not adjacent:
        return set()
    i, j = np.array(sorted(adjacent)).T
    forward, backward = allowed[i, j], allowed[j, i]
    tails = np.concatenate([i[forward & ~backward], j[backward & ~forward]])
    heads = np.concatenate([j[forward & ~backward], i[backward & ~forward]])
    return set(zip(tails.tolist(), heads.tolist(), strict=True))

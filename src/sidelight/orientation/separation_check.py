"""Directions from separating sets that hold in the data.

With exact answers every separating set separates. On data a wrong boundary or removal can leave sets behind that do
not. So each set that follows from a boundary, which no test has confirmed for that very pair, is tested at the end, at
alpha divided by their number; where one is rejected, the neighbours or the parents of either variable may
separate the pair; what fails after that is reported.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from sidelight.graphs.separating_sets import SeparatingSets, ordered
from sidelight.independence import CITest
from sidelight.independence.subset_search import NO_LIMIT
from sidelight.interview import Interview
from sidelight.orientation.essential import Orientation, orient

Separation = tuple[int, int, list[int]]  # a pair and the set that should separate it


@dataclass(frozen=True)
class CheckedOrientation:
    """Separating sets as they are after the check, the directions from them, and the sets that failed.

    ``n_tests`` is how many tests the check took, ``n_unchecked`` how many sets were too many to be checked.
    """

    sets: SeparatingSets
    orientation: Orientation
    failed: list[Separation]
    n_tests: int = 0
    n_unchecked: int = 0


def orient_checked(
    test: CITest,
    names: tuple[Hashable, ...],
    adjacency: Sequence[set[int]],
    sets: SeparatingSets,
    alpha: float,
    budget: int,
    largest: int = NO_LIMIT,
    rest_on_boundaries: bool = True,
) -> CheckedOrientation:
    """Check the sets that no test has confirmed, at most ``budget`` of them, and direct the edges by what holds.

    Sets of more than ``largest`` variables are not tested.
    """
    n_implied = sets.n_implied if rest_on_boundaries and not test.is_exact else 0
    if n_implied > budget:
        return CheckedOrientation(sets, orient(names, adjacency, sets.lacking), [], n_unchecked=n_implied)
    ask = Interview(test, alpha)
    failed = rejected(test, sets, alpha, largest) if n_implied else []
    sets, failed = _replaced(ask, sets, failed, adjacency, largest)
    orientation = orient(names, adjacency, sets.lacking)
    if failed:
        sets, failed = _replaced(ask, sets, failed, orientation.dag.parents, largest)
        orientation = orient(names, adjacency, sets.lacking)
    return CheckedOrientation(sets, orientation, failed, n_implied + ask.n_tests)


def rejected(test: CITest, sets: SeparatingSets, alpha: float, largest: int = NO_LIMIT) -> list[Separation]:
    """The pairs whose separating set does not separate, after Bonferroni correction for all of them."""
    alpha_each = alpha / len(sets)
    return [
        (x, int(others[i]), given)
        for x, others, given in sets.implied()
        if len(given) <= largest
        for i in np.flatnonzero(test.rejects(x, others, given, alpha_each))
    ]


def _replaced(
    ask: Interview,
    sets: SeparatingSets,
    wrong: list[Separation],
    candidates: Sequence[Collection[int]],
    largest: int,
) -> tuple[SeparatingSets, list[Separation]]:
    """Let the candidates of either variable separate a pair that its set does not; return what still fails."""
    explicit, left = {}, []
    for x, y, given in wrong:
        for candidate in map(sorted, (candidates[x], candidates[y])):
            usable = len(candidate) <= largest and candidate != given and x not in candidate and y not in candidate
            if usable and ask.independent(x, y, candidate):
                explicit[ordered(x, y)] = frozenset(candidate)
                break
        else:
            left.append((x, y, given))
    return sets.with_replaced(explicit), left

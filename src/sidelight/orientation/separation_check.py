"""Directions from separating sets that hold in the data.

With exact answers every separating set separates. On data a wrong boundary or removal can leave sets behind that do
not. So each that follows from a boundary is asked once more, at a level at which chance alone rejects none; where one
is rejected, the neighbours or the parents of either variable may separate the pair; and what remains is told.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence

import numpy as np

from sidelight.graphs.separating_sets import SeparatingSets, ordered
from sidelight.independence import CITest, FisherZ
from sidelight.independence.fisher_z import critical_correlation
from sidelight.orientation import Orientation, orient
from sidelight.text.sentences import counted

Question = tuple[int, int, list[int]]


def rejected(test: CITest, sets: SeparatingSets, alpha: float) -> list[Question]:
    """The pairs whose separating set does not separate, beyond what chance would do among so many; none if exact.

    Only Fisher Z can ask about all of them at once; other tests are taken at their word.
    """
    if not isinstance(test, FisherZ) or not len(sets):
        return []
    level, n_samples = alpha / len(sets), test.correlation.n_samples
    return [
        (x, int(others[i]), given)
        for x, others, given in sets.implied()
        for i in np.flatnonzero(
            test.dependences(x, others, given) > critical_correlation(n_samples - len(given) - 3, level)
        )
    ]


def _replaced(
    test: CITest, sets: SeparatingSets, wrong: list[Question], candidates: Sequence[Collection[int]], alpha: float
) -> tuple[SeparatingSets, list[Question]]:
    """Let the candidates of either variable separate a pair that its set does not; return what is still wrong."""
    explicit, left = {}, []
    for x, y, given in wrong:
        for candidate in (candidates[x], candidates[y]):
            if x not in candidate and y not in candidate and test.independent(x, y, sorted(candidate), alpha):
                explicit[ordered(x, y)] = frozenset(candidate)
                break
        else:
            left.append((x, y, given))
    return sets.with_explicit(explicit), left


def directed(
    test: CITest,
    names: tuple[Hashable, ...],
    adjacency: Sequence[set[int]],
    sets: SeparatingSets,
    alpha: float,
    rests_on_boundaries: bool = True,
) -> tuple[SeparatingSets, Orientation, list[Question]]:
    """Directions from separating sets that hold in the data: where one does not, neighbours or parents may do."""
    doubtful = rejected(test, sets, alpha) if rests_on_boundaries else []
    sets, wrong = _replaced(test, sets, doubtful, adjacency, alpha)
    orientation = orient(names, adjacency, sets.lacking)
    if wrong:
        sets, wrong = _replaced(test, sets, wrong, orientation.dag.parents, alpha)
        orientation = orient(names, adjacency, sets.lacking)
    return sets, orientation, wrong


def failures(test: CITest, sets: SeparatingSets, wrong: list[Question]) -> Iterable[str]:
    """The warning about separating sets that do not separate, if there are any."""
    if wrong:
        worst = min(wrong, key=lambda question: test.p_value(*question))
        verb = "does" if len(wrong) == 1 else "do"
        yield (
            f"{len(wrong)} of {counted(len(sets), 'separating set')} {verb} not separate in these data, most clearly "
            f"{test.question(*worst)[1:-1]} (p = {test.p_value(*worst):.1g}); edges may be missing there"
        )

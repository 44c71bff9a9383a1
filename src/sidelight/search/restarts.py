"""Iterated local search: move some variables of an order to other places, search again, go on from what is better.

It goes on from what is slightly worse than the best, too: a search that only climbs stays near its first optimum.

Restarts are drawn from one fixed sequence of random numbers, and say nothing of the columns' order or names: the same
table gives the same result, for any number of workers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sidelight.families.score import FoundParents, Score, Space, Tick
from sidelight.knowledge.constraints import Constraints
from sidelight.text.sentences import counted

SEED = 20_220
MOST_USUAL, MANY, FEW_COLUMNS = 100, 25, 100  # restarts at most, and at least with so few columns
MOST_MOVED = 16  # variables
SLIGHTLY = 2.0  # nats: so much less than the best may a result score in the mean for the search to go on from it
MOVED_FIRST, ANNEALED, MOST_SEEDS = 10, 3, 1 << 62  # of so many restarts beyond the first ten, one anneals
CLEAR_GAIN = 1e-3  # nats; what gains less is another DAG of the same class, or as good


class Restarts(NamedTuple):
    """How many restarts there were, how many of them found something better, and the last that did (from 1 on)."""

    made: int = 0
    improving: int = 0
    last: int = 0

    def __str__(self) -> str:
        if not self.made:
            return ""
        if not self.last:
            return f"; none of {counted(self.made, 'restart')} raised the score"
        later = self.made - self.last
        rest = f"the last {later} did not" if later else "also the last one, so more of them may help"
        return f"; {self.improving} of {counted(self.made, 'restart')} raised the score, {rest}"


def usual_restarts(n: int) -> int:
    """How many restarts are made if the user does not say: fewer with more columns, where each takes longer."""
    if n < 3:  # which one search decides
        return 0
    return 1000 // n if n > FEW_COLUMNS else min(MOST_USUAL, max(MANY, 62_500 // n**2))


def annealed_of(count: int) -> int:
    """How many of so many restarts anneal an order: the last ones, which know what the first ones found."""
    return max(0, count - MOVED_FIRST) // ANNEALED


def restarted(
    score: Score, best: FoundParents, space: Space, known: Constraints | None, count: int, tick: Tick
) -> tuple[FoundParents, Restarts]:
    """The best result of so many restarts from what was found."""
    random, improving, last = np.random.default_rng(SEED), 0, 0
    best = latest = score.improved(best, space) if count else best
    seen: list[Counter[int]] = [Counter() for _ in best.parents]
    _note(seen, best)
    anneal = None
    for number in range(1, count + 1):
        if number == count - annealed_of(count) + 1:
            anneal = score.annealing(seen, space)
        if anneal is None:
            order = _moved(latest.order, random)
            order = order if known is None else known.causes_first(order)
            again = score.improved(score.search(order, space), space)
            _note(seen, again)
        else:
            again = anneal(best.order, int(random.integers(1, MOST_SEEDS)))
        if again.score > min(latest.score + CLEAR_GAIN, best.score - SLIGHTLY * random.exponential()):
            latest = again
        if again.score > best.score + CLEAR_GAIN:
            best, improving, last = again, improving + 1, number
        tick()
    return best, Restarts(count, improving, last)


def _note(seen: Sequence[Counter[int]], found: FoundParents) -> None:
    """Count which variables are adjacent."""
    for v, parents in enumerate(found.parents):
        for parent in parents:
            seen[v][parent] += 1
            seen[parent][v] += 1


def _moved(order: Sequence[int], random: np.random.Generator) -> list[int]:
    """The order with some variables at other places, rather near than far: few or many of them, nearer or farther."""
    moved, n = list(order), len(order)
    count, reach = int(random.integers(2, MOST_MOVED + 1)), int(random.integers(2, max(3, min(n // 2, MOST_MOVED))))
    for _ in range(min(count, n // 2)):
        place = int(random.integers(n))
        distance = int(random.geometric(1 / reach)) * int(random.choice((-1, 1)))
        moved.insert(min(max(place + distance, 0), n - 1), moved.pop(place))
    return moved

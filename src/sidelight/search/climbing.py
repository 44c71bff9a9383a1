"""Hill climbing over DAGs: add, take out or turn the edge that raises the score most, until none does.

Edges found by it that tests do not support must raise the score by more; by half as much more where the stricter score
clearly wants them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from sidelight.families.score import LEAST_GAIN, Parents, Score, Space
from sidelight.graphs.dag import Dag

MOST_CLIMBED = 10  # parents of a variable


def climb(score: Score, dag: Dag, space: Space, tick: Callable[[], None] = lambda: None) -> Dag:
    """The DAG at which climbing from this one ends; parents are added among those near that may be."""
    climber = _Climber(score, dag, space)
    while climber.step():
        tick()
    return Dag(dag.names, tuple(climber.parents))


class _Climber:
    """The parents so far, and what each single change of them would gain: from the row's variable to the column's."""

    def __init__(self, score: Score, dag: Dag, space: Space) -> None:
        n = len(dag)
        self._score, self._space = score, space
        self.parents: list[frozenset[int]] = list(dag.parents)
        self._adds, self._takes = np.full((n, n), -np.inf), np.full((n, n), -np.inf)
        for v in range(n):
            self._refresh(v)

    def _refresh(self, v: int) -> None:
        parents, now = self.parents[v], self._score.local(v, self.parents[v])
        self._adds[:, v] = self._takes[:, v] = -np.inf
        possible = (y for y in sorted(self._space.near[v] - parents) if self._space.may(y, v))
        others = list(possible) if len(parents) < MOST_CLIMBED else []
        if others:
            self._adds[others, v] = np.array(self._score.with_one_more(v, parents, others)) - now
        for x in parents - self._space.required(v):
            self._takes[x, v] = self._score.local(v, parents - {x}) - now

    def step(self) -> bool:
        """Make the change that raises the score most; False if none does."""
        reaches = self._reaches()
        adds = np.where(reaches.T, -np.inf, self._adds)
        turns = np.where(self._has_detour(reaches), -np.inf, self._takes + self._adds.T)
        gains = [float(change.max()) for change in (self._takes, adds, turns)]
        kind = int(np.argmax(gains))
        if gains[kind] <= LEAST_GAIN:
            return False
        x, v = divmod(int(np.argmax((self._takes, adds, turns)[kind])), len(adds))
        self.parents[v] = self.parents[v] | {x} if kind == 1 else self.parents[v] - {x}
        if kind == 2:
            self.parents[x] = self.parents[x] | {v}
            self._refresh(x)
        self._refresh(v)
        return True

    def _reaches(self) -> NDArray[np.bool_]:
        """Is there a directed path from the row's variable to the column's?"""
        n = len(self.parents)
        reaches = np.zeros((n, n), dtype=np.bool_)
        for v in Dag(tuple(range(n)), tuple(self.parents)).topological_order():
            for x in self.parents[v]:
                reaches[:, v] |= reaches[:, x]
                reaches[x, v] = True
        return reaches

    def _has_detour(self, reaches: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Of an edge: is there another directed path from its tail to its head, so that turning it makes a cycle?"""
        detour = np.zeros_like(reaches)
        for v, parents in enumerate(self.parents):
            for x in parents:
                detour[x, v] = any(reaches[x, y] for y in parents)
        return detour


class Supported(Score):
    """The score, less a cost for each edge between variables that are not adjacent in the structure by tests.

    The cost is half of that for those that a stricter score clearly joins.
    """

    def __init__(
        self, score: Score, adjacent: Sequence[Collection[int]], cost: float, clear: Sequence[Collection[int]] = ()
    ) -> None:
        self.names, self.option, self.is_equivalent = score.names, score.option, score.is_equivalent
        self._score, self._cost = score, cost
        self._less = [dict.fromkeys(found, 0.0) for found in adjacent]
        for less, found in zip(self._less, clear, strict=bool(clear)):
            less.update(dict.fromkeys(set(found) - less.keys(), cost / 2))

    @property
    def most_families(self) -> int:
        return self._score.most_families

    def _costs(self, v: int, parents: Collection[int]) -> float:
        """Of the edges from these parents."""
        less = self._less[v]
        return sum(less.get(y, self._cost) for y in parents)

    def local(self, v: int, parents: Collection[int]) -> float:
        return self._score.local(v, parents) - self._costs(v, parents)

    def with_one_more(self, v: int, parents: Collection[int], others: Sequence[int]) -> list[float]:
        already = self._costs(v, parents)
        values = self._score.with_one_more(v, parents, others)
        return [value - already - self._costs(v, [y]) for y, value in zip(others, values, strict=True)]

    def ceiling(self, v: int, candidates: Parents) -> Callable[[Parents], float]:
        without = self._score.ceiling(v, candidates)
        return lambda parents: without(parents) - self._costs(v, parents)

"""A score with a prior over structures: an edge that tests do not support must raise the score by more."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sidelight.families.score import Score


class Supported(Score):
    """The score, less a cost for each edge between variables that are not adjacent in the structure by tests."""

    def __init__(self, score: Score, adjacent: Sequence[Collection[int]], cost: float) -> None:
        self.names, self.option = score.names, score.option
        self._score, self._adjacent, self._cost = score, [frozenset(found) for found in adjacent], cost

    def local(self, v: int, parents: Collection[int]) -> float:
        return self._score.local(v, parents) - self._cost * len(set(parents) - self._adjacent[v])

    def with_one_more(self, v: int, parents: Collection[int], others: Sequence[int]) -> list[float]:
        already = self._cost * sum(y not in self._adjacent[v] for y in parents)
        values = self._score.with_one_more(v, parents, others)
        return [
            value - already - self._cost * (y not in self._adjacent[v]) for y, value in zip(others, values, strict=True)
        ]

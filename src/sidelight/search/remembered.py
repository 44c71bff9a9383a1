"""Scores that take a pass over the rows, or over blocks of columns: each value is computed once and remembered."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

from sidelight.families.score import Score


class RememberedScore(Score):
    """A score by families, a variable with its parents in ascending order."""

    @abstractmethod
    def family(self, v: int, parents: tuple[int, ...]) -> float:
        """The score of a variable with these parents."""

    def families(self, v: int, parents: tuple[int, ...], others: Sequence[int]) -> Iterable[float]:
        """The scores of a variable with these parents and each of the others in turn."""
        return (self.family(v, tuple(sorted((*parents, other)))) for other in others)

    def local(self, v: int, parents: Collection[int]) -> float:
        key = (v, tuple(sorted(parents)))
        if key not in self._known:
            self._known[key] = self.family(*key)
        return self._known[key]

    def with_one_more(self, v: int, parents: Collection[int], others: Sequence[int]) -> list[float]:
        """As ``local`` with each of the others in turn, computed together."""
        keys = {other: (v, tuple(sorted((*parents, other)))) for other in others}
        unknown = [other for other in others if keys[other] not in self._known]
        values = self.families(v, tuple(sorted(parents)), unknown) if unknown else ()
        for other, value in zip(unknown, values, strict=True):
            self._known[keys[other]] = float(value)
        return [self._known[keys[other]] for other in others]

    @cached_property
    def _known(self) -> dict[tuple[int, tuple[int, ...]], float]:
        return {}

"""BIC of mixed tables as blocks of columns (degenerate Gaussian): a category is indicators of all values but one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from math import log, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sidelight.families.score import EBIC, Parents, RememberedScore, Score, extended_penalty

if TYPE_CHECKING:
    from sidelight.families.mixed.statistics import Blocks


class BlockBic(RememberedScore):
    """BIC over blocks: −N/2 · log of what the parents leave of the block's determinant, less its parameters."""

    option = "bic"

    def __init__(self, blocks: Blocks, names: Sequence[Hashable], penalty: float = 1.0) -> None:
        self.names = tuple(names)
        self._blocks = blocks
        self._cost = penalty * log(max(2.0, blocks.n_samples)) / 2

    @classmethod
    def extended(cls, blocks: Blocks, names: Sequence[Hashable]) -> BlockBic:
        """The extended BIC."""
        score = cls(blocks, names, extended_penalty(blocks.n_samples, len(names)))
        score.option = EBIC
        return score

    @property
    def strict(self) -> Score:
        """Itself: it says which edges are looked at beside those of the structure by tests."""
        return self

    @property
    def untested_cost(self) -> float:
        """As for discrete tables; more with many rows, which show what is not linear in the indicators as an edge."""
        n_rows = max(2.0, self._blocks.n_samples)
        return max(log(n_rows), sqrt(n_rows) / 2)

    def family(self, v: int, parents: tuple[int, ...]) -> float:
        return float(self._scores(v, parents, [()])[0])

    def families(self, v: int, parents: tuple[int, ...], others: Sequence[int]) -> NDArray[np.float64]:
        return self._scores(v, parents, [(other,) for other in others])

    def ceiling(self, v: int, candidates: Parents) -> Callable[[Parents], float]:
        """All candidates leave least unexplained, and more parents cost more."""
        cost = self._cost * self._blocks.tested[v]
        largest = self.family(v, candidates) + cost * self._blocks.tested[list(candidates)].sum()
        return lambda parents: float(largest - cost * self._blocks.tested[list(parents)].sum())

    def _scores(self, v: int, parents: Sequence[int], more: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """With these parents and each of some more in turn."""
        from sidelight.families.mixed.kernels import log_unexplained

        own, given = self._columns((v,)), self._columns(parents)
        ends = np.cumsum([self._blocks.tested[list(members)].sum() for members in more]).astype(np.int64)
        others = self._columns([member for members in more for member in members])
        left = log_unexplained(self._blocks.matrix, given, others, ends, own)
        n_parents = len(given) + np.diff(ends, prepend=0)
        scores: NDArray[np.float64] = -0.5 * self._blocks.n_samples * left - self._cost * len(own) * n_parents
        return scores

    def _columns(self, members: Sequence[int]) -> NDArray[np.int64]:
        places = [self._places[v] for v in members]
        return np.concatenate(places) if places else np.empty(0, dtype=np.int64)

    @cached_property
    def _places(self) -> list[NDArray[np.int64]]:
        """The columns of each variable."""
        start, tested = self._blocks.start, self._blocks.tested
        return [np.arange(first, first + width) for first, width in zip(start[:-1], tested, strict=True)]

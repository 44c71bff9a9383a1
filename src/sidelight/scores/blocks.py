"""BIC of mixed tables as blocks of columns (degenerate Gaussian): a category is indicators of all values but one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from sidelight.scores.base import EBIC, Score, extended_penalty
from sidelight.scores.remembered import RememberedScore
from sidelight.sufficient.blocks import Blocks


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
        from sidelight.kernels.blocks import log_determinant

        own, given = self._columns((v,)), self._columns(parents)
        both, matrix = np.concatenate([given, own]), self._blocks.matrix
        left = log_determinant(matrix[np.ix_(both, both)]) - log_determinant(matrix[np.ix_(given, given)])
        return float(-0.5 * self._blocks.n_samples * left - self._cost * len(own) * len(given))

    def _columns(self, members: Sequence[int]) -> NDArray[np.int64]:
        start, tested = self._blocks.start, self._blocks.tested
        return np.array([column for v in members for column in range(start[v], start[v] + tested[v])], dtype=np.int64)

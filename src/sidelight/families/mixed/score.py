"""BIC of mixed tables: of blocks of columns, or by the likelihood of regressions.

In blocks (degenerate Gaussian) a category is indicators of all values but one, and linear in its parents. That sees an
edge between two effects of one number, since it explains what is not linear. The likelihood of logistic regressions
does not; it is not the same for all DAGs of a class (decision 26).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from math import inf, log, prod, sqrt
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from sidelight.families.mixed.score_tests import strata_of
from sidelight.families.score import (
    EBIC,
    MOST_FAMILIES,
    Parents,
    RememberedScore,
    Score,
    extended_penalty,
    predictive_penalty,
)

if TYPE_CHECKING:
    from sidelight.families.mixed.statistics import Blocks

MOST_WORK = 2e8  # rows · parameters² of a regression, which takes some tenths of a second
MOST_ROWS = 50_000  # that regressions are fitted to
ROWS_FITTED = 4_000_000  # in all regressions of an exact search, unless it is asked for
ENOUGH = 0.1  # improvement of the log-likelihood; what the next step of Newton's would improve is far less
SMALLEST = 1e-12  # probability
Floats = NDArray[np.float64]


class BlockBic(RememberedScore):
    """BIC over blocks: −N/2 · log of what the parents leave of the block's determinant, less its parameters."""

    option = "bic"

    def __init__(self, blocks: Blocks, names: Sequence[Hashable], penalty: float = 1.0) -> None:
        self.names = tuple(names)
        self._blocks = blocks
        self._penalty, self._cost = penalty, penalty * log(max(2.0, blocks.n_samples)) / 2

    @classmethod
    def extended(cls, blocks: Blocks, names: Sequence[Hashable]) -> Self:
        """The extended BIC."""
        score = cls(blocks, names, extended_penalty(blocks.n_samples, len(names)))
        score.option = EBIC
        return score

    @property
    def strict(self) -> Score:
        """Itself: it says which edges are looked at beside those of the structure by tests."""
        return self

    @cached_property
    def predictive(self) -> Self:
        return type(self)(self._blocks, self.names, predictive_penalty(self._blocks.n_samples))

    @property
    def untested_cost(self) -> float:
        """As for discrete tables; more with many rows, which show what is not linear in the indicators as an edge."""
        n_rows = max(2.0, self._blocks.n_samples)
        return max(log(n_rows), sqrt(n_rows) / 2)

    def family(self, v: int, parents: tuple[int, ...]) -> float:
        return float(self._scores(v, parents, [()])[0])

    def families(self, v: int, parents: tuple[int, ...], others: Sequence[int]) -> Floats:
        return self._scores(v, parents, [(other,) for other in others])

    def ceiling(self, v: int, candidates: Parents) -> Callable[[Parents], float]:
        """All candidates leave least unexplained, and more parents cost more."""
        cost = self._cost * self._blocks.tested[v]
        largest = self.family(v, candidates) + cost * self._blocks.tested[list(candidates)].sum()
        return lambda parents: float(largest - cost * self._blocks.tested[list(parents)].sum())

    def _scores(self, v: int, parents: Sequence[int], more: Sequence[Sequence[int]]) -> Floats:
        """With these parents and each of some more in turn."""
        from sidelight.families.mixed.kernels import log_unexplained

        own, given = self._columns((v,)), self._columns(parents)
        ends = np.cumsum([self._blocks.tested[list(members)].sum() for members in more]).astype(np.int64)
        others = self._columns([member for members in more for member in members])
        left = log_unexplained(self._blocks.matrix, given, others, ends, own)
        n_parents = len(given) + np.diff(ends, prepend=0)
        scores: Floats = -0.5 * self._blocks.n_samples * left - self._cost * len(own) * n_parents
        return scores

    def _columns(self, members: Sequence[int]) -> NDArray[np.int64]:
        places = [self._places[v] for v in members]
        return np.concatenate(places) if places else np.empty(0, dtype=np.int64)

    @cached_property
    def _places(self) -> list[NDArray[np.int64]]:
        """The columns of each variable."""
        start, tested = self._blocks.start, self._blocks.tested
        return [np.arange(first, first + width) for first, width in zip(start, tested, strict=True)]


class LikelihoodBic(BlockBic):
    """BIC by the likelihood of each variable given its parents, less its parameters.

    A number is linear in numbers and indicators. A category has a logistic regression, an ordered one proportional
    odds; given categories alone it has that or a table, whichever scores higher. An ordered category explains others by
    its scores, one column.
    """

    is_equivalent = False

    @cached_property
    def strict(self) -> BlockBic:
        """The linear score, which is quick, says what is looked at."""
        return BlockBic(self._blocks, self.names, self._penalty)

    @property
    def untested_cost(self) -> float:
        """As for discrete tables."""
        return log(max(2.0, self._blocks.n_samples))

    @property
    def most_families(self) -> int:
        """As many as take some seconds."""
        return min(MOST_FAMILIES, ROWS_FITTED // max(1, len(self._blocks.codes)))

    def family(self, v: int, parents: tuple[int, ...]) -> float:
        blocks = self._blocks
        if blocks.n_categories[v] == 1:
            return super().family(v, parents)
        if (blocks.n_categories[list(parents)] > 1).all():
            return self._given_categories(v, parents)
        return self._regression(v, parents, slice(None), blocks.codes[:, v], self._weights)

    def ceiling(self, v: int, candidates: Parents) -> Callable[[Parents], float]:
        """None for categories: a table may explain more than a regression on more parents."""
        return super().ceiling(v, candidates) if self._blocks.n_categories[v] == 1 else lambda parents: inf

    def families(self, v: int, parents: tuple[int, ...], others: Sequence[int]) -> Floats:
        if self._blocks.n_categories[v] == 1:
            return super().families(v, parents, others)
        return np.array([self.family(v, tuple(sorted((*parents, other)))) for other in others])

    def _given_categories(self, v: int, parents: tuple[int, ...]) -> float:
        """By a table, or by a regression on the combinations that occur."""
        from scipy.special import xlogy

        blocks, size = self._blocks, int(self._blocks.n_categories[v])
        strata, first = strata_of(blocks, parents)
        cells = np.bincount(strata * size + blocks.codes[:, v], blocks.weights, len(first) * size)
        counts = cells.reshape(-1, size).astype(np.float64)
        likelihood = float(xlogy(counts, counts / counts.sum(axis=1, keepdims=True)).sum())
        n_combinations = prod(map(int, blocks.n_categories[list(parents)]))
        by_table = likelihood - self._cost * (size - 1) * (n_combinations - 1)
        if not parents or (len(parents) == 1 and not blocks.is_ordinal[[v, *parents]].any()):  # that is the same
            return by_table
        codes = np.tile(np.arange(size), len(first)).astype(blocks.codes.dtype)
        return max(by_table, self._regression(v, parents, np.repeat(first, size), codes, counts.ravel()))

    def _regression(
        self,
        v: int,
        parents: tuple[int, ...],
        rows: slice | NDArray[np.int64],
        codes: NDArray[np.integer],
        weights: Floats,
    ) -> float:
        """On these rows of the parents; where that takes long, what the linear score gains is added to no parents'."""
        blocks, steps, columns = self._blocks, int(self._blocks.n_categories[v]) - 1, self._columns(parents)
        is_ordinal = bool(blocks.is_ordinal[v]) and steps > 1
        n_slopes = len(columns) * (1 if is_ordinal else steps)
        if len(codes) * (steps + n_slopes) ** 2 > MOST_WORK:
            return float(self.local(v, ()) + self.strict.local(v, parents) - self.strict.local(v, ()))
        design = np.column_stack([np.ones(len(codes)), blocks.columns[rows][:, columns]])
        probabilities = (_ordered if is_ordinal else _unordered)(design, codes, steps + 1, weights)
        logs = np.log(np.maximum(probabilities[np.arange(len(codes)), codes], SMALLEST))
        return float((logs @ weights if len(weights) else logs.sum()) - self._cost * n_slopes)

    @cached_property
    def _weights(self) -> Floats:
        weights = self._blocks.weights
        return np.empty(0) if weights is None else np.asarray(weights, dtype=np.float64)


def _unordered(design: Floats, codes: NDArray[np.integer], n_categories: int, weights: Floats) -> Floats:
    """Fitted probabilities of the categories, for each row."""
    from sidelight.kernels.logistic import fit

    fitted = fit(design, codes, n_categories, weights, enough=ENOUGH)[1]
    return np.column_stack([1 - fitted.sum(axis=1), fitted])


def _ordered(design: Floats, codes: NDArray[np.integer], n_categories: int, weights: Floats) -> Floats:
    """The same of ordered categories, with proportional odds."""
    from scipy.special import expit

    from sidelight.kernels.proportional_odds import fit_ordered

    thresholds, slopes = np.split(fit_ordered(design, codes, n_categories, weights)[0], [n_categories - 1])
    up_to = expit(thresholds - (design[:, 1:] @ slopes)[:, None])
    return np.diff(up_to, prepend=0.0, append=1.0)

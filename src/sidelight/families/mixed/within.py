"""Mixed columns within groups of rows: blocks of differences from the groups' means, and products of residuals.

*Two numbers* are decided by the blocks, whose inverse is that of the columns' covariances within groups.

*Otherwise* blocks only screen, since a group's mean does not take away what is not linear: a category is rarely there
in one group and often in another, and what explains it changes its probability more in some groups than in others. So
the residuals of both columns given the set decide, where a category has a logistic regression with an intercept for
each group (``sidelight.kernels.grouped_logistic``): their products sum to 0 if one of both models is right. Within a
group residuals sum to 0, so that a product's variance is that of permuted rows, m / (m − 1) times its square. This sum
over all rows needs no further assumption about how much groups vary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sidelight.families.base import MakeScore
from sidelight.families.mixed.score import BlockBic
from sidelight.families.mixed.score_tests import (
    KEPT_BYTES,
    MOST_COLUMNS,
    MOST_PATIENT_WORK,
    ROWS_PER_PARAMETER,
    score_tail,
)
from sidelight.families.mixed.test import DegenerateGaussian, block_scores

if TYPE_CHECKING:
    from sidelight.families.mixed.statistics import Blocks

Floats = NDArray[np.float64]


class WithinGroups(DegenerateGaussian):
    """The test for columns within groups, of which some are categories."""

    quick_work = 6_000_000  # so that a fit takes some ten milliseconds

    def in_order(self, order: Sequence[int]) -> WithinGroups:
        return WithinGroups(self.blocks.in_order(order), [self.names[v] for v in order])

    @cached_property
    def _residuals(self) -> Residuals:
        return Residuals(self.blocks)

    def scores(self) -> Mapping[str, MakeScore]:
        return block_scores(lambda: self.blocks, self.names, BlockBic)

    def keeps_level(self, x: int, y: int, given: Sequence[int]) -> bool:
        return self._can_fit(x, y, given, MOST_PATIENT_WORK)

    def _can_fit(self, x: int, y: int, given: Sequence[int], most_work: int) -> bool:
        return all(self._residuals.can_fit(v, given, most_work) for v in (x, y))

    def is_screened(self, x: int, y: int, given: Sequence[int]) -> bool:
        return bool(self._is_discrete[[x, y]].any())

    def _is_contingency(self, members: NDArray[np.int64]) -> bool:
        return False

    def _statistic(self, x: int, y: int, given: Sequence[int]) -> tuple[float, float]:
        statistics, freedom = self._statistics(np.array([x, y, *given], dtype=np.int64))
        return float(statistics[0, 1]), float(freedom[0, 1])

    def _by_scores(self, x: int, y: int, given: Sequence[int], enough: float, most_work: int) -> float:
        if not self._can_fit(x, y, given, most_work):
            return 0.0
        p = self._residuals.p_value(x, y, tuple(sorted(given)))
        if p is None:
            self.n_undecided += 1
        return 1.0 if p is None else p


class Residuals:
    """What columns have left of them, within groups, given sets of others; those of late are kept."""

    def __init__(self, blocks: Blocks) -> None:
        assert blocks.groups is not None
        self._blocks = blocks
        groups = np.unique(blocks.groups, return_inverse=True)[1].ravel()
        sizes = np.bincount(groups)
        self._order = np.argsort(groups, kind="stable")
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self._freed = (sizes / np.maximum(1, sizes - 1))[groups]
        self._kept: dict[tuple[int, tuple[int, ...]], Floats] = {}
        self._bytes = 0

    def can_fit(self, x: int, given: Sequence[int], most_work: int) -> bool:
        """True of a number; of a category where its regression has not too many columns, for the rows or the time."""
        blocks = self._blocks
        steps, width = int(blocks.n_categories[x]) - 1, int(blocks.sizes[list(given)].sum())
        parameters = steps * (1 + width)
        quick = len(blocks.codes) * parameters**2 <= most_work
        enough_rows = parameters <= blocks.n_samples / ROWS_PER_PARAMETER
        return steps == 0 or width == 0 or (width <= MOST_COLUMNS and quick and enough_rows)

    def p_value(self, x: int, y: int, given: tuple[int, ...]) -> float | None:
        """Of the sum of the products of both residuals; None where nothing is left of one of them."""
        first, second = self._of(x, given), self._of(y, given)
        products = (first[:, :, None] * second[:, None, :]).reshape(len(first), -1)
        return score_tail(products.sum(axis=0), (products * self._freed[:, None]).T @ products, None)

    def _of(self, v: int, given: tuple[int, ...]) -> Floats:
        if (v, given) not in self._kept:
            found = (
                self._of_category(v, given) if self._blocks.n_categories[v] > 1 and given else self._linear(v, given)
            )
            self._bytes += found.nbytes
            if self._bytes > KEPT_BYTES:
                self._kept.clear()
                self._bytes = found.nbytes
            self._kept[v, given] = found
        return self._kept[v, given]

    def _linear(self, v: int, given: tuple[int, ...]) -> Floats:
        blocks = self._blocks
        own, others = blocks.places([v])[: blocks.tested[v]], blocks.places(given)
        columns = blocks.columns[:, own]
        if not len(others):
            return columns
        scale = np.sqrt(np.einsum("ij,ij->j", blocks.columns, blocks.columns))
        slopes = np.linalg.solve(blocks.matrix[np.ix_(others, others)], blocks.matrix[np.ix_(others, own)])
        safe = np.where(scale > 0, scale, 1.0)
        left: Floats = columns - blocks.columns[:, others] @ (slopes * scale[own] / safe[others][:, None])
        return left

    def _of_category(self, v: int, given: tuple[int, ...]) -> Floats:
        from sidelight.kernels.grouped_logistic import fit_in_groups

        blocks = self._blocks
        codes, size = blocks.codes[:, v], int(blocks.n_categories[v])
        design = blocks.columns[:, blocks.places(given)]
        fitted, _ = fit_in_groups(design, codes, size, self._order, self._starts)
        values = blocks.lookups[v][:, : blocks.tested[v]]
        left: Floats = values[codes] - fitted @ values
        return left

    def __getstate__(self) -> dict[str, object]:
        """Without what is kept."""
        return {**vars(self), "_kept": {}, "_bytes": 0}

"""Mixed columns with missing values: each test on the rows that are complete in its columns, scores by EM."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sidelight.families.base import MakeScore
from sidelight.families.complete_rows import CompleteRowsTest
from sidelight.families.data import NumberSummary, TestData
from sidelight.families.gaussian.em import em_correlations
from sidelight.families.gaussian.incomplete import incomplete_summary, scored_size
from sidelight.families.gaussian.test import critical_correlation
from sidelight.families.mixed.statistics import RIDGE, Blocks, MixedStatistics, expand, linear_tests, rare_categories
from sidelight.families.mixed.test import (
    DegenerateGaussian,
    block_scores,
    effect_in_words,
    refined_while_strongest,
)
from sidelight.kinds.base import UsedKind
from sidelight.tables.all_rows import counted_as_rows
from sidelight.tables.findings import Finding
from sidelight.tables.table import categories_in, with_codes

Floats = NDArray[np.float64]


class PairwiseMixed(CompleteRowsTest):
    """The test for mixed columns on the rows that are complete in the columns of the test."""

    option = DegenerateGaussian.option
    effect_name = DegenerateGaussian.effect_name
    visible_name = DegenerateGaussian.visible_name
    retest_budget = 1_000
    recheck_budget = 1_000
    default_budget = DegenerateGaussian.default_budget

    def __init__(self, data: TestData) -> None:
        table, n_categories = with_codes(data.table, data.discrete)
        super().__init__(np.asarray(table.values, dtype=np.float64), table.all_names, data.weights)
        self._table, self._kinds = table, data.kinds
        self._categories = {name: categories_in(data.table, name)[0] for name in data.discrete}
        self._widths = np.maximum(1, np.array(n_categories, dtype=np.int64) - 1)

    def visible_effect(self, alpha: float, size: int) -> float:
        return critical_correlation(self.sample_size - size - 3, alpha)

    def effect_size(self, x: int, y: int, given: Sequence[int]) -> float | None:
        """On the complete rows; without a sign where a column has more than two categories, even if not in these."""
        part, (a, b, *rest) = self.part(x, y, given)
        size = None if part is None else part.effect_size(a, b, rest)
        return size if size is None or (self._widths[[x, y]] == 1).all() else abs(size)

    def effect_name_of(self, x: int, y: int) -> str:
        names = [self.names[v] for v in (x, y)]
        return effect_in_words(names, self._widths[[x, y]], [self._categories.get(name, ()) for name in names])

    def can_condition_on(self, size: int) -> bool:
        """Where all columns take part, the complete rows must be more than their numbers and indicators."""
        return super().can_condition_on(int(self._widths.sum()) if size >= len(self.names) - 2 else size)

    def on_rows(self, rows: NDArray[np.bool_], columns: Sequence[int]) -> DegenerateGaussian:
        table = self._table.part(self.names[v] for v in columns).rows(rows)
        weights = None if self._weights is None else counted_as_rows(self._weights[rows])
        return DegenerateGaussian(expand(table, self._kinds, weights), table.all_names)

    def scores(self) -> Mapping[str, MakeScore]:
        """Of the blocks' correlations by EM."""
        return block_scores(lambda: self._blocks, self.names)

    @cached_property
    def _blocks(self) -> Blocks:
        """Those of a table without gaps, whose gaps are then put back, whole blocks at a time."""
        there, names = self._there, self._table.names
        usual = [_usual(self._values[there[:, i], i], self._kinds[name]) for i, name in enumerate(names)]
        filled = replace(self._table, values=np.where(there, self._values, usual))
        blocks = expand(filled, self._kinds, self._weights)
        columns = np.where(np.repeat(there, blocks.sizes, axis=1), blocks.columns, np.nan)
        matrix = em_correlations(columns, self._weights)
        matrix[np.diag_indices_from(matrix)] = 1 + RIDGE
        return replace(blocks, matrix=matrix, n_samples=float(scored_size(there, self._weights)))

    def dependences(self, x: int, candidates: Sequence[int] | NDArray[np.int64], given: Sequence[int]) -> Floats:
        """As those on complete rows; −∞ where the rows cannot support a test."""
        rough = np.array([self._dependence(x, int(y), given) for y in candidates])
        return refined_while_strongest(
            rough, lambda best: self._dependence(x, int(candidates[best]), given, rough[best])
        )

    def _dependence(self, x: int, y: int, given: Sequence[int], rough: float | None = None) -> float:
        """The rough one or, where that is known, the refined one."""
        part, (a, b, *rest) = self.part(x, y, given)
        if not isinstance(part, DegenerateGaussian):
            return -np.inf
        found = part.rough_dependence(a, b, rest) if rough is None else part.refined_dependence(a, b, rest, rough)
        return self._noting_undecided(part, found)


def _usual(values: Floats, kind: UsedKind) -> float:
    """The most frequent code, or the mean; 0 if there is none."""
    if not len(values):
        return 0.0
    return float(np.bincount(values.astype(np.int64)).argmax()) if kind.is_coded else float(values.mean())


class IncompleteMixedStatistics(MixedStatistics):
    """The same with missing values."""

    @cached_property
    def numbers(self) -> NumberSummary | None:
        return incomplete_summary(self.data.table.part(self.data.numbers), self.data.weights)

    @property
    def is_clean(self) -> bool:
        return False  # what is estimated needs a closer look

    def test(self) -> PairwiseMixed:  # type: ignore[override]
        return PairwiseMixed(self.data)

    def findings(self) -> Iterator[Finding]:
        coded = self.coded
        unordered = [i for i, name in enumerate(coded.names) if name in self.data.discrete]
        counts = [_counts(coded.codes[:, i], self.data.weights) for i in unordered]
        yield from rare_categories([coded.names[i] for i in unordered], counts)
        yield from linear_tests(self.data.table.n_rows)


def _counts(codes: NDArray[np.integer], weights: Floats | None) -> Floats:
    """How many rows each category has."""
    there = codes >= 0
    return np.bincount(codes[there], None if weights is None else weights[there]).astype(np.float64)

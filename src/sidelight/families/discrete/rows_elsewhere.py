"""Rows of codes that the workers of a cluster keep: they count, and their counts are added up here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from sidelight.families.discrete.distinct import DistinctRows
from sidelight.families.discrete.marginal_tables import Codes, Floats, RowsHere, SomeRows
from sidelight.tables.all_rows import Kept


class RowsElsewhere:
    """Rows whose parts, each a ``RowsHere``, are kept by workers."""

    def __init__(self, parts: Kept, n_categories: Sequence[int], n_samples: int) -> None:
        self._parts, self.n_categories, self.n_samples = parts, tuple(n_categories), n_samples

    def tables(self, groups: Sequence[Sequence[int]]) -> list[Floats]:
        """The sums of what each part has, of which only the combinations that occur are sent."""
        sums = [np.zeros(int(np.prod([self.n_categories[v] for v in group]))) for group in groups]
        for found in self._parts.each(partial(_tables, groups=groups)):
            for total, (cells, counts) in zip(sums, found, strict=True):
                total[cells] += counts
        return sums

    def part(self, columns: Sequence[int]) -> SomeRows:
        """Equal rows as one; there are fewer of them than rows, since only these columns are wanted."""
        categories = [self.n_categories[v] for v in columns]
        merged = DistinctRows(categories, None, give_up=False)
        for codes, weights in self._parts.each(partial(_distinct, columns=columns, categories=categories)):
            merged.add(codes, weights)
        codes, weights = merged.finished()
        return SomeRows(codes, categories, weights, tuple(range(len(columns))))


def _tables(rows: RowsHere, groups: Sequence[Sequence[int]]) -> list[tuple[Codes, Floats]]:
    found = rows.tables(groups)
    return [(cells := np.flatnonzero(counts), counts[cells]) for counts in found]


def _distinct(rows: RowsHere, columns: Sequence[int], categories: Sequence[int]) -> tuple[Codes, Floats]:
    merged = DistinctRows(categories, None, give_up=False)
    merged.add(rows.codes[:, columns], rows.weights if len(rows.weights) else None)
    return merged.finished()

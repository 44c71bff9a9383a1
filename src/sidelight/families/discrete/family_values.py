"""Values of discrete families, a variable with its parents: from passes over the rows, or from marginal tables."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from sidelight.families.discrete.marginal_tables import MarginalTables

MOST_KEPT = 10_000_000  # numbers of rows' combinations of categories, four bytes each
NO_OTHER = -1


class RowFamilies:
    """Families that are counted in the rows.

    ``values`` has, for v with its parents and each of the others in turn (−1: none), its log marginal likelihood. The
    prior counts as so many rows, shared by all combinations (BDeu); 0: the largest log-likelihood.
    """

    def __init__(
        self, codes: NDArray[np.integer], n_categories: Sequence[int], weights: NDArray[np.float64] | None
    ) -> None:
        self.codes, self._categories = np.asfortranarray(codes), np.array(n_categories, dtype=np.int64)
        self._weights = np.empty(0) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        self._kept: dict[tuple[int, ...], tuple[NDArray[np.int32], int]] = {}

    def values(self, v: int, parents: tuple[int, ...], others: Sequence[int], prior: float) -> list[float]:
        """In one pass over the rows for each of the others."""
        from sidelight.families.discrete.kernels.families import families

        number, count = self._numbered(parents)
        possible = float(prod(self._categories[list(parents)].tolist()))
        wanted = np.array(others, dtype=np.int64)
        found = families(self.codes, v, number, count, possible, wanted, self._categories, self._weights, float(prior))
        values: list[float] = found.tolist()
        return values

    def n_observed(self, variables: tuple[int, ...]) -> int:
        """How many combinations of their categories occur; soonest known if those before the last were asked for."""
        return self._numbered(variables)[1]

    def _numbered(self, parents: tuple[int, ...]) -> tuple[NDArray[np.int32], int]:
        """For each row the number of its combination of categories, and how many occur; the last ones are kept."""
        from sidelight.families.discrete.kernels.families import refined

        if not parents:
            return np.zeros(len(self.codes), dtype=np.int32), 1
        if parents not in self._kept:
            number, count = self._numbered(parents[:-1])
            last = parents[-1]
            if len(self._kept) * len(self.codes) > MOST_KEPT:
                self._kept.clear()
            self._kept[parents] = refined(self.codes[:, last], int(self._categories[last]), number, count)
        return self._kept[parents]


class CountedFamilies:
    """Families from marginal tables; those with too many combinations from rows."""

    def __init__(self, marginal: MarginalTables) -> None:
        self._marginal, self._categories = marginal, list(marginal.rows.n_categories)
        self._of_rows: RowFamilies | None = None  # from the rows that were looked at last

    def values(self, v: int, parents: tuple[int, ...], others: Sequence[int], prior: float) -> list[float]:
        """One after the other, once what they need is counted together."""
        fixed = (*parents, v)
        self._marginal.prepare(fixed, [y for y in others if y != NO_OTHER])
        return [self._value(v, parents if y == NO_OTHER else (*parents, y), prior) for y in others]

    def _value(self, v: int, parents: tuple[int, ...], prior: float) -> float:
        from sidelight.families.discrete.kernels.families import family

        if not self._marginal.has_few((*parents, v)):
            return self._from_rows(v, parents, prior)
        counts = self._marginal.counts((*parents, v)).reshape(-1, self._categories[v])
        return float(family(counts, prior / len(counts)))

    def n_observed(self, variables: tuple[int, ...]) -> int:
        """How many combinations of their categories are known to occur: none where they are too many to count."""
        return int((self._marginal.counts(variables) > 0).sum()) if self._marginal.has_few(variables) else 0

    def _from_rows(self, v: int, parents: tuple[int, ...], prior: float) -> float:
        rows, columns = self._marginal.rows.part((*parents, v))
        if self._of_rows is None or self._of_rows.codes is not rows.codes:
            self._of_rows = RowFamilies(rows.codes, rows.n_categories, rows.weights)
        return self._of_rows.values(columns[-1], columns[:-1], [NO_OTHER], prior)[0]


FamilyValues = RowFamilies | CountedFamilies  # what scores of discrete columns are made of

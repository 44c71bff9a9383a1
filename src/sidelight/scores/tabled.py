"""Scores whose values for all sets of a few candidates are tabled before the search, so that it only looks them up."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sidelight.graphs.dag import AdjacencyArrays
from sidelight.scores.base import FoundParents, Score

MOST_CANDIDATES = 10  # of a variable; those with which it scores best
MOST_TABLED = 5  # parents in one set
LEAST_GAIN = 1e-6


class TabledScore(Score):
    """The search for scores that take a pass over the rows, or over blocks of columns."""

    reach = "neighbours"

    @abstractmethod
    def family(self, v: int, parents: tuple[int, ...]) -> float:
        """The score of a variable with these parents, in ascending order."""

    def local(self, v: int, parents: Collection[int]) -> float:
        key = (v, tuple(sorted(parents)))
        if key not in self._known:
            self._known[key] = self.family(*key)
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[int, tuple[int, ...]], float]:
        return {}

    def search(self, order: Sequence[int], candidates: Sequence[set[int]], most_parents: int) -> FoundParents:
        from sidelight.kernels.order_tables import best_subsets, search_tables

        near = [sorted(found) for found in self.strongest(candidates)]
        arrays, sizes = AdjacencyArrays.of(near), np.array([len(found) for found in near], dtype=np.int64)
        tables, first = self._tables(near, min(most_parents, MOST_TABLED))
        masks = np.zeros(len(tables), dtype=np.int64)
        best_subsets(tables, masks, first, sizes)
        before, n_moves = search_tables(
            np.array(order, dtype=np.int64), arrays.start, arrays.items, tables, first, LEAST_GAIN
        )
        parents = tuple(
            frozenset(y for bit, y in enumerate(near[v]) if masks[first[v] + before[v]] >> bit & 1)
            for v in range(len(near))
        )
        return FoundParents(parents, float(tables[first[: len(near)] + before].sum()), int(n_moves))

    def strongest(self, candidates: Sequence[set[int]]) -> list[set[int]]:
        """The pairs of candidates that score best, as long as neither of the two has many already."""
        pairs = {(x, y) for x, found in enumerate(candidates) for y in found if x < y}
        gain = {(x, y): self.local(y, (x,)) - self.local(y, ()) for x, y in pairs}
        kept: list[set[int]] = [set() for _ in candidates]
        for x, y in sorted(pairs, key=lambda pair: (-gain[pair], pair)):
            if max(len(kept[x]), len(kept[y])) < MOST_CANDIDATES:
                kept[x].add(y)
                kept[y].add(x)
        return kept

    def _tables(self, near: Sequence[list[int]], largest: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The scores of all sets of at most so many candidates, by mask; larger ones are ruled out."""
        first = np.concatenate([[0], np.cumsum([1 << len(found) for found in near])]).astype(np.int64)
        tables = np.full(int(first[-1]), -np.inf)
        for v, found in enumerate(near):
            for size in range(min(largest, len(found)) + 1):
                for bits in combinations(range(len(found)), size):
                    mask = sum(1 << bit for bit in bits)
                    tables[first[v] + mask] = self.local(v, [found[bit] for bit in bits])
        return tables, first

"""Searches for separating sets: of many pairs, each among the subsets of a pool.

Enumerating subsets is where constraint-based learners spend their time, so a search is handed to the test as a whole,
and tests that can enumerate in a kernel do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb
from threading import current_thread, main_thread
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.graphs.dag import AdjacencyArrays

Integers = NDArray[np.int64]
NO_LIMIT = 2**62
LONG = 100_000  # sets; beyond, a kernel runs in a thread of its own, so that Ctrl-C stops it


@dataclass(frozen=True)
class Searches:
    """For each pair: a search for a set that separates it, made of its base and some members of its pool.

    Sizes ascend from ``smallest`` to ``largest`` members of the pool; within a size the subsets come in lexicographic
    order. A search ends with the first set that separates. The pair itself is never part of its pool.
    """

    x: Integers
    y: Integers
    pool_of: Integers  # which row of the pools is this pair's
    pools: AdjacencyArrays
    base_of: Integers
    bases: AdjacencyArrays
    smallest: int
    largest: int
    most_given: int = NO_LIMIT  # of the base and the chosen members together

    @staticmethod
    def one(x: int, y: int, pool: Iterable[int], base: Iterable[int], smallest: int, largest: int) -> Searches:
        """The search for one pair."""
        row = np.zeros(1, dtype=np.int64)
        pools, bases = AdjacencyArrays.of([pool]), AdjacencyArrays.of([base])
        return Searches(np.array([x]), np.array([y]), row, pools, row, bases, smallest, largest)

    @staticmethod
    def many(
        pairs: Sequence[tuple[int, int]], pool_of: Sequence[int], pools: AdjacencyArrays, smallest: int, largest: int
    ) -> Searches:
        """Searches without a base, for pairs and the rows of their pools."""
        array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        rows, nothing = np.array(pool_of, dtype=np.int64), np.zeros(len(array), dtype=np.int64)
        bases = AdjacencyArrays.of([()])
        return Searches(array[:, 0].copy(), array[:, 1].copy(), rows, pools, nothing, bases, smallest, largest)

    def __len__(self) -> int:
        return len(self.x)

    def with_bases(self, bases: Sequence[Iterable[int]]) -> Searches:
        """The same, with a base for each search."""
        return replace(self, bases=AdjacencyArrays.of(bases), base_of=np.arange(len(self)))

    def at(self, some: slice | Integers) -> Searches:
        """The searches at these places."""
        return replace(self, x=self.x[some], y=self.y[some], pool_of=self.pool_of[some], base_of=self.base_of[some])

    def base(self, i: int) -> list[int]:
        """What the sets of the i-th search have in common."""
        row = self.base_of[i]
        return [int(z) for z in self.bases.items[self.bases.start[row] : self.bases.start[row + 1]]]

    def pool(self, i: int) -> list[int]:
        """What the sets of the i-th search choose from."""
        row = self.pool_of[i]
        items, pair = (
            self.pools.items[self.pools.start[row] : self.pools.start[row + 1]].tolist(),
            (self.x[i], self.y[i]),
        )
        return [z for z in items if z not in pair]

    @cached_property
    def width(self) -> int:
        """The most members that a set takes from its pool."""
        return int((self.largest_sets - self._base_sizes).max(initial=0))

    @cached_property
    def largest_sets(self) -> Integers:
        """For each search the size of its largest set; that of its base if there is none."""
        chosen = np.minimum(self._pool_sizes, max(0, self.largest))
        return self._base_sizes + np.minimum(chosen, np.maximum(0, self.most_given - self._base_sizes))

    @cached_property
    def _base_sizes(self) -> Integers:
        return np.diff(self.bases.start)[self.base_of]

    @cached_property
    def _pool_sizes(self) -> Integers:
        """How many members each can choose from, the pair itself not counted."""
        if len(self) == 1:
            return np.array([len(self.pool(0))])
        rows = np.repeat(np.arange(len(self.pools.start) - 1), np.diff(self.pools.start))
        n = int(max(self.x.max(initial=0), self.y.max(initial=0), self.pools.items.max(initial=0))) + 1
        keys = rows * n + self.pools.items
        own = [np.isin(self.pool_of * n + member, keys) for member in (self.x, self.y)]
        return np.diff(self.pools.start)[self.pool_of] - own[0] - own[1]

    def check(self, n_variables: int) -> None:
        """Raise on an index that is out of bounds, which a kernel would not notice."""
        for indices in (self.x, self.y, self.pools.items, self.bases.items):
            if indices.size and not (indices.min() >= 0 and indices.max() < n_variables):
                outside = indices[(indices < 0) | (indices >= n_variables)]
                raise InputError(f"variables must be given by position, 0 … {n_variables - 1}; got {outside[0]}")

    def may_be_long(self) -> bool:
        """True if there may be so many sets that testing them takes long."""
        n_pool, n_sets = int(self._pool_sizes.max(initial=0)), 0
        for size in range(self.smallest, self.width + 1):
            n_sets += len(self) * comb(n_pool, size)
            if n_sets > LONG:
                return True
        return False

    def arguments(self) -> Arguments:
        """As kernels take them."""
        pools = (self.pool_of, self.pools.start, self.pools.items)
        bases = (self.base_of, self.bases.start, self.bases.items)
        return Arguments(self.x, self.y, *pools, *bases, self.smallest, self.largest, self.most_given, self.width)

    def sets(self, i: int) -> Iterator[list[int]]:
        """The sets of the i-th search, in order."""
        base, pool = self.base(i), self.pool(i)
        for size in range(self.smallest, min(self.largest, len(pool), self.most_given - len(base)) + 1):
            for chosen in combinations(pool, size):
                yield [*base, *chosen]


class Arguments(NamedTuple):
    """Searches as kernels read them."""

    x: Integers
    y: Integers
    pool_of: Integers
    pool_start: Integers
    pool_items: Integers
    base_of: Integers
    base_start: Integers
    base_items: Integers
    smallest: int
    largest: int
    most_given: int
    width: int


@dataclass(frozen=True)
class Found:
    """What the searches came to.

    ``n_chosen`` is −1 where no set separates. ``weakest`` is the smallest dependence met in each search, where wanted.
    ``cut`` is True if the maximum number of tests was reached, and later searches were not made.
    """

    n_chosen: Integers
    chosen: Integers
    weakest: NDArray[np.float64]
    tests_by_size: Integers
    cut: bool

    def set_of(self, searches: Searches, i: int) -> frozenset[int] | None:
        """The set that separates the i-th pair, or None."""
        if self.n_chosen[i] < 0:
            return None
        return frozenset([*searches.base(i), *self.chosen[i, : self.n_chosen[i]].tolist()])

    def spread(self, places: Integers, n: int) -> Found:
        """The same as results of ``n`` searches, of which only those at these places were made."""
        n_chosen, weakest = np.full(n, -1, dtype=np.int64), np.full(n, np.inf)
        chosen = np.zeros((n, self.chosen.shape[1]), dtype=np.int64)
        n_chosen[places], chosen[places], weakest[places] = self.n_chosen, self.chosen, self.weakest
        return replace(self, n_chosen=n_chosen, chosen=chosen, weakest=weakest)

    @staticmethod
    def concatenated(parts: Sequence[Found]) -> Found:
        """The results of consecutive parts of some searches."""
        width = max(part.chosen.shape[1] for part in parts)
        chosen = [np.pad(part.chosen, ((0, 0), (0, width - part.chosen.shape[1]))) for part in parts]
        by_size = np.zeros(max(len(part.tests_by_size) for part in parts), dtype=np.int64)
        for part in parts:
            by_size[: len(part.tests_by_size)] += part.tests_by_size
        return Found(
            np.concatenate([part.n_chosen for part in parts]),
            np.concatenate(chosen),
            np.concatenate([part.weakest for part in parts]),
            by_size,
            any(part.cut for part in parts),
        )


def run_kernel(searches: Searches, data: tuple[object, ...], critical: NDArray[np.float64], budget: int) -> Found:
    """Search in a kernel; in a thread of its own if that may take long, so that it can be interrupted."""
    from sidelight.kernels.subsets import search_subsets

    stop = np.zeros(1, dtype=np.bool_)
    arguments = (data, critical, searches.arguments(), budget, stop)
    if budget <= LONG or not searches.may_be_long() or current_thread() is not main_thread():
        return Found(*search_subsets(*arguments))
    try:
        return Found(*ThreadPoolExecutor(1).submit(lambda: search_subsets(*arguments)).result())
    except BaseException:
        stop[0] = True
        raise

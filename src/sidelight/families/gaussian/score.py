"""The Bayesian information criterion of linear-Gaussian networks, from one correlation matrix.

A variable with parents P scores −N/2 · log(share of its variance that P leaves unexplained) − penalty · |P|/2 · log N.
The textbook's criterion has penalty 1, which adds too many edges where each parent is one of many candidates; the
extended criterion counts them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import log, log2

import numpy as np
from numpy.typing import NDArray

from sidelight.families.gaussian.correlation import Correlation
from sidelight.families.score import EBIC, LEAST_GAIN, Anneal, FoundParents, Reach, Score, Space, Tick, extended_penalty
from sidelight.graphs.dag import AdjacencyArrays
from sidelight.kernels import WELL_CONDITIONED

FEW_ROWS, FEWEST_ROWS = 20, 5  # per column; with fewer than these, sets of parents leave nothing unexplained by chance
FEW_COLUMNS, MORE_COLUMNS = 250, 400  # among which all are looked at: always, and where rows are few
AT_ONCE = 1 << 14  # sets of parents, between two of which progress is told
ROUNDING = 1e-9  # nats per row; a smaller gain may be rounding
DIGITS = 9  # of what the others explain of a variable
LAST_DIGITS, MOST_CHANGE = 2.0**-30, 0.1  # of correlations, about 1e-9; nats that a score may change without them
ENOUGH, MOST_ROUNDS = 1e-3, 100  # nats of the last round, and rounds, of the fit of what ↔ connects
# Where orders are annealed: candidates of a variable; with more columns than these, sets of candidates of them all.
MOST_CANDIDATES, FEW_TO_ANNEAL, MOST_SETS = 17, 20, 1 << 20
STEPS = 400  # of annealing for each candidate of a variable
PATIENCE = 0.5  # of what a parent costs: so much may the score fall while parents are added


class GaussianBic(Score):
    """BIC over columns of numbers, with a penalty for each parameter: this times ½ log N."""

    option = "bic"
    fits_districts = True

    def __init__(self, correlation: Correlation, penalty: float = 1.0) -> None:
        self.names, self.penalty, self._correlation = correlation.names, penalty, correlation
        self._n_rows = float(correlation.n_samples)
        self._cost = penalty * log(max(2.0, self._n_rows))
        # Workers get large matrices that cannot be written to, for which kernels would be compiled anew.
        self._all_digits = np.require(correlation.matrix, requirements=["C", "W"])
        self._matrix = self._rounded(correlation)  # what is searched by

    @classmethod
    def extended(cls, correlation: Correlation) -> GaussianBic:
        """The extended BIC."""
        score = cls(correlation, extended_penalty(correlation.n_samples, len(correlation.names)))
        score.option = EBIC
        return score

    def _rounded(self, correlation: Correlation) -> NDArray[np.float64]:
        """The correlations without their last digits, where that changes no score by much and the search is thorough.

        The last digits depend on the order and the scale of the columns, and decide which of equal moves is taken.
        """
        if self.reach != "all" or LAST_DIGITS * self._n_rows > MOST_CHANGE * correlation.smallest_pivot:
            return self._all_digits
        return np.round(correlation.matrix / LAST_DIGITS) * LAST_DIGITS

    @property
    def reach(self) -> Reach:
        """Where rows are few, boundaries have lost members, and parents are looked for more widely."""
        few_rows = self._n_rows < FEW_ROWS * len(self.names)
        return "all" if len(self.names) <= (MORE_COLUMNS if few_rows else FEW_COLUMNS) else "two edges"

    @property
    def patience(self) -> float:
        """Half the cost of a parent; among very many columns none, which takes less time."""
        return PATIENCE * self._cost / 2 if self.reach == "all" else 0.0

    @property
    def can_be_exact(self) -> bool:
        return self._n_rows >= FEWEST_ROWS * len(self.names) and self._correlation.smallest_pivot > WELL_CONDITIONED

    def best_parents(self, space: Space, order: Sequence[int] = ()) -> list[set[int]]:
        """By greedy choice, which finds what conditioning on all others hides."""
        from sidelight.families.gaussian.kernels.paths import choose_among_all

        places = np.array(order or range(len(self.names)), dtype=np.int64)
        parents = choose_among_all(
            self._matrix,
            places,
            not order,
            space.ways,
            self._n_rows,
            self._cost,
            2 * self.patience,
            space.room_for_parents,
        )
        return [set(row[1 : row[0] + 1].tolist()) for row in parents]

    def order(self) -> list[int]:
        """Those that the others explain least come first."""
        correlation = self._correlation
        explained = (self._matrix**2).sum(axis=0) if correlation.is_singular else correlation.inverse_diagonal()
        order: list[int] = np.argsort(np.round(explained, DIGITS), kind="stable").tolist()
        return order

    def local(self, v: int, parents: Collection[int]) -> float:
        from sidelight.families.gaussian.kernels.correlation import unexplained_share

        members = np.array(sorted(parents), dtype=np.int64)
        share = float(unexplained_share(self._all_digits, v, members))
        return -0.5 * (self._n_rows * log(share) + self._cost * len(members))

    def district(
        self, members: tuple[int, ...], parents: tuple[frozenset[int], ...], spouses: tuple[frozenset[int], ...]
    ) -> float:
        from sidelight.families.gaussian.kernels.districts import district_misfit

        others = sorted(frozenset().union(*parents).difference(members))
        columns = np.array([*members, *others], dtype=np.int64)
        have = [np.array([[x in row for x in columns] for row in rows]) for rows in (parents, spouses)]
        n_parameters = sum(map(len, parents)) + sum(map(len, spouses)) / 2
        misfit = district_misfit(self._all_digits, columns, *have, ENOUGH / self._n_rows, MOST_ROUNDS)
        return float(-0.5 * (self._n_rows * misfit + self._cost * n_parameters))

    def search(
        self, order: Sequence[int], space: Space, moving: Collection[int] | None = None, tick: Tick = lambda: None
    ) -> FoundParents:
        from sidelight.families.gaussian.kernels.order_search import search_orders

        n = len(order)
        everywhere = all(len(members) == n - 1 for members in space.near)
        arrays = AdjacencyArrays.complete(n) if everywhere else AdjacencyArrays.of(space.near)
        places, waiting = np.array(order, dtype=np.int64), np.full(len(order), moving is None)
        waiting[list(moving or ())] = True
        parents, scores = search_orders(
            self._matrix,
            places,
            waiting,
            arrays.start,
            arrays.items,
            space.ways,
            self._n_rows,
            self._cost,
            2 * self.patience,
            space.room_for_parents,
            LEAST_GAIN + ROUNDING * self._n_rows,
        )
        rows = parents[:, : parents[:, 0].max(initial=0) + 1].tolist()  # one call for all of them
        found = tuple(frozenset(row[1 : row[0] + 1]) for row in rows)
        return FoundParents(found, float(scores.sum()) / 2, places.tolist())

    def improved(self, found: FoundParents, space: Space) -> FoundParents:
        """With consecutive variables in their best order, and searched again from there, as long as that is better."""
        from sidelight.families.gaussian.kernels.windows import order_windows

        if self.reach != "all":
            return found
        while True:
            order = np.array(found.order, dtype=np.int64)
            order_windows(
                self._matrix,
                order,
                space.ways,
                self._n_rows,
                self._cost,
                2 * self.patience,
                space.room_for_parents,
                LEAST_GAIN + ROUNDING * self._n_rows,
            )
            moved = order[order != found.order].tolist()
            again = self.search(order.tolist(), space, moved) if moved else found
            if again.score <= found.score + LEAST_GAIN:
                return found
            found = again

    def annealing(self, seen: Sequence[Mapping[int, int]], space: Space) -> Anneal | None:
        """With the best parents among a few candidates of each variable."""
        from sidelight.families.gaussian.kernels.annealing import anneal, tables_of

        if self.reach != "all" or self._correlation.smallest_pivot <= WELL_CONDITIONED:
            return None
        most, candidates = space.room_for_parents, self._candidates(seen, space)
        if any(len(space.required(v)) >= candidates.shape[1] for v in range(len(candidates))):
            return None
        tables = tables_of(self._matrix, candidates, space.ways, self._n_rows, self._cost, most)
        n_steps = STEPS * int(candidates[:, 0].sum())

        def annealed(order: Sequence[int], seed: int) -> FoundParents:
            places = np.array(order, dtype=np.int64)
            rows, total = anneal(tables, places, n_steps, seed)
            parents = tuple(frozenset(row[1 : row[0] + 1].tolist()) for row in rows)
            return FoundParents(parents, total, places.tolist())

        return annealed

    def _candidates(self, seen: Sequence[Mapping[int, int]], space: Space) -> NDArray[np.int64]:
        """Of each variable so many candidates, and these: required ones, those seen most often, the most correlated."""
        n = len(self.names)
        most = MOST_CANDIDATES if n <= FEW_TO_ANNEAL else int(log2(MOST_SETS / n))
        most = min(most, max(1, int(self._n_rows) // FEWEST_ROWS - 1))
        rows = np.zeros((n, most + 1), dtype=np.int64)
        for v in range(n):
            required, strength = space.required(v), np.abs(self._matrix[v])
            possible = [y for y in range(n) if y != v and space.may(y, v) and (n <= FEW_TO_ANNEAL or y in seen[v])]
            possible.sort(key=lambda y: (y not in required, -seen[v].get(y, 0), -strength[y]))
            chosen = sorted(possible[:most])
            rows[v, : len(chosen) + 1] = (len(chosen), *chosen)
        return rows

    def all_families(
        self, space: Space, must: Sequence[frozenset[int]], tick: Tick = lambda: None
    ) -> NDArray[np.float64]:
        """From the correlations, each set from a smaller one by one sweep."""
        from sidelight.kernels.all_subsets import score_all_subsets

        n = len(self.names)
        left, values = np.zeros((n + 1, n + 1, n)), np.full((n, 1 << (n - 1)), -np.inf)
        left[n, :n], left[n, n] = self._matrix, np.diagonal(self._matrix)
        for first in range(0, 1 << n, AT_ONCE):
            last = min(first + AT_ONCE, 1 << n)
            score_all_subsets(self._matrix, self._n_rows, self._cost, space.room_for_parents, first, last, left, values)
            tick()
        return values

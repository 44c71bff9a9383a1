"""Scores of discrete networks from counts: marginal likelihood (BDeu), quotient NML and BIC."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log, prod, sqrt

import numpy as np
from numpy.typing import NDArray

from sidelight.scores.base import Score
from sidelight.scores.remembered import RememberedScore

MOST_KEPT = 10_000_000  # numbers of rows' combinations of categories, four bytes each


@dataclass(frozen=True)
class DiscreteRows:
    """Discrete columns as codes from 0 on. Frequency weights say how many rows a row stands for."""

    codes: NDArray[np.integer]
    n_categories: Sequence[int]
    names: Sequence[Hashable]
    weights: NDArray[np.float64] | None = None

    @property
    def n_rows(self) -> float:
        """How many rows they stand for; at least 2, so that its logarithm is a cost."""
        return max(2.0, float(len(self.codes) if self.weights is None else self.weights.sum()))


class DiscreteScore(RememberedScore):
    """What scores of discrete columns have in common: the rows, as kernels read them."""

    equivalent_sample_size = 0.0  # none: the largest likelihood

    def __init__(self, rows: DiscreteRows) -> None:
        self.names, self.rows = tuple(rows.names), rows
        self._codes = np.asfortranarray(rows.codes)
        self._categories = np.array(rows.n_categories, dtype=np.int64)
        self._weights = np.empty(0) if rows.weights is None else np.ascontiguousarray(rows.weights, dtype=np.float64)

    @property
    def sees_all(self) -> bool:
        """True: it has a parameter for every combination of categories."""
        return True

    @property
    def untested_cost(self) -> float:
        """Twice what BIC asks of a parameter; benchmarks/discrete.py scores has the figures."""
        return log(self.rows.n_rows)

    @cached_property
    def strict(self) -> Score:
        """Quotient NML adds the fewest false edges; what a score likes beyond the tests, it must like too."""
        return QuotientNml(self.rows)

    def family(self, v: int, parents: tuple[int, ...]) -> float:
        return self._values(v, parents, [-1])[0] - self.cost(v, parents)

    def families(self, v: int, parents: tuple[int, ...], others: Sequence[int]) -> list[float]:
        values = self._values(v, parents, others)
        return [value - self.cost(v, (*parents, y)) for value, y in zip(values, others, strict=True)]

    def cost(self, v: int, parents: tuple[int, ...]) -> float:
        """What the parameters of v take from the likelihood."""
        return 0.0

    def combinations(self, variables: Sequence[int]) -> float:
        """How many combinations of their categories there are."""
        return float(prod(self.rows.n_categories[v] for v in variables))

    def _values(self, v: int, parents: tuple[int, ...], others: Sequence[int]) -> list[float]:
        from sidelight.kernels.families import families

        number, count = self._numbered(parents)
        values: list[float] = families(
            self._codes,
            v,
            number,
            count,
            self.combinations(parents),
            np.array(others, dtype=np.int64),
            self._categories,
            self._weights,
            float(self.equivalent_sample_size),
        ).tolist()
        return values

    def _numbered(self, parents: tuple[int, ...]) -> tuple[NDArray[np.int32], int]:
        """For each row the number of its combination of categories, and how many occur; the last ones are kept."""
        from sidelight.kernels.families import refined

        if not parents:
            return np.zeros(len(self._codes), dtype=np.int32), 1
        if parents not in self._kept:
            number, count = self._numbered(parents[:-1])
            last = parents[-1]
            if len(self._kept) * len(self._codes) > MOST_KEPT:
                self._kept.clear()
            self._kept[parents] = refined(self._codes[:, last], int(self._categories[last]), number, count)
        return self._kept[parents]

    @cached_property
    def _kept(self) -> dict[tuple[int, ...], tuple[NDArray[np.int32], int]]:
        return {}


class BayesianDirichlet(DiscreteScore):
    """BDeu: the prior counts as ``equivalent_sample_size`` rows in each table.

    By default twice the squared mean number of categories: with many categories a prior of few rows is one of nearly
    deterministic tables, which loses edges.
    """

    option = "bdeu"

    def __init__(self, rows: DiscreteRows, equivalent_sample_size: float | None = None) -> None:
        super().__init__(rows)
        usual = 2 * float(np.mean(rows.n_categories)) ** 2
        self.equivalent_sample_size = usual if equivalent_sample_size is None else equivalent_sample_size


class DiscreteBic(DiscreteScore):
    """The likelihood, less ``penalty`` · parameters / 2 · log N."""

    option = "bic"

    def __init__(self, rows: DiscreteRows, penalty: float = 1.0) -> None:
        super().__init__(rows)
        self._of_parameter = penalty * log(rows.n_rows) / 2

    def cost(self, v: int, parents: tuple[int, ...]) -> float:
        return self._of_parameter * (self.rows.n_categories[v] - 1) * self.combinations(parents)


class QuotientNml(DiscreteScore):
    """Quotient normalized maximum likelihood (Silander et al. 2018): nothing to choose, the same within a class.

    The cost of a family is that of the variable with its parents, as one variable, less that of its parents.
    """

    option = "qnml"

    @property
    def strict(self) -> Score:
        return self

    def cost(self, v: int, parents: tuple[int, ...]) -> float:
        parent_combinations = self.combinations(parents)
        return self._regret(parent_combinations * self.rows.n_categories[v]) - self._regret(parent_combinations)

    def _regret(self, n_categories: float) -> float:
        """Of one variable (Szpankowski & Weinberger 2012), to within 0.1 nats."""
        if n_categories <= 1:
            return 0.0
        n_rows = self.rows.n_rows
        share = n_categories / n_rows
        root = (1 + sqrt(1 + 4 / share)) / 2
        return n_rows * (log(share) + (share + 2) * log(root) - 1 / root) - log(root + 2 / share) / 2

"""Scores of discrete networks from counts: marginal likelihood (BDeu), quotient NML and BIC."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log, prod, sqrt

import numpy as np
from numpy.typing import NDArray

from sidelight.families.discrete.family_values import NO_OTHER, CountedFamilies, FamilyValues, RowFamilies
from sidelight.families.discrete.marginal_tables import MarginalTables
from sidelight.families.score import Parents, RememberedScore, Score

PRIOR = 2  # rows, times the squared mean number of categories
UNTESTED = 1  # times log N


@dataclass(frozen=True)
class DiscreteRows:
    """Discrete columns as codes from 0 on. Frequency weights say how many rows a row stands for."""

    codes: NDArray[np.integer]
    n_categories: Sequence[int]
    names: Sequence[Hashable]
    weights: NDArray[np.float64] | None = None
    marginal: MarginalTables | None = None  # of the same rows, where these are very many

    @property
    def n_rows(self) -> float:
        """How many rows they stand for; at least 2, so that its logarithm is a cost."""
        if self.marginal is not None:
            return max(2.0, self.marginal.rows.n_samples)
        return max(2.0, float(len(self.codes) if self.weights is None else self.weights.sum()))

    def families(self) -> FamilyValues:
        """What scores are made of."""
        if self.marginal is not None:
            return CountedFamilies(self.marginal)
        return RowFamilies(self.codes, self.n_categories, self.weights)


class DiscreteScore(RememberedScore):
    """What scores of discrete columns have in common: families, and what their parameters cost."""

    equivalent_sample_size = 0.0  # none: the largest likelihood

    def __init__(self, rows: DiscreteRows) -> None:
        self.names, self.rows = tuple(rows.names), rows
        self._families = rows.families()

    @property
    def sees_all(self) -> bool:
        """True: it has a parameter for every combination of categories."""
        return True

    @property
    def untested_cost(self) -> float:
        """Twice what BIC asks of a parameter; benchmarks/discrete.py priors has the figures."""
        return UNTESTED * log(self.rows.n_rows)

    @cached_property
    def strict(self) -> Score:
        """Quotient NML adds the fewest false edges; what a score likes beyond the tests, it must like too."""
        return QuotientNml(self.rows)

    def family(self, v: int, parents: tuple[int, ...]) -> float:
        return self.families(v, parents, [NO_OTHER])[0]

    def families(self, v: int, parents: tuple[int, ...], others: Sequence[int]) -> list[float]:
        values = self._families.values(v, parents, others, self.equivalent_sample_size)
        with_other = [parents if y == NO_OTHER else (*parents, y) for y in others]
        return [value - self.cost(v, found) for value, found in zip(values, with_other, strict=True)]

    def cost(self, v: int, parents: tuple[int, ...]) -> float:
        """What the parameters of v take from the likelihood."""
        return 0.0

    def ceiling(self, v: int, candidates: Parents) -> Callable[[Parents], float]:
        """The largest likelihood is that with all candidates, and more parents cost no less."""
        largest = self._families.values(v, candidates, [NO_OTHER], 0)[0]
        return lambda parents: largest - self.cost(v, parents)

    def combinations(self, variables: Sequence[int]) -> float:
        """How many combinations of their categories there are."""
        return float(prod(self.rows.n_categories[v] for v in variables))


class BayesianDirichlet(DiscreteScore):
    """BDeu: the prior counts as ``equivalent_sample_size`` rows in each table.

    By default twice the squared mean number of categories: with many categories a prior of few rows is one of nearly
    deterministic tables, which loses edges.
    """

    option = "bdeu"

    def __init__(self, rows: DiscreteRows, equivalent_sample_size: float | None = None) -> None:
        super().__init__(rows)
        usual = PRIOR * float(np.mean(rows.n_categories)) ** 2
        self.equivalent_sample_size = usual if equivalent_sample_size is None else equivalent_sample_size

    def ceiling(self, v: int, candidates: Parents) -> Callable[[Parents], float]:
        """The first row with each value of v among the rows with each combination of its parents adds at most log 1/r.

        There are r values: before it, the prior expects each value alike, or others were seen. So whatever the prior,
        each combination of v and its parents that occurs takes log r, and with more parents no fewer occur. A row that
        stands for less than one may take less.
        """
        largest, weights = super().ceiling(v, candidates), self.rows.weights
        if weights is not None and weights.min(initial=1.0) < 1:
            return largest
        each = log(self.rows.n_categories[v])
        return lambda parents: min(largest(parents), -each * self._families.n_observed((v, *parents)))


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

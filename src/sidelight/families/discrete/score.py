"""Scores of discrete networks from counts: marginal likelihood (BDeu), quotient NML and BIC."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log, prod, sqrt

import numpy as np
from numpy.typing import NDArray

from sidelight.families.discrete.marginal_tables import MarginalTables
from sidelight.families.score import Parents, RememberedScore, Score, predictive_penalty

PRIOR = 2  # rows, times the squared mean number of categories
UNTESTED, CLEAR = 1, 0.5  # times log N
MOST_KEPT = 10_000_000  # numbers of rows' combinations of categories, four bytes each
NO_OTHER = -1


# Values of families, a variable with its parents: from passes over the rows, or from marginal tables.


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


# Scores.


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

    def families(self) -> RowFamilies | CountedFamilies:
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

    @property
    def clear_gain(self) -> float:
        """What BIC asks of a parameter."""
        return CLEAR * log(self.rows.n_rows)

    @cached_property
    def predictive(self) -> Score:
        return DiscreteBic(self.rows, predictive_penalty(self.rows.n_rows))

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

"""Tests of discrete columns within the strata of the conditioning set.

``MomentChiSquare`` is Pearson's χ², summed over the strata, against the gamma distribution that has its exact mean and
variance given the strata's margins; small p-values come from the exact probabilities of the small counts, since no
gamma distribution is close far out where categories are rare. Where strata have few rows, as they have when the
conditioning set is large, the usual degrees of freedom are far off: G² and χ² then reject true independences many times
too often, or, with the degrees of freedom of the full table, hardly ever anything. ``GSquare`` and ``ChiSquare`` are
the textbook tests.

**When the counts cannot support a test**, that is when no stratum has two rows that differ in both columns,
independence is not rejected: the p-value is 1. ``n_undecided`` counts such answers.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from copy import copy
from functools import cache, cached_property
from math import fsum, prod, sqrt
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.families.base import CITest, MakeScore, checked_members
from sidelight.families.data import MOST_COPIED, by_data, entropy
from sidelight.families.discrete.incomplete import filled
from sidelight.families.discrete.marginal_tables import MarginalTables, RowsElsewhere, RowsHere, occurring
from sidelight.families.discrete.score import BayesianDirichlet, DiscreteBic, DiscreteRows, QuotientNml
from sidelight.families.gaussian.incomplete import scored_size, typically_together
from sidelight.families.tails import REFINED, ROUGH_SCORE, far_tail, normal_score, wilson_hilferty

MANY_ROWS, MOST_COLUMNS = 500_000, 100  # from where on, and up to where, marginal tables are quicker
NO_CELLS = np.empty((0, 4))
FEW_CATEGORIES = 8  # columns with more categories have no bitmaps, which thus take no more memory than the codes
Floats = NDArray[np.float64]


class Counts(NamedTuple):
    """A statistic over all strata, its degrees of freedom, Pearson's exact moments, and the rows it comes from.

    ``n_free`` is how many cells outside of the largest rows and columns were written down, if that was wanted.
    """

    statistic: float
    freedom: float
    mean: float
    variance: float
    rows: float
    n_free: float


@cache
def _kernels() -> ModuleType:
    """Imported on first use: an import in every answer costs as much as counting a few thousand rows.

    A test does not keep them: numba would compile what it is sent to a worker with.
    """
    from sidelight.families.discrete.kernels import tables

    return tables


@cache
def _gamma_tail() -> Callable[[float, float], float]:
    from scipy.special import gammaincc

    return gammaincc  # type: ignore[no-any-return]


class Contingency(CITest):
    """A test on contingency tables. Frequency weights say how many rows a row stands for."""

    pearson: bool
    takes_copies_for_evidence = True
    loses_power = True
    false_members: float = 0.2  # benchmarks/discrete.py choices has the figures
    effect_name = "Cramér's V"
    visible_name = "associations with Cramér's V"
    retest_budget = 5_000
    default_budget = 500_000
    recheck_budget = 5_000

    def __init__(
        self,
        codes: NDArray[np.integer],
        n_categories: Sequence[int],
        names: Sequence[Hashable],
        weights: Floats | None = None,
        categories: Sequence[Sequence[object]] | None = None,
        marginal: MarginalTables | None = None,
    ) -> None:
        self.names = tuple(names)
        self.n_undecided = 0
        self.categories = [range(count) for count in n_categories] if categories is None else categories
        self._codes = np.asfortranarray(codes)
        self._categories = np.array(n_categories, dtype=np.int64)
        self._weights = np.empty(0) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        if marginal is None and worth_counting(self._codes, weights):
            marginal = MarginalTables(RowsHere(self._codes, list(n_categories), weights))
        self._marginal = marginal  # where rows are very many
        self._bits, self._first = _bitmaps(self._codes, self._categories, weights is None and marginal is None)

    @property
    def in_one_process(self) -> bool:  # type: ignore[override]
        """True where rows are very many, or elsewhere."""
        return self._marginal is not None

    @property
    def sample_size(self) -> int:
        """All rows; with gaps, how many rows two columns typically have in common."""
        if self._marginal is not None:
            return self._marginal.rows.n_samples
        weights = self._weights if len(self._weights) else None
        if (self._codes < 0).any():
            return typically_together(self._codes >= 0, weights)
        return len(self._codes) if weights is None else int(weights.sum())

    def seconds_per_graph(self) -> float:
        return 0.01 + 2.5e-4 * len(self.names) ** 2 * (1 + self.sample_size / 5000)

    def visible_effect(self, alpha: float, size: int) -> float:
        """Of two columns with two categories each; with more, an effect must be larger to be seen."""
        from scipy.special import gammainccinv

        return min(1.0, sqrt(2 * gammainccinv(0.5, alpha) / max(1, self.sample_size)))

    def effect_size(self, x: int, y: int, given: Sequence[int]) -> float:
        """Cramér's V within the strata, without its bias; of two categories each, φ, which has a sign."""
        counts = self._count_each(x, (y,), given, pearson=True)[0]
        v = _corrected_v(counts.statistic, counts.mean, counts.rows, int(self._categories[[x, y]].min()))
        return v * _direction(*self._cells((x, y, *given))) if self._is_binary(x, y) else v

    def _cells(self, columns: Sequence[int]) -> tuple[NDArray[np.integer], Floats]:
        """The codes in these columns, and the weights of the rows; of many rows, combinations and their counts."""
        if self._marginal is None:
            return self._codes[:, columns], self._weights
        if self._marginal.has_few(columns):
            return occurring(self._marginal.counts(columns), self._categories[list(columns)].tolist())
        rows, places = self._marginal.rows.part(columns)
        return rows.codes[:, places], rows.weights

    def effect_name_of(self, x: int, y: int) -> str:
        if not self._is_binary(x, y):
            return self.effect_name
        return measured("phi coefficient", [self.names[v] for v in (x, y)], [self.categories[v][1] for v in (x, y)])

    def _is_binary(self, x: int, y: int) -> bool:
        return bool((self._categories[[x, y]] == 2).all())

    def data_order(self) -> list[int] | None:
        """By entropy; then by how much each depends on the others. None where the codes are too many to be copied."""
        n = len(self.names)
        if self._codes.nbytes > MOST_COPIED:
            return None

        def dependence(x: int) -> float:
            others = [y for y in range(n) if y != x]
            return fsum(counts.statistic for counts in self._count_each(x, others, (), pearson=True))

        return by_data(self.names, [(entropy(self._sizes(v)),) for v in range(n)], dependence)

    def _sizes(self, v: int) -> Floats:
        """How many rows each category of a column has."""
        if self._marginal is not None:
            return self._marginal.counts([v])
        there = self._codes[:, v] >= 0
        return np.bincount(self._codes[there, v], self._weights[there] if len(self._weights) else None).astype(float)

    def in_order(self, order: Sequence[int]) -> Contingency:
        columns, other = list(order), copy(self)
        vars(other).pop("_rows", None)
        other.names = tuple(self.names[v] for v in columns)
        other.categories = [self.categories[v] for v in columns]
        other._codes, other._categories = self._codes.T[columns].T, self._categories[columns]
        other._first, other.n_undecided = self._first[columns], 0
        if self._marginal is not None:
            rows, weights = self._marginal.rows, self._weights if len(self._weights) else None
            if isinstance(rows, RowsElsewhere):
                other._marginal = MarginalTables(rows.in_order(columns))
            else:
                other._marginal = MarginalTables(RowsHere(other._codes, other._categories.tolist(), weights))
        return other

    def scores(self) -> Mapping[str, MakeScore]:
        """Of rows whose gaps, if there are any, are filled."""
        return {
            BayesianDirichlet.option: lambda penalty: BayesianDirichlet(self._rows),
            DiscreteBic.option: lambda penalty: DiscreteBic(self._rows, penalty),
            QuotientNml.option: lambda penalty: QuotientNml(self._rows),
        }

    @cached_property
    def _rows(self) -> DiscreteRows:
        weights = self._weights if len(self._weights) else None
        rows = DiscreteRows(self._codes, self._categories.tolist(), self.names, weights, self._marginal)
        if self._marginal is not None:
            return rows  # it has no gaps
        there = self._codes >= 0
        return rows if there.all() else filled(rows, scored_size(there, weights))

    @abstractmethod
    def gamma(self, counts: Counts, x: int, y: int, given: Sequence[int]) -> tuple[float, float]:
        """Shape of the gamma distribution that the statistic has under independence, and the statistic on its scale.

        A χ² distribution has half its degrees of freedom as shape, and half the statistic on this scale.
        """

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        return self._p_of(self.count(x, y, given), x, y, given)

    def p_values(self, x: int, candidates: Sequence[int] | NDArray[np.int64], given: Sequence[int]) -> Floats:
        counted = zip(candidates, self._count_each(x, candidates, given), strict=True)
        return np.array([self._p_of(counts, x, int(y), given) for y, counts in counted])

    def _p_of(self, counts: Counts, x: int, y: int, given: Sequence[int]) -> float:
        shape, value = self.gamma(counts, x, y, given)
        if shape <= 0:
            self.n_undecided += 1
            return 1.0
        return self.refined(float(_gamma_tail()(shape, value)), counts, x, y, given)

    def refined(self, p: float, counts: Counts, x: int, y: int, given: Sequence[int]) -> float:
        """The p-value, where something better than the gamma distribution is known."""
        return p

    def dependences(self, x: int, candidates: Sequence[int] | NDArray[np.int64], given: Sequence[int]) -> Floats:
        """Normal scores, which rank as p-values do, also where these are 0."""
        scores = np.full(len(candidates), -np.inf)
        for i, (y, counts) in enumerate(zip(candidates, self._count_each(x, candidates, given), strict=True)):
            shape, value = self.gamma(counts, x, y, given)
            if shape <= 0:
                self.n_undecided += 1
            else:
                scores[i] = wilson_hilferty(shape, value)
                if scores[i] > ROUGH_SCORE:
                    scores[i] = normal_score(self._p_of(counts, x, int(y), given), scores[i])
        return scores

    def count(self, x: int, y: int, given: Sequence[int]) -> Counts:
        """The statistic summed over the strata, with what it is compared to."""
        return self._count_each(x, (y,), given)[0]

    def _count_each(
        self,
        x: int,
        candidates: Sequence[int] | NDArray[np.int64],
        given: Sequence[int],
        free: Floats = NO_CELLS,
        pearson: bool | None = None,
    ) -> list[Counts]:
        members = checked_members([*sorted(given), *candidates, x], len(self.names))
        strata_of, others = members[: len(given)], members[len(given) : -1]
        kind = self.pearson if pearson is None else pearson
        if self._marginal is not None:
            return list(_counted(self._marginal, x, others.tolist(), strata_of.tolist(), kind, free))
        columns = (self._codes, self._bits, self._first, self._categories)
        counted = _kernels().contingency_statistics(*columns, x, others, strata_of, self._weights, kind, free)
        return [Counts(*row) for row in counted.tolist()]


def worth_counting(codes: NDArray[np.integer], weights: Floats | None) -> bool:
    """Do marginal tables pay? They need whole weights and no gaps, and many rows of few columns."""
    n_rows, n_columns = codes.shape
    if n_rows < MANY_ROWS or n_columns > MOST_COLUMNS:
        return False
    return codes.min(initial=0) >= 0 and (weights is None or bool((weights == np.floor(weights)).all()))


def _counted(
    marginal: MarginalTables, x: int, others: list[int], given: list[int], pearson: bool, free: Floats
) -> Iterator[Counts]:
    """The statistics of x with each of the others from marginal tables, or from rows if combinations are too many."""
    marginal.prepare([*given, x], others)
    categories = marginal.rows.n_categories
    for y in others:
        columns, sums = [*given, x, y], np.zeros((1, len(Counts._fields)))
        if marginal.has_few(columns):
            tables = marginal.counts(columns).reshape(-1, categories[x], categories[y])
            _kernels().add_strata(tables, pearson, sums[0], free)
        else:
            rows, places = marginal.rows.part(columns)
            place, (bits, first) = np.array(places), _bitmaps(rows.codes, rows.categories, wanted=False)
            of_rows, members = (rows.codes, bits, first, rows.categories), (place[-2], place[-1:], place[:-2])
            sums = _kernels().contingency_statistics(*of_rows, *members, rows.weights, pearson, free)
        yield Counts(*sums[0].tolist())


def _bitmaps(
    codes: NDArray[np.integer], categories: NDArray[np.int64], wanted: bool
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """One bit per row for every category of a column with few, and where each column's begin (−1: it has none).

    Weighted rows cannot be counted by bits.
    """
    few = (categories <= FEW_CATEGORIES) & wanted
    width = np.where(few, categories, 0)
    first = np.where(few, np.cumsum(width) - width, -1)
    bits = np.zeros((int(width.sum()), 8 * -(-len(codes) // 64)), dtype=np.uint8)
    for column in np.flatnonzero(few).tolist():
        for code in range(categories[column]):
            ones = np.packbits(codes[:, column] == code)
            bits[first[column] + code, : len(ones)] = ones
    return bits.view(np.uint64), first


def _corrected_v(statistic: float, mean: float, rows: float, n_categories: int) -> float:
    """Cramér's V without the bias that χ² has (Bergsma 2013): χ² counts as far as it exceeds its expectation.

    Summed over strata, χ² has an expectation that grows with their number, and so has an uncorrected V.
    """
    if rows <= 0 or n_categories < 2:
        return 0.0
    return min(1.0, sqrt(max(0.0, statistic - mean) / (rows * (n_categories - 1))))


def _direction(codes: NDArray[np.integer], weights: Floats) -> float:
    """1 if the second categories of the first two columns go together within strata of the others, −1 if not.

    The numerator of Mantel and Haenszel's odds ratio against its denominator.
    """
    complete = (codes >= 0).all(axis=1)
    kept, counts = codes[complete].astype(np.int64), weights[complete] if len(weights) else None
    stratum = np.zeros(len(kept), dtype=np.int64)
    for column in kept.T[2:]:  # one at a time: sorting numbers is many times quicker than sorting rows
        stratum = np.unique(stratum * (column.max(initial=0) + 1) + column, return_inverse=True)[1]
    cells = 4 * stratum + 2 * kept[:, 0] + kept[:, 1]
    table = np.bincount(cells, counts, 4 * (int(stratum.max(initial=-1)) + 1)).reshape(-1, 4)
    difference = (table[:, 3] * table[:, 0] - table[:, 1] * table[:, 2]) / table.sum(axis=1)
    return 1.0 if difference.sum() >= 0 else -1.0


def measured(measure: str, names: Sequence[Hashable], categories: Sequence[object]) -> str:
    """The name of a measure with the categories that its sign refers to; None for a number.

    ``partial correlation with sex=male``, ``phi coefficient of smokes=yes with cancer=yes``.
    """
    of, *others = [
        f"{name}={category}" for name, category in zip(names, categories, strict=True) if category is not None
    ]
    return f"{measure} of {of} with {others[0]}" if others else f"{measure} with {of}"


class MomentChiSquare(Contingency):
    """Pearson's χ² with its exact moments; the default for discrete tables."""

    option = "chi2-moments"
    pearson = True

    def gamma(self, counts: Counts, x: int, y: int, given: Sequence[int]) -> tuple[float, float]:
        if counts.variance <= 0:
            return 0.0, 0.0
        scale = counts.variance / counts.mean
        return counts.mean / scale, counts.statistic / scale

    def refined(self, p: float, counts: Counts, x: int, y: int, given: Sequence[int]) -> float:
        """Small p-values from the exact probabilities of the counts in rare categories."""
        if p > REFINED:
            return p
        free = np.ones((int(counts.freedom), 4))
        n_free = int(self._count_each(x, (y,), given, free)[0].n_free)
        return far_tail(free[:n_free], counts.statistic, counts.mean, counts.variance, p)


class _Asymptotic(Contingency):
    """A statistic against χ², with the degrees of freedom of what occurs in each stratum, or of the full table."""

    def __init__(
        self,
        codes: NDArray[np.integer],
        n_categories: Sequence[int],
        names: Sequence[Hashable],
        weights: Floats | None = None,
        categories: Sequence[Sequence[object]] | None = None,
        marginal: MarginalTables | None = None,
        adjusted: bool = True,
    ) -> None:
        super().__init__(codes, n_categories, names, weights, categories, marginal)
        self.adjusted = adjusted

    def gamma(self, counts: Counts, x: int, y: int, given: Sequence[int]) -> tuple[float, float]:
        freedom = counts.freedom
        if not self.adjusted:
            x_categories, y_categories, *others = (int(self._categories[v]) for v in (x, y, *given))
            freedom = float((x_categories - 1) * (y_categories - 1) * prod(others))
        return freedom / 2, max(0.0, counts.statistic) / 2


class GSquare(_Asymptotic):
    """The likelihood-ratio test G²."""

    option = "g2"
    pearson = False


class ChiSquare(_Asymptotic):
    """Pearson's χ² test."""

    option = "chi2"
    pearson = True

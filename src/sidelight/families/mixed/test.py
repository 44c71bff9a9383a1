"""Mixed continuous and discrete columns, each pair with the model that is right for it.

*Two numbers*, and a number and a category given nothing: a likelihood-ratio test on blocks of indicator columns
(degenerate Gaussian). With K the inverse of the members' joint correlation matrix, the likelihood ratio of x and y
given all the other members is −N log(det K_xy / (det K_x det K_y)), on |x|·|y| degrees of freedom. One inverse answers
all pairs. N is corrected as Bartlett does, N − 1 − |S| − (|x| + |y| + 1) / 2, so that small samples do not reject too
often.

*Two categories given categories*: χ² within strata, as in tables without numbers; scores within strata if one of the
two is ordered (``sidelight.families.mixed.score_tests``).

*Otherwise* a linear adjustment leaves true independences dependent, such as that of two effects of a number given it.
So the block test only screens, and score tests in the logistic regressions of x on the set, of y on it, or of both if
both are discrete, decide: independence is rejected if all of them reject it. Any of these models may be wrong if
another one is right. Given more than 20 numbers and indicators, or so many that a regression has a parameter for fewer
than five rows, the block test decides alone.

*An ordered category* is one column of normal scores where it is tested, and all its categories where it is conditioned
on. Its regression has proportional odds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sidelight.families.base import BoundaryChoice, CITest, LazyAnswers, MakeScore, checked_members
from sidelight.families.data import MOST_COPIED, by_data, entropy
from sidelight.families.discrete.test import MomentChiSquare, measured
from sidelight.families.gaussian.test import ROWS_PER_COLUMN, critical_correlation
from sidelight.families.mixed.score import MOST_ROWS, BlockBic, LikelihoodBic
from sidelight.families.mixed.score_tests import MOST_PATIENT_WORK, MOST_WORK, ScoreTests
from sidelight.families.score import EBIC
from sidelight.families.tails import ROUGH_SCORE, normal_score, wilson_hilferty

if TYPE_CHECKING:
    from sidelight.families.mixed.statistics import Blocks

Floats = NDArray[np.float64]


class DegenerateGaussian(CITest):
    """The test for mixed columns; for continuous columns alone it is close to Fisher's Z."""

    option = "mixed"
    false_members = 2
    takes_copies_for_evidence = True
    effect_name = "partial correlation"
    visible_name = "partial correlations"
    retest_budget = 5_000
    default_budget = 100_000
    recheck_budget = 5_000
    quick_work = MOST_WORK  # of a fit while learning, which asks thousands of questions

    def __init__(self, blocks: Blocks, names: Sequence[Hashable]) -> None:
        self.names = tuple(names)
        self.n_undecided = 0
        self.blocks = blocks
        self._sizes = blocks.sizes
        self._is_discrete = blocks.n_categories > 1
        self.n_samples, self.n_columns = blocks.n_samples, len(blocks.matrix)

    def data_order(self) -> list[int] | None:
        """By kind, and by what each shares with all others. None where the codes are too many to be copied."""
        blocks = self.blocks
        if blocks.codes.nbytes > MOST_COPIED:
            return None
        shared, n = np.sort(blocks.shared(), axis=1).sum(axis=1), len(self.names)
        keys = [(float(blocks.n_categories[v]), float(blocks.is_ordinal[v]), float(shared[v])) for v in range(n)]
        return by_data(self.names, keys, lambda v: self._spread(v))

    def _spread(self, v: int) -> float:
        """The entropy of a category; 0 for a number."""
        blocks = self.blocks
        return entropy(np.bincount(blocks.codes[:, v], blocks.weights)) if blocks.n_categories[v] > 1 else 0.0

    def in_order(self, order: Sequence[int]) -> DegenerateGaussian:
        return DegenerateGaussian(self.blocks.in_order(order), [self.names[v] for v in order])

    @cached_property
    def _scores(self) -> ScoreTests:
        """Score tests in regressions, and of ordered categories within strata."""
        return ScoreTests(self.blocks)

    @cached_property
    def _counts(self) -> MomentChiSquare:
        """Tests of categories within strata."""
        blocks = self.blocks
        return MomentChiSquare(blocks.codes, blocks.n_categories.tolist(), self.names, blocks.weights)

    def default_boundaries(self, alpha: float) -> BoundaryChoice:
        many = self.n_samples >= ROWS_PER_COLUMN * self.n_columns
        return BoundaryChoice("tc" if many else "iamb", super().default_boundaries(alpha).alpha)

    @property
    def sample_size(self) -> int:
        return int(self.n_samples)

    def seconds_per_graph(self) -> float:
        return 0.01 + 2e-6 * len(self.names) ** 2 * self.sample_size

    def visible_effect(self, alpha: float, size: int) -> float:
        """Of two numbers given numbers; categories take more columns, and more rows."""
        return critical_correlation(self.sample_size - size - 3, alpha)

    def effect_size(self, x: int, y: int, given: Sequence[int]) -> float:
        """The partial correlation of numbers, or of indicators of two categories; with more, what is like it.

        That is √(1 − Λ^(1/s)) with Wilks' Λ and s the smaller number of columns: the multiple correlation of a number
        with the indicators of a category, a mean of the canonical correlations of two categories.
        """
        from sidelight.families.mixed.kernels import block_dependences

        members = checked_members([x, y, *given], len(self.names))
        widths = self._sizes[members]
        widths[:2] = tested = self.blocks.tested[members[:2]]
        precision, start = self._precision(members, widths)
        if (tested == 1).all():
            correlation = -precision[0, 1] / np.sqrt(precision[0, 0] * precision[1, 1])
            return float(correlation * self._orientation(x) * self._orientation(y))
        dependence = block_dependences(precision, start, widths)[0, 1]
        return float(np.sqrt(-np.expm1(-dependence / max(1, tested.min()))))

    def effect_name_of(self, x: int, y: int) -> str:
        names, categories = [self.names[v] for v in (x, y)], [self.blocks.categories[v] for v in (x, y)]
        return effect_in_words(names, self.blocks.tested[[x, y]], categories)

    def _orientation(self, v: int) -> int:
        """−1 if the indicator of a column with two categories is that of the one that comes first in order."""
        categories = self.blocks.categories[v]
        return -1 if len(categories) == 2 and _in_order(categories[1]) < _in_order(categories[0]) else 1

    def scores(self) -> Mapping[str, MakeScore]:
        quick = len(self.blocks.codes) <= MOST_ROWS
        return block_scores(lambda: self.blocks, self.names, LikelihoodBic if quick else BlockBic)

    def can_condition_on(self, size: int) -> bool:
        widest = int(np.sort(self._sizes)[-size:].sum()) if size else 0
        return self.n_samples > widest + 5

    def keeps_level(self, x: int, y: int, given: Sequence[int]) -> bool:
        """False for a category that is tested by a linear model, since its regression has too many columns."""
        responses = [v for v in (x, y) if self._is_discrete[v]]
        if not given or not responses or self._is_discrete[[x, y, *given]].all():
            return True
        return any(self._scores.can_fit(v, given, MOST_PATIENT_WORK) for v in responses)

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        return self._p(x, y, given, 1.0, MOST_PATIENT_WORK)

    def rejects(self, x: int, others: NDArray[np.int64], given: Sequence[int], alpha: float) -> NDArray[np.bool_]:
        return np.array([self._p(x, int(y), given, alpha, MOST_PATIENT_WORK) <= alpha for y in others], dtype=np.bool_)

    def independent(self, x: int, y: int, given: Sequence[int], alpha: float) -> bool:
        return self._p(x, y, given, alpha, self.quick_work) > alpha

    def answers(
        self, members: Sequence[int], alpha: float, left_out: Sequence[int] = ()
    ) -> NDArray[np.bool_] | LazyAnswers:
        from scipy.special import gammainccinv

        kept = [z for z in members if z not in left_out]
        array = checked_members(kept, len(self.names))
        statistic, freedom = self._statistics(array)
        screened: NDArray[np.bool_] = (freedom == 0) | (statistic <= 2 * gammainccinv(freedom / 2, alpha))
        discrete = self._is_discrete[array]
        return _Screened(self, kept, alpha, screened, discrete) if discrete.any() else screened

    def dependences(self, x: int, candidates: Sequence[int] | NDArray[np.int64], given: Sequence[int]) -> Floats:
        """Normal scores, which rank as p-values do for the strongest candidate; others may have that of the block test.

        What score tests find is never stronger, so they are made for the strongest until it stays so.
        """
        rough = np.array([self.rough_dependence(x, int(y), given) for y in candidates])
        return refined_while_strongest(
            rough, lambda best: self.refined_dependence(x, int(candidates[best]), given, rough[best])
        )

    def rough_dependence(self, x: int, y: int, given: Sequence[int]) -> float:
        """The normal score of the block test, or of χ² where all are discrete; −∞, and counted, if undecided."""
        members = checked_members([x, y, *given], len(self.names))
        if self._is_contingency(members):
            return self._noting_undecided(float(self._counts.dependences(x, [y], given)[0]))
        statistic, freedom = self._statistic(x, y, given)
        if freedom == 0:
            self.n_undecided += 1
            return -np.inf
        return wilson_hilferty(freedom / 2, statistic / 2)

    def _is_contingency(self, members: NDArray[np.int64]) -> bool:
        """True for two unordered categories given categories of either kind."""
        return bool(self._is_discrete[members].all() and not self.blocks.is_ordinal[members[:2]].any())

    def refined_dependence(self, x: int, y: int, given: Sequence[int], rough: float) -> float:
        """The same with score tests, where they decide; never stronger."""
        if not self.is_screened(x, y, given):
            return rough
        return min(rough, normal_score(self._by_scores(x, y, given, 1.0, self.quick_work), rough))

    def is_screened(self, x: int, y: int, given: Sequence[int]) -> bool:
        """True where the block test only screens, and score tests decide, if they can be made."""
        return not self._is_discrete[[x, y, *given]].all()

    def _p(self, x: int, y: int, given: Sequence[int], enough: float, most_work: int) -> float:
        """The p-value; where it is larger than ``enough``, any number up to it that is larger, too."""
        from scipy.special import gammaincc

        members = checked_members([x, y, *given], len(self.names))
        if self._is_contingency(members):
            return self._noting_undecided(self._counts.p_value(x, y, given))
        statistic, freedom = self._statistic(x, y, given)
        if freedom == 0:  # a category that does not vary, or too few rows
            self.n_undecided += 1
            return 1.0
        p = float(gammaincc(freedom / 2, statistic / 2))
        enough_said = p > enough or not self.is_screened(x, y, given)
        return p if enough_said else max(p, self._by_scores(x, y, given, enough, most_work))

    def _statistic(self, x: int, y: int, given: Sequence[int]) -> tuple[float, float]:
        """A statistic that is nearly χ², and its degrees of freedom: within strata where all are discrete."""
        members = np.array([x, y, *given], dtype=np.int64)
        if self._is_discrete[members].all():
            return self._scores.within_strata(x, y, given)
        statistics, freedom = self._statistics(members)
        return float(statistics[0, 1]), float(freedom[0, 1])

    def _by_scores(self, x: int, y: int, given: Sequence[int], enough: float, most_work: int) -> float:
        largest = 0.0
        for response, other in ((x, y), (y, x)):
            if not self._scores.can_fit(response, given, most_work):
                continue
            p = self._scores.p_value(response, other, given)
            if p is None:
                self.n_undecided += 1
                return 1.0
            largest = max(largest, p)
            if largest > enough:
                break
        return largest

    def _noting_undecided(self, answer: float) -> float:
        self.n_undecided += self._counts.n_undecided
        self._counts.n_undecided = 0
        return answer

    def _statistics(self, members: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Statistics and degrees of freedom of all pairs of members given all the other members.

        A pair that the rows are too few for has no degrees of freedom.
        """
        from sidelight.families.mixed.kernels import block_dependences

        sizes, tested = self._sizes[members], self.blocks.tested[members]
        precision, start = self._precision(members, sizes)
        conditioned = len(precision) - (sizes[:, None] + sizes)
        weight = self.blocks.n_samples - 1 - conditioned - (tested[:, None] + tested + 1) / 2
        statistic = np.maximum(weight, 0.0) * block_dependences(precision, start, tested)
        return statistic, np.where(weight > 0, tested[:, None] * tested, 0).astype(np.float64)

    def _precision(self, members: NDArray[np.int64], widths: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
        """The inverse of the joint correlation matrix of so many columns of each member, and where each begins."""
        start = np.zeros(len(members) + 1, dtype=np.int64)
        np.cumsum(widths, out=start[1:])
        first = self.blocks.start[members]
        columns = np.concatenate([np.arange(at, at + width) for at, width in zip(first, widths, strict=True)])
        return np.linalg.inv(self.blocks.matrix[np.ix_(columns, columns)]), start


def _in_order(category: object) -> tuple[float, str]:
    """Numbers by size, texts as in a dictionary."""
    return (float(category), "") if isinstance(category, int | float) else (0.0, str(category))


def effect_in_words(
    names: Sequence[Hashable], widths: NDArray[np.int64], categories: Sequence[tuple[object, ...]]
) -> str:
    """What the effect size of two variables with so many tested columns measures; numbers have no categories."""
    if (widths > 1).any():
        return "partial canonical correlation" if (widths > 1).all() else "partial multiple correlation"
    if not any(categories):
        return DegenerateGaussian.effect_name
    later = [max(values, key=_in_order, default=None) for values in categories]
    return measured(DegenerateGaussian.effect_name, names, later)


def block_scores(
    blocks: Callable[[], Blocks], names: Sequence[Hashable], score: type[BlockBic] = BlockBic
) -> dict[str, MakeScore]:
    """The scores for mixed columns; the extended criterion has no penalty to choose."""
    return {
        EBIC: lambda penalty: score.extended(blocks(), names),
        score.option: lambda penalty: score(blocks(), names, penalty),
    }


def refined_while_strongest(rough: Floats, refine: Callable[[int], float]) -> Floats:
    """Dependences, of which the strongest is refined until it stays the strongest; refining makes none stronger."""
    result, waiting = rough.copy(), rough > ROUGH_SCORE
    while waiting.any() and waiting[best := int(np.argmax(result))]:
        waiting[best] = False
        result[best] = refine(best)
    return result


class _Screened(LazyAnswers):
    """Answers of the block test; those on discrete columns are computed when they are read, if it does not suffice."""

    def __init__(
        self,
        test: CITest,
        members: Sequence[int],
        alpha: float,
        screened: NDArray[np.bool_],
        discrete: NDArray[np.bool_],
    ) -> None:
        super().__init__(test, members, alpha)
        self._screened, self._discrete = screened, discrete

    def __getitem__(self, pair: tuple[int, int]) -> bool:
        i, j = pair
        separated = bool(self._screened[i, j])
        if not (self._discrete[i] or self._discrete[j]) or (separated and not self._discrete.all()):
            return separated
        return super().__getitem__(pair)

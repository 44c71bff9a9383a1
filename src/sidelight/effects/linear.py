"""Effects among numbers, from their covariances: regressions on the causes and what is adjusted for.

An effect that no adjustment gives, of several causes at once, is put together from the regressions of all variables
between on their parents (Guo & Perković 2022), with its error by the delta method. Where rows come in groups, errors
are those of the sums of the scores of each group (Liang & Zeger 1986), and as many groups, less one, are their degrees
of freedom.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.effects.permuted import NumberRows, drawn
from sidelight.errors import InputError
from sidelight.graphs.ancestral import reached
from sidelight.graphs.dag import Dag
from sidelight.text.sentences import counted, listed

Floats = NDArray[np.float64]
NORMAL = float("inf")  # degrees of freedom
SEED = 0


@dataclass(frozen=True)
class Estimated:
    """A figure with its standard error, the degrees of freedom of that, and how large the figure can be."""

    value: float
    error: float
    freedom: float = NORMAL
    largest: float = float("inf")

    def interval(self, level: float) -> tuple[float, float]:
        """Symmetric around the value, as far as it can be."""
        reach = self.error * quantile(0.5 + level / 2, self.freedom) if self.error else 0.0
        return max(self.value - reach, -self.largest), min(self.value + reach, self.largest)


@dataclass(frozen=True)
class Contrast:
    """What changes in the target when the causes go from one value to another; the share of it that each cause has.

    For probabilities the logarithms of their ratio and of the ratio of their odds are there too.
    """

    total: Estimated
    by_cause: tuple[Estimated, ...] = ()
    log_risk_ratio: Estimated | None = None
    log_odds_ratio: Estimated | None = None


NONE = Contrast(Estimated(0.0, 0.0))


class Regression(NamedTuple):
    """Slopes, the covariance of their errors, degrees of freedom; what each group of rows, if any, adds to an error."""

    slopes: Floats
    errors: Floats
    freedom: float
    by_group: Floats | None = None


def quantile(share: float, freedom: float) -> float:
    """Of Student's t distribution, or of the normal one."""
    from scipy.special import ndtri, stdtrit

    return float(ndtri(share) if freedom == NORMAL else stdtrit(freedom, share))


@dataclass(frozen=True)
class LinearEstimator:
    """Regressions by covariances of so many rows; ``changes`` say by how much each cause is raised.

    ``rows`` are those that the covariances come from, where they are in memory.
    """

    names: tuple[Hashable, ...]
    covariance: Floats
    n_rows: float
    rows: NumberRows | None = None

    @property
    def has_rows(self) -> bool:
        """False where there is nothing but correlations, or sums over rows that are not in memory."""
        return self.rows is not None

    @property
    def in_groups(self) -> bool:
        """True where rows come in groups, whose errors are not independent."""
        return self.rows is not None and self.rows.groups is not None

    @property
    def is_weighted(self) -> bool:
        """True where rows have weights."""
        return self.rows is not None and self.rows.weights is not None

    @property
    def spreads(self) -> Floats:
        """The standard deviation of each column."""
        return np.asarray(np.sqrt(np.diagonal(self.covariance)))

    def adjusted(self, causes: Sequence[int], target: int, given: Collection[int], changes: Floats) -> Contrast:
        """The effect of raising the causes, by the regression of the target on them and what is given."""
        found, own = self._regression([*causes, *sorted(given)], target), slice(0, len(causes))
        return _contrast(found.slopes[own], found.errors[own, own], found.freedom, changes)

    def along(self, dag: Dag, causes: Sequence[int], target: int, changes: Floats) -> Contrast:
        """The same by the regressions of all variables between on their parents in the DAG."""
        between = reached(dag.children, causes) & reached(dag.parents, [target]) - set(causes)
        order = [v for v in dag.topological_order() if v in between]
        found = {v: self._regression(sorted(dag.parents[v]), v) for v in order}
        down = np.zeros((len(causes), len(dag)))  # total effects of the causes on each variable
        down[np.arange(len(causes)), causes] = 1.0
        for v in order:
            down[:, v] = down[:, sorted(dag.parents[v])] @ found[v].slopes
        up = np.zeros(len(dag))  # of each variable on the target
        up[target] = 1.0
        for v in reversed(order):
            up[sorted(dag.parents[v])] += up[v] * found[v].slopes
        gradients = {v: down[:, sorted(dag.parents[v])] * up[v] for v in order}
        errors = np.zeros((len(causes), len(causes)))
        for v in order:
            errors += gradients[v] @ found[v].errors @ gradients[v].T
        by_group = [gradients[v] @ each for v in order if (each := found[v].by_group) is not None]
        if by_group:  # the regressions' errors are not independent
            errors = sum(by_group) @ np.transpose(sum(by_group))
        freedom = min((found[v].freedom for v in order), default=NORMAL)
        return _contrast(down[:, target], errors, freedom, changes)

    def without(self, causes: Sequence[int], target: int, given: Collection[int], changes: Floats) -> dict[int, float]:
        """The effect when one of what is given is left out, for each."""
        kept = {v: [w for w in given if w != v] for v in sorted(given)}
        return {v: self.adjusted(causes, target, rest, changes).total.value for v, rest in kept.items()}

    def on_all(self, cause: int, given: Sequence[int], targets: Sequence[int]) -> tuple[Floats, Floats, float]:
        """The slope of the cause in the regression of each target on it and what is given, with errors, at once."""
        columns = [cause, *given]
        inverse, freedom = self._inverse(columns)
        along = self.covariance[np.ix_(columns, targets)]
        slopes = inverse @ along
        if self.rows is not None and self.rows.groups is not None:
            each = [self._by_group(self.rows, columns, y, inverse, slopes[:, i])[0] for i, y in enumerate(targets)]
            return slopes[0], np.sqrt(np.square(each).sum(axis=1)), float(len(each[0]) - 1)
        left = np.maximum(0.0, np.diagonal(self.covariance)[list(targets)] - (along * slopes).sum(axis=0))
        return slopes[0], np.sqrt(inverse[0, 0] * left / freedom), freedom

    def placebo(self, cause: int, target: int, given: Collection[int], changes: Floats, n_times: int) -> list[float]:
        """The effect of the cause with its values permuted over the rows, or as if they were, some times."""
        rng, columns = np.random.default_rng(SEED), [cause, *sorted(given), target]
        names, found = tuple(self.names[v] for v in columns), []
        for _ in range(n_times):
            permuted = LinearEstimator(names, self._permuted(columns, rng), self.n_rows)
            found.append(permuted.adjusted([0], len(names) - 1, range(1, len(names) - 1), changes).total.value)
        return found

    def _permuted(self, columns: Sequence[int], rng: np.random.Generator) -> Floats:
        if self.rows is not None:
            return self.rows.permuted(columns, rng)
        return drawn(self.covariance[np.ix_(columns, columns)], self.n_rows, rng)

    def _regression(self, columns: Sequence[int], target: int) -> Regression:
        inverse, freedom = self._inverse(columns)
        along = self.covariance[columns, target]
        slopes = inverse @ along
        if self.rows is not None and self.rows.groups is not None:
            by_group = self._by_group(self.rows, columns, target, inverse, slopes)
            return Regression(slopes, by_group @ by_group.T, by_group.shape[1] - 1, by_group)
        left = max(0.0, float(self.covariance[target, target] - along @ slopes))
        return Regression(slopes, inverse * (left / freedom), freedom)

    def _by_group(
        self, rows: NumberRows, columns: Sequence[int], target: int, inverse: Floats, slopes: Floats
    ) -> Floats:
        """What each group adds to the errors of the slopes, with the usual correction for few groups."""
        values = rows.columns([*columns, target])
        scores = rows.sums(values[:, :-1] * (values[:, -1] - values[:, :-1] @ slopes)[:, None])
        n_rows, n_groups = len(values), len(scores)
        few = n_groups / (n_groups - 1) * (n_rows - 1) / (n_rows - len(columns))
        return np.asarray(sqrt(few) / (self.n_rows - 1) * inverse @ scores.T)

    def _inverse(self, columns: Sequence[int]) -> tuple[Floats, float]:
        """Of the covariances of these columns, and the degrees of freedom of a regression on them."""
        freedom = float(self.n_rows) - len(columns) - 1
        if freedom <= 0:
            raise InputError(f"{self.n_rows:g} rows are too few for a regression on {counted(len(columns), 'column')}")
        among = self.covariance[np.ix_(columns, columns)]
        scale = np.sqrt(np.diagonal(among))
        constant = next((v for v, spread in zip(columns, scale, strict=True) if not spread > 0), None)
        if constant is not None:
            raise cause_does_not_vary(self.names[constant])
        try:
            return np.linalg.inv(among / np.outer(scale, scale)) / np.outer(scale, scale), freedom
        except np.linalg.LinAlgError:
            shown = listed([self.names[v] for v in columns], quoted=True)
            raise InputError(f"one of the columns {shown} is a linear combination of the others") from None


def cause_does_not_vary(name: Hashable) -> InputError:
    """What to say of a cause that is the same in all rows."""
    return InputError(f"column {str(name)!r} does not vary, so nothing can be said of its effect")


def _contrast(slopes: Floats, errors: Floats, freedom: float, changes: Floats) -> Contrast:
    each = tuple(
        Estimated(float(slope * change), abs(float(change)) * sqrt(max(0.0, error)), freedom)
        for slope, change, error in zip(slopes, changes, np.diagonal(errors), strict=True)
    )
    error = sqrt(max(0.0, float(changes @ errors @ changes)))
    return Contrast(Estimated(float(slopes @ changes), error, freedom), each)

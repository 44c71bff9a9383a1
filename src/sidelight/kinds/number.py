"""Numbers: linear functions of their parents plus Gaussian noise, and themselves in tests and regressions.

A category among the parents adds an amount for each of its values: main effects, one slope for each number whatever the
categories, and one noise. So the likelihood has the parameters that the score of mixed tables counts.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.kinds.base import (
    LONGEST_VALUE,
    Block,
    Columns,
    Conditional,
    GaussianFactor,
    ModelVariable,
    Posterior,
    Sample,
    UsedKind,
    Values,
    Variables,
    design,
    drawn_codes,
    log_product,
    unfit,
)
from sidelight.tables.table import Table
from sidelight.text.sentences import counted

if TYPE_CHECKING:
    from sidelight.kinds.types import ColumnSeen

NO_NOISE = 1e-7  # a column of which the parents leave no more than this share unexplained has no noise
ROUNDING = 1e-14  # of the numbers themselves: with a large mean, such as of times, less than that is rounding error
SAME_DIRECTION = 1e-10  # of the largest singular value: columns that others determine
OWN_SHARE_LEFT = 1e-6  # a row that alone decides its own mean says nothing of the noise
HALVINGS = 60  # of the interval in which the mode is
REACH, POINTS = 8.0, 401  # of the grid, in standard deviations of the Gaussian part to each side of the mode
CHUNK = 2_000  # rows whose grids are in memory at a time


@dataclass(frozen=True, eq=False)
class LinearGaussianNode(Conditional):
    """intercept + slopes · parents + noise; ``slopes`` has one for a number, one for each category but the first."""

    variable: ModelVariable
    parents: Variables
    intercept: float
    slopes: Values
    noise: float

    @property
    def n_parameters(self) -> int:
        """Slopes, the intercept and the standard deviation of the noise."""
        return len(self.slopes) + 2

    @property
    def coefficients(self) -> dict[Hashable, float | dict[object, float]]:
        """By parent: the slope of a number; of a category, what each value adds, 0 for the first."""
        ends = np.cumsum([0, *(parent.width for parent in self.parents)]).tolist()
        return {
            parent.name: parent.effects(self.slopes[start:end])
            for parent, (start, end) in zip(self.parents, pairwise(ends), strict=True)
        }

    def expected(self, columns: Columns, n_rows: int) -> Values:
        """The mean of each row."""
        return self.intercept + design(self.parents, columns, n_rows) @ self.slopes

    def log_densities(self, columns: Columns) -> Values:
        own = columns[self.variable.name]
        surprise = np.square((own - self.expected(columns, len(own))) / self.noise)
        return np.asarray(-0.5 * (surprise + np.log(2 * np.pi)) - np.log(self.noise))

    def draw(self, columns: Columns, n_rows: int, rng: np.random.Generator) -> Values:
        return self.expected(columns, n_rows) + self.noise * rng.standard_normal(n_rows)

    def gaussian_in(self, name: Hashable, columns: Columns) -> GaussianFactor:
        """Its own value, or that of a parent that is a number."""
        own = columns[self.variable.name]
        if name == self.variable.name:
            return GaussianFactor(self.noise**-2, self.expected(columns, len(own)) / self.noise**2)
        slope = self.coefficients[name]
        assert isinstance(slope, float)
        without = self.expected({**columns, name: np.zeros(len(own))}, len(own))
        return GaussianFactor((slope / self.noise) ** 2, slope * (own - without) / self.noise**2)

    def in_words(self) -> str:
        terms = " ".join(_term(name, amount) for name, amount in self.coefficients.items())
        return f"{self.variable.name} = {self.intercept:.4g}{f' {terms}' * bool(terms)} + noise of {self.noise:.4g}"


def _term(name: Hashable, amount: float | dict[object, float]) -> str:
    """``+2·age``, or ``+ group (a: +0, b: +1.5)``."""
    if isinstance(amount, float):
        return f"{amount:+.4g}·{name}"
    return f"+ {name} ({', '.join(f'{category}: {value:+.4g}' for category, value in amount.items())})"


def check_rows(variable: ModelVariable, parents: Variables, n_slopes: int, count: float) -> None:
    """Raise when the rows are too few for a variable's parameters."""
    if count <= n_slopes + 1:
        why = f"has {counted(len(parents), 'parent')}; {count:g} rows are too few to fit it"
        raise InputError(f"variable {str(variable.name)!r} {why}")


def check_noise(variable: ModelVariable, parents: Variables, noise: float, spread: float, rounding: float) -> None:
    """Raise when the parents leave nothing of a variable; a deviation within ``rounding`` is none."""
    if noise <= max(NO_NOISE * spread, rounding):
        why = "a linear function of its parents, without noise" if parents and spread > rounding else "constant"
        raise InputError(f"column {str(variable.name)!r} is {why}; such a variable has no likelihood")


def _regression(parents: Values, child: Values, counts: Values) -> tuple[Values, float]:
    """Slopes, and the standard deviation of the residuals; columns are centred."""
    root = np.sqrt(counts)
    solution = np.linalg.lstsq(parents * root[:, None], child * root, rcond=None)
    slopes = np.asarray(solution[0], dtype=np.float64)
    residuals = (child - parents @ slopes) * root
    return slopes, float(np.sqrt(residuals @ residuals / counts.sum()))


def _prior_rows(parents: Variables, means: Values, prior: float) -> tuple[Values, Values]:
    """Rows of the centred design, one for each category of each parent, and their weights: the prior of each parent.

    In such a row all else is at its mean, the child too.
    """
    rows, weights, start = [np.empty((0, len(means)))], [np.empty(0)], 0
    for parent in parents:
        own = slice(start, start := start + parent.width)
        if parent.kind.is_coded:
            n = len(parent.categories)
            block = np.zeros((n, len(means)))
            block[:, own] = parent.kind.indicators(parent, np.arange(n)) - means[own]
            rows.append(block)
            weights.append(np.full(n, prior / n))
    return np.concatenate(rows), np.concatenate(weights)


def _shrunk(
    parents: Values, child: Values, counts: Values, prior_rows: Values, prior_weights: Values
) -> tuple[Values, float]:
    """The same with rows of a prior; the noise is what each row has that is predicted by the others (Allen 1974).

    A category of few rows fits them, and so what it leaves of them is no measure of what it leaves of new ones.
    """
    roots = np.sqrt(np.concatenate([counts, prior_weights]))
    left, sizes, right = np.linalg.svd(np.vstack([parents, prior_rows]) * roots[:, None], full_matrices=False)
    kept = sizes > sizes.max(initial=0.0) * SAME_DIRECTION
    design = right[kept].T / sizes[kept]
    slopes = design @ (left[: len(child), kept].T @ (child * roots[: len(child)]))
    own_share = 1 / counts.sum() + np.square(parents @ design).sum(axis=1)  # how far a row's value decides its mean
    residuals = (child - parents @ slopes) / np.maximum(1 - own_share, OWN_SHARE_LEFT)
    return slopes, float(np.sqrt(counts @ np.square(residuals) / counts.sum()))


class NumberPosterior(Posterior):
    """A number given all others of a row; if its children are numbers, their product is Gaussian.

    With categories among them it has a logarithm that is concave, and at least as curved as its Gaussian part: the
    distribution is computed on a grid around the mode. Kept are the mean in each row and the spread of the Gaussian
    factors, and how steep the others can be.
    """

    def __init__(self, variable: ModelVariable, factors: Sequence[Conditional], given: Columns, n_rows: int) -> None:
        self._variable, self._factors, self._given = variable, factors, given
        columns = {**given, variable.name: np.zeros(n_rows)}
        gaussians = [found for factor in factors if (found := factor.gaussian_in(variable.name, columns)) is not None]
        precision = sum(factor.precision for factor in gaussians)
        self._means: Values = sum((factor.pull for factor in gaussians), start=np.zeros(n_rows)) / precision
        self._spread = float(precision**-0.5)
        self._steepness = sum(factor.steepness(variable.name) for factor in factors)

    def predicted(self) -> Values:
        if not self._steepness:
            return self._means
        return np.concatenate([np.empty(0), *(mode + shares @ steps for mode, steps, shares in self._grids())])

    def drawn(self, rng: np.random.Generator) -> Values:
        if not self._steepness:
            return self._means + self._spread * rng.standard_normal(len(self._means))
        drawn = [np.empty(0)]
        for mode, steps, shares in self._grids():
            within = (steps[1] - steps[0]) * (rng.random(len(mode)) - 0.5)  # the density is nearly even within a step
            drawn.append(mode + steps[drawn_codes(shares, rng)] + within)
        return np.concatenate(drawn)

    def _grids(self) -> Iterator[tuple[Values, Values, Values]]:
        """For some rows at a time: the mode, steps around it, and the share of each row's distribution at each step."""
        for start in range(0, len(self._means), CHUNK):
            chunk = slice(start, start + CHUNK)
            yield self._grid({name: column[chunk] for name, column in self._given.items()}, self._means[chunk])

    def _grid(self, given: Columns, centre: Values) -> tuple[Values, Values, Values]:
        """The mode is no further from the Gaussian part's than its pull."""

        def log_density(values: Values) -> Values:
            return log_product(self._factors, {**given, self._variable.name: values})

        reach = self._steepness * self._spread**2
        low, high = centre - reach, centre + reach
        for _ in range(HALVINGS):
            left, right = low + (high - low) / 3, high - (high - low) / 3
            rises = log_density(left) < log_density(right)
            low, high = np.where(rises, left, low), np.where(rises, high, right)
        steps = np.linspace(-REACH * self._spread, REACH * self._spread, POINTS)
        logs = np.column_stack([log_density(low + step) for step in steps])
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        return low, steps, weights / weights.sum(axis=1, keepdims=True)


class Number(UsedKind):
    """A column of numbers, or of dates as days."""

    name = "number"
    nouns = ("number", "numbers")
    posterior = NumberPosterior

    def reason(self, column: ColumnSeen) -> str:
        if column.is_ordered:
            return ""
        if column.storage == "date":
            return "dates, once they are taken as days" if column.is_text else "dates, as days"
        return "" if column.storage in ("text", "boolean") else column.why_no_categories

    def values(self, table: Table, name: Hashable, order: tuple[str, ...]) -> Values | None:
        """Texts as numbers."""
        return _numbers_in_texts(table, name) if name in table.texts else None

    def block(self, table: Table, name: Hashable, weights: Values | None) -> tuple[int, Block]:
        return 0, Block(np.ones((1, 1)), tested=1, is_scaled=True)

    def encoded(self, variable: ModelVariable, table: Table) -> Values:
        """NaN for all that are not finite."""
        name = variable.name
        if name in table.texts:
            raise InputError(f"column {str(name)!r} is not numeric; discrete=net.names fits tables of probabilities")
        column = np.asarray(table.column(name), dtype=np.float64)
        return np.where(np.isfinite(column), column, np.nan)

    def encoded_value(self, variable: ModelVariable, value: object) -> float:
        if not isinstance(value, Real) or not isfinite(float(value)):
            raise InputError(f"variable {str(variable.name)!r} can be set to a finite number; got {value!r}")
        return float(value)

    def indicators(self, variable: ModelVariable, column: NDArray[Any]) -> Values:
        return np.asarray(column, dtype=np.float64)[:, None]

    def conditional(
        self, variable: ModelVariable, parents: Variables, sample: Sample, prior: float
    ) -> LinearGaussianNode:
        """Its regression on its parents: by maximum likelihood, unless categories among them have a prior."""
        own, counts, count = sample.columns[variable.name], sample.counts, sample.count
        values = design(parents, sample.columns, len(own))
        check_rows(variable, parents, values.shape[1], count)
        mean, means = float(counts @ own / count), counts @ values / count
        slopes, noise = _regression(values - means, own - mean, counts)
        rounding = ROUNDING * (abs(mean) + np.abs(slopes) @ np.abs(means))
        check_noise(variable, parents, noise, float((own - mean).std()), float(rounding))
        if prior and any(parent.kind.is_coded for parent in parents):
            slopes, noise = _shrunk(values - means, own - mean, counts, *_prior_rows(parents, means, prior))
        return LinearGaussianNode(variable, parents, mean - float(slopes @ means), slopes, noise)


def _numbers_in_texts(table: Table, name: Hashable) -> Values:
    texts = table.texts[name]

    def number(value: object) -> float:
        try:
            return float(str(value))
        except ValueError:
            row = table.row_number(texts.first(value))
            raise unfit(name, f"is to be a number, but row {row} has {str(value)[:LONGEST_VALUE]!r}") from None

    return texts.numbers(number)

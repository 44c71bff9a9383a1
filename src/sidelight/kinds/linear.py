"""A number as a linear function of its parents plus Gaussian noise, by maximum likelihood.

A category among the parents adds an amount for each of its values: main effects, one slope for each number whatever the
categories, and one noise. So the likelihood has the parameters that the score of mixed tables counts.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sidelight.errors import InputError
from sidelight.kinds.base import ModelVariable, Values
from sidelight.kinds.conditional import Columns, Conditional, GaussianFactor, Sample, design
from sidelight.text.sentences import counted

NO_NOISE = 1e-7  # a column of which the parents leave no more than this share unexplained has no noise
ROUNDING = 1e-14  # of the numbers themselves: with a large mean, such as of times, less than that is rounding error


@dataclass(frozen=True, eq=False)
class LinearGaussianNode(Conditional):
    """intercept + slopes · parents + noise; ``slopes`` has one for a number, one for each category but the first."""

    variable: ModelVariable
    parents: tuple[ModelVariable, ...]
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
            parent.name: _by_category(parent, self.slopes[start:end])
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


def fit_linear(variable: ModelVariable, parents: tuple[ModelVariable, ...], sample: Sample) -> LinearGaussianNode:
    """Regress a number on its parents."""
    own, count = sample.columns[variable.name], sample.count
    values = design(parents, sample.columns, len(own))
    check_rows(variable, parents, values.shape[1], count)
    counts = np.ones(len(own)) if sample.weights is None else sample.weights
    mean, means = float(counts @ own / count), counts @ values / count
    slopes, noise = _regression(values - means, own - mean, counts)
    rounding = ROUNDING * (abs(mean) + np.abs(slopes) @ np.abs(means))
    check_noise(variable, parents, noise, float((own - mean).std()), float(rounding))
    return LinearGaussianNode(variable, parents, mean - float(slopes @ means), slopes, noise)


def check_rows(variable: ModelVariable, parents: tuple[ModelVariable, ...], n_slopes: int, count: float) -> None:
    """Raise when the rows are too few for a variable's parameters."""
    if count <= n_slopes + 1:
        why = f"has {counted(len(parents), 'parent')}; {count:g} rows are too few to fit it"
        raise InputError(f"variable {str(variable.name)!r} {why}")


def check_noise(
    variable: ModelVariable, parents: tuple[ModelVariable, ...], noise: float, spread: float, rounding: float
) -> None:
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


def _by_category(parent: ModelVariable, slopes: Values) -> float | dict[object, float]:
    if parent.kind.is_coded:
        return dict(zip(parent.categories, [0.0, *slopes.tolist()], strict=True))
    return float(slopes[0])


def _term(name: Hashable, amount: float | dict[object, float]) -> str:
    """``+2·age``, or ``+{a: 0, b: 1.5} by group``."""
    if isinstance(amount, float):
        return f"{amount:+.4g}·{name}"
    return f"+ {name} ({', '.join(f'{category}: {value:+.4g}' for category, value in amount.items())})"

"""A category with numbers among its parents, by multinomial logistic regression.

The prior is that of tables, where there are no tables: ``equivalent_sample_size`` rows, spread evenly over the rows
that there are and over the categories. So categories that the parents separate have finite slopes, and a category
without parents has the probabilities of a table with that prior.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from sidelight.errors import InputError
from sidelight.kinds.base import Codes, ModelVariable, Values
from sidelight.kinds.conditional import Columns, Conditional, Sample, design, drawn_codes

RIDGE = 1e-9  # on slopes of standardised columns: where columns are collinear, or separate without a prior
ENOUGH = 1e-10  # improvement of the log-likelihood of a row
ITERATIONS = 100
MOST_PARAMETERS = 2000  # of one regression; the time grows with their square


@dataclass(frozen=True, eq=False)
class LogisticNode(Conditional):
    """The log-odds of each category but the first against the first are linear in the parents.

    ``slopes`` has a row for each category but the first, and a column for each parent that is a number, or for each
    category but the first of one that is not.
    """

    variable: ModelVariable
    parents: tuple[ModelVariable, ...]
    intercepts: Values
    slopes: Values

    @property
    def n_parameters(self) -> int:
        """Intercepts and slopes."""
        return self.intercepts.size + self.slopes.size

    def log_probabilities(self, columns: Columns, n_rows: int) -> Values:
        """Rows by categories."""
        odds = self.intercepts + design(self.parents, columns, n_rows) @ self.slopes.T
        odds = np.hstack([np.zeros((n_rows, 1)), odds])
        odds -= odds.max(axis=1, keepdims=True)
        return np.asarray(odds - np.log(np.exp(odds).sum(axis=1, keepdims=True)))

    def log_densities(self, columns: Columns) -> Values:
        own = columns[self.variable.name]
        found: Values = self.log_probabilities(columns, len(own))[np.arange(len(own)), own]
        return found

    def draw(self, columns: Columns, n_rows: int, rng: np.random.Generator) -> Codes:
        return drawn_codes(np.exp(self.log_probabilities(columns, n_rows)), rng)

    def steepness(self, name: Hashable) -> float:
        start = sum(parent.width for parent in self.parents[: [p.name for p in self.parents].index(name)])
        slopes = np.append(self.slopes[:, start], 0.0)
        return float(slopes.max() - slopes.min())

    def in_words(self) -> str:
        given = ", ".join(str(parent.name) for parent in self.parents)
        return f"{self.variable.name} given {given}, logistic: {', '.join(map(str, self.variable.categories))}"


def fit_logistic(
    variable: ModelVariable, parents: tuple[ModelVariable, ...], sample: Sample, equivalent_sample_size: float
) -> LogisticNode:
    """Regress a category on its parents; columns are standardised, since the kernel's ridge is on their scale."""
    from sidelight.kernels.logistic import fit

    own, n_categories, count = sample.columns[variable.name], len(variable.categories), sample.count
    values = design(parents, sample.columns, len(own))
    _check_size(variable, (n_categories - 1) * (values.shape[1] + 1))
    means, spreads = values.mean(axis=0), values.std(axis=0)
    spreads[spreads == 0] = 1.0
    standardised = np.column_stack([np.ones(len(own)), (values - means) / spreads])
    weights = np.empty(0) if sample.weights is None else sample.weights
    even = equivalent_sample_size / (count * n_categories)
    limits = ENOUGH * count, ITERATIONS
    codes = own.astype(np.int8 if n_categories <= 127 else np.int32)  # as in tests: compiled once for both
    found = fit(standardised, codes, n_categories, weights, even, RIDGE, *limits)[0]
    slopes = found[:, 1:] / spreads
    return LogisticNode(variable, parents, found[:, 0] - slopes @ means, slopes)


def _check_size(variable: ModelVariable, n_parameters: int) -> None:
    if n_parameters > MOST_PARAMETERS:
        what = f"{len(variable.categories)} categories, and their regression on its parents {n_parameters:,} parameters"
        most = f"at most {MOST_PARAMETERS:,} can be fitted: merge rare categories"
        raise InputError(f"column {str(variable.name)!r} has {what}; {most}")

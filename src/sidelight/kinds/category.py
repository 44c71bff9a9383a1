"""Categories: tables of probabilities, logistic regressions where a parent is a number, and indicators in tests.

The prior of a regression is that of a table: so many rows, spread evenly over the rows that there are and over the
categories. So categories that the parents separate have finite slopes, and a category without parents has the
probabilities of a table with that prior.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.kinds.base import (
    FEW_VALUES,
    Block,
    Codes,
    Columns,
    Conditional,
    ModelVariable,
    Posterior,
    Sample,
    UsedKind,
    Values,
    Variables,
    design,
    drawn_codes,
    log_product,
)
from sidelight.tables.table import Table, categories_in
from sidelight.text.message import Message, Option

if TYPE_CHECKING:
    from sidelight.kinds.types import ColumnSeen

LARGEST_TABLE = 10**7
RIDGE = 1e-9  # on slopes of standardised columns: where columns are collinear, or separate without a prior
ENOUGH = 1e-10  # improvement of the log-likelihood of a row
ITERATIONS = 100
MOST_PARAMETERS = 2000  # of one regression; the time grows with their square
CATEGORIES_SHOWN = 8
BY_STORAGE = {"text": "texts", "boolean": "truth values"}


@dataclass(frozen=True, eq=False)
class TableNode(Conditional):
    """``probabilities`` has an axis for each parent, all of them categories, and the variable's own categories last."""

    variable: ModelVariable
    parents: Variables
    probabilities: Values

    @property
    def n_parameters(self) -> int:
        """Probabilities that are free: in each row of the table all but one."""
        return int(self.probabilities.size - self.probabilities.size // self.probabilities.shape[-1])

    def log_densities(self, columns: Columns) -> Values:
        cell = tuple(columns[member.name] for member in (*self.parents, self.variable))
        with np.errstate(divide="ignore"):  # an observed cell of probability 0 makes the likelihood 0
            return np.asarray(np.log(self.probabilities[cell]))

    def draw(self, columns: Columns, n_rows: int, rng: np.random.Generator) -> Codes:
        given = self.probabilities[tuple(columns[parent.name] for parent in self.parents)]
        return drawn_codes(np.broadcast_to(given, (n_rows, self.probabilities.shape[-1])), rng)

    def in_words(self) -> str:
        return in_words(self)


def fit_table(variable: ModelVariable, parents: Variables, sample: Sample, prior: float) -> TableNode:
    """Relative frequencies, with a uniform prior that is worth so many rows for the table."""
    shape = checked_shape(variable, parents)
    cells = np.ravel_multi_index([sample.columns[member.name] for member in (*parents, variable)], shape)
    counts = np.bincount(cells, sample.weights, prod(shape)).reshape(shape).astype(np.float64)
    counts += prior / counts.size
    totals = counts.sum(axis=-1, keepdims=True)
    even = 1 / counts.shape[-1]  # for combinations of the parents that never occur, without a prior
    return TableNode(variable, parents, np.divide(counts, totals, out=np.full_like(counts, even), where=totals > 0))


def checked_shape(variable: ModelVariable, parents: Variables) -> tuple[int, ...]:
    """The shape of a variable's table; raises if it would be too large."""
    shape = tuple(len(member.categories) for member in (*parents, variable))
    if prod(shape) > LARGEST_TABLE:
        raise InputError(
            f"the table of {str(variable.name)!r} given its {len(parents)} parents would have {prod(shape):,} cells; "
            "learn with a smaller significance level alpha, or merge categories"
        )
    return shape


@dataclass(frozen=True, eq=False)
class LogisticNode(Conditional):
    """The log-odds of each category but the first against the first are linear in the parents.

    ``slopes`` has a row for each category but the first, and a column for each parent that is a number, or for each
    category but the first of one that is not.
    """

    variable: ModelVariable
    parents: Variables
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
        return in_words(self, ", logistic")


def table_or(
    regression: Callable[[ModelVariable, Variables, Sample, float], Conditional],
    variable: ModelVariable,
    parents: Variables,
    sample: Sample,
    prior: float,
    only_table: bool,
) -> Conditional:
    """A table given categories alone, or a regression: what the score of mixed tables takes, the same two compared."""
    if not all(parent.kind.is_coded for parent in parents):
        return regression(variable, parents, sample, prior)
    if only_table or not sample.parameter_cost:
        return fit_table(variable, parents, sample, prior)
    found = [regression(variable, parents, sample, prior)]
    if prod(len(member.categories) for member in (*parents, variable)) <= LARGEST_TABLE:
        found.append(fit_table(variable, parents, sample, prior))
    return max(found, key=lambda node: _worth(node, sample))


def _worth(node: Conditional, sample: Sample) -> float:
    """The log-likelihood, less what the parameters cost."""
    return float(node.log_densities(sample.columns) @ sample.counts) - sample.parameter_cost * node.n_parameters


def in_words(node: Conditional, how: str = "") -> str:
    given = ", ".join(str(parent.name) for parent in node.parents)
    categories = ", ".join(map(str, node.variable.categories))
    return f"{node.variable.name}{f' given {given}' * bool(given)}{how}: {categories}"


def fit_logistic(variable: ModelVariable, parents: Variables, sample: Sample, prior: float) -> LogisticNode:
    """Regress a category on its parents."""
    from sidelight.kernels.logistic import fit

    _check_size(variable, (len(variable.categories) - 1) * (sum(parent.width for parent in parents) + 1))
    values, means, spreads = standardised(parents, sample)
    found = fit(values, *regressed(variable, sample, prior))[0]
    slopes = found[:, 1:] / spreads
    return LogisticNode(variable, parents, found[:, 0] - slopes @ means, slopes)


def standardised(parents: Variables, sample: Sample) -> tuple[Values, Values, Values]:
    """A constant and the parents' columns, standardised, since the kernels' ridge is on their scale; means, spreads."""
    n_rows = len(sample.counts)
    values = design(parents, sample.columns, n_rows)
    means, spreads = values.mean(axis=0), values.std(axis=0)
    spreads[spreads == 0] = 1.0
    return np.column_stack([np.ones(n_rows), (values - means) / spreads]), means, spreads


def regressed(
    variable: ModelVariable, sample: Sample, prior: float
) -> tuple[NDArray[np.integer], int, Values, float, float, float, int]:
    """What the kernels of both regressions take beside the design: codes, categories, weights, prior, when to stop."""
    n_categories, count = len(variable.categories), sample.count
    small = np.dtype(np.int8 if n_categories <= 127 else np.int32)  # as in tests: compiled once for both
    codes: NDArray[np.integer] = sample.columns[variable.name].astype(small)
    weights = np.empty(0) if sample.weights is None else sample.weights
    return codes, n_categories, weights, prior / (count * n_categories), RIDGE, ENOUGH * count, ITERATIONS


def _check_size(variable: ModelVariable, n_parameters: int) -> None:
    if n_parameters > MOST_PARAMETERS:
        what = f"{len(variable.categories)} categories, and their regression on its parents {n_parameters:,} parameters"
        most = f"at most {MOST_PARAMETERS:,} can be fitted: merge rare categories"
        raise InputError(f"column {str(variable.name)!r} has {what}; {most}")


class CategoryPosterior(Posterior):
    """``probabilities`` of the categories given all others, a row for each row; exact, by going through them."""

    def __init__(self, variable: ModelVariable, factors: Sequence[Conditional], given: Columns, n_rows: int) -> None:
        each = (np.full(n_rows, code) for code in range(len(variable.categories)))
        logs = np.column_stack([log_product(factors, {**given, variable.name: codes}) for codes in each])
        largest = logs.max(axis=1, keepdims=True)
        if np.isneginf(largest).any():
            row = int(np.isneginf(largest[:, 0]).argmax())
            raise InputError(
                f"row {row + 1} has probability 0 whatever {str(variable.name)!r} is, so there is nothing to predict; "
                "fit with an equivalent_sample_size larger than 0"
            )
        shares = np.exp(logs - largest)
        self.probabilities: Values = shares / shares.sum(axis=1, keepdims=True)

    def predicted(self) -> Codes:
        return np.asarray(self.probabilities.argmax(axis=1))

    def drawn(self, rng: np.random.Generator) -> Codes:
        return drawn_codes(self.probabilities, rng)


class Category(UsedKind):
    """A column of categories without an order."""

    name = "category"
    nouns = ("category", "categories")
    is_coded = True
    posterior = CategoryPosterior

    def reason(self, column: ColumnSeen) -> str:
        if column.is_ordered or column.storage == "date":
            return ""
        by_storage = BY_STORAGE.get(column.storage, "")
        return by_storage or ("" if column.why_no_categories else f"whole, up to {FEW_VALUES} values")

    def block(self, table: Table, name: Hashable, weights: Values | None) -> tuple[NDArray[np.integer], Block]:
        """Indicators of all categories but the most frequent one; of several, the one that occurs first."""
        categories, codes = categories_in(table, name)
        first = np.zeros(len(categories))  # the row that has a category first: unlike its name it belongs to the data
        first[np.unique(codes)] = np.unique(codes, return_index=True)[1]
        by_frequency = np.lexsort((first, -np.bincount(codes, weights, len(categories))))
        indicators = np.eye(len(categories))[:, 1:]
        block = Block(indicators, indicators.shape[1], False, tuple(categories[i] for i in by_frequency.tolist()))
        return np.argsort(by_frequency)[codes], block

    def encoded(self, variable: ModelVariable, table: Table) -> Codes:
        seen, codes = categories_in(table, variable.name)
        positions = np.array([*(self.encoded_value(variable, value) for value in seen), -1], dtype=np.int64)
        return np.asarray(positions[codes])

    def encoded_value(self, variable: ModelVariable, value: object) -> int:
        """The position of a category, as it is or as text."""
        if isinstance(value, Hashable) and value in variable.positions:
            return variable.positions[value]
        known = ", ".join(map(repr, variable.categories[:CATEGORIES_SHOWN]))
        known += ", …" * (len(variable.categories) > CATEGORIES_SHOWN)
        what = f"column {str(variable.name)!r} has the value {value!r}, which is none of the fitted categories {known}"
        named = Message("; fit with ", Option("categories", {str(variable.name): [value]}), " to give it a probability")
        raise InputError(Message(what, named))

    def indicators(self, variable: ModelVariable, column: NDArray[Any]) -> Values:
        """Whether it is each category but the first."""
        found: Values = (column[:, None] == np.arange(1, len(variable.categories))).astype(np.float64)
        return found

    def conditional(self, variable: ModelVariable, parents: Variables, sample: Sample, prior: float) -> Conditional:
        same = not parents or (len(parents) == 1 and not parents[0].scores)  # the regression is the table
        return table_or(fit_logistic, variable, parents, sample, prior, only_table=same)

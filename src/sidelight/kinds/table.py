"""A category with a table of probabilities given its parents, which are categories too."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from sidelight.errors import InputError
from sidelight.kinds.base import Codes, ModelVariable, Values
from sidelight.kinds.conditional import Columns, Conditional, Sample, drawn_codes

LARGEST_TABLE = 10**7


@dataclass(frozen=True, eq=False)
class TableNode(Conditional):
    """``probabilities`` has an axis for each parent and the variable's own categories last."""

    variable: ModelVariable
    parents: tuple[ModelVariable, ...]
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
        given = ", ".join(str(parent.name) for parent in self.parents)
        categories = ", ".join(map(str, self.variable.categories))
        return f"{self.variable.name}{f' given {given}' * bool(given)}: {categories}"


def fit_table(
    variable: ModelVariable, parents: tuple[ModelVariable, ...], sample: Sample, equivalent_sample_size: float
) -> TableNode:
    """Relative frequencies, with a uniform prior that is worth ``equivalent_sample_size`` rows for the table."""
    family = (*parents, variable)
    shape = checked_shape(variable, parents)
    cells = np.ravel_multi_index([sample.columns[member.name] for member in family], shape)
    counts = np.bincount(cells, sample.weights, prod(shape)).reshape(shape).astype(np.float64)
    counts += equivalent_sample_size / counts.size
    totals = counts.sum(axis=-1, keepdims=True)
    even = 1 / counts.shape[-1]  # for combinations of the parents that never occur, without a prior
    return TableNode(variable, parents, np.divide(counts, totals, out=np.full_like(counts, even), where=totals > 0))


def checked_shape(variable: ModelVariable, parents: tuple[ModelVariable, ...]) -> tuple[int, ...]:
    """The shape of a variable's table; raises if it would be too large."""
    shape = tuple(len(member.categories) for member in (*parents, variable))
    if prod(shape) > LARGEST_TABLE:
        raise InputError(
            f"the table of {str(variable.name)!r} given its {len(parents)} parents would have {prod(shape):,} cells; "
            "learn with a smaller significance level alpha, or merge categories"
        )
    return shape

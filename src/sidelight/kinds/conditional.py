"""What the distribution of a variable given its parents can do, and given all others, whatever its kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.kinds.base import Codes, ModelVariable, Values

Columns = Mapping[Hashable, NDArray[Any]]  # by name: values of numbers, codes of categories


@dataclass(frozen=True)
class Sample:
    """Complete columns that a distribution is fitted to, and how many samples each row stands for."""

    columns: Columns
    weights: Values | None

    @property
    def count(self) -> float:
        """The number of rows, or the sum of their weights."""
        return float(len(next(iter(self.columns.values()))) if self.weights is None else self.weights.sum())


class GaussianFactor(NamedTuple):
    """exp(−½ precision · x² + pull · x), up to a factor, as a function of one variable's value x in each row."""

    precision: float
    pull: Values


class Conditional(ABC):
    """The distribution of a variable given its parents."""

    variable: ModelVariable
    parents: tuple[ModelVariable, ...]

    @property
    @abstractmethod
    def n_parameters(self) -> int:
        """The number of free parameters."""

    @abstractmethod
    def log_densities(self, columns: Columns) -> Values:
        """For each row, the logarithm of the density or the probability of its own value given its parents'."""

    @abstractmethod
    def draw(self, columns: Columns, n_rows: int, rng: np.random.Generator) -> NDArray[Any]:
        """A value for each row, given the columns of the parents."""

    @abstractmethod
    def in_words(self) -> str:
        """One line."""

    def gaussian_in(self, name: Hashable, columns: Columns) -> GaussianFactor | None:
        """What the density is as a function of one of its numbers, if that is Gaussian."""
        return None

    def steepness(self, name: Hashable) -> float:
        """How steep the logarithm of the density can be in a number in which it is not Gaussian."""
        return 0.0


class Posterior(ABC):
    """A variable given all others of a row: its own conditional times those of its children."""

    @abstractmethod
    def predicted(self) -> NDArray[Any]:
        """One encoded value for each row: the mean of a number, the most probable category."""

    @abstractmethod
    def drawn(self, rng: np.random.Generator) -> NDArray[Any]:
        """An encoded value for each row, drawn from the distribution."""


def design(parents: Sequence[ModelVariable], columns: Columns, n_rows: int) -> Values:
    """The columns of a regression on these variables, without a constant."""
    found = (parent.kind.indicators(parent, columns[parent.name]) for parent in parents)
    return np.hstack([np.empty((n_rows, 0)), *found])


def drawn_codes(probabilities: Values, rng: np.random.Generator) -> Codes:
    """A category for each row of probabilities."""
    bounds = np.cumsum(probabilities, axis=1)
    codes: Codes = (rng.random(len(bounds))[:, None] >= bounds).sum(axis=1)
    return codes.clip(max=probabilities.shape[1] - 1)  # the last sum may be rounded to less than 1

"""What the distribution of a variable given its parents can do, whatever its kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.fit.variables import Columns, ModelVariable, Values


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


def drawn_codes(probabilities: Values, rng: np.random.Generator) -> NDArray[np.int64]:
    """A category for each row of probabilities."""
    bounds = np.cumsum(probabilities, axis=1)
    codes: NDArray[np.int64] = (rng.random(len(bounds))[:, None] >= bounds).sum(axis=1)
    return codes.clip(max=probabilities.shape[1] - 1)  # the last sum may be rounded to less than 1

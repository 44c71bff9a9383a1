"""A number, or a category, given all others of a row.

Exact for categories, by going through them, and for numbers whose children are numbers, where the product is Gaussian.
A number with categories among its children has a logarithm that is concave, and at least as curved as its Gaussian
part: its distribution is computed on a grid around the mode.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sidelight.errors import InputError
from sidelight.kinds.base import Codes, ModelVariable, Values
from sidelight.kinds.conditional import Columns, Conditional, Posterior, drawn_codes

HALVINGS = 60  # of the interval in which the mode is
REACH, POINTS = 8.0, 401  # of the grid, in standard deviations of the Gaussian part to each side of the mode
CHUNK = 2_000  # rows whose grids are in memory at a time


class CategoryPosterior(Posterior):
    """``probabilities`` of the categories, a row for each row."""

    def __init__(self, variable: ModelVariable, factors: Sequence[Conditional], given: Columns, n_rows: int) -> None:
        each = (np.full(n_rows, code) for code in range(len(variable.categories)))
        logs = np.column_stack([_log_product(factors, {**given, variable.name: codes}) for codes in each])
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


class NumberPosterior(Posterior):
    """The mean in each row and the spread of the Gaussian factors, and how steep the other factors can be."""

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
            return _log_product(self._factors, {**given, self._variable.name: values})

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


def _log_product(factors: Sequence[Conditional], columns: Columns) -> Values:
    return np.asarray(np.sum([factor.log_densities(columns) for factor in factors], axis=0))

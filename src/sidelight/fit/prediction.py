"""A variable given all others of a row: its own conditional times those of its children.

Exact for categories, by going through them, and for numbers whose children are numbers, where the product is Gaussian.
A number with categories among its children has a logarithm that is concave, and at least as curved as its Gaussian
part: the mean is computed on a grid around the mode.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sidelight.errors import InputError
from sidelight.fit.conditional import Conditional, drawn_codes
from sidelight.fit.variables import Codes, Columns, ModelVariable, Values

HALVINGS = 60  # of the interval in which the mode is
REACH, POINTS = 8.0, 401  # of the grid, in standard deviations of the Gaussian part to each side of the mode
CHUNK = 2_000  # rows whose grids are in memory at a time


def category_probabilities(
    variable: ModelVariable, factors: Sequence[Conditional], given: Columns, n_rows: int
) -> Values:
    """The probabilities of the categories in each row."""
    codes = range(len(variable.categories))
    logs = np.column_stack([_log_product(factors, {**given, variable.name: np.full(n_rows, code)}) for code in codes])
    largest = logs.max(axis=1, keepdims=True)
    if np.isneginf(largest).any():
        row = int(np.isneginf(largest[:, 0]).argmax())
        raise InputError(
            f"row {row + 1} has probability 0 whatever {str(variable.name)!r} is, so there is nothing to predict; "
            "fit with an equivalent_sample_size larger than 0"
        )
    shares = np.exp(logs - largest)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def category_draws(
    variable: ModelVariable, factors: Sequence[Conditional], given: Columns, n_rows: int, rng: np.random.Generator
) -> Codes:
    """A category for each row, drawn by its probabilities."""
    return drawn_codes(category_probabilities(variable, factors, given, n_rows), rng)


def number_means(variable: ModelVariable, factors: Sequence[Conditional], given: Columns, n_rows: int) -> Values:
    """The mean of a number in each row."""
    means, spread, steepness = _gaussian_part(variable, factors, given, n_rows)
    if not steepness:
        return means
    grids = _grids(variable, factors, given, means, spread, steepness)
    return np.concatenate([np.empty(0), *(low + shares @ steps for low, steps, shares in grids)])


def number_draws(
    variable: ModelVariable, factors: Sequence[Conditional], given: Columns, n_rows: int, rng: np.random.Generator
) -> Values:
    """A number for each row, drawn from its distribution given the others."""
    means, spread, steepness = _gaussian_part(variable, factors, given, n_rows)
    if not steepness:
        return means + spread * rng.standard_normal(n_rows)
    drawn = [np.empty(0)]
    for low, steps, shares in _grids(variable, factors, given, means, spread, steepness):
        within = (steps[1] - steps[0]) * (rng.random(len(low)) - 0.5)  # the density is nearly even within a step
        drawn.append(low + steps[drawn_codes(shares, rng)] + within)
    return np.concatenate(drawn)


def _gaussian_part(
    variable: ModelVariable, factors: Sequence[Conditional], given: Columns, n_rows: int
) -> tuple[Values, float, float]:
    """The mean in each row and the spread of the Gaussian factors, and how steep the other factors can be."""
    columns = {**given, variable.name: np.zeros(n_rows)}
    gaussians = [found for factor in factors if (found := factor.gaussian_in(variable.name, columns)) is not None]
    precision = sum(factor.precision for factor in gaussians)
    means = np.asarray(sum((factor.pull for factor in gaussians), start=np.zeros(n_rows)) / precision)
    return means, float(precision**-0.5), sum(factor.steepness(variable.name) for factor in factors)


def _grids(
    variable: ModelVariable,
    factors: Sequence[Conditional],
    given: Columns,
    means: Values,
    spread: float,
    steepness: float,
) -> Iterator[tuple[Values, Values, Values]]:
    """For some rows at a time: the mode, steps around it, and the share of each row's distribution at each step."""
    for start in range(0, len(means), CHUNK):
        chunk = slice(start, start + CHUNK)
        some = {name: column[chunk] for name, column in given.items()}
        yield _grid(variable, factors, some, means[chunk], spread, steepness)


def _grid(
    variable: ModelVariable,
    factors: Sequence[Conditional],
    given: Columns,
    centre: Values,
    spread: float,
    steepness: float,
) -> tuple[Values, Values, Values]:
    """Values on a grid around the mode, which is no further from the Gaussian part's than its pull."""

    def log_density(values: Values) -> Values:
        return _log_product(factors, {**given, variable.name: values})

    low, high = centre - steepness * spread**2, centre + steepness * spread**2
    for _ in range(HALVINGS):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        rises = log_density(left) < log_density(right)
        low, high = np.where(rises, left, low), np.where(rises, high, right)
    steps = np.linspace(-REACH * spread, REACH * spread, POINTS)
    logs = np.column_stack([log_density(low + step) for step in steps])
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return low, steps, weights / weights.sum(axis=1, keepdims=True)


def _log_product(factors: Sequence[Conditional], columns: Columns) -> Values:
    return np.asarray(np.sum([factor.log_densities(columns) for factor in factors], axis=0))

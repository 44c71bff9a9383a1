"""A variable given all others of a row: its own conditional times those of its children.

Exact for categories, by going through them, and for numbers whose children are numbers, where the product is Gaussian.
A number with categories among its children has a logarithm that is concave, and at least as curved as its Gaussian
part: the mean is computed on a grid around the mode.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sidelight.errors import InputError
from sidelight.fit.conditional import Conditional
from sidelight.fit.variables import Columns, ModelVariable, Values

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


def number_means(variable: ModelVariable, factors: Sequence[Conditional], given: Columns, n_rows: int) -> Values:
    """The mean of a number in each row."""
    columns = {**given, variable.name: np.zeros(n_rows)}
    gaussians = [found for factor in factors if (found := factor.gaussian_in(variable.name, columns)) is not None]
    precision = sum(factor.precision for factor in gaussians)
    means = np.asarray(sum((factor.pull for factor in gaussians), start=np.zeros(n_rows)) / precision)
    steepness = sum(factor.steepness(variable.name) for factor in factors)
    if not steepness:
        return means
    chunks = [slice(start, start + CHUNK) for start in range(0, n_rows, CHUNK)]
    parts = [
        _mean_on_grid(variable, factors, {name: column[chunk] for name, column in given.items()}, means[chunk],
                      precision**-0.5, steepness)
        for chunk in chunks
    ]  # fmt: skip
    return np.concatenate([np.empty(0), *parts])


def _mean_on_grid(
    variable: ModelVariable,
    factors: Sequence[Conditional],
    given: Columns,
    centre: Values,
    spread: float,
    steepness: float,
) -> Values:
    """The mean from values on a grid around the mode, which is no further from the Gaussian part's than its pull."""

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
    return np.asarray(low + weights @ steps / weights.sum(axis=1))


def _log_product(factors: Sequence[Conditional], columns: Columns) -> Values:
    return np.asarray(np.sum([factor.log_densities(columns) for factor in factors], axis=0))

"""Mixed networks from rows with gaps: multiple imputation by the network itself.

A round fits the network to the filled rows and draws each gap anew, given the rest of its row and the parameters
(Gibbs sampling). After the first rounds, which depend on how the gaps were filled at the start, the filled tables are
kept, and the parameters are fitted to all of them together. Values are assumed to be missing at random.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.fit.conditional import Conditional
from sidelight.fit.prediction import category_draws, number_draws
from sidelight.fit.rows import Rows
from sidelight.fit.variables import Columns, ModelVariable, only_missing

FIRST_ROUNDS, KEPT_ROUNDS, SEED = 10, 10, 0
Fit = Callable[[Columns, Rows], tuple[Conditional, ...]]


def fit_imputed(variables: Sequence[ModelVariable], rows: Rows, fit: Fit) -> tuple[Conditional, ...]:
    """Fit to rows whose gaps are filled several times; each filling has an equal share of a row's weight."""
    rng = np.random.default_rng(SEED)
    columns = {variable.name: variable.encoded(rows) for variable in variables}
    gaps = {variable.name: _missing(variable, columns[variable.name]) for variable in variables}
    for variable in variables:
        columns[variable.name] = _filled(columns[variable.name], gaps[variable.name], rng)
    kept = []
    for number in range(FIRST_ROUNDS + KEPT_ROUNDS):
        conditionals = fit(columns, rows)
        for variable in variables:
            columns[variable.name] = _redrawn(variable, conditionals, columns, gaps[variable.name], rng)
        if number >= FIRST_ROUNDS:
            kept.append(dict(columns))
    weights = np.ones(rows.table.n_rows) if rows.weights is None else rows.weights
    pooled = {name: np.concatenate([filled[name] for filled in kept]) for name in columns}
    return fit(pooled, replace(rows, weights=np.tile(weights / KEPT_ROUNDS, KEPT_ROUNDS)))


def _missing(variable: ModelVariable, column: NDArray[Any]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = np.isnan(column) if variable.is_number else column < 0
    if found.all():
        raise only_missing(variable.name)
    return found


def _filled(column: NDArray[Any], gaps: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[Any]:
    """At first, gaps have values that other rows have."""
    filled = column.copy()
    filled[gaps] = rng.choice(column[~gaps], int(gaps.sum()))
    return filled


def _redrawn(
    variable: ModelVariable,
    conditionals: Sequence[Conditional],
    columns: dict[Hashable, NDArray[Any]],
    gaps: NDArray[np.bool_],
    rng: np.random.Generator,
) -> NDArray[Any]:
    """The column with its gaps drawn anew, given the rest of their rows."""
    if not gaps.any():
        return columns[variable.name]
    factors = [node for node in conditionals if variable == node.variable or variable in node.parents]
    given = {name: column[gaps] for name, column in columns.items()}
    draw = number_draws if variable.is_number else category_draws
    redrawn = columns[variable.name].copy()
    redrawn[gaps] = draw(variable, factors, given, int(gaps.sum()), rng)
    return redrawn

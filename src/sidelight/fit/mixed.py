"""Networks of several kinds of variables together.

Rows with gaps are fitted to by multiple imputation by the network itself. A round fits it to the filled rows and draws
each gap again, given the rest of its row and the parameters (Gibbs sampling). After the first rounds, which depend on
how the gaps were filled at the start, the filled tables are kept, and the parameters are fitted to all of them
together. Values are assumed to be missing at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.fit.model import FittedNetwork, fit_complete
from sidelight.graphs.dag import Dag
from sidelight.kinds.base import Columns, Conditional, ModelVariable, Sample, Variables, only_missing
from sidelight.text.message import Message, Option

FIRST_ROUNDS, KEPT_ROUNDS, SEED = 10, 10, 0
Gaps = NDArray[np.bool_]


class FittedMixed(FittedNetwork):
    """A number is linear in its parents, plus Gaussian noise; a category has a table, or a logistic regression.

    ``conditional(name)`` is a ``LinearGaussianNode`` (``intercept``, ``coefficients``, ``noise``), a ``TableNode``
    (``probabilities``), a ``LogisticNode`` (``intercepts``, ``slopes``) or, for an ordered category, a
    ``ProportionalOddsNode`` (``thresholds``, ``coefficients``). Categories have regressions given numbers; given
    categories alone, a table or a regression, whichever the score of a search would take.
    """

    @staticmethod
    def fit_incomplete(dag: Dag, variables: Variables, sample: Sample, prior: float) -> tuple[Conditional, ...]:
        """Fit to rows whose gaps are filled several times; each filling has an equal share of a row's weight."""
        rng = np.random.default_rng(SEED)
        gaps = {variable.name: _gaps(variable, sample.columns[variable.name]) for variable in variables}
        columns = {name: _filled(column, gaps[name], rng) for name, column in sample.columns.items()}
        kept = []
        for number in range(FIRST_ROUNDS + KEPT_ROUNDS):
            conditionals = fit_complete(dag, variables, replace(sample, columns=columns, has_gaps=False), prior)
            for variable in variables:
                columns[variable.name] = _redrawn(variable, conditionals, columns, gaps[variable.name], rng)
            if number >= FIRST_ROUNDS:
                kept.append(dict(columns))
        pooled = {name: np.concatenate([filled[name] for filled in kept]) for name in columns}
        weights = np.tile(sample.counts / KEPT_ROUNDS, KEPT_ROUNDS)
        return fit_complete(dag, variables, replace(sample, columns=pooled, weights=weights, has_gaps=False), prior)

    def _log_likelihood(self, sample: Sample) -> float:
        if sample.has_gaps:
            why = "the likelihood of incomplete rows is not computed for numbers and categories together; use "
            raise InputError(Message(why, Option("missing", "drop")))
        return super()._log_likelihood(sample)


def _gaps(variable: ModelVariable, column: NDArray[Any]) -> Gaps:
    found = variable.missing(column)
    if found.all():
        raise only_missing(variable.name)
    return found


def _filled(column: NDArray[Any], gaps: Gaps, rng: np.random.Generator) -> NDArray[Any]:
    """At first, gaps have values that other rows have."""
    filled = column.copy()
    filled[gaps] = rng.choice(column[~gaps], int(gaps.sum()))
    return filled


def _redrawn(
    variable: ModelVariable,
    conditionals: Sequence[Conditional],
    columns: Columns,
    gaps: Gaps,
    rng: np.random.Generator,
) -> NDArray[Any]:
    """The column with its gaps drawn again, given the rest of their rows."""
    if not gaps.any():
        return columns[variable.name]
    factors = [node for node in conditionals if variable == node.variable or variable in node.parents]
    given = {name: column[gaps] for name, column in columns.items()}
    redrawn = columns[variable.name].copy()
    redrawn[gaps] = variable.kind.posterior(variable, factors, given, int(gaps.sum())).drawn(rng)
    return redrawn

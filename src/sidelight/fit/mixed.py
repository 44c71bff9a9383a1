"""Networks of numbers and categories together: conditional Gaussian for numbers, logistic or tables for categories."""

from __future__ import annotations

from sidelight.errors import InputError
from sidelight.fit.conditional import Conditional
from sidelight.fit.linear import fit_linear
from sidelight.fit.logistic import fit_logistic
from sidelight.fit.model import FittedNetwork
from sidelight.fit.rows import Rows
from sidelight.fit.table import fit_table
from sidelight.fit.variables import Columns, ModelVariable
from sidelight.text.message import Message, Option


class FittedMixed(FittedNetwork):
    """A number is linear in its parents, plus Gaussian noise; a category has a table, or a logistic regression.

    ``conditional(name)`` is a ``LinearGaussianNode`` (``intercept``, ``coefficients``, ``noise``), a ``TableNode``
    (``probabilities``) or, for a category with a number among its parents, a ``LogisticNode`` (``intercepts``,
    ``slopes``).
    """

    def _log_likelihood(self, rows: Rows) -> float:
        if rows.has_gaps:
            why = "the likelihood of incomplete rows is not computed for numbers and categories together; use "
            raise InputError(Message(why, Option("missing", "drop")))
        return super()._log_likelihood(rows)


def fit_conditional(
    variable: ModelVariable,
    parents: tuple[ModelVariable, ...],
    columns: Columns,
    rows: Rows,
    equivalent_sample_size: float,
) -> Conditional:
    """The distribution of a variable given its parents, of the kind that goes with theirs."""
    if variable.is_number:
        return fit_linear(variable, parents, columns, rows)
    kind = fit_logistic if any(parent.is_number for parent in parents) else fit_table
    return kind(variable, parents, columns, rows, equivalent_sample_size)

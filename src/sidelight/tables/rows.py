"""Weights: how many samples each row of a table stands for."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.graphs.names import hint_at_names
from sidelight.tables.table import Table
from sidelight.text.message import Message, OptionName

Weights = NDArray[np.float64]
FEWEST_ROWS = 5  # with fewer, no test rejects anything


def take_weights(table: Table, weights: object) -> tuple[Table, Weights | None]:
    """The weights, from a column of the table, which is then no variable, or from an array.

    Rows of weight 0 are left out.
    """
    if weights is None:
        return table, None
    if isinstance(weights, str) or (isinstance(weights, Hashable) and weights in table.kinds):
        array = _weights_in_column(table, weights)
        table = table.part(name for name in table.all_names if name != weights)
    else:
        array = _weights_in_array(weights)
    _check_weights(array, table.n_rows)
    return table.rows(array > 0), array[array > 0]


def are_fractional(weights: Weights) -> bool:
    """True for survey weights; whole numbers are frequency weights, the numbers of equal rows."""
    return bool((weights != np.rint(weights)).any())


def counted_as_rows(weights: Weights, fractional: bool | None = None) -> Weights:
    """How many rows each row counts as: frequency weights as they are, survey weights scaled.

    The sum of the latter is then Kish's effective sample size, (Σw)² / Σw², whatever it was before. Whether weights are
    ``fractional`` is a matter of all of them, before rows are left out.
    """
    if not (are_fractional(weights) if fractional is None else fractional):
        return weights
    shares = weights / weights.max()
    rows: Weights = shares * (shares.sum() / (shares @ shares))
    return rows


def weights_in(table: Table, name: Hashable) -> Weights:
    """The weights in a column of a part of a table."""
    weights = _weights_in_column(table, name)
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        raise unusable_weights(
            f"a weight in column {str(name)!r} is {weights[int(wrong.argmax())]}; weights are 0 or more"
        )
    return weights


def _weights_in_column(table: Table, name: Hashable) -> Weights:
    if name not in table.kinds:
        raise unusable_weights(f"there is no column {name!r}{hint_at_names(name, table.all_names)}")
    if name not in table.names:
        raise unusable_weights(f"column {name!r} is not numeric")
    return np.asarray(table.column(name), dtype=np.float64)


def _weights_in_array(weights: object) -> Weights:
    try:
        return np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise unusable_weights("give the name of a column, or one number for each row") from error


def _check_weights(weights: Weights, n_rows: int) -> None:
    if weights.shape != (n_rows,):
        raise unusable_weights(f"{n_rows} are needed, one for each row; the shape is {weights.shape}")
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        row = int(wrong.argmax())
        raise unusable_weights(f"the weight of row {row + 1} is {weights[row]}; weights are 0 or more")
    if not weights.any():
        raise unusable_weights("all are zero")
    size = float(counted_as_rows(weights).sum())
    if size < FEWEST_ROWS - 1e-6:
        if are_fractional(weights):
            raise unusable_weights(
                f"they are worth {size:.1f} rows of equal weight, and at least {FEWEST_ROWS} are needed"
            )
        what = "a whole number is taken as the number of equal rows"
        raise unusable_weights(f"they sum to {size:g}, at least {FEWEST_ROWS} is needed; {what}")


def unusable_weights(why: str) -> InputError:
    """What to say of weights that cannot be used."""
    return InputError(Message(OptionName("weights"), f": {why}"))

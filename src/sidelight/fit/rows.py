"""The rows of a table that parameters are fitted to, or that a likelihood is computed of."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from sidelight.errors import InputError
from sidelight.sources.dialect import DialectChoice
from sidelight.sources.memory import array_names
from sidelight.sources.rows import is_delimited, read_table
from sidelight.tables.rows import Weights, are_fractional, counted_as_rows, take_weights
from sidelight.tables.table import Table, weights_column
from sidelight.tables.treatment import AS_READ, Treatment
from sidelight.text.message import Message, Option, must_be_one_of

MISSING = ("error", "drop", "em")
COMPLETE_ROWS = ("error", "drop")  # where nothing can be said of a row with gaps


@dataclass(frozen=True)
class Rows:
    """Rows, complete unless values may be missing, and how many samples each stands for."""

    table: Table
    weights: Weights | None
    has_gaps: bool = False

    @property
    def count(self) -> float:
        """The number of rows, or the sum of their weights."""
        return float(self.table.n_rows if self.weights is None else self.weights.sum())


def read_rows(
    source: object,
    variables: Sequence[Hashable],
    names: Sequence[Hashable] | None,
    missing: str,
    weights: object,
    treatment: Treatment = AS_READ,
    accepted: Sequence[str] = MISSING,
) -> Rows:
    """Read the columns of these variables; an array without ``names`` has them in the order of the variables."""
    if not isinstance(missing, str) or missing not in accepted:
        raise InputError(must_be_one_of("missing", accepted, missing))
    names = array_names(source, names, variables)
    column = weights_column(weights)
    asked = DialectChoice.given(treatment.written if is_delimited(source) else {})
    table = read_table(source, names, columns=[*variables, *([] if column is None else [column])], asked=asked)
    table, counts = take_weights(treatment.of(table), weights)
    fractional = counts is not None and are_fractional(counts)
    has_gaps, complete = bool(table.incomplete), table.complete_rows()
    if missing == "error" and has_gaps:
        raise _incomplete(table, int((~complete).sum()), accepted)
    if missing != "em" and has_gaps:
        table, counts, has_gaps = table.rows(complete), None if counts is None else counts[complete], False
    if not has_gaps and not table.n_rows:
        raise InputError("the table has no complete row")
    return Rows(table, None if counts is None else counted_as_rows(counts, fractional), has_gaps)


def _incomplete(table: Table, n_incomplete: int, accepted: Sequence[str]) -> InputError:
    """How many rows have gaps, and what can be done with them."""
    where = f"{n_incomplete} of {table.n_rows} rows have missing or infinite values, such as in column "
    where += f"{str(next(iter(table.gap_masks())))!r}; "
    em = (Option("missing", "em"), " uses what they have, ") if "em" in accepted else ()
    remain = f" leaves them out, and {table.n_rows - n_incomplete} rows remain"
    return InputError(Message(where, *em, Option("missing", "drop"), remain))

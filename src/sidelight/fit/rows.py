"""The rows of a table that parameters are fitted to, or that a likelihood is computed of."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from sidelight.errors import InputError
from sidelight.sources.dialect import DialectChoice
from sidelight.sources.memory import array_names
from sidelight.sources.rows import is_delimited, read_table
from sidelight.tables.rows import Weights, are_fractional, counted_as_rows, gaps_by_column, take_weights, without_gaps
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
    complete, kept, left_out = without_gaps(table, counts)
    if missing == "em" and left_out:
        return Rows(table, None if counts is None else counted_as_rows(counts, fractional), has_gaps=True)
    if missing == "error" and left_out:
        raise _incomplete(table, left_out, accepted)
    if not complete.n_rows:
        raise InputError("the table has no complete row")
    return Rows(complete, None if kept is None else counted_as_rows(kept, fractional))


def _incomplete(table: Table, n_incomplete: int, accepted: Sequence[str]) -> InputError:
    """How many rows have gaps, and what can be done with them."""
    where = f"{n_incomplete} of {table.n_rows} rows have missing or infinite values, such as in column "
    em = (Option("missing", "em"), " uses what they have, ") if "em" in accepted else ()
    remain = f" leaves them out, and {table.n_rows - n_incomplete} rows remain"
    return InputError(Message(where, f"{str(_first_gap(table))!r}; ", *em, Option("missing", "drop"), remain))


def _first_gap(table: Table) -> Hashable:
    """The first column with a missing or infinite value."""
    return next(name for name, gaps in gaps_by_column(table) if gaps.any())

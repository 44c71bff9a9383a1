"""Findings about missing and infinite values: where they are, and how many rows each remedy leaves."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sidelight.tables.cures import Cure
from sidelight.tables.findings import Finding, FindingKind, columns_that, drop_columns, to_drop
from sidelight.tables.survey import ColumnSurvey, Survey
from sidelight.tables.table import Table
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted, in_a_row

FEW_LOST = 0.05  # of the rows; to lose no more costs less than what tests on unequal rows assume
COLUMNS_SHOWN = 5
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Gaps:
    """Where each column that has missing or infinite values has them."""

    n_rows: int
    n_columns: int
    by_column: Mapping[Hashable, Mask]

    @staticmethod
    def of(table: Table) -> Gaps:
        """Of a table; columns without gaps take no memory."""
        found: dict[Hashable, Mask] = {}
        if table.values.dtype.kind == "f":
            with np.errstate(all="ignore"):
                sums = table.values.sum(axis=0, dtype=np.float64)  # quicker than masks; a sum may overflow
            for i in np.flatnonzero(~np.isfinite(sums)):
                found[table.names[i]] = ~np.isfinite(table.values[:, i])
        for name, texts in table.texts.items():
            found[name] = texts.missing
        found = {name: gone for name in table.all_names if name in found and (gone := found[name]).any()}
        return Gaps(table.n_rows, len(table.all_names), found)

    def n_gaps(self, name: Hashable) -> int:
        """How many values a column lacks."""
        return int(self.by_column[name].sum()) if name in self.by_column else 0

    def first_row(self, name: Hashable) -> int:
        """The number of the first row in which a column lacks one."""
        return int(self.by_column[name].argmax()) + 1

    def n_infinite(self, table: Table) -> int:
        """How many values of the table are infinite."""
        numbers = {name: gone for name, gone in self.by_column.items() if name in table.names}
        columns = (np.asarray(table.column(name)[gone], dtype=np.float64) for name, gone in numbers.items())
        return sum(int(np.isinf(column).sum()) for column in columns)

    def part(self, names: Collection[Hashable]) -> Gaps:
        """Of some of the columns."""
        kept = set(names)
        return Gaps(self.n_rows, len(kept), {name: gone for name, gone in self.by_column.items() if name in kept})

    @property
    def empty(self) -> list[Hashable]:
        """The columns without any value."""
        return [name for name in self.by_column if self.n_gaps(name) == self.n_rows]

    def n_complete(self, without: Collection[Hashable] = ()) -> int:
        """How many rows have no gap, if some columns are left out."""
        gone = np.zeros(self.n_rows, dtype=np.bool_)
        for name, mask in self.by_column.items():
            if name not in without:
                gone |= mask
        return int((~gone).sum())

    def columns_to_lose(self) -> tuple[Hashable, ...]:
        """The emptiest columns whose loss leaves most cells in complete rows; half-full ones only if rows are few."""
        counts = {name: int(gone.sum()) for name, gone in self.by_column.items()}
        emptiest = sorted(counts, key=lambda name: -counts[name])
        sparse = [name for name in emptiest if counts[name] > self.n_rows / 2]
        if 2 * self.n_complete(sparse) >= self.n_rows:
            return self._best_loss(emptiest, len(sparse))
        return self._best_loss(emptiest, len(emptiest))

    def _best_loss(self, emptiest: list[Hashable], most: int) -> tuple[Hashable, ...]:
        """The first ones, at most so many, without which most cells are in complete rows."""
        gone = np.zeros(self.n_rows, dtype=np.bool_)
        cells = {len(emptiest): self.n_rows * (self.n_columns - len(emptiest))}
        for count in range(len(emptiest) - 1, -1, -1):  # from the fullest on, so that each mask is added once
            gone |= self.by_column[emptiest[count]]
            cells[count] = int((~gone).sum()) * (self.n_columns - count)
        return tuple(emptiest[: max(range(most + 1), key=lambda count: cells[count])])


@dataclass(frozen=True)
class SurveyedGaps(Gaps):
    """The same of a table that is not in memory: how many there are is known, but not which rows have them."""

    by_column: Mapping[Hashable, ColumnSurvey]  # type: ignore[assignment]
    complete: int

    @staticmethod
    def found(survey: Survey, names: Collection[Hashable]) -> SurveyedGaps:
        """In some columns, as a survey found them; a row is complete if no column of the survey has a gap there."""
        gaps = {name: column for name in names if (column := survey.columns[name]).first_gap is not None}
        return SurveyedGaps(survey.n_rows, len(names), gaps, survey.n_complete)

    def n_gaps(self, name: Hashable) -> int:
        """How many values a column lacks."""
        column = self.by_column.get(name, ColumnSurvey())
        return column.n_missing + column.n_infinite

    def first_row(self, name: Hashable) -> int:
        """The number of the first row in which a column lacks one."""
        return (self.by_column[name].first_gap or 0) + 1

    def n_infinite(self, table: Table) -> int:
        """How many values of the table are infinite."""
        return sum(column.n_infinite for column in self.by_column.values())

    def part(self, names: Collection[Hashable]) -> SurveyedGaps:
        """Of some of the columns."""
        kept = {name: column for name, column in self.by_column.items() if name in set(names)}
        return SurveyedGaps(self.n_rows, len(names), kept, self.complete)

    def n_complete(self, without: Collection[Hashable] = ()) -> int:
        """How many rows have no gap; which would be so without some columns is known only if they have all gaps."""
        return self.complete if set(self.by_column) - set(without) else self.n_rows

    def columns_to_lose(self) -> tuple[Hashable, ...]:
        """Columns that are mostly empty."""
        return tuple(name for name in self.by_column if self.n_gaps(name) > self.n_rows / 2)


def empty_columns(gaps: Gaps) -> Iterator[Finding]:
    """Columns without any value."""
    names = gaps.empty
    yield from to_drop(FindingKind.EMPTY, "error", names, f"{columns_that(names, 'has', 'have')} missing values only")


def examine_gaps(table: Table, gaps: Gaps, accepted: Collection[str]) -> Iterator[Finding]:
    """One finding about all gaps, with how many rows are left by each remedy that the test accepts."""
    if not gaps.by_column:
        return
    left = gaps.n_complete()
    cure = _cure(gaps, accepted)
    rows: list[str | Option] = [f" leaves {counted(left, 'row')} of {gaps.n_rows}"]
    if cure.drop:
        rows += [f", {gaps.n_complete(cure.drop)} with ", Option("drop", list(cure.drop))]
    others = [
        Message(Option("missing", value), " keeps all rows; ") for value in accepted if value in ("pairwise", "em")
    ]
    remedy = Message(*others, Option("missing", "drop"), *rows, "; or ", drop_columns(list(gaps.by_column)))
    yield Finding(FindingKind.MISSING, "error", tuple(gaps.by_column), _gaps_in_words(table, gaps), remedy, cure)


def _gaps_in_words(table: Table, gaps: Gaps) -> str:
    """One column in a sentence; of several, how many values each lacks."""
    if len(gaps.by_column) == 1:
        (name,) = gaps.by_column
        count = counted(gaps.n_gaps(name), f"{_kind_of_gaps(table, gaps)} value")
        return f"column {str(name)!r} has {count}, the first in row {gaps.first_row(name)}"
    shown = [
        f"{str(name)!r} ({gaps.n_gaps(name)}, the first in row {gaps.first_row(name)})"
        for name in list(gaps.by_column)[:COLUMNS_SHOWN]
    ]
    if len(gaps.by_column) > len(shown):
        shown.append(counted(len(gaps.by_column) - len(shown), "more column"))
    return f"{_kind_of_gaps(table, gaps)} values in columns {in_a_row(shown)}"


def _kind_of_gaps(table: Table, gaps: Gaps) -> str:
    infinite = gaps.n_infinite(table)
    every = sum(map(gaps.n_gaps, gaps.by_column))
    return "infinite" if infinite == every else "missing or infinite" if infinite else "missing"


def _cure(gaps: Gaps, accepted: Collection[str]) -> Cure:
    """The value of ``missing`` that loses least; where few rows are lost, complete ones assume least."""
    if gaps.n_complete() >= (1 - FEW_LOST) * gaps.n_rows or "pairwise" not in accepted:
        return Cure(drop=gaps.columns_to_lose(), missing="drop")
    return Cure(missing="pairwise")

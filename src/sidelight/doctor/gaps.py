"""Findings about missing and infinite values: where they are, and how many rows each remedy leaves."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sidelight.tables.cures import Cure
from sidelight.tables.findings import Finding, FindingKind, columns_that, drop_columns, to_drop
from sidelight.tables.gaps import Gaps
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted, in_a_row

FEW_LOST = 0.05  # of the rows; to lose no more costs less than what tests on unequal rows assume
COLUMNS_SHOWN = 5


def empty_columns(gaps: Gaps) -> Iterator[Finding]:
    """Columns without any value."""
    names = gaps.empty
    yield from to_drop(FindingKind.EMPTY, "error", names, f"{columns_that(names, 'has', 'have')} missing values only")


def examine_gaps(gaps: Gaps, accepted: Collection[str]) -> Iterator[Finding]:
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
    yield Finding(FindingKind.MISSING, "error", tuple(gaps.by_column), _gaps_in_words(gaps), remedy, cure)


def _gaps_in_words(gaps: Gaps) -> str:
    """One column in a sentence; of several, how many values each lacks."""
    if len(gaps.by_column) == 1:
        (name,) = gaps.by_column
        count = counted(gaps.n_gaps(name), f"{_kind_of_gaps(gaps)} value")
        return f"column {str(name)!r} has {count}, the first in row {gaps.by_column[name].first_row + 1}"
    shown = [
        f"{str(name)!r} ({gaps.n_gaps(name)}, the first in row {gaps.by_column[name].first_row + 1})"
        for name in list(gaps.by_column)[:COLUMNS_SHOWN]
    ]
    if len(gaps.by_column) > len(shown):
        shown.append(counted(len(gaps.by_column) - len(shown), "more column"))
    return f"{_kind_of_gaps(gaps)} values in columns {in_a_row(shown)}"


def _kind_of_gaps(gaps: Gaps) -> str:
    infinite = gaps.n_infinite
    every = sum(map(gaps.n_gaps, gaps.by_column))
    return "infinite" if infinite == every else "missing or infinite" if infinite else "missing"


def _cure(gaps: Gaps, accepted: Collection[str]) -> Cure:
    """The value of ``missing`` that loses least; where few rows are lost, complete ones assume least."""
    if gaps.n_complete() >= (1 - FEW_LOST) * gaps.n_rows or "pairwise" not in accepted:
        return Cure(drop=gaps.columns_to_lose(), missing="drop")
    return Cure(missing="pairwise")

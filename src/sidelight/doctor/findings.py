"""Findings: what is wrong or doubtful, as values with a kind, a severity, the columns concerned and a remedy."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sidelight.data.table import Table
from sidelight.data.types import ColumnType
from sidelight.errors import InputError
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted, listed

LONGEST_EXAMPLE = 40  # letters
Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong or doubtful about a table, or about what was learned from it.

    Args:
        kind: what kind of thing, such as "constant" or "few rows"; the same for all findings of that kind.
        severity: "error" if nothing can be learned until it is fixed, else "warning".
        culprits: the columns or variables concerned.
        text: what was found.
        remedy: what to do about it; empty if there is no advice.
    """

    kind: str
    severity: Severity
    culprits: tuple[Hashable, ...]
    text: str
    remedy: str = ""

    @property
    def message(self) -> Message:
        """What was found and what to do, as one message."""
        return Message(self.text, " — ", self.remedy) if self.remedy else Message(self.text)

    def as_dict(self) -> dict[str, object]:
        """All of it as data that JSON can hold."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "culprits": list(map(str, self.culprits)),
            "text": Message(self.text).plain,
            "remedy": Message(self.remedy).plain,
        }

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Diagnosis:
    """All findings about a table.

    Args:
        n_rows: how many rows it has.
        n_columns: how many columns it has.
        findings: what is wrong or doubtful.
        names: the columns that would be learned from; empty for the diagnosis of a part of the table.
        types: what each column is taken as, and how that was decided.
        n_complete: how many rows have no missing and no infinite value.
    """

    n_rows: int
    n_columns: int
    findings: tuple[Finding, ...]
    names: tuple[Hashable, ...] = ()
    types: tuple[ColumnType, ...] = ()
    n_complete: int | None = None

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What must be fixed before learning."""
        return tuple(f for f in self.findings if f.severity == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What may make the result wrong."""
        return tuple(f for f in self.findings if f.severity == "warning")

    def raise_if_unusable(self) -> None:
        """Raise an ``InputError`` with all findings, if there is an error among them."""
        if self.errors:
            raise InputError(Message("the table has errors that must be mended before learning\n", self.message))

    def as_dict(self) -> dict[str, object]:
        """All of it as data that JSON can hold."""
        return {
            "n_rows": self.n_rows,
            "n_complete": self.n_complete,
            "n_columns": self.n_columns,
            "types": [column.as_dict() for column in self.types],
            "findings": [finding.as_dict() for finding in self.findings],
        }

    @property
    def message(self) -> Message:
        """All of it as one message, a line for each finding."""
        shape = f"{counted(self.n_rows, 'row')}, {counted(self.n_columns, 'column')}"
        if not self.findings:
            return Message(f"{shape}: no problems found")
        lines = (part for f in self.findings for part in (f"\n  {f.severity}: ", f.message))
        return Message(shape, *lines)

    def __str__(self) -> str:
        return self.message


def together(*diagnoses: Diagnosis) -> Diagnosis:
    """The diagnoses of parts of one table as one."""
    n_rows = max(diagnosis.n_rows for diagnosis in diagnoses)
    findings = tuple(finding for diagnosis in diagnoses for finding in diagnosis.findings)
    return Diagnosis(n_rows, sum(diagnosis.n_columns for diagnosis in diagnoses), tuple(dict.fromkeys(findings)))


# Findings about single columns, whatever their kind; to drop a column is a remedy that is always there.


def drop_columns(names: Sequence[Hashable]) -> Message:
    """The remedy ``drop it: drop=['a']``."""
    return Message(f"drop {'it' if len(names) == 1 else 'them'}: ", Option("drop", list(names)))


def of_one_value(names: list[Hashable]) -> Iterator[Finding]:
    """Constant columns, as one finding."""
    if names:
        have = "columns {} have" if len(names) > 1 else "column {} has"
        text = f"{have.format(listed(names, quoted=True))} one value only"
        yield Finding("constant", "error", tuple(names), text, drop_columns(names))


def gap(kind: str, name: Hashable, count: int, first: int, n_rows: int) -> Finding:
    """A column with missing or infinite values; ``first`` is the position of the first one."""
    if count == n_rows:
        return Finding(kind, "error", (name,), f"column {str(name)!r} has {kind} values only", drop_columns([name]))
    text = f"column {str(name)!r} has {counted(count, f'{kind} value')}, the first in row {first + 1}"
    remedy = Message(Option("missing", "drop"), " leaves such rows out; or ", drop_columns([name]))
    return Finding(kind, "error", (name,), text, remedy)


def not_numbers(table: Table) -> Iterator[Finding]:
    """Columns of texts where numbers are needed."""
    for name, column in table.texts.items():
        yield almost_numbers(name, column) or _texts(name, column)


def almost_numbers(name: Hashable, column: Sequence[object]) -> Finding | None:
    """A column that would be numeric without a few of its cells; None for others."""
    wrong = [(row, value) for row, value in enumerate(column) if value is not None and not _is_number(value)]
    if not wrong or len(wrong) > len(column) // 2:
        return None
    row, value = wrong[0]
    cells = f"{counted(len(wrong), 'cell')} among {len(column)} that {'is' if len(wrong) == 1 else 'are'} not numeric"
    text = f"column {str(name)!r} has {cells}, such as {str(value)[:LONGEST_EXAMPLE]!r} in row {row + 1}"
    remedy = Message("correct or empty such cells, or ", drop_columns([name]))
    return Finding("non-numeric", "error", (name,), text, remedy)


def _texts(name: Hashable, column: Sequence[object]) -> Finding:
    examples = [value for value in column if value is not None][:1]
    example = f", such as {str(examples[0])[:LONGEST_EXAMPLE]!r}" if examples else ""
    distinct = len(set(map(str, column)))
    what = f"column {str(name)!r} is not numeric"
    if distinct == len(column) > 1:
        text = f"{what} and differs in every row{example}: it looks like an identifier"
        return Finding("non-numeric", "error", (name,), text, drop_columns([name]))
    remedy = Message("code it as numbers, or ", drop_columns([name]))
    return Finding("non-numeric", "error", (name,), f"{what}{example}, with {distinct} different values", remedy)


def _is_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return True

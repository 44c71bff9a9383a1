"""Findings: what is wrong or doubtful, as values with a kind, a severity, the columns concerned and a remedy."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

from sidelight.errors import InputError
from sidelight.text.message import Message
from sidelight.text.sentences import counted

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
    """All findings about a table."""

    n_rows: int
    n_columns: int
    findings: tuple[Finding, ...]

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
            raise InputError(Message("nothing can be learned from the table as it is\n", self.message))

    def as_dict(self) -> dict[str, object]:
        """All of it as data that JSON can hold."""
        return {
            "n_rows": self.n_rows,
            "n_columns": self.n_columns,
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

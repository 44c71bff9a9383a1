"""Findings: what is wrong or doubtful, as values with a kind, a severity, the columns concerned and a remedy.

A cure is what would be done about a finding, as values of options, which ``fix=True`` gives them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Literal

from sidelight.errors import InputError
from sidelight.tables.column_options import types_in_words
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted, in_a_row, listed

if TYPE_CHECKING:
    from sidelight.kinds.types import ColumnType

Severity = Literal["error", "warning", "note"]
GROUPS_SHOWN = 6


class FindingKind(StrEnum):
    """What kinds of findings there are: about a table, about what was learned from it, and about resamples."""

    CONSTANT = "constant"
    FIXED = "fixed"  # what a cure has done
    IDENTIFIER = "identifier"
    PANEL = "panel"
    UNIT = "unit"  # of a panel, as a column
    GROUPS = "groups"
    COUNTS = "counts"
    CENSORED = "censored times"
    ORDERED_SCALES = "ordered scales"
    BACKGROUND = "background knowledge"
    INFLUENTIAL_ROWS = "influential rows"
    WORDS_FOR_MISSING = "words for missing"
    DATE = "date"
    ORDERING_DATE = "ordering date"
    NON_NUMERIC_CELLS = "non-numeric cells"
    NON_NUMERIC = "non-numeric"
    LARGE_INTEGERS = "large integers"
    DUPLICATED = "duplicated"
    MONOTONE_COPIES = "monotone copies"
    AUTOCORRELATED_ROWS = "autocorrelated rows"
    REPEATED_ROWS = "repeated rows"
    SENTINELS = "sentinels"
    SCALE = "scale"
    OUTLIER = "outlier"
    HEAVY_TAILS = "heavy tails"
    COLLINEAR = "collinear"
    SUM = "sum"
    INDICATORS = "indicators"
    FEW_ROWS = "few rows"
    NEAR_SINGULAR = "near-singular"
    MANY_VALUES = "many values"
    RECODED = "recoded"
    EMPTY = "empty"
    MISSING = "missing"
    STOPPED = "stopped"
    FAILED_RESAMPLES = "failed resamples"
    SINGULAR_RESAMPLES = "singular resamples"
    CONSTANT_IN_RESAMPLES = "constant in resamples"
    CATEGORIES_MISSING_IN_RESAMPLES = "categories missing in resamples"
    NO_WEIGHTS = "no weights"
    NO_GROUPS = "no groups"
    NO_SETTINGS = "no settings"
    FALLBACK_REMOVALS = "fallback removals"
    OVERRULED_V_STRUCTURES = "overruled v-structures"
    FAILED_SEPARATING_SETS = "failed separating sets"
    KNOWLEDGE_AGAINST_DATA = "knowledge against data"
    KNOWLEDGE_NOT_KEPT = "knowledge not kept"
    UNCHECKED_SEPARATING_SETS = "unchecked separating sets"
    MENDED_SEPARATING_SETS = "mended separating sets"
    TESTS_AGAINST_SCORE = "tests against score"
    MARGINAL_DEPENDENCES = "marginal dependences"
    UNDECIDED_TESTS = "undecided tests"
    LIMIT_REACHED = "limit reached"
    LINEAR_TESTS = "linear tests"
    RARE_CATEGORIES = "rare categories"
    SPARSE_COUNTS = "sparse counts"
    NORMAL_SCORES = "normal scores"
    FEW_ROWS_PER_PARAMETER = "few rows per parameter"  # of a fitted network
    MISSING_VALUES = "missing values"
    DROPPED_ROWS = "dropped rows"
    SURVEY_WEIGHTS = "survey weights"
    WITHIN_GROUPS = "within groups"
    BETWEEN_GROUPS = "between groups"
    SAME_IN_GROUPS = "same within groups"
    SHARES_IN_GROUPS = "shares of groups"
    SETTINGS = "settings"  # of experiments
    CONTEXTS = "contexts"
    WAVES = "waves"
    SPACING = "spacing of waves"
    WAVES_LEFT = "earlier waves left"  # to be taken into account
    TREND = "trend"
    BATCHES = "batches"
    DELIMITER = "delimiter"
    DECIMAL_MARK = "decimal mark"
    HEADER = "header"
    CODES = "codes"
    SHEETS = "sheets"
    LABELS = "labels"


@dataclass(frozen=True)
class Cure:
    """Values of options that would cure a finding; false where there is nothing to do.

    Args:
        drop: columns not to use.
        missing_values: for columns, the values that stand for missing ones.
        dates: columns of dates, times or durations to take as numbers.
        types: for columns, the type to take them as.
        missing: the value of the option ``missing``.
        groups: the column that says of which group a row is, which nothing else is then done to.
    """

    drop: tuple[Hashable, ...] = ()
    missing_values: Mapping[Hashable, tuple[object, ...]] = field(default_factory=dict)
    dates: tuple[Hashable, ...] = ()
    types: Mapping[Hashable, str] = field(default_factory=dict)
    missing: str = ""
    groups: Hashable | None = None

    def __bool__(self) -> bool:
        parts = (self.drop, self.missing_values, self.dates, self.types, self.missing)
        return any(parts) or self.groups is not None

    def __or__(self, other: Cure) -> Cure:
        """Both; what one of them drops, the other need not change."""
        groups = other.groups if self.groups is None else self.groups
        drop = tuple(name for name in dict.fromkeys((*self.drop, *other.drop)) if groups is None or name != groups)
        values, apart = {**self.missing_values, **other.missing_values}, {*drop, *(() if groups is None else (groups,))}
        return Cure(
            drop,
            {name: marks for name, marks in values.items() if name not in apart},
            tuple(name for name in dict.fromkeys((*self.dates, *other.dates)) if name not in apart),
            {name: kind for name, kind in {**self.types, **other.types}.items() if name not in apart},
            other.missing or self.missing,
            groups,
        )

    @property
    def message(self) -> Message:
        """What was done, such as ``dropped 'id'``."""
        return Message(*[piece for part in self._parts() for piece in ("; ", part)][1:])

    def as_dict(self) -> dict[str, object]:
        """All of it that is not empty, as data that JSON can hold."""
        marks = {str(name): list(map(str, values)) for name, values in self.missing_values.items()}
        lists = {name: list(map(str, getattr(self, name))) for name in ("drop", "dates")}
        types = {str(name): kind for name, kind in self.types.items()}
        every: dict[str, object] = {**lists, "missing_values": marks, "types": types, "missing": self.missing}
        every["groups"] = "" if self.groups is None else str(self.groups)
        return {name: value for name, value in every.items() if value}

    def _parts(self) -> Iterator[Message]:
        if self.drop:
            yield Message(f"dropped {listed(self.drop, quoted=True)}")
        if self.missing_values:
            marks = [f"{_shown(values)} in {str(name)!r}" for name, values in self.missing_values.items()]
            yield Message(f"took {listed(marks)} as missing")
        if self.dates:
            what = "numbers" if len(self.dates) > 1 else "a number"
            yield Message(f"took {listed(self.dates, quoted=True)} as {what} of days")
        if self.types:
            yield Message("used ", Option("types", types_in_words(self.types)))
        if self.missing:
            yield Message("used ", Option("missing", self.missing))
        if self.groups is not None:
            yield Message("used ", Option("groups", self.groups))


def _shown(values: tuple[object, ...]) -> str:
    texts = [f"{value:g}" if isinstance(value, float) else repr(value) for value in values[:5]]
    return in_a_row(texts + ["…"] * (len(values) > 5))


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong or doubtful about a table, or about what was learned from it.

    Args:
        kind: what kind of thing, such as "constant" or "few rows"; the same for all findings of that kind.
        severity: "error" if nothing can be learned until it is fixed, "warning" if the result may be wrong, "note" for
            a suggestion.
        culprits: the columns or variables concerned.
        text: what was found.
        remedy: what to do about it; empty if there is no advice.
        cure: the values of options that do it; files do not keep them.
    """

    kind: FindingKind
    severity: Severity
    culprits: tuple[Hashable, ...]
    text: str
    remedy: str = ""
    cure: Cure = field(default=Cure(), compare=False)

    def fixed(self) -> Finding:
        """What is reported in its place once it is cured."""
        return Finding(FindingKind.FIXED, "warning", self.culprits, Message(self.cure.message, ": ", self.text))

    @property
    def label(self) -> str:
        """The word before its text: its severity, or that it is fixed."""
        return self.kind if self.kind == FindingKind.FIXED else self.severity

    @property
    def message(self) -> Message:
        """What was found and what to do, as one message."""
        return Message(self.text, " — ", self.remedy) if self.remedy else Message(self.text)

    def as_dict(self) -> dict[str, object]:
        """All of it as data that JSON can hold."""
        return {
            "kind": str(self.kind),
            "severity": self.severity,
            "culprits": list(map(str, self.culprits)),
            "text": Message(self.text).plain,
            "remedy": Message(self.remedy).plain,
            **({"cure": self.cure.as_dict()} if self.cure else {}),
        }

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f"<{self.label}: {self.message}>"


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

    @property
    def notes(self) -> tuple[Finding, ...]:
        """What may be said of columns, and was not."""
        return tuple(f for f in self.findings if f.severity == "note")

    def raise_if_unusable(self) -> None:
        """Raise an ``InputError`` with all findings, if there is an error among them."""
        if self.errors:
            serious = replace(self, findings=tuple(f for f in self.findings if f.severity != "note"))
            raise InputError(Message("the table has errors that must be fixed first\n", serious.message))

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
    def cure(self) -> Cure:
        """What would be done about all findings together."""
        return reduce(or_, (finding.cure for finding in self.findings), Cure())

    @property
    def message(self) -> Message:
        """All of it as one message, a line for each finding."""
        shape = f"{counted(self.n_rows, 'row')}, {counted(self.n_columns, 'column')}"
        if not self.errors and not self.warnings:
            shape += ": no problems found"
        lines = (part for f in self.findings for part in (f"\n  {f.label}: ", f.message))
        return Message(shape, *lines)

    def __str__(self) -> str:
        return self.message

    __repr__ = __str__


# To drop columns is a remedy that is always there.


def drop_columns(names: Sequence[Hashable]) -> Message:
    """The remedy ``drop it: drop=['a']``."""
    return Message(f"drop {'it' if len(names) == 1 else 'them'}: ", Option("drop", list(names)))


def columns_that(names: Sequence[Hashable], one: str, several: str) -> str:
    """``column 'a' has``, ``columns 'a' and 'b' have``; nothing where there are none."""
    if not names:
        return ""
    return f"column{'s' * (len(names) > 1)} {listed(names, quoted=True)} {one if len(names) == 1 else several}"


def to_drop(
    kind: FindingKind, severity: Severity, names: Sequence[Hashable], text: str, before: str = ""
) -> Iterator[Finding]:
    """A finding about columns that are best dropped, if there are any; ``before`` is other advice."""
    if names:
        remedy = Message(before, drop_columns(names))
        yield Finding(kind, severity, tuple(names), text, remedy, Cure(drop=tuple(names)))


def of_one_value(names: Sequence[Hashable]) -> Iterator[Finding]:
    """Constant columns, as one finding."""
    yield from to_drop(FindingKind.CONSTANT, "error", names, f"{columns_that(names, 'has', 'have')} one value only")


def copies(
    kind: FindingKind, severity: Severity, groups: Sequence[Sequence[Hashable]], why: str, before: str = ""
) -> Iterator[Finding]:
    """Columns that say the same, if there are any, of which one in each group is kept; ``before`` is other advice."""
    if groups:
        shown = [listed(group, quoted=True) for group in groups[:GROUPS_SHOWN]]
        shown += [f"{len(groups) - len(shown)} more groups"] * (len(groups) > len(shown))
        again = tuple(name for group in groups for name in group[1:])
        keep = "keep one; " if len(groups) == 1 else "keep one of each; "
        members = tuple(name for group in groups for name in group)
        remedy = Message(before, keep, drop_columns(again))
        yield Finding(kind, severity, members, f"columns {'; '.join(shown)} {why}", remedy, Cure(drop=again))

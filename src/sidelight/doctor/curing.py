"""``fix=True``: the doctor's cures, applied until nothing is left to cure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from sidelight.families.options import DataOptions
from sidelight.kinds.types import said_types
from sidelight.tables.column_options import marks_of
from sidelight.tables.findings import Cure, Diagnosis, Finding
from sidelight.tables.table import as_list

MOST_ROUNDS = 10  # of cures; each uncovers what the one before hid, and three are seldom needed
RETYPED = "too many values for categories"  # the one finding whose cure is another type


class Diagnosed(Protocol):
    """What was made of a table, with what the doctor says of it."""

    @property
    def diagnosis(self) -> Diagnosis: ...


Examined = TypeVar("Examined", bound=Diagnosed)


def cured(
    examine: Callable[[Collection[Hashable], DataOptions], Examined], options: DataOptions
) -> tuple[Examined, Diagnosis]:
    """What is made of a table once cures are applied, until none is left, and the diagnosis with what was done.

    ``examine`` takes the columns to leave out, and the options.
    """
    dropped: set[Hashable] = set()
    done: list[Finding] = []
    retyped: set[Hashable] = set()
    for _ in range(MOST_ROUNDS):
        examined = examine(dropped, options)
        curable = _to_cure_now(examined.diagnosis)
        cure = Diagnosis(0, 0, curable).cure
        if not cure or not set(examined.diagnosis.names) - set(cure.drop):
            break
        done += [finding.fixed() for finding in _each_once(curable)]
        retyped |= cure.types.keys()
        dropped |= set(cure.drop)
        options = _with_cure(options, cure)
    found = examined.diagnosis
    types = tuple(replace(c, decided=RETYPED) if c.name in retyped else c for c in found.types)
    return examined, replace(found, findings=(*done, *found.findings), types=types)


def _each_once(findings: tuple[Finding, ...]) -> Iterator[Finding]:
    """Without findings whose cure others among them do."""
    cure = Cure()
    for finding in findings:
        if cure | finding.cure != cure:
            yield finding
        cure = cure | finding.cure


def _to_cure_now(diagnosis: Diagnosis) -> tuple[Finding, ...]:
    """What is missing is settled last: other cures change it."""
    curable = tuple(finding for finding in diagnosis.findings if finding.cure)
    return tuple(finding for finding in curable if not finding.cure.missing) or curable


def _with_cure(options: DataOptions, cure: Cure) -> DataOptions:
    """The options with what the cure changes; what is dropped is named in no other option."""
    marks = dict(marks_of(options.missing_values))
    for name, values in cure.missing_values.items():
        marks[name] = (*marks.get(name, ()), *values)
    dates = (*as_list(options.dates), *cure.dates)
    changes: dict[str, Any] = {
        "missing_values": _without(cure.drop, marks),
        "dates": [name for name in dates if name not in cure.drop] or None,
        "types": _without(cure.drop, {**said_types(options.types), **cure.types}),
        "missing": cure.missing or options.missing,
    }
    if options.discrete is not None:
        others = (*cure.drop, *cure.types)
        changes["discrete"] = [name for name in as_list(options.discrete) if name not in others]
    return replace(options, **changes)


def _without(dropped: tuple[Hashable, ...], values: Mapping[Hashable, Any]) -> dict[Hashable, Any] | None:
    return {name: value for name, value in values.items() if name not in dropped} or None

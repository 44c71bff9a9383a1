"""All that is wrong or doubtful about a table, as it was read and as the test takes its columns; and the cures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import numpy as np

from sidelight.doctor import columns, combinations, groups, influence, meaning, units
from sidelight.doctor.rows import about_dropped, about_missing, empty_columns, examine_rows
from sidelight.families import TABLE_TESTS
from sidelight.families.data import NumberSummary, Statistics, TestedRows, TypedTable
from sidelight.families.gaussian.correlation import n_whole
from sidelight.families.options import ASSUMED, DataOptions
from sidelight.kinds.category import Category
from sidelight.kinds.types import said_types
from sidelight.tables.all_rows import FEWEST_ROWS
from sidelight.tables.column_options import marks_of
from sidelight.tables.findings import Cure, Diagnosis, Finding, FindingKind, drop_columns, of_one_value
from sidelight.tables.strings import Coded
from sidelight.tables.table import Table, as_list
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted

MOST_ROUNDS = 10  # of cures; each uncovers what the one before hid, and three are seldom needed
RETYPED = {"number": "too many values for categories", "category": "says of which unit a row is"}  # by a cure
STANDING = (FindingKind.PANEL,)  # is still so without the columns that showed it
OF_SINGLE_ROWS = (
    *(FindingKind.IDENTIFIER, FindingKind.PANEL, FindingKind.UNIT, FindingKind.GROUPS, FindingKind.COUNTS),
)


def diagnosed_columns(
    table: TypedTable, known: TestedRows | None, test_columns: Callable[[tuple[Hashable, ...]], TestedRows]
) -> tuple[TestedRows, Diagnosis]:
    """The columns that can be tested, and all findings; ``known`` are all columns, where they were tested before."""
    options, names = table.options, table.rows.sample.all_names
    found = about_table(table, known is not None and _has_no_sums(known, table.rows.sample))
    usable = usable_columns(table.rows.sample, found)
    tested = known if known is not None and len(usable) == len(names) else test_columns(usable)
    gaps = table.gaps.part(usable)
    missing = tuple(about_missing(gaps, tested.entry, options, table.rows.in_memory))
    can_be_built = not (missing and options.missing == "error")
    of_columns = about_tested(tested.statistics, can_be_built) if usable else ()
    n_left = gaps.n_complete() if options.missing == "drop" else gaps.n_rows
    findings = [*table.notes, *about_dropped(gaps, options), *about_weights(tested, n_left), *tested.choices]
    findings += [*found, *missing, *of_columns]
    findings += about_rows(tested, findings)
    if any(finding.severity == "error" for finding in findings):  # what to do beside is told once they are fixed
        findings = [finding for finding in findings if finding.kind != FindingKind.BACKGROUND]
    every = tuple(possible(finding, options) for finding in findings)
    n_rows, n_complete = table.gaps.n_rows, table.gaps.n_complete()
    return tested, Diagnosis(n_rows, len(names), every, names, tested.types, n_complete)


def _has_no_sums(known: TestedRows, table: Table) -> bool:
    """True where statistics that are in order, of the values in all rows, cover all numbers of a table."""
    numbers = known.statistics.numbers
    if numbers is None or known.data.rows.is_weighted or not numbers.is_clean:
        return False
    return numbers.table.names == table.names and numbers.table.n_rows == table.n_rows


def about_table(typed: TypedTable, no_sums: bool) -> tuple[Finding, ...]:
    """What is no variable, or no variable of its own; a weighted row may well be the only one of its kind.

    A column that one examination would drop is not looked at by the next.
    """
    table, options = typed.rows.sample, typed.options
    if table.n_rows < FEWEST_ROWS:
        return ()
    entry, taken = TABLE_TESTS.get(str(options.test)), typed.discrete
    discrete = taken if entry is None else entry.taken_as_discrete(table.all_names, taken)
    found = [*empty_columns(typed.gaps)]
    found += columns.examine_texts(table.part(set(table.all_names) - _dropped(found)), discrete)
    found += units.examine_identifiers(table, _dropped(found))
    if options.groups is None and options.time is None:
        panel = list(units.examine_panel(table, discrete, _dropped(found)))
        found += panel or groups.examine_groups(table, discrete, _dropped(found))
    found += columns.examine_sentinels(table, _dropped(found))
    found += meaning.examine_meaning(table, typed.types, typed.given)
    by_ranks = options.correlation == "normal-scores"
    found += combinations.examine_copies(table, discrete, _dropped(found), "error" if by_ranks else "warning")
    found += [] if no_sums else combinations.examine_sums(table, discrete, _dropped(found))
    single = OF_SINGLE_ROWS if typed.rows.is_weighted else ()
    return tuple(finding for finding in found if finding.kind not in single)


def _dropped(findings: Collection[Finding]) -> set[Hashable]:
    return {name for finding in findings for name in finding.cure.drop}


def usable_columns(table: Table, findings: Collection[Finding]) -> tuple[Hashable, ...]:
    """The columns that can be learned from, so that the rest of the table can be examined."""
    errors = [finding for finding in findings if finding.severity == "error"]
    unusable = {name for finding in errors for name in (*finding.cure.drop, *finding.cure.dates)}
    unusable |= {name for finding in errors for name in finding.cure.missing_values}
    return tuple(name for name in table.all_names if name not in unusable)


def about_tested(statistics: Statistics, can_be_built: bool) -> list[Finding]:
    """What is wrong or doubtful about columns as a test takes them; constant ones are one finding."""
    data, numbers, coded = statistics.data, statistics.numbers, statistics.coded
    found = [] if numbers is None else about_numbers(numbers)
    found += [] if coded is None else about_categories(coded, data.rows.is_weighted, statistics.most_categories)
    if numbers is None:
        found += few_rows(0 if coded is not None else len(data.table.names), data.n_samples)
    constant = [name for finding in found if finding.kind == FindingKind.CONSTANT for name in finding.culprits]
    found = [*of_one_value(constant), *(finding for finding in found if finding.kind != FindingKind.CONSTANT)]
    if can_be_built and not any(finding.severity == "error" for finding in found):
        found += statistics.findings()
    return found


def about_numbers(summary: NumberSummary) -> list[Finding]:
    """All findings about columns with these moments and correlations; ranks have neither outliers nor heavy tails."""
    n_samples = summary.moments.n_samples
    few = list(few_rows(len(summary.table.names), n_samples))
    if n_samples < FEWEST_ROWS:
        return few
    usable, found = columns.examine_scales(summary)
    found += combinations.examine_correlations(summary, usable)
    if not summary.by_ranks:
        found += [*columns.examine_outliers(summary, usable), *columns.examine_tails(summary, usable)]
        found += influence.examine_influence(summary)
    found += few
    if np.isfinite(summary.moments.means).all() and all(finding.severity == "warning" for finding in found):
        found += combinations.near_singular(summary)
    return found


def about_categories(coded: Coded, weighted: bool, most: int | None) -> list[Finding]:
    """All findings about columns that are treated as discrete; a weighted row may well be the only one of its kind."""
    if len(coded.codes) < FEWEST_ROWS and not weighted:
        return []  # every column looks constant or like an identifier
    crowded = [] if weighted else list(columns.examine_categories(coded, most))
    single = of_one_value([name for name, n in zip(coded.names, coded.n_categories, strict=True) if n < 2])
    return [
        *crowded,
        *single,
        *combinations.examine_partitions(coded, {name for found in crowded for name in found.culprits}),
    ]


def few_rows(n_columns: int, n_rows: int) -> Iterator[Finding]:
    """Too few rows to test anything, or to condition on all other columns; a weighted row counts by its weight."""
    if n_rows < FEWEST_ROWS:
        text = f"the table has {counted(n_rows, 'row')}, too few to test anything"
        remedy = f"at least {FEWEST_ROWS} are needed, and hundreds to find any but strong dependences"
        yield Finding(FindingKind.FEW_ROWS, "error", (), text, remedy)
    elif n_rows <= n_columns + 3:
        text = (
            f"the table has only {n_rows} rows for {n_columns} columns; total conditioning, which tests each pair "
            f"given all other columns, needs more than {n_columns + 3}"
        )
        instead = ' uses "iamb" instead, which conditions on few columns at a time'
        yield Finding(FindingKind.FEW_ROWS, "warning", (), text, Message(Option("boundaries", "auto"), instead))


def about_rows(rows: TestedRows, findings: Collection[Finding]) -> tuple[Finding, ...]:
    """What says that rows are not independent, where nothing else is wrong; frequency weights count equal rows."""
    if (rows.data.rows.is_weighted and not rows.fractional) or any(f.severity == "error" for f in findings):
        return ()
    if rows.data.rows.waves is not None:  # rows are alike as far as earlier waves say
        return ()
    return examine_rows(rows.data.table, rows.data.coded)


def about_weights(rows: TestedRows, n_rows: int) -> Iterator[Finding]:
    """What survey weights are worth."""
    if rows.fractional:
        size = f"{n_whole(rows.data.rows.n_samples)} of {counted(n_rows, 'row')}"
        text = f"weights that are not whole are taken as survey weights: the effective sample size is {size} (Kish)"
        if rows.entry.takes == Category():
            text += ". With them, tests whose strata have only a few rows do not keep their significance level"
        yield Finding(FindingKind.SURVEY_WEIGHTS, "warning", (), text, "give whole numbers if they count equal rows")


def possible(finding: Finding, options: DataOptions) -> Finding:
    """The finding; where ``types`` would contradict the test or ``discrete``, with other advice than that.

    Groups are no cure where tests do not go with them.
    """
    entry = TABLE_TESTS.get(str(options.test))
    if finding.cure.groups is not None and ((entry and not entry.within_groups) or options.missing in ASSUMED):
        return replace(finding, cure=replace(finding.cure, groups=None))
    if not finding.cure.types:
        return finding
    numbers = finding.cure.types
    if entry is not None and entry.takes == Category():
        dropped = (*finding.cure.drop, *numbers)
        remedy = Message("group the values, or ", drop_columns(dropped))
        return replace(finding, remedy=remedy, cure=replace(finding.cure, drop=dropped, types={}))
    if options.discrete is None:
        return finding
    others = Option("discrete", [name for name in as_list(options.discrete) if name not in numbers])
    remedy = Message("group the values; ", others, " takes numbers as such; or ", drop_columns(finding.culprits))
    return replace(finding, remedy=remedy)


# Cures, which ``fix=True`` applies until nothing is left to cure.


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
    standing: dict[str, Finding] = {}
    retyped: set[Hashable] = set()
    for _ in range(MOST_ROUNDS):
        examined = examine(dropped, options)
        standing |= {f.kind: f for f in examined.diagnosis.findings if f.kind in STANDING}
        curable = _to_cure_now(examined.diagnosis)
        cure = Diagnosis(0, 0, curable).cure
        if not cure or not set(examined.diagnosis.names) - set(cure.drop):
            break
        done += [finding.fixed() for finding in _each_once(curable)]
        retyped |= cure.types.keys()
        dropped |= set(cure.drop)
        options = _with_cure(options, cure)
    found = examined.diagnosis
    still = {finding.kind for finding in found.findings}
    done += [finding for kind, finding in standing.items() if kind not in still and options.groups is None]
    types = tuple(replace(c, decided=RETYPED[c.type]) if c.name in retyped else c for c in found.types)
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
        "groups": options.groups if cure.groups is None else cure.groups,
    }
    if options.discrete is not None:
        others = (*cure.drop, *cure.types)
        changes["discrete"] = [name for name in as_list(options.discrete) if name not in others]
    return replace(options, **changes)


def _without(dropped: tuple[Hashable, ...], values: Mapping[Hashable, Any]) -> dict[Hashable, Any] | None:
    return {name: value for name, value in values.items() if name not in dropped} or None

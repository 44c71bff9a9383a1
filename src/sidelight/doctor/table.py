"""All that is wrong or doubtful about a table: as it was read, as the test takes its columns, and its rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator
from dataclasses import replace

import numpy as np

from sidelight.doctor.columns import (
    examine_categories,
    examine_identifiers,
    examine_outliers,
    examine_scales,
    examine_sentinels,
    examine_tails,
    examine_texts,
)
from sidelight.doctor.combinations import (
    examine_copies,
    examine_correlations,
    examine_partitions,
    examine_sums,
    near_singular,
)
from sidelight.doctor.rows import examine_panel, examine_rows
from sidelight.families import TABLE_TESTS
from sidelight.families.data import NumberSummary, Statistics, TableTest, TestedRows, TypedTable
from sidelight.families.gaussian.correlation import Moments, n_whole
from sidelight.families.options import ASSUMED, DataOptions
from sidelight.kinds.category import Category
from sidelight.tables.all_rows import FEWEST_ROWS
from sidelight.tables.findings import (
    Cure,
    Diagnosis,
    Finding,
    FindingKind,
    columns_that,
    drop_columns,
    of_one_value,
    to_drop,
)
from sidelight.tables.gaps import Gaps
from sidelight.tables.strings import Coded
from sidelight.tables.table import Table, as_list
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted, in_a_row

FEW_LOST = 0.05  # of the rows; to lose no more costs less than what tests on unequal rows assume
COLUMNS_SHOWN = 5
# What is assumed of values that are missing, beside complete rows.
AT_RANDOM = "whether a value is missing may depend on values that are there, not on itself"
WHY_MISSING = {
    "pairwise": "each test uses the rows that are complete in its columns, which assumes that values are missing "
    f"completely at random; a score fills the gaps, which assumes less: {AT_RANDOM}",
    "em": f"it is assumed that they are missing at random: {AT_RANDOM}",
}
OF_SINGLE_ROWS = (FindingKind.IDENTIFIER, FindingKind.PANEL)


def diagnosed_columns(
    table: TypedTable, known: TestedRows | None, test_columns: Callable[[tuple[Hashable, ...]], TestedRows]
) -> tuple[TestedRows, Diagnosis]:
    """The columns that can be tested, and all findings; ``known`` are all columns, where they were tested before."""
    options, names = table.options, table.rows.sample.all_names
    found = about_table(table, None if known is None else _moments_of_all(known, table.rows.sample))
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
    every = tuple(possible(finding, options) for finding in findings)
    n_rows, n_complete = table.gaps.n_rows, table.gaps.n_complete()
    return tested, Diagnosis(n_rows, len(names), every, names, tested.types, n_complete)


def _moments_of_all(known: TestedRows, table: Table) -> Moments | None:
    """The moments of all numbers of a table, if the test is built from those of its values."""
    numbers, rows = known.statistics.numbers, known.data.rows
    if numbers is None or numbers.by_ranks or rows.is_weighted or numbers.table.names != table.names:
        return None
    return numbers.moments if numbers.table.n_rows == table.n_rows else None


def about_table(typed: TypedTable, moments: Moments | None) -> tuple[Finding, ...]:
    """What is no variable, or no variable of its own; a weighted row may well be the only one of its kind.

    A column that one examination would drop is not looked at by the next.
    """
    table, options = typed.rows.sample, typed.options
    if table.n_rows < FEWEST_ROWS:
        return ()
    entry, taken = TABLE_TESTS.get(str(options.test)), typed.discrete
    discrete = taken if entry is None else entry.taken_as_discrete(table.all_names, taken)
    found = [*empty_columns(typed.gaps)]
    found += examine_texts(table.part(set(table.all_names) - _dropped(found)), discrete)
    found += examine_identifiers(table, _dropped(found))
    found += examine_panel(table, _dropped(found))
    found += examine_sentinels(table, _dropped(found))
    by_ranks = options.correlation == "normal-scores"
    found += examine_copies(table, discrete, _dropped(found), "error" if by_ranks else "warning")
    found += examine_sums(table, discrete, _dropped(found), moments)
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
    usable, found = examine_scales(summary)
    found += examine_correlations(summary, usable)
    if not summary.by_ranks:
        found += [*examine_outliers(summary, usable), *examine_tails(summary, usable)]
    found += few
    if np.isfinite(summary.moments.means).all() and all(finding.severity == "warning" for finding in found):
        found += near_singular(summary)
    return found


def about_categories(coded: Coded, weighted: bool, most: int | None) -> list[Finding]:
    """All findings about columns that are treated as discrete; a weighted row may well be the only one of its kind."""
    if len(coded.codes) < FEWEST_ROWS and not weighted:
        return []  # every column looks constant or like an identifier
    crowded = [] if weighted else list(examine_categories(coded, most))
    single = of_one_value([name for name, n in zip(coded.names, coded.n_categories, strict=True) if n < 2])
    return [*crowded, *single, *examine_partitions(coded, {name for found in crowded for name in found.culprits})]


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
    return examine_rows(rows.data.table, rows.data.coded)


def about_missing(gaps: Gaps, entry: TableTest, options: DataOptions, in_memory: bool) -> Iterator[Finding]:
    """Missing values that are an error, or what is assumed of why they are; data cannot show whether it holds."""
    if options.missing == "error":
        only_complete = options.correlation == "normal-scores" or not in_memory
        accepted = tuple(value for value in entry.missing if not only_complete or value not in ASSUMED)
        yield from examine_gaps(gaps, accepted)
    elif options.missing in ASSUMED and gaps.by_column:
        names = tuple(gaps.by_column)
        have = f"{counted(len(names), 'column')} {'has' if len(names) == 1 else 'have'} missing values"
        complete = f"{gaps.n_complete()} of {counted(gaps.n_rows, 'row')} are complete"
        yield Finding(
            FindingKind.MISSING_VALUES, "warning", names, f"{have}, and {complete}; {WHY_MISSING[options.missing]}"
        )


def about_dropped(gaps: Gaps, options: DataOptions) -> Iterator[Finding]:
    """How many rows were left out."""
    if options.missing == "drop" and gaps.by_column:
        n_left_out = gaps.n_rows - gaps.n_complete()
        text = f"{n_left_out} of {counted(gaps.n_rows, 'row')} have missing or infinite values and were left out"
        yield Finding(FindingKind.DROPPED_ROWS, "warning", (), text)


def about_weights(rows: TestedRows, n_rows: int) -> Iterator[Finding]:
    """What survey weights are worth."""
    if rows.fractional:
        size = f"{n_whole(rows.data.rows.n_samples)} of {counted(n_rows, 'row')}"
        text = f"weights that are not whole are taken as survey weights: the effective sample size is {size} (Kish)"
        if rows.entry.takes == Category():
            text += ". With them, tests whose strata have only a few rows do not keep their significance level"
        yield Finding(FindingKind.SURVEY_WEIGHTS, "warning", (), text, "give whole numbers if they count equal rows")


def possible(finding: Finding, options: DataOptions) -> Finding:
    """The finding; where ``types`` would contradict the test or ``discrete``, with other advice than that."""
    if not finding.cure.types:
        return finding
    numbers, entry = finding.cure.types, TABLE_TESTS.get(str(options.test))
    if entry is not None and entry.takes == Category():
        dropped = (*finding.cure.drop, *numbers)
        remedy = Message("group the values, or ", drop_columns(dropped))
        return replace(finding, remedy=remedy, cure=replace(finding.cure, drop=dropped, types={}))
    if options.discrete is None:
        return finding
    others = Option("discrete", [name for name in as_list(options.discrete) if name not in numbers])
    remedy = Message("group the values; ", others, " takes numbers as such; or ", drop_columns(finding.culprits))
    return replace(finding, remedy=remedy)


# Missing and infinite values: where they are, and how many rows each remedy leaves.


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

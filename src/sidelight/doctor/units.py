"""Columns that say which row or which unit a row is of, and measure nothing: row names, identifiers, marks of panels.

Rows of one unit are alike, and tests take rows as independent. Such columns are known by what they are called or by
their values, in whatever order the rows are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.tables.all_rows import FEWEST_ROWS
from sidelight.tables.column_options import types_in_words
from sidelight.tables.findings import Cure, Finding, FindingKind, columns_that, drop_columns, to_drop
from sidelight.tables.table import Table, all_whole
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted

EXACT_INTEGERS = 2.0**53  # beyond, not every integer is a floating-point number
FIRST_ROWS = 200
FEWEST_UNITS = 10  # of a panel; fewer may be the categories of a designed experiment
MOST_UNITS = 50  # that are taken as categories, for what differs between them to be held fixed
FEWEST_NUMBERED = 20  # different values of a column that is called an identifier
EXPECTED_PAIRS = 20.0  # by chance none of so many has a probability of 2e-9
ROWS_SEEN = 20_000
COLUMNS_TRIED = 30  # as units, and as times
WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
Codes = NDArray[np.int64]


def words_in(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


IDENTIFIERS = words_in(
    "id ids idno identifier uuid guid rowid rownames rownumber subjid subjectid patientid personid userid caseid "
    "recordid studentid schoolid houseid hhid familyid famid indid customerid orderid sampleid individual"
)
UNITS = IDENTIFIERS | words_in(
    "subject subj patient person child family household firm company school class pupil student animal pig rat litter "
    "plot country state county province city region center centre site cluster group team player rater case"
)
TIMES = words_in(
    "time times year years yr month months week weeks day days date hour visit visits wave period round occasion trial "
    "session age quarter t obs measurement childnum"
)


def row_names(table: Table, unnamed: Collection[Hashable]) -> tuple[Hashable, ...]:
    """The columns without a heading that number or name the rows, each with a value of its own, gaps or not."""
    return tuple(name for name in table.all_names if name in unnamed and _differs_in_each_row(table, name))


def _differs_in_each_row(table: Table, name: Hashable) -> bool:
    if table.n_rows < 2 or name in table.incomplete:
        return False
    if name in table.texts:
        return len(np.unique(table.texts[name].codes)) == table.n_rows
    return _all_differ(np.asarray(table.column(name), dtype=np.float64))


# Identifiers.


def examine_identifiers(table: Table, known: Collection[Hashable]) -> Iterator[Finding]:
    """Columns that number the rows, in order or not, or are called identifiers; and integers too large to be exact."""
    names = [name for name in table.names if name not in known and table.kinds[name] in ("integer", "float")]
    large = [name for name in names if table.kinds[name] == "integer" and _is_large(table.column(name))]
    text = f"{columns_that(large, 'has integers', 'have integers')} beyond 2⁵³, which lose digits as numbers"
    yield from to_drop(FindingKind.LARGE_INTEGERS, "warning", large, f"{text}: {like_identifiers(large)}")
    others = [name for name in names if name not in large]
    numbering = [name for name in others if _numbers_the_rows(table.column(name), table.n_all)]
    text = f"{columns_that(numbering, 'numbers', 'number')} the rows: {like_identifiers(numbering)}"
    yield from to_drop(FindingKind.IDENTIFIER, "warning", numbering, text)
    called = [name for name in others if name not in numbering and _is_called_identifier(table, name)]
    text = f"{columns_that(called, 'has', 'have')} a different whole number in each row: {like_identifiers(called)}"
    yield from to_drop(FindingKind.IDENTIFIER, "warning", called, text)


def like_identifiers(names: Sequence[Hashable]) -> str:
    """What such columns look like."""
    return "it looks like an identifier" if len(names) == 1 else "they look like identifiers"


def _is_large(column: NDArray[np.generic]) -> bool:
    first = np.asarray(column[:FIRST_ROWS], dtype=np.float64)
    return bool(np.nanmax(np.abs(first), initial=0.0) > EXACT_INTEGERS)


def _numbers_the_rows(column: NDArray[np.generic], n_rows: int) -> bool:
    """True for consecutive whole numbers, each once, in whatever order; there may be more rows than these."""
    first = np.asarray(column[:FIRST_ROWS], dtype=np.float64)
    if n_rows < FEWEST_ROWS or not _all_differ(first) or first.max() - first.min() >= n_rows:
        return False
    whole = np.asarray(column, dtype=np.float64)
    return bool(whole.max() - whole.min() == n_rows - 1) and _all_differ(whole)


def _is_called_identifier(table: Table, name: Hashable) -> bool:
    """True for whole numbers, each once, in a column that is called ``id`` or the like."""
    if table.n_rows < FEWEST_NUMBERED or words_of(name).isdisjoint(IDENTIFIERS):
        return False
    return _differs_in_each_row(table, name)


def _all_differ(column: NDArray[np.float64]) -> bool:
    """True for whole numbers, each once."""
    return bool((column == np.floor(column)).all()) and len(np.unique(column)) == len(column)


def words_of(name: object) -> frozenset[str]:
    """The words of a name such as ``subject_id`` or ``userId``, and the name itself without marks."""
    words = [word.lower() for word in WORDS.findall(str(name))]
    return frozenset((*words, "".join(words)))


# Panels.


class Panel(NamedTuple):
    """The column of the units, and what tells the rows of a unit apart, such as the time; "" if nothing does."""

    unit: Hashable
    time: Hashable
    n_units: int


def examine_panel(table: Table, discrete: Collection[Hashable], known: Collection[Hashable]) -> Iterator[Finding]:
    """Several rows of each unit: rows are compared within units, or else the column of the units is a category."""
    panel = _panel(table, [name for name in table.all_names if name not in known])
    if panel is None:
        return
    unit, time, n_units = str(panel.unit), str(panel.time), counted(panel.n_units, "value")
    how = f"in several rows each, and none of them has the same {time!r} twice" if time else "in several rows each"
    text = (
        f"the rows are not independent: column {unit!r} has {n_units}, {how}. It is a panel, and tests take its rows "
        "as independent"
    )
    still = f" compares rows within {unit!r}; those that follow each other may still be alike"
    remedy, cure = Message(Option("groups", panel.unit), still), Cure(groups=panel.unit)
    yield Finding(FindingKind.PANEL, "warning", (panel.unit,), text, remedy, cure)
    if panel.unit not in discrete or panel.n_units > MOST_UNITS:
        yield _about_unit(panel.unit, panel.n_units)


def _about_unit(unit: Hashable, n_units: int) -> Finding:
    """Units are no numbers. What differs between a few of them can be held fixed; many are too much for a test."""
    drop = drop_columns([unit])
    if n_units > MOST_UNITS:
        text = f"column {str(unit)!r} says of which unit a row is: {n_units} are too many for categories"
        return Finding(FindingKind.UNIT, "warning", (unit,), text, drop, Cure(drop=(unit,)))
    types = {unit: "category"}
    text = f"column {str(unit)!r} says of which unit a row is, and is no number"
    remedy = Message(Option("types", types_in_words(types)), " holds fixed what differs between units; or ", drop)
    return Finding(FindingKind.UNIT, "warning", (unit,), text, remedy, Cure(types=types))


def _panel(table: Table, names: Sequence[Hashable]) -> Panel | None:
    """The first pair of columns that are units and times, or a column that is called an identifier and repeats."""
    coded = {name: codes for name in names if (codes := repeating_codes(table, name)) is not None}
    counts = {name: int(codes.max()) + 1 for name, codes in coded.items()}
    units = [name for name in coded if FEWEST_UNITS <= counts[name] <= len(coded[name]) // 2]
    by_name = sorted(units, key=lambda name: words_of(name).isdisjoint(UNITS))
    for unit in islice(by_name, COLUMNS_TRIED):
        others = sorted((name for name in coded if name != unit), key=lambda name: words_of(name).isdisjoint(TIMES))
        for time in islice(others, COLUMNS_TRIED):
            if _never_together_twice(coded[unit], coded[time]):
                panel = _in_order(table, unit, time, coded)
                if counts[panel[0]] >= FEWEST_UNITS and words_of(panel[0]).isdisjoint(TIMES):  # else a calendar
                    return Panel(*panel, counts[panel[0]])
    called = (name for name in units if counts[name] >= FEWEST_NUMBERED and not words_of(name).isdisjoint(IDENTIFIERS))
    return next((Panel(name, "", counts[name]) for name in called), None)


def repeating_codes(table: Table, name: Hashable) -> Codes | None:
    """The codes of the first rows of a complete column of strings or whole numbers that repeat; None for others."""
    if name in table.incomplete or table.n_rows < 2 * FEWEST_UNITS:
        return None
    column = table.texts[name].codes if name in table.texts else table.column(name)
    if table.kinds[name] == "boolean" or not all_whole(column):
        return None
    values, codes = np.unique(column[:ROWS_SEEN], return_inverse=True)
    return codes.ravel() if 1 < len(values) <= len(codes) // 2 else None


def _never_together_twice(unit: Codes, time: Codes) -> bool:
    """True if no two rows agree in both, although by chance many would: rows of a unit have different times."""
    sizes, shares = np.bincount(unit).astype(np.float64), np.bincount(time) / len(time)
    expected = float((sizes * (sizes - 1)).sum() / 2 * (shares**2).sum())
    if expected < EXPECTED_PAIRS:
        return False
    both = unit * (int(time.max()) + 1) + time
    return len(np.unique(both)) == len(both)


def _in_order(table: Table, a: Hashable, b: Hashable, coded: dict[Hashable, Codes]) -> tuple[Hashable, Hashable]:
    """Which of the two is the unit: by their names, or else the one that stays the same from row to row."""
    is_time = [bool(words_of(name) & TIMES) - bool(words_of(name) & UNITS) for name in (a, b)]
    if is_time[0] != is_time[1]:
        return (a, b) if is_time[1] > is_time[0] else (b, a)
    changes = [int((np.diff(coded[name]) != 0).sum()) for name in (a, b)]
    is_text = [name in table.texts for name in (a, b)]
    sizes = [-int(coded[name].max()) for name in (a, b)]
    return (a, b) if (changes[0], not is_text[0], sizes[0]) <= (changes[1], not is_text[1], sizes[1]) else (b, a)

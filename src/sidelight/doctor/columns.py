"""Findings about single columns: strings and dates, columns that name rows or units, marks of missing values.

The first rows show which columns of numbers may name rows; only those are looked at as a whole.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sidelight.tables.cures import Cure
from sidelight.tables.dates import days_of
from sidelight.tables.findings import Finding, FindingKind, columns_that, drop_columns, to_drop
from sidelight.tables.rows import FEWEST_ROWS
from sidelight.tables.strings import Texts
from sidelight.tables.table import Table
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted, listed

LONGEST_EXAMPLE = 40  # letters
MANY_CATEGORIES = 20  # a column with no more values is accepted as discrete, however few the rows
MANY_SHARE = 20  # one in so many rows a value of its own: more than categories such as 0, 1, 2 and "3+" have
FEW_STRAYS = 5  # different cells that are no numbers; more of them are hardly marks of missing values
Strays = Mapping[Hashable, list[tuple[int, object]]]  # the rows and values that are no numbers
EXACT_INTEGERS = 2.0**53  # beyond, not every integer is a floating-point number
FEWEST_UNITS = 10  # of a panel; fewer may be the categories of a designed experiment
FIRST_ROWS = 200
Column = NDArray[np.float64]
HIGH = frozenset(float(digits * count) for digits in ("9", "8", "7") for count in range(2, 7))  # 99, 888, …
REFUSALS = frozenset(10.0**count - away for count in range(2, 7) for away in (1, 2, 3, 4))  # 99, 98, 97, 96, 999, …
MARKS = HIGH | REFUSALS
COMMON = 0.5  # of the values; what is more frequent is hardly a mark, such as 0 claims among a few large ones
FEWEST_OTHERS = 2  # values beside the marks


def examine_texts(table: Table, discrete: Collection[Hashable]) -> Iterator[Finding]:
    """All findings about columns of texts and dates; those that are not discrete should be numbers."""
    days = {name: column for name in table.texts if (column := _days(table, name)) is not None}
    yield from _dates(days)
    others = {name: column for name, column in table.texts.items() if name not in days}
    strays = {name: found for name in others if (found := _strays(others[name], name in discrete))}
    yield from _stray_cells(strays, table)
    texts = {name: column for name, column in others.items() if name not in strays}
    unique = [name for name, column in texts.items() if _differs_in_every_row(column)]
    yield from to_drop(FindingKind.IDENTIFIER, "error", unique, _identifying(texts, unique))
    wrong = [name for name in texts if name not in discrete and name not in unique]
    yield from _not_numeric(texts, wrong)


def _days(table: Table, name: Hashable) -> NDArray[np.float64] | None:
    """A column of dates, times or durations as days; None for others, and for texts that may well be categories."""
    column = table.texts[name]
    if table.kinds[name] != "date" and len(column.different) <= MANY_CATEGORIES:
        return None
    return days_of(column)


def _dates(days: Mapping[Hashable, NDArray[np.float64]]) -> Iterator[Finding]:
    """Dates that give the order of the rows are dropped; others are numbers."""
    ordering = [name for name, column in days.items() if (np.diff(column) > 0).all() or (np.diff(column) < 0).all()]
    text = f"{columns_that(ordering, 'is not numeric: it has', 'are not numeric: they have')} dates or times that rise "
    text += "or fall from each row to the next, and so only give the order of the rows"
    yield from to_drop(FindingKind.ORDERING_DATE, "error", ordering, text)
    numbers = [name for name in days if name not in ordering]
    if numbers:
        what = f"{columns_that(numbers, 'is', 'are')} not numeric: dates, times or durations"
        as_days = (Option("dates", numbers), " takes ", "it as a number" if len(numbers) == 1 else "them as numbers")
        remedy = Message(*as_days, " of days; or ", drop_columns(numbers))
        yield Finding(FindingKind.DATE, "error", tuple(numbers), what, remedy, Cure(dates=tuple(numbers)))


def _strays(column: Texts, may_be_discrete: bool) -> list[tuple[int, object]]:
    """The rows and cells without which a column would be numeric; none for columns of categories."""
    if may_be_discrete and len(column.different) <= max(MANY_CATEGORIES, len(column) // MANY_SHARE):
        return []
    is_wrong = column.mapped(lambda value: not _is_number(value), False, np.dtype(np.bool_))
    wrong = [(row, column[row]) for row in np.flatnonzero(is_wrong).tolist()]
    return wrong if len(wrong) <= len(column) // 2 else []


def _stray_cells(strays: Strays, table: Table) -> Iterator[Finding]:
    if not strays:
        return
    shown = [_few_cells(name, cells, table) for name, cells in strays.items()]
    marks = {name: tuple(dict.fromkeys(str(value) for _, value in cells)) for name, cells in strays.items()}
    few = {name: values for name, values in marks.items() if len(values) <= FEW_STRAYS}
    many = tuple(name for name in marks if name not in few)
    remedies = [Message(Option("missing_values", few), " takes such cells as missing")] * bool(few)
    remedy = Message("correct or empty such cells; ", *remedies, "; or " * bool(few), drop_columns(list(strays)))
    text = f"column {listed(shown)}"
    yield Finding(
        FindingKind.NON_NUMERIC_CELLS, "error", tuple(strays), text, remedy, Cure(drop=many, missing_values=few)
    )


def _few_cells(name: Hashable, cells: Sequence[tuple[int, object]], table: Table) -> str:
    row, value = cells[0]
    count = f"{counted(len(cells), 'cell')} among {table.n_rows} that {'is' if len(cells) == 1 else 'are'} not numeric"
    return f"{str(name)!r} has {count}, such as {str(value)[:LONGEST_EXAMPLE]!r} in row {table.row_number(row)}"


def _differs_in_every_row(column: Texts) -> bool:
    n_present = len(column) - int(column.missing.sum())
    return len(set(map(str, column.different))) == n_present > max(1, len(column) // 2)


def _identifying(texts: Mapping[Hashable, Texts], names: Sequence[Hashable]) -> str:
    is_text = columns_that(names, "is not numeric and differs", "are not numeric and differ")
    like = "it looks like an identifier" if len(names) == 1 else "they look like identifiers"
    return f"{is_text} in every row{_example(texts, names)}: {like}"


def _not_numeric(texts: Mapping[Hashable, Texts], names: Sequence[Hashable]) -> Iterator[Finding]:
    text = f"{columns_that(names, 'is', 'are')} not numeric{_example(texts, names)}"
    yield from to_drop(
        FindingKind.NON_NUMERIC, "error", names, text, f"code {'it' if len(names) == 1 else 'them'} as numbers, or "
    )


def _example(texts: Mapping[Hashable, Texts], names: Sequence[Hashable]) -> str:
    examples = [value for name in names[:1] for value in texts[name].different][:1]
    return f", such as {str(examples[0])[:LONGEST_EXAMPLE]!r}" if examples else ""


def _is_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return True


def examine_identifiers(table: Table, known: Collection[Hashable]) -> Iterator[Finding]:
    """Columns that number the rows, in order or not, integers too large to be exact, and the units of a panel."""
    names = [name for name in table.names if name not in known and table.kinds[name] in ("integer", "float")]
    large = [name for name in names if table.kinds[name] == "integer" and _is_large(table.column(name))]
    text = f"{columns_that(large, 'has integers', 'have integers')} beyond 2⁵³, which lose digits as numbers"
    yield from to_drop(FindingKind.LARGE_INTEGERS, "warning", large, f"{text}: {_like(large)}")
    others = [name for name in names if name not in large]
    numbering = [name for name in others if _numbers_the_rows(table.column(name), table.n_all)]
    text = f"{columns_that(numbering, 'numbers', 'number')} the rows: {_like(numbering)}"
    yield from to_drop(FindingKind.IDENTIFIER, "warning", numbering, text)
    yield from _panel(table, {*known, *large, *numbering})


def _like(names: list[Hashable]) -> str:
    return "it looks like an identifier" if len(names) == 1 else "they look like identifiers"


def _is_large(column: NDArray[np.generic]) -> bool:
    first = np.asarray(column[:FIRST_ROWS], dtype=np.float64)
    return bool(np.nanmax(np.abs(first), initial=0.0) > EXACT_INTEGERS)


def _numbers_the_rows(column: NDArray[np.generic], n_rows: int) -> bool:
    """True for consecutive whole numbers, each once, in whatever order; there may be more rows than these."""
    first = np.asarray(column[:FIRST_ROWS], dtype=np.float64)
    if n_rows < FEWEST_ROWS or not (first == np.floor(first)).all() or len(np.unique(first)) < len(first):
        return False
    if first.max() - first.min() >= n_rows:
        return False
    whole = np.asarray(column, dtype=np.float64)
    low, high = whole.min(), whole.max()
    if not (high - low == n_rows - 1 and (whole == np.floor(whole)).all()):
        return False
    return len(np.unique(whole)) == len(whole)


@dataclass(frozen=True)
class _Units:
    """A column whose values come in blocks of equal length, such as one for each person."""

    name: Hashable
    length: int
    count: int


def _panel(table: Table, known: Collection[Hashable]) -> Iterator[Finding]:
    """The units of a panel: blocks of rows, through which another column runs in the same way each time."""
    names = [name for name in table.all_names if name not in known]
    for units in filter(None, (_units(table, name) for name in names)):
        times = [
            name for name in names if name != units.name and _repeats(_first_rows(table, name, None), units.length)
        ]
        if times:
            text = (
                f"the rows are not independent: column {str(units.name)!r} has {counted(units.count, 'value')}, each "
                f"in {units.length} rows that follow each other, through which column {str(times[0])!r} runs in the "
                "same way each time. It is a panel, and tests take its rows as independent"
            )
            unit = [units.name]
            yield from to_drop(
                FindingKind.PANEL, "warning", unit, text, "keep one row of each, or differences between rows; and "
            )
            return


def _units(table: Table, name: Hashable) -> _Units | None:
    if table.kinds[name] not in ("integer", "text"):
        return None
    first = _run_lengths(_first_rows(table, name, FIRST_ROWS))[:-1]  # the last run may go on
    if len(first) < 2 or first.min() < 2 or first.min() != first.max():
        return None
    column = _first_rows(table, name, None)
    runs = _run_lengths(column)
    length = int(first[0])
    if len(runs) < FEWEST_UNITS or (runs != length).any() or len(np.unique(column)) < len(runs):
        return None
    return _Units(name, length, len(runs))


def _first_rows(table: Table, name: Hashable, rows: int | None) -> NDArray[np.generic]:
    if name not in table.texts:
        return table.column(name)[:rows]
    return table.texts[name][:rows].codes


def _run_lengths(column: NDArray[np.generic]) -> NDArray[np.int64]:
    changes = np.flatnonzero(column[1:] != column[:-1]) + 1
    return np.diff(np.concatenate(([0], changes, [len(column)])))


def _repeats(column: NDArray[np.generic], length: int) -> bool:
    """True if the values of the first block are all different, and come again in each block."""
    block = column[:length]
    if len(np.unique(block)) < length or not np.array_equal(column[length : 2 * length], block):
        return False
    return bool((column.reshape(-1, length) == block).all())


def examine_sentinels(table: Table, known: Collection[Hashable]) -> Iterator[Finding]:
    """Columns with such values, as one finding."""
    found = {name: marks for name in _suspicious(table, known) if (marks := _apart(table.column(name)))}
    if not found:
        return
    shown = [_in_words(table, name, marks) for name, marks in found.items()]
    remedy = Message("if they stand for missing values, ", Option("missing_values", found), " says so")
    text = f"values that stand apart from all others: {listed(shown)}"
    yield Finding(FindingKind.SENTINELS, "warning", tuple(found), text, remedy, Cure(missing_values=found))


def _suspicious(table: Table, known: Collection[Hashable]) -> list[Hashable]:
    """The columns whose smallest or largest value is such a mark."""
    if not table.n_rows or table.values.dtype.kind == "b":
        return []
    low, high = np.fmin.reduce(table.values, axis=0), np.fmax.reduce(table.values, axis=0)
    ends = [(-float(a), float(b)) for a, b in zip(low, high, strict=True)]
    return [
        name for name, (a, b) in zip(table.names, ends, strict=True) if name not in known and {a, b} & {*MARKS, 9.0}
    ]


def _apart(column: NDArray[np.generic]) -> tuple[float, ...]:
    """The marks at both ends of the values, if they are further away than the others are from each other."""
    wide = np.asarray(column, dtype=np.float64)
    values, counts = np.unique(wide[np.isfinite(wide)], return_counts=True)
    first, last = 0, len(values)
    while first < last and (-values[first] in MARKS or values[first] == -9):
        first += 1
    while last > first and values[last - 1] in MARKS:
        last -= 1
    others = values[first:last]
    if len(others) < FEWEST_OTHERS:
        return ()
    spread = max(others[-1] - others[0], 1.0)
    below = [v for v in values[:first] if others[0] - v > (spread if others[0] < 0 else min(spread, 5.0))]
    above = [v for v in values[last:] if v - others[-1] > spread]
    marks = (*below, *above)
    share = counts[np.isin(values, marks)].sum() / max(1, counts.sum())
    return tuple(map(float, marks)) if marks and share < COMMON else ()


def _in_words(table: Table, name: Hashable, marks: tuple[float, ...]) -> str:
    column = np.asarray(table.column(name), dtype=np.float64)
    each = [f"{mark:g} in {str(name)!r} ({counted(int((column == mark).sum()), 'value')})" for mark in marks]
    return listed(each)

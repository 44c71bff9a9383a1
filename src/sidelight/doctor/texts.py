"""Findings about columns that are not numbers: dates, numbers with stray cells, identifiers, texts."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sidelight.tables.cures import Cure
from sidelight.tables.dates import days_of
from sidelight.tables.findings import Finding, FindingKind, columns_that, drop_columns, to_drop
from sidelight.tables.strings import Texts
from sidelight.tables.table import Table
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted, listed

LONGEST_EXAMPLE = 40  # letters
MANY_CATEGORIES = 20  # a column with no more values is accepted as discrete, however few the rows
MANY_SHARE = 20  # one in so many rows a value of its own: more than categories such as 0, 1, 2 and "3+" have
FEW_STRAYS = 5  # different cells that are no numbers; more of them are hardly marks of missing values
Strays = Mapping[Hashable, list[tuple[int, object]]]  # the rows and values that are no numbers


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

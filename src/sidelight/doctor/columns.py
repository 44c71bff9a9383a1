"""Findings about single columns: as they were read (strings, dates, identifiers, marks of missing values), and as a
test takes them (scales, outliers, tails, categories).

The former look at the first rows, and at whole columns only where these are suspicious; the latter read the moments.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sidelight.doctor.units import like_identifiers
from sidelight.families.data import NumberSummary
from sidelight.tables.column_options import types_in_words
from sidelight.tables.findings import Cure, Finding, FindingKind, columns_that, drop_columns, of_one_value, to_drop
from sidelight.tables.strings import Coded, Texts
from sidelight.tables.table import Table
from sidelight.tables.treatment import days_of
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted, in_a_row, listed

LONGEST_EXAMPLE = 40  # letters
MANY_CATEGORIES = 20  # a column with no more values is accepted as discrete, however few the rows
MANY_SHARE = 20  # one in so many rows a value of its own: more than categories such as 0, 1, 2 and "3+" have
ROWS_PER_CATEGORY = 5  # on average; with fewer, hardly any category is frequent enough for a test
MOST_CATEGORIES = 500  # whatever the rows: strata of more take minutes
FEW_STRAYS = 5  # different cells that are no numbers; more of them are hardly marks of missing values
HIGH = frozenset(float(digits * count) for digits in ("9", "8", "7") for count in range(2, 7))  # 99, 888, …
REFUSALS = frozenset(10.0**count - away for count in range(2, 7) for away in (1, 2, 3, 4))  # 99, 98, 97, 96, 999, …
MARKS = HIGH | REFUSALS
COMMON = 0.5  # of the values; what is more frequent is hardly a mark, such as 0 claims among a few large ones
FEWEST_OTHERS = 2  # values beside the marks
SHOWN = 8
LETTERED = re.compile(r"\s*(?:\d+[A-Za-z]|[A-Za-z]\d+)\s*")
HEAVY = 4.0  # excess kurtosis: that of a t distribution with five or six degrees of freedom; 6 for an exponential one
FEWEST_FOR_TAILS = 20  # with so few, one normal column in 2,500 is taken for such a one
ROWS_FOR_TAILS, CELLS_AT_ONCE = 20_000, 50_000
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
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
    differ = columns_that(unique, "is not numeric and differs", "are not numeric and differ")
    text = f"{differ} in every row{_example(texts, unique)}: {like_identifiers(unique)}"
    yield from to_drop(FindingKind.IDENTIFIER, "error", unique, text)
    wrong = [name for name in texts if name not in discrete and name not in unique]
    text = f"{columns_that(wrong, 'is', 'are')} not numeric{_example(texts, wrong)}"
    code = f"code {'it' if len(wrong) == 1 else 'them'} as numbers, or "
    yield from to_drop(FindingKind.NON_NUMERIC, "error", wrong, text, code)


def _days(table: Table, name: Hashable) -> Floats | None:
    """A column of dates, times or durations as days; None for others, and for texts that may well be categories."""
    column = table.texts[name]
    if table.kinds[name] != "date" and len(column.different) <= MANY_CATEGORIES:
        return None
    return days_of(column)


def _dates(days: Mapping[Hashable, Floats]) -> Iterator[Finding]:
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
    if _are_codes(column, {str(value) for _, value in wrong}):
        return []
    return wrong if len(wrong) <= len(column) // 2 else []


def _are_codes(column: Texts, others: Collection[str]) -> bool:
    """True for whole numbers with a letter here and there, such as 136A, or with zeros before them, such as 007."""
    if not all(map(LETTERED.fullmatch, others)):
        return False
    numbers = [text for value in column.different if (text := str(value).strip()) not in others]
    return all(map(str.isdecimal, numbers))


def _is_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return True


def _stray_cells(strays: Strays, table: Table) -> Iterator[Finding]:
    if not strays:
        return
    text = f"column {listed([_few_cells(name, cells, table) for name, cells in strays.items()])}"
    marks = {name: tuple(dict.fromkeys(str(value) for _, value in cells)) for name, cells in strays.items()}
    few = {name: values for name, values in marks.items() if len(values) <= FEW_STRAYS}
    cure = Cure(drop=tuple(name for name in marks if name not in few), missing_values=few)
    remedies = [Message(Option("missing_values", few), " takes such cells as missing")] * bool(few)
    remedy = Message("correct or empty such cells; ", *remedies, "; or " * bool(few), drop_columns(list(strays)))
    yield Finding(FindingKind.NON_NUMERIC_CELLS, "error", tuple(strays), text, remedy, cure)


def _few_cells(name: Hashable, cells: Sequence[tuple[int, object]], table: Table) -> str:
    row, value = cells[0]
    count = f"{counted(len(cells), 'cell')} among {table.n_rows} that {'is' if len(cells) == 1 else 'are'} not numeric"
    return f"{str(name)!r} has {count}, such as {str(value)[:LONGEST_EXAMPLE]!r} in row {table.row_number(row)}"


def _differs_in_every_row(column: Texts) -> bool:
    n_present = len(column) - int(column.missing.sum())
    return len(set(map(str, column.different))) == n_present > max(1, len(column) // 2)


def _example(texts: Mapping[Hashable, Texts], names: Sequence[Hashable]) -> str:
    examples = [value for name in names[:1] for value in texts[name].different][:1]
    return f", such as {str(examples[0])[:LONGEST_EXAMPLE]!r}" if examples else ""


def examine_sentinels(table: Table, known: Collection[Hashable]) -> Iterator[Finding]:
    """Columns with values such as −999 or 99 that may stand for missing ones, as one finding."""
    found = {name: marks for name in _suspicious(table, known) if (marks := _apart(table.column(name)))}
    if found:
        shown = [_marks_in_words(table, name, marks) for name, marks in found.items()]
        remedy = Message("if they stand for missing values, ", Option("missing_values", found), " says so")
        text = f"values that stand apart from all others: {listed(shown)}"
        yield Finding(FindingKind.SENTINELS, "warning", tuple(found), text, remedy, Cure(missing_values=found))


def _suspicious(table: Table, known: Collection[Hashable]) -> list[Hashable]:
    """The columns whose smallest or largest value is such a mark."""
    if not table.n_rows or table.values.dtype.kind == "b":
        return []
    low, high = np.fmin.reduce(table.values, axis=0), np.fmax.reduce(table.values, axis=0)
    ends = zip(table.names, low, high, strict=True)
    return [name for name, a, b in ends if name not in known and {-float(a), float(b)} & {*MARKS, 9.0}]


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


def _marks_in_words(table: Table, name: Hashable, marks: tuple[float, ...]) -> str:
    column = np.asarray(table.column(name), dtype=np.float64)
    each = [f"{mark:g} in {str(name)!r} ({counted(int((column == mark).sum()), 'value')})" for mark in marks]
    return listed(each)


# Numbers as the test takes them.


def examine_scales(summary: NumberSummary) -> tuple[Mask, list[Finding]]:
    """Which columns vary within the range of numbers, and findings about the others."""
    table, broken = summary.table, ~np.isfinite(summary.moments.means)
    constant = np.zeros(len(table.names), dtype=np.bool_)
    for i in np.flatnonzero(~summary.vary & ~broken):
        column = table.values[:, i]
        constant[i] = len(column) > 0 and bool((column == column[0]).all())
    out_of_scale = ~(broken | constant | summary.in_range)
    names = _chosen(table, out_of_scale)
    text = f"the values of {columns_that(names, 'are', 'are')} too large or too small for double precision"
    scales = to_drop(FindingKind.SCALE, "error", names, text, "change the unit, or ")
    return ~(broken | constant | out_of_scale), [*scales, *of_one_value(_chosen(table, constant))]


def _chosen(table: Table, mask: Mask) -> tuple[Hashable, ...]:
    return tuple(table.names[i] for i in np.flatnonzero(mask))


def against_tails(summary: NumberSummary) -> Message:
    """What to do about columns far from Gaussian."""
    if summary.ranks_may_help:
        return Message("compare with ", Option("correlation", "normal-scores"), ", or transform such columns")
    return Message("transform such columns, for example by logarithms")


def examine_outliers(summary: NumberSummary, usable: Mask) -> Iterator[Finding]:
    """A value that makes up much of its column's variance: by chance that takes far more rows."""
    table, moments = summary.table, summary.moments
    with np.errstate(all="ignore"):
        scores = moments.extremes / np.sqrt(moments.variances)
    names = _chosen(table, usable & (scores > max(10.0, 0.5 * moments.n_samples**0.5)))
    if names:
        shown = [_extreme(table, name, moments.means[table.names.index(name)]) for name in names[:SHOWN]]
        shown += [counted(len(names) - len(shown), "other column")] * (len(names) > len(shown))
        text = f"column {in_a_row(shown)}, which can hide dependences"
        remedy = Message("if it is not a mistake, ", against_tails(summary))
        yield Finding(FindingKind.OUTLIER, "warning", names, text, remedy)


def _extreme(table: Table, name: Hashable, mean: float) -> str:
    column = np.asarray(table.column(name), dtype=np.float64)
    row = int(np.abs(column - mean).argmax())
    return f"{str(name)!r} has an extreme value, {column[row]:g} in row {table.row_number(row)}"


def examine_tails(summary: NumberSummary, usable: Mask) -> Iterator[Finding]:
    """Columns far from Gaussian: with them, small p-values of partial correlations are too small."""
    table, moments = summary.table, summary.moments
    even = table.even_rows()
    rows = even[:: max(1, len(even) // ROWS_FOR_TAILS)]
    if len(rows) < FEWEST_FOR_TAILS:
        return
    with np.errstate(all="ignore"):
        spread, fourth = np.sqrt(moments.variances), np.zeros(len(table.names))
        at_once = max(1, CELLS_AT_ONCE // max(1, len(table.names)))  # so that they stay in a near cache
        buffer = np.empty((at_once, len(table.names)))
        for start in range(0, len(rows), at_once):
            block = buffer[: len(rows) - start]
            np.subtract(rows[start : start + at_once], moments.means, out=block)
            block /= spread
            np.square(block, out=block)
            fourth += np.einsum("ij,ij->j", block, block)
        heavy = _chosen(table, usable & (fourth / len(rows) - 3 > HEAVY))
    if heavy:
        tails = (
            "heavy tails, far from a normal distribution: small p-values are too small, and there may be extra edges"
        )
        text = f"{columns_that(heavy, 'has', 'have')} {tails}"
        yield Finding(FindingKind.HEAVY_TAILS, "warning", heavy, text, against_tails(summary))


# Categories as the test takes them.


def examine_categories(coded: Coded, most: int | None) -> Iterator[Finding]:
    """Columns whose values hardly ever occur twice: identifiers, or numbers that are treated as categories.

    A test for which each category is a column of its own accepts no more than ``most``.
    """
    n_rows = len(coded.codes)
    by_rows = max(MANY_CATEGORIES, n_rows // ROWS_PER_CATEGORY)
    accepted = min(by_rows, MOST_CATEGORIES if most is None else most)
    crowded = {
        name: values for name, values in zip(coded.names, coded.categories, strict=True) if len(values) > accepted
    }
    if crowded:
        shown = [f"{str(name)!r} has {len(values)} different values" for name, values in crowded.items()]
        limit = f"at most {accepted} are accepted{'' if accepted == by_rows or most is None else ' beside numbers'}"
        text = f"column {listed(shown)} in {n_rows} rows, too many for categories: {limit}"
        numbers = {
            name: "number" for name, values in crowded.items() if all(isinstance(v, int | float) for v in values)
        }
        cure = Cure(drop=tuple(name for name in crowded if name not in numbers), types=numbers)
        as_numbers = [Option("types", types_in_words(numbers)), " takes numbers as such; or "] if numbers else ["or "]
        remedy = Message("group the values; ", *as_numbers, drop_columns(list(crowded)))
        yield Finding(FindingKind.MANY_VALUES, "error", tuple(crowded), text, remedy, cure)

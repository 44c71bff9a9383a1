"""Columns taken otherwise than they are written: marks of missing values, and dates and strings as numbers.

A column of strings is one of numbers if all of them are, in one notation. Where two notations read it differently
(``1,500``), other columns of the table decide, which a note says; if they do not, the column is refused. A decimal mark
that the user asks for decides alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.tables.column_options import Marks, as_number
from sidelight.tables.findings import Finding, FindingKind, columns_that
from sidelight.tables.reading import NOTATIONS, SAME, Numbers, by_mark, number_of, numbers_by_mark, other_mark
from sidelight.tables.strings import Texts
from sidelight.tables.table import Kind, Table, all_whole, as_list, category_text, existing_columns
from sidelight.text.message import Message, Option, OptionName

Notes = tuple[Finding, ...]
DAY = 86_400  # seconds
EPOCH = datetime(1970, 1, 1)
TRIED_FIRST = 20  # different values; hardly any column that holds no dates has as many that look like one
FORMATS = ("%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%m/%d/%y", "%d-%b-%Y", "%d %b %Y", "%b %d, %Y", "%b %Y")
CLOCK = re.compile(r"\s*(?:(\d+) days?,? *)?(?:(\d{1,4}):(\d\d)(?::(\d\d(?:\.\d+)?))?)?\s*")
QUARTER = re.compile(r"\s*(\d{4})[- ]?Q([1-4])\s*")
MARKS_IN_WORDS = {".": "point", ",": "comma"}


def marks_and_notes(
    columns: Mapping[Hashable, Texts], decimal: str = "", asked: str | None = None
) -> tuple[dict[Hashable, str], Notes]:
    """The decimal marks of the columns whose strings are all numbers, and notes on those that may have another."""
    if asked:
        return {name: asked for name, column in columns.items() if asked in by_mark(column.different)}, ()
    readings = {name: found for name, column in columns.items() if (found := numbers_by_mark(column.different))}
    single = {name: next(iter(found)) for name, found in readings.items() if len(found) == 1}
    several = {name: found for name, found in readings.items() if len(found) > 1}
    marks = {decimal, *single.values()} - {SAME}
    if several and len(marks) != 1:
        name = next(iter(several))
        raise InputError(_ambiguous(name, columns[name], several[name]))
    mark = next(iter(marks)) if len(marks) == 1 else decimal or "."
    others = [name for name, own in single.items() if own not in (SAME, mark)]
    notes = (*_by_others(columns, several, mark), *_unlike_others(columns, others, mark))
    return {name: mark if name in several else single[name] or "." for name in readings}, notes


def _ambiguous(name: Hashable, texts: Texts, found: Numbers) -> Message:
    """Which cell may be two numbers, and what can be done."""
    row, text = _differing(texts, found)
    point, comma = (found[mark][text] for mark in NOTATIONS)
    what = f"column {str(name)!r}, row {row}: {text!r} may be {point:g} or {comma:g}; say which with "
    leave_out = ", or leave the column out with "
    return Message(what, Option("decimal", "."), " or ", Option("decimal", ","), leave_out, Option("drop", [name]))


def _differing(texts: Texts, found: Numbers) -> tuple[int, object]:
    """The first row, and its string, that two notations read differently."""
    text = next(text for text in texts.different if found["."][text] != found[","][text])
    return texts.first(text) + 1, text


def _by_others(columns: Mapping[Hashable, Texts], several: Mapping[Hashable, Numbers], mark: str) -> Notes:
    """A note on columns that have two readings, of which other columns chose one."""
    if not several:
        return ()
    name, found = next(iter(several.items()))
    row, text = _differing(columns[name], found)
    might = f"{found[other_mark(mark)][text]:.15g}"
    what = f", as other columns show: {text!r} in row {row} of {str(name)!r} is {found[mark][text]:.15g}, and might be "
    return (_read_with(mark, [*several], what + might, "if it is that: "),)


def _unlike_others(columns: Mapping[Hashable, Texts], names: Sequence[Hashable], mark: str) -> Notes:
    """A note on columns that are numbers only with another decimal mark than the rest of the table has."""
    if not names:
        return ()
    texts, other = columns[names[0]], other_mark(mark)
    text = next(text for text in texts.different if not NOTATIONS[mark].fullmatch(str(text).strip()))
    where = f"{text!r} in row {texts.first(text) + 1} of {str(names[0])!r} is {number_of(other, text):.15g}"
    return (_read_with(other, names, f", unlike other columns: {where}, and might be no number", "if it is none: "),)


def _read_with(mark: str, names: Sequence[Hashable], what: str, when: str) -> Finding:
    text = f"{columns_that(names, 'is', 'are')} read with a decimal {MARKS_IN_WORDS[mark]}{what}"
    return decimal_note(tuple(names), text, when, other_mark(mark))


def decimal_note(names: tuple[Hashable, ...], what: str, when: str, other: str) -> Finding:
    """A finding about a decimal mark that was chosen; another one can be asked for."""
    return Finding(FindingKind.DECIMAL_MARK, "warning", names, what, Message(when, Option("decimal", other)))


# Columns of a table.


def without_marks(table: Table, marks: Marks) -> Table:
    """The table with these values missing."""
    existing_columns(table.all_names, list(marks), "missing_values")
    numbers = {name: _without_marks(table, name, values) for name, values in marks.items() if name in table.names}
    texts = {name: _texts_without_marks(table, name, values) for name, values in marks.items() if name in table.texts}
    return replace(table, texts={**table.texts, **texts}).with_numbers(numbers, {})


class Reading(NamedTuple):
    """How a column of strings is read as numbers, and what kind of numbers these are."""

    number: Callable[[object], float]
    kind: Kind


Readings = Mapping[Hashable, Reading]


def readings_of(table: Table, marks: Marks, dates: Iterable[Hashable]) -> dict[Hashable, Reading]:
    """How strings become numbers: dates that are asked for, and what is left where marks are missing."""
    asked = existing_columns(table.all_names, list(as_list(dates)), "dates")
    found: dict[Hashable, Reading] = {}
    for name in (name for name in (*marks, *asked) if name in table.texts):
        if name in asked:
            found[name] = Reading(_as_days(name, table.texts[name]), "date")
        elif (numbers := _numbers_of(table.texts[name])) is not None:
            found[name] = Reading(_plainly, _kind(numbers))
    return found


def number_readings(
    table: Table, categories: Collection[Hashable], decimal: str, asked: str | None = None
) -> tuple[dict[Hashable, Reading], tuple[Finding, ...]]:
    """How columns of strings that are all numbers are read, other than categories, and notes on other readings.

    ``decimal`` is the mark that the file seems to have, ``asked`` the one that the user says it has.
    """
    texts = {n: column for n, column in table.texts.items() if table.kinds[n] == "text" and n not in categories}
    if not texts:
        return {}, ()
    if decimal == "." and "float" not in table.kinds.values():  # a point is seen only where there is a fraction
        decimal = ""
    marks, notes = marks_and_notes(texts, decimal, asked)
    readings = {name: partial(number_of, mark) for name, mark in marks.items()}
    return {name: Reading(read, _kind(_read(table, name, read))) for name, read in readings.items()}, notes


def _plainly(value: object) -> float:
    return float(str(value))


def as_read(table: Table, readings: Readings) -> Table:
    """The table with columns of strings as numbers, read in ways that were decided before."""
    columns = {name: _read(table, name, found.number) for name, found in readings.items() if name in table.texts}
    return table.with_numbers(columns, {name: readings[name].kind for name in columns})


def _read(table: Table, name: Hashable, reading: Callable[[object], float]) -> NDArray[np.float64]:
    def number(value: object) -> float:
        try:
            return reading(value)
        except (ValueError, TypeError, OverflowError):
            what = f"column {str(name)!r} has {str(value)[:40]!r}, which cannot be read as its other values are"
            raise InputError(what) from None

    return table.texts[name].numbers(number)


@dataclass(frozen=True)
class Treatment:
    """What is done to a table before it is used as another one was: ``numbers`` are columns whose texts are numbers.

    Columns that a table lacks are of no concern. ``written`` is what was said of how a delimited file is written: its
    delimiter, its decimal mark, and whether it has a header. ``orders`` are the categories of ordered columns.
    """

    missing_values: Marks = field(default_factory=dict)
    dates: tuple[Hashable, ...] = ()
    numbers: tuple[Hashable, ...] = ()
    written: Mapping[str, Any] = field(default_factory=dict)
    orders: Mapping[Hashable, tuple[str, ...]] = field(default_factory=dict)

    def of(self, table: Table) -> Table:
        """The table as it is used."""
        marks = {name: values for name, values in self.missing_values.items() if name in table.kinds}
        table = without_marks(table, marks)
        table = as_read(table, readings_of(table, marks, [name for name in self.dates if name in table.kinds]))
        texts = [name for name in self.numbers if name in table.texts]
        numbers = {name: column for name in texts if (column := _numbers_of(table.texts[name])) is not None}
        return table.with_numbers(numbers, dict.fromkeys(numbers, "float"))


AS_READ = Treatment()


def _without_marks(table: Table, name: Hashable, values: Sequence[object]) -> NDArray[np.float64]:
    column = np.array(table.column(name), dtype=np.float64)
    marks = [number for value in values if (number := as_number(value)) is not None]
    column[np.isin(column, marks)] = np.nan
    return column


def _texts_without_marks(table: Table, name: Hashable, values: Sequence[object]) -> Texts:
    marks = {str(value) for value in values} | {category_text(value, "text") for value in values}
    return table.texts[name].without(lambda value: str(value).strip() in marks)


def _numbers_of(column: Texts) -> NDArray[np.float64] | None:
    """A column of texts as numbers, if all that are left are."""
    try:
        return column.numbers(_plainly)
    except ValueError:
        return None


def _as_days(name: Hashable, texts: Texts) -> Callable[[object], float]:
    reading = reading_of(texts)
    if reading is None:
        remedy = Message("; leave it as it is, or ", Option("drop", [name]))
        raise InputError(Message(OptionName("dates"), f": column {str(name)!r} has other values than dates", remedy))
    return reading


def _kind(column: NDArray[np.float64]) -> Kind:
    return "integer" if all_whole(column) else "float"


# Dates, times of day and durations as numbers of days.


def days_of(values: Texts) -> NDArray[np.float64] | None:
    """Each value as a number of days, NaN where it is missing; None unless all others are dates, times or durations."""
    reading = reading_of(values)
    return None if reading is None else values.numbers(reading)


def reading_of(values: Texts) -> Callable[[object], float] | None:
    """How all values of a column are read as days; None unless there is a way."""
    different = values.different
    readings = _readings() if different else []
    found = (days for days in readings if _are_days(different[:TRIED_FIRST], days) and _are_days(different, days))
    return next(found, None)


def _are_days(values: Sequence[object], days: Callable[[object], float]) -> bool:
    """True if each value can be read so."""
    try:
        return all(days(value) is not None for value in values)
    except (ValueError, TypeError, OverflowError):
        return False


def _readings() -> list[Callable[[object], float]]:
    """The ways to read a value, one of which must do for a whole column."""
    formats = [partial(_by_format, form) for form in FORMATS]
    return [_typed, _iso, _clock, _quarter, *formats]


def _by_format(form: str, value: object) -> float:
    return _since_epoch(datetime.strptime(_text(value), form))


def _typed(value: object) -> float:
    """Values that are dates by their type."""
    if isinstance(value, datetime):
        return _since_epoch(value)
    if isinstance(value, date):
        return float(value.toordinal() - EPOCH.toordinal())
    if isinstance(value, time):
        return (value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6) / DAY
    if isinstance(value, timedelta):
        return value.total_seconds() / DAY
    raise ValueError(value)


def _since_epoch(moment: datetime) -> float:
    plain = moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)
    return (plain - EPOCH).total_seconds() / DAY


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(value)
    return value.strip()


def _iso(value: object) -> float:
    text = _text(value)
    if text.isdecimal():  # 20240131 may be any number
        raise ValueError(text)
    return _since_epoch(datetime.fromisoformat(text))


def _clock(value: object) -> float:
    """``14:30``, ``1:02:03``, ``2 days, 1:02:03``, ``3 days``."""
    found = CLOCK.fullmatch(_text(value))
    if found is None or not any(found.groups()):
        raise ValueError(value)
    days, hours, minutes, seconds = (float(group or 0) for group in found.groups())
    return days + (hours * 3600 + minutes * 60 + seconds) / DAY


def _quarter(value: object) -> float:
    """``2024Q1``."""
    found = QUARTER.fullmatch(_text(value))
    if found is None:
        raise ValueError(value)
    return _since_epoch(datetime(int(found[1]), 3 * int(found[2]) - 2, 1))

"""Columns taken otherwise than they are written: values that stand for missing ones, dates and strings as numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.tables.dates import days_of, reading_of
from sidelight.tables.findings import Finding
from sidelight.tables.number_strings import marks_and_notes, number_of
from sidelight.tables.strings import Texts
from sidelight.tables.table import Kind, Table, all_whole, as_list, category_text, existing_columns
from sidelight.text.message import Message, Option, OptionName, assignments, between_commas, must_be

Marks = Mapping[Hashable, tuple[object, ...]]  # the values of each column that stand for missing ones


def treated(table: Table, missing_values: object, dates: Iterable[Hashable] | None) -> Table:
    """The table with these values missing, and these columns as numbers of days."""
    marks = marks_of(missing_values)
    table = without_marks(table, marks)
    return as_read(table, readings_of(table, marks, [] if dates is None else dates))


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
        texts = table.texts[name]
        if name in asked:
            _days(table, name)  # raises if it has other values
            found[name] = Reading(reading_of(texts) or _plainly, "date")
        elif (numbers := _numbers_of(texts)) is not None:
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


def numbers_read(table: Table, categories: Collection[Hashable], decimal: str, asked: str | None = None) -> Table:
    """The table with strings that are numbers as numbers."""
    return as_read(table, number_readings(table, categories, decimal, asked)[0])


def _plainly(value: object) -> float:
    return float(str(value))


def as_read(table: Table, readings: Readings) -> Table:
    """The table with columns of strings as numbers, read in ways that were decided before."""
    columns = {name: _read(table, name, found.number) for name, found in readings.items() if name in table.texts}
    kinds = {name: readings[name].kind for name in columns}
    return table.with_numbers(columns, kinds)


def _read(table: Table, name: Hashable, reading: Callable[[object], float]) -> NDArray[np.float64]:
    texts = table.texts[name]

    def number(value: object) -> float:
        try:
            return reading(value)
        except (ValueError, TypeError, OverflowError):
            what = f"column {str(name)!r} has {str(value)[:40]!r}, which cannot be read as its other values are"
            raise InputError(what) from None

    return texts.numbers(number)


@dataclass(frozen=True)
class Treatment:
    """What is done to a table before it is used as another one was: ``numbers`` are columns whose texts are numbers.

    Columns that a table lacks are of no concern. ``written`` is what was said of how a delimited file is written: its
    delimiter, its decimal mark, and whether it has a header.
    """

    missing_values: Marks = field(default_factory=dict)
    dates: tuple[Hashable, ...] = ()
    numbers: tuple[Hashable, ...] = ()
    written: Mapping[str, Any] = field(default_factory=dict)

    def of(self, table: Table) -> Table:
        """The table as it is used."""
        marks = {name: values for name, values in self.missing_values.items() if name in table.kinds}
        table = treated(table, marks, [name for name in self.dates if name in table.kinds])
        texts = [name for name in self.numbers if name in table.texts]
        numbers = {name: column for name in texts if (column := _numbers_of(table.texts[name])) is not None}
        return table.with_numbers(numbers, dict.fromkeys(numbers, "float"))


AS_READ = Treatment()


def marks_of(missing_values: object) -> Marks:
    """The option as a mapping: ``{"income": -999}``, or in the command's words ``income=-999,income=-998,age=99``."""
    if missing_values is None:
        return {}
    if isinstance(missing_values, str):
        marks: dict[Hashable, tuple[object, ...]] = {}
        for part in between_commas(missing_values):
            name, equals, value = part.rpartition("=")
            if not equals:
                raise _unusable(missing_values)
            marks[name] = (*marks.get(name, ()), _plain(value))
        return marks
    if not isinstance(missing_values, Mapping):
        raise _unusable(missing_values)
    return {name: tuple(as_list(values)) for name, values in missing_values.items()}


def marks_in_words(missing_values: object) -> str:
    """The option as the command takes it."""
    return assignments(marks_of(missing_values))


def _unusable(value: object) -> InputError:
    accepted = 'a mapping from columns to values, such as {"income": -999}, or a text such as "income=-999,age=99"'
    return InputError(must_be("missing_values", accepted, value))


def _plain(text: str) -> object:
    """A number if it is written as one is shown; ``007`` is a text."""
    number = _number(text)
    return text.strip() if number is None or category_text(number, "float") != text.strip() else number


def _number(value: object) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None


def _without_marks(table: Table, name: Hashable, values: Sequence[object]) -> NDArray[np.float64]:
    column = np.array(table.column(name), dtype=np.float64)
    marks = [number for value in values if (number := _number(value)) is not None]
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


def _days(table: Table, name: Hashable) -> NDArray[np.float64]:
    days = days_of(table.texts[name])
    if days is None:
        remedy = Message("; leave it as it is, or ", Option("drop", [name]))
        raise InputError(Message(OptionName("dates"), f": column {str(name)!r} has other values than dates", remedy))
    return days


def _kind(column: NDArray[np.float64]) -> Kind:
    return "integer" if all_whole(column) else "float"

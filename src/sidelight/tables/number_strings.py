"""Numbers that were written as strings: ``1,5``, ``1,500.25``, ``1.500,25``, ``1 500``, ``1.5D+02``.

A column is one of numbers if all its strings are, in one notation. Where two notations read it differently (``1,500``),
other columns of the table decide, which a note says; if they do not, the column is refused. A decimal mark that the
user asks for decides alone.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.tables.findings import Finding, FindingKind, columns_that
from sidelight.tables.strings import Texts
from sidelight.text.message import Message, Option

Numbers = NDArray[np.float64]
Notes = tuple[Finding, ...]
MARKS_IN_WORDS = {".": "point", ",": "comma"}
EXPONENT = r"(?:[eEdD][+-]?\d+)?"
GROUPED = r"[1-9]\d{{0,2}}([{group}])\d{{3}}(?:\1\d{{3}})*"  # one mark between all groups of a number
SAME = ""
MINUS = "\u2212"  # as it is printed
PLAIN_WHOLE = r"(?:0|[1-9]\d*)"  # a code such as 007 is no number


def _notation(group: str, mark: str) -> re.Pattern[str]:
    grouped = rf"{GROUPED.format(group=group)}(?:[{mark}]\d*)?"  # never with an exponent: 1.234e5 has one reading
    return re.compile(rf"[+{MINUS}-]?(?:{grouped}|(?:{PLAIN_WHOLE}(?:[{mark}]\d*)?|[{mark}]\d+){EXPONENT})")


BLANKS = " '’\u00a0\u2009\u202f"  # between groups of three digits, in any notation
NOTATIONS = {".": _notation(f",{BLANKS}", "."), ",": _notation(f".{BLANKS}", ",")}  # by decimal mark


def marks_and_notes(
    columns: Mapping[Hashable, Texts], decimal: str = "", asked: str | None = None
) -> tuple[dict[Hashable, str], Notes]:
    """The decimal marks of the columns whose strings are all numbers, and notes on those that may have another."""
    if asked:
        return {name: asked for name, column in columns.items() if asked in _by_mark(_strings(column))}, ()
    readings = {name: found for name, column in columns.items() if (found := _readings(_strings(column)))}
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


def possible_marks(strings: Sequence[str]) -> frozenset[str]:
    """The decimal marks with which all strings are numbers; none where there are no such, or none is needed."""
    return frozenset(_readings(strings)) - {SAME}


def number_of(mark: str, text: object) -> float:
    """The number that a string is with this decimal mark; a ``ValueError`` if it is none."""
    reading = _reading([text], mark) if isinstance(text, str) else None
    if reading is None:
        raise ValueError(text)
    return reading[str(text)]


def _strings(column: Texts) -> Sequence[str]:
    """The different strings of a column; none where other values are among them."""
    different = [text for text in column.different if isinstance(text, str)]
    return different if len(different) == len(column.different) else ()


def _readings(different: Sequence[str]) -> dict[str, dict[str, float]]:
    """The numbers that different strings are, by decimal mark; under ``SAME`` if the mark makes no difference."""
    found = _by_mark(different)
    return {SAME: found["."]} if len(found) == 2 and found["."] == found[","] else found


def _by_mark(different: Sequence[str]) -> dict[str, dict[str, float]]:
    if not different:
        return {}
    return {mark: reading for mark in NOTATIONS if (reading := _reading(different, mark)) is not None}


def _reading(strings: Iterable[str], mark: str) -> dict[str, float] | None:
    """The number that each string is with this decimal mark; None unless all are."""
    reading = {}
    for text in strings:
        stripped = text.strip()
        if not NOTATIONS[mark].fullmatch(stripped):
            return None
        digits = re.sub(f"[{'.,'.replace(mark, '')}{BLANKS}]", "", stripped).replace(mark, ".").replace(MINUS, "-")
        reading[text] = float(digits.lower().replace("d", "e"))
    return reading


def _ambiguous(name: Hashable, texts: Texts, found: Mapping[str, Mapping[str, float]]) -> Message:
    """Which cell may be two numbers, and what can be done."""
    row, text = _differing(texts, found)
    point, comma = (found[mark][text] for mark in NOTATIONS)
    return Message(
        f"column {str(name)!r}, row {row}: {text!r} may be {point:g} or {comma:g}; say which with ",
        Option("decimal", "."),
        " or ",
        Option("decimal", ","),
        ", or leave the column out with ",
        Option("drop", [name]),
    )


def _differing(texts: Texts, found: Mapping[str, Mapping[str, float]]) -> tuple[int, str]:
    """The first row, and its string, that two notations read differently."""
    point, comma = found["."], found[","]
    text = next(text for text in texts.different if isinstance(text, str) and point[text] != comma[text])
    return texts.first(text) + 1, text


def _by_others(
    columns: Mapping[Hashable, Texts], several: Mapping[Hashable, Mapping[str, Mapping[str, float]]], mark: str
) -> Notes:
    """A note on columns that have two readings, of which other columns chose one."""
    if not several:
        return ()
    name, found = next(iter(several.items()))
    (row, text), (other,) = _differing(columns[name], found), set(NOTATIONS) - {mark}
    what = (
        f"{columns_that([*several], 'is', 'are')} read with a decimal {MARKS_IN_WORDS[mark]}, as other columns show: "
        f"{text!r} in row {row} of {str(name)!r} is {found[mark][text]:.15g}, and might be {found[other][text]:.15g}"
    )
    return (decimal_note(tuple(several), what, "if it is that: ", other),)


def _unlike_others(columns: Mapping[Hashable, Texts], names: Sequence[Hashable], mark: str) -> Notes:
    """A note on columns that are numbers only with another decimal mark than the rest of the table has."""
    if not names:
        return ()
    texts, (other,) = columns[names[0]], set(NOTATIONS) - {mark}
    text = next(text for text in _strings(texts) if _reading([text], mark) is None)
    row = texts.first(text) + 1
    what = (
        f"{columns_that(names, 'is', 'are')} read with a decimal {MARKS_IN_WORDS[other]}, unlike other columns: "
        f"{text!r} in row {row} of {str(names[0])!r} is {number_of(other, text):.15g}, and might be no number"
    )
    return (decimal_note(tuple(names), what, "if it is none: ", mark),)


def decimal_note(names: tuple[Hashable, ...], what: str, when: str, other: str) -> Finding:
    """A finding about a decimal mark that was chosen; another one can be asked for."""
    return Finding(FindingKind.DECIMAL_MARK, "warning", names, what, Message(when, Option("decimal", other)))

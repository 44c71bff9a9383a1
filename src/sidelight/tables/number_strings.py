"""Numbers that were written as texts: ``1,5``, ``1,500.25``, ``1.500,25``, ``1 500``, ``1.5D+02``.

A column is one of numbers if all its texts are, in one notation. Where two notations read it differently (``1,500``),
other columns of the table decide; if they do not, the column is refused, since each reading may be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.tables.strings import Texts
from sidelight.text.message import Message, Option

Numbers = NDArray[np.float64]
EXPONENT = r"(?:[eEdD][+-]?\d+)?"
GROUPED = r"[1-9]\d{{0,2}}(?:[{group}]\d{{3}})+"
SAME = ""
PLAIN_WHOLE = r"0|[1-9]\d*"  # a code such as 007 is no number


def _notation(group: str, mark: str) -> re.Pattern[str]:
    whole = f"(?:{GROUPED.format(group=group)}|{PLAIN_WHOLE})"
    return re.compile(rf"[+-]?(?:{whole}(?:[{mark}]\d*)?|[{mark}]\d+){EXPONENT}")


BLANKS = " '’\u00a0\u2009\u202f"  # between groups of three digits, in any notation
NOTATIONS = {".": _notation(f",{BLANKS}", "."), ",": _notation(f".{BLANKS}", ",")}  # by decimal mark


def numbers_in_texts(columns: Mapping[Hashable, Texts], decimal: str = "") -> dict[Hashable, Numbers]:
    """The columns whose texts are all numbers, as numbers; None is missing.

    ``decimal`` is the decimal mark of the table's other numbers, where that is known.
    """
    marks = decimal_marks(columns, decimal)
    return {name: _column(columns[name], mark) for name, mark in marks.items()}


def decimal_marks(columns: Mapping[Hashable, Texts], decimal: str = "") -> dict[Hashable, str]:
    """The decimal marks of the columns whose texts are all numbers."""
    readings = {name: found for name, texts in columns.items() if (found := _readings(texts))}
    marks = {decimal or SAME, *(mark for found in readings.values() if len(found) == 1 for mark in found)} - {SAME}
    chosen = {}
    for name, found in readings.items():
        if len(found) > 1 and len(marks) != 1:
            raise InputError(_ambiguous(name, columns[name], found))
        chosen[name] = next(iter(marks if len(found) > 1 else found)) or "."
    return chosen


def number_of(mark: str, text: object) -> float:
    """The number that a text is with this decimal mark; a ``ValueError`` if it is none."""
    reading = _reading([text], mark) if isinstance(text, str) else None
    if reading is None:
        raise ValueError(text)
    return reading[str(text)]


def _readings(texts: Texts) -> dict[str, dict[str, float]]:
    """The numbers that the different texts are, by decimal mark; under ``SAME`` if the mark makes no difference."""
    different = [text for text in texts.different if isinstance(text, str)]
    if not different or len(different) < len(texts.different):
        return {}
    found = {mark: reading for mark in NOTATIONS if (reading := _reading(different, mark)) is not None}
    return {SAME: found["."]} if len(found) == 2 and found["."] == found[","] else found


def _reading(texts: Iterable[str], mark: str) -> dict[str, float] | None:
    """The number that each text is with this decimal mark; None unless all are."""
    reading = {}
    for text in texts:
        stripped = text.strip()
        if not NOTATIONS[mark].fullmatch(stripped):
            return None
        digits = re.sub(f"[{'.,'.replace(mark, '')}{BLANKS}]", "", stripped).replace(mark, ".")
        reading[text] = float(digits.lower().replace("d", "e"))
    return reading


def _column(texts: Texts, mark: str) -> Numbers:
    reading = _reading([text for text in texts.different if isinstance(text, str)], mark) or {}
    return texts.mapped(lambda text: reading.get(text, np.nan), np.nan, np.dtype(np.float64))


def _ambiguous(name: Hashable, texts: Texts, found: Mapping[str, Mapping[str, float]]) -> Message:
    """Which cell may be two numbers, and what can be done."""
    point, comma = found.values()
    differing = ((row, t) for row, t in enumerate(texts, 1) if isinstance(t, str) and point[t] != comma[t])
    row, text = next(differing)
    return Message(
        f"column {str(name)!r}, row {row}: {text!r} may be {point[text]:g} or {comma[text]:g}; write numbers with a "
        "decimal point and without marks between thousands, or leave the column out with ",
        Option("drop", [name]),
    )

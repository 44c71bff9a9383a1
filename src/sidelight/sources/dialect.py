"""How a delimited file is written: what separates its cells, where its header is, which mark its decimals have.

It is decided from the first rows, or by what the user asks for. Titles and comments may stand above the header, and row
names may have no heading. Where the file can be read in another way, a note says so and names the option.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import compress, islice
from typing import Any

from sidelight.errors import InputError
from sidelight.sources.arrangement import BLANKS, ESCAPING, SINGLE, USUAL, Arrangement, FirstRows, Quoting
from sidelight.sources.headers import header_notes, is_comment, is_number, is_numeric, present
from sidelight.tables.column_options import types_in_words
from sidelight.tables.findings import Finding, FindingKind, columns_that
from sidelight.tables.treatment import decimal_note, number_of, possible_marks
from sidelight.text.message import Message, Option, must_be, must_be_one_of

MARKS = ",;\t|"
WORDS = {"tab": "\t", "\\t": "\t", "blank": BLANKS}  # what users can write for a delimiter
NOWHERE = ";"  # a delimiter for lines that have none
IN_WORDS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
NO_DELIMITERS = '"\r\n.+-'
SEP = re.compile(r'"?sep=(.)"?[ \t]*(?:\r\n|[\r\n])', re.IGNORECASE)  # how Excel names the delimiter
OPENED_BY_SINGLE = re.compile(rf"(?:^|[{MARKS}])'", re.MULTILINE)


@dataclass(frozen=True)
class DialectChoice:
    """How a file is written as the user says; what is None is found from the file."""

    delimiter: str | None = None
    decimal: str | None = None
    header: bool | None = None

    @staticmethod
    def given(options: Mapping[str, Any]) -> DialectChoice:
        """What options say of it, if they do."""
        return DialectChoice(options.get("delimiter"), options.get("decimal"), options.get("header"))

    def checked(self) -> DialectChoice:
        """The same with the delimiter as one character; raises for what no file can have."""
        mark = WORDS.get(str(self.delimiter), self.delimiter)
        if mark is not None and not _can_delimit(mark):
            accepted = 'one character such as "," ";" or "|", or "tab", or "blank" for any number of blanks'
            raise InputError(must_be("delimiter", accepted, self.delimiter))
        if self.decimal not in (None, ".", ","):
            raise InputError(must_be_one_of("decimal", (".", ","), self.decimal))
        if self.header is not None and not isinstance(self.header, bool):
            raise InputError(must_be("header", "True or False", self.header))
        return DialectChoice(mark, self.decimal, self.header)


AS_FOUND = DialectChoice()


def _can_delimit(mark: object) -> bool:
    return (
        isinstance(mark, str) and len(mark) == 1 and mark.isascii() and not mark.isalnum() and mark not in NO_DELIMITERS
    )


@dataclass(frozen=True)
class Dialect:
    """The delimiter, the decimal mark, the names of the columns, and how many characters go before the first row."""

    delimiter: str
    decimal: str
    names: tuple[str, ...]
    start: int
    quoting: Quoting = USUAL
    ends_in_delimiter: bool = False  # lines have one more cell, which is empty
    codes: frozenset[str] = frozenset()  # columns of digits that are no numbers
    notes: tuple[Finding, ...] = ()  # on what might be otherwise


def find_dialect(
    sample: str, preferred: str = "", known: Collection[str] = (), asked: DialectChoice = AS_FOUND
) -> Dialect:
    """How the file that begins with these lines is written.

    One delimiter is ``preferred`` for the file's extension, and the header is certain if it has all ``known`` columns.
    """
    best, notes = _best(sample, preferred, asked)
    header_is_certain = asked.header is not None or (known and set(known).issubset(best.names))
    if not header_is_certain and (best.is_regular or best.width == 1):
        notes += header_notes(best.headings, best.rows, is_comment(best.header))
    decimal, on_decimal = (asked.decimal, ()) if asked.decimal else _decimal(best)
    codes = _codes(best)
    notes = (*notes, *on_decimal, *_codes_notes(best, codes))
    ends = best.ends_in_delimiter
    return Dialect(best.delimiter, decimal, best.names, best.start, best.quoting, ends, frozenset(codes), notes)


def _best(text: str, preferred: str, asked: DialectChoice) -> tuple[Arrangement, tuple[Finding, ...]]:
    """The sample by the delimiter that suits it best, with a note if another one suits it too."""
    said = SEP.match(text)
    start, delimiter = (said.end(), said[1]) if said else (0, None)
    delimiter = asked.delimiter or delimiter
    marks = [delimiter] if delimiter else list(dict.fromkeys((preferred or MARKS[0], *MARKS)))
    there, sample = [mark for mark in marks if mark in text] or marks[:1], FirstRows(text, start, asked.header)
    found = sample.by_each(there)
    if not found:
        raise InputError("it is empty, or the quotes in its first row do not close" if '"' in text else "it is empty")
    regular = sorted(_otherwise_quoted(sample, there, found) or filter(_is_regular, found), key=_suits, reverse=True)
    best = regular[0] if regular else None
    if not delimiter and (best is None or best.n_above):  # blanks are a delimiter where no mark is
        best = _by_blanks(sample, best) or best
    if not delimiter and best is not None and _may_be_one_column(best, text):
        return _one_column(best, sample)
    best = best or max(found, key=lambda a: (len(a.header) or a.width, -a.n_above))
    rivals = [a for a in regular[1:] if _suits(a)[:2] == _suits(best)[:2]]
    return best, (_delimiter_note(best, rivals[0]),) if rivals else ()


def _is_regular(arrangement: Arrangement) -> bool:
    return arrangement.is_regular


def _otherwise_quoted(sample: FirstRows, marks: Collection[str], usual: Sequence[Arrangement]) -> list[Arrangement]:
    """The rows in other quotes than the usual ones, where each that opens a cell also closes it, and all is regular."""
    if '\\"' in sample.text and not any(map(_is_regular, usual)):
        return list(filter(_is_regular, replace(sample, quoting=ESCAPING).by_each(marks)))
    if '"' in sample.text or not OPENED_BY_SINGLE.search(sample.text):
        return []
    n_rows = {found.delimiter: found.n_above + len(found.rows) for found in usual}
    single = filter(_is_regular, replace(sample, quoting=SINGLE).by_each(marks))
    return [a for a in single if not a.n_without_heading and a.n_above + len(a.rows) == n_rows[a.delimiter]]


def _suits(arrangement: Arrangement) -> tuple[float, ...]:
    """Larger for the delimiter that leaves fewer rows out, has all headings, numbers in cells, and more columns."""
    a = arrangement
    return -a.n_above, -a.n_without_heading, a.share_of_numbers, a.width


def _by_blanks(sample: FirstRows, other: Arrangement | None) -> Arrangement | None:
    """The sample as a table between blanks, if it is one, and leaves fewer lines out than another arrangement."""
    found = sample.by(BLANKS)
    if found is None or (other is not None and found.n_above >= other.n_above):
        return None
    if not found.is_regular:
        return found if other is None and _has_holes(found) else None
    # A column of names and surnames is one column.
    return found if found.width > 2 or any(is_number(cell) for row in found.rows for cell in row) else None


def _has_holes(arrangement: Arrangement) -> bool:
    """True for numbers below names, most rows complete: reading it will say which rows are not."""
    a = arrangement
    complete = sum(len(row) == len(a.header) for row in a.rows)
    return len(a.header) > 1 and not a.is_torn and 2 * complete > len(a.rows) and a.share_of_numbers == 1


def _decimal(arrangement: Arrangement) -> tuple[str, tuple[Finding, ...]]:
    """The decimal mark that columns of numbers show; a point, with a note on what it decides, if none or both do."""
    columns = [present(column) for column in zip(*arrangement.rows, strict=False)]
    has_comma = [any("," in cell for cell in column) for column in columns]
    with_commas = list(compress(columns, has_comma))
    with_points = [i for i, column in enumerate(columns) if not has_comma[i] and any("." in cell for cell in column)]
    shown = {mark for column in with_commas for mark in _only(possible_marks(column))}
    shown |= next(filter(None, (_only(possible_marks(columns[i])) for i in with_points)), set())
    decimals = [column for column in with_commas if possible_marks(column) == {","}]
    points_group = any("." in cell for column in decimals for cell in column)  # as in 1.500,25
    beside_points = arrangement.delimiter == "," and shown == {","} and with_points  # cells with commas are in quotes
    if len(shown) == 1 and (points_group or not beside_points):
        return shown.pop(), ()
    doubtful = (i for i in with_points if len(possible_marks(columns[i])) == 2)
    return ".", tuple(_decimal_note(arrangement, i) for i in islice(doubtful, 1))


def _only(marks: Set[str]) -> Set[str]:
    return marks if len(marks) == 1 else set()


def _decimal_note(arrangement: Arrangement, at: int) -> Finding:
    name = arrangement.names[at]
    column = [cells[at].strip() for cells in arrangement.rows]
    row, cell = next((row, cell) for row, cell in enumerate(column, 1) if "." in cell and is_numeric(cell))
    what = (
        f"column {name!r} is read with a decimal point: {cell!r} in row {row} is {number_of('.', cell):.15g}, and with "
        f"a decimal comma would be {number_of(',', cell):.15g}"
    )
    return decimal_note((name,), what, "if it is that: ", ",")


def _delimiter_note(best: Arrangement, other: Arrangement) -> Finding:
    text = (
        f"cells are taken to stand between {IN_WORDS[best.delimiter]}, and might stand between "
        f"{IN_WORDS[other.delimiter]}: row 1 would then begin with {_shown(other)!r} instead of {_shown(best)!r}"
    )
    return _note_on_delimiter(text, "if they do: ", "tab" if other.delimiter == "\t" else other.delimiter)


def _note_on_delimiter(text: str, when: str, other: str) -> Finding:
    return Finding(FindingKind.DELIMITER, "warning", (), text, Message(when, Option("delimiter", other)))


def _shown(arrangement: Arrangement) -> str:
    return (arrangement.rows or [arrangement.header])[0][0]


# One column of numbers with decimal commas, or two columns, of which the first has no heading.


def _may_be_one_column(arrangement: Arrangement, text: str) -> bool:
    a = arrangement
    is_narrow = a.delimiter == "," and a.is_regular and len(a.header) == 1 and a.n_without_heading == 1
    return is_narrow and '"' not in text and "," in possible_marks([",".join(row).strip() for row in a.rows])


def _one_column(two: Arrangement, sample: FirstRows) -> tuple[Arrangement, tuple[Finding, ...]]:
    """The rows as one column, unless the first cells number them; a note on the other reading in any case."""
    line, numbers = ",".join(two.rows[0]), [row[0].strip() for row in two.rows]
    if any(numbers == [str(first + i) for i in range(len(numbers))] for first in (0, 1)):
        what = (
            f"{line!r} is read as two cells, the number of a row and its value, and might be one with a decimal comma"
        )
        return two, (_note_on_delimiter(what, "if it is: ", NOWHERE),)
    one = sample.by(NOWHERE)
    assert one is not None  # there are rows by another delimiter
    what = f"{line!r} is read as one number with a decimal comma, and might be two cells"
    return one, (_note_on_delimiter(what, "if it is: ", ","),)


# Codes.


def _codes(arrangement: Arrangement) -> dict[str, int]:
    """The columns of digits some of which begin with a 0, such as 007, and where they stand."""
    columns = zip(arrangement.names, zip(*arrangement.rows, strict=False), strict=False)
    return {name: at for at, (name, column) in enumerate(columns) if _are_codes(present(column))}


def _are_codes(cells: Collection[str]) -> bool:
    return any(cell[0] == "0" and len(cell) > 1 for cell in cells) and all(map(str.isdecimal, cells))


def _codes_notes(arrangement: Arrangement, codes: dict[str, int]) -> tuple[Finding, ...]:
    if not codes:
        return ()
    name, at = next(iter(codes.items()))
    column = [cells[at].strip() for cells in arrangement.rows]
    row, code = next((row, cell) for row, cell in enumerate(column, 1) if cell and _are_codes([cell]))
    kept = f"{columns_that([*codes], 'is', 'are')} kept as strings"
    what = f"{kept}, since {code!r} in row {row} of {name!r} begins with a 0"
    numbers = types_in_words(dict.fromkeys(codes, "number"))
    remedy = Message("if they are numbers: ", Option("types", numbers))
    return (Finding(FindingKind.CODES, "warning", tuple(codes), what, remedy),)

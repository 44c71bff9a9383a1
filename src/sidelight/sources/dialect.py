"""How a delimited file is written: what separates its cells, where its header is, which mark its decimals have.

It is decided from the first rows, or by what the user asks for. Where the file can be read in another way, a note says
so and names the option.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import compress, islice
from operator import attrgetter
from typing import Any

from sidelight.errors import InputError
from sidelight.sources.arrangement import (
    ALIKE,
    BLANKS,
    MISSING_MARKS,
    USUAL,
    Arrangement,
    FirstRows,
    Quoting,
    Row,
    are_numeric,
    count_up,
    is_comment,
    is_number,
    is_numeric,
    present,
    reads_as_names,
    signs,
)
from sidelight.tables.column_options import Said, types_in_words
from sidelight.tables.findings import Finding, FindingKind, columns_that
from sidelight.tables.reading import number_of, possible_marks
from sidelight.tables.treatment import decimal_note
from sidelight.text.message import Message, Option, must_be, must_be_one_of
from sidelight.text.sentences import listed

Notes = tuple[Finding, ...]
MARKS = ",;\t|"
WORD = "None"  # which R's tables have as a category, and other programs for nothing
WORDS = {"tab": "\t", "\\t": "\t", "blank": BLANKS}  # what users can write for a delimiter
BEYOND = ""  # the name of what stands after the last delimiter; no column has it
NOWHERE = ";"  # a delimiter for lines that have none
IN_WORDS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
NO_DELIMITERS = '"\r\n.+-'
SEP = re.compile(r'"?sep=(.)"?[ \t]*(?:\r\n|[\r\n])', re.IGNORECASE)  # how Excel names the delimiter
SAY_WHICH = Message("say which: ", Option("header", True), " or ", Option("header", False))
OPENED_BY_SINGLE = re.compile(rf"(?:^|[{MARKS}])'", re.MULTILINE)


@dataclass(frozen=True)
class DialectChoice:
    """How a file is written as the user says; what is None is found from the file. Raises for what none can have."""

    delimiter: str | None = None
    decimal: str | None = None
    header: bool | None = None
    kept: Mapping[Any, tuple[str, ...]] = field(default_factory=dict)  # values of columns, although they look missing

    def __post_init__(self) -> None:
        mark = self.mark
        is_one = isinstance(mark, str) and len(mark) == 1 and mark.isascii() and not mark.isalnum()
        if mark is not None and (not is_one or mark in NO_DELIMITERS):
            accepted = 'one character such as "," ";" or "|", or "tab", or "blank" for any number of blanks'
            raise InputError(must_be("delimiter", accepted, self.delimiter))
        if self.decimal not in (None, ".", ","):
            raise InputError(must_be_one_of("decimal", (".", ","), self.decimal))
        if self.header is not None and not isinstance(self.header, bool):
            raise InputError(must_be("header", "True or False", self.header))

    @property
    def mark(self) -> str | None:
        """The delimiter as one character."""
        return WORDS.get(str(self.delimiter), self.delimiter)


AS_FOUND = DialectChoice()


def kept_values(said: Mapping[Any, Said]) -> dict[Any, tuple[str, ...]]:
    """The categories that columns are said to have and that would else be taken for missing values."""
    orders = {name: [str(value) for value in what] for name, what in said.items() if not isinstance(what, str)}
    kept = {name: tuple(value for value in order if value in MISSING_MARKS) for name, order in orders.items()}
    return {name: values for name, values in kept.items() if values}


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
    notes: Notes = ()  # on what might be otherwise
    unnamed: frozenset[str] = frozenset()  # columns without a heading beside others that have one

    @property
    def columns(self) -> tuple[str, ...]:
        """The names, and that of what stands after the last delimiter."""
        return (*self.names, BEYOND) if self.ends_in_delimiter else self.names


def find_dialect(
    sample: str, preferred: str = "", known: Collection[str] = (), asked: DialectChoice = AS_FOUND
) -> Dialect:
    """How the file that begins with these lines is written.

    One delimiter is ``preferred`` for the file's extension, and the header is certain if it has all ``known`` columns.
    """
    best, notes = _best(sample, preferred, asked)
    header_is_certain = asked.header is not None or (known and set(known).issubset(best.names))
    if not header_is_certain and (best.is_regular or best.width == 1):
        notes += _header_notes(best)
    decimal, on_decimal = (asked.decimal, ()) if asked.decimal else _decimal(best)
    codes = _codes(best)
    words = _words_notes(best, sample, asked.kept)
    notes = (*notes, *on_decimal, *_codes_notes(best, codes), *words)
    written = best.delimiter, decimal, best.names, best.start, best.quoting, best.ends_in_delimiter
    return Dialect(*written, frozenset(codes), notes, best.unnamed)


def _best(text: str, preferred: str, asked: DialectChoice) -> tuple[Arrangement, Notes]:
    """The sample by the delimiter that suits it best, with a note if another one suits it too."""
    said = SEP.match(text)
    start, delimiter = said.end() if said else 0, asked.mark or (said and said[1])
    marks = [delimiter] if delimiter else list(dict.fromkeys((preferred or MARKS[0], *MARKS)))
    there, sample = [mark for mark in marks if mark in text] or marks[:1], FirstRows(text, start, asked.header)
    found = sample.by_each(there)
    if not found:
        raise InputError("it is empty, or the quotes in its first row do not close" if '"' in text else "it is empty")
    regular = sorted(_otherwise_quoted(sample, there, found) or _regular(found), key=attrgetter("suits"), reverse=True)
    best = regular[0] if regular else None
    if not delimiter and (best is None or best.n_above):  # blanks are a delimiter where no mark is
        best = _by_blanks(sample, best) or best
    if not delimiter and best is not None and _may_be_one_column(best, text):
        return _one_column(best, sample)
    best = best or max(found, key=lambda a: (len(a.header) or a.width, -a.n_above))
    rivals = [other for other in regular[1:] if other.suits[:2] == best.suits[:2]]
    return best, (_delimiter_note(best, rivals[0]),) if rivals else ()


def _regular(found: Iterable[Arrangement]) -> list[Arrangement]:
    return [arrangement for arrangement in found if arrangement.is_regular]


def _otherwise_quoted(sample: FirstRows, marks: Collection[str], usual: Sequence[Arrangement]) -> list[Arrangement]:
    """The rows in other quotes than the usual ones, where each that opens a cell also closes it, and all is regular."""
    if '\\"' in sample.text and not _regular(usual):
        return _regular(replace(sample, quoting=Quoting(escape="\\")).by_each(marks))
    if '"' in sample.text or not OPENED_BY_SINGLE.search(sample.text):
        return []
    n_rows = {found.delimiter: found.n_above + len(found.rows) for found in usual}
    single = _regular(replace(sample, quoting=Quoting("'")).by_each(marks))
    return [a for a in single if not a.n_without_heading and a.n_above + len(a.rows) == n_rows[a.delimiter]]


def _by_blanks(sample: FirstRows, other: Arrangement | None) -> Arrangement | None:
    """The sample as a table between blanks, if it is one, and leaves fewer lines out than another arrangement."""
    found = sample.by(BLANKS)
    if found is None or (other is not None and found.n_above >= other.n_above):
        return None
    if not found.is_regular:
        return found if other is None and found.has_holes else None
    # A column of names and surnames is one column.
    return found if found.width > 2 or any(is_number(cell) for row in found.rows for cell in row) else None


def _decimal(arrangement: Arrangement) -> tuple[str, Notes]:
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
    named = len(arrangement.names)  # rows may be longer; reading them will say so
    doubtful = (i for i in with_points if i < named and len(possible_marks(columns[i])) == 2)
    return ".", tuple(_decimal_note(arrangement, i) for i in islice(doubtful, 1))


def _only(marks: Set[str]) -> Set[str]:
    return marks if len(marks) == 1 else set()


def _first_cell(arrangement: Arrangement, at: int, is_it: Callable[[str], bool]) -> tuple[int, str]:
    """The first row that has such a cell in a column, and the cell."""
    column = (cells[at].strip() for cells in arrangement.rows)
    return next((row, cell) for row, cell in enumerate(column, 1) if is_it(cell))


def _decimal_note(arrangement: Arrangement, at: int) -> Finding:
    name = arrangement.names[at]
    row, cell = _first_cell(arrangement, at, lambda cell: "." in cell and is_numeric(cell))
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


def _one_column(two: Arrangement, sample: FirstRows) -> tuple[Arrangement, Notes]:
    """The rows as one column, unless the first cells number them; a note on the other reading in any case."""
    line, numbers = ",".join(two.rows[0]), [row[0].strip() for row in two.rows]
    if count_up(numbers):
        what = "two cells, the number of a row and its value, and might be one with a decimal comma"
        return two, (_note_on_delimiter(f"{line!r} is read as {what}", "if it is: ", NOWHERE),)
    one = sample.by(NOWHERE)
    assert one is not None  # there are rows by another delimiter
    what = "one number with a decimal comma, and might be two cells"
    return one, (_note_on_delimiter(f"{line!r} is read as {what}", "if it is: ", ","),)


# Codes.


def _codes(arrangement: Arrangement) -> dict[str, int]:
    """The columns of digits some of which begin with a 0, such as 007, and where they stand."""
    columns = zip(arrangement.names, zip(*arrangement.rows, strict=False), strict=False)
    return {name: at for at, (name, column) in enumerate(columns) if _are_codes(present(column))}


def _are_codes(cells: Collection[str]) -> bool:
    return any(cell[0] == "0" and len(cell) > 1 for cell in cells) and all(map(str.isdecimal, cells))


def _codes_notes(arrangement: Arrangement, codes: dict[str, int]) -> Notes:
    if not codes:
        return ()
    name, at = next(iter(codes.items()))
    row, code = _first_cell(arrangement, at, lambda cell: cell != "" and _are_codes([cell]))
    kept = f"{columns_that([*codes], 'is', 'are')} kept as strings"
    what = f"{kept}, since {code!r} in row {row} of {name!r} begins with a 0"
    remedy = Message("if they are numbers: ", Option("types", types_in_words(dict.fromkeys(codes, "number"))))
    return (Finding(FindingKind.CODES, "warning", tuple(codes), what, remedy),)


# Words that stand for missing values, and may be categories.


def _words_notes(arrangement: Arrangement, text: str, kept: Mapping[Any, tuple[str, ...]]) -> Notes:
    """A note on a column of strings some of which are ``None`` without quotes."""
    if f"{arrangement.quoting.quote}{WORD}{arrangement.quoting.quote}" in text:
        return ()
    columns = zip(arrangement.names, zip(*arrangement.rows, strict=False), strict=False)
    found = {name: [cell.strip() for cell in column] for name, column in columns if name not in kept}
    found = {name: cells for name, cells in found.items() if WORD in cells and not are_numeric(cells)}
    if not found:
        return ()
    name, cells = next(iter(found.items()))
    counts = [f"{column.count(WORD)} of {len(column)} in {name!r}" for name, column in found.items()]
    what = f"the word {WORD} is taken for a missing value, in the first rows {listed(counts)}"
    order: dict[Hashable, Said] = {name: (WORD, *sorted(set(present(cells))))}
    remedy = Message("if it is a category, say so with the order of all: ", Option("types", types_in_words(order)))
    return (Finding(FindingKind.WORDS_FOR_MISSING, "warning", tuple(found), what, remedy),)


# Headers that might be data.


def _header_notes(arrangement: Arrangement) -> Notes:
    """A note on a header that might be data, or a comment; raises for numbers that can hardly be names."""
    header, rows = arrangement.headings, arrangement.rows
    if is_comment(arrangement.header):
        return () if not rows or are_numeric(rows[0]) else (_comment_note(header, rows[0]),)
    if _has_numbers_for_names(header, rows):
        wrong = f"the first row ({listed(header, quoted=True)}) has numbers instead of the names of the columns; "
        raise InputError(Message(wrong, "add a header, or ", SAY_WHICH))
    if rows and not reads_as_names(header, rows):
        return (_header_note(header, rows),)
    return _second_header_notes(header, rows)


def _has_numbers_for_names(header: Row, rows: Sequence[Row]) -> bool:
    """True for numbers, alone or beside values that recur below, which do not count the columns."""
    if len(header) < 2 or (len(header) > 2 and count_up(header)):
        return False
    return all(map(is_number, header)) or (any(map(is_numeric, header)) and set(signs(header, rows)) == {ALIKE})


def _header_note(header: Row, rows: Sequence[Row]) -> Finding:
    found = list(signs(header, rows))
    at = found.index(ALIKE) if ALIKE in found else 0
    below = [row[at].strip() for row in rows]
    row = below.index(header[at].strip()) if header[at].strip() in below else 0
    text = (
        f"the first row, {listed(header, quoted=True)}, is taken for the names of the columns, and might be data: "
        f"{header[at]!r} stands above {below[row]!r} (row {row + 1})"
    )
    return Finding(FindingKind.HEADER, "warning", (), text, SAY_WHICH)


def _second_header_notes(header: Row, rows: Sequence[Row]) -> Notes:
    """A note on a first row of words above numbers, which may be units, or the names below a title."""
    first = rows[0] if rows else ()
    if any(map(is_numeric, present(first))):
        return ()
    cells = zip(header, first, map(present, zip(*rows[1:], strict=False)), strict=False)
    odd = {name: [cell] for name, cell, below in cells if present([cell]) and below and all(map(is_numeric, below))}
    if not odd:
        return ()
    text = f"row 1, {listed(first, quoted=True)}, has words above numbers: its cells might be units, or names"
    remedy = Message("if they are, take it out of the file, or ", Option("missing_values", odd))
    return (Finding(FindingKind.HEADER, "warning", tuple(odd), text, remedy),)


def _comment_note(header: Row, below: Row) -> Finding:
    text = (
        f"the comment {listed(header, quoted=True)} is taken for the names of the columns; the row below it, "
        f"{listed(below, quoted=True)}, might have them"
    )
    return Finding(FindingKind.HEADER, "warning", (), text, Message("if it has: ", Option("header", True)))

"""The first rows of a delimited text by one delimiter and one way of quoting, with what shows whether they suit.

What is in quotes is one cell, whatever it holds. Titles and comments may stand above the header. A name differs from
the cells below it: it is no number above numbers, or none of the few values of its column.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from sidelight.tables.reading import NOTATIONS

Row = Sequence[str]
BLANKS = " "  # as a delimiter: any number of blanks and tabs
MISSING_MARKS = ["", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "#N/A", "-nan", "?", "."]
UNLIKE, NEW, ALIKE = "unlike the cells below", "none of the few values below", "like the cells below"
LINE = re.compile(r"([^\r\n]*)(?:\r\n|[\r\n]|\Z)")
ESCAPED = re.compile(r"\\([\s\S])")
UNNAMED = re.compile(r"Unnamed: \d+")
FEW_ROWS = 100  # that show how a file is written


# Cells and rows.


def is_no_heading(cell: object) -> bool:
    """True for an empty heading, and for what pandas calls a column that has one."""
    return isinstance(cell, str) and (not cell.strip() or UNNAMED.fullmatch(cell) is not None)


def is_number(text: str) -> bool:
    """True for a number in the notation of programs."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def is_numeric(text: str) -> bool:
    """True for a number in any notation."""
    return is_number(text) or any(notation.fullmatch(text.strip()) for notation in NOTATIONS.values())


def present(cells: Iterable[str]) -> list[str]:
    """The cells that are not missing, without blanks around them."""
    return [stripped for cell in cells if (stripped := cell.strip()) not in MISSING_MARKS]


def are_numeric(cells: Iterable[str]) -> bool:
    """True if all cells that are not missing are numbers."""
    return all(map(is_numeric, present(cells)))


def count_up(cells: Row) -> bool:
    """True for 0, 1, 2, … or 1, 2, 3, …"""
    return any(list(cells) == [str(first + i) for i in range(len(cells))] for first in (0, 1))


def is_comment(row: Row) -> bool:
    """True for a row that begins with ``#`` or ``%``."""
    return row[0].lstrip().startswith(("#", "%"))


@dataclass(frozen=True)
class Quoting:
    r"""What cells may be enclosed in; a quote in a cell is doubled, or stands after the escape, as in ``\"``."""

    quote: str = '"'
    escape: str = ""

    @property
    def pattern(self) -> str:
        """A cell in quotes: what it holds, and the quote that closes it, or the end of the text."""
        quote, escape = self.quote, re.escape(self.escape)
        special = rf"{quote}{quote}|{escape}(?:[\s\S]|\Z)" if escape else quote + quote
        return rf"{quote}([^{quote}{escape}]*(?:(?:{special})[^{quote}{escape}]*)*)({quote}|\Z)"

    def plain(self, cell: str) -> str:
        """What a cell holds, as it is read."""
        single = cell.replace(2 * self.quote, self.quote)
        return ESCAPED.sub(r"\1", single) if self.escape else single


USUAL = Quoting()


class Record(NamedTuple):
    """The cells of a row, where it ends, and whether something follows the closing quote of one of them."""

    cells: list[str]
    end: int
    is_torn: bool = False


def records(text: str, delimiter: str, quoting: Quoting, at: int) -> Iterator[Record]:
    """The rows of a text; not one whose quotes do not close."""
    pattern = _cell(delimiter, quoting)
    while at < len(text):
        line = LINE.match(text, at)
        assert line is not None  # it matches anything
        has_quotes = quoting.quote in line[1] or delimiter == BLANKS
        record = _quoted(text, pattern, quoting, at) if has_quotes else Record(line[1].split(delimiter), line.end())
        if record is None:
            return
        yield record
        at = record.end


def _cell(delimiter: str, quoting: Quoting) -> re.Pattern[str]:
    """A cell, in quotes or not, what follows the quotes, and what ends it."""
    mark = re.escape(delimiter)
    blanks, mark, between = ("[ \\t]*", " \\t", "[ \\t]+") if delimiter == BLANKS else ("", mark, mark)
    return re.compile(rf"{blanks}(?:{quoting.pattern})?([^{mark}\r\n]*)(?:({blanks}(?:\r\n|[\r\n]|\Z))|{between})")


def _quoted(text: str, pattern: re.Pattern[str], quoting: Quoting, at: int) -> Record | None:
    """The row that begins here; None if a quote does not close."""
    cells, is_torn = [], False
    while True:
        cell = pattern.match(text, at)
        if cell is None or cell[2] == "":
            return None
        cells.append(quoting.plain(cell[1] or "") + cell[3])
        is_torn |= cell[2] is not None and cell[3].strip() != ""
        at = cell.end()
        if cell[4] is not None:
            return Record(cells, at, is_torn)


# Which row has the names.


def header_at(rows: Sequence[Row], asked: bool | None) -> int:
    """Which row is the header: the first after comments and titles, or a comment; the first of data if none is."""
    width, at = len(rows[-1]), 0
    while at + 1 < len(rows) and is_comment(rows[at]):
        at += 1
    if asked is False:
        return at
    if at and len(rows[at - 1]) == width and _comment_has_names(rows[at], rows[at + 1 :], asked):
        return at - 1
    start = at
    while width > 1 and at + 1 < len(rows) and _is_title(rows[at], width) and not all(map(is_number, rows[at + 1])):
        at += 1
    is_below_prose = any(map(_is_prose, rows[start:at]))  # then nothing but names will do
    if is_below_prose and any(map(is_numeric, present(rows[at]))):
        return start
    return at if all(len(row) == width for row in rows[at:]) else start


def _comment_has_names(below: Row, rows: Sequence[Row], asked: bool | None) -> bool:
    """True unless the row below a comment is the header."""
    return are_numeric(below) or (bool(rows) and len(below) > 1 and asked is None and not reads_as_names(below, rows))


def _is_title(row: Row, width: int) -> bool:
    """True for one cell beside empty ones, but not for ``"","x"``, as R writes; and for prose."""
    if sum(bool(cell.strip()) for cell in row) == 1:
        return len(row) != 2 or row[0].strip() != ""
    return len(row) != width and _is_prose(row)


def _is_prose(row: Row) -> bool:
    """True if a blank follows each delimiter, as it does a comma in a sentence."""
    return len(row) > 1 and all(cell.startswith(" ") for cell in row[1:])


def reads_as_names(header: Row, rows: Sequence[Row]) -> bool:
    """True for a row with a cell that must be a name, or with some that may be and none that is like those below."""
    found = set()
    for sign in signs(header, rows):
        if sign == UNLIKE:
            return True
        found.add(sign)
    return NEW in found and ALIKE not in found


def signs(header: Row, rows: Sequence[Row]) -> Iterator[str]:
    """How each cell of a row compares with those below it; empty where that says nothing."""
    columns = [*zip(*rows, strict=False)]
    if columns and not header[0].strip() and len(set(columns[0])) == len(rows):  # row names without a heading
        yield UNLIKE
    for cell, column in zip(header, columns, strict=False):
        yield _sign(cell.strip(), present(column)) if present([cell]) else ""


def _sign(cell: str, below: Row) -> str:
    if not below:
        return ""
    if all(map(is_numeric, below)):
        return ALIKE if is_numeric(cell) else UNLIKE
    if all(map(_has_digit, below)) and not _has_digit(cell):  # such as dates
        return UNLIKE
    if cell in below:
        return ALIKE
    return NEW if 2 * len(set(below)) <= len(below) else ""


def _has_digit(cell: str) -> bool:
    return any(map(str.isdigit, cell))


# The sample by one delimiter.


@dataclass(frozen=True)
class Arrangement:
    """The rows of a sample by one delimiter: the header, if there is one, and the rows below it.

    ``n_above`` rows above the header are no part of the table, and ``start`` characters go before the first row.
    ``is_torn`` says that something follows the closing quote of a cell.
    """

    delimiter: str
    quoting: Quoting
    header: list[str]
    rows: list[list[str]]
    n_above: int
    start: int
    is_torn: bool

    @property
    def width(self) -> int:
        """The number of columns; the header has one less where row names have no heading."""
        return len(self.rows[0]) if self.rows else len(self.header)

    @property
    def n_without_heading(self) -> int:
        """How many columns the header lacks."""
        return self.width - len(self.header) if self.header else 0

    @property
    def is_regular(self) -> bool:
        """True when there are several columns, and all rows have them."""
        if self.width < 2 or self.is_torn or any(len(row) != self.width for row in self.rows):
            return False
        return self.n_without_heading in (0, 1)

    @property
    def has_holes(self) -> bool:
        """True for numbers below names, most rows complete: reading it will say which rows are not."""
        complete = sum(len(row) == len(self.header) for row in self.rows)
        is_wide = len(self.header) > 1 and not self.is_torn
        return is_wide and 2 * complete > len(self.rows) and self.share_of_numbers == 1

    @property
    def ends_in_delimiter(self) -> bool:
        """True when rows just end in a delimiter: nothing is in their last cells, nor above them."""
        if not self.rows or not self.is_regular or any(row[-1].strip() for row in self.rows):
            return False
        return self.n_without_heading == 1 or (self.header != [] and not self.header[-1].strip())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns; some programs write row names or numbers as a column without a name."""
        headings = self.headings[: self.width - 1] if self.ends_in_delimiter else self.headings
        return tuple(cell.strip() or f"column {position}" for position, cell in enumerate(headings, 1))

    @property
    def unnamed(self) -> frozenset[str]:
        """The columns without a heading, as R and pandas write the names of rows, where there is a header."""
        pairs = zip(self.names, self.headings, strict=False)
        return frozenset(name for name, cell in pairs if self.header and is_no_heading(cell))

    @property
    def headings(self) -> list[str]:
        """The cells that stand above the columns, empty where there is none."""
        first, *others = self.header or [""] * self.width
        first = first.lstrip("# \t") if is_comment([first]) else first
        has_row_names = self.is_regular and not self.ends_in_delimiter
        return [*([""] * (has_row_names and self.n_without_heading)), first, *others]

    @property
    def share_of_numbers(self) -> float:
        """How many of its cells are numbers: most by the delimiter that the file has."""
        cells = [cell for row in self.rows for cell in present(row)]
        return sum(map(is_numeric, cells)) / max(1, len(cells))

    @property
    def suits(self) -> tuple[float, ...]:
        """Larger for the delimiter that leaves fewer rows out, has all headings, numbers in cells, and more columns."""
        return -self.n_above, -self.n_without_heading, self.share_of_numbers, self.width


@dataclass(frozen=True)
class FirstRows:
    """The first lines of a file, where the table begins in them, and whether it has a header, if that is known."""

    text: str
    start: int
    header: bool | None
    quoting: Quoting = USUAL

    def by(self, delimiter: str) -> Arrangement | None:
        """The rows by this delimiter; None if there are none."""
        found = records(self.text, delimiter, self.quoting, self.start)
        filled = list(islice((record for record in found if any(map(str.strip, record.cells))), FEW_ROWS))
        if not filled:
            return None
        rows = [_with_mark(record.cells) if delimiter == BLANKS else record.cells for record in filled]
        at, is_torn = header_at(rows, self.header), any(record.is_torn for record in filled)
        below = at if self.header is False else at + 1
        header, start = [*rows[at:below], []][0], filled[below - 1].end if below else self.start
        return Arrangement(delimiter, self.quoting, header, rows[below:], at, start, is_torn)

    def by_each(self, delimiters: Collection[str]) -> list[Arrangement]:
        """The rows by each delimiter by which there are some."""
        return [found for mark in delimiters if (found := self.by(mark)) is not None]


def _with_mark(cells: list[str]) -> list[str]:
    """The cells of ``# a b``, as NumPy writes names between blanks: the mark of a comment is no cell."""
    return [f"#{cells[1]}", *cells[2:]] if len(cells) > 1 and cells[0] == "#" else cells

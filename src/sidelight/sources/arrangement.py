"""The rows of a delimited text: what is in quotes is one cell, whatever it holds.

An arrangement is the first rows of a file by one delimiter and one way of quoting, with what shows whether they suit.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from sidelight.sources.headers import header_at, is_comment, is_numeric, present

BLANKS = " "  # as a delimiter: any number of blanks and tabs
LINE = re.compile(r"([^\r\n]*)(?:\r\n|[\r\n]|\Z)")
ESCAPED = re.compile(r"\\([\s\S])")
RUN = re.compile(rb'"[^"]*"|[ \t]+')
OUTER = re.compile(rb"^ | (?=\r?$)", re.MULTILINE)
FEW_ROWS = 100  # that show how a file is written


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


USUAL, SINGLE, ESCAPING = Quoting(), Quoting("'"), Quoting(escape="\\")


@dataclass(frozen=True)
class Record:
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


def squeezed(text: bytes) -> bytes:
    """Lines with one blank between cells and none around them; what is in quotes stays as it is."""
    one = RUN.sub(lambda run: run[0] if run[0].startswith(b'"') else b" ", text)
    return OUTER.sub(b"", one)


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
        if self.header is False:
            before = filled[at - 1].end if at else self.start
            return Arrangement(delimiter, self.quoting, [], rows[at:], at, before, is_torn)
        return Arrangement(delimiter, self.quoting, rows[at], rows[at + 1 :], at, filled[at].end, is_torn)

    def by_each(self, delimiters: Collection[str]) -> list[Arrangement]:
        """The rows by each delimiter by which there are some."""
        return [found for mark in delimiters if (found := self.by(mark)) is not None]


def _with_mark(cells: list[str]) -> list[str]:
    """The cells of ``# a b``, as NumPy writes names between blanks: the mark of a comment is no cell."""
    return [f"#{cells[1]}", *cells[2:]] if len(cells) > 1 and cells[0] == "#" else cells

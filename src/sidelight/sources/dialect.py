"""How a delimited file is written: what separates its cells, where its header is, which mark its decimals have.

It is decided from the first rows, or by what the user asks for. Titles and comments may stand above the header, and row
names may have no heading. Where the file can be read in another way, a note says so and names the option.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Set
from dataclasses import dataclass
from itertools import compress, islice

from sidelight.errors import InputError
from sidelight.sources.headers import header_at, header_notes, is_comment, is_number, is_numeric, present
from sidelight.tables.findings import Finding, FindingKind
from sidelight.tables.number_strings import decimal_note, number_of, possible_marks
from sidelight.text.message import Message, Option, must_be, must_be_one_of

MARKS = ",;\t|"
BLANKS = " "  # stands for any number of blanks and tabs
WORDS = {"tab": "\t", "\\t": "\t", "blank": BLANKS}  # what users can write for a delimiter
IN_WORDS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
NO_DELIMITERS = '"\r\n.+-'
SEP = re.compile(r'"?sep=(.)"?[ \t]*(?:\r\n|[\r\n])', re.IGNORECASE)  # how Excel names the delimiter
LINE = re.compile(r"([^\r\n]*)(?:\r\n|[\r\n]|\Z)")
RUN = re.compile(rb'"[^"]*"|[ \t]+')
OUTER = re.compile(rb"^ | (?=\r?$)", re.MULTILINE)
FEW_ROWS = 100  # that show how a file is written


@dataclass(frozen=True)
class DialectChoice:
    """How a file is written as the user says; what is None is found from the file."""

    delimiter: str | None = None
    decimal: str | None = None
    header: bool | None = None

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
    notes: tuple[Finding, ...] = ()  # on what might be otherwise


@dataclass(frozen=True)
class Arrangement:
    """The rows of a sample by one delimiter: the header, if there is one, and the rows below it.

    ``n_above`` rows above the header are no part of the table, and ``start`` characters go before the first row.
    ``is_torn`` says that something follows the closing quote of a cell.
    """

    delimiter: str
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
        if self.n_without_heading == 1:
            return any(row[-1].strip() for row in self.rows)  # else lines just end in a delimiter
        return self.n_without_heading == 0

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns; some programs write row names or numbers as a column without a name."""
        return tuple(cell.strip() or f"column {position}" for position, cell in enumerate(self.headings, 1))

    @property
    def headings(self) -> list[str]:
        """The cells that stand above the columns, empty where there is none."""
        first, *others = self.header or [""] * self.width
        first = first.lstrip("# \t") if is_comment([first]) else first
        return [*([""] * (self.is_regular and self.n_without_heading)), first, *others]

    @property
    def share_of_numbers(self) -> float:
        """How many of its cells are numbers: most by the delimiter that the file has."""
        cells = [cell for row in self.rows for cell in present(row)]
        return sum(map(is_numeric, cells)) / max(1, len(cells))


def find_dialect(
    sample: str, preferred: str = "", known: Collection[str] = (), asked: DialectChoice | None = None
) -> Dialect:
    """How the file that begins with these lines is written.

    One delimiter is ``preferred`` for the file's extension, and the header is certain if it has all ``known`` columns.
    """
    asked = asked or DialectChoice()
    best, notes = _best(sample, preferred, asked)
    header_is_certain = asked.header is not None or (known and set(known).issubset(best.names))
    if not header_is_certain and (best.is_regular or best.width == 1):
        notes += header_notes(best.headings, best.rows, is_comment(best.header))
    decimal, on_decimal = (asked.decimal, ()) if asked.decimal else _decimal(best)
    return Dialect(best.delimiter, decimal, best.names, best.start, (*notes, *on_decimal))


def _best(sample: str, preferred: str, asked: DialectChoice) -> tuple[Arrangement, tuple[Finding, ...]]:
    """The sample by the delimiter that suits it best, with a note if another one suits it too."""
    said = SEP.match(sample)
    start, delimiter = (said.end(), said[1]) if said else (0, None)
    delimiter = asked.delimiter or delimiter
    marks = [delimiter] if delimiter else list(dict.fromkeys((preferred or MARKS[0], *MARKS)))
    there = [mark for mark in marks if mark in sample] or marks[:1]
    found = [a for mark in there if (a := _arranged(sample, mark, start, asked.header)) is not None]
    if not found:
        raise InputError("it is empty, or the quotes in its first row do not close" if '"' in sample else "it is empty")
    regular = sorted(filter(lambda a: a.is_regular, found), key=_suits, reverse=True)
    best = regular[0] if regular else None
    if not delimiter and (best is None or best.n_above):  # blanks are a delimiter where no mark is
        best = _by_blanks(sample, start, asked.header, best) or best
    best = best or max(found, key=lambda a: (len(a.header) or a.width, -a.n_above))
    rivals = [a for a in regular[1:] if _suits(a)[:2] == _suits(best)[:2]]
    return best, (_delimiter_note(best, rivals[0]),) if rivals else ()


def _suits(arrangement: Arrangement) -> tuple[float, ...]:
    """Larger for the delimiter that leaves fewer rows out, has all headings, numbers in cells, and more columns."""
    a = arrangement
    return -a.n_above, -a.n_without_heading, a.share_of_numbers, a.width


def _by_blanks(sample: str, start: int, header: bool | None, other: Arrangement | None) -> Arrangement | None:
    """The sample as a table between blanks, if it is one, and leaves fewer lines out than another arrangement."""
    found = _arranged(sample, BLANKS, start, header)
    if found is None or not found.is_regular or (other is not None and found.n_above >= other.n_above):
        return None
    # A column of names and surnames is one column.
    return found if found.width > 2 or any(is_number(cell) for row in found.rows for cell in row) else None


def squeezed(text: bytes) -> bytes:
    """Lines with one blank between cells and none around them; what is in quotes stays as it is."""
    one = RUN.sub(lambda run: run[0] if run[0].startswith(b'"') else b" ", text)
    return OUTER.sub(b"", one)


def _arranged(sample: str, delimiter: str, start: int, header: bool | None) -> Arrangement | None:
    """The sample by this delimiter; None if it has nothing but blank lines."""
    filled = (record for record in _records(sample, delimiter, start) if any(map(str.strip, record.cells)))
    records = list(islice(filled, FEW_ROWS))
    if not records:
        return None
    rows = [_with_mark(record.cells) if delimiter == BLANKS else record.cells for record in records]
    at, is_torn = header_at(rows, header), any(record.is_torn for record in records)
    if header is False:
        return Arrangement(delimiter, [], rows[at:], at, records[at - 1].end if at else start, is_torn)
    return Arrangement(delimiter, rows[at], rows[at + 1 :], at, records[at].end, is_torn)


def _with_mark(cells: list[str]) -> list[str]:
    """The cells of ``# a b``, as NumPy writes names between blanks: the mark of a comment is no cell."""
    return [f"#{cells[1]}", *cells[2:]] if len(cells) > 1 and cells[0] == "#" else cells


@dataclass(frozen=True)
class Record:
    """The cells of a row, where it ends, and whether something follows the closing quote of one of them."""

    cells: list[str]
    end: int
    is_torn: bool = False


def _records(sample: str, delimiter: str, at: int) -> Iterator[Record]:
    """The rows of a text; not one whose quotes do not close."""
    pattern = _cell(delimiter)
    while at < len(sample):
        line = LINE.match(sample, at)
        assert line is not None  # it matches anything
        has_quotes = '"' in line[1] or delimiter == BLANKS
        record = _quoted(sample, pattern, at) if has_quotes else Record(line[1].split(delimiter), line.end())
        if record is None:
            return
        yield record
        at = record.end


def _cell(delimiter: str) -> re.Pattern[str]:
    """A cell, in quotes that may be doubled in it or not, what follows the quotes, and what ends it."""
    mark = re.escape(delimiter)
    blanks, mark, between = ("[ \\t]*", " \\t", "[ \\t]+") if delimiter == BLANKS else ("", mark, mark)
    quoted = r'"([^"]*(?:""[^"]*)*)("|\Z)'
    return re.compile(rf"{blanks}(?:{quoted})?([^{mark}\r\n]*)(?:({blanks}(?:\r\n|[\r\n]|\Z))|{between})")


def _quoted(sample: str, pattern: re.Pattern[str], at: int) -> Record | None:
    """The row that begins here; None if a quote does not close."""
    cells, is_torn = [], False
    while True:
        cell = pattern.match(sample, at)
        if cell is None or cell[2] == "":
            return None
        cells.append((cell[1] or "").replace('""', '"') + cell[3])
        is_torn |= cell[2] is not None and cell[3].strip() != ""
        at = cell.end()
        if cell[4] is not None:
            return Record(cells, at, is_torn)


def _decimal(arrangement: Arrangement) -> tuple[str, tuple[Finding, ...]]:
    """The decimal mark that columns of numbers show; a point, with a note on what it decides, if none or both do."""
    columns = [present(column) for column in zip(*arrangement.rows, strict=False)]
    has_comma = [any("," in cell for cell in column) for column in columns]
    with_commas = list(compress(columns, has_comma))
    with_points = [i for i, column in enumerate(columns) if not has_comma[i] and any("." in cell for cell in column)]
    shown = {mark for column in with_commas for mark in _only(possible_marks(column))}
    shown |= next(filter(None, (_only(possible_marks(columns[i])) for i in with_points)), set())
    beside_points = arrangement.delimiter == "," and shown == {","} and with_points  # cells with commas are in quotes
    if len(shown) == 1 and not beside_points:
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
    asked = "tab" if other.delimiter == "\t" else other.delimiter
    return Finding(FindingKind.DELIMITER, "warning", (), text, Message("if they do: ", Option("delimiter", asked)))


def _shown(arrangement: Arrangement) -> str:
    return (arrangement.rows or [arrangement.header])[0][0]

"""How a delimited file is written: where its header is, what separates the cells, which mark its decimals have.

It is decided from the first rows. Titles and comments may stand above the header, and row names may have no heading.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sidelight.errors import InputError

MARKS = ",;\t|"
BLANKS = " "  # stands for any number of blanks and tabs
RUN = re.compile(rb'"[^"]*"|[ \t]+')
OUTER = re.compile(rb"^ | (?=\r?$)", re.MULTILINE)
FEW_ROWS = 100  # that show how a file is written
DECIMAL_COMMA = re.compile(r"\s*[+-]?(?:0|\d+)?,(?:\d{1,2}|\d{4,})(?:[eE][+-]?\d+)?\s*|\s*[+-]?0,\d+\s*")


@dataclass(frozen=True)
class DialectChoice:
    """What a user says of how a delimited file is written; None is found from the file."""

    delimiter: str | None = None
    decimal: str | None = None
    header: bool | None = None

    def checked(self) -> DialectChoice:
        return self


@dataclass(frozen=True)
class Dialect:
    """The delimiter, the decimal mark, the names of the columns, and how many lines go before the first row."""

    delimiter: str
    decimal: str
    names: tuple[str, ...]
    n_lines: int


@dataclass(frozen=True)
class Arrangement:
    """The rows of a sample by one delimiter: the header, the rows below it, how many rows above it are no part."""

    delimiter: str
    header: list[str]
    rows: list[list[str]]
    n_above: int
    n_lines: int  # up to and with the header

    @property
    def width(self) -> int:
        """The number of columns; the header has one less where row names have no heading."""
        return len(self.rows[0]) if self.rows else len(self.header)


def _is_regular(arrangement: Arrangement) -> bool:
    """True when there are several columns, and all rows have them."""
    width = arrangement.width
    if width < 2 or any(len(row) != width for row in arrangement.rows):
        return False
    if len(arrangement.header) == width - 1:
        return any(row[-1].strip() for row in arrangement.rows)  # else lines just end in a delimiter
    return len(arrangement.header) == width


def is_number(text: str) -> bool:
    """True for a number in the notation of programs."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def find_dialect(sample: str, preferred: str = "") -> Dialect:
    """How the file that begins with these lines is written; one delimiter is preferred for its extension."""
    arrangements = [arrangement for mark in (preferred or MARKS[0], *MARKS) if (arrangement := _arranged(sample, mark))]
    if not arrangements:
        raise InputError("it is empty")
    regular = max(
        filter(_is_regular, arrangements),
        key=lambda arrangement: (-arrangement.n_above, arrangement.width),
        default=None,
    )
    if regular is None or regular.n_above:  # blanks are a delimiter where no mark is
        regular = _by_blanks(sample, regular) or regular
    best = regular or max(arrangements, key=lambda arrangement: (len(arrangement.header), -arrangement.n_above))
    decimal = "," if any(DECIMAL_COMMA.fullmatch(cell) for row in best.rows for cell in row) else "."
    return Dialect(best.delimiter, decimal, _names(best), best.n_lines)


def _by_blanks(sample: str, other: Arrangement | None) -> Arrangement | None:
    """The sample as a table between blanks, if it is one, and leaves fewer lines out than another arrangement."""
    arrangement = _arranged(squeezed(sample.encode()).decode(), BLANKS)
    if (
        arrangement is None
        or not _is_regular(arrangement)
        or (other is not None and arrangement.n_above >= other.n_above)
    ):
        return None
    return (
        arrangement if arrangement.width > 2 or _has_numbers(arrangement) else None
    )  # a column of names and surnames is one column


def squeezed(text: bytes) -> bytes:
    """Lines with one blank between cells and none around them; what is in quotes stays as it is."""
    one = RUN.sub(lambda run: run[0] if run[0].startswith(b'"') else b" ", text)
    return OUTER.sub(b"", one)


def _has_numbers(arrangement: Arrangement) -> bool:
    return any(is_number(cell) for row in arrangement.rows for cell in row)


def _names(arrangement: Arrangement) -> tuple[str, ...]:
    """The names of the columns; some programs write row names or numbers as a column without a name."""
    cells = [""] * (_is_regular(arrangement) and arrangement.width > len(arrangement.header)) + arrangement.header
    return tuple(cell.strip() or f"column {position}" for position, cell in enumerate(cells, 1))


def _arranged(sample: str, delimiter: str) -> Arrangement | None:
    """The sample by this delimiter; None if it has nothing but blank lines."""
    records = [(row, line) for row, line in _records(sample, delimiter) if any(cell.strip() for cell in row)]
    records = records[:FEW_ROWS]
    if not records:
        return None
    counts = [len(row) for row, _ in records]
    at = _header_at([row for row, _ in records], counts)
    header, n_lines = records[at]
    if header[0].lstrip().startswith("#"):
        header = [header[0].lstrip("# \t"), *header[1:]]
    return Arrangement(delimiter, header, [row for row, _ in records[at + 1 :]], at, n_lines)


def _header_at(rows: Sequence[list[str]], counts: Sequence[int]) -> int:
    """Which row is the header: the first after comments and titles, or the last comment where numbers follow it."""
    width = counts[-1]
    at = 0
    while at + 1 < len(rows) and _is_comment(rows[at]):
        at += 1
    if at and counts[at - 1] == width and any(is_number(cell) for cell in rows[at]):
        return at - 1
    start = at
    while width > 1 and at + 1 < len(rows) and _is_title(rows[at]) and not all(map(is_number, rows[at + 1])):
        at += 1
    return at if all(count == width for count in counts[at:]) else start


def _is_title(row: Sequence[str]) -> bool:
    return sum(bool(cell.strip()) for cell in row) == 1


def _is_comment(row: Sequence[str]) -> bool:
    return row[0].lstrip().startswith("#")


def _records(sample: str, delimiter: str) -> Iterator[tuple[list[str], int]]:
    """The rows of a text, each with the number of the line that it ends in."""
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    try:
        for row in reader:
            yield row, reader.line_num
    except csv.Error as error:
        raise InputError(f"line {reader.line_num}: {error}; is it a table?") from error

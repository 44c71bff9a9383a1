"""Which row of a delimited file has the names of its columns, and whether it might be data.

A name differs from the cells below it: it is no number above numbers, or none of the few values of its column. A row
without such a cell may be a header or not; it is taken for one, and a note says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sidelight.errors import InputError
from sidelight.tables.findings import Finding, FindingKind
from sidelight.tables.treatment import NOTATIONS
from sidelight.text.message import Message, Option
from sidelight.text.sentences import listed

Row = Sequence[str]
MISSING_MARKS = ["", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "#N/A", "-nan", "?", "."]
UNLIKE, NEW, ALIKE = "unlike the cells below", "none of the few values below", "like the cells below"
SAY_WHICH = Message("say which: ", Option("header", True), " or ", Option("header", False))


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


def is_comment(row: Row) -> bool:
    """True for a row that begins with ``#`` or ``%``."""
    return row[0].lstrip().startswith(("#", "%"))


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
    if all(map(is_numeric, present(below))):
        return True
    return bool(rows) and len(below) > 1 and asked is None and not _reads_as_names(below, rows)


def _is_title(row: Row, width: int) -> bool:
    """True for one cell beside empty ones, but not for ``"","x"``, as R writes; and for prose."""
    if sum(bool(cell.strip()) for cell in row) == 1:
        return len(row) != 2 or row[0].strip() != ""
    return len(row) != width and _is_prose(row)


def _is_prose(row: Row) -> bool:
    """True if a blank follows each delimiter, as it does a comma in a sentence."""
    return len(row) > 1 and all(cell.startswith(" ") for cell in row[1:])


def header_notes(header: Row, rows: Sequence[Row], is_commented: bool) -> tuple[Finding, ...]:
    """A note on a header that might be data, or a comment; raises for numbers that can hardly be names."""
    if is_commented:
        return () if not rows or all(map(is_numeric, present(rows[0]))) else (_comment_note(header, rows[0]),)
    if _has_numbers_for_names(header, rows):
        wrong = f"the first row ({listed(header, quoted=True)}) has numbers instead of the names of the columns; "
        raise InputError(Message(wrong, "add a header, or ", SAY_WHICH))
    if rows and not _reads_as_names(header, rows):
        return (_header_note(header, rows),)
    return _second_header_notes(header, rows)


def _has_numbers_for_names(header: Row, rows: Sequence[Row]) -> bool:
    """True for numbers, alone or beside values that recur below, which do not count the columns."""
    counting = [[str(position + first) for position in range(len(header))] for first in (0, 1)]
    if len(header) < 2 or (len(header) > 2 and list(header) in counting):
        return False
    if all(map(is_number, header)):
        return True
    return any(map(is_numeric, header)) and set(_signs(header, rows)) == {ALIKE}


def _reads_as_names(header: Row, rows: Sequence[Row]) -> bool:
    signs = set()
    for sign in _signs(header, rows):
        if sign == UNLIKE:
            return True
        signs.add(sign)
    return NEW in signs and ALIKE not in signs


def _signs(header: Row, rows: Sequence[Row]) -> Iterator[str]:
    """How each cell of a row compares with those below it; empty where that says nothing."""
    columns = [*zip(*rows, strict=False)]
    if columns and not header[0].strip() and len(set(columns[0])) == len(rows):  # row names without a heading
        yield UNLIKE
    for cell, column in zip(header, columns, strict=False):
        yield _sign(cell.strip(), present(column)) if present([cell]) else ""


def _sign(cell: str, below: Sequence[str]) -> str:
    if below and all(map(is_numeric, below)):
        return ALIKE if is_numeric(cell) else UNLIKE
    if below and all(map(_has_digit, below)) and not _has_digit(cell):  # such as dates
        return UNLIKE
    if cell in below:
        return ALIKE
    return NEW if 2 * len(set(below)) <= len(below) and below else ""


def _has_digit(cell: str) -> bool:
    return any(map(str.isdigit, cell))


def _header_note(header: Row, rows: Sequence[Row]) -> Finding:
    signs = list(_signs(header, rows))
    at = signs.index(ALIKE) if ALIKE in signs else 0
    below = [row[at].strip() for row in rows]
    row = below.index(header[at].strip()) if header[at].strip() in below else 0
    text = (
        f"the first row, {listed(header, quoted=True)}, is taken for the names of the columns, and might be data: "
        f"{header[at]!r} stands above {below[row]!r} (row {row + 1})"
    )
    return Finding(FindingKind.HEADER, "warning", (), text, SAY_WHICH)


def _second_header_notes(header: Row, rows: Sequence[Row]) -> tuple[Finding, ...]:
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

"""Delimited files, read in blocks of rows: beside the table, no more than a block is in memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from sidelight.errors import InputError
from sidelight.files.memory import check_size
from sidelight.files.reading import cannot_read, named_errors, open_text, unchanged
from sidelight.sources import Source
from sidelight.sources.arrangement import BLANKS, FEW_ROWS, MISSING_MARKS, Quoting
from sidelight.sources.dialect import AS_FOUND, BEYOND, WORD, Dialect, DialectChoice, find_dialect
from sidelight.text.sentences import counted

if TYPE_CHECKING:
    import pyarrow as pa

SAMPLE = 1 << 16  # bytes
LARGE_SAMPLE = 1 << 20  # of wide rows, fewer are enough
BLOCK = 1 << 23
PARSED_AT_ONCE = 1 << 20  # by one of several threads
BYTES_OF_COLUMN = 1000  # of a block, at least: with few rows at once, what each column takes would be the most
LAST_LINES = 1 << 20  # where the end of a row is sought in a block
BYTES_OF_TEXT = 4  # for each byte of a block
BOM = b"\xef\xbb\xbf"
WIDE = (b"\xff\xfe", b"\xfe\xff")  # how files of two or four bytes a character begin
# Blanks around a mark, or alone, make it no other; pyarrow compares all characters.
BLANK_CELLS = [" " * n for n in range(3, 33)]
RUN = re.compile(rb'"[^"]*"|[ \t]+')
OUTER = re.compile(rb"^ | (?=\r?$)", re.MULTILINE)
HEXADECIMAL = re.compile(rb"0[xX][0-9a-fA-F]")


def _missing_cells(kept: Collection[str]) -> list[str]:
    """The cells that stand for missing values, without words that are kept as values."""
    marks = [mark for mark in MISSING_MARKS if mark not in kept]
    return [f"{before}{mark}{after}" for mark in marks for before in ("", " ") for after in ("", " ")] + BLANK_CELLS


@dataclass(frozen=True)
class DelimitedFile(Source):
    """A file of text between delimiters; ``start`` is the byte at which its rows begin."""

    path: Path
    dialect: Dialect
    start: int
    kept: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # values of columns, although they look missing

    def most_rows(self, check: Callable[[int], None]) -> int:
        """The number of lines."""
        n_lines = 1
        with named_errors(self.path), open_text(self.path) as stream:
            while chunk := stream.read(BLOCK):
                n_lines += _n_line_ends(chunk)
                check(n_lines)
        return n_lines

    def batches(self, chosen: Sequence[str], as_text: Collection[str], at_once: int) -> Iterator[pa.Table]:
        """The chosen columns; what was parsed at once may be more rows than are wanted at once."""
        import pyarrow as pa

        n_before = 0
        with named_errors(self.path), unchanged(self.path), open_text(self.path) as stream:
            stream.read(self.start)
            for block in _blocks(stream, self.dialect, self.path):
                if not block.isspace():
                    part = self._parsed(block, chosen, as_text, n_before)
                    n_before += part.num_rows
                    yield from (part.slice(start, at_once) for start in range(0, max(1, part.num_rows), at_once))
            if not n_before:
                yield pa.table({name: pa.array([], pa.null()) for name in chosen})

    def _parsed(self, block: bytes, chosen: Sequence[str], as_text: Collection[str], n_before: int) -> pa.Table:
        import pyarrow as pa

        dialect = self.dialect
        text = _squeezed(block) if dialect.delimiter == BLANKS else block
        chosen, as_text = [*chosen, *dialect.columns[len(self.names) :]], {*as_text, *dialect.codes}
        try:
            table = _parse(text, dialect, chosen, as_text, max(PARSED_AT_ONCE, BYTES_OF_COLUMN * len(self.names)))
        except pa.ArrowInvalid as error:
            if why := _fault(text, dialect, n_before):
                raise cannot_read(self.path, why) from error
            table = _parse(text, dialect, chosen, as_text, len(text) + 1)  # a row was longer than what is parsed
        for name, kind in zip(table.column_names, table.schema.types, strict=True):
            if pa.types.is_binary(kind):
                raise cannot_read(self.path, f"the texts of column {name!r} are not UTF-8; save it as UTF-8")
        return self._with_kept(_with_codes_as_texts(self._within(table, n_before), text, dialect), text)

    def _with_kept(self, table: pa.Table, text: bytes) -> pa.Table:
        """The table with words such as None in columns whose categories were said to be among them."""
        for name in (name for name in self.kept if name in table.column_names):
            written = _parse(text, self.dialect, [name], [name], len(text) + 1, self.kept[name])
            table = table.set_column(table.column_names.index(name), name, written[name])
        return table

    def _within(self, table: pa.Table, n_before: int) -> pa.Table:
        """The table without what stands after the last delimiter of each row; raises if that is anything."""
        if not self.dialect.ends_in_delimiter:
            return table
        beyond = table[BEYOND].is_valid().to_pylist()
        if any(beyond):
            row = f"row {n_before + beyond.index(True) + 1} has a value after the last column that has a name"
            raise cannot_read(self.path, f"{row}; give the column a name in the header")
        return table.drop_columns([BEYOND])


def open_delimited(
    path: Path, delimiter: str = "", known: Collection[str] = (), asked: DialectChoice = AS_FOUND
) -> DelimitedFile:
    """The file, its header read; one of numbers is a header if it has all ``known`` columns, or counts the columns.

    The ``delimiter`` is the one that its extension suggests, ``asked`` what the user says of it.
    """
    with open_text(path) as stream:
        first = _first_lines(stream, path)
    if first.startswith(WIDE) or 4 * first.count(b"\0") > len(first):
        raise cannot_read(path, "it is UTF-16 text; save it as UTF-8")
    bom = len(BOM) if first.startswith(BOM) else 0
    sample = first[bom:].decode()
    try:
        dialect = find_dialect(sample, delimiter, known, asked)
    except InputError as error:
        raise cannot_read(path, str(error)) from error
    start, title = bom + len(sample[: dialect.start].encode()), repr(str(path))
    told: dict[str, Any] = {"decimal": dialect.decimal, "notes": dialect.notes, "unnamed": dialect.unnamed}
    kept = {str(name): values for name, values in asked.kept.items()}
    return DelimitedFile(title, dialect.names, path, dialect, start, kept=kept, **told)


def _first_lines(stream: IO[bytes], path: Path) -> bytes:
    """Complete lines that show how the file is written: the header, however long, and some rows."""
    text = b""
    while chunk := stream.read(max(SAMPLE, len(text))):
        text += chunk
        n_lines = _n_line_ends(text)
        if n_lines > FEW_ROWS or (n_lines > 1 and len(text) >= LARGE_SAMPLE):
            return text[: max(text.rfind(b"\n"), text.rfind(b"\r")) + 1]
        if len(text) > 2 * BLOCK:
            check_size(repr(str(path)), BYTES_OF_TEXT * len(text))
    return text


def _blocks(stream: IO[bytes], dialect: Dialect, path: Path) -> Iterator[bytes]:
    """Complete rows, some megabytes at once."""
    rest, size = b"", max(BLOCK, BYTES_OF_COLUMN * len(dialect.names))
    while chunk := stream.read(size):
        rest += chunk
        if len(rest) > 2 * size:  # a row, or a quotation, that does not end
            check_size(repr(str(path)), BYTES_OF_TEXT * len(rest))
        if end := _end_of_rows(rest, dialect):
            yield rest[:end]
            rest = rest[end:]
    if rest:
        yield rest


def _n_line_ends(text: bytes) -> int:
    """How often a line ends, in any of the three ways; that a byte is nowhere is found at once."""
    others = text.count(b"\r") - text.count(b"\r\n") if b"\r" in text else 0
    return text.count(b"\n") + others


def _end_of_rows(text: bytes, dialect: Dialect) -> int:
    """Where the last complete row ends: after a line end that is not in quotes. 0 if there is none."""
    line_end, quote = b"\n" if b"\n" in text else b"\r", dialect.quoting.quote.encode()
    around = dialect.delimiter.encode() + b"\r\n" + b"\t" * (dialect.delimiter == BLANKS)
    if quote in text and (dialect.quoting.escape or not _quotes_alternate(text, around, quote)):
        return _end_after_stray_quotes(text, around, line_end, dialect.quoting)
    end, in_quotes = len(text), text.count(quote) % 2 == 1
    while (at := text.rfind(line_end, max(0, len(text) - LAST_LINES), end)) >= 0:
        in_quotes ^= text.count(quote, at, end) % 2 == 1
        if not in_quotes:
            return at + 1
        end = at
    return 0


def _quotes_alternate(text: bytes, around: bytes, quote: bytes) -> bool:
    """True if each odd quote opens a cell, each even one closes it, and others are doubled: counting them is enough."""
    codes = np.frombuffer(text, dtype=np.uint8)
    places = np.flatnonzero(codes == ord(quote))
    opening, closing = places[0::2], places[1::2]
    is_outside = np.zeros(256, dtype=np.bool_)
    is_outside[list(around + quote)] = True
    before, after = codes[np.maximum(opening - 1, 0)], codes[np.minimum(closing + 1, len(codes) - 1)]
    return bool(is_outside[before].all() and is_outside[after].all())


def _end_after_stray_quotes(text: bytes, around: bytes, line_end: bytes, quoting: Quoting) -> int:
    """The same where quotes stand inside cells, as in ``5" pipe``: only those that open or close a cell count."""
    quoted = re.compile(rb"(?:(?<=[%b])|\A)%b" % (re.escape(around), quoting.pattern.encode()))
    end, last = 0, 0
    for cell in quoted.finditer(text):
        end = max(end, text.rfind(line_end, last, cell.start()) + 1)
        last = cell.end()
    return max(end, text.rfind(line_end, last) + 1)


def _squeezed(text: bytes) -> bytes:
    """Lines with one blank between cells and none around them; what is in quotes stays as it is."""
    one = RUN.sub(lambda run: run[0] if run[0].startswith(b'"') else b" ", text)
    return OUTER.sub(b"", one)


def _parse(
    text: bytes,
    dialect: Dialect,
    chosen: Sequence[str],
    as_text: Collection[str],
    at_once: int,
    kept: Collection[str] = (),
    **more: Any,
) -> pa.Table:
    """A block of rows; a word in quotes is a value, as R writes one, and in a file with such it is one everywhere."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    quote = dialect.quoting.quote
    if f"{quote}{WORD}{quote}".encode() in text:
        kept = (*kept, WORD)
    return arrow_csv.read_csv(
        pa.BufferReader(text),
        read_options=arrow_csv.ReadOptions(column_names=dialect.columns, block_size=at_once, use_threads=not more),
        parse_options=arrow_csv.ParseOptions(
            delimiter=dialect.delimiter,
            quote_char=quote,
            escape_char=dialect.quoting.escape or False,
            newlines_in_values=quote.encode() in text,
            **more,
        ),
        convert_options=arrow_csv.ConvertOptions(
            include_columns=list(chosen),
            column_types=dict.fromkeys(as_text, pa.string()),
            decimal_point=dialect.decimal,
            null_values=_missing_cells(kept),
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        ),
    )


def _with_codes_as_texts(table: pa.Table, text: bytes, dialect: Dialect) -> pa.Table:
    """The table with codes such as 0x25, which pyarrow reads as whole numbers, as they are written."""
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = [field.name for field in table.schema if pa.types.is_integer(field.type)]
    # That a byte is nowhere is found many times sooner than that an expression is.
    if not whole or not (b"x" in text or b"X" in text) or not HEXADECIMAL.search(text):
        return table
    written = _parse(text, dialect, whole, whole, len(text) + 1)
    for name in whole:
        if pc.any(pc.match_substring(written[name], "x", ignore_case=True)).as_py():
            table = table.set_column(table.column_names.index(name), name, written[name])
    return table


def _fault(text: bytes, dialect: Dialect, n_before: int) -> str:
    """Which row has too few or too many cells; empty if none has."""
    import pyarrow as pa

    found: list[str] = []

    def note(row: Any) -> str:
        cells = f"{counted(row.actual_columns, 'value')}, and there are {row.expected_columns} columns"
        found.append(f"row {n_before + row.number} has {cells}")
        return "error"

    with suppress(pa.ArrowInvalid):
        _parse(text, dialect, (), (), len(text) + 1, invalid_row_handler=note)
    return found[0] if found else ""

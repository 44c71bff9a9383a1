"""Tables in files: which kind a file is, by its first bytes and its extension; and folders of files."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote

from sidelight.errors import InputError
from sidelight.files.memory import Budget
from sidelight.files.opening import named_errors, open_bytes
from sidelight.sources.column_files import open_arrow, open_parquet
from sidelight.sources.delimited import open_delimited
from sidelight.sources.dialect import DialectChoice
from sidelight.tables.findings import Finding
from sidelight.text.message import Message, Option

if TYPE_CHECKING:
    import pyarrow as pa

DELIMITED = {".csv": "", ".tsv": "\t", ".tab": "\t", ".txt": ""}  # with the delimiter that is preferred
PARQUET = {".parquet", ".pq"}
ARROW = {".feather", ".arrow", ".ipc"}
ACCEPTED = "CSV, TSV (also gzip'd: .csv.gz), Parquet (.parquet) or Feather/Arrow (.feather, .arrow)"
ZIP = b"PK\x03\x04"
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
MOST_DIGITS = 16  # of a whole number in the name of a folder
AS_FOUND = DialectChoice()
HIDDEN = (".", "_")  # how the names of files begin that are no part of a table, such as _SUCCESS


class TableFile(Protocol):
    """A file of one format; ``OneFile`` has what all formats have in common."""

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def decimal(self) -> str: ...
    @property
    def categories(self) -> frozenset[str]: ...
    @property
    def notes(self) -> tuple[Finding, ...]: ...
    def count_rows(self) -> int | None: ...
    def n_rows(self, n_columns: int) -> int: ...
    def batches(self, chosen: Sequence[str], as_text: Collection[str], at_once: int) -> Iterator[pa.Table]: ...


@dataclass(frozen=True)
class OneFile:
    """A table in a file."""

    path: Path
    file: TableFile
    asked: DialectChoice = AS_FOUND

    @property
    def title(self) -> str:
        """Its path, quoted."""
        return repr(str(self.path))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.file.names

    @property
    def decimal(self) -> str:
        """The decimal mark of its numbers; empty where they are not written out."""
        return self.file.decimal

    @property
    def categories(self) -> frozenset[str]:
        """Columns that have categories by their type."""
        return self.file.categories

    @property
    def notes(self) -> tuple[Finding, ...]:
        """Choices between two readings."""
        return self.file.notes

    def count_rows(self) -> int | None:
        """The number of rows, where the file says it."""
        return self.file.count_rows()

    def most_rows(self, n_columns: int) -> int:
        """The number of rows, or of lines; raises if they do not fit into memory."""
        with named_errors(self.path):
            return self.file.n_rows(n_columns)

    def batches(self, chosen: Sequence[str], as_text: Collection[str], at_once: int) -> Iterator[pa.Table]:
        """Its rows in their order; raises if another program writes to the file meanwhile."""
        with named_errors(self.path), _unchanged(self.path):
            yield from self.file.batches(chosen, as_text, at_once)


@contextmanager
def _unchanged(path: Path) -> Iterator[None]:
    """Raise if the file is another one, or has other contents, at the end."""
    before = _version(path)
    yield
    if _version(path) != before:
        raise InputError(f"{str(path)!r} changed while it was read; try again when nothing writes to it")


def _version(path: Path) -> tuple[int, int, int]:
    status = os.stat(path)
    return status.st_ino, status.st_size, status.st_mtime_ns


def is_delimited(source: object) -> bool:
    """True for the path of a file of text between delimiters, by its extension."""
    return isinstance(source, str | Path) and _suffix(Path(source)) in DELIMITED


def is_table(path: Path) -> bool:
    """True if its extension is one of a table's."""
    return _suffix(path) in (*DELIMITED, *PARQUET, *ARROW)


def _suffix(path: Path) -> str:
    return Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()


def open_file(
    path: Path, columns: Iterable[Hashable] = (), memory: int | None = None, asked: DialectChoice = AS_FOUND
) -> OneFile:
    """One file, its columns known; a first row of numbers is a header if it has these columns."""
    with named_errors(path):
        return OneFile(path, _open_format(path, columns, Budget(path, memory), asked), asked)


def _open_format(path: Path, columns: Iterable[Hashable], budget: Budget, asked: DialectChoice) -> TableFile:
    with open_bytes(path) as file:
        begins = file.read(8)
    suffix = _suffix(path)
    if not is_table(path):
        raise InputError(f"a table must be {ACCEPTED}; got {str(path)!r}")
    if begins.startswith(ZIP):
        raise InputError(f"cannot read {str(path)!r}: it is a zip archive or an Excel file; save the table as CSV")
    by_columns = suffix in PARQUET or begins.startswith(b"PAR1") or suffix in ARROW or begins.startswith(b"ARROW1")
    if by_columns and (asked.delimiter, asked.header) != (None, None):
        what = f" are for files of text between delimiters; {str(path)!r} is none"
        raise InputError(Message(Option("delimiter"), " and ", Option("header"), what))
    if suffix in PARQUET or begins.startswith(b"PAR1"):
        return open_parquet(path, budget)
    if by_columns:
        return open_arrow(path, budget)
    return open_delimited(path, DELIMITED[suffix], {str(name) for name in columns}, budget, asked)


@dataclass(frozen=True)
class Folder:
    """A table in all files of a folder; in ``year=2024/part.parquet`` the name of the folder is a column, too."""

    path: Path
    files: tuple[OneFile, ...]
    partitions: tuple[dict[str, str], ...]  # of each file: the columns that its path has, with their values

    @property
    def title(self) -> str:
        """Its path, quoted."""
        return repr(str(self.path))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, those of the folders' names last."""
        return (*self.files[0].names, *self.partitions[0])

    @property
    def decimal(self) -> str:
        """The decimal mark of all files; empty where they differ."""
        marks = {file.decimal for file in self.files}
        return marks.pop() if len(marks) == 1 else ""

    @property
    def categories(self) -> frozenset[str]:
        """Columns that have categories by their type."""
        return self.files[0].categories

    @property
    def notes(self) -> tuple[Finding, ...]:
        """Choices between two readings, in any of the files; the same choice is said once."""
        found: dict[str, Finding] = {}
        for file in self.files:
            for note in file.notes:
                found.setdefault(note.kind, note)
        return tuple(found.values())

    def count_rows(self) -> int | None:
        """The number of rows, where all files say it."""
        counts = [file.count_rows() for file in self.files]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None

    def most_rows(self, n_columns: int) -> int:
        """The number of rows, or of lines."""
        return sum(file.most_rows(n_columns) for file in self.files)

    def batches(self, chosen: Sequence[str], as_text: Collection[str], at_once: int) -> Iterator[pa.Table]:
        """The rows of one file after the other."""
        for file, values in zip(self.files, self.partitions, strict=True):
            yield from part_batches(file, values, chosen, as_text, at_once)


def part_batches(
    file: OneFile, values: dict[str, str], chosen: Sequence[str], as_text: Collection[str], at_once: int
) -> Iterator[pa.Table]:
    """The rows of a file, with the columns that its path has."""
    in_file = [name for name in chosen if name not in values] or list(file.names[:1])
    for batch in file.batches(in_file, as_text, at_once):
        yield _with_constants(batch, values, chosen, as_text)


def _with_constants(
    batch: pa.Table, values: dict[str, str], chosen: Sequence[str], as_text: Collection[str]
) -> pa.Table:
    import pyarrow as pa

    for name in (name for name in chosen if name in values):
        value: object = None if values[name] == NO_VALUE else values[name]
        if name not in as_text and values[name].removeprefix("-").isdecimal() and len(values[name]) < MOST_DIGITS:
            value = int(values[name])
        kind = pa.int64() if isinstance(value, int) else pa.string()
        batch = batch.append_column(name, pa.array([value], kind).take(pa.array([0] * batch.num_rows, pa.int32())))
    return batch.select(list(chosen))


def open_folder(
    path: Path, columns: Iterable[Hashable] = (), memory: int | None = None, asked: DialectChoice = AS_FOUND
) -> Folder:
    """All files of a folder and of those in it, in the order of their names; raises unless their columns agree."""
    paths = sorted(p for p in path.rglob("*") if is_table(p) and not _is_hidden(p.relative_to(path)) and p.is_file())
    if not paths:
        raise InputError(f"the folder {str(path)!r} has no tables: {ACCEPTED}")
    files = [open_file(file, columns, memory, asked) for file in paths]
    partitions = [_partition(file.relative_to(path)) for file in paths]
    for file, values in zip(files, partitions, strict=True):
        if twice := sorted(set(file.names) & set(values)):
            raise InputError(f"{file.title} has a column {twice[0]!r}, and so has the name of its folder; rename one")
        _check_columns(files[0], partitions[0], file, values)
    return Folder(path, tuple(files), tuple(partitions))


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(HIDDEN) for part in path.parts)


def _partition(path: Path) -> dict[str, str]:
    """``{"year": "2024"}`` of ``year=2024/part.parquet``."""
    named = (part.partition("=") for part in path.parts[:-1])
    return {unquote(name): unquote(value) for name, equals, value in named if equals}


def _check_columns(first: OneFile, known: dict[str, str], file: OneFile, values: dict[str, str]) -> None:
    expected, found = {*first.names, *known}, {*file.names, *values}
    if expected == found:
        return
    lacks = [f"lacks the column {name!r}" for name in sorted(expected - found)[:1]]
    more = [f"has a column {name!r}" for name in sorted(found - expected)[:1]]
    which = f"{file.title} {' and '.join([*lacks, *more])}, unlike {first.title}"
    raise InputError(f"the files of a folder must have the same columns: {which}")

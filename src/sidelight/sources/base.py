"""What a table in batches is to the rest of the library, and the files that it may be in."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote

from sidelight.errors import InputError
from sidelight.files.opening import named_errors
from sidelight.sources.table_files import ACCEPTED, TableFile, is_table, open_table

if TYPE_CHECKING:
    import pyarrow as pa

BYTES_OF_CELL = 10  # of a table in memory, with what reading takes beside
FEWEST_AT_ONCE, MOST_AT_ONCE = 1_000, 1 << 17  # rows of a batch
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
MOST_DIGITS = 16  # of a whole number in the name of a folder
HIDDEN = (".", "_")  # how the names of files begin that are no part of a table, such as _SUCCESS


class Batches(Protocol):
    """A table that can be read more than once, some rows at a time."""

    @property
    def title(self) -> str:
        """What messages call it."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        ...

    @property
    def decimal(self) -> str:
        """The decimal mark of its numbers; empty where they are not written out."""
        ...

    @property
    def categories(self) -> frozenset[str]:
        """Columns that have categories by their type."""
        ...

    def count_rows(self) -> int | None:
        """The number of rows, where that is known without reading them."""
        ...

    def batches(self, chosen: Sequence[str], as_text: Collection[str], at_once: int) -> Iterator[pa.Table]:
        """The chosen columns, about so many rows at a time; some columns as texts, whatever they hold."""
        ...


def rows_at_once(n_columns: int, memory: int | None) -> int:
    """How many rows of so many columns a batch has: a small part of the memory, and of a processor's cache."""
    most = MOST_AT_ONCE if memory is None else memory // (64 * max(1, n_columns))
    return max(FEWEST_AT_ONCE, min(MOST_AT_ONCE, most))


@dataclass(frozen=True)
class OneFile:
    """A table in a file."""

    path: Path
    file: TableFile

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

    def count_rows(self) -> int | None:
        """The number of rows, where the file says it."""
        return self.file.count_rows()

    def batches(self, chosen: Sequence[str], as_text: Collection[str], at_once: int) -> Iterator[pa.Table]:
        """Its rows in their order; raises if another program writes to the file meanwhile."""
        with named_errors(self.path), unchanged(self.path):
            yield from self.file.batches(chosen, as_text, at_once)


@contextmanager
def unchanged(path: Path) -> Iterator[None]:
    """Raise if the file is another one, or has other contents, at the end."""
    before = _version(path)
    yield
    if _version(path) != before:
        raise InputError(f"{str(path)!r} changed while it was read; try again when nothing writes to it")


def _version(path: Path) -> tuple[int, int, int]:
    status = os.stat(path)
    return status.st_ino, status.st_size, status.st_mtime_ns


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
        """The decimal mark of the first file."""
        return self.files[0].decimal

    @property
    def categories(self) -> frozenset[str]:
        """Columns that have categories by their type."""
        return self.files[0].categories

    def count_rows(self) -> int | None:
        """The number of rows, where all files say it."""
        counts = [file.count_rows() for file in self.files]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None

    def batches(self, chosen: Sequence[str], as_text: Collection[str], at_once: int) -> Iterator[pa.Table]:
        """The rows of one file after the other."""
        for file, values in zip(self.files, self.partitions, strict=True):
            in_file = [name for name in chosen if name not in values]
            for batch in file.batches(in_file or file.names[:1], as_text, at_once):
                yield with_constants(batch, values, chosen, as_text)


def with_constants(
    batch: pa.Table, values: dict[str, str], chosen: Sequence[str], as_text: Collection[str]
) -> pa.Table:
    """A batch with the columns that the path of its file has."""
    import pyarrow as pa

    for name in (name for name in chosen if name in values):
        value: object = None if values[name] == NO_VALUE else values[name]
        if name not in as_text and values[name].removeprefix("-").isdecimal() and len(values[name]) < MOST_DIGITS:
            value = int(values[name])
        batch = batch.append_column(
            name,
            pa.array([value], pa.int64() if isinstance(value, int) else pa.string()).take(
                pa.array([0] * batch.num_rows, pa.int32())
            ),
        )
    return batch.select(list(chosen))


def open_folder(path: Path, columns: Iterable[Hashable] = ()) -> Folder:
    """All files of a folder and of those in it, in the order of their names; raises unless their columns agree."""
    paths = sorted(p for p in path.rglob("*") if is_table(p) and not _is_hidden(p.relative_to(path)) and p.is_file())
    if not paths:
        raise InputError(f"the folder {str(path)!r} has no tables: {ACCEPTED}")
    files = [open_file(file, columns) for file in paths]
    partitions = [_partition(file.relative_to(path)) for file in paths]
    for file, values in zip(files, partitions, strict=True):
        _check_columns(files[0], partitions[0], file, values)
    return Folder(path, tuple(files), tuple(partitions))


def open_file(path: Path, columns: Iterable[Hashable] = ()) -> OneFile:
    """One file, its columns known; a first row of numbers is a header if it has these columns."""
    with named_errors(path):
        return OneFile(path, open_table(path, columns))


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
    lacks, more = sorted(expected - found), sorted(found - expected)
    what = [f"lacks the column {lacks[0]!r}"] * bool(lacks) + [f"has a column {more[0]!r}"] * bool(more)
    which = f"{file.title} {' and '.join(what)}, unlike {first.title}"
    raise InputError(f"the files of a folder must have the same columns: {which}")

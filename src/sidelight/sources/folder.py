"""Folders of files that have one table; in ``year=2024/part.parquet`` the name of the folder is a column, too."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from sidelight.errors import InputError
from sidelight.sources import Source
from sidelight.tables.findings import Finding

if TYPE_CHECKING:
    import pyarrow as pa

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
MOST_DIGITS = 16  # of a whole number in the name of a folder
Values = dict[str, str]  # of the columns that the path of a file has


@dataclass(frozen=True)
class Folder(Source):
    """A table in all files of a folder, one after the other; those of the folders' names are the last columns."""

    files: tuple[Source, ...]
    partitions: tuple[Values, ...]  # of each file

    def most_rows(self, check: Callable[[int], None]) -> int:
        """The number of rows, or of lines."""
        return sum(file.most_rows(check) or 0 for file in self.files)

    def batches(self, chosen: Sequence[str], as_text: Collection[str], at_once: int) -> Iterator[pa.Table]:
        """The rows of each file, with the columns that its path has."""
        for file, values in zip(self.files, self.partitions, strict=True):
            in_file = [name for name in chosen if name not in values] or list(file.names[:1])
            for batch in file.batches(in_file, as_text, at_once):
                yield _with_constants(batch, values, chosen, as_text)


def _with_constants(batch: pa.Table, values: Values, chosen: Sequence[str], as_text: Collection[str]) -> pa.Table:
    import pyarrow as pa

    for name in (name for name in chosen if name in values):
        value: object = None if values[name] == NO_VALUE else values[name]
        if name not in as_text and values[name].removeprefix("-").isdecimal() and len(values[name]) < MOST_DIGITS:
            value = int(values[name])
        kind = pa.int64() if isinstance(value, int) else pa.string()
        batch = batch.append_column(name, pa.array([value], kind).take(pa.array([0] * batch.num_rows, pa.int32())))
    return batch.select(list(chosen))


def open_folder(path: Path, paths: Sequence[Path], open_file: Callable[[Path], Source]) -> Folder:
    """The table in these files of a folder; raises unless their columns agree."""
    files, partitions = [*map(open_file, paths)], [_partition(file.relative_to(path)) for file in paths]
    for file, values in zip(files, partitions, strict=True):
        if twice := sorted(set(file.names) & set(values)):
            raise InputError(f"{file.title} has a column {twice[0]!r}, and so has the name of its folder; rename one")
        _check_columns(files[0], partitions[0], file, values)
    counts = [file.n_rows for file in files if file.n_rows is not None]
    marks = {file.decimal for file in files}
    return Folder(
        repr(str(path)),
        (*files[0].names, *partitions[0]),
        tuple(files),
        tuple(partitions),
        n_rows=sum(counts) if len(counts) == len(files) else None,
        decimal=marks.pop() if len(marks) == 1 else "",
        categories=files[0].categories,
        notes=_notes(files),
        unnamed=files[0].unnamed,
    )


def _notes(files: Sequence[Source]) -> tuple[Finding, ...]:
    """The notes on any of the files; the same choice is said once."""
    found: dict[str, Finding] = {}
    for note in (note for file in files for note in file.notes):
        found.setdefault(note.kind, note)
    return tuple(found.values())


def _partition(path: Path) -> Values:
    """``{"year": "2024"}`` of ``year=2024/part.parquet``."""
    named = (part.partition("=") for part in path.parts[:-1])
    return {unquote(name): unquote(value) for name, equals, value in named if equals}


def _check_columns(first: Source, known: Values, file: Source, values: Values) -> None:
    expected, found = {*first.names, *known}, {*file.names, *values}
    if expected == found:
        return
    lacks = [f"lacks the column {name!r}" for name in sorted(expected - found)[:1]]
    more = [f"has a column {name!r}" for name in sorted(found - expected)[:1]]
    which = f"{file.title} {' and '.join([*lacks, *more])}, unlike {first.title}"
    raise InputError(f"the files of a folder must have the same columns: {which}")

"""Whatever a user hands in as a table: opened, its columns named, its rows held in memory or passed over in batches.

Rows are held where they fit into memory.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sidelight.errors import InputError
from sidelight.files.memory import USUAL_SHARE, TooLargeError, check_size, memory_for
from sidelight.files.reading import cannot_read, named_errors, open_bytes, user_path
from sidelight.graphs.names import check_names
from sidelight.sources import Source
from sidelight.sources.cluster import OnCluster, open_dask
from sidelight.sources.column_files import open_arrow, open_parquet
from sidelight.sources.delimited import open_delimited
from sidelight.sources.dialect import AS_FOUND, DialectChoice
from sidelight.sources.folder import open_folder
from sidelight.sources.memory import InMemory, labels_of, open_array, open_frame
from sidelight.sources.passes import MOST_AT_ONCE, FirstPass, SourcePasses, in_batches, passed_over, written_as_text
from sidelight.sources.queries import Query, open_query
from sidelight.sources.statistics_files import READERS, open_statistics_file
from sidelight.tables.all_rows import AllRows, Tick, take_weights
from sidelight.tables.column_options import Marks
from sidelight.tables.findings import Finding
from sidelight.tables.gaps import Gaps
from sidelight.tables.reading import joined, tables_in
from sidelight.tables.table import Table, as_list, chosen_columns, existing_columns, weights_column
from sidelight.tables.treatment import Readings, as_read, number_readings, readings_of, without_marks
from sidelight.text.message import Message, Option, OptionName

DELIMITED = {".csv": "", ".tsv": "\t", ".tab": "\t", ".txt": ""}  # with the delimiter that is preferred
PARQUET = {".parquet", ".pq"}
ARROW = {".feather", ".arrow", ".ipc"}
ACCEPTED = (
    "CSV, TSV (also gzip'd: .csv.gz), Parquet (.parquet), Feather/Arrow (.feather, .arrow), or of another program "
    f"({', '.join(READERS)})"
)
TABLE = f"a path ({ACCEPTED}), a pandas, polars or pyarrow table, batches of one, or a NumPy array"
ZIP = b"PK\x03\x04"
HIDDEN = re.compile(r"[._]")  # how the names of files begin that are no part of a table, such as _SUCCESS
BYTES_OF_CELL = 10  # of a table in memory, with what reading takes beside
SMALL = 32_000_000  # bytes, for which there is always room
Wanted = Iterable[Hashable] | None


def open_source(
    source: object,
    names: Sequence[Hashable] | None = None,
    columns: Iterable[Hashable] = (),
    memory: int | None = None,
    asked: DialectChoice = AS_FOUND,
) -> Source:
    """The source of rows that a path, a data frame, an array (with ``names``), a query or an iterator is.

    What can be read only once is read here, and takes at most so many bytes of memory. A first row of numbers in a file
    is a header if it has these ``columns``.
    """
    if isinstance(source, Source):
        return source
    if isinstance(source, np.ndarray | list | tuple):
        opened: Source = open_array(source, names)
    elif names is not None:
        raise InputError(Message(Option("names"), " is for arrays; a file or data frame has names of its own"))
    elif isinstance(source, str | Path):
        return _open_path(user_path(source), partial(_open_file, known={str(name) for name in columns}, asked=asked))
    else:
        opened = open_dask(source) or open_query(source, memory) or _open_frame(source)
    if (asked.delimiter, asked.header) != (None, None):
        raise InputError(Message(Option("delimiter"), " and ", Option("header"), " are for files; this table is none"))
    return opened


def _open_frame(source: Any) -> InMemory:
    if labels := list(labels_of(source)):
        _check_columns("the data frame", labels)
    if type(source).__module__.startswith("pyarrow") and type(source).__name__ == "RecordBatch":
        import pyarrow as pa

        source = pa.Table.from_batches([source])
    return open_frame(source, TABLE)


def _open_path(path: Path, open_file: Callable[[Path], Source]) -> Source:
    if not os.path.isdir(path):
        return open_file(path)
    files = (file for file in path.rglob("*") if _is_table(file) and file.is_file())
    paths = sorted(file for file in files if not any(map(HIDDEN.match, file.relative_to(path).parts)))
    if not paths:
        raise InputError(f"the folder {str(path)!r} has no tables: {ACCEPTED}")
    return open_folder(path, paths, open_file)


def _open_file(path: Path, known: Collection[str], asked: DialectChoice) -> Source:
    """A file, its columns known: which kind it is, its first bytes and its extension say."""
    with named_errors(path), open_bytes(path) as file:
        begins = file.read(8)
    suffix = _suffix(path)
    if not _is_table(path):
        raise InputError(f"a table must be {ACCEPTED}; got {str(path)!r}")
    is_foreign = suffix in READERS and path.suffix.lower() in READERS
    if begins.startswith(ZIP) and not is_foreign:
        raise cannot_read(
            path, "it is a zip archive or an Excel file; its name must end in .xlsx, or save the table as CSV"
        )
    is_parquet = suffix in PARQUET or begins.startswith(b"PAR1")
    is_arrow = suffix in ARROW or begins.startswith(b"ARROW1")
    if (is_parquet or is_arrow or is_foreign) and (asked.delimiter, asked.header) != (None, None):
        what = f" are for files of text between delimiters; {str(path)!r} is none"
        raise InputError(Message(Option("delimiter"), " and ", Option("header"), what))
    with named_errors(path):
        if is_foreign:
            return open_statistics_file(path)
        if is_parquet or is_arrow:
            return (open_parquet if is_parquet else open_arrow)(path)
        return open_delimited(path, DELIMITED[suffix], known, asked)


def is_delimited(source: object) -> bool:
    """True for the path of a file of text between delimiters, by its extension."""
    return isinstance(source, str | Path) and _suffix(Path(source)) in DELIMITED


def _is_table(path: Path) -> bool:
    return _suffix(path) in (*DELIMITED, *PARQUET, *ARROW, *READERS)


def _suffix(path: Path) -> str:
    return Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()


# Names.


def names_in(source: Source, columns: Wanted, drop: Wanted) -> dict[Any, Hashable]:
    """The columns to use: their names in the source, and what they are called.

    The names in a file are strings: a number in ``columns`` also means the column whose name is that number written
    out, and is then its name.
    """
    names = check_names(source.names) if isinstance(source, Query) else source.names
    _check_columns(source.title, names)
    columns = None if columns is None else as_list(columns)
    known = set(names)
    given = {str(name): name for name in columns or () if isinstance(name, Hashable) and name not in known}
    called = tuple(given.get(str(name), name) for name in names) if given else names
    if columns is None and drop is None:
        return dict(zip(names, called, strict=True))
    chosen = set(chosen_columns(called, columns, drop))
    return {name: new for name, new in zip(names, called, strict=True) if new in chosen}


def _check_columns(title: str, names: Iterable[Hashable]) -> None:
    counts = Counter(map(str, names))
    if not counts:
        raise InputError(f"{title} has no columns")
    if "" in counts:
        raise InputError(f"{title} has a column without a name; every column needs one")
    repeated = [name for name, count in counts.items() if count > 1]
    if repeated:
        raise InputError(f"two columns are named {repeated[0]!r}; every column needs a name of its own")


# Rows in memory.


def read_table(
    source: object,
    names: Sequence[Hashable] | None = None,
    columns: Wanted = None,
    drop: Wanted = None,
    asked: DialectChoice = AS_FOUND,
) -> Table:
    """All rows of a source, with strings that are numbers as numbers."""
    opened = open_source(source, names, columns or (), asked=asked)
    table, categories = hold(opened, names_in(opened, columns, drop))
    return as_read(table, number_readings(table, categories, opened.decimal, asked.decimal)[0])


def hold(
    source: Source,
    names: Mapping[Any, Hashable],
    memory: int | None = None,
    marks: Marks | None = None,
    share: float = 1,
) -> tuple[Table, frozenset[Hashable]]:
    """All rows in memory, without values that are marks, and the columns that have categories by their type.

    Raises as soon as they take more than so many bytes of ``memory``, or than a ``share`` of all that can be used.
    """

    def check(n_rows: int) -> None:
        needed = BYTES_OF_CELL * n_rows * len(names)
        if (memory is not None or needed > SMALL) and not isinstance(source, InMemory):
            check_size(source.title, needed, memory, share)

    as_text: frozenset[str] = frozenset()
    check(source.n_rows or 0)
    while True:
        categories: set[Hashable] = set()
        tables = tables_in(source.batches(list(names), as_text, MOST_AT_ONCE), names, categories)
        tables = _checked(map(partial(without_marks, marks=marks), tables) if marks else tables, check)
        table, disagreeing = joined(tables, list(names.values()), partial(source.most_rows, check))
        if not disagreeing:
            return table, frozenset(categories)
        as_text = written_as_text(names, disagreeing, as_text)


def _checked(tables: Iterator[Table], check: Callable[[int], None]) -> Iterator[Table]:
    n_rows = 0
    for table in tables:
        n_rows += table.n_rows
        check(n_rows)
        yield table


# Rows to learn from.


class ReadRows(NamedTuple):
    """All rows as they were read, where they lack values, and notes on choices between two readings."""

    rows: AllRows
    find_gaps: Callable[[], Gaps]
    notes: tuple[Finding, ...]


@dataclass(frozen=True)
class SourceRows:
    """A source with the columns to use, and its rows, if they are held in memory."""

    source: Source
    names: Mapping[Any, Hashable]
    weights: object
    memory: int | None
    held: Table | None
    categories: frozenset[Hashable]
    decimal: str | None  # the decimal mark that the user says numbers have

    @staticmethod
    def of(
        source: Source,
        names: Mapping[Any, Hashable],
        weights: object,
        marks: Marks,
        memory: int | None,
        decimal: str | None = None,
    ) -> SourceRows:
        """Held, if they fit into so much memory and are here."""
        held, categories = None, frozenset(name for text, name in names.items() if text in source.categories)
        if not isinstance(source, OnCluster):
            with suppress(TooLargeError):
                held, categories = hold(source, names, memory, marks, USUAL_SHARE)
        if held is None:
            _check_weights(weights, names)
            memory = memory_for(None) if memory is None else memory
        return SourceRows(source, names, weights, memory, held, categories, decimal)

    def read(
        self,
        dropped: Collection[Hashable],
        marks: Marks,
        dates: Collection[Hashable],
        first: Callable[[], FirstPass],
        tick: Tick,
    ) -> ReadRows:
        """All rows without some columns, and where they lack values: marked ones too, with dates as numbers."""
        names = {text: name for text, name in self.names.items() if name not in dropped}
        if self.held is None:
            passes = SourcePasses(self.source, names, marks, self.memory)
            rows, survey = passed_over(passes, weights_column(self.weights), first, tick)
            note = in_batches(self.source, self.memory, rows.sample)
            rows, notes = self._as_read(rows, marks, dates)
            return ReadRows(rows, lambda: survey.gaps, (*notes, note))
        table = self.held.part(names.values())
        table = without_marks(table, marks) if marks else table
        rows, notes = self._as_read(AllRows.held(table), marks, dates)
        if self.weights is not None:
            rows = AllRows.held(*take_weights(rows.sample, self.weights))
        return ReadRows(rows, partial(Gaps.of, rows.sample), notes)

    def unnamed(self) -> Table:
        """The columns without a heading, as far as rows show them that can be read at once."""
        names = {text: name for text, name in self.names.items() if text in self.source.unnamed}
        if self.held is not None or not names:
            return (self.held or Table((), np.empty((0, 0)))).part(names.values())
        return next(tables_in(self.source.batches(list(names), (), MOST_AT_ONCE), names, set()))

    def _as_read(self, rows: AllRows, marks: Marks, dates: Collection[Hashable]) -> tuple[AllRows, tuple[Finding, ...]]:
        """Strings as numbers in all batches, as the sample shows, and notes on choices between two readings."""
        sample, notes = rows.sample, self.source.notes
        readings: Readings = readings_of(sample, marks, dates) if marks or dates else {}
        if sample.texts:
            numbers, more = number_readings(sample, {*self.categories, *readings}, self.source.decimal, self.decimal)
            readings, notes = {**numbers, **readings}, (*notes, *more)
        return rows.then(partial(as_read, readings=readings)) if readings else rows, notes


def _check_weights(weights: object, names: Mapping[Any, Hashable]) -> None:
    """Raise unless the weights of rows that are not in memory are a column of theirs."""
    column = weights_column(weights)
    if weights is not None and column is None:
        text = ": of a table that does not fit into memory they must be a column of it"
        raise InputError(Message(OptionName("weights"), text))
    if column is not None:
        existing_columns(list(names.values()), column, "weights")

"""Parquet and Feather/Arrow files, read some rows at a time: beside the table, no more than these are in memory."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from sidelight.files.reading import cannot_read, named_errors, open_bytes, unchanged
from sidelight.sources import Source
from sidelight.sources.queries import with_categories

if TYPE_CHECKING:
    import pyarrow as pa

FIRST_FEATHER = b"FEA1"
BUFFER = 1 << 16  # bytes of each column that are read at once, and not all that a group of rows has


@dataclass(frozen=True)
class ColumnFile(Source):
    """A file that holds its table by columns, and says how many rows it has."""

    path: Path

    def batches(self, chosen: Sequence[str], as_text: Collection[str], at_once: int) -> Iterator[pa.Table]:
        """The chosen columns, about so many rows at a time, in the order that is asked for."""
        import pyarrow as pa

        wanted, n_rows = set(chosen), 0
        with named_errors(self.path), unchanged(self.path):
            for batch in self._by_rows([name for name in self.names if name in wanted], at_once):
                batch.validate(full=True)  # a damaged file may point anywhere
                n_rows += batch.num_rows
                yield _with_texts(pa.Table.from_batches([batch]).select(list(chosen)), as_text)
            if not n_rows:
                yield pa.table({name: pa.array([], pa.null()) for name in chosen})
            if n_rows != self.n_rows:
                raise cannot_read(self.path, f"it says that it has {self.n_rows} rows, and has {n_rows}")

    @abstractmethod
    def _by_rows(self, chosen: Sequence[str], at_once: int) -> Iterator[pa.RecordBatch]:
        """The chosen columns, in the order of the file."""


def _with_texts(table: pa.Table, as_text: Collection[str]) -> pa.Table:
    """The table, whose columns without any value are texts if other files of a folder have texts there."""
    import pyarrow as pa

    empty = {field.name for field in table.schema if pa.types.is_null(field.type) and field.name in as_text}
    if not empty:
        return table
    kinds = [(field.name, pa.string() if field.name in empty else field.type) for field in table.schema]
    return table.cast(pa.schema(kinds))


@dataclass(frozen=True)
class ParquetTable(ColumnFile):
    """A table in a Parquet file."""

    texts: tuple[str, ...]

    def _by_rows(self, chosen: Sequence[str], at_once: int) -> Iterator[pa.RecordBatch]:
        from pyarrow.parquet import ParquetFile

        # Without buffers, which would hold the whole file; texts that are written with a dictionary are not unpacked.
        with self._opened() as source:
            file = ParquetFile(source, read_dictionary=self.texts, pre_buffer=False, buffer_size=BUFFER)
            yield from file.iter_batches(at_once, columns=chosen)

    def _opened(self) -> AbstractContextManager[str | IO[bytes]]:
        """The path, from which Arrow reads twice as fast as from a stream; a stream, if Arrow cannot have the name."""
        try:
            return nullcontext(str(self.path)) if str(self.path).encode() else open_bytes(self.path)
        except UnicodeEncodeError:
            return open_bytes(self.path)


def open_parquet(path: Path) -> ColumnFile:
    """A Parquet file; what its columns hold is read later."""
    from pyarrow import types
    from pyarrow.parquet import ParquetFile

    with open_bytes(path) as stream:  # a folder may have more files than can be open at once
        file = ParquetFile(stream)
        schema, n_rows = file.schema_arrow, file.metadata.num_rows
    title, names = repr(str(path)), tuple(schema.names)
    texts = tuple(field.name for field in schema if types.is_string(field.type))
    return ParquetTable(title, names, path, texts, n_rows=n_rows, categories=with_categories(schema))


@dataclass(frozen=True)
class ArrowTable(ColumnFile):
    """A table in a Feather or Arrow file."""

    def _by_rows(self, chosen: Sequence[str], at_once: int) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        wanted = set(chosen)
        fields = [position for position, name in enumerate(self.names) if name in wanted]
        with open_bytes(self.path) as file:
            reader = pa.ipc.open_file(file, options=pa.ipc.IpcReadOptions(included_fields=fields))
            for number in range(reader.num_record_batches):
                batch = reader.get_batch(number)
                yield from (batch.slice(start, at_once) for start in range(0, batch.num_rows, at_once))


def open_arrow(path: Path) -> ColumnFile:
    """A Feather or Arrow file; what its columns hold is read later."""
    import pyarrow as pa

    with open_bytes(path) as file:
        if file.read(len(FIRST_FEATHER)) == FIRST_FEATHER:
            raise cannot_read(path, "it is of the first version of Feather; write it in the second")
        file.seek(0)
        schema = pa.ipc.open_file(file).schema
        file.seek(0)
        first = pa.ipc.open_file(file, options=pa.ipc.IpcReadOptions(included_fields=[0] if schema.names else []))
        n_rows = sum(first.get_batch(number).num_rows for number in range(first.num_record_batches))
    return ArrowTable(repr(str(path)), tuple(schema.names), path, n_rows=n_rows, categories=with_categories(schema))

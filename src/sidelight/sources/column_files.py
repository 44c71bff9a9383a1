"""Parquet and Feather/Arrow files, read some rows at a time: beside the table, no more than these are in memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from sidelight.errors import InputError
from sidelight.files.memory import Budget
from sidelight.files.opening import open_bytes
from sidelight.tables.findings import Finding

if TYPE_CHECKING:
    import pyarrow as pa

FIRST_FEATHER = b"FEA1"
BUFFER = 1 << 16  # bytes of each column that are read at once, and not all that a group of rows has
BYTES_OF_CELL = 10  # of the table, with what reading takes beside


@dataclass(frozen=True)
class ColumnFile:
    """A file that holds its table by columns; ``by_rows`` gives those at some positions in batches."""

    path: Path
    budget: Budget
    names: tuple[str, ...]
    count: int  # of rows
    by_rows: Callable[[Sequence[int], int], Iterator[pa.RecordBatch]]
    categories: frozenset[str] = frozenset()  # columns that have them by their type
    decimal: str = ""  # numbers in strings may have any
    notes: tuple[Finding, ...] = ()  # there is one way to read it

    def count_rows(self) -> int:
        """The number of rows."""
        return self.count

    def n_rows(self, n_columns: int) -> int:
        """The number of rows; refused when so many columns of them do not fit into memory."""
        self.budget.check(BYTES_OF_CELL * self.count * n_columns)
        return self.count

    def batches(self, chosen: Sequence[str], as_text: Collection[str], at_once: int) -> Iterator[pa.Table]:
        """The chosen columns, about so many rows at a time, in the order that is asked for."""
        import pyarrow as pa

        wanted, n_rows = set(chosen), 0
        positions = [position for position, name in enumerate(self.names) if name in wanted]
        for batch in self.by_rows(positions, at_once):
            batch.validate(full=True)  # a damaged file may point anywhere
            n_rows += batch.num_rows
            yield _with_texts(pa.Table.from_batches([batch]).select(list(chosen)), as_text)
        if not n_rows:
            yield pa.table({name: pa.array([], pa.null()) for name in chosen})
        if n_rows != self.count:
            raise InputError(f"cannot read {str(self.path)!r}: it says that it has {self.count} rows, and has {n_rows}")


def _with_texts(table: pa.Table, as_text: Collection[str]) -> pa.Table:
    """The table, whose columns without any value are texts if other files of a folder have texts there."""
    import pyarrow as pa

    empty = {field.name for field in table.schema if pa.types.is_null(field.type) and field.name in as_text}
    if not empty:
        return table
    kinds = [(field.name, pa.string() if field.name in empty else field.type) for field in table.schema]
    return table.cast(pa.schema(kinds))


def open_parquet(path: Path, budget: Budget) -> ColumnFile:
    """A Parquet file; what its columns hold is read later."""
    from pyarrow import types as pa_types
    from pyarrow.parquet import ParquetFile

    with open_bytes(path) as stream:  # a folder may have more files than can be open at once
        file = ParquetFile(stream)
        schema, n_rows = file.schema_arrow, file.metadata.num_rows
    names = tuple(schema.names)

    def by_rows(positions: Sequence[int], at_once: int) -> Iterator[pa.RecordBatch]:
        chosen = [names[position] for position in positions]
        # Without buffers, which would hold the whole file; texts that are written with a dictionary are not unpacked.
        with _opened(path) as source:
            again = ParquetFile(source, read_dictionary=texts, pre_buffer=False, buffer_size=BUFFER)
            yield from again.iter_batches(at_once, columns=chosen)

    texts = [field.name for field in schema if pa_types.is_string(field.type)]
    categories = frozenset(field.name for field in schema if pa_types.is_dictionary(field.type))
    return ColumnFile(path, budget, names, n_rows, by_rows, categories)


def _opened(path: Path) -> AbstractContextManager[str | IO[bytes]]:
    """The path, from which Arrow reads twice as fast as from a stream; a stream, if Arrow cannot have the name."""
    try:
        return nullcontext(str(path)) if str(path).encode() else open_bytes(path)
    except UnicodeEncodeError:
        return open_bytes(path)


def open_arrow(path: Path, budget: Budget) -> ColumnFile:
    """A Feather or Arrow file; what its columns hold is read later."""
    import pyarrow as pa

    with open_bytes(path) as file:
        if file.read(len(FIRST_FEATHER)) == FIRST_FEATHER:
            raise InputError(
                f"cannot read {str(path)!r}: it is of the first version of Feather; write it in the second"
            )
        file.seek(0)
        schema = pa.ipc.open_file(file).schema
        file.seek(0)
        first = pa.ipc.open_file(file, options=pa.ipc.IpcReadOptions(included_fields=[0] if schema.names else []))
        n_rows = sum(first.get_batch(number).num_rows for number in range(first.num_record_batches))
    names = tuple(schema.names)
    categories = frozenset(field.name for field in schema if pa.types.is_dictionary(field.type))

    def by_rows(positions: Sequence[int], at_once: int) -> Iterator[pa.RecordBatch]:
        options = pa.ipc.IpcReadOptions(included_fields=list(positions))
        with open_bytes(path) as file:
            reader = pa.ipc.open_file(file, options=options)
            for number in range(reader.num_record_batches):
                batch = reader.get_batch(number)
                yield from (batch.slice(start, at_once) for start in range(0, batch.num_rows, at_once))

    return ColumnFile(path, budget, names, n_rows, by_rows, categories)

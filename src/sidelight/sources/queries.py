"""Sources that are no files: datasets of Arrow, queries of DuckDB and polars, and frames that come one after the other.

A query is run again for each pass over its rows. What can be read only once is kept, in memory as long as it fits, and
else in a file without a name.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from itertools import chain
from mmap import ACCESS_READ, mmap
from typing import IO, TYPE_CHECKING, Any

from sidelight.errors import InputError
from sidelight.files.memory import memory_for
from sidelight.files.reading import first_line
from sidelight.graphs.names import check_names
from sidelight.sources import Source

if TYPE_CHECKING:
    import pyarrow as pa

Run = Callable[[list[str], int], Any]  # from columns and a number of rows to tables or batches


@dataclass(frozen=True)
class Query(Source):
    """Something that gives the same rows each time it is run."""

    run: Run

    def batches(self, chosen: Sequence[str], as_text: Collection[str], at_once: int) -> Iterator[pa.Table]:
        """The chosen columns, about so many rows at a time; a pass that is given up closes what it reads from."""
        parts: Any = self.run(list(chosen), at_once)
        with closing(parts) if hasattr(parts, "close") else nullcontext(parts):
            for part in parts:
                table = as_arrow(part, self.title)
                yield from (table.slice(start, at_once) for start in range(0, max(1, table.num_rows), at_once))


def as_arrow(part: Any, title: str) -> pa.Table:
    """A batch of any library as a table of Arrow."""
    import pyarrow as pa

    if isinstance(part, pa.RecordBatch):
        return pa.Table.from_batches([part])
    if isinstance(part, pa.Table):
        return part
    import narwhals.stable.v1 as nw

    try:
        frame = nw.from_native(part, eager_only=True)
        check_names(frame.columns)
    except TypeError as error:
        raise InputError(f"{title} must give data frames or Arrow batches; got a {type(part).__name__}") from error
    except nw.exceptions.DuplicateError as error:
        raise InputError(f"{title} gives two columns of the same name; every column needs a name of its own") from error
    try:
        return frame.to_arrow().select([str(name) for name in frame.columns])  # an index is no column
    except pa.ArrowException as error:
        raise InputError(f"a part of {title} cannot be read: {first_line(error)}") from error


def open_query(source: Any, memory: int | None) -> Query | None:
    """The source as a query, if it is one."""
    module, kind = type(source).__module__.split(".")[0], type(source).__name__
    if module == "pyarrow" and kind.endswith("Dataset"):
        return _of_dataset(source)
    if module == "polars" and kind == "LazyFrame":
        return _of_lazy_frame(source)
    if module in ("duckdb", "_duckdb") and kind == "DuckDBPyRelation":
        return _of_relation(source)
    if isinstance(source, Iterator) or kind == "RecordBatchReader":
        return _kept(source, memory_for(None) if memory is None else memory)
    return None


def _of_dataset(source: Any) -> Query:
    def run(chosen: list[str], at_once: int) -> Any:
        return source.to_batches(columns=chosen, batch_size=at_once)

    schema = source.schema
    return Query(
        "the dataset", tuple(schema.names), run, n_rows=source.count_rows(), categories=with_categories(schema)
    )


def _of_lazy_frame(source: Any) -> Query:
    def run(chosen: list[str], at_once: int) -> Any:
        part = source.select(chosen)
        if hasattr(part, "collect_batches"):
            return part.collect_batches(chunk_size=at_once, maintain_order=True)
        return [part.collect()]  # earlier versions of polars cannot give a part

    schema = source.collect_schema()
    categories = [name for name, kind in schema.items() if type(kind).__name__ in ("Categorical", "Enum")]
    return Query("the lazy frame", tuple(schema.names()), run, categories=frozenset(categories))


def _of_relation(source: Any) -> Query:
    def run(chosen: list[str], at_once: int) -> Any:
        part = source.project(", ".join('"' + name.replace('"', '""') + '"' for name in chosen))
        read = getattr(part, "to_arrow_reader", None) or part.fetch_arrow_reader  # the latter in earlier versions
        return read(at_once)

    return Query("the relation", tuple(source.columns), run)


def _kept(source: Iterable[Any], memory: int | None) -> Query:
    """What is read from the source now, to be read again from where it is kept."""
    title = "the iterator"
    parts = (as_arrow(part, title) for part in source)
    first = next(parts, None)
    if first is None:
        raise InputError(f"{title} gives no rows")
    schema, n_rows, n_bytes = _widest(first.schema), 0, 0
    tables: list[pa.Table] = []
    spool: _Spool | None = None
    for number, part in enumerate(chain((first,), parts), 1):
        table = _cast(part, schema, number)
        n_rows, n_bytes = n_rows + table.num_rows, n_bytes + table.nbytes
        tables.append(table)
        if memory is not None and n_bytes > memory // 4:
            spool = spool or _Spool(schema)
            spool.add(tables)
            tables, n_bytes = [], 0

    def run(chosen: list[str], at_once: int) -> Any:
        return [table.select(chosen) for table in tables]

    if spool is not None:
        spool.add(tables)
        spool.finish()
    how = run if spool is None else spool.read
    return Query(title, tuple(schema.names), how, n_rows=n_rows, categories=with_categories(first.schema))


def with_categories(schema: pa.Schema) -> frozenset[str]:
    """The columns that have categories by their type."""
    import pyarrow as pa

    return frozenset(field.name for field in schema if pa.types.is_dictionary(field.type))


def _widest(schema: pa.Schema) -> pa.Schema:
    """The types that later batches may have too: whole numbers may become fractions, and categories grow."""
    import pyarrow as pa

    def widest(kind: pa.DataType) -> pa.DataType:
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            return pa.float64()
        return pa.string() if pa.types.is_null(kind) or pa.types.is_dictionary(kind) else kind

    return pa.schema([(field.name, widest(field.type)) for field in schema])


def _cast(table: pa.Table, schema: pa.Schema, number: int) -> pa.Table:
    import pyarrow as pa

    try:
        chosen = table.select(schema.names)
        for field, wanted in zip(chosen.schema, schema, strict=True):
            moments = pa.types.is_temporal(field.type), pa.types.is_temporal(wanted.type)
            if moments[0] != moments[1] and not pa.types.is_null(field.type):  # Arrow would take numbers as dates
                raise pa.ArrowInvalid(f"column {field.name!r} has dates in one of them")
        return chosen.cast(schema)
    except (KeyError, pa.ArrowException) as error:
        raise InputError(f"batch {number} of the iterator does not fit the first: {first_line(error)}") from error


class _Spool:
    """Tables in a file without a name, written once and read often."""

    def __init__(self, schema: pa.Schema) -> None:
        import pyarrow as pa

        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - as long as there is a reader
        self._writer: Any = pa.ipc.new_stream(self._file, schema)

    def add(self, tables: Iterable[pa.Table]) -> None:
        for table in tables:
            self._writer.write_table(table)

    def finish(self) -> None:
        """All rows are written; closing the stream again would write its end into the middle of the file."""
        self._writer.close()
        self._file.flush()

    def read(self, chosen: list[str], at_once: int) -> Iterator[pa.Table]:
        """Every reader has a place of its own in the file: one that is given up leaves others where they are."""
        import pyarrow as pa

        written = pa.py_buffer(mmap(self._file.fileno(), 0, access=ACCESS_READ))
        for batch in pa.ipc.open_stream(written):
            yield pa.Table.from_batches([batch]).select(chosen)

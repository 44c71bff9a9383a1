"""Whatever a user hands in as a table becomes a source; its columns get their names, its rows are held in memory."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sidelight.errors import InputError
from sidelight.files.memory import check_size, most_memory
from sidelight.files.opening import user_path
from sidelight.graphs.names import check_names
from sidelight.sources.base import BYTES_OF_CELL, Source, rows_at_once
from sidelight.sources.cluster import OnCluster, open_dask
from sidelight.sources.dialect import DialectChoice
from sidelight.sources.files import ACCEPTED, AS_FOUND, Folder, OneFile, open_file, open_folder
from sidelight.sources.memory import InMemory, labels_of, open_array, open_frame
from sidelight.sources.queries import Query, open_query
from sidelight.tables.reading import joined, tables_in
from sidelight.tables.table import Table, as_list, chosen_columns
from sidelight.tables.treatment import Marks, numbers_read, without_marks
from sidelight.text.message import Message, Option

TABLE = f"a path ({ACCEPTED}), a pandas, polars or pyarrow table, batches of one, or a NumPy array"
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
    if isinstance(source, OneFile | Folder | Query | OnCluster | InMemory):
        return source
    if isinstance(source, np.ndarray | list | tuple):
        opened: Source = open_array(source, names)
    elif names is not None:
        raise InputError(Message(Option("names"), " is for arrays; a file or data frame has names of its own"))
    elif isinstance(source, str | Path):
        path = user_path(source)
        opened = (open_folder if os.path.isdir(path) else open_file)(path, columns, memory, asked)
    else:
        opened = open_dask(source) or open_query(source, memory) or _open_frame(source)
    if (asked.delimiter, asked.header) != (None, None) and not isinstance(opened, OneFile | Folder):
        raise InputError(
            Message(Option("delimiter"), ", ", Option("decimal"), " and ", Option("header"), " are for files")
        )
    return opened


def _open_frame(source: Any) -> InMemory:
    _check_duplicates(labels_of(source))
    if type(source).__module__.startswith("pyarrow") and type(source).__name__ == "RecordBatch":
        import pyarrow as pa

        source = pa.Table.from_batches([source])
    return open_frame(source, TABLE)


def names_in(source: Source, columns: Wanted, drop: Wanted) -> dict[Any, Hashable]:
    """The columns to use: their names in the source, and what they are called.

    The names in a file are strings: a number in ``columns`` also means the column whose name is that number written
    out, and is then its name.
    """
    if not source.names:
        raise InputError(f"{source.title} has no columns")
    _check_duplicates(source.names)
    names = check_names(source.names)
    columns = None if columns is None else as_list(columns)
    known = set(names)
    given = {str(name): name for name in columns or () if isinstance(name, Hashable) and name not in known}
    called = tuple(given.get(str(name), name) for name in names) if given else names
    if columns is None and drop is None:
        return dict(zip(names, called, strict=True))
    chosen = set(chosen_columns(called, columns, drop))
    return {name: new for name, new in zip(names, called, strict=True) if new in chosen}


def _check_duplicates(names: Iterable[Hashable]) -> None:
    repeated = [name for name, count in Counter(map(str, names)).items() if count > 1]
    if repeated:
        raise InputError(f"two columns are named {repeated[0]!r}; every column needs a name of its own")


def read_table(
    source: object,
    names: Sequence[Hashable] | None = None,
    columns: Wanted = None,
    drop: Wanted = None,
    memory: int | None = None,
) -> Table:
    """All rows of a source, with strings that are numbers as numbers."""
    opened = open_source(source, names, columns or (), memory)
    table, categories = hold(opened, names_in(opened, columns, drop), memory)
    return numbers_read(table, categories, opened.decimal)


def hold(
    source: Source, names: Mapping[Any, Hashable], memory: int | None = None, marks: Marks | None = None
) -> tuple[Table, frozenset[Hashable]]:
    """All rows in memory, without values that are marks, and the columns that have categories by their type.

    Raises as soon as they take more than so many bytes, by default all that can be used.
    """
    return _held(source, names, most_memory() if memory is None else memory, marks or {}, frozenset())


def _held(
    source: Source, names: Mapping[Any, Hashable], limit: int | None, marks: Marks, as_text: Collection[str]
) -> tuple[Table, frozenset[Hashable]]:
    categories: set[Hashable] = set()
    tables = tables_in(_within(limit, source, list(names), as_text), names, categories)
    tables = (without_marks(table, marks) for table in tables) if marks else tables
    table, disagreeing = joined(tables, list(names.values()), lambda: source.most_rows(len(names)))
    if not disagreeing:
        return table, frozenset(categories)
    return _held(source, names, limit, marks, written_as_text(names, disagreeing, as_text))


def _within(limit: int | None, source: Source, chosen: Sequence[Any], as_text: Collection[str]) -> Iterator[Any]:
    """All batches; refused as soon as they take more memory than they may. What is in memory already is there."""
    batches = source.batches(chosen, as_text, rows_at_once(len(chosen), limit))
    if isinstance(source, InMemory):
        return batches
    check_size(source.title, BYTES_OF_CELL * (source.count_rows() or 0) * len(chosen), limit)
    return _checked(batches, source.title, len(chosen), limit)


def _checked(batches: Iterator[Any], title: str, n_columns: int, limit: int | None) -> Iterator[Any]:
    n_rows = 0
    for batch in batches:
        n_rows += batch.num_rows
        check_size(title, BYTES_OF_CELL * n_rows * n_columns, limit)
        yield batch


def written_as_text(
    names: Mapping[Any, Hashable], disagreeing: Collection[Hashable], as_text: Collection[str]
) -> frozenset[str]:
    """The columns to read as strings, with those that are numbers or dates in one part and strings in another."""
    written = {text for text, name in names.items() if name in disagreeing}
    if written <= set(as_text):  # their types say so; they cannot be read otherwise
        raise InputError(f"column {min(written)!r} has numbers in one part of the table and texts in another")
    return frozenset({*as_text, *written})


# Data with the variables of a network.


def column_names(source: object, variables: Iterable[Hashable]) -> Iterable[Hashable]:
    """The column names of a file or a data frame, these variables among them; none for an array."""
    return open_source(source, columns=variables).names if isinstance(source, str | Path) else labels_of(source)


def array_names(
    source: object, names: Sequence[Hashable] | None, variables: Sequence[Hashable]
) -> Sequence[Hashable] | None:
    """The names of an array's columns: those given, or the variables in their order; None for other tables."""
    if names is not None or not isinstance(source, np.ndarray | list | tuple) or _n_columns(source) is None:
        return names
    if _n_columns(source) != len(variables):
        shapes = f"the array has {_n_columns(source)} columns, the network {len(variables)} variables; "
        raise InputError(Message(shapes, "name the columns of the array with ", Option("names")))
    return variables


def _n_columns(source: object) -> int | None:
    """The number of columns of an array of rows by columns; None for anything else."""
    try:
        shape = np.asarray(source).shape
    except ValueError:  # rows that differ in length
        return None
    return shape[1] if len(shape) == 2 else None

"""Whatever a user hands in as a table becomes a source; its columns get their names, its rows are held in memory."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sidelight.errors import InputError
from sidelight.files.opening import user_path
from sidelight.graphs.names import check_names
from sidelight.sources.base import Source
from sidelight.sources.cluster import OnCluster, open_dask
from sidelight.sources.dialect import DialectChoice
from sidelight.sources.files import ACCEPTED, AS_FOUND, Folder, OneFile, open_file, open_folder
from sidelight.sources.memory import InMemory, labels_of, open_array, open_frame
from sidelight.sources.queries import Query, open_query
from sidelight.tables.table import as_list, chosen_columns
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
        raise InputError(Message(Option("delimiter"), " and ", Option("header"), " are for files; this table is none"))
    return opened


def _open_frame(source: Any) -> InMemory:
    if labels := list(labels_of(source)):
        _check_names("the data frame", labels)
    if type(source).__module__.startswith("pyarrow") and type(source).__name__ == "RecordBatch":
        import pyarrow as pa

        source = pa.Table.from_batches([source])
    return open_frame(source, TABLE)


def names_in(source: Source, columns: Wanted, drop: Wanted) -> dict[Any, Hashable]:
    """The columns to use: their names in the source, and what they are called.

    The names in a file are strings: a number in ``columns`` also means the column whose name is that number written
    out, and is then its name.
    """
    names = source.names if isinstance(source, OneFile | Folder) else check_names(source.names)
    _check_names(source.title, names)
    columns = None if columns is None else as_list(columns)
    known = set(names)
    given = {str(name): name for name in columns or () if isinstance(name, Hashable) and name not in known}
    called = tuple(given.get(str(name), name) for name in names) if given else names
    if columns is None and drop is None:
        return dict(zip(names, called, strict=True))
    chosen = set(chosen_columns(called, columns, drop))
    return {name: new for name, new in zip(names, called, strict=True) if new in chosen}


def _check_names(title: str, names: Iterable[Hashable]) -> None:
    counts = Counter(map(str, names))
    if not counts:
        raise InputError(f"{title} has no columns")
    if "" in counts:
        raise InputError(f"{title} has a column without a name; every column needs one")
    repeated = [name for name, count in counts.items() if count > 1]
    if repeated:
        raise InputError(f"two columns are named {repeated[0]!r}; every column needs a name of its own")

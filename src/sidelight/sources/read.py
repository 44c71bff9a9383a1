"""Reading tables: files, data frames of any library, arrays."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.files.memory import check_size, most_memory
from sidelight.files.opening import named_errors, user_path
from sidelight.graphs.names import check_names
from sidelight.sources.base import BYTES_OF_CELL, Batches, Folder, OneFile, rows_at_once
from sidelight.sources.cluster import OnCluster
from sidelight.sources.opening import open_batches
from sidelight.sources.queries import Query
from sidelight.sources.table_files import ACCEPTED, TableFile, open_table
from sidelight.tables.cells import cells_of, float_type
from sidelight.tables.joining import joined
from sidelight.tables.number_strings import numbers_in_texts
from sidelight.tables.strings import Texts
from sidelight.tables.table import KINDS_BY_DTYPE, Kind, Table, as_list, chosen_columns
from sidelight.text.message import Message, Option, OptionName

Column = NDArray[Any] | Texts


def read_table(
    source: object,
    names: Sequence[Hashable] | None = None,
    columns: Iterable[Hashable] | None = None,
    drop: Iterable[Hashable] | None = None,
    memory: int | None = None,
) -> Table:
    """Read a path, a data frame that narwhals supports, batches, or an array (with ``names`` for its columns).

    A table that takes more than so many bytes of memory, by default all that can be used, is refused. The column
    names of a file are texts: a number in ``columns`` also means the column whose name is that number written out, and
    is then its name in the table.
    """
    columns = None if columns is None else as_list(columns)
    if isinstance(source, str | Path) and not os.path.isdir(source):
        _refuse_names(names)
        return _from_file(user_path(source), columns, drop, memory)
    is_open = isinstance(source, OneFile | Folder | Query | OnCluster)
    batches: Any = source if is_open else open_batches(source, columns or (), memory)
    if batches is not None:
        _refuse_names(names)
        return _from_batches(batches, columns, drop, memory)
    if isinstance(source, np.ma.MaskedArray):
        return _from_array(np.ma.filled(source.astype(np.float64), np.nan), names, columns, drop)
    if isinstance(source, np.ndarray | list | tuple):
        try:
            array = np.asarray(source)
        except ValueError as error:
            raise InputError("the rows must all have the same length") from error
        return _from_array(array, names, columns, drop)
    return _from_frame(source, names, columns, drop)


def _from_array(
    array: NDArray[Any],
    names: Sequence[Hashable] | None,
    columns: Iterable[Hashable] | None,
    drop: Iterable[Hashable] | None,
) -> Table:
    if array.ndim != 2:
        raise InputError(f"an array must have two axes, rows by columns; got one of shape {array.shape}")
    if not array.shape[1]:
        raise InputError("the table has no columns")
    all_names = check_names(range(array.shape[1]) if names is None else names)
    if len(all_names) != array.shape[1]:
        count = f": the array has {array.shape[1]} columns, but {len(all_names)} names were given"
        raise InputError(Message(OptionName("names"), count))
    chosen = list(all_names) if columns is None and drop is None else chosen_columns(all_names, columns, drop)
    if len(chosen) < len(all_names):
        position = {name: i for i, name in enumerate(all_names)}
        array = array[:, [position[name] for name in chosen]]
    if array.dtype.kind in "biuf":
        return Table.of_array(tuple(chosen), array)
    return _assemble(chosen, [array[:, i] for i in range(array.shape[1])], array.shape[0])


def _from_file(
    path: Path, columns: Iterable[Hashable] | None, drop: Iterable[Hashable] | None, memory: int | None
) -> Table:
    with named_errors(path):
        file = open_table(path, columns or (), memory)
        names = names_in(file, columns, drop)
        table = _read_parts(file.parts, lambda: file.n_rows(len(names)), file.decimal, names)
    check_size(repr(str(path)), BYTES_OF_CELL * table.n_rows * len(names), memory)
    return table


def _from_batches(
    batches: Batches, columns: Iterable[Hashable] | None, drop: Iterable[Hashable] | None, memory: int | None
) -> Table:
    names = names_in(batches, columns, drop)
    return _read_parts(partial(_in_memory, batches, memory), batches.count_rows, batches.decimal, names)


def names_in(
    source: Batches | TableFile, columns: Iterable[Hashable] | None, drop: Iterable[Hashable] | None
) -> dict[str, Hashable]:
    """The columns to use: their names in the source, and what they are called."""
    _check_duplicates(source.names)
    all_names = _as_given(check_names(source.names), columns)
    chosen = chosen_columns(all_names, columns, drop)
    written = [text for text, name in zip(source.names, all_names, strict=True) if name in set(chosen)]
    return dict(zip(written, chosen, strict=True))


def _in_memory(batches: Batches, memory: int | None, chosen: Sequence[str], as_text: Collection[str]) -> Iterator[Any]:
    """All batches; refused as soon as they take more memory than they may."""
    n_rows, limit = batches.count_rows() or 0, most_memory() if memory is None else memory
    check_size(batches.title, BYTES_OF_CELL * n_rows * len(chosen), limit)
    n_rows = 0
    for batch in batches.batches(chosen, as_text, rows_at_once(len(chosen), limit)):
        n_rows += batch.num_rows
        check_size(batches.title, BYTES_OF_CELL * n_rows * len(chosen), limit)
        yield batch


def _read_parts(
    parts: Callable[[Sequence[str], Collection[str]], Iterator[Any]],
    count_rows: Callable[[], int | None],
    decimal: str,
    names: Mapping[str, Hashable],
    as_text: Collection[str] = (),
) -> Table:
    """The columns that are keys, under their names, some as texts; texts that begin in a later part are read again."""
    categories: set[Hashable] = set()
    tables = tables_in(parts(list(names), as_text), names, categories)
    table, second = next(tables), next(tables, None)
    if second is not None:
        rest: Iterator[Table] = chain((table, second), tables)
        n_rows = count_rows()
        if n_rows is None:
            rest = iter(known := list(rest))
            n_rows = sum(part.n_rows for part in known)
        table, mixed = joined(rest, list(names.values()), n_rows)
        if mixed:
            return _read_parts(parts, count_rows, decimal, names, written_as_text(names, mixed, as_text))
    return with_numbers(table, categories, known_decimal(decimal, table))


def written_as_text(names: Mapping[str, Hashable], mixed: Collection[Hashable], as_text: Collection[str]) -> set[str]:
    """The columns to read as texts, with those that are numbers in one part and texts in another."""
    texts = {text for text, name in names.items() if name in mixed}
    if texts <= set(as_text):  # their types say so; they cannot be read otherwise
        raise InputError(f"column {min(texts)!r} has numbers in one part of the table and texts in another")
    return {*as_text, *texts}


def tables_in(frames: Iterable[Any], names: Mapping[str, Hashable], categories: set[Hashable]) -> Iterator[Table]:
    """Batches of rows, or of columns, as tables; columns that have categories by their type are added to those."""
    import narwhals.stable.v1 as nw

    for frame in frames:
        series = list(nw.from_native(frame, eager_only=True).iter_columns())
        yield _of_series([names[column.name] for column in series], series, categories)


def known_decimal(decimal: str, table: Table) -> str:
    """The decimal mark that is known from numbers of a file; a point is seen only where there is a fraction."""
    return decimal if decimal != "." or "float" in table.kinds.values() else ""


def _from_frame(
    source: object,
    names: Sequence[Hashable] | None,
    columns: Iterable[Hashable] | None,
    drop: Iterable[Hashable] | None,
) -> Table:
    import narwhals.stable.v1 as nw

    _refuse_names(names)
    _check_duplicates(labels_of(source))
    try:
        frame: nw.DataFrame[Any] = nw.from_native(source, eager_only=True)
    except TypeError as error:
        raise InputError(
            f"a table must be a path ({ACCEPTED}), a pandas, polars or pyarrow table, batches of one, or a "
            f"NumPy array; got a {type(source).__name__}"
        ) from error
    all_names = _as_given(check_names(frame.columns), columns)
    chosen = chosen_columns(all_names, columns, drop)
    kept, categories = set(chosen), set[Hashable]()
    series = [column for name, column in zip(all_names, frame.iter_columns(), strict=True) if name in kept]
    of_one_type = any(all(column.dtype == kind for column in series) for kind in (nw.Float64, nw.Float32))
    if len(chosen) == len(all_names) and of_one_type:
        values = frame.to_numpy()  # without a copy where the library allows
        if values.dtype.kind == "f":  # pandas has objects for columns of Arrow
            return Table.of_array(tuple(chosen), values)
    return with_numbers(_of_series(chosen, series, categories), categories)


def _refuse_names(names: object) -> None:
    if names is not None:
        raise InputError(Message(Option("names"), " is for arrays; a file or data frame has names of its own"))


def _of_series(names: list[Hashable], series: list[Any], categories: set[Hashable]) -> Table:
    """The table of some columns of a frame; the names of those with categories are added to ``categories``."""
    arrays = [cells_of(name, column) for name, column in zip(names, series, strict=True)]
    kinds = [_frame_kind(column, array) for column, array in zip(series, arrays, strict=True)]
    typed = zip(names, series, strict=True)
    categories.update(name for name, column in typed if type(column.dtype).__name__ in ("Categorical", "Enum"))
    orders = {name: _order(column) for name, column in zip(names, series, strict=True)}
    table = _assemble(names, arrays, len(series[0]), kinds)
    return replace(table, orders={name: order for name, order in orders.items() if order})


def _order(column: Any) -> tuple[object, ...]:
    """The categories of a column whose type says that they are ordered; empty for others."""
    import narwhals.stable.v1 as nw

    if column.dtype not in (nw.Categorical, nw.Enum):
        return ()
    native = column.to_native()
    kind = getattr(native, "dtype", None) or getattr(native, "type", None)  # pandas and polars have the former
    if column.dtype != nw.Enum and not getattr(kind, "ordered", False):
        return ()
    categories = getattr(kind, "categories", None)  # the types of pandas and polars have them, Arrow's has not
    return tuple((column.cat.get_categories() if categories is None else categories).to_list())


def with_numbers(table: Table, categories: Collection[Hashable], decimal: str = "") -> Table:
    """The table with texts that are numbers as numbers, other than categories."""
    texts = {n: column for n, column in table.texts.items() if table.kinds[n] == "text" and n not in categories}
    found = numbers_in_texts(texts, decimal) if texts else {}
    if not found:
        return table
    arrays = [found[name] if name in found else table.cells(name) for name in table.all_names]
    kinds: dict[Hashable, Kind] = {n: "integer" if _all_whole(column) else "float" for n, column in found.items()}
    known = [kinds.get(name, kind) for name, kind in table.kinds.items()]
    return replace(_assemble(list(table.all_names), arrays, table.n_rows, known), orders=table.orders)


def _as_given(names: tuple[Hashable, ...], columns: Iterable[Hashable] | None) -> tuple[Hashable, ...]:
    """The names of a table's columns, those in ``columns`` as they are written there."""
    given = {str(name): name for name in columns or () if isinstance(name, Hashable) and name not in names}
    return tuple(given.get(str(name), name) for name in names)


def _check_duplicates(names: Iterable[Hashable]) -> None:
    repeated = [name for name, count in Counter(map(str, names)).items() if count > 1]
    if repeated:
        raise InputError(f"two columns are named {repeated[0]!r}; every column needs a name of its own")


def labels_of(frame: object) -> Iterable[Hashable]:
    """The names of a frame's columns, without reading the columns."""
    labels = getattr(frame, "column_names", None)
    labels = getattr(frame, "columns", None) if labels is None else labels
    return () if isinstance(labels, str) or not isinstance(labels, Iterable) else labels


def _frame_kind(column: Any, array: NDArray[Any] | Texts) -> Kind | None:
    """The kind of a column by its type in the data frame; None if it depends on the values."""
    import narwhals.stable.v1 as nw

    if isinstance(array, Texts) or column.dtype in (nw.Categorical, nw.Enum):
        return "text"
    if column.dtype == nw.Boolean:
        return "boolean"
    if column.dtype.is_integer() or (array.dtype.kind == "f" and column.null_count() and _all_whole(array)):
        return "integer"
    return None


def _all_whole(array: NDArray[Any]) -> bool:
    """True for integers that became floats because some are missing."""
    present = array[np.isfinite(array)]
    return bool((present == np.floor(present)).all())


def _assemble(
    names: list[Hashable], columns: Sequence[Column], n_rows: int, known: Sequence[Kind | None] | None = None
) -> Table:
    """Numbers into one array, in the order of the columns; everything else by name."""
    known = known or [None] * len(names)
    numbers: dict[Hashable, NDArray[np.float64]] = {}
    texts: dict[Hashable, Texts] = {}
    for name, column, kind in zip(names, columns, known, strict=True):
        try:
            as_numbers = None if kind == "text" or isinstance(column, Texts) else _as_numbers(column)
        except OverflowError as error:
            raise InputError(f"column {str(name)!r} has a number that is too large, of more than 308 digits") from error
        if as_numbers is None:
            texts[name] = _texts(column)
        else:
            numbers[name] = as_numbers
    values = np.empty((n_rows, len(numbers)), float_type(numbers.values()), order="F")
    for i, column in enumerate(numbers.values()):
        values[:, i] = column
    kinds = {
        name: kind or _kind(column, name in texts) for name, column, kind in zip(names, columns, known, strict=True)
    }
    return Table(tuple(numbers), values, texts, kinds)


def _texts(column: Column) -> Texts:
    if isinstance(column, Texts):
        return column
    return Texts.of(None if _is_missing(value) else value for value in _objects(column))


def _objects(column: NDArray[Any]) -> list[Any]:
    """The values as Python has them; dates and durations as such, not as whole numbers of nanoseconds."""
    finest = {"M": "datetime64[us]", "m": "timedelta64[us]"}.get(column.dtype.kind)
    values: list[Any] = (column if finest is None else column.astype(finest)).tolist()
    return values


def _kind(column: Column, is_text: bool) -> Kind:
    if isinstance(column, Texts):
        return "text"
    if column.dtype.kind == "O" and not is_text:
        present = [value for value in column.tolist() if not _is_missing(value)]
        if present and all(isinstance(value, bool | np.bool_) for value in present):
            return "boolean"
        return "integer" if all(float(value).is_integer() for value in present) else "float"
    return KINDS_BY_DTYPE.get(column.dtype.kind, "text")


def _as_numbers(column: NDArray[Any]) -> NDArray[Any] | None:
    if column.dtype.kind in "biuf":
        return column
    if column.dtype.kind != "O":
        return None
    filled = [np.nan if _is_missing(value) else value for value in column.tolist()]
    if not all(isinstance(value, int | float | np.number) or hasattr(value, "__float__") for value in filled):
        return None
    try:
        return np.array(filled, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def _is_missing(value: object) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)

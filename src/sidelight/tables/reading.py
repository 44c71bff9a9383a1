"""From a batch of any data frame library to a table: the cells of each column, checked.

Numbers become one array, everything else is kept by its different values. A cell that holds several values is refused
by name, and so is a column whose type has no meaning here.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, time, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.tables.strings import Texts
from sidelight.tables.table import KINDS_BY_DTYPE, Kind, Table, all_whole
from sidelight.text.message import Message, Option

Column = NDArray[Any] | Texts
Float = type[np.floating[Any]]
SEVERAL = {
    "List": "lists",
    "Array": "lists",
    "Struct": "records",
    "Binary": "bytes",
}
CONTAINERS: dict[type, str] = {
    list: "a list",
    tuple: "a tuple",
    dict: "a record",
    set: "a set",
    frozenset: "a set",
    np.ndarray: "an array",
    bytes: "bytes",
    complex: "a complex number",
}
ACCEPTED = "; a cell must be one number, string, boolean or date. Leave the column out with "
DATES = (date, time, timedelta)  # a datetime is a date, too


def tables_in(batches: Iterable[Any], names: Mapping[Any, Hashable], categories: set[Hashable]) -> Iterator[Table]:
    """Batches as tables, under these names; columns that have categories by their type are added to ``categories``."""
    import narwhals.stable.v1 as nw

    for batch in batches:
        if isinstance(batch, Table):
            yield batch.renamed(names)
        else:
            frame = nw.from_native(batch, eager_only=True)
            series = list(frame.iter_columns())
            yield _of_frame(frame, [names[column.name] for column in series], series, categories)


def of_arrays(names: Sequence[Hashable], columns: Sequence[NDArray[Any]]) -> Table:
    """A table of columns of any values."""
    for name, column in zip(names, columns, strict=True):
        _check_cells(name, column)
    return assemble(names, columns, len(columns[0]))


def _of_frame(frame: Any, names: list[Hashable], series: list[Any], categories: set[Hashable]) -> Table:
    import narwhals.stable.v1 as nw

    of_one_type = any(all(column.dtype == kind for column in series) for kind in (nw.Float64, nw.Float32))
    if of_one_type and not frame.implementation.is_pyarrow():  # whose columns are copied in any case, best one by one
        values = frame.to_numpy()  # without a copy where the library allows
        if values.dtype.kind == "f":  # pandas has objects for columns of Arrow
            return Table.of_array(tuple(names), values)
    arrays = [_cells(name, column) for name, column in zip(names, series, strict=True)]
    kinds = [_frame_kind(column, array) for column, array in zip(series, arrays, strict=True)]
    orders = {}
    for name, column in zip(names, series, strict=True):
        if column.dtype in (nw.Categorical, nw.Enum):
            categories.add(name)
            if order := _order(column):
                orders[name] = order
    return replace(assemble(names, arrays, len(series[0]), kinds), orders=orders)


# The cells of one column.


def _cells(name: Hashable, column: Any) -> Column:
    """The cells of a column of any data frame; strings of Arrow, which has equal ones once, are not unpacked."""
    kind = type(column.dtype).__name__
    if kind in SEVERAL:
        raise _refused(name, f"holds {SEVERAL[kind]}")
    if kind == "Unknown" and _is_of_no_known_type(column.to_native()):
        raise _refused(name, "holds objects of no known type")
    if kind in ("Int128", "UInt128"):  # NumPy has no such numbers
        return np.array([np.nan if value is None else value for value in column.to_list()], dtype=np.float64)
    if kind in ("String", "Categorical", "Enum") and _is_of_arrow(column.to_native()):
        return Texts.of_arrow(column.to_native())
    array: NDArray[Any] = column.to_numpy()
    _check_cells(name, array)
    return array


def _is_of_no_known_type(native: Any) -> bool:
    """True for unions, and for objects of others that Arrow has as bytes; other columns show what they hold."""
    if not type(native).__module__.startswith("pyarrow"):
        return False
    import pyarrow as pa

    kind = native.type
    return bool(pa.types.is_union(kind) or pa.types.is_fixed_size_binary(kind) or isinstance(kind, pa.ExtensionType))


def _is_of_arrow(native: Any) -> bool:
    """True for strings, or categories that are strings, in an array of Arrow."""
    if not type(native).__module__.startswith("pyarrow"):
        return False
    import pyarrow as pa

    kind = native.type.value_type if pa.types.is_dictionary(native.type) else native.type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _check_cells(name: Hashable, array: NDArray[Any]) -> None:
    if array.dtype.kind == "c":
        raise _refused(name, "holds complex numbers")
    if array.dtype.kind == "V":
        raise _refused(name, "holds records")
    if array.dtype.kind == "O":
        for row, value in enumerate(array.tolist(), 1):
            for kind, words in CONTAINERS.items():
                if isinstance(value, kind):
                    raise _refused(name, f"holds {words} in row {row}")


def _refused(name: Hashable, why: str) -> InputError:
    return InputError(Message(f"column {str(name)!r} {why}", ACCEPTED, Option("drop", [name])))


def _frame_kind(column: Any, array: Column) -> Kind | None:
    """The kind of a column by its type in the data frame; None if it depends on the values."""
    import narwhals.stable.v1 as nw

    if isinstance(array, Texts) or column.dtype in (nw.Categorical, nw.Enum):
        return "text"
    if column.dtype == nw.Boolean:
        return "boolean"
    if column.dtype.is_integer() or (array.dtype.kind == "f" and column.null_count() and all_whole(array)):
        return "integer"  # which are floats where some are missing
    return None


def _order(column: Any) -> tuple[object, ...]:
    """The categories of a column whose type says that they are ordered; empty for others."""
    import narwhals.stable.v1 as nw

    native = column.to_native()
    kind = getattr(native, "dtype", None) or getattr(native, "type", None)  # pandas and polars have the former
    if column.dtype != nw.Enum and not getattr(kind, "ordered", False):
        return ()
    categories = getattr(kind, "categories", None)  # the types of pandas and polars have them, Arrow's has not
    return tuple((column.cat.get_categories() if categories is None else categories).to_list())


# Columns into a table.


def assemble(
    names: Sequence[Hashable], columns: Sequence[Column], n_rows: int, known: Sequence[Kind | None] | None = None
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
    typed = zip(names, columns, known, strict=True)
    kinds = {name: kind or _kind(column, name in texts) for name, column, kind in typed}
    return Table(tuple(numbers), values, texts, kinds)


def float_type(columns: Iterable[NDArray[Any]]) -> Float:
    """The type of a table of these numbers: float32 takes half the memory, if all of them are that."""
    types = {column.dtype for column in columns}
    return np.float32 if types == {np.dtype(np.float32)} else np.float64


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
    if column.dtype.kind != "O":
        return KINDS_BY_DTYPE.get(column.dtype.kind, "text")
    present = [value for value in column.tolist() if not _is_missing(value)]
    if is_text:
        return "date" if present and all(isinstance(value, DATES) for value in present) else "text"
    if present and all(isinstance(value, bool | np.bool_) for value in present):
        return "boolean"
    return "integer" if all(float(value).is_integer() for value in present) else "float"


def _is_missing(value: object) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)

"""From batches of any data frame library to one table: the cells of each column, checked, and batches joined.

Numbers become one array, everything else is kept by its different values. A cell that holds several values is refused
by name, and so is a column whose type has no meaning here. Batches need not agree in what a column is, and strings may
be numbers in one of two notations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, time, timedelta
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.tables.strings import Texts
from sidelight.tables.strings import joined as joined_texts
from sidelight.tables.table import KINDS_BY_DTYPE, Kind, Table, all_whole
from sidelight.text.message import Message, Option

Column = NDArray[Any] | Texts
Float = type[np.floating[Any]]
SEVERAL = {"List": "lists", "Array": "lists", "Struct": "records", "Binary": "bytes"}
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
Numbers = dict[str, dict[object, float]]  # by decimal mark and value
SAME = ""  # both marks
EXPONENT = r"(?:[eEdD][+-]?\d+)?"
GROUPED = r"[1-9]\d{{0,2}}([{group}])\d{{3}}(?:\1\d{{3}})*"  # one mark between all groups of a number
MINUS = "\u2212"  # as it is printed
PLAIN_WHOLE = r"(?:0|[1-9]\d*)"  # a code such as 007 is no number


def _notation(group: str, mark: str) -> re.Pattern[str]:
    grouped = rf"{GROUPED.format(group=group)}(?:[{mark}]\d*)?"  # never with an exponent: 1.234e5 has one reading
    return re.compile(rf"[+{MINUS}-]?(?:{grouped}|(?:{PLAIN_WHOLE}(?:[{mark}]\d*)?|[{mark}]\d+){EXPONENT})")


BLANKS = " '’\u00a0\u2009\u202f"  # between groups of three digits, in any notation
NOTATIONS = {".": _notation(f",{BLANKS}", "."), ",": _notation(f".{BLANKS}", ",")}  # by decimal mark


def tables_in(batches: Iterable[Any], names: Mapping[Any, Hashable], categories: set[Hashable]) -> Iterator[Table]:
    """Batches as tables, under these names; columns that have categories by their type are added to ``categories``."""
    import narwhals.stable.v1 as nw

    for batch in batches:
        if isinstance(batch, Table):
            yield batch.renamed(names)
        else:
            frame = nw.from_native(batch, eager_only=True)
            columns = {names[column.name]: column for column in frame.iter_columns()}
            yield _of_frame(frame, columns, categories)


def of_arrays(names: Sequence[Hashable], columns: Sequence[NDArray[Any]]) -> Table:
    """A table of columns of any values."""
    for name, column in zip(names, columns, strict=True):
        _check_cells(name, column)
    return _assembled(dict(zip(names, columns, strict=True)), {}, len(columns[0]))


def _of_frame(frame: Any, columns: Mapping[Hashable, Any], categories: set[Hashable]) -> Table:
    import narwhals.stable.v1 as nw

    of_one_type = any(all(column.dtype == kind for column in columns.values()) for kind in (nw.Float64, nw.Float32))
    if of_one_type and not frame.implementation.is_pyarrow():  # whose columns are copied in any case, best one by one
        values = frame.to_numpy()  # without a copy where the library allows
        if values.dtype.kind == "f":  # pandas has objects for columns of Arrow
            return Table.of_array(tuple(columns), values)
    cells = {name: _cells(name, column) for name, column in columns.items()}
    known = {name: kind for name, column in columns.items() if (kind := _frame_kind(column, cells[name])) is not None}
    coded = {name: column for name, column in columns.items() if column.dtype in (nw.Categorical, nw.Enum)}
    categories.update(coded)
    orders = {name: order for name, column in coded.items() if (order := _order(column))}
    return replace(_assembled(cells, known, len(frame)), orders=orders)


# The cells of one column.


def _cells(name: Hashable, column: Any) -> Column:
    """The cells of a column of any data frame; strings of Arrow, which has equal ones once, are not unpacked."""
    kind, native = type(column.dtype).__name__, column.to_native()
    is_arrow = type(native).__module__.startswith("pyarrow")
    if kind in SEVERAL:
        raise _refused(name, f"holds {SEVERAL[kind]}")
    if kind == "Unknown" and is_arrow and _is_of_no_known_type(native.type):
        raise _refused(name, "holds objects of no known type")
    if kind in ("Int128", "UInt128"):  # NumPy has no such numbers
        return np.array([np.nan if value is None else value for value in column.to_list()], dtype=np.float64)
    if kind in ("String", "Categorical", "Enum") and is_arrow and _is_string(native.type):
        return Texts.of_arrow(native)
    array: NDArray[Any] = column.to_numpy()
    _check_cells(name, array)
    return array


def _is_of_no_known_type(kind: Any) -> bool:
    """True for unions, and for objects of others that Arrow has as bytes; other columns show what they hold."""
    import pyarrow as pa

    return bool(pa.types.is_union(kind) or pa.types.is_fixed_size_binary(kind) or isinstance(kind, pa.ExtensionType))


def _is_string(kind: Any) -> bool:
    """True for Arrow's strings, and its categories that are strings."""
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _check_cells(name: Hashable, array: NDArray[Any]) -> None:
    if array.dtype.kind in "cV":
        raise _refused(name, f"holds {'complex numbers' if array.dtype.kind == 'c' else 'records'}")
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


def _assembled(columns: Mapping[Hashable, Column], known: Mapping[Hashable, Kind], n_rows: int) -> Table:
    """Numbers into one array, in the order of the columns; everything else by name."""
    numbers: dict[Hashable, NDArray[np.float64]] = {}
    texts: dict[Hashable, Texts] = {}
    for name, column in columns.items():
        as_numbers = None if known.get(name) == "text" or isinstance(column, Texts) else _as_numbers(name, column)
        if as_numbers is None:
            texts[name] = column if isinstance(column, Texts) else Texts.of(_objects(column))
        else:
            numbers[name] = as_numbers
    values = np.empty((n_rows, len(numbers)), _float_type(numbers.values()), order="F")
    for i, column in enumerate(numbers.values()):
        values[:, i] = column
    kinds = {name: known.get(name) or _kind(column, name in texts) for name, column in columns.items()}
    return Table(tuple(numbers), values, texts, kinds)


def _float_type(columns: Iterable[NDArray[Any]]) -> Float:
    """The type of a table of these numbers: float32 takes half the memory, if all of them are that."""
    types = {column.dtype for column in columns}
    return np.float32 if types == {np.dtype(np.float32)} else np.float64


def _as_numbers(name: Hashable, column: NDArray[Any]) -> NDArray[Any] | None:
    if column.dtype.kind in "biuf":
        return column
    if column.dtype.kind != "O":
        return None
    filled = [np.nan if _is_missing(value) else value for value in column.tolist()]
    if not all(isinstance(value, int | float | np.number) or hasattr(value, "__float__") for value in filled):
        return None
    try:
        return np.array(filled, dtype=np.float64)
    except OverflowError as error:
        raise InputError(f"column {str(name)!r} has a number that is too large, of more than 308 digits") from error
    except (TypeError, ValueError):
        return None


def _objects(column: NDArray[Any]) -> Iterator[Any]:
    """The values as Python has them, None if missing; dates and durations as such, not as numbers of nanoseconds."""
    finest = {"M": "datetime64[us]", "m": "timedelta64[us]"}.get(column.dtype.kind)
    values = (column if finest is None else column.astype(finest)).tolist()
    return (None if _is_missing(value) else value for value in values)


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


# Numbers in strings: ``1,5``, ``1,500.25``, ``1.500,25``, ``1 500``, ``1.5D+02``.


def possible_marks(strings: Sequence[str]) -> frozenset[str]:
    """The decimal marks with which all strings are numbers; none where there are no such, or none is needed."""
    return frozenset(numbers_by_mark(strings)) - {SAME}


def number_of(mark: str, text: object) -> float:
    """The number that a string is with this decimal mark; a ``ValueError`` if it is none."""
    if not isinstance(text, str) or not NOTATIONS[mark].fullmatch(text.strip()):
        raise ValueError(text)
    digits = re.sub(f"[{other_mark(mark)}{BLANKS}]", "", text.strip()).replace(mark, ".").replace(MINUS, "-")
    return float(digits.lower().replace("d", "e"))


def numbers_by_mark(different: Sequence[object]) -> Numbers:
    """The numbers that different values are, by decimal mark; under ``SAME`` if the mark makes no difference."""
    found = by_mark(different)
    return {SAME: found["."]} if len(found) == 2 and found["."] == found[","] else found


def by_mark(different: Sequence[object]) -> Numbers:
    """The same, whether the mark makes a difference or not."""
    found: Numbers = {}
    for mark in NOTATIONS if different else ():
        with suppress(ValueError):
            found[mark] = {text: number_of(mark, text) for text in different}
    return found


def other_mark(mark: str) -> str:
    """The comma for the point, and the point for the comma."""
    return "." if mark == "," else ","


# One table from several batches of rows.


def joined(
    batches: Iterator[Table], names: Sequence[Hashable], count_rows: Callable[[], int | None]
) -> tuple[Table, frozenset[Hashable]]:
    """The rows of all batches, and the columns whose batches do not agree: numbers or dates in one, strings in another.

    One batch is the table. Several are written into one array as they come, so that no second one is in memory;
    ``count_rows`` gives their number or a little more, where that is known.
    """
    first, second = next(batches), next(batches, None)
    if second is None:
        return first, frozenset()
    rest: Iterable[Table] = chain((first, second), batches)
    n_rows = count_rows()
    if n_rows is None:
        rest = list(rest)
        n_rows = sum(part.n_rows for part in rest)
    growing = _Growing(n_rows, len(names))
    for part in rest:
        growing.add(part)
    return growing.table(names), growing.disagreeing


class _Growing:
    """A table in the making: its numbers in one array, which is larger than needed at first, and its strings."""

    def __init__(self, n_rows: int, n_columns: int) -> None:
        # Pages that are never written take no memory.
        self.values: NDArray[Any] = np.empty((n_rows, n_columns), np.float32, order="F")
        self.slots: dict[Hashable, int] = {}
        self.lengths: dict[Hashable, int] = {}
        self.texts: dict[Hashable, list[Texts]] = {}
        self.kinds: dict[Hashable, set[Kind]] = {}
        self.orders: dict[Hashable, tuple[object, ...]] = {}

    def add(self, part: Table) -> None:
        """Append the columns of a part to those that were there before; one without values says nothing of its kind."""
        if self.values.dtype == np.float32 and _float_type([part.values]) == np.float64:
            before, n_rows = self.values, max(self.lengths.values(), default=0)
            self.values = np.empty(before.shape, np.float64, order="F")
            self.values[:n_rows] = before[:n_rows]
        for name, column in zip(part.names, part.values.T, strict=True):
            if name in self.texts and np.isnan(column).all():
                self.texts[name].append(Texts.missing_only(len(column)))
            else:
                self._append(name, column)
                self.kinds.setdefault(name, set()).add(part.kinds[name])
        for name, texts in part.texts.items():
            if name in self.lengths and texts.is_empty:
                self._append(name, np.full(len(texts), np.nan))
                continue
            if name in self.lengths and np.isnan(self.values[: self.lengths[name], self.slots[name]]).all():
                self.texts[name] = [Texts.missing_only(self.lengths.pop(name))]
                self.kinds.pop(name)
            self.texts.setdefault(name, []).append(texts)
            if not texts.is_empty:
                self.kinds.setdefault(name, set()).add(part.kinds[name])
        for name, order in part.orders.items():  # a part may have the categories of its own rows alone
            known = self.orders.get(name, ())
            self.orders[name] = order if set(order) >= set(known) else tuple(dict.fromkeys((*known, *order)))

    def _append(self, name: Hashable, column: NDArray[Any]) -> None:
        start = self.lengths.get(name, 0)
        self.values[start : start + len(column), self.slots.setdefault(name, len(self.slots))] = column
        self.lengths[name] = start + len(column)

    @property
    def disagreeing(self) -> frozenset[Hashable]:
        """Columns that must be read again as strings."""
        dates = {name for name, kinds in self.kinds.items() if kinds > {"date"}}
        return frozenset(dates | (self.lengths.keys() & self.texts.keys()))

    def table(self, names: Sequence[Hashable]) -> Table:
        """What has been added, the columns in this order."""
        numbers = tuple(name for name in names if name in self.lengths and name not in self.texts)
        slots = [self.slots[name] for name in numbers]
        texts = {name: joined_texts(self.texts[name]) for name in names if name in self.texts}
        n_rows = max((*self.lengths.values(), *map(len, texts.values())), default=0)
        in_order = slots == list(range(len(slots)))
        values = self.values[:n_rows, : len(slots)] if in_order else self.values[:n_rows, slots]
        kinds = {name: common_kind(self.kinds.get(name, {"text" if name in texts else "float"})) for name in names}
        return Table(numbers, values, texts, kinds, self.orders)


def common_kind(kinds: Collection[Kind]) -> Kind:
    """The kind of a column whose parts have these."""
    if len(kinds) < 2:
        return next(iter(kinds), "float")
    return "float" if set(kinds) == {"integer", "float"} else "text"

"""Tables that are in memory, data frames and arrays: sources of one batch."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.graphs.names import check_names
from sidelight.tables.findings import Finding
from sidelight.tables.reading import of_arrays
from sidelight.tables.table import Table
from sidelight.text.message import Message, OptionName


@dataclass(frozen=True)
class InMemory:
    """A data frame, or an array with the names of its columns."""

    title: str
    names: tuple[Hashable, ...]
    held: Any
    n_rows: int
    decimal: str = ""
    categories: frozenset[str] = frozenset()  # they are found when the batch is read
    notes: tuple[Finding, ...] = ()

    def count_rows(self) -> int:
        """The number of rows."""
        return self.n_rows

    def most_rows(self, n_columns: int) -> int:
        """The same."""
        return self.n_rows

    def batches(self, chosen: Sequence[Hashable], as_text: Collection[str], at_once: int) -> Iterator[Any]:
        """All rows at once: they are in memory."""
        yield (
            _columns(self.held, self.names, chosen)
            if isinstance(self.held, np.ndarray)
            else _selected(self.held, self.names, chosen)
        )


def _columns(array: NDArray[Any], names: Sequence[Hashable], chosen: Sequence[Hashable]) -> Table:
    place = {name: i for i, name in enumerate(names)}
    if list(chosen) != list(names):
        array = array[:, [place[name] for name in chosen]]
    if array.dtype.kind in "biuf":
        return Table.of_array(tuple(chosen), array)
    return of_arrays(list(chosen), [array[:, i] for i in range(array.shape[1])])


def _selected(frame: Any, names: Sequence[Hashable], chosen: Sequence[Hashable]) -> Any:
    place = {name: i for i, name in enumerate(names)}  # a name need not be a string, and so no expression
    return (frame if list(chosen) == list(names) else frame[:, [place[name] for name in chosen]]).to_native()


def open_array(source: Any, names: Sequence[Hashable] | None) -> InMemory:
    """An array, or rows in a list; masked cells are missing."""
    try:
        array = np.asarray(_unmasked(source))
    except ValueError as error:
        raise InputError("the rows must all have the same length") from error
    if array.ndim != 2:
        raise InputError(f"an array must have two axes, rows by columns; got one of shape {array.shape}")
    if not array.shape[1]:
        raise InputError("the table has no columns")
    all_names = check_names(range(array.shape[1]) if names is None else names)
    if len(all_names) != array.shape[1]:
        count = f": the array has {array.shape[1]} columns, but {len(all_names)} names were given"
        raise InputError(Message(OptionName("names"), count))
    return InMemory("the array", all_names, array, len(array))


def _unmasked(source: Any) -> Any:
    if not isinstance(source, np.ma.MaskedArray):
        return source
    if source.dtype.kind in "biuf":
        return np.ma.filled(source.astype(np.float64), np.nan)
    cells = source.data.astype(object)
    cells[np.ma.getmaskarray(source)] = None
    return cells


def open_frame(source: Any, accepted: str) -> InMemory:
    """A data frame of any library that narwhals knows."""
    import narwhals.stable.v1 as nw

    try:
        frame: nw.DataFrame[Any] = nw.from_native(source, eager_only=True)
        names = check_names(frame.columns)
    except TypeError as error:
        raise InputError(f"a table must be {accepted}; got a {type(source).__name__}") from error
    except nw.exceptions.DuplicateError as error:
        raise InputError("two columns have the same name; every column needs a name of its own") from error
    return InMemory("the data frame", names, frame, len(frame))


def labels_of(frame: object) -> Iterable[Hashable]:
    """The names of a frame's columns, without reading the columns."""
    labels = getattr(frame, "column_names", None)
    labels = getattr(frame, "columns", None) if labels is None else labels
    return () if isinstance(labels, str) or not isinstance(labels, Iterable) else labels

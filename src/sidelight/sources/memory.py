"""Tables that are in memory, data frames and arrays: sources of one batch."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.graphs.names import check_names
from sidelight.sources import Source
from sidelight.sources.arrangement import is_no_heading
from sidelight.tables.reading import of_arrays
from sidelight.tables.table import Table
from sidelight.text.message import Message, Option, OptionName


@dataclass(frozen=True)
class InMemory(Source):
    """A data frame, or an array with the names of its columns; which of them have categories its batch says."""

    held: Any

    def batches(self, chosen: Sequence[Hashable], as_text: Collection[str], at_once: int) -> Iterator[Any]:
        """All rows at once: they are in memory."""
        place = {name: i for i, name in enumerate(self.names)}  # a name need not be a string, and so no expression
        is_all = list(chosen) == list(self.names)
        part = self.held if is_all else self.held[:, [place[name] for name in chosen]]
        yield _table_of(part, chosen) if isinstance(part, np.ndarray) else part.to_native()


def _table_of(array: NDArray[Any], names: Sequence[Hashable]) -> Table:
    if array.dtype.kind in "biuf":
        return Table.of_array(tuple(names), array)
    return of_arrays(list(names), list(array.T))


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
    return InMemory("the array", all_names, array, n_rows=len(array))


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
    unnamed = frozenset(filter(is_no_heading, names))
    return InMemory("the data frame", names, frame, n_rows=len(frame), unnamed=unnamed)


def labels_of(frame: object) -> Iterable[Hashable]:
    """The names of a frame's columns, without reading the columns."""
    labels = getattr(frame, "column_names", None)
    labels = getattr(frame, "columns", None) if labels is None else labels
    return () if isinstance(labels, str) or not isinstance(labels, Iterable) else labels


def array_names(
    source: object, names: Sequence[Hashable] | None, variables: Sequence[Hashable]
) -> Sequence[Hashable] | None:
    """The names of an array's columns: those given, or the variables in their order; None for other tables."""
    shape: tuple[int, ...] = ()
    if names is None and isinstance(source, np.ndarray | list | tuple):
        with suppress(ValueError):  # rows that differ in length
            shape = np.asarray(source).shape
    if len(shape) != 2:
        return names
    if shape[1] != len(variables):
        shapes = f"the array has {shape[1]} columns, the network {len(variables)} variables; "
        raise InputError(Message(shapes, "name the columns of the array with ", Option("names")))
    return variables

"""The cells of a data frame's column as an array; a cell that holds several values is refused by name."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.text.message import Message, Option

SEVERAL = {"List": "lists", "Array": "lists", "Struct": "records"}  # by the type of a column
CONTAINERS: dict[type, str] = {list: "a list", dict: "a record", set: "a set", np.ndarray: "an array"}


def as_array(name: Hashable, column: Any) -> NDArray[Any]:
    """The cells of a column of any data frame."""
    kind = type(column.dtype).__name__
    if kind in SEVERAL:
        raise _refused(name, f"holds {SEVERAL[kind]}")
    if kind in ("Int128", "UInt128"):  # NumPy has no such numbers
        return np.array([np.nan if value is None else value for value in column.to_list()], dtype=np.float64)
    if kind == "String" and type(column.to_native()).__module__.startswith("pyarrow"):
        return _shared_texts(column.to_native())
    array: NDArray[Any] = column.to_numpy()
    if array.dtype.kind == "O":
        _check_single(name, array)
    return array


def float_type(columns: Iterable[NDArray[Any]]) -> type[np.floating[Any]]:
    """The type of a table of these numbers: float32 takes half the memory, if all of them are that."""
    types = {column.dtype for column in columns}
    return np.float32 if types == {np.dtype(np.float32)} else np.float64


def _shared_texts(column: Any) -> NDArray[Any]:
    """Texts of Arrow, equal ones as one object: a cell takes eight bytes, however long its text."""
    encoded = column.combine_chunks().dictionary_encode()
    if hasattr(encoded, "combine_chunks") and hasattr(encoded, "num_chunks"):
        encoded = encoded.combine_chunks()
    texts = np.array([*encoded.dictionary.to_pylist(), None], dtype=object)
    shared: NDArray[Any] = texts[encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)]
    return shared


def _check_single(name: Hashable, array: NDArray[Any]) -> None:
    for row, value in enumerate(array.tolist(), 1):
        for kind, words in CONTAINERS.items():
            if isinstance(value, kind):
                raise _refused(name, f"holds {words} in row {row}")


def _refused(name: Hashable, why: str) -> InputError:
    accepted = "; a cell must be one number, text, truth value or date. Leave the column out with "
    return InputError(Message(f"column {str(name)!r} {why}", accepted, Option("drop", [name])))

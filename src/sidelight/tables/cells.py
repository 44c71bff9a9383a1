"""The cells of a data frame's column as an array; a cell that holds several values is refused by name."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.tables.strings import Texts
from sidelight.text.message import Message, Option

SEVERAL = {"List": "lists", "Array": "lists", "Struct": "records"}  # by the type of a column
CONTAINERS: dict[type, str] = {list: "a list", dict: "a record", set: "a set", np.ndarray: "an array"}


def cells_of(name: Hashable, column: Any) -> NDArray[Any] | Texts:
    """The cells of a column of any data frame; texts of Arrow, which has equal ones once, are not unpacked."""
    kind = type(column.dtype).__name__
    if kind in SEVERAL:
        raise _refused(name, f"holds {SEVERAL[kind]}")
    if kind in ("Int128", "UInt128"):  # NumPy has no such numbers
        return np.array([np.nan if value is None else value for value in column.to_list()], dtype=np.float64)
    if kind in ("String", "Categorical", "Enum") and _is_of_arrow(column.to_native()):
        return Texts.of_arrow(column.to_native())
    array: NDArray[Any] = column.to_numpy()
    if array.dtype.kind == "O":
        _check_single(name, array)
    return array


def _is_of_arrow(native: Any) -> bool:
    """True for texts, or categories that are texts, in an array of Arrow."""
    if not type(native).__module__.startswith("pyarrow"):
        return False
    import pyarrow as pa

    kind = native.type.value_type if pa.types.is_dictionary(native.type) else native.type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def float_type(columns: Iterable[NDArray[Any]]) -> type[np.floating[Any]]:
    """The type of a table of these numbers: float32 takes half the memory, if all of them are that."""
    types = {column.dtype for column in columns}
    return np.float32 if types == {np.dtype(np.float32)} else np.float64


def _check_single(name: Hashable, array: NDArray[Any]) -> None:
    for row, value in enumerate(array.tolist(), 1):
        for kind, words in CONTAINERS.items():
            if isinstance(value, kind):
                raise _refused(name, f"holds {words} in row {row}")


def _refused(name: Hashable, why: str) -> InputError:
    accepted = "; a cell must be one number, text, truth value or date. Leave the column out with "
    return InputError(Message(f"column {str(name)!r} {why}", accepted, Option("drop", [name])))

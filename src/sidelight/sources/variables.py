"""Data with the variables of a network: the names of their columns, and the order of an array's."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path

import numpy as np

from sidelight.errors import InputError
from sidelight.sources.memory import labels_of
from sidelight.sources.opening import open_source
from sidelight.text.message import Message, Option


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

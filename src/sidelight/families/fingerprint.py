"""What distinguishes a test on a table from another test, or another table, over the same names: a hash of both.

It covers the code of the test and the arrays, tables, texts and numbers among its attributes, also within tuples and
mappings by name. Lists, sets and other mappings are passed over: they are what tests keep in passing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import PurePath
from types import CodeType, FunctionType

import narwhals as nw
import numpy as np

from sidelight.families.base import CITest

PASSED_OVER = ("names", "n_undecided")  # the names are in every answer; the other is a count of what was asked
DEEPEST = 6  # attributes of attributes


def fingerprint(test: CITest) -> str:
    """The hash of a test and of the data that it has; the same in every process."""
    digest = hashlib.sha256()
    for part in (*_method(type(test)), *_of_attributes(test, 0)):
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def _method(kind: type) -> Iterator[bytes]:
    yield kind.__qualname__.encode()
    method = getattr(kind, "p_value", None)
    if isinstance(method, FunctionType):
        yield from _of_code(method.__code__)


def _of_code(code: CodeType) -> Iterator[bytes]:
    yield code.co_code
    yield repr(code.co_names).encode()
    for constant in code.co_consts:
        yield from _of_code(constant) if isinstance(constant, CodeType) else [repr(constant).encode()]


def _of_attributes(owner: object, depth: int) -> Iterator[bytes]:
    state = owner.__getstate__() if hasattr(owner, "__getstate__") else getattr(owner, "__dict__", None)
    for name, value in sorted(state.items()) if isinstance(state, dict) else ():
        if name not in PASSED_OVER and not isinstance(getattr(type(owner), name, None), cached_property):
            yield name.encode()
            yield from _of_value(value, depth)


def _of_value(value: object, depth: int) -> Iterator[bytes]:
    if value is None or isinstance(value, bool | int | float | complex | str | bytes | np.generic | PurePath):
        yield repr(value).encode()
    elif isinstance(value, np.ndarray):
        yield from _of_array(value)
    elif isinstance(value, tuple):
        for item in value:
            yield from _of_value(item, depth)
    elif isinstance(value, Mapping):
        for key in value if all(isinstance(key, str) for key in value) else ():
            yield key.encode()
            yield from _of_value(value[key], depth)
    elif isinstance(value, FunctionType):
        yield from _of_code(value.__code__)
    elif not isinstance(value, list | set | frozenset | type) and depth < DEEPEST:
        yield from _of_object(value, depth)


def _of_object(value: object, depth: int) -> Iterator[bytes]:
    """A table by its columns, anything else by its attributes."""
    table = nw.from_native(value, eager_only=True, pass_through=True)
    if isinstance(table, nw.DataFrame):
        for name in table.columns:
            yield name.encode()
            yield from _of_array(table[name].to_numpy())
    else:
        yield from _of_attributes(value, depth + 1)


def _of_array(array: np.ndarray) -> Iterator[bytes]:
    yield f"{array.dtype} {array.shape}".encode()
    yield repr(array.tolist()).encode() if array.dtype.hasobject else np.ascontiguousarray(array).tobytes()

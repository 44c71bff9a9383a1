"""Tests of the user's own: a function of two names, a conditioning set and the data; and answers kept on disk."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path, PurePath
from types import CodeType, FunctionType
from typing import Any

import narwhals as nw
import numpy as np

from sidelight.errors import InputError
from sidelight.families.base import BoundaryChoice, CITest

PASSED_OVER = ("names", "n_undecided")  # the names are in every answer; the other is a count of what was asked
DEEPEST = 6  # attributes of attributes


class FunctionTest(CITest):
    """``function(x, y, given, data)`` returns the p-value; x, y and the members of ``given`` are names."""

    option = "function"

    def __init__(
        self, function: Callable[[Any, Any, list[Any], Any], float], data: object, names: Sequence[Hashable]
    ) -> None:
        self.names = tuple(names)
        self._function, self._data = function, data

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        names = self.names
        return self._function(names[x], names[y], [names[z] for z in given], self._data)


class Remembered(CITest):
    """Another test whose answers are kept in a file, so that a costly test is computed once for ever.

    The file belongs to one test on one table, and says which: another test, or other data, are refused.

    Args:
        test: the costly test.
        path: the file, which is made if it is not there.
        fingerprint: a text that says which test on which data it is; by default a hash of the test's code and of the
            arrays, tables, texts and numbers that it holds. Give one if it holds its data in another way.
    """

    def __init__(self, test: CITest, path: str | Path, fingerprint: str | None = None) -> None:
        self.names, self.option, self.is_exact = test.names, test.title, test.is_exact
        self.loses_power, self.effect_name = test.loses_power, test.effect_name
        self._test, self._path = test, Path(path)
        self._connections: dict[tuple[int, int], sqlite3.Connection] = {}
        with self._explained():
            self._check(fingerprint_of(test) if fingerprint is None else fingerprint)

    def _answers(self) -> sqlite3.Connection:
        """The file as this thread of this process has opened it: none can use what another has."""
        here = os.getpid(), threading.get_ident()
        if here not in self._connections:
            self._connections[here] = sqlite3.connect(self._path, isolation_level=None, timeout=60)
        return self._connections[here]

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise InputError(f"cannot keep answers in {str(self._path)!r}: {error}") from error

    def _check(self, expected: str) -> None:
        """Make the tables of a new file; refuse a file that belongs to another test or other data."""
        answers = self._answers()
        answers.execute("begin immediate")  # so that of two that make the file one comes first
        answers.execute("create table if not exists answers (question text primary key, p real not null)")
        answers.execute("create table if not exists belongs_to (fingerprint text not null)")
        answers.execute("insert into belongs_to select ? where not exists (select * from answers union all "
                        "select fingerprint, 0 from belongs_to)", [expected])  # fmt: skip
        kept = answers.execute("select fingerprint from belongs_to").fetchall()
        answers.execute("commit")
        if kept != [(expected,)]:
            raise InputError(
                f"the answers in {str(self._path)!r} are those of another test or of other data; choose another file"
            )

    @property
    def n_undecided(self) -> int:
        """Counted by the test itself, when it computes."""
        return self._test.n_undecided

    @n_undecided.setter
    def n_undecided(self, count: int) -> None:
        self._test.n_undecided = count

    def default_boundaries(self, alpha: float) -> BoundaryChoice:
        return self._test.default_boundaries(alpha)

    def can_condition_on(self, size: int) -> bool:
        return self._test.can_condition_on(size)

    def effect_size(self, x: int, y: int, given: Sequence[int]) -> float | None:
        return self._test.effect_size(x, y, given)

    def effect_name_of(self, x: int, y: int) -> str:
        return self._test.effect_name_of(x, y)

    def __getstate__(self) -> dict[str, Any]:
        """Without the connections, which another process must open for itself."""
        return {**vars(self), "_connections": {}}

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        pair = sorted(repr(self.names[v]) for v in (x, y))
        question = " | ".join([", ".join(pair), ", ".join(sorted(repr(self.names[z]) for z in given))])
        with self._explained():
            known = self._answers().execute("select p from answers where question = ?", [question]).fetchone()
        if known is not None:
            return float(known[0])
        p = self._test.checked_p_value(x, y, given)
        with self._explained():
            self._answers().execute("insert or replace into answers values (?, ?)", [question, p])
        return p


def fingerprint_of(test: CITest) -> str:
    """What distinguishes a test on a table from another test, or another table, over the same names: a hash of both.

    It covers the code of the test and the arrays, tables, texts and numbers among its attributes, also within tuples
    and mappings by name. Lists, sets and other mappings are passed over: they are what tests keep in passing. It is the
    same in every process.
    """
    digest = hashlib.sha256()
    method = getattr(type(test), "p_value", None)
    code = _of_code(method.__code__) if isinstance(method, FunctionType) else ()
    for part in (type(test).__qualname__.encode(), *code, *_of_attributes(test, 0)):
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


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

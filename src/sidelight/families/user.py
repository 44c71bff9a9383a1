"""Tests of the user's own: a function of two names, a conditioning set and the data; and answers kept on disk."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sidelight.errors import InputError
from sidelight.families.base import BoundaryChoice, CITest
from sidelight.families.fingerprint import fingerprint as fingerprint_of


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

"""Tests of the user's own: a function of two names, a conditioning set and the data; and answers kept on disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

from sidelight.errors import InputError
from sidelight.independence.base import BoundaryChoice, CITest


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

    The file belongs to one test on one table: nothing in it says which.
    """

    def __init__(self, test: CITest, path: str | Path) -> None:
        self.names, self.option, self.is_exact = test.names, test.title, test.is_exact
        self.loses_power, self.effect_name = test.loses_power, test.effect_name
        self._test, self._path = test, Path(path)
        self._answers = self._open()

    def _open(self) -> sqlite3.Connection:
        try:
            answers = sqlite3.connect(self._path, isolation_level=None, timeout=60)
            answers.execute("create table if not exists answers (question text primary key, p real not null)")
        except sqlite3.Error as error:
            raise InputError(f"cannot keep answers in {str(self._path)!r}: {error}") from error
        return answers

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
        """Without the connection, which another process must open for itself."""
        return {name: value for name, value in vars(self).items() if name != "_answers"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._answers = self._open()

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        pair = sorted(repr(self.names[v]) for v in (x, y))
        question = " | ".join([", ".join(pair), ", ".join(sorted(repr(self.names[z]) for z in given))])
        known = self._answers.execute("select p from answers where question = ?", [question]).fetchone()
        if known is not None:
            return float(known[0])
        p = self._test.checked_p_value(x, y, given)
        self._answers.execute("insert or replace into answers values (?, ?)", [question, p])
        return p

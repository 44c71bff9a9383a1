"""What one statement says, by position in the names; and which positions a name or a pattern stands for."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.text.sentences import NAMES_SHOWN

Positions = NDArray[np.intp]
Pair = tuple[int, int]
Rectangle = tuple[Positions, Positions]  # every pair of one of the first with one of the second


@dataclass(frozen=True, eq=False)
class Facts:
    """What one statement says, by position.

    Args:
        required: arrows (cause, effect) that are there.
        adjacent: pairs that are adjacent, in either direction.
        ancestors: (i, j) with a directed path from i to j.
        forbidden: arrows (cause, effect) that are not there, as rectangles.
        not_ancestors: (i, j) without a directed path from i to j, as rectangles.
        apart: pairs that are not adjacent, as rectangles; without hidden causes their arrows are forbidden as well.
        unconfounded: pairs of which no hidden variable is a common cause.
    """

    required: tuple[Pair, ...] = ()
    adjacent: tuple[Pair, ...] = ()
    ancestors: tuple[Pair, ...] = ()
    forbidden: tuple[Rectangle, ...] = ()
    not_ancestors: tuple[Rectangle, ...] = ()
    apart: tuple[Rectangle, ...] = ()
    unconfounded: tuple[Pair, ...] = ()

    @property
    def says_what_is_there(self) -> bool:
        """True unless the statement only excludes; statements that only exclude never contradict each other."""
        return bool(self.required or self.adjacent or self.ancestors)

    def connects(self, i: int, j: int) -> bool:
        """True when the statement makes the two adjacent."""
        pairs = {(i, j), (j, i)}
        return not pairs.isdisjoint(self.required) or not pairs.isdisjoint(self.adjacent)

    def forbids(self, i: int, j: int) -> bool:
        """True when the statement excludes the arrow from i to j."""
        return _covers(self.forbidden, i, j) or self.excludes_path(i, j)

    def forbids_any(self, i: int, j: int) -> bool:
        """True when the statement excludes an arrow between i and j."""
        return self.forbids(i, j) or self.forbids(j, i)

    def excludes_path(self, i: int, j: int) -> bool:
        """True when the statement excludes every directed path from i to j."""
        return _covers(self.not_ancestors, i, j)


def _covers(rectangles: Iterable[Rectangle], i: int, j: int) -> bool:
    return any(bool((rows == i).any() and (columns == j).any()) for rows, columns in rectangles)


@dataclass(frozen=True)
class Columns:
    """The names of the variables, and which of them a name or a pattern stands for."""

    names: tuple[Hashable, ...]

    @cached_property
    def index(self) -> dict[Hashable, int]:
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def everything(self) -> Positions:
        return np.arange(len(self.names))

    def positions(self, name: Hashable) -> Positions:
        """The positions that a name stands for: the column of that name, else those that it matches as a pattern."""
        if name in self.index:
            return np.array([self.index[name]])
        if not is_pattern(name):
            return np.array([], dtype=np.intp)
        matching = [i for i, column in enumerate(self.names) if fnmatchcase(str(column), str(name))]
        return np.array(matching, dtype=np.intp)

    def union(self, names: Iterable[Hashable]) -> Positions:
        """The positions that any of the names stands for, sorted, each once."""
        found = [self.positions(name) for name in names]
        return np.unique(np.concatenate(found)) if found else np.array([], dtype=np.intp)

    def pairs(self, pair: tuple[Hashable, Hashable]) -> list[Pair]:
        """All pairs of a position of the first name with one of the second; never a variable with itself."""
        first, second = (self.positions(name).tolist() for name in pair)
        return [(i, j) for i in first for j in second if i != j]

    def rectangle(self, pair: tuple[Hashable, Hashable]) -> Rectangle:
        """The same pairs as a rectangle."""
        return self.positions(pair[0]), self.positions(pair[1])

    def check(self, names: Iterable[Hashable]) -> None:
        """Raise one error for all names that stand for no column."""
        unknown = [name for name in dict.fromkeys(names) if not len(self.positions(name))]
        if unknown:
            remarks = [f"{name!r}{self._remark(name)}" for name in unknown[:NAMES_SHOWN]]
            more = [f"{len(unknown) - NAMES_SHOWN} more"] if len(unknown) > NAMES_SHOWN else []
            which = ", ".join(remarks + more)
            raise InputError(f"what is known names variables that are not there: {which}")

    def _remark(self, name: Hashable) -> str:
        """Why the name stands for nothing, if there is anything to say: `` (did you mean 'smoking'?)``."""
        if is_pattern(name):
            return " (matches no column)"
        columns = {str(column): column for column in self.names}
        near = get_close_matches(str(name), columns, n=1)
        return f" (did you mean {columns[near[0]]!r}?)" if near else ""


def is_pattern(name: Hashable) -> bool:
    """True for a text with a wildcard of the shell: ``*``, ``?`` or ``[``."""
    return isinstance(name, str) and any(letter in name for letter in "*?[")

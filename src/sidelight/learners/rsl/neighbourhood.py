"""FindNeighbors: which members of Mb(x) are neighbours, and what separates x from the others.

Lemma 2 (bounded clique number) and Lemma 4 (diamond-free): a member y that is no neighbour is independent of x given
the rest of the boundary without some set S of fixed size. By the proofs that S holds x's common children with y and
is the same for all such y (docs/decisions/0003), so once found it may settle the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations

from sidelight.graphs.separating_sets import Pair, ordered
from sidelight.interview import AnswerTable, Interview
from sidelight.learners.rsl.state import Neighbourhood

LeftOut = tuple[int, ...]
Choices = Callable[[int, list[int], int, LeftOut | None], Iterable[LeftOut]]


def every_choice(y: int, members: list[int], size: int, found: LeftOut | None) -> Iterable[LeftOut]:
    """All sets of ``size`` members to leave out, in lexicographic order."""
    return combinations([z for z in members if z != y], size) if size > 0 else ()


def only_found(y: int, members: list[int], size: int, found: LeftOut | None) -> Iterable[LeftOut]:
    """Once a set has separated an earlier member, that set alone; its own members are x's children."""
    if found is None:
        return every_choice(y, members, size, found)
    return () if y in found else (found,)


def nothing_then_found_first(y: int, members: list[int], size: int, found: LeftOut | None) -> Iterable[LeftOut]:
    """Nothing left out, to see that y belongs to the boundary; then the set found before; then all others."""
    yield ()
    if found is not None and y not in found:
        yield found
    yield from (left_out for left_out in every_choice(y, members, size, found) if left_out != found)


def find_neighbours(x: int, members: list[int], size: int, choices: Choices, ask: Interview) -> Neighbourhood:
    """Tell the neighbours of x from its co-parents, leaving out ``size`` members at a time."""
    tables = _Tables(x, members, ask)
    neighbours: list[int] = []
    separated: dict[Pair, LeftOut] = {}
    found: LeftOut | None = None
    for y in members:
        for left_out in choices(y, members, size, found):
            if tables[left_out].independent(x, y):
                found = left_out or found
                separated[ordered(x, y)] = left_out
                break
        else:
            neighbours.append(y)
    return Neighbourhood(neighbours, separated, size)


class _Tables(dict[LeftOut, AnswerTable]):
    """The answers about x and its members with some left out, opened when first needed."""

    def __init__(self, x: int, members: list[int], ask: Interview) -> None:
        super().__init__()
        self._x, self._members, self._ask = x, members, ask

    def __missing__(self, left_out: LeftOut) -> AnswerTable:
        self[left_out] = table = self._ask.table([self._x, *self._members], left_out)
        return table

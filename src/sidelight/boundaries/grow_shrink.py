"""Grow-Shrink (Margaritis & Thrun 1999): add whatever is dependent, in column order, then shrink."""

from __future__ import annotations

from collections.abc import Sequence

from sidelight.boundaries.search import Blocks, search_each, shrink
from sidelight.interview import Interview


def grow_shrink(blocks: Blocks, ask: Interview, n_jobs: int = 1) -> list[set[int]]:
    """Return the Markov boundary of every variable."""
    return search_each(_grow_shrink, blocks, ask, n_jobs)


def _grow_shrink(x: int, variables: Sequence[int], ask: Interview) -> list[int]:
    members: list[int] = []
    grown = True
    while grown:
        grown = False
        for y in variables:
            if y != x and y not in members and not ask.independent(x, y, members):
                members.append(y)
                grown = True
    return shrink(x, members, ask)

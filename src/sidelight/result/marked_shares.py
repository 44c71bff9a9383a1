"""How often the edge of a pair has which marks in graphs of resamples: what PAGs need beside arrows and lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from sidelight.graphs.marks import ARROW, CIRCLE, SYMBOLS, TAIL, Mark

Way = Literal["→", "←", "—", "↔", "○→", "←○", "○—○", "—○", "○—", ""]  # of the edge of a pair; none if not adjacent
WAYS: tuple[Way, ...] = ("→", "←", "—", "↔", "○→", "←○", "○—○", "—○", "○—")
LETTERS = "fbumFBcTt"  # of these in one graph
NO_EDGE = "."
MARKS = {symbol: marks for marks, symbol in SYMBOLS.items()}
LETTER_OF = dict(zip(WAYS, LETTERS, strict=True))
TURNED: dict[str, Way] = {way: WAYS[WAYS.index(SYMBOLS[MARKS[way][::-1]])] for way in WAYS}
OTHER_WAY = str.maketrans(LETTERS, "".join(LETTER_OF[TURNED[way]] for way in WAYS))


class MarkCounts(NamedTuple):
    """In how many PAGs the edge of a pair is of each kind, in the order of ``WAYS``."""

    forward: int = 0
    backward: int = 0
    undirected: int = 0
    bidirected: int = 0
    circle_arrow: int = 0
    arrow_circle: int = 0
    circles: int = 0
    tail_circle: int = 0
    circle_tail: int = 0

    @staticmethod
    def of(letters: str) -> MarkCounts:
        """From a letter for each graph."""
        return MarkCounts(*map(letters.count, LETTERS))

    @property
    def adjacent(self) -> int:
        """In how many graphs there is an edge."""
        return sum(self)

    def turned(self) -> MarkCounts:
        """The same as seen from the second variable."""
        return MarkCounts(*(self[WAYS.index(TURNED[way])] for way in WAYS))


def at_ends(counts: Sequence[int]) -> tuple[dict[Mark, int], dict[Mark, int]]:
    """How often each mark stands at the first variable, and at the second."""
    first, second = dict.fromkeys((ARROW, TAIL, CIRCLE), 0), dict.fromkeys((ARROW, TAIL, CIRCLE), 0)
    for way, count in zip(WAYS, counts, strict=False):
        at_first, at_second = MARKS[way]
        first[at_first] += count
        second[at_second] += count
    return first, second


def marks_in_words(counts: MarkCounts, n_graphs: int, a: object, b: object) -> str:
    """How often the two are adjacent, by which edge, and with which marks at each, in one sentence."""
    edges = sorted(zip(WAYS, counts, strict=True), key=lambda found: -found[1])
    kinds = ", ".join(f"{a} {way} {b} in {count}" for way, count in edges if count)
    ends = zip((a, b), at_ends(counts), strict=True)
    marks = ", ".join(f"at {name} {' and '.join(_counted(found))}" for name, found in ends)
    return f"Adjacent in {counts.adjacent} of {n_graphs} resamples: {kinds}; {marks}."


def _counted(found: dict[Mark, int]) -> Iterator[str]:
    shown = sorted(found.items(), key=lambda item: -item[1])
    yield from (f"{mark} in {count}" for mark, count in shown if count)

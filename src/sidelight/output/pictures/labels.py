"""What stands in the boxes: names without invisible characters, cut to what a box can hold, in one line or two."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from sidelight.text.visible import visible

LONGEST_LABEL = 24  # columns of a monospaced terminal; a wide character takes two
LONGEST_LINE = 12  # a longer label takes two lines, where many boxes stand side by side
SHORTER = 3  # so many columns at least
MANY = 16  # variables
CHARACTER_WIDTH = 7.4  # on average, at the size of the drawings' letters
LINE_HEIGHT = 14.0
NARROWEST, LOWEST = 40.0, 28.0  # boxes
PADDING = 18.0  # of a label within its box, both sides together
BREAKS = re.compile(r"(?<=[ _./:;,+-])(?=[^ _./:;,+-])|(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True)
class Labels:
    """The label of each variable, its lines, the widths of the boxes, and their common height."""

    texts: list[str]
    lines: list[list[str]]
    widths: list[float]
    height: float

    @staticmethod
    def of(names: Sequence[object]) -> Labels:
        """The labels of these names; of many, long ones stand in two lines."""
        texts = [label(name) for name in names]
        lines = [in_lines(text) if len(texts) >= MANY else [text] for text in texts]
        widths = [max(NARROWEST, CHARACTER_WIDTH * max(map(columns, found)) + PADDING) for found in lines]
        return Labels(texts, lines, widths, LOWEST + LINE_HEIGHT * (max(map(len, lines), default=1) - 1))


def label(name: object) -> str:
    """The name, without its middle if it is long: names of one table often differ at their end."""
    text = visible(str(name))
    if columns(text) <= LONGEST_LABEL:
        return text
    end = _fitting(text[::-1], LONGEST_LABEL // 3)
    start = _fitting(text, LONGEST_LABEL - 1 - columns(text[len(text) - end :]))
    return f"{text[:start].rstrip()}…{text[len(text) - end :].lstrip()}"


def in_lines(text: str) -> list[str]:
    """A long label in two lines, broken where words end, or at the cut, if that makes it clearly narrower."""
    places = [found.start() for found in BREAKS.finditer(text)] or [text.find("…") + 1]
    halves = [(text[:place].rstrip(" "), text[place:]) for place in places]
    best = min(halves, key=lambda parts: max(map(columns, parts)))
    is_better = all(best) and max(map(columns, best)) <= columns(text) - SHORTER
    return list(best) if columns(text) > LONGEST_LINE and is_better else [text]


def columns(text: str) -> int:
    """How many columns a text takes up."""
    return sum(map(_columns_of, text))


def _columns_of(letter: str) -> int:
    return 0 if unicodedata.combining(letter) else 1 + (unicodedata.east_asian_width(letter) in "WF")


def _fitting(text: str, room: int) -> int:
    """How many letters, from the first on, take up no more than so many columns."""
    return sum(total <= room for total in accumulate(map(_columns_of, text)))

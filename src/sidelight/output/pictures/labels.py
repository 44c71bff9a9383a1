"""Names as they are shown: no invisible characters, no longer than fits, and about how wide they are."""

from __future__ import annotations

import unicodedata

from sidelight.text.visible import visible

LONGEST_LABEL = 20  # columns of a monospaced terminal; a wide character takes two
CHARACTER_WIDTH = 7.4  # on average, at the size of the drawings' letters
ELLIPSIS = "…"


def label(name: object) -> str:
    """The name, cut to what a node can hold."""
    text = visible(str(name))
    if columns(text) <= LONGEST_LABEL:
        return text
    kept = ""
    for letter in text:
        if columns(kept + letter) > LONGEST_LABEL - 1:
            break
        kept += letter
    return kept.rstrip() + ELLIPSIS


def label_width(text: str) -> float:
    """About how wide a label is drawn."""
    return CHARACTER_WIDTH * columns(text)


def columns(text: str) -> int:
    """How many columns a text takes up."""
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)

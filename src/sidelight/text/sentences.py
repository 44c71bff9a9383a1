"""Counts and long names as parts of a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

LONGEST_NAME = 60  # letters


def counted(count: int, noun: str) -> str:
    """``1 edge``, ``2 edges``."""
    return f"{count} {noun}{'s' * (count != 1)}"


def short_names(names: Sequence[Hashable]) -> list[str]:
    """The names as sentences have them: long ones without their middle; where that makes two alike, with the column."""
    texts = [_short(str(name)) for name in names]
    alike = Counter(texts)
    return [text if alike[text] == 1 else f"{text} (column {i})" for i, text in enumerate(texts, 1)]


def _short(name: str) -> str:
    if len(name) <= LONGEST_NAME:
        return name
    end = LONGEST_NAME // 3
    return f"{name[: LONGEST_NAME - end - 1]}…{name[-end:]}"

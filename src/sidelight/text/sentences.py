"""Counts and names as parts of a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

LONGEST_NAME = 60  # letters
NAMES_SHOWN = 12


def counted(count: int, noun: str) -> str:
    """``1 edge``, ``2 edges``."""
    return f"{count} {noun}{'s' * (count != 1)}"


def listed(names: Iterable[Hashable], quoted: bool = False) -> str:
    """``A``, ``A and B``, ``A, B and C``, or each name in quotes; the last ones of a long list are only counted."""
    texts = [repr(str(name)) if quoted else str(name) for name in names]
    if len(texts) > NAMES_SHOWN:
        texts = [*texts[:NAMES_SHOWN], f"{len(texts) - NAMES_SHOWN} more"]
    return in_a_row(texts)


def in_a_row(texts: Sequence[str]) -> str:
    """All texts with commas between, and ``and`` before the last."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


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

"""What is known of the structure beforehand, as values: each bound is one class, and one entry of ``BOUNDS``."""

from __future__ import annotations

from sidelight.errors import InputError
from sidelight.side_information.base import AllBounds, BrokenBound, SideInformation, Status
from sidelight.side_information.bounds import (
    CliqueBound,
    CliqueNumber,
    DiamondFree,
    MaxInDegree,
    Treewidth,
    VertexCover,
)
from sidelight.text.message import must_be

BOUNDS: tuple[type[CliqueBound], ...] = (CliqueNumber, Treewidth, VertexCover, MaxInDegree)  # each with one number
NUMBERED = {bound.word: bound for bound in BOUNDS}
PLAIN: dict[str, SideInformation | None] = {"none": None, DiamondFree.word: DiamondFree()}


def parse_side(text: str) -> SideInformation | None:
    """Side information from words of the command line: none, diamond-free, clique:3, or several with commas between"""
    sides = [_parse_word(word.strip(), text) for word in text.replace(";", ",").split(",")]
    bounds = tuple(dict.fromkeys(side for side in sides if side is not None))
    return AllBounds(bounds) if len(bounds) > 1 else next(iter(bounds), None)


def _parse_word(text: str, given: str) -> SideInformation | None:
    word, _, number = text.partition(":")
    if text in PLAIN:
        return PLAIN[text]
    if word in NUMBERED and number.isdecimal():
        return NUMBERED[word](int(number))  # type: ignore[call-arg]
    accepted = ", ".join([*PLAIN, *(f"{name}:NUMBER" for name in NUMBERED)])
    raise InputError(must_be("side", f"one of {accepted}, or several of them with commas between", given))


def side_in_words(side: SideInformation | None) -> str | None:
    """The words of the command line for it, as ``parse_side`` reads them; None when there are none."""
    return "none" if side is None else side.in_words()


__all__ = [
    "BOUNDS",
    "AllBounds",
    "BrokenBound",
    "CliqueBound",
    "CliqueNumber",
    "DiamondFree",
    "MaxInDegree",
    "SideInformation",
    "Status",
    "Treewidth",
    "VertexCover",
    "parse_side",
    "side_in_words",
]

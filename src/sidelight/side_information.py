"""What is known of the structure beforehand, as values.

RSL-D and RSL-ω are one procedure with two integers: how many members of a boundary may be left out of the questions
about removability, and how many are left out of those about neighbours (Lemmas 1–4 of the paper). A bound on the
treewidth, the vertex cover number or the in-degree is a bound on the clique number.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING

from sidelight.errors import InputError
from sidelight.text.message import must_be

if TYPE_CHECKING:
    from sidelight.knowledge.statement import Known


class SideInformation(ABC):
    """Something known of the structure that makes learning it polynomial."""

    @abstractmethod
    def left_out(self, boundary_size: int) -> tuple[int, int]:
        """How many members are left out: at most the first for removability, exactly the second for neighbours."""

    @abstractmethod
    def __str__(self) -> str: ...

    def __and__(self, other: object) -> Known:
        """This and what else is known."""
        from sidelight.knowledge.statement import known  # which itself needs this module

        return known(self) & other


@dataclass(frozen=True)
class DiamondFree(SideInformation):
    """No three parents A, B, C of one variable have A adjacent to B and to C without B adjacent to C (RSL-D)."""

    def left_out(self, boundary_size: int) -> tuple[int, int]:
        return 0, min(1, boundary_size - 1)

    def __str__(self) -> str:
        return "diamond-free"


class CliqueBound(SideInformation):
    """An assumption that bounds the clique number of the skeleton (RSL-ω)."""

    meaning: str
    smallest: int

    def __post_init__(self) -> None:
        ((name, value),) = vars(self).items()
        try:
            number = None if isinstance(value, bool) else index(value)
        except TypeError:
            number = None
        if number is None or number < self.smallest:
            wanted = f"{self.meaning} must be a whole number of at least {self.smallest}"
            raise InputError(f"{type(self).__name__}({value!r}): {wanted}")
        object.__setattr__(self, name, number)

    @property
    @abstractmethod
    def clique_bound(self) -> int:
        """The largest clique number that the assumption allows."""

    def left_out(self, boundary_size: int) -> tuple[int, int]:
        # A boundary smaller than the bound caps it: docs/decisions/0002 has the proof. A boundary with two members
        # refutes the bound 1; then the questions for 2 are asked.
        m = min(max(2, self.clique_bound), boundary_size)
        return m - 2, m - 1

    def __str__(self) -> str:
        return f"{self.meaning} ≤ {next(iter(vars(self).values()))}"


@dataclass(frozen=True)
class CliqueNumber(CliqueBound):
    """The clique number of the skeleton is at most ``m``."""

    m: int
    meaning = "clique number"
    smallest = 1

    @property
    def clique_bound(self) -> int:
        return self.m


@dataclass(frozen=True)
class Treewidth(CliqueBound):
    """The treewidth of the skeleton is at most ``t``, so its clique number is at most t + 1."""

    t: int
    meaning = "treewidth"
    smallest = 0

    @property
    def clique_bound(self) -> int:
        return self.t + 1


@dataclass(frozen=True)
class VertexCover(CliqueBound):
    """Some ``k`` variables touch every edge, so the clique number is at most k + 1."""

    k: int
    meaning = "vertex cover number"
    smallest = 0

    @property
    def clique_bound(self) -> int:
        return self.k + 1


@dataclass(frozen=True)
class MaxInDegree(CliqueBound):
    """No variable has more than ``d`` parents, so the clique number is at most d + 1."""

    d: int
    meaning = "largest in-degree"
    smallest = 0

    @property
    def clique_bound(self) -> int:
        return self.d + 1


@dataclass(frozen=True)
class AllBounds(SideInformation):
    """Several bounds that all hold."""

    bounds: tuple[SideInformation, ...]

    def __post_init__(self) -> None:
        if not self.bounds:
            raise InputError("AllBounds needs at least one bound, for example AllBounds((DiamondFree(),))")

    def left_out(self, boundary_size: int) -> tuple[int, int]:
        # Both integers come from one bound: the lemmas hold for each bound on its own, not for a mixture of two.
        pairs = (bound.left_out(boundary_size) for bound in self.bounds)
        return min(pairs, key=lambda pair: (pair[1], pair[0]))

    def __str__(self) -> str:
        return " and ".join(map(str, self.bounds))


SIDES: dict[str, type[CliqueBound]] = {
    "clique": CliqueNumber,
    "treewidth": Treewidth,
    "vertex-cover": VertexCover,
    "in-degree": MaxInDegree,
}


def parse_side(text: str) -> SideInformation | None:
    """Side information from words of the command line: none, diamond-free, clique:3, or several with commas between"""
    sides = [_parse_word(word.strip(), text) for word in text.replace(";", ",").split(",")]
    bounds = tuple(dict.fromkeys(side for side in sides if side is not None))
    return AllBounds(bounds) if len(bounds) > 1 else next(iter(bounds), None)


def _parse_word(text: str, given: str) -> SideInformation | None:
    word, _, number = text.partition(":")
    if text == "none":
        return None
    if text == "diamond-free":
        return DiamondFree()
    if word in SIDES and number.isdecimal():
        return SIDES[word](int(number))  # type: ignore[call-arg]
    accepted = ", ".join(["none", "diamond-free", *(f"{name}:NUMBER" for name in SIDES)])
    raise InputError(must_be("side", f"one of {accepted}, or several of them with commas between", given))


def side_in_words(side: SideInformation | None) -> str | None:
    """The words of the command line for it, as ``parse_side`` reads them; None when there are none."""
    if side is None or isinstance(side, DiamondFree):
        return "none" if side is None else "diamond-free"
    if isinstance(side, AllBounds):
        each = [side_in_words(bound) for bound in side.bounds]
        return None if None in each else ",".join(map(str, each))
    words = {kind: word for word, kind in SIDES.items()}
    (number,) = vars(side).values() or (None,)
    return f"{words[type(side)]}:{number}" if type(side) in words else None  # type: ignore[index]

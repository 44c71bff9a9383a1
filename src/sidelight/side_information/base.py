"""What every bound on the structure says of itself; a bound of the user's own is a subclass with ``left_out``.

RSL-D and RSL-ω are one procedure with two integers: how many members of a boundary may be left out of the questions
about removability, and how many are left out of those about neighbours (Lemmas 1–4 of the paper).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

import networkx as nx

from sidelight.errors import InputError
from sidelight.graphs.dag import Dag

if TYPE_CHECKING:
    from sidelight.knowledge.constraints import Constraints
    from sidelight.knowledge.statement import Known

Status = Literal["consistent", "violated", "cannot be checked"]
Pair = tuple[int, int]
T = TypeVar("T")
TRUTH = "this is the equivalence class of the true structure"
CONTRADICTION = "the answers contradict each other (see the warnings), so parts of the structure may be wrong."


@dataclass(frozen=True)
class BrokenBound:
    """A bound, how it is broken, and the known arrows, edges, missing edges and paths that break it, by position."""

    bound: SideInformation
    text: str
    arrows: tuple[Pair, ...] = ()
    edges: tuple[Pair, ...] = ()
    missing: tuple[Pair, ...] = ()
    paths: tuple[Pair, ...] = ()


class SideInformation(ABC):
    """Something known of the structure that makes learning it polynomial."""

    @abstractmethod
    def left_out(self, boundary_size: int) -> tuple[int, int]:
        """How many members are left out: at most the first for removability, exactly the second for neighbours."""

    @abstractmethod
    def __str__(self) -> str: ...

    def keeps(self, graph: nx.DiGraph) -> bool | None:
        """Does a DAG over the names keep it? None where that is not checked.

        The same for all DAGs of an equivalence class. If it is still true when edges are taken out, score-based search
        takes out edges until the structure keeps it.
        """
        return None

    def in_words(self) -> str | None:
        """The words of the command line for it; None when there are none."""
        return None

    def each(self) -> tuple[SideInformation, ...]:
        """The single bounds."""
        return (self,)

    @property
    def most_parents(self) -> int | None:
        """How many parents a variable may have, if it says so: exact search then finds the best such structure."""
        return None

    def as_found(self) -> SideInformation:
        """The same as a bound that was not assumed: the learner ended at it."""
        return self

    def breaches(self, dag: Dag, first: int = 0) -> Iterator[list[Pair]]:
        """Edges that break it together, breach by breach, of which one has to go; none where ``keeps`` alone tells.

        Each begins at one of its variables. Those that begin before ``first`` may be left out: an edge that goes brings
        about none that begins before both of its ends.
        """
        return iter(())

    def broken_by(self, closed: Constraints) -> Iterator[BrokenBound]:
        """One place where what is known beforehand breaks it, for each way in which that can be."""
        return iter(())

    def certified(self, graph: nx.DiGraph, proviso: str, doubt: str) -> tuple[Status, str]:
        """What a graph that was learned by relying on it says about it, as a status and a sentence.

        ``proviso`` is what the theorems rest on beside it, ``doubt`` why not all answers can have been right.
        """
        kept = self.keeps(graph)
        if kept is False:
            truth = "it does not hold for the true structure"
            return "violated", f"the learned graph breaks the assumption ({self}); if {proviso}, {truth}."
        fact = f"the learned graph keeps the assumption ({self})"
        if kept is None:
            fact = f"whether {fact} was not checked"
        if doubt:
            return "cannot be checked", f"{fact}; {doubt}"
        rest = ", which does not prove that the true structure does" if kept else ""
        return "cannot be checked", f"{fact}{rest}."

    def is_proved(self, graph: nx.DiGraph) -> bool:
        """Does it hold if this is what exact answers led to? It may not be the true structure where it does not."""
        return all(bound.certified(graph, "", "")[0] == "consistent" for bound in self.each())

    def kept_by_search(self, kept: bool | None) -> str:
        """What score-based search kept of it; empty if nothing that was checked."""
        return f"the assumption ({self})" if kept else ""

    def __and__(self, other: object) -> Known:
        """This and what else is known."""
        from sidelight.knowledge.statement import known  # which itself needs this module

        return known(self) & other


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

    def keeps(self, graph: nx.DiGraph) -> bool | None:
        kept = [bound.keeps(graph) for bound in self.bounds]
        return False if False in kept else None if None in kept else True

    def in_words(self) -> str | None:
        each = [bound.in_words() for bound in self.bounds]
        return None if None in each else ",".join(map(str, each))

    def each(self) -> tuple[SideInformation, ...]:
        return tuple(single for bound in self.bounds for single in bound.each())

    @property
    def most_parents(self) -> int | None:
        return min((bound.most_parents for bound in self.bounds if bound.most_parents is not None), default=None)


def fewest(items: Sequence[T], remains: Callable[[Sequence[T]], bool]) -> list[T]:
    """The items without those that can be left out one after the other; many at a time first, since that is faster."""
    left, size = list(items), max(1, len(items) // 2)
    while True:
        at = 0
        while at < len(left):
            fewer = left[:at] + left[at + size :]
            if remains(fewer):
                left = fewer
            else:
                at += size
        if size == 1:
            return left
        size //= 2

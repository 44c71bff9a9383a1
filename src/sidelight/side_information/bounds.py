"""The library's bounds: diamond-free, and those that bound the clique number of the skeleton.

A bound on the treewidth, the vertex cover number or the in-degree is a bound on the clique number.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import index
from typing import TYPE_CHECKING, ClassVar

import networkx as nx

from sidelight.errors import InputError
from sidelight.graphs.dag import Dag, cliques
from sidelight.graphs.properties import (
    clique_number,
    diamonds,
    has_vertex_cover,
    is_diamond_free,
    max_in_degree,
    treewidth_at_most,
)
from sidelight.side_information.base import CONTRADICTION, TRUTH, BrokenBound, Pair, SideInformation, Status, fewest
from sidelight.text.sentences import listed

if TYPE_CHECKING:
    from sidelight.knowledge.constraints import Constraints


@dataclass(frozen=True)
class DiamondFree(SideInformation):
    """No three parents A, B, C of one variable have A adjacent to B and to C without B adjacent to C (RSL-D)."""

    word: ClassVar[str] = "diamond-free"

    def left_out(self, boundary_size: int) -> tuple[int, int]:
        return 0, min(1, boundary_size - 1)

    def __str__(self) -> str:
        return "diamond-free"

    def in_words(self) -> str:
        return self.word

    def keeps(self, graph: nx.DiGraph) -> bool:
        return is_diamond_free(graph)

    def breaches(self, dag: Dag, first: int = 0) -> Iterator[list[Pair]]:
        for diamond in dag.diamonds(first):
            yield _edges_among(dag, diamond)

    def broken_by(self, closed: Constraints) -> Iterator[BrokenBound]:
        for effect, causes in sorted(_causes(closed).items()):
            for b, c in combinations(sorted(causes), 2):
                if closed.allowed[b, c] or closed.allowed[c, b]:
                    continue  # the two may be adjacent, and then there is no diamond
                between = sorted(a for a in causes if {_pair(a, b), _pair(a, c)} <= closed.adjacent)
                if between:
                    yield self._broken(closed.names, (between[0], b, c, effect))
                    return

    def _broken(self, names: Sequence[Hashable], diamond: tuple[int, int, int, int]) -> BrokenBound:
        a, b, c, d = diamond
        first, second, third, effect = (names[i] for i in diamond)
        text = f"{first}, {second} and {third} make a diamond over {effect}"
        return BrokenBound(self, text, ((a, d), (b, d), (c, d)), (_pair(a, b), _pair(a, c)), (_pair(b, c),))

    def certified(self, graph: nx.DiGraph, proviso: str, doubt: str) -> tuple[Status, str]:
        found = list(diamonds(graph))
        if found:
            a, b, c, d = found[0]
            return "cannot be checked", (
                f"the learned graph contains {len(found)} diamond{'s' * (len(found) > 1)}, for example "
                f"{a}, {b}, {c} → {d} with {a} adjacent to {b} and {c}. If {proviso}, the true structure is not "
                "diamond-free: no edge is missing, but some may be extra. If not, a wrong answer may have made the "
                "diamond."
            )
        rest = ", which is consistent with the assumption that the true structure has none, but does not prove it."
        return "cannot be checked", f"the learned graph contains no diamond{f', but {doubt}' if doubt else rest}"


class CliqueBound(SideInformation):
    """An assumption that bounds the clique number of the skeleton (RSL-ω)."""

    meaning: ClassVar[str]
    smallest: ClassVar[int]
    word: ClassVar[str] = ""  # of the command line, before its number
    more: ClassVar[int] = 1  # by how much the clique number may exceed that number

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
    def number(self) -> int:
        """The one number that it has."""
        (number,) = vars(self).values()
        return int(number)

    @property
    def clique_bound(self) -> int:
        """The largest clique number that the assumption allows."""
        return self.number + self.more

    def left_out(self, boundary_size: int) -> tuple[int, int]:
        # A boundary smaller than the bound caps it: docs/decisions/0002 has the proof. A boundary with two members
        # refutes the bound 1; then the questions for 2 are asked.
        m = min(max(2, self.clique_bound), boundary_size)
        return m - 2, m - 1

    def __str__(self) -> str:
        return f"{self.meaning} ≤ {self.number}"

    def in_words(self) -> str | None:
        return f"{self.word}:{self.number}" if self.word else None

    def as_found(self) -> SideInformation:
        return FoundCliqueNumber(self.clique_bound)

    def breaches(self, dag: Dag, first: int = 0) -> Iterator[list[Pair]]:
        too_large = cliques(dag.neighbours, max(2, self.clique_bound + 1))
        for clique in sorted(too_large, key=lambda clique: (-len(clique), clique)):
            yield _edges_among(dag, clique)

    def broken_by(self, closed: Constraints) -> Iterator[BrokenBound]:
        for clique in nx.find_cliques(nx.Graph(closed.adjacent)):
            if len(clique) > self.clique_bound:
                members = sorted(clique)
                which = listed(closed.names[i] for i in members)
                text = f"{which} are all adjacent to each other, but at most {self.clique_bound} variables can be"
                yield BrokenBound(self, text, edges=tuple(combinations(members, 2)))
                return
        if closed.said_ancestors and self.keeps(nx.DiGraph([(0, 1)])) is False:
            path = min(closed.said_ancestors)
            cause, effect = (closed.names[i] for i in path)
            yield BrokenBound(self, f"{cause} is an ancestor of {effect}, but nothing can be adjacent", paths=(path,))

    def certified(self, graph: nx.DiGraph, proviso: str, doubt: str) -> tuple[Status, str]:
        learned = clique_number(graph)
        if learned > self.clique_bound:
            return self._exceeded(f"the learned graph has a clique of {learned} variables", proviso, doubt)
        kept, fact = self.keeps(graph), f"the learned graph has clique number {learned}, within {self._source}"
        if kept is False:
            rest = doubt or f"if {proviso}, {TRUTH}, which breaks it too."
            return "violated", f"{fact}, but it breaks the assumption itself; {rest}"
        if kept is None:
            fact = f"{fact}, which itself was not checked"
        if doubt:
            return "cannot be checked", f"{fact}, but {doubt}"
        return "consistent" if kept else "cannot be checked", f"{fact}; if {proviso}, {TRUTH}."

    @property
    def _source(self) -> str:
        """The bound on the clique number, and where it comes from."""
        return f"the clique number ≤ {self.clique_bound} that follows from the assumed {self}"

    def _exceeded(self, fact: str, proviso: str, doubt: str) -> tuple[Status, str]:
        return "violated", (
            f"{fact}, beyond {self._source}; learn again with a larger bound, or "
            f"with none. If {proviso}, no true edge is missing, but there may be extra edges and wrong directions."
        )

    def kept_by_search(self, kept: bool | None) -> str:
        return super().kept_by_search(kept) or f"{self._source}, which itself was not checked"


@dataclass(frozen=True)
class CliqueNumber(CliqueBound):
    """The clique number of the skeleton is at most ``m``."""

    m: int
    meaning = "clique number"
    smallest = 1
    word = "clique"
    more = 0

    def keeps(self, graph: nx.DiGraph) -> bool:
        return clique_number(graph) <= self.m

    @property
    def _source(self) -> str:
        return f"the assumed {self}"


@dataclass(frozen=True)
class FoundCliqueNumber(CliqueNumber):
    """The clique number at which a search without side information stopped; edges added afterwards may exceed it."""

    @property
    def _source(self) -> str:
        return f"the {self} at which the search stopped"

    def _exceeded(self, fact: str, proviso: str, doubt: str) -> tuple[Status, str]:
        return "cannot be checked", f"{fact}, beyond {self._source}: {doubt or CONTRADICTION}"


class SkeletonBound(CliqueBound):
    """A bound on another number of the skeleton, which the clique number does not decide."""

    def broken_by(self, closed: Constraints) -> Iterator[BrokenBound]:
        by_clique = next(super().broken_by(closed), None)
        if by_clique is not None:
            yield by_clique
        elif self._breaks(sorted(closed.adjacent)):
            edges = fewest(sorted(closed.adjacent), self._breaks)
            which = listed(f"{closed.names[i]} — {closed.names[j]}" for i, j in edges)
            yield BrokenBound(self, f"{which} cannot all be edges", edges=tuple(edges))

    def _breaks(self, edges: Sequence[Pair]) -> bool:
        return self.keeps(nx.DiGraph(edges)) is False


@dataclass(frozen=True)
class Treewidth(SkeletonBound):
    """The treewidth of the skeleton is at most ``t``, so its clique number is at most t + 1."""

    t: int
    meaning = "treewidth"
    smallest = 0
    word = "treewidth"

    def keeps(self, graph: nx.DiGraph) -> bool | None:
        return treewidth_at_most(graph, self.t)


@dataclass(frozen=True)
class VertexCover(SkeletonBound):
    """Some ``k`` variables touch every edge, so the clique number is at most k + 1."""

    k: int
    meaning = "vertex cover number"
    smallest = 0
    word = "vertex-cover"

    def keeps(self, graph: nx.DiGraph) -> bool | None:
        return has_vertex_cover(graph, self.k)


@dataclass(frozen=True)
class MaxInDegree(CliqueBound):
    """No variable has more than ``d`` parents, so the clique number is at most d + 1."""

    d: int
    meaning = "largest in-degree"
    smallest = 0
    word = "in-degree"

    @property
    def most_parents(self) -> int:
        return self.d

    def keeps(self, graph: nx.DiGraph) -> bool:
        return max_in_degree(graph) <= self.d  # all DAGs of an equivalence class have the same largest in-degree

    def breaches(self, dag: Dag, first: int = 0) -> Iterator[list[Pair]]:
        crowded = (v for v in range(first, len(dag)) if len(dag.parents[v]) > self.d)
        yield from ([(tail, v) for tail in sorted(dag.parents[v])] for v in crowded)

    def broken_by(self, closed: Constraints) -> Iterator[BrokenBound]:
        for effect, causes in sorted(_causes(closed).items()):
            if len(causes) > self.d:
                which = listed(closed.names[i] for i in sorted(causes))
                text = f"{which} are causes of {closed.names[effect]}, but it can have at most {self.d}"
                yield BrokenBound(self, text, arrows=tuple((cause, effect) for cause in sorted(causes)))
                break
        yield from super().broken_by(closed)


def _edges_among(dag: Dag, members: Sequence[int]) -> list[Pair]:
    return sorted((tail, head) for head in members for tail in dag.parents[head].intersection(members))


def _causes(closed: Constraints) -> dict[int, set[int]]:
    causes: dict[int, set[int]] = {}
    for cause, effect in closed.required:
        causes.setdefault(effect, set()).add(cause)
    return causes


def _pair(i: int, j: int) -> Pair:
    return min(i, j), max(i, j)

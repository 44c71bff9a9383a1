"""A graph with a mark at both ends of each edge, the value that DAGs, essential graphs, MAGs and PAGs share.

A tail at a says that a is a cause of b (or, in the undirected edges of essential graphs, that it may be), an arrow that
it is not, a circle that both are possible. Which graphs of this form are DAGs, MAGs or PAGs, other modules say.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from sidelight.errors import InputError
from sidelight.graphs.dag import Dag, PartialDag


class Mark(IntEnum):
    """What stands at one end of an edge."""

    TAIL = 1
    ARROW = 2
    CIRCLE = 3

    def __str__(self) -> str:
        return self.name.lower()


TAIL, ARROW, CIRCLE = Mark.TAIL, Mark.ARROW, Mark.CIRCLE
SYMBOLS = {
    (TAIL, ARROW): "→",
    (ARROW, TAIL): "←",
    (ARROW, ARROW): "↔",
    (TAIL, TAIL): "—",
    (CIRCLE, ARROW): "○→",
    (ARROW, CIRCLE): "←○",
    (CIRCLE, CIRCLE): "○—○",
    (TAIL, CIRCLE): "—○",
    (CIRCLE, TAIL): "○—",
}


class MarkedEdge(NamedTuple):
    """The edge between a and b, with the mark at each end."""

    a: int
    b: int
    at_a: Mark
    at_b: Mark

    def reversed(self) -> MarkedEdge:
        """The same edge, seen from b."""
        return MarkedEdge(self.b, self.a, self.at_b, self.at_a)

    @property
    def symbol(self) -> str:
        """The edge as it is written between a and b: →, ↔, —, ○→ or ○—○, say."""
        return SYMBOLS[self.at_a, self.at_b]


@dataclass(frozen=True)
class MarkedGraph:
    """For each variable, by column index, its neighbours and the mark at the neighbour's end of the edge.

    ``ends[a][b]`` is the mark at b of the edge between a and b, and ``ends[b][a]`` that at a; what is not there is not
    adjacent. Memory grows with the edges.
    """

    names: tuple[Hashable, ...]
    ends: tuple[Mapping[int, Mark], ...]

    @staticmethod
    def of_edges(names: Sequence[Hashable], edges: Iterable[tuple[int, int, Mark, Mark]]) -> MarkedGraph:
        """The graph of these edges: both variables, then the marks at their ends; one edge between two variables."""
        ends: list[dict[int, Mark]] = [{} for _ in names]
        for a, b, at_a, at_b in edges:
            if not (a != b and min(a, b) >= 0 and max(a, b) < len(names)) or b in ends[a]:
                raise InputError(f"an edge joins two different variables, and only once: {a} and {b}")
            ends[a][b], ends[b][a] = Mark(at_b), Mark(at_a)
        return MarkedGraph.of_ends(names, ends)

    @staticmethod
    def of_ends(names: Sequence[Hashable], ends: Sequence[Mapping[int, Mark]]) -> MarkedGraph:
        """The graph with these marks, in the order of the columns."""
        return MarkedGraph(tuple(names), tuple({b: row[b] for b in sorted(row)} for row in ends))

    @staticmethod
    def of_dag(dag: Dag) -> MarkedGraph:
        """All edges from a tail to an arrow."""
        return MarkedGraph.of_edges(dag.names, ((p, v, TAIL, ARROW) for p, v in dag.edges()))

    @staticmethod
    def of_partial(names: Sequence[Hashable], graph: PartialDag) -> MarkedGraph:
        """The same edges, with tails at both ends of those that are undirected."""
        directed = [(a, b, TAIL, ARROW) for a, b in graph.directed_edges()]
        return MarkedGraph.of_edges(names, directed + [(a, b, TAIL, TAIL) for a, b in graph.undirected_edges()])

    def to_partial(self) -> PartialDag:
        """The same edges as directed and undirected ones; other marks are an ``InputError``."""
        other = next((e for e in self.edges() if CIRCLE in (e.at_a, e.at_b) or e.at_a == e.at_b == ARROW), None)
        if other is not None:
            edge = f"{self.names[other.a]} {other.symbol} {self.names[other.b]}"
            raise InputError(f"only directed and undirected edges are possible here, not {edge}")
        return PartialDag(
            [set(parents) for parents in self.parents],
            [set(children) for children in self.children],
            [set(neighbours) for neighbours in self.undirected],
        )

    def to_dag(self) -> Dag:
        """The same edges as a DAG; an edge of another kind is an ``InputError``. Nobody looks for cycles."""
        other = next((e for e in self.edges() if {e.at_a, e.at_b} != {TAIL, ARROW}), None)
        if other is not None:
            edge = f"{self.names[other.a]} {other.symbol} {self.names[other.b]}"
            raise InputError(f"all edges of a DAG are directed, but there is {edge}")
        return Dag(self.names, self.parents)

    def __len__(self) -> int:
        return len(self.names)

    def __hash__(self) -> int:
        return hash((self.names, tuple(self.edges())))

    def adjacent(self, a: int, b: int) -> bool:
        """True when there is an edge of any kind between a and b."""
        return b in self.ends[a]

    def mark(self, a: int, b: int) -> Mark | None:
        """The mark at b's end of the edge between a and b; None if they are not adjacent."""
        return self.ends[a].get(b)

    def edge(self, a: int, b: int) -> MarkedEdge:
        """The edge between two adjacent variables, seen from a."""
        return MarkedEdge(a, b, self.ends[b][a], self.ends[a][b])

    def edges(self) -> Iterator[MarkedEdge]:
        """All edges, each once, with a < b, in the order of the columns."""
        for a, row in enumerate(self.ends):
            yield from (MarkedEdge(a, b, self.ends[b][a], at_b) for b, at_b in row.items() if a < b)

    @cached_property
    def n_edges(self) -> int:
        """How many edges there are."""
        return sum(map(len, self.ends)) // 2

    def joined(self, at_this: Mark, at_other: Mark) -> tuple[frozenset[int], ...]:
        """For each variable those joined to it by an edge with this mark at its end, and that one at theirs."""
        return tuple(
            frozenset(b for b, at_b in row.items() if at_b == at_other and self.ends[b][a] == at_this)
            for a, row in enumerate(self.ends)
        )

    @cached_property
    def neighbours(self) -> tuple[frozenset[int], ...]:
        """All variables adjacent to each."""
        return tuple(map(frozenset, self.ends))

    @cached_property
    def parents(self) -> tuple[frozenset[int], ...]:
        """For each variable b all a with a → b."""
        return self.joined(ARROW, TAIL)

    @cached_property
    def children(self) -> tuple[frozenset[int], ...]:
        """For each variable a all b with a → b."""
        return self.joined(TAIL, ARROW)

    @cached_property
    def spouses(self) -> tuple[frozenset[int], ...]:
        """For each variable those with a ↔ b."""
        return self.joined(ARROW, ARROW)

    @cached_property
    def undirected(self) -> tuple[frozenset[int], ...]:
        """For each variable those with a — b, tails at both ends."""
        return self.joined(TAIL, TAIL)

    @cached_property
    def circles(self) -> tuple[frozenset[int], ...]:
        """For each variable those with a ○—○ b."""
        return self.joined(CIRCLE, CIRCLE)

"""Do the data agree with what was said of the structure? What is learned without it is held against it.

Each piece of knowledge that the structure learned without it contradicts is a doubt: arrows that the data direct
otherwise, edges that they do not need, or that they need though they were ruled out, paths. Doubts are ranked by how
clearly the data speak, in nats: what the score loses if the piece is kept, or minus the logarithm of a p-value where
there is no score.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log

import networkx as nx

from sidelight.families import CITest
from sidelight.graphs.dag import Dag, PartialDag
from sidelight.graphs.separating_sets import SeparatingSets
from sidelight.knowledge import Constraints, Known, Statement, constraints_of

SMALLEST_P, MOST_PIECES = 1e-300, 100
INDEPENDENT = 0.05  # the p-value from which a test alone speaks against an edge
Arrow = tuple[int, int]


@dataclass(frozen=True)
class Doubt:
    """A piece of knowledge that the data speak against, about which variables, why, and how clearly, in nats."""

    said: str
    variables: tuple[Hashable, ...]
    reason: str
    nats: float

    def __str__(self) -> str:
        return f"{self.said}. Learned without what you said, {self.reason}"


@dataclass(frozen=True)
class Unconstrained:
    """What was learned without knowledge: the graph, a DAG of its class, separating sets, and what the score says.

    ``edge_nats`` is what an edge (tail, head) of the DAG adds to the score, ``turn_nats`` what turning an arrow costs,
    ``gain`` what an arrow more would add; they are empty or None without a score.
    """

    test: CITest
    graph: PartialDag
    dag: Dag
    sets: SeparatingSets
    edge_nats: Mapping[Arrow, float]
    turn_nats: Mapping[Arrow, float]
    gain: Callable[[int, int], float] | None

    def edge(self, tail: int, head: int) -> float:
        """How clearly the data show an edge of the DAG."""
        if (tail, head) in self.edge_nats:
            return self.edge_nats[tail, head]
        given = sorted(self.dag.parents[head] - {tail})
        return -log(max(SMALLEST_P, self.test.checked_p_value(tail, head, given)))

    def arrow(self, tail: int, head: int) -> float:
        """How clearly the data show the direction of an arrow."""
        return min(self.turn_nats.get((tail, head), inf), self.edge(tail, head))

    def in_words(self, nats: float) -> str:
        """How clearly the data show something; answers that are never wrong leave nothing to say."""
        return "" if self.test.is_exact else f" ({nats:.1f} nats)"

    def absence(self, x: int, y: int) -> float:
        """How clearly the data show that two variables are not adjacent, negative if they do not.

        By what an edge would cost; where a score would rather have it, by a test alone: less than any such cost.
        """
        p = self.test.checked_p_value(x, y, sorted(self.sets.between(x, y)))
        cost = 0.0 if self.gain is None else -max(self.gain(x, y), self.gain(y, x))
        return cost if cost > 0 else p - INDEPENDENT


def doubts_about(known: Known, found: Unconstrained) -> tuple[Doubt, ...]:
    """All doubts, about each set of variables the clearest; the clearest about each piece come first."""
    names = found.dag.names
    doubts = [
        Doubt(str(piece), tuple(names[v] for v in variables), reason, nats)
        for piece in _doubtful_pieces(known, found)
        for variables, reason, nats in _against(constraints_of(Known((), (piece,)), names), found)
    ]
    clearest: dict[frozenset[Hashable], Doubt] = {}
    for doubt in sorted(doubts, key=lambda doubt: (-doubt.nats, doubt.said, tuple(map(str, doubt.variables)))):
        clearest.setdefault(frozenset(doubt.variables), doubt)
    first = {doubt.said: doubt for doubt in reversed(clearest.values())}
    return (
        *(doubt for doubt in clearest.values() if first[doubt.said] is doubt),
        *(doubt for doubt in clearest.values() if first[doubt.said] is not doubt),
    )


def _doubtful_pieces(known: Known, found: Unconstrained) -> Iterator[Statement]:
    """The pieces of the statements that are contradicted; a statement of very many pieces stays whole."""
    for statement in known.statements:
        whole = constraints_of(Known((), (statement,)), found.dag.names)
        if next(_against(whole, found), None) is not None:
            pieces = statement.pieces()
            yield from pieces if len(pieces) <= MOST_PIECES else (statement,)


def doubt_about_all(known: Known, nats: float = 0.0) -> Doubt:
    """Where no single piece is contradicted, but all of them together are, or cost the score clearly."""
    said = "; ".join(map(str, known.statements))
    how = f"the score is higher by {nats:.1f} nats" if nats else "the structure is another one"
    return Doubt(said, (), f"{how}, though no single statement is contradicted", nats)


def _against(piece: Constraints, found: Unconstrained) -> Iterator[tuple[Sequence[int], str, float]]:
    """Where a structure contradicts a piece: the variables, why, and how clearly."""
    names = found.dag.names
    for x, y in sorted(piece.adjacent):
        if y not in found.dag.neighbours[x] and (nats := found.absence(x, y)) >= 0:
            yield (x, y), _not_adjacent(found, x, y), nats
    for tail, head in found.dag.edges():
        if not piece.allowed[tail, head] and not piece.allowed[head, tail]:
            nats = found.edge(tail, head)
            yield (tail, head), f"{names[tail]} and {names[head]} are adjacent{found.in_words(nats)}", nats
    for tail, head in found.graph.directed_edges():
        if not piece.allowed[tail, head] and piece.allowed[head, tail]:
            nats = found.arrow(tail, head)
            yield (tail, head), f"the edge is directed {names[tail]} → {names[head]}{found.in_words(nats)}", nats
    yield from _about_paths(piece, found)


def _not_adjacent(found: Unconstrained, x: int, y: int) -> str:
    names, given = found.dag.names, sorted(found.sets.between(x, y))
    p = "" if found.test.is_exact else f" (p = {found.test.checked_p_value(x, y, given):.2g})"
    condition = f"given {', '.join(str(names[z]) for z in given)} " if given else ""
    return f"{names[x]} and {names[y]} are not adjacent: {condition}they are independent{p}"


def _about_paths(piece: Constraints, found: Unconstrained) -> Iterator[tuple[Sequence[int], str, float]]:
    names, arrows = found.dag.names, nx.DiGraph(found.graph.directed_edges())
    arrows.add_nodes_from(range(len(names)))
    for a, b in sorted(piece.open_not_ancestors):
        if nx.has_path(arrows, a, b):
            path = nx.shortest_path(arrows, a, b)
            nats = min(found.arrow(*arrow) for arrow in nx.utils.pairwise(path))
            yield (a, b), f"a path leads from {names[a]} to {names[b]}: {' → '.join(str(names[v]) for v in path)}", nats
    if not piece.open_ancestors:
        return
    possible = arrows.copy()
    possible.add_edges_from(way for a, b in found.graph.undirected_edges() for way in ((a, b), (b, a)))
    for a, b in sorted(piece.open_ancestors):
        if not nx.has_path(possible, a, b):
            yield (a, b), f"no directed path leads from {names[a]} to {names[b]}", _against_any_path(found, a, b)


def _against_any_path(found: Unconstrained, a: int, b: int) -> float:
    """How clearly the data show that there is none: by the clearest arrow that leads the other way, else by absence."""
    backwards = [found.arrow(tail, head) for tail, head in found.graph.directed_edges() if (tail, head) == (b, a)]
    return max(backwards, default=0.0 if b in found.dag.neighbours[a] else found.absence(a, b))

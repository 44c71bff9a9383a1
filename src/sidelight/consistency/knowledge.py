"""What is learned without background knowledge is held against it.

Each piece of knowledge that the structure learned without it contradicts is a doubt: arrows that the search directs
otherwise, edges that the data do not need, or that they need though they were ruled out, paths. Doubts are ranked by
how clear they are, in nats: what the score loses if the piece is kept, or minus the logarithm of a p-value where there
is no score. Data cannot contradict an order in time or descent: that a search prefers the other direction is a sign of
a hidden common cause, or of an error of the search.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log
from typing import NamedTuple

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
    """A piece of knowledge, the variables at which the structure learned without it is another one, why, and by how
    much, in nats; ``of_direction`` if only a direction is."""

    said: str
    variables: tuple[Hashable, ...]
    reason: str
    nats: float
    of_direction: bool = False

    def __str__(self) -> str:
        return f"{self.said}. Without background knowledge, {self.reason}"


DIRECTIONS = (
    "no data contradict an order in time or descent: that the search prefers another direction may come from a hidden "
    "common cause, or the search is wrong. Keep what is certain"
)


def by_statement(doubts: Iterable[Doubt]) -> dict[str, list[str]]:
    """Each statement once, with all reasons to doubt it; the clearest first."""
    reasons: dict[str, list[str]] = {}
    for doubt in doubts:
        reasons.setdefault(doubt.said, []).append(doubt.reason)
    return reasons


def meaning_of(doubts: Iterable[Doubt]) -> str:
    """What it means that a search prefers other directions; empty where none are doubted."""
    return DIRECTIONS if any(doubt.of_direction for doubt in doubts) else ""


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
    doubts = _all_doubts(known, found)
    clearest: dict[frozenset[Hashable], Doubt] = {}
    for doubt in sorted(doubts, key=lambda doubt: (-doubt.nats, doubt.said, tuple(map(str, doubt.variables)))):
        clearest.setdefault(frozenset(doubt.variables), doubt)
    first = {doubt.said: doubt for doubt in reversed(clearest.values())}
    return (
        *(doubt for doubt in clearest.values() if first[doubt.said] is doubt),
        *(doubt for doubt in clearest.values() if first[doubt.said] is not doubt),
    )


TOGETHER = "all statements together"


def _all_doubts(known: Known, found: Unconstrained) -> list[Doubt]:
    """Of the pieces of each statement, then of each statement, then of all: what no part of it accounts for."""
    doubts: list[Doubt] = []
    for statement in known.statements:
        of_whole = _doubts_of(statement, str(statement), found)
        if of_whole:
            pieces = statement.pieces()
            few = pieces if len(pieces) <= MOST_PIECES else ()
            of_pieces = [doubt for piece in few for doubt in _doubts_of(piece, str(piece), found)]
            doubts += [*of_pieces, *_beyond(of_pieces, of_whole)]
    if len(known.statements) > 1:
        doubts += _beyond(doubts, _doubts_of(known, TOGETHER, found))
    return doubts


def _doubts_of(what: Statement | Known, said: str, found: Unconstrained) -> list[Doubt]:
    names = found.dag.names
    piece = constraints_of(what if isinstance(what, Known) else Known((), (what,)), names)
    against = _against(piece, found)
    return [Doubt(said, tuple(names[v] for v in each.variables), *each[1:]) for each in against]


def _beyond(doubts: Sequence[Doubt], more: Sequence[Doubt]) -> list[Doubt]:
    """Those about other variables than the first ones, or clearer about the same."""
    covered: dict[frozenset[Hashable], float] = {}
    for doubt in doubts:
        variables = frozenset(doubt.variables)
        covered[variables] = max(doubt.nats, covered.get(variables, -inf))
    return [doubt for doubt in more if doubt.nats > covered.get(frozenset(doubt.variables), -inf)]


def doubt_about_all(known: Known, nats: float = 0.0, single: bool = False) -> Doubt:
    """All statements are contradicted, or cost the score clearly; ``single`` if single ones are doubted too."""
    how = f"the score is higher by {nats:.1f} nats" if nats else "the structure is another one"
    if single:
        return Doubt(TOGETHER, (), how, nats, True)
    said = "; ".join(map(str, known.statements))
    return Doubt(said, (), f"{how}, though no single statement is contradicted", nats, True)


class Against(NamedTuple):
    """Where a structure contradicts a piece: the variables, why, how clearly, and whether by a direction alone."""

    variables: Sequence[int]
    reason: str
    nats: float
    of_direction: bool = False


def _against(piece: Constraints, found: Unconstrained) -> Iterator[Against]:
    """All places."""
    names = found.dag.names
    for x, y in sorted(piece.adjacent):
        if y not in found.dag.neighbours[x] and (nats := found.absence(x, y)) >= 0:
            yield Against((x, y), _not_adjacent(found, x, y), nats)
    for tail, head in found.dag.edges():
        if not piece.allowed[tail, head] and not piece.allowed[head, tail]:
            nats = found.edge(tail, head)
            yield Against((tail, head), f"{names[tail]} and {names[head]} are adjacent{found.in_words(nats)}", nats)
    for tail, head in found.graph.directed_edges():
        if not piece.allowed[tail, head] and piece.allowed[head, tail]:
            nats = found.arrow(tail, head)
            yield Against((tail, head), _other_direction(found, tail, head, nats), nats, True)
    yield from _about_paths(piece, found)


def _other_direction(found: Unconstrained, tail: int, head: int, nats: float) -> str:
    arrow = f"{found.dag.names[tail]} → {found.dag.names[head]}"
    if found.test.is_exact:
        return f"the edge is directed {arrow}"
    if nats <= 0:  # turned alone it would cost nothing: other arrows entail it
        return f"the search directs {arrow}, which follows from other arrows"
    return f"the search directs {arrow}, and prefers that by {nats:.1f} nats"


def _not_adjacent(found: Unconstrained, x: int, y: int) -> str:
    names, given = found.dag.names, sorted(found.sets.between(x, y))
    p = "" if found.test.is_exact else f" (p = {found.test.checked_p_value(x, y, given):.2g})"
    condition = f"given {', '.join(str(names[z]) for z in given)} " if given else ""
    return f"{names[x]} and {names[y]} are not adjacent: {condition}they are independent{p}"


def _about_paths(piece: Constraints, found: Unconstrained) -> Iterator[Against]:
    names, arrows = found.dag.names, nx.DiGraph(found.graph.directed_edges())
    arrows.add_nodes_from(range(len(names)))
    for a, b in sorted(piece.open_not_ancestors):
        if nx.has_path(arrows, a, b):
            path = nx.shortest_path(arrows, a, b)
            nats = min(found.arrow(*arrow) for arrow in nx.utils.pairwise(path))
            shown = " → ".join(str(names[v]) for v in path)
            yield Against((a, b), f"a path leads from {names[a]} to {names[b]}: {shown}", nats, True)
    if not piece.open_ancestors:
        return
    possible = arrows.copy()
    possible.add_edges_from(way for a, b in found.graph.undirected_edges() for way in ((a, b), (b, a)))
    for a, b in sorted(piece.open_ancestors):
        if not nx.has_path(possible, a, b):
            clearly = _against_any_path(found, a, b)
            yield Against((a, b), f"no directed path leads from {names[a]} to {names[b]}", clearly, True)


def _against_any_path(found: Unconstrained, a: int, b: int) -> float:
    """How clearly the data show that there is none: by the clearest arrow that leads the other way, else by absence."""
    backwards = [found.arrow(tail, head) for tail, head in found.graph.directed_edges() if (tail, head) == (b, a)]
    return max(backwards, default=0.0 if b in found.dag.neighbours[a] else found.absence(a, b))

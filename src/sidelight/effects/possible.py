"""All possible effects of a class of DAGs, each once, where the graph does not identify the effect.

The shortest undecided path is begun in both directions, and Meek's rules close the graph, until every graph of the list
identifies the effect. No two of them then have the same formula for it (Guo & Perković 2021, "Minimal enumeration of
all possible total effects in a Markov equivalence class").
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from sidelight.effects.paths import undecided_path
from sidelight.graphs.dag import PartialDag
from sidelight.orientation.meek import forced_by

Arrow = tuple[int, int]


@dataclass(frozen=True)
class Candidate:
    """A part of the class that agrees on the effect: its graph, and the directions that were assumed for it."""

    graph: PartialDag
    assumed: tuple[Arrow, ...] = ()


@dataclass(frozen=True)
class Question:
    """An undirected edge, and how many of the possible effects remain if it points from a to b, or from b to a."""

    a: int
    b: int
    if_forward: int
    if_backward: int


def candidates(graph: PartialDag, causes: Collection[int], target: int) -> Iterator[Candidate]:
    """The parts of the class that differ in the effect; one if it is identified. The graph is closed."""
    waiting = [Candidate(graph)]
    while waiting:
        found = waiting.pop()
        path = undecided_path(found.graph, causes, target)
        if path is None:
            yield found
            continue
        edge = path[0], path[1]
        waiting.extend(directed(found, tail, head) for tail, head in (edge[::-1], edge))


def directed(candidate: Candidate, tail: int, head: int) -> Candidate:
    """The same with one more edge directed, and what follows."""
    graph = candidate.graph.copy()
    for _ in forced_by(graph, tail, head):
        pass
    return Candidate(graph, (*candidate.assumed, (tail, head)))


def best_question(graph: PartialDag, found: Sequence[Candidate]) -> Question | None:
    """The edge whose direction would leave the fewest candidates, whichever it is; None if none would settle any."""
    questions = [_question(a, b, found) for a, b in graph.undirected_edges()]
    best = min(questions, key=lambda q: (max(q.if_forward, q.if_backward), q.a, q.b), default=None)
    return best if best is not None and max(best.if_forward, best.if_backward) < len(found) else None


def _question(a: int, b: int, found: Sequence[Candidate]) -> Question:
    forward = sum(a not in candidate.graph.children[b] for candidate in found)
    backward = sum(b not in candidate.graph.children[a] for candidate in found)
    return Question(a, b, forward, backward)


def possible_parents(graph: PartialDag, x: int) -> Iterator[frozenset[int]]:
    """All sets of parents that x has in DAGs of the class (Fang & He 2020).

    Of its undirected neighbours a pairwise adjacent set, none of whose members has a parent among the others.
    """
    neighbours = sorted(graph.undirected[x])
    cliques: list[tuple[int, ...]] = [()]
    for clique in cliques:  # grows meanwhile
        rest = graph.undirected[x].difference(clique)
        if not any(graph.parents[v] & rest for v in clique):
            yield frozenset([*graph.parents[x], *clique])
        last = clique[-1] if clique else -1
        cliques.extend((*clique, v) for v in neighbours if v > last and all(graph.adjacent(v, w) for w in clique))

"""Adjustment where causes may be hidden: the generalized criterion for PAGs, and the structures around a cause.

A set is valid if every possibly causal path begins with a visible edge, nothing in the set may follow from what is on
such a path, and the set blocks all others (Perković, Textor, Kalisch & Maathuis, JMLR 2018). Where none is, the marks
at the cause are put in all ways that the class allows, as in LV-IDA (Malinsky & Spirtes 2017): each has the effect 0,
an adjustment set of its own, or none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from sidelight.effects.adjustment import Given
from sidelight.graphs.ancestral import is_ancestral, is_maximal, m_separated, reached
from sidelight.graphs.marks import ARROW, CIRCLE, TAIL, MarkedGraph
from sidelight.knowledge import Constraints
from sidelight.orientation.ancestry import is_visible, may_lead
from sidelight.orientation.marked_knowledge import with_marks
from sidelight.orientation.pag import mag_in, pag_of

MOST_CIRCLES = 8  # at the cause
Pair = tuple[int, int]


@dataclass(frozen=True)
class Identification:
    """What a graph with marks says of an effect: it is 0, it comes by adjusting for a set, or why by none.

    ``hidden`` is an edge with which a possibly causal path begins, of which something hidden may cause both ends.
    """

    is_zero: bool = False
    given: Given | None = None
    hidden: Pair | None = None


@dataclass(frozen=True)
class Structure:
    """A graph with all marks at the cause, which of its neighbours it causes, and what follows for the effect."""

    graph: MarkedGraph
    causes: dict[int, bool]  # of the neighbours that the class leaves open
    found: Identification


def identify(
    graph: MarkedGraph, causes: Sequence[int], target: int, known: Constraints, minimal: bool = False
) -> Identification:
    """What the graph says of the effect of the causes together."""
    onwards, backwards = _ways(graph)
    leading = reached(backwards, [target], causes)
    first = [(x, v) for x in causes for v in onwards[x] if v in leading]
    if not first:
        return Identification(is_zero=True)
    for x, v in first:
        sure = is_visible(graph, x, v) or (min(x, v), max(x, v)) in known.unconfounded
        if v not in graph.children[x] or not sure:
            return Identification(hidden=(x, v))
    between = reached(onwards, [v for _, v in first], causes) & leading
    forbidden = reached(onwards, between)
    given = reached(backwards, [*causes, target]) - {*causes, target} - forbidden
    member = mag_in(graph)
    rest = _without(member, first)
    if not is_legal(member) or not _blocks(rest, causes, target, given):
        return Identification()
    return Identification(given=_pruned(rest, causes, target, given, minimal))


def is_legal(mag: MarkedGraph) -> bool:
    """Is it a MAG?"""
    return is_ancestral(mag) and is_maximal(mag)


def _ways(graph: MarkedGraph) -> tuple[list[list[int]], list[list[int]]]:
    """For each variable those to which an edge may lead, and those from which one may."""
    n = range(len(graph))
    onwards = [[w for w in graph.ends[v] if may_lead(graph, v, w)] for v in n]
    return onwards, [[w for w in graph.ends[v] if may_lead(graph, w, v)] for v in n]


def _without(graph: MarkedGraph, edges: Collection[Pair]) -> MarkedGraph:
    kept = (e for e in graph.edges() if (e.a, e.b) not in edges and (e.b, e.a) not in edges)
    return MarkedGraph.of_edges(graph.names, kept)


def _blocks(graph: MarkedGraph, causes: Sequence[int], target: int, given: Collection[int]) -> bool:
    return all(m_separated(graph, x, target, {*given, *causes} - {x}) for x in causes)


def _pruned(graph: MarkedGraph, causes: Sequence[int], target: int, given: set[int], minimal: bool) -> Given:
    """Without what is not needed; if the set is not to be minimal, what says something of the target stays."""
    for v in sorted(given):
        fewer = given - {v}
        says_nothing = minimal or m_separated(graph, v, target, fewer.union(causes))
        if says_nothing and _blocks(graph, causes, target, fewer):
            given = fewer
    return frozenset(given)


def structures(pag: MarkedGraph, known: Constraints, x: int, target: int, minimal: bool = False) -> Iterator[Structure]:
    """All marks at x that some MAG of the class has, as far as that is seen, and what each says of the effect.

    ``pag`` is the class as it was learned.
    """
    start = with_marks(pag, known)
    open_ones = [v for v in pag.ends[x] if start is not None and start.ends[v][x] == CIRCLE]
    for ways in product((True, False), repeat=len(open_ones)):
        put = [(v, x, TAIL if causes else ARROW) for v, causes in zip(open_ones, ways, strict=True)]
        graph = with_marks(pag, known, put, look_ahead=False)
        if graph is not None and not _is_of(graph, pag):
            graph = with_marks(pag, known, put)  # where more inferences show no contradiction, none is known
        if graph is not None:
            found = identify(graph, [x], target, known, minimal) if _is_of(graph, pag) else Identification()
            yield Structure(graph, dict(zip(open_ones, ways, strict=True)), found)


def _is_of(graph: MarkedGraph, pag: MarkedGraph) -> bool:
    """Is the MAG that Zhang's construction makes of the graph one of the class?"""
    member = mag_in(graph)
    return is_legal(member) and pag_of(member).graph == pag


def n_circles(graph: MarkedGraph, x: int) -> int:
    """How many marks at x are open."""
    return sum(graph.ends[v][x] == CIRCLE for v in graph.ends[x])

"""Bounds on the structure that arrows and edges known beforehand already break."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import networkx as nx

from sidelight.knowledge.closure import Closure
from sidelight.knowledge.facts import Pair
from sidelight.side_information import CliqueBound, DiamondFree, MaxInDegree, SideInformation
from sidelight.text.sentences import listed


@dataclass(frozen=True)
class BrokenBound:
    """A bound, how it is broken, and the known arrows, edges and missing edges that break it, by position."""

    bound: SideInformation
    text: str
    arrows: tuple[Pair, ...] = ()
    edges: tuple[Pair, ...] = ()
    missing: tuple[Pair, ...] = ()


def broken_bounds(
    bounds: Sequence[SideInformation], closed: Closure, names: Sequence[Hashable]
) -> Iterator[BrokenBound]:
    """Every bound that cannot hold, with one place where it is broken."""
    for bound in bounds:
        if isinstance(bound, DiamondFree):
            yield from _diamond(bound, closed, names)
        if isinstance(bound, MaxInDegree):
            yield from _many_causes(bound, closed, names)
        if isinstance(bound, CliqueBound):
            yield from _large_clique(bound, closed, names)


def _large_clique(bound: CliqueBound, closed: Closure, names: Sequence[Hashable]) -> Iterator[BrokenBound]:
    for clique in nx.find_cliques(nx.Graph(closed.adjacent)):
        if len(clique) > bound.clique_bound:
            members = sorted(clique)
            which = listed(names[i] for i in members)
            text = f"{which} are all adjacent to each other, but at most {bound.clique_bound} variables can be"
            yield BrokenBound(bound, text, edges=tuple(combinations(members, 2)))
            return


def _many_causes(bound: MaxInDegree, closed: Closure, names: Sequence[Hashable]) -> Iterator[BrokenBound]:
    for effect, causes in sorted(_causes(closed).items()):
        if len(causes) > bound.d:
            which = listed(names[i] for i in sorted(causes))
            text = f"{which} are causes of {names[effect]}, but it can have at most {bound.d}"
            yield BrokenBound(bound, text, arrows=tuple((cause, effect) for cause in sorted(causes)))
            return


def _diamond(bound: DiamondFree, closed: Closure, names: Sequence[Hashable]) -> Iterator[BrokenBound]:
    for effect, causes in sorted(_causes(closed).items()):
        for b, c in combinations(sorted(causes), 2):
            if closed.allowed[b, c] or closed.allowed[c, b]:
                continue  # the two may be adjacent, and then there is no diamond
            between = sorted(a for a in causes if {_pair(a, b), _pair(a, c)} <= closed.adjacent)
            if between:
                yield _diamond_of(bound, names, (between[0], b, c, effect))
                return


def _diamond_of(bound: DiamondFree, names: Sequence[Hashable], diamond: tuple[int, int, int, int]) -> BrokenBound:
    a, b, c, d = diamond
    first, second, third, effect = (names[i] for i in diamond)
    text = f"{first}, {second} and {third} make a diamond over {effect}"
    return BrokenBound(bound, text, ((a, d), (b, d), (c, d)), (_pair(a, b), _pair(a, c)), (_pair(b, c),))


def _causes(closed: Closure) -> dict[int, set[int]]:
    causes: dict[int, set[int]] = {}
    for cause, effect in closed.required:
        causes.setdefault(effect, set()).add(cause)
    return causes


def _pair(i: int, j: int) -> Pair:
    return min(i, j), max(i, j)

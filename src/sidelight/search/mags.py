"""From the best DAG to a MAG: edges turn into ↔, and others go, as long as the score rises.

A hidden cause of c and y makes a DAG join each cause x of c with y, since c opens the path x → c ← hidden → y. A MAG
with c ↔ y does without these edges. Its score is that of all variables with their parents, and for each ↔ what the
score gains from one of the two as a parent of the other, beside the parents of both. That is the first round of
residual iterative conditional fitting (Drton, Eichler and Richardson 2009), and needs no more than a score of DAGs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from math import inf
from typing import NamedTuple

from sidelight.families.score import Score
from sidelight.graphs.ancestral import districts, inducing_path, reached, unseparable_pairs
from sidelight.graphs.dag import Dag
from sidelight.graphs.marks import ARROW, TAIL, MarkedGraph
from sidelight.graphs.separating_sets import Pair
from sidelight.orientation.pag import Pag, mag_in, pag_of

LEAST_GAIN = 1.0  # nats, for a change
MOST_JOINED = 6  # variables that ↔ connects; a large component takes long, and its score is a poor guide


class Change(NamedTuple):
    """The edge between two variables turns into ↔, or goes."""

    pair: Pair
    mutual: bool


class Changes(NamedTuple):
    """What is done together, and what the score gains."""

    gain: float
    changes: tuple[Change, ...]


class FoundMag(NamedTuple):
    """The MAG, its PAG and its score."""

    graph: MarkedGraph
    pag: Pag
    score: float


NOTHING = Changes(LEAST_GAIN, ())


def best_mag(dag: Dag, score: Score, tick: Callable[[], None] = lambda: None) -> FoundMag:
    """Change the DAG until no change of it, or of another MAG of its class, raises the score by ``LEAST_GAIN``."""
    draft = _Draft.of(MarkedGraph.of_dag(dag), cache(score.local))
    found = _climbed(draft, tick)
    while _turn(draft := _Draft.of(found.graph, draft.local), found.pag.graph.circles):
        again = _climbed(draft, tick)
        if again.score <= found.score + LEAST_GAIN:
            break
        found = again
    return found


def _climbed(draft: _Draft, tick: Callable[[], None]) -> FoundMag:
    """Make the change that raises the score most, until none does; one MAG of the class that was found."""
    _climb(draft, tick)
    pag = pag_of(draft.graph())
    graph = mag_in(pag.graph)
    return FoundMag(graph, pag, _Draft.of(graph, draft.local).value())


def _climb(draft: _Draft, tick: Callable[[], None]) -> None:
    """Make the change that raises the score most, until none does."""
    best = {(e.a, e.b): draft.best_for(e.a, e.b) for e in draft.graph().edges()}
    while (found := _highest(best.values())).changes:
        around = draft.connected_to(found.changes)
        if draft.change(found.changes):
            best |= {pair: draft.best_for(*pair) for pair in best if not around.isdisjoint(pair)}
            tick()
        else:
            best[found.changes[0].pair] = NOTHING


class Turned(NamedTuple):
    """Changes after some arrows are turned, which alone lead to another MAG of the class."""

    found: Changes
    arrows: list[Pair]


def _turn(draft: _Draft, circles: Sequence[Collection[int]]) -> bool:
    """Make the best changes that need other arrows where the PAG has ○—○, those of highest gain first; any?"""
    tried = (turned for c in range(len(circles)) for turned in _turned(draft, circles, c))
    used = set[int]()
    for found, arrows in sorted(tried, key=lambda turned: -turned.found.gain):
        concerned = draft.connected_to(found.changes).union(*arrows)
        if used.isdisjoint(concerned):
            before = draft.turn(arrows)
            if draft.change(found.changes):
                used |= concerned
            else:
                draft.turn_back(before)
    return bool(used)


def _turned(draft: _Draft, circles: Sequence[Collection[int]], c: int) -> Iterator[Turned]:
    """For an edge from c: with c before all that ○—○ connects with it, and with c after one neighbour."""
    for first in [[c], *([x, c] for x in sorted(circles[c]))]:
        arrows = _arrows(circles, first)
        before = draft.turn(arrows)
        tried = [draft.best_for(c, y) for y, others in enumerate(draft.parents) if c in others]
        draft.turn_back(before)
        if (best := _highest(tried)).changes:
            yield Turned(best, arrows)


def _arrows(circles: Sequence[Collection[int]], first: Sequence[int]) -> list[Pair]:
    """Directions of all edges that ○—○ connects with the first, without v-structures: maximum cardinality search."""
    order, n_before = list[int](), Counter(first)
    known = reached(circles, first)
    while len(order) < len(known):
        v = first[len(order)] if len(order) < len(first) else min(n_before, key=lambda v: (-n_before[v], v))
        order.append(v)
        del n_before[v]
        n_before.update(w for w in circles[v] if w not in order)
    place = {v: i for i, v in enumerate(order)}
    return [(v, w) for v in order for w in circles[v] if place[v] < place[w]]


def _highest(found: Iterable[Changes]) -> Changes:
    """The first of those with the highest gain."""
    return max(found, key=lambda changes: changes.gain, default=NOTHING)


def _is_mag(graph: MarkedGraph, changes: Iterable[Change]) -> bool:
    """Does some set separate each pair that is not adjacent, if one did before the changes?"""
    gone = (change.pair for change in changes if not change.mutual)
    new = {v for change in changes if change.mutual for v in change.pair}
    return all(inducing_path(graph, *pair) is None for pair in gone) and not any(unseparable_pairs(graph, new))


@dataclass
class _Draft:
    """The MAG in the making."""

    names: tuple[Hashable, ...]
    parents: list[set[int]]
    spouses: list[set[int]]
    local: Callable[[int, frozenset[int]], float]

    @staticmethod
    def of(mag: MarkedGraph, local: Callable[[int, frozenset[int]], float]) -> _Draft:
        """To be changed."""
        return _Draft(mag.names, list(map(set, mag.parents)), list(map(set, mag.spouses)), local)

    def graph(self) -> MarkedGraph:
        """As a value."""
        directed = [(p, v, TAIL, ARROW) for v, parents in enumerate(self.parents) for p in parents]
        mutual = [(a, b, ARROW, ARROW) for a, spouses in enumerate(self.spouses) for b in spouses if a < b]
        return MarkedGraph.of_edges(self.names, directed + mutual)

    def value(self) -> float:
        """The score."""
        return self._value(set(range(len(self.names))))

    def change(self, changes: Iterable[Change]) -> bool:
        """Make the changes, unless what remains is no MAG."""
        undo = self.put(changes)
        if not _is_mag(self.graph(), changes):
            self.put_back(undo)
            return False
        return True

    def turn(self, arrows: Iterable[Pair]) -> dict[int, set[int]]:
        """Direct edges so; the parents as they were."""
        before = dict[int, set[int]]()
        for a, b in arrows:
            for v in (a, b):
                if v not in before:
                    before[v] = self.parents[v]
                    self.parents[v] = set(before[v])
            self.parents[a].discard(b)
            self.parents[b].add(a)
        return before

    def turn_back(self, before: Mapping[int, set[int]]) -> None:
        """The parents as they were."""
        for v, parents in before.items():
            self.parents[v] = parents

    def best_for(self, a: int, b: int) -> Changes:
        """Of this edge, together with others that may go."""
        if b in self.spouses[a]:
            return _highest([NOTHING, self._tried([Change((a, b), False)])])
        if a not in self.parents[b] and b not in self.parents[a]:
            return NOTHING
        without, mutual = (self._tried([Change((a, b), turned)]) for turned in (False, True))
        return _highest([NOTHING, without, self._with_others(mutual, a, b) if mutual.gain > -inf else mutual])

    def _with_others(self, found: Changes, a: int, b: int) -> Changes:
        """As long as the score rises, an edge goes by which a common cause or spouse of the two points to one."""
        common = (self.parents[a] | self.spouses[a]) & (self.parents[b] | self.spouses[b])
        left = [Change((x, v), False) for x in sorted(common) for v in (a, b)]
        while left:
            more = [self._tried([*found.changes, change]) for change in left]
            best = _highest(more)
            if best.gain <= found.gain:
                break
            found = best
            left.pop(more.index(best))
        return found

    def _tried(self, wanted: Iterable[Change]) -> Changes:
        """What the score gains; −∞ where a cause would be joined with its effect by ↔, or too many by it."""
        changes = tuple(wanted)
        around = self.connected_to(changes)
        value, undo = self._value(around), self.put(changes)
        gain = self._value(around) - value if self._may_be(changes) else -inf
        self.put_back(undo)
        return Changes(gain, changes)

    def _may_be(self, changes: Iterable[Change]) -> bool:
        mutual = [change.pair for change in changes if change.mutual]
        return all(
            a not in reached(self.parents, [b]) and b not in reached(self.parents, [a]) for a, b in mutual
        ) and all(len(reached(self.spouses, pair)) <= MOST_JOINED for pair in mutual)

    def connected_to(self, changes: Iterable[Change]) -> set[int]:
        """The variables of these edges, and all that ↔ connects with them."""
        return reached(self.spouses, (v for change in changes for v in change.pair))

    def put(self, changes: Iterable[Change]) -> list[tuple[Pair, bool, bool, bool]]:
        """Make the changes; what was there before, from the last to the first."""
        undo = list[tuple[Pair, bool, bool, bool]]()
        for (a, b), mutual in changes:
            undo.insert(0, ((a, b), a in self.parents[b], b in self.parents[a], b in self.spouses[a]))
            self._set((a, b), False, False, mutual)
        return undo

    def put_back(self, undo: Iterable[tuple[Pair, bool, bool, bool]]) -> None:
        """What was there before."""
        for before in undo:
            self._set(*before)

    def _set(self, pair: Pair, onwards: bool, back: bool, mutual: bool) -> None:
        a, b = pair
        for row, v, there in (
            (self.parents[b], a, onwards),
            (self.parents[a], b, back),
            (self.spouses[a], b, mutual),
            (self.spouses[b], a, mutual),
        ):
            (row.add if there else row.discard)(v)

    def _value(self, around: set[int]) -> float:
        """The part of the score that these have, with all that ↔ connects with them."""
        of_parents = sum(self.local(v, frozenset(self.parents[v])) for v in sorted(around))
        return of_parents + sum(chain.from_iterable(map(self._values_of_spouses, districts(self.spouses, around))))

    def _values_of_spouses(self, district: set[int]) -> Iterator[float]:
        """Those with most spouses come last: what has no edge is independent before a common effect is known."""
        before = set[int]()
        for v in sorted(district, key=lambda v: (len(self.spouses[v]), v)):
            known = self.spouses[v] & before
            if known:
                others = frozenset(self.parents[v].union(*(self.parents[w] for w in known)) - known - {v})
                yield self.local(v, others | known) - self.local(v, others)
            before.add(v)

"""From the best DAG to a graph with ↔: edges turn into ↔, come and go, as long as the score rises.

A hidden cause of c and y makes a DAG join each cause x of c with y, since c opens the path x → c ← hidden → y. A graph
with c ↔ y does without these edges. Its score is that of its districts, which ↔ connects: where the score can fit them
(Drton, Eichler and Richardson 2009), c may also be a cause of y by way of others; else the first round of that
fit is taken, which needs no more than a score of DAGs. Pairs that nothing separates are joined at the end, so that
edges are not paid for which follow from others: the result is a MAG.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import inf
from typing import NamedTuple

from sidelight.families.score import Score
from sidelight.graphs.ancestral import dag_of, districts, mag_of, reached
from sidelight.graphs.dag import Dag
from sidelight.graphs.marks import ARROW, TAIL, Mark, MarkedGraph
from sidelight.graphs.separating_sets import Pair
from sidelight.orientation.pag import Pag, pag_of

LEAST_GAIN = 1.0  # nats, for a change
MOST_JOINED = 6  # variables that ↔ connects; a large component takes long, and its score is a poor guide
Ends = tuple[Mark, Mark] | None  # of an edge, if there is one
ONWARDS, BACK, MUTUAL = (TAIL, ARROW), (ARROW, TAIL), (ARROW, ARROW)
Local = Callable[[int, frozenset[int]], float]
Rows = tuple[frozenset[int], ...]
OfDistrict = Callable[[tuple[int, ...], Rows, Rows], float]


class Change(NamedTuple):
    """The edge between two variables gets these ends, or goes."""

    pair: Pair
    ends: Ends


class Changes(NamedTuple):
    """What is done together, and what the score gains."""

    gain: float
    changes: tuple[Change, ...]


class FoundMag(NamedTuple):
    """The MAG, its PAG, and the score of the graph that it comes from."""

    graph: MarkedGraph
    pag: Pag
    score: float


NOTHING = Changes(LEAST_GAIN, ())


def best_mag(dag: Dag, score: Score, tick: Callable[[], None] = lambda: None) -> FoundMag:
    """Change the DAG until no change of it, or of others of its class, raises the score by ``LEAST_GAIN``."""
    draft = _Draft.of(dag, score)
    _climb(draft, tick)
    found = draft.found()
    while _turn(draft, found.pag.graph.circles):
        _climb(draft, tick)
        again = draft.found()
        if again.score <= found.score + LEAST_GAIN:
            break
        found = again
    return found


def _climb(draft: _Draft, tick: Callable[[], None]) -> None:
    """Make the change that raises the score most, until none does."""
    best = {pair: draft.best_for(*pair) for pair in draft.pairs()}
    while (found := _highest(best.values())).changes:
        around = draft.connected_to(found.changes)
        if draft.change(found.changes):
            around |= draft.connected_to(found.changes)
            best |= {pair: draft.best_for(*pair) for pair in best if not around.isdisjoint(pair)}
            tick()
        else:
            best[found.changes[0].pair] = NOTHING


def _turn(draft: _Draft, circles: Sequence[Collection[int]]) -> bool:
    """Make the best changes that need other arrows where the PAG has ○—○, those of highest gain first; any?"""
    tried = [turned for c, near in enumerate(circles) if near for turned in _turned(draft, circles, c)]
    used = set[int]()
    for found in sorted(tried, key=lambda turned: -turned.gain):
        concerned = draft.connected_to(found.changes)
        if used.isdisjoint(concerned) and draft.change(found.changes):
            used |= concerned
    return bool(used)


def _turned(draft: _Draft, circles: Sequence[Collection[int]], c: int) -> Iterator[Changes]:
    """For an edge from c: with c before all that ○—○ connects with it, and with c after one neighbour."""
    for first in [[c], *([x, c] for x in sorted(circles[c]))]:
        arrows = [Change(p, ONWARDS) for p in _arrows(circles, first) if draft.ends(*p) not in (None, ONWARDS)]
        turned, undo = draft.tried(arrows), draft.put(arrows)
        if turned.gain > -inf:
            best = _highest([draft.best_for(c, y) for y, others in enumerate(draft.parents) if c in others])
            if best.changes and turned.gain + best.gain > LEAST_GAIN:
                yield Changes(turned.gain + best.gain, turned.changes + best.changes)
        draft.put(undo)


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


@dataclass
class _Draft:
    """The graph in the making: arrows without a cycle, and ↔; two are joined by one edge at most."""

    names: tuple[Hashable, ...]
    parents: list[set[int]]
    spouses: list[set[int]]
    local: Local
    of_district: OfDistrict
    causes_may_be_joined: bool  # by ↔ with their effects

    @staticmethod
    def of(dag: Dag, score: Score) -> _Draft:
        """To be changed."""
        local, fits = cache(score.local), score.fits_districts
        of_district = cache(score.district if fits else _first_round(local))
        return _Draft(dag.names, list(map(set, dag.parents)), [set() for _ in dag.names], local, of_district, fits)

    def found(self) -> FoundMag:
        """The MAG of the graph, as if each ↔ were a hidden cause."""
        directed = [(p, v, *ONWARDS) for v, parents in enumerate(self.parents) for p in parents]
        mutual = [(a, b, *MUTUAL) for a, spouses in enumerate(self.spouses) for b in spouses if a < b]
        dag = dag_of(MarkedGraph.of_edges(self.names, directed + mutual))
        mag = mag_of(dag, range(len(self.names), len(dag)))
        return FoundMag(mag, pag_of(mag), self._value(range(len(self.names))))

    def pairs(self) -> list[Pair]:
        """Those whose edge may change: adjacent, or with a common neighbour if districts can be fitted."""
        near = [parents | spouses for parents, spouses in zip(self.parents, self.spouses, strict=True)]
        for v, parents in enumerate(self.parents):
            for p in parents:
                near[p] = near[p] | {v}
        pairs = {(a, b) for a, others in enumerate(near) for b in others if a < b}
        if self.causes_may_be_joined:
            pairs.update(pair for others in near for pair in combinations(sorted(others), 2))
        return sorted(pairs)

    def ends(self, a: int, b: int) -> Ends:
        """Of the edge between the two."""
        if b in self.spouses[a]:
            return MUTUAL
        return ONWARDS if a in self.parents[b] else BACK if b in self.parents[a] else None

    def change(self, changes: Iterable[Change]) -> bool:
        """Make the changes, unless that cannot be."""
        undo = self.put(changes)
        if not self._may_be(changes):
            self.put(undo)
            return False
        return True

    def best_for(self, a: int, b: int) -> Changes:
        """Of this edge, together with others that may go."""
        now = self.ends(a, b)
        others = [ends for ends in (MUTUAL, None) if ends != now]
        found = [self.tried([Change((a, b), ends)]) for ends in others]
        return _highest([NOTHING, *(self._with_others(changes, a, b) for changes in found if changes.gain > -inf)])

    def _with_others(self, found: Changes, a: int, b: int) -> Changes:
        """As long as the score rises, an edge goes by which a common cause or spouse of the two points to one."""
        if found.changes[0].ends is None:
            return found
        common = (self.parents[a] | self.spouses[a]) & (self.parents[b] | self.spouses[b])
        left = [Change((x, v), None) for x in sorted(common) for v in (a, b)]
        while left:
            more = [self.tried([*found.changes, change]) for change in left]
            best = _highest(more)
            if best.gain <= found.gain:
                break
            found = best
            left.pop(more.index(best))
        return found

    def tried(self, wanted: Iterable[Change]) -> Changes:
        """What the score gains; −∞ where that cannot be."""
        changes = tuple(wanted)
        around = self.connected_to(changes)
        value, undo = self._value(around), self.put(changes)
        gain = self._value(around) - value if self._may_be(changes) else -inf
        self.put(undo)
        return Changes(gain, changes)

    def _may_be(self, changes: Iterable[Change]) -> bool:
        """No cycle, not too many joined by ↔, and none with its cause if the score is no guide there."""
        for (a, b), ends in changes:
            if ends == MUTUAL and len(reached(self.spouses, (a, b))) > MOST_JOINED:
                return False
            apart = ends == MUTUAL and not self.causes_may_be_joined
            if (apart or ends == ONWARDS) and b in reached(self.parents, [a]):
                return False
            if (apart or ends == BACK) and a in reached(self.parents, [b]):
                return False
        return True

    def connected_to(self, changes: Iterable[Change]) -> set[int]:
        """The variables of these edges, and all that ↔ connects with them."""
        return reached(self.spouses, (v for change in changes for v in change.pair))

    def put(self, changes: Iterable[Change]) -> list[Change]:
        """Make the changes; those that undo them."""
        undo = list[Change]()
        for (a, b), ends in changes:
            undo.insert(0, Change((a, b), self.ends(a, b)))
            for row, v, there in (
                (self.parents[b], a, ends == ONWARDS),
                (self.parents[a], b, ends == BACK),
                (self.spouses[a], b, ends == MUTUAL),
                (self.spouses[b], a, ends == MUTUAL),
            ):
                (row.add if there else row.discard)(v)
        return undo

    def _value(self, around: Collection[int]) -> float:
        """The part of the score that these have, with all that ↔ connects with them."""
        alone = (self.local(v, frozenset(self.parents[v])) for v in sorted(around) if not self.spouses[v])
        joined = (tuple(sorted(district)) for district in districts(self.spouses, around))
        return sum(alone) + sum(
            self.of_district(members, _rows(self.parents, members), _rows(self.spouses, members)) for members in joined
        )


def _rows(of: Sequence[set[int]], members: Iterable[int]) -> Rows:
    return tuple(frozenset(of[v]) for v in members)


def _first_round(local: Local) -> OfDistrict:
    """For each ↔ what the score gains from one of the two as a parent of the other, beside the parents of both.

    Those with most spouses come last: what has no edge is independent before a common effect is known.
    """

    def of_district(members: tuple[int, ...], parents: Rows, spouses: Rows) -> float:
        causes = dict(zip(members, parents, strict=True))
        total, before = 0.0, set[int]()
        for joined, v in sorted(zip(spouses, members, strict=True), key=lambda row: (len(row[0]), row[1])):
            total += local(v, causes[v])
            known = joined & before
            if known:
                others = causes[v].union(*(causes[w] for w in known)) - known - {v}
                total += local(v, others | known) - local(v, others)
            before.add(v)
        return total

    return of_district

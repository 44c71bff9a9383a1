"""Edges of a learned DAG that a hidden cause explains: found by tests, and taken out as long as the PAG stays legal.

A hidden cause of c and y makes a DAG that fits join each cause x of c with y, since c opens the path x → c ← hidden → y
that the parents of y must block. Given the other parents, without c, x and y are independent. The common neighbours
that are left out are then colliders, and the rules find the marks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import combinations, islice

from sidelight.graphs.dag import Dag
from sidelight.graphs.separating_sets import Pair, Skeleton, ordered
from sidelight.interview import Interview, LimitReached, SetTooLarge
from sidelight.orientation.pag import Pag, is_pag, orient_pag

MOST_SETS = 256  # for one edge


@dataclass(frozen=True, order=True)
class Explained:
    """An edge that may go: how many common neighbours are left out, how clearly (least first), the pair and the set."""

    n_left_out: int
    rank: float
    pair: Pair
    given: frozenset[int]


def without_spurious_edges(
    dag: Dag, skeleton: Skeleton, ask: Interview, tick: Callable[[], None] = lambda: None
) -> Pag:
    """Take edges out of the skeleton, which is that of the DAG; the PAG of what is left.

    Where a limit on tests ends the search, the edges that were not looked at stay.
    """
    finder = _Finder(dag, skeleton, ask)
    pag, refused = oriented(dag, skeleton), list[Explained]()
    waiting = [candidate for edge in skeleton.edges() for candidate in finder.candidates(*edge)]
    heapify(waiting)
    while waiting:
        candidate = heappop(waiting)
        x, y = candidate.pair
        if y not in skeleton.adjacency[x] or not finder.is_current(candidate):
            continue
        found = _without(candidate, dag, skeleton)
        if found is None:
            refused.append(candidate)
            continue
        pag = found
        tick()
        for edge in {ordered(v, w) for v in (x, y) for w in skeleton.adjacency[v]}:
            for new in finder.candidates(*edge):
                heappush(waiting, new)
        for again in refused:
            heappush(waiting, again)
        refused.clear()
    return pag


def oriented(dag: Dag, skeleton: Skeleton) -> Pag:
    """The marks that follow from the edges that are left and what separates the other pairs."""
    between = skeleton.separating_sets(dag.names).between
    return orient_pag(dag.names, skeleton.adjacency, lambda pair, a, c, b: c not in between(*pair))


def _without(candidate: Explained, dag: Dag, skeleton: Skeleton) -> Pag | None:
    """The PAG without the edge; None, and the edge stays, where that is no legal one."""
    x, y = candidate.pair
    skeleton.separate(x, y, candidate.given)
    found = oriented(dag, skeleton)
    if is_pag(found.graph):
        return found
    skeleton.add_edge(x, y)
    return None


@dataclass
class _Finder:
    """Looks for sets that separate neighbours, as the edges are now."""

    dag: Dag
    skeleton: Skeleton
    ask: Interview

    def candidates(self, x: int, y: int) -> Iterator[Explained]:
        """The sets that separate x and y, with as few common neighbours left out as possible."""
        try:
            found = list(self._separating(x, y))
        except (LimitReached, SetTooLarge):
            return
        fewest = min((candidate.n_left_out for candidate in found), default=0)
        yield from (candidate for candidate in found if candidate.n_left_out == fewest)

    def is_current(self, candidate: Explained) -> bool:
        """Is the set still made of parents of the two?"""
        return any(candidate.given <= base for base in self._bases(*candidate.pair))

    def _bases(self, x: int, y: int) -> list[frozenset[int]]:
        """What may block: the parents of the later of the two, and of both, as far as they are still adjacent."""
        first, second = (x, y) if x in self.dag.parents[y] else (y, x)
        adjacency = self.skeleton.adjacency
        of_second = (self.dag.parents[second] & adjacency[second]) - {first}
        of_first = self.dag.parents[first] & adjacency[first]
        return list(dict.fromkeys([of_second, of_second | of_first]))

    def _separating(self, x: int, y: int) -> Iterator[Explained]:
        common = self.skeleton.adjacency[x] & self.skeleton.adjacency[y]
        seen = set[frozenset[int]]()
        for base in self._bases(x, y):
            may_go = sorted(common & base)
            sizes = range(1, len(may_go) + 1)
            left_out = (set(some) for size in sizes for some in combinations(may_go, size))
            for some in islice(left_out, MOST_SETS):
                given = base - some
                if given in seen:
                    continue
                seen.add(given)
                p = self.ask.p_if_independent(x, y, sorted(given))
                if p is not None:
                    yield Explained(len(some), -p, (x, y), given)

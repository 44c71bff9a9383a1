"""What a skeleton implies and no test has confirmed is tested, mended where the data refute it, and then directed.

With exact answers every separating set separates. On data a boundary that lost a member leaves sets behind that do not.
So each set that follows from a boundary is tested for its very pair, and so is each pair of variables in different
components of the graph, which must be independent. The significance level is alpha divided by the number of pairs that
are not adjacent (Bonferroni), or rather by nine tenths of it, since mending adds edges.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations, islice
from math import comb
from operator import or_
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sidelight.families import CITest, DSeparation
from sidelight.graphs.dag import Dag, components
from sidelight.graphs.separating_sets import Pair, SeparatingSets, Skeleton, ordered
from sidelight.interview import Interview, LimitReached, Limits
from sidelight.knowledge.constraints import Constraints
from sidelight.orientation.essential import Orientation, orient
from sidelight.orientation.known import keep_known

FEWER_SETS = 0.9  # so that nothing fails at the level for the number of pairs that are left
MOST_SUBSETS = 2_000  # of either variable's neighbours, for one pair
MOST_TRIED = 100  # of those that separate in the graph, for one pair
Separation = tuple[int, int, list[int]]  # a pair and the set that should separate it
Group = tuple[int, NDArray[np.int64], list[int]]  # a variable, others, and the set that should separate them from it
# What is done about a set that the data refute: another set or an edge; no direction is taken from it; another set if
# there is one in the same graph; nothing.
Remedy = Literal["mend", "dismiss", "other set", "keep"]


@dataclass(frozen=True)
class Refuted:
    """What the data refute: sets that do not separate, and dependent pairs in different components.

    ``n_tests`` is how many tests that took, ``n_unchecked`` how many sets were too many to be checked.
    """

    sets: list[Separation]
    across: list[Pair]
    n_tests: int = 0
    n_unchecked: int = 0

    @property
    def count(self) -> int:
        """How many claims of the skeleton the data refute."""
        return len(self.sets) + len(self.across)


NOTHING = Refuted([], [])


def check(
    test: CITest,
    adjacency: Sequence[set[int]],
    sets: SeparatingSets,
    alpha: float,
    budget: int,
    largest: int,
    tick: Callable[[], None] = lambda: None,
) -> Refuted:
    """Test what follows from boundaries, in no more than ``budget`` tests, given at most ``largest`` variables."""
    alpha_each, n_tests = _alpha_each(alpha, len(sets)), 0
    wrong, across = list[Separation](), list[Pair]()
    for x, others, given in _affordable(test, sets, adjacency, budget, largest):
        tick()
        n_tests += len(others)
        wrong += [(x, int(y), given) for y in others[test.rejects(x, others, given, alpha_each)]]
    n_unchecked = sets.n_implied - n_tests
    for x, apart in _in_other_components(adjacency):
        others = apart if n_unchecked else apart[~sets.implied_empty(x, apart)]  # the rest was tested just now
        affordable = others[: max(0, budget - n_tests)]
        n_tests += len(affordable)
        n_unchecked += len(others) - len(affordable)
        across += [(x, int(y)) for y in affordable[test.rejects(x, affordable, [], alpha_each)]]
    return Refuted(wrong, across, n_tests, n_unchecked)


def across_components(test: CITest, adjacency: Sequence[Collection[int]], alpha: float) -> Refuted:
    """Of all that ``check`` tests only the pairs in different components, all of them."""
    n, n_edges = len(adjacency), sum(map(len, adjacency)) // 2
    alpha_each, across, n_tests = _alpha_each(alpha, n * (n - 1) // 2 - n_edges), list[Pair](), 0
    for x, others in _in_other_components(adjacency):
        n_tests += len(others)
        across += [(x, int(y)) for y in others[test.rejects(x, others, [], alpha_each)]]
    return Refuted([], across, n_tests)


def _alpha_each(alpha: float, n_sets: int) -> float:
    return alpha / max(1.0, FEWER_SETS * n_sets)


def _affordable(
    test: CITest, sets: SeparatingSets, adjacency: Sequence[set[int]], budget: int, largest: int
) -> Iterator[Group]:
    """All sets to check; where they are too many, those of pairs with a common neighbour, which decide directions."""
    too_many = sets.n_implied > budget
    for x, others, given in sets.implied():
        if len(given) > largest or not test.decides(len(given)):
            continue
        if too_many:
            near = set[int]().union(*(adjacency[y] for y in adjacency[x]))
            others = np.array([y for y in others.tolist() if y in near], dtype=np.int64)[:budget]
            budget -= len(others)
        if len(others):
            yield x, others, given


def _in_other_components(adjacency: Sequence[Collection[int]]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """For each variable the later ones in other components of the graph."""
    component = components(adjacency)
    if component.max(initial=0) == 0:
        return
    for x in range(len(adjacency) - 1):
        others = x + 1 + np.flatnonzero(component[x + 1 :] != component[x])
        if len(others):
            yield x, others


# Pairs that a DAG makes marginally independent, since no path between them is open, though the data show otherwise.


def marginally_dependent(
    test: CITest,
    dag: Dag,
    alpha: float,
    budget: int,
    place: NDArray[np.int64] | None = None,
    component: NDArray[np.int64] | None = None,
    sets: SeparatingSets | None = None,
) -> tuple[list[tuple[Pair, float]], int]:
    """The pairs without an open path whose independence is rejected at alpha, with p-values; and how many were tested.

    ``place`` says where each variable of the DAG is in the test, if not in the same place; variables of the DAG beyond
    its end are hidden. With the ``component`` of
    each variable, only pairs within components are tested; with separating ``sets``, none whose boundary is empty,
    since that is the same test.
    """
    place = np.arange(len(dag)) if place is None else place
    found, n_tested = list[tuple[Pair, float]](), 0
    for x, whole in without_open_path(dag):
        if x >= len(place):
            break
        apart = whole[whole < len(place)]
        others = apart if component is None else apart[component[apart] == component[x]]
        others = others if sets is None else others[~sets.implied_empty(x, others)]
        if n_tested + len(others) > budget:
            break
        n_tested += len(others)
        rejected = others[test.rejects(int(place[x]), place[others], [], alpha)]
        found += [((x, int(y)), test.checked_p_value(int(place[x]), int(place[y]), [])) for y in rejected]
    return found, n_tested


def without_open_path(dag: Dag) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """For each variable, the later ones with which it has no common ancestor (nor is either the other's ancestor).

    Two variables with a common ancestor have one without parents, so sets of such sources, as bits of numbers, do.
    """
    n, sources, reached = len(dag), [0] * len(dag), [0] * len(dag)
    for v in dag.topological_order():
        sources[v] = reduce(or_, (sources[parent] for parent in dag.parents[v]), 0) or 1 << v
        for source in _bits(sources[v], n).tolist():
            reached[source] |= 1 << v
    connected: dict[int, int] = {}  # by sets of sources, which many variables share
    for x in range(n):
        if sources[x] not in connected:
            connected[sources[x]] = reduce(or_, (reached[source] for source in _bits(sources[x], n).tolist()))
        apart = ~connected[sources[x]] & (((1 << n) - 1) ^ ((1 << (x + 1)) - 1))
        if apart:
            yield x, _bits(apart, n)


def _bits(number: int, width: int) -> NDArray[np.int64]:
    """Which bits of a number are set."""
    packed = np.frombuffer(number.to_bytes((width + 7) // 8, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(packed, bitorder="little"))


# Mending what the data refute: another separating set where there is one, else an edge. Pairs are taken in the order of
# their dependence, the clearest first, since an edge that is added may lead to what separates the next pair. For each,
# as PC would, the neighbours of either variable are tried: all of them, then their subsets, the smallest first. A pair
# that none of these separates becomes adjacent. Components of the graph between which the data show a dependence are
# connected at the pair that depends most clearly. In a graph that was chosen by its score only sets that separate in
# the graph are tried, since a test may reject one of them, where it sees interactions that the score does not, and
# accept another.


@dataclass
class Mended:
    """Which pairs have another set now, which are adjacent now, and which could not be looked at within the budget.

    ``limited`` is True when edges were added although larger conditioning sets, which are not allowed, might separate.
    """

    replaced: list[Pair] = field(default_factory=list)
    added: list[Pair] = field(default_factory=list)
    left: list[Separation] = field(default_factory=list)
    limited: bool = False

    def replace(self, skeleton: Skeleton, x: int, y: int, separating_set: Iterable[int]) -> None:
        """Give the pair another set."""
        skeleton.note(x, y, frozenset(separating_set))
        skeleton.replaced.add(ordered(x, y))
        self.replaced.append(ordered(x, y))


def _mend(test: CITest, skeleton: Skeleton, refuted: Refuted, ask: Interview) -> Mended:
    """Change the skeleton until it no longer claims what the data refute, within the limits on tests."""
    mended = Mended()
    for x, y, given in by_strength(test, refuted.sets):
        try:
            found = _other_set(ask, skeleton, x, y, given)
        except LimitReached:
            skeleton.failed.add(ordered(x, y))
            mended.left.append((x, y, given))
            continue
        if found is None:
            skeleton.add_edge(x, y)
            mended.added.append(ordered(x, y))
        else:
            mended.replace(skeleton, x, y, found)
    mended.added += _connected(skeleton, plainly_dependent(test, refuted))
    added = set(mended.added)
    mended.replaced = [pair for pair in mended.replaced if pair not in added]
    mended.left = [left for left in mended.left if ordered(*left[:2]) not in added]
    skeleton.replaced.intersection_update(mended.replaced)
    skeleton.failed.intersection_update(ordered(x, y) for x, y, _ in mended.left)
    mended.limited = "max_conditioning" in ask.limits.reached and bool(mended.added)
    return mended


def inseparable(
    test: CITest, skeleton: Skeleton, pairs: Iterable[Separation], alpha: float, limits: Limits
) -> tuple[list[Pair], int]:
    """The pairs that no set of either variable's neighbours separates, the clearest first, and how many tests it took.

    No set separates the ends of an edge. Other dependences that the graph leaves unexplained come from edges elsewhere.
    """
    ask, found = Interview(test, alpha, limits), []
    with suppress(LimitReached):
        for x, y, given in by_strength(test, pairs):
            if _other_set(ask, skeleton, x, y, given) is None:
                found.append((x, y))
    return found, ask.n_tests


def _other_sets(skeleton: Skeleton, dag: Dag, refuted: Refuted, ask: Interview) -> Mended:
    """Replace sets that the data refute by others that separate in the graph and in the data, where there are any."""
    mended, graph = Mended(), DSeparation(dag.to_networkx())
    for x, y, given in refuted.sets:
        allowed = (
            found
            for found in _separating_subsets(graph, skeleton, x, y)
            if len(found) <= ask.limits.largest_set and found != given
        )
        try:
            other = next((found for found in islice(allowed, MOST_TRIED) if _holds(ask, x, y, found)), None)
        except LimitReached:
            other = None
        if other is None:
            mended.left.append((x, y, given))
        else:
            mended.replace(skeleton, x, y, other)
    return mended


def _holds(ask: Interview, x: int, y: int, given: list[int]) -> bool:
    """Is their independence not rejected, by the same test as in the check?"""
    return ask.p_if_independent(x, y, given) is not None


def _separating_subsets(graph: DSeparation, skeleton: Skeleton, x: int, y: int) -> Iterator[list[int]]:
    """The subsets of either variable's neighbours that separate the two in the graph, the smallest first.

    Of very many subsets only the first are looked at; the graph is asked about those that have what they need.
    """
    pools = [sorted(skeleton.adjacency[a]) for a in (x, y)]
    needed, room = [graph.needed(x, y, pool) for pool in pools], MOST_SUBSETS
    for size in range(max(map(len, pools)) + 1):
        for pool, need in zip(pools, needed, strict=True):
            if need is not None and len(need) <= size:
                possible = filter(need.issubset, islice(combinations(pool, size), room))
                yield from (list(found) for found in possible if graph.independent(x, y, found, alpha=0.5))
            room = max(0, room - comb(len(pool), size))


def by_strength(test: CITest, pairs: Iterable[Separation]) -> list[Separation]:
    """The most clearly dependent first; p-values that are 0 are compared by the effect size."""

    def clearness(pair: Separation) -> tuple[float, float]:
        p = test.checked_p_value(*pair)
        return p, -abs(test.effect_size(*pair) or 0.0) if p == 0 else 0.0

    return sorted(pairs, key=clearness)


def _other_set(ask: Interview, skeleton: Skeleton, x: int, y: int, given: list[int]) -> frozenset[int] | None:
    """A set among the neighbours of either that separates the two, or None."""
    pools = [skeleton.adjacency[a] - {b} for a, b in ((x, y), (y, x))]
    for pool in pools:
        if len(pool) <= ask.limits.largest_set and sorted(pool) != given and ask.independent(x, y, sorted(pool)):
            return frozenset(pool)
    for pool in pools:
        found = _subset(ask, x, y, sorted(pool))
        if found is not None:
            return found
    return None


def _subset(ask: Interview, x: int, y: int, pool: list[int]) -> frozenset[int] | None:
    """The first subset of the pool that separates the two; of many subsets only the smallest are tried."""
    size, n_subsets = 0, 1
    while size < len(pool) and n_subsets <= MOST_SUBSETS:
        size += 1
        n_subsets = n_subsets * (len(pool) - size + 1) // size
    return ask.separating_set(x, y, pool, largest=size)


def plainly_dependent(test: CITest, refuted: Refuted) -> list[Pair]:
    """The pairs that depend on each other without a condition, though nothing should connect them; the clearest first.

    A set that separates two components given a member of one leaves the plain dependence between them unexplained.
    """
    marginal = [(x, y) for x, y, given in refuted.sets if not given]
    return [(x, y) for x, y, _ in by_strength(test, ((x, y, []) for x, y in [*refuted.across, *marginal]))]


def _connected(skeleton: Skeleton, pairs: list[Pair]) -> Iterator[Pair]:
    """Connect components of the graph, at the first pair of each two."""
    component = components(skeleton.adjacency) if pairs else None
    for x, y in pairs:
        if component is not None and component[x] != component[y]:
            component[component == component[y]] = component[x]
            skeleton.add_edge(x, y)
            yield ordered(x, y)


# Directions from what the data do not refute.


@dataclass(frozen=True)
class Oriented:
    """Separating sets and directions after the check, and what it came to.

    ``unexplained`` are pairs that depend on each other marginally though the graph has no open path between them, with
    their p-values; ``n_tests`` is how many tests the check took, ``n_unchecked`` how many sets were too many for it.
    """

    sets: SeparatingSets
    orientation: Orientation
    mended: Mended
    unexplained: list[tuple[Pair, float]]
    n_tests: int = 0
    n_unchecked: int = 0

    @classmethod
    def unchecked(cls, names: tuple[Hashable, ...], skeleton: Skeleton, known: Constraints | None = None) -> Oriented:
        """Directions from all separating sets, without a check."""
        sets = skeleton.separating_sets(names)
        return cls(sets, orient(names, skeleton.adjacency, sets.lacking, known), Mended(), [])


def orient_mended(
    test: CITest,
    names: tuple[Hashable, ...],
    skeleton: Skeleton,
    refuted: Refuted,
    alpha: float,
    budget: int,
    largest: int,
    remedy: Remedy = "mend",
    known: Constraints | None = None,
    dag: Dag | None = None,
) -> Oriented:
    """Mend what the data refute, or take no direction from it, or keep it, and direct the edges by the rest.

    Other sets are those that separate in ``dag``, what a search found.
    """
    ask, mended = Interview(test, alpha, Limits(budget, largest)), Mended(left=refuted.sets)
    if remedy == "mend":
        mended = _mend(test, skeleton, refuted, ask)
    elif remedy == "other set" and dag is not None and refuted.sets:
        mended = _other_sets(skeleton, dag, refuted, ask)
    if known is not None:
        keep_known(skeleton, known)
        mended.added = [(x, y) for x, y in mended.added if y in skeleton.adjacency[x]]
    if remedy == "dismiss":
        skeleton.failed.update(ordered(x, y) for x, y, _ in refuted.sets)
    sets = skeleton.separating_sets(names)
    orientation = orient(names, skeleton.adjacency, sets.lacking, known)
    if test.is_exact:
        return Oriented(sets, orientation, mended, [])
    # Dependences between components were looked for, and mended, before.
    connected = components(skeleton.adjacency) if remedy == "mend" and refuted is not NOTHING else None
    unexplained, n_marginal = marginally_dependent(
        test, orientation.dag, alpha / max(1, len(sets)), budget - ask.n_tests, component=connected, sets=sets
    )
    n_tests = refuted.n_tests + ask.n_tests + n_marginal
    return Oriented(sets, orientation, mended, unexplained, n_tests, refuted.n_unchecked)

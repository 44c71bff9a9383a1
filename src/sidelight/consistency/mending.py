"""Mending what the data refute: another separating set where there is one, else an edge.

Pairs are taken in the order of their dependence, the clearest first, since an edge that is added may lead to what
separates the next pair. For each, as PC would, the neighbours of either variable are tried: all of them, then their
subsets, the smallest first. A pair that none of these separates becomes adjacent. Components of the graph between which
the data show a dependence are connected at the pair that depends most clearly.

In a graph that was chosen by its score only sets that separate in the graph are tried, since a test may reject one of
them, where it sees interactions that the score does not, and accept another. The phases in ``learning`` add the edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations, islice

from sidelight.consistency.checks import Refuted, Separation
from sidelight.families import CITest, DSeparation
from sidelight.graphs.dag import Dag, components
from sidelight.graphs.separating_sets import Pair, ordered
from sidelight.interview import Interview, LimitReached, Limits
from sidelight.learners.skeleton import Skeleton

MOST_SUBSETS = 2_000  # of either variable's neighbours, for one pair
MOST_TRIED = 100  # of those that separate in the graph, for one pair


@dataclass
class Mended:
    """Which pairs have another set now, which are adjacent now, and which could not be looked at within the budget.

    ``limited`` is True when edges were added although larger conditioning sets, which are not allowed, might separate.
    """

    replaced: list[Pair] = field(default_factory=list)
    added: list[Pair] = field(default_factory=list)
    left: list[Separation] = field(default_factory=list)
    n_tests: int = 0
    limited: bool = False


def mend(test: CITest, skeleton: Skeleton, refuted: Refuted, alpha: float, budget: int, largest: int) -> Mended:
    """Change the skeleton until it no longer claims what the data refute, in no more than ``budget`` tests."""
    ask = Interview(test, alpha, Limits(budget, largest))
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
            skeleton.note(x, y, found)
            skeleton.replaced.add(ordered(x, y))
            mended.replaced.append(ordered(x, y))
    mended.added += _connected(skeleton, plainly_dependent(test, refuted))
    added = set(mended.added)
    mended.replaced = [pair for pair in mended.replaced if pair not in added]
    mended.left = [left for left in mended.left if ordered(*left[:2]) not in added]
    skeleton.replaced.intersection_update(mended.replaced)
    skeleton.failed.intersection_update(ordered(x, y) for x, y, _ in mended.left)
    mended.n_tests, mended.limited = ask.n_tests, "max_conditioning" in ask.limits.reached and bool(mended.added)
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


def other_sets(
    test: CITest, skeleton: Skeleton, dag: Dag, refuted: Refuted, alpha: float, budget: int, largest: int
) -> Mended:
    """Replace sets that the data refute by others that separate in the graph and in the data, where there are any."""
    ask, graph = Interview(test, alpha, Limits(budget, largest)), DSeparation(dag.to_networkx())
    mended = Mended()
    for x, y, given in refuted.sets:
        separating = (found for found in _subsets(skeleton, x, y) if graph.independent(x, y, found, alpha))
        allowed = (found for found in separating if len(found) <= largest and found != given)
        try:
            other = next((found for found in islice(allowed, MOST_TRIED) if ask.independent(x, y, found)), None)
        except LimitReached:
            other = None
        if other is None:
            mended.left.append((x, y, given))
        else:
            skeleton.note(x, y, frozenset(other))
            skeleton.replaced.add(ordered(x, y))
            mended.replaced.append(ordered(x, y))
    mended.n_tests = ask.n_tests
    return mended


def _subsets(skeleton: Skeleton, x: int, y: int) -> Iterator[list[int]]:
    """The subsets of either variable's neighbours, the smallest first; of very many, the first ones."""
    pools = [sorted(skeleton.adjacency[a]) for a in (x, y)]
    sizes = range(max(map(len, pools)) + 1)
    subsets = (list(found) for size in sizes for pool in pools for found in combinations(pool, size))
    return islice(subsets, MOST_SUBSETS)


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

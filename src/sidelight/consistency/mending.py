"""Mending what the data refute: another separating set where there is one, else an edge.

Pairs are taken in the order of their dependence, the clearest first, since an edge that is added may lead to what
separates the next pair. For each, as PC would, the neighbours of either variable are tried: all of them, then their
subsets, the smallest first. A pair that none of these separates becomes adjacent. Components of the graph between which
the data show a dependence are connected at the pair that depends most clearly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sidelight.consistency.checks import Refuted, Separation, components
from sidelight.graphs.separating_sets import Pair, ordered
from sidelight.independence import CITest
from sidelight.interview import Interview, LimitReached, Limits
from sidelight.learners.skeleton import Skeleton

MOST_SUBSETS = 2_000  # of either variable's neighbours, for one pair


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
    # A set that separates two components given a member of one leaves the plain dependence between them unexplained.
    marginal = [(x, y) for x, y, given in refuted.sets if not given]
    mended.added += _connected(test, skeleton, [*refuted.across, *marginal])
    added = set(mended.added)
    mended.replaced = [pair for pair in mended.replaced if pair not in added]
    mended.left = [left for left in mended.left if ordered(*left[:2]) not in added]
    skeleton.replaced.intersection_update(mended.replaced)
    skeleton.failed.intersection_update(ordered(x, y) for x, y, _ in mended.left)
    mended.n_tests, mended.limited = ask.n_tests, "max_conditioning" in ask.limits.reached and bool(mended.added)
    return mended


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


def _connected(test: CITest, skeleton: Skeleton, across: list[Pair]) -> Iterator[Pair]:
    """Connect components that depend on each other, at the pairs that do so most clearly."""
    component = components(skeleton.adjacency) if across else None
    for x, y, _ in by_strength(test, ((x, y, []) for x, y in across)):
        if component is not None and component[x] != component[y]:
            component[component == component[y]] = component[x]
            skeleton.add_edge(x, y)
            yield ordered(x, y)

"""What a skeleton implies and no test has confirmed, tested at the end.

With exact answers every separating set separates. On data a boundary that lost a member leaves sets behind that do not.
So each set that follows from a boundary is tested for its very pair, and so is each pair of variables in different
components of the graph, which must be independent. The significance level is alpha divided by the number of pairs that
are not adjacent (Bonferroni), or rather by nine tenths of it, since mending adds edges.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sidelight.families import CITest
from sidelight.graphs.dag import Dag, components
from sidelight.graphs.separating_sets import Pair, SeparatingSets, ordered

FEWER_SETS = 0.9  # so that nothing fails at the level for the number of pairs that are left
Separation = tuple[int, int, list[int]]  # a pair and the set that should separate it
Group = tuple[int, NDArray[np.int64], list[int]]  # a variable, others, and the set that should separate them from it


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
    component = components(adjacency)
    largest = np.bincount(component, minlength=1).argmax()
    for x in np.flatnonzero(component != largest).tolist():  # usually few, each with all others
        is_new = (component == largest) | (np.arange(n) > x)
        others = np.flatnonzero(is_new & (component != component[x]))
        n_tests += len(others)
        across += [ordered(x, int(y)) for y in others[test.rejects(x, others, [], alpha_each)]]
    return Refuted([], sorted(across), n_tests)


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

    ``place`` says where each variable of the DAG is in the test, if not in the same place. With the ``component`` of
    each variable, only pairs within components are tested; with separating ``sets``, none whose boundary is empty,
    since that is the same test.
    """
    place = np.arange(len(dag)) if place is None else place
    found, n_tested = list[tuple[Pair, float]](), 0
    for x, apart in without_open_path(dag):
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
    order, n = dag.topological_order(), len(dag)
    sources = [0] * n
    for v in order:
        sources[v] = 1 << v if not dag.parents[v] else 0
        for parent in dag.parents[v]:
            sources[v] |= sources[parent]
    reached: dict[int, int] = {v: 1 << v for v in range(n) if not dag.parents[v]}
    for v in order:
        for source in _bits(sources[v], n).tolist():
            reached[source] |= 1 << v
    connected: dict[int, int] = {}  # by sets of sources, which many variables share
    for x in range(n):
        if sources[x] not in connected:
            connected[sources[x]] = _union(reached[source] for source in _bits(sources[x], n).tolist())
        apart = ~connected[sources[x]] & (((1 << n) - 1) ^ ((1 << (x + 1)) - 1))
        if apart:
            yield x, _bits(apart, n)


def _union(sets: Iterator[int]) -> int:
    union = 0
    for members in sets:
        union |= members
    return union


def _bits(number: int, width: int) -> NDArray[np.int64]:
    """Which bits of a number are set."""
    packed = np.frombuffer(number.to_bytes((width + 7) // 8, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(packed, bitorder="little"))

"""Pairs that a DAG makes marginally independent, since no path between them is open, though the data show otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sidelight.families import CITest
from sidelight.graphs.dag import Dag
from sidelight.graphs.separating_sets import Pair, SeparatingSets


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

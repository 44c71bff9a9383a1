"""The re-test of edges, for tests that lose their power as the conditioning set grows.

RSL conditions on nearly a whole boundary. Where strata are thin, such a test may find a dependence that no test with a
small set finds, or miss one that they show. So every edge x — y is also tested with the smallest sets:

* x and y are independent given the empty set: the edge is removed.
* x and y are independent given one neighbour z of either: the edge is removed, unless x and z are independent given y,
  or y and z given x. Then the data cannot distinguish the two, and nothing is concluded.
* If the edge was removed because of z, and the separating set of x and z has y in it, that set rests on a neighbour of
  x that is none: x and z are tested again without y.

With true answers none of this ever happens: nothing separates neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence

from sidelight.graphs.separating_sets import Skeleton
from sidelight.interview import Interview


def retest_edges(skeleton: Skeleton, ask: Interview) -> None:
    """Remove edges that small conditioning sets refute, and add those that were missed because of them."""
    separating_set = skeleton.separating_sets(range(len(skeleton.adjacency))).between
    refuted = {
        (x, y): found for x, y in skeleton.edges() if (found := _refutation(x, y, skeleton.adjacency, ask)) is not None
    }
    misled = [
        (first, z, sorted(separating_set(first, z) - {other}))
        for (x, y), found in refuted.items()
        for z in found
        for first, other in ((x, y), (y, x))
        if z not in skeleton.adjacency[first] and other in separating_set(first, z)
    ]
    for (x, y), found in refuted.items():
        skeleton.separate(x, y, found)
    for x, z, rest in misled:
        if len(rest) > ask.limits.largest_set or ask.independent(x, z, rest):
            continue
        if _refutation(x, z, skeleton.adjacency, ask) is None:
            skeleton.add_edge(x, z)


def _refutation(x: int, y: int, adjacency: Sequence[set[int]], ask: Interview) -> tuple[int, ...] | None:
    """What separates x and y: the empty set or one neighbour of either; None if neither does."""
    if ask.independent(x, y, ()):
        return ()
    if ask.limits.largest_set < 1:
        return None
    for z in sorted((adjacency[x] | adjacency[y]) - {x, y}):
        if ask.independent(x, y, (z,)) and not ask.independent(x, z, (y,)) and not ask.independent(y, z, (x,)):
            return (z,)
    return None

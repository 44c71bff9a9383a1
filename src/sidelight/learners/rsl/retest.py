"""A second look at the edges, for tests that lose their power as the conditioning set grows.

RSL asks given nearly a whole boundary. Where strata are thin, such a question may find a dependence that none of the
small questions finds, or miss one that they show. So for every edge x — y the smallest questions are asked too:

* x and y independent given nothing: the edge goes.
* x and y independent given one neighbour z of either: the edge goes, unless z and y (or z and x) are just as
  independent given the other. Then the data cannot tell y from z, and nothing is concluded.
* When the edge has gone because of z, and z was held to be separated from x by a set with y in it, that set rested on a
  neighbour who is none: the question is asked again without y.

With true answers none of this ever happens: nothing separates neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence

from sidelight.interview import Interview
from sidelight.learners.skeleton import Skeleton


def retest_edges(skeleton: Skeleton, ask: Interview) -> None:
    """Take out edges that small questions refute, and put in those that were missed because of them."""
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
    """What separates x and y: nothing, or one neighbour of either; None when neither does."""
    if ask.independent(x, y, ()):
        return ()
    if ask.limits.largest_set < 1:
        return None
    for z in sorted((adjacency[x] | adjacency[y]) - {x, y}):
        if ask.independent(x, y, (z,)) and not ask.independent(x, z, (y,)) and not ask.independent(y, z, (x,)):
            return (z,)
    return None

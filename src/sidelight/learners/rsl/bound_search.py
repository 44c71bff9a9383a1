"""Algorithm 5 of the paper: without side information, raise the bound until the result keeps it.

A result never misses an edge, so its clique number is at least the true one; the first result whose clique number is
within the bound is the true structure (the paper's Proposition 4).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sidelight.graphs.properties import clique_number_of_edges
from sidelight.learners.rsl.recursion import learn_skeleton
from sidelight.learners.rsl.variants import Variant
from sidelight.learners.skeleton import Phases, Skeleton
from sidelight.side_information import CliqueNumber


def learn_without_side_information(
    boundaries: Sequence[set[int]], variant: Variant, ask: Phases, tick: Callable[[], None] = lambda: None
) -> tuple[Skeleton, CliqueNumber]:
    """Return the skeleton and the first bound it keeps."""
    # A boundary with a member means an edge, so the bound 1 need not be tried.
    m = 2 if any(boundaries) else 1
    while True:
        side = CliqueNumber(m)
        skeleton = learn_skeleton(boundaries, side, variant, ask, tick)
        if ask.limits.reached or clique_number_of_edges(skeleton.edges(), len(boundaries)) <= m:
            return skeleton, side
        m += 1

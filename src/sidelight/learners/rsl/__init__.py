"""Recursive structure learning (RSL): remove one removable variable at a time.

``recursion`` is Algorithm 1. ``removability``, ``neighbourhood`` and ``update`` are FindRemovable, FindNeighbors and
UpdateMb. ``variants`` says how they are put together; ``bound_search`` is Algorithm 5; ``retest`` is a
second look at the edges.
"""

from sidelight.learners.rsl.bound_search import learn_without_side_information
from sidelight.learners.rsl.recursion import learn_skeleton
from sidelight.learners.rsl.retest import retest_edges
from sidelight.learners.rsl.variants import VARIANTS, Variant

__all__ = ["VARIANTS", "Variant", "learn_skeleton", "learn_without_side_information", "retest_edges"]

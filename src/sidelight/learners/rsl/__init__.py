"""Recursive structure learning (RSL): remove one removable variable at a time.

``recursion`` has Algorithms 1 and 5; ``examine`` has FindRemovable's condition, FindNeighbors and UpdateMb;
``variants`` says how these are put together; ``retest`` is the re-test of edges.
"""

from sidelight.learners.rsl.recursion import learn, learn_skeleton, learn_without_side_information
from sidelight.learners.rsl.retest import retest_edges
from sidelight.learners.rsl.variants import VARIANTS, Variant

__all__ = ["VARIANTS", "Variant", "learn", "learn_skeleton", "learn_without_side_information", "retest_edges"]

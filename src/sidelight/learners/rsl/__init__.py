"""Recursive structure learning (RSL): remove one removable variable at a time.

``recursion`` has Algorithms 1 and 5, and the re-test of edges; ``examine`` has FindRemovable's condition, FindNeighbors
and UpdateMb; ``variants`` says how these are put together.
"""

from sidelight.learners.rsl.recursion import learn, learn_skeleton, learn_without_side_information, retest_edges
from sidelight.learners.rsl.variants import VARIANTS, Variant

__all__ = ["VARIANTS", "Variant", "learn", "learn_skeleton", "learn_without_side_information", "retest_edges"]

"""Recursive structure learning (RSL): remove one removable variable at a time.

``recursion`` has Algorithms 1 and 5; ``examine`` has FindRemovable's condition, FindNeighbors and UpdateMb;
``variants`` says how these are put together; ``retest`` is the re-test of edges.
"""

from contextlib import suppress

from sidelight.interview import LimitReached
from sidelight.learners.rsl.recursion import learn_skeleton, learn_without_side_information
from sidelight.learners.rsl.retest import retest_edges
from sidelight.learners.rsl.variants import VARIANTS, Variant
from sidelight.learners.skeleton import Skeleton
from sidelight.learners.task import Task


def learn(task: Task) -> Skeleton:
    """RSL with the side information, or Algorithm 5 if there is none; then the re-test of edges where it helps."""
    skeleton = learn_without_side_information(task) if task.side is None else learn_skeleton(task, task.side)
    if task.loses_power and task.variant == "robust" and not task.ask.limits.reached:
        with suppress(LimitReached):  # the edges as they are so far
            retest_edges(skeleton, task.ask["retest"])
    return skeleton


__all__ = ["VARIANTS", "Variant", "learn", "learn_skeleton", "learn_without_side_information", "retest_edges"]

"""PC (Spirtes & Glymour 1991) that starts from the graph of the Markov boundaries, as in the paper's experiments.

An edge goes as soon as it is refuted, so later searches have fewer neighbours to choose from.
"""

from __future__ import annotations

from contextlib import suppress

from sidelight.graphs.separating_sets import Skeleton
from sidelight.interview import LimitReached
from sidelight.learners.task import Task


def learn(task: Task) -> Skeleton:
    """Larger and larger conditioning sets, from the present neighbours of the first of each ordered pair."""
    skeleton, size = task.skeleton_of_boundaries(), 0
    with suppress(LimitReached):
        while any(len(neighbours) > size for neighbours in skeleton.adjacency) and task.ask.limits.allow_size(size):
            _go_through_edges(skeleton, size, task)
            size += 1
    return skeleton


def _go_through_edges(skeleton: Skeleton, size: int, task: Task) -> None:
    ask = task.ask[f"size {size}"]
    for x, neighbours in enumerate(skeleton.adjacency):
        for y in sorted(neighbours):
            if len(neighbours) > size:
                found = ask.separating_set(x, y, neighbours - {y}, smallest=size, largest=size)
                if found is not None:
                    skeleton.separate(x, y, found)
    task.tick()

"""GS (Margaritis & Thrun 1999), after the boundaries: a member of a boundary that some subset of it separates is none.

The boundaries stay as they are, so the pairs do not depend on each other: one batch of searches.
"""

from __future__ import annotations

from sidelight.graphs import AdjacencyArrays
from sidelight.independence.searches import Searches
from sidelight.learners.skeleton import Skeleton, part_found
from sidelight.learners.task import Task


def learn(task: Task) -> Skeleton:
    """Search the smaller of the two boundaries of every pair, the smallest subsets first."""
    skeleton, ask = task.skeleton_of_boundaries(), task.ask["neighbourhood"]
    smaller = [x if len(task.boundaries[x]) <= len(task.boundaries[y]) else y for x, y in task.pairs()]
    pools = AdjacencyArrays.of(task.boundaries)
    searches = Searches.many(task.pairs(), smaller, pools, 0, task.n_variables)
    part_found(skeleton, searches, ask.search(ask.limits.cap(searches), task.n_jobs))
    task.tick()
    return skeleton

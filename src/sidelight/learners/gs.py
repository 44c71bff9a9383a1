"""GS (Margaritis & Thrun 1999), after the boundaries: a member of a boundary that some subset of it separates is none.

The boundaries stay as they are, so the pairs do not depend on each other and are searched in batches.
"""

from __future__ import annotations

from sidelight.families.subset_search import Searches
from sidelight.graphs.dag import AdjacencyArrays
from sidelight.graphs.separating_sets import Skeleton
from sidelight.learners.task import Task, separate_found

BATCH = 2000  # pairs


def learn(task: Task) -> Skeleton:
    """Search the smaller of the two boundaries of every pair, the smallest subsets first."""
    skeleton, ask = task.skeleton_of_boundaries(), task.ask["neighbourhood"]
    pools = AdjacencyArrays.of(task.boundaries)
    pairs = task.pairs()
    for start in range(0, len(pairs), BATCH):
        batch = pairs[start : start + BATCH]
        smaller = [x if len(task.boundaries[x]) <= len(task.boundaries[y]) else y for x, y in batch]
        searches = Searches.many(batch, smaller, pools, 0, task.n_variables)
        found = ask.search(searches, task.n_jobs)
        separate_found(skeleton, searches, found)
        if found.cut:
            break
        task.tick()
    return skeleton

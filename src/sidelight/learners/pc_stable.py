"""PC-stable (Colombo & Maathuis 2014): the textbook PC from the complete graph, its skeleton independent of the order.

Neighbourhoods are frozen while conditioning sets of one size are searched, so these searches are independent.
"""

from __future__ import annotations

from sidelight.families.subset_search import Searches
from sidelight.graphs.dag import AdjacencyArrays
from sidelight.graphs.separating_sets import Pair, Skeleton
from sidelight.learners.task import Task, separate_found


def learn(task: Task) -> Skeleton:
    """Larger and larger conditioning sets, from the neighbours of either variable."""
    return separate_by_order(task, task.n_variables)


def separate_by_order(task: Task, largest: int) -> Skeleton:
    """PC-stable with conditioning sets of at most this size."""
    skeleton, limits, size = task.complete_skeleton(), task.ask.limits, 0
    while size <= largest and not limits.reached and (open_pairs := _with_enough_neighbours(skeleton, size)):
        if not limits.allow_size(size):
            break
        pools = AdjacencyArrays.of(skeleton.adjacency)
        for side in (0, 1):
            _search_size(task, skeleton, open_pairs, side, pools, size)
            open_pairs = [(x, y) for x, y in open_pairs if y in skeleton.adjacency[x] and size > 0]
        task.tick()
        size += 1
    return skeleton


def _search_size(
    task: Task, skeleton: Skeleton, pairs: list[Pair], side: int, pools: AdjacencyArrays, size: int
) -> None:
    """Look for separating sets of one size among the frozen neighbours of the first, or the second, of each pair."""
    if pairs and not task.ask.limits.reached:
        searches = Searches.many(pairs, [pair[side] for pair in pairs], pools, size, size)
        separate_found(skeleton, searches, task.ask[f"size {size}"].search(searches, task.n_jobs))


def _with_enough_neighbours(skeleton: Skeleton, size: int) -> list[Pair]:
    """The edges of which one end has ``size`` other neighbours."""
    degree = [len(neighbours) for neighbours in skeleton.adjacency]
    return [(x, y) for x, y in skeleton.edges() if max(degree[x], degree[y]) > size]

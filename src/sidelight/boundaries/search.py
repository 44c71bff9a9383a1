"""What searches for one variable's boundary at a time share.

Variables come in blocks: none is a cause of one in an earlier block, and each is searched for among those that are not
in a later one. Without knowledge there is one block.

Two variables are in each other's boundary when either search found the other: a member too many is noticed later by
the learner, a member too few costs an edge. Searches are independent of each other, so they can run in parallel; the
result and the counts are the same for any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sidelight.interview import Interview, Tally
from sidelight.interview.parallel import in_parallel, n_workers

Search = Callable[[int, Sequence[int], Interview], list[int]]
Blocks = Sequence[Sequence[int]]
Pool = NDArray[np.int64]  # the variables among which a boundary is looked for, in ascending order


def one_block(n_variables: int) -> Blocks:
    """All variables together, since nothing is known of their order."""
    return [range(n_variables)]


def joined(blocks: Blocks, most: int) -> Blocks:
    """The blocks in the same order, neighbouring ones joined where there are too many."""
    n = sum(map(len, blocks))
    groups: list[list[int]] = []
    for block in blocks:
        if len(blocks) <= most or not groups or len(groups[-1]) * most >= n:
            groups.append([])
        groups[-1] = sorted([*groups[-1], *block])
    return groups


def search_each(search: Search, blocks: Blocks, ask: Interview, n_jobs: int = 1) -> list[set[int]]:
    """Run the search for every variable, and make the boundaries symmetric within a block."""
    pools = not_later(blocks)
    variables = range(len(pools))
    if n_jobs == 1:
        found = [search(x, pools[x].tolist(), ask) for x in variables]
    else:
        found = _in_parallel(search, pools, ask, n_jobs)
    return symmetric([{*found[x], *ask.known_neighbours(x, pools[x])} for x in variables], pools)


def not_later(blocks: Blocks) -> list[Pool]:
    """For each variable those in its block and in earlier ones."""
    earlier = np.empty(0, dtype=np.int64)
    pools = [earlier] * sum(map(len, blocks))
    for block in blocks:
        earlier = np.sort(np.concatenate([earlier, np.array(block, dtype=np.int64)]))
        for x in block:
            pools[x] = earlier
    return pools


def symmetric(boundaries: Sequence[set[int]], pools: Sequence[Pool]) -> list[set[int]]:
    """With each variable in the boundaries of its members, as far as it is not later than they are."""
    joined = [set(members) for members in boundaries]
    for x, members in enumerate(boundaries):
        for y in members:
            if len(pools[y]) >= len(pools[x]):
                joined[y].add(x)
    return joined


def outside(x: int, members: Sequence[int], variables: Sequence[int]) -> list[int]:
    """The variables without x and the members."""
    return [y for y in variables if y != x and y not in members]


def shrink(x: int, members: Sequence[int], ask: Interview) -> list[int]:
    """Drop, one after the other, the members that are independent of x given all the others."""
    kept = list(members)
    answers = ask.table([x, *kept])  # all members given all the others, as long as none is dropped
    for y in members:
        if answers.independent(x, y):
            kept.remove(y)
            answers = ask.table([x, *kept])
    return kept


def _in_parallel(search: Search, pools: Sequence[Pool], ask: Interview, n_jobs: int) -> list[list[int]]:
    workers, n_variables = n_workers(n_jobs), len(pools)
    chunks = [range(start, n_variables, workers) for start in range(min(workers, n_variables))]
    results = in_parallel(n_jobs, _search_some, [(search, chunk, pools, ask.fresh()) for chunk in chunks])
    found: dict[int, list[int]] = {}
    for part, theirs in results:
        found.update(part)
        ask.take_over(theirs)
    return [found[x] for x in range(n_variables)]


def _search_some(
    search: Search, variables: Sequence[int], pools: Sequence[Pool], ask: Interview
) -> tuple[dict[int, list[int]], Tally]:
    return {x: search(x, pools[x].tolist(), ask) for x in variables}, ask.tally()

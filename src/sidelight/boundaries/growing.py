"""Algorithms that grow a boundary and shrink it, one variable at a time: IAMB, its variants and Grow-Shrink.

IAMB and its variants (Tsamardinos, Aliferis & Statnikov 2003; Yaramakala & Margaritis 2005) grow a boundary by the most
dependent variables; Grow-Shrink (Margaritis & Thrun 1999) adds whatever is dependent, in column order. They condition
on the boundary found so far, never on everything else, so they work with fewer samples than variables.

Variables come in blocks: none is a cause of one in an earlier block, and each is searched for among those that are not
in a later one. Without knowledge there is one block.

Two variables are in each other's boundary when either search found the other: a member too many is noticed later by
the learner, a member too few costs an edge. Searches are independent of each other, so they can run in parallel; the
result and the counts are the same for any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sidelight.interview import Interview, Tally
from sidelight.runs.running import in_parallel, n_workers

Search = Callable[[int, Sequence[int], Interview], list[int]]
Blocks = Sequence[Sequence[int]]
Pool = NDArray[np.int64]  # the variables among which a boundary is looked for, in ascending order


def iamb(blocks: Blocks, ask: Interview, n_jobs: int = 1) -> list[set[int]]:
    """Add the most dependent variable as long as there is one, then shrink."""
    pools = not_later(blocks)
    grown = ask.grown({x: ask.known_neighbours(x, pools[x]) for x in range(len(pools))}, pools, n_jobs)
    if grown is None:
        return search_each(_grow_then_shrink, blocks, ask, n_jobs)
    return symmetric([{*shrink(x, members, ask)} for x, members in grown.items()], pools)


def inter_iamb(blocks: Blocks, ask: Interview, n_jobs: int = 1) -> list[set[int]]:
    """Shrink after every addition, which keeps the conditioning sets small."""
    return search_each(grow_and_shrink_by_turns, blocks, ask, n_jobs)


def fast_iamb(blocks: Blocks, ask: Interview, n_jobs: int = 1) -> list[set[int]]:
    """Add all dependent variables at once, strongest first, then shrink; again until nothing is added."""
    return search_each(_grow_at_once_and_shrink, blocks, ask, n_jobs)


def _grow_then_shrink(x: int, variables: Sequence[int], ask: Interview) -> list[int]:
    return grow_from(x, ask.known_neighbours(x, variables), variables, ask)


def grow_from(x: int, start: Iterable[int], variables: Sequence[int], ask: Interview) -> list[int]:
    """IAMB for one variable, from members that were found before."""
    members = list(start)
    candidates = outside(x, members, variables)
    while (best := ask.most_dependent(x, candidates, members)) is not None:
        members.append(best)
        candidates.remove(best)
    return shrink(x, members, ask)


def grow_some(
    boundaries: Sequence[set[int]], start: Mapping[int, Iterable[int]], ask: Interview, blocks: Blocks
) -> list[set[int]]:
    """The boundaries, with those of some variables found anew, each from its start; symmetric within a block."""
    pools = not_later(blocks)
    grown = ask.grown({x: list(members) for x, members in start.items()}, pools)
    if grown is None:
        found = {x: grow_from(x, members, pools[x].tolist(), ask) for x, members in sorted(start.items())}
    else:
        found = {x: shrink(x, members, ask) for x, members in grown.items()}
    members = [set(found[x]) if x in found else boundary - found.keys() for x, boundary in enumerate(boundaries)]
    return symmetric(members, pools)


def grow_and_shrink_by_turns(x: int, variables: Sequence[int], ask: Interview) -> list[int]:
    """Inter-IAMB for one variable, among some."""
    members: list[int] = []
    tried: set[frozenset[int]] = set()  # on data, adding and dropping could go round in circles
    while frozenset(members) not in tried:
        tried.add(frozenset(members))
        best = ask.most_dependent(x, outside(x, members, variables), members)
        if best is not None:
            members = shrink(x, [*members, best], ask)
    return members


def _grow_at_once_and_shrink(x: int, variables: Sequence[int], ask: Interview) -> list[int]:
    members: list[int] = []
    tried: set[frozenset[int]] = set()
    while frozenset(members) not in tried:
        tried.add(frozenset(members))
        dependent = ask.all_dependent(x, outside(x, members, variables), members)
        members = shrink(x, [*members, *dependent], ask)
    return members


def grow_shrink(blocks: Blocks, ask: Interview, n_jobs: int = 1) -> list[set[int]]:
    """Add whatever is dependent, in column order, then shrink."""
    return search_each(_grow_shrink, blocks, ask, n_jobs)


def _grow_shrink(x: int, variables: Sequence[int], ask: Interview) -> list[int]:
    members: list[int] = []
    grown = True
    while grown:
        grown = False
        for y in variables:
            if y != x and y not in members and not ask.independent(x, y, members):
                members.append(y)
                grown = True
    return shrink(x, members, ask)


# What they share.


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


# Blocks.


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

"""What searches for one variable's boundary at a time share.

Two variables are in each other's boundary when either search found the other: a member too many is noticed later by
the learner, a member too few costs an edge. Searches are independent of each other, so they can run in parallel; the
result and the counts are the same for any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sidelight.interview import Interview, Tally
from sidelight.interview.parallel import in_parallel, n_workers

Search = Callable[[int, Sequence[int], Interview], list[int]]


def search_each(search: Search, n_variables: int, ask: Interview, n_jobs: int = 1) -> list[set[int]]:
    """Run the search for every variable, and make the boundaries symmetric."""
    if n_jobs == 1:
        found = [search(x, range(n_variables), ask) for x in range(n_variables)]
    else:
        found = _in_parallel(search, n_variables, ask, n_jobs)
    boundaries = [set(members) for members in found]
    for x, members in enumerate(found):
        for y in members:
            boundaries[y].add(x)
    return boundaries


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


def _in_parallel(search: Search, n_variables: int, ask: Interview, n_jobs: int) -> list[list[int]]:
    workers = n_workers(n_jobs)
    chunks = [range(start, n_variables, workers) for start in range(min(workers, n_variables))]
    results = in_parallel(n_jobs, _search_some, [(search, chunk, n_variables, ask.fresh()) for chunk in chunks])
    found: dict[int, list[int]] = {}
    for part, theirs in results:
        found.update(part)
        ask.take_over(theirs)
    return [found[x] for x in range(n_variables)]


def _search_some(
    search: Search, variables: Sequence[int], n_variables: int, ask: Interview
) -> tuple[dict[int, list[int]], Tally]:
    return {x: search(x, range(n_variables), ask) for x in variables}, ask.tally()

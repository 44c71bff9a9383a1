"""MMPC (Tsamardinos, Aliferis & Statnikov 2003, 2006): max-min parents and children, within the Markov boundaries.

For every variable, candidates are added by the max-min heuristic: next comes the one whose weakest dependence, given
any subset of those already in, is the strongest. A candidate that some subset separates is out for good. Then each is
checked against all subsets of the others. An edge remains if both ends find each other.
"""

from __future__ import annotations

from contextlib import suppress

from sidelight.families.subset_search import Searches
from sidelight.graphs.dag import AdjacencyArrays
from sidelight.graphs.separating_sets import Skeleton
from sidelight.interview import Interview, LimitReached
from sidelight.learners.task import Task, separate_found


def learn(task: Task) -> Skeleton:
    """Parents and children of every variable; an edge that one end refutes is removed."""
    skeleton = task.skeleton_of_boundaries()
    with suppress(LimitReached):
        for x in range(task.n_variables):
            _refute(x, sorted(skeleton.adjacency[x]), skeleton, task)
            task.tick()
    return skeleton


def _refute(x: int, candidates: list[int], skeleton: Skeleton, task: Task) -> None:
    """Remove the edges of x to those that some subset of its candidates for parents and children separates."""
    members = _forward(x, candidates, skeleton, task.ask["forward"])
    for y in tuple(members):
        found = _separated_with_later_ones(x, y, members, task.ask["backward"])
        if found is not None:
            members.remove(y)
            skeleton.separate(x, y, found)


def _separated_with_later_ones(x: int, y: int, members: list[int], ask: Interview) -> frozenset[int] | None:
    """A set that separates x and y; sets of members that came in before y were tested then."""
    for position in range(members.index(y) + 1, len(members)):
        earlier = [z for z in members[:position] if z != y]
        found = ask.separating_set(x, y, earlier, [members[position]])
        if found is not None:
            return found
    return None


def _forward(x: int, candidates: list[int], skeleton: Skeleton, ask: Interview) -> list[int]:
    """The members, added one by one until some of them separate every other candidate."""
    members: list[int] = []
    weakest = dict.fromkeys(candidates, float("inf"))
    newest: list[int] = []  # only sets with the newest member are new
    while weakest:
        waiting = sorted(weakest)
        pools = AdjacencyArrays.of([members[:-1] if members else []])
        searches = Searches.many([(x, y) for y in waiting], [0] * len(waiting), pools, 0, len(members))
        searches = searches.with_bases([newest] * len(waiting))
        found = ask.search(searches, strengths=True)
        separate_found(skeleton, searches, found)
        if found.cut:
            raise LimitReached
        for i, y in enumerate(waiting):
            if found.n_chosen[i] >= 0:
                del weakest[y]
            else:
                weakest[y] = min(weakest[y], float(found.weakest[i]))
        if weakest:
            best = max(sorted(weakest), key=weakest.__getitem__)
            del weakest[best]
            members.append(best)
            newest = [best]
    return members

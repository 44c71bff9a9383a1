"""Score-based search inside what RSL found: restrict, then maximise.

RSL's boundaries and skeleton say which variables can be each other's parents at all. Among these, a search over orders
of the variables maximises a score: one variable is moved to its best place at a time (as in BOSS, Andrews et al. 2023),
with the parents chosen among the candidates before it. It starts again from changed orders and keeps the best result;
at the end edges are taken out, over the whole equivalence class, as long as that raises the score (GES's backward
phase). Where columns are few, exact search compares all structures instead.

Where a score takes a pass over the rows, the candidates are RSL's neighbours and what hill climbing by a stricter score
adds to them; an edge that only the scores support must raise the score by more than one that tests support.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from sidelight.families.score import MUST, FoundParents, Score, Space, Tick
from sidelight.graphs.dag import Dag
from sidelight.knowledge.constraints import Constraints
from sidelight.runs.running import in_parallel
from sidelight.search.backward import backward
from sidelight.search.climbing import Supported, climb
from sidelight.search.exact import check_exact, exact_search
from sidelight.search.found import BOUND, SEARCH, Effort, FoundDag, agreeing, edge_losses, member_to_keep, within
from sidelight.search.restarts import CLEAR_GAIN, Restarts, restarted, usual_restarts
from sidelight.side_information import SideInformation

MOST_PARENTS = 60
MOST_ROUNDS = 20  # of searching near what was found last, as long as the score rises
MOST_EXACT = 20  # columns, for which exact search takes about a second
MOST_COLUMNS = 300  # up to which climbing looks at all pairs, and searches start from the order of removals too

Near = list[set[int]]


@dataclass(frozen=True)
class SearchTask:
    """What a search maximises, the structure by tests that it begins with, and what its result has to keep.

    ``boundaries`` and ``removal_order`` are those of the learner before it; ``tick`` is called after each step.
    """

    score: Score
    start: Dag
    boundaries: Sequence[set[int]]
    removal_order: Sequence[int]
    side: SideInformation | None = None
    known: Constraints | None = None
    tick: Tick = lambda: None
    n_jobs: int = 1
    how: str = "auto"  # "exact", "local", or exact where that is quick
    restarts: int | None = None
    most_exact: int = MOST_EXACT

    def orders(self) -> list[list[int]]:
        """Orders to start from: what the score suggests, and those of the structure by tests and of its removals.

        These depend on the order of the columns, and are left out where restarts do better.
        """
        n = len(self.start)
        removed_last_first = self.removal_order[::-1] if n <= MOST_COLUMNS else ()  # of many, it takes longest
        suggested: list[Sequence[int]] = [self.score.order()]
        if self.score.reach != "all":
            suggested = [self.start.topological_order(), removed_last_first, *suggested]
        return [self.causes_first(order) for order in suggested if len(order) == n]

    def causes_first(self, order: Sequence[int]) -> list[int]:
        """The order, with causes that are required before their effects."""
        return list(order) if self.known is None else self.known.causes_first(order)

    def space(self, near: Near) -> Space:
        """Where to look: among candidates, and pairs that are known to be adjacent."""
        known = self.known
        if known is None:
            return Space(near, MOST_PARENTS)
        beside: Near = [set() for _ in near]
        for x, y in known.adjacent:
            beside[x].add(y)
        ways = known.allowed.astype(np.int8)
        for x, v in known.required:
            ways[x, v] = MUST
        return Space(_joined(near, beside), MOST_PARENTS, ways)

    def is_exact(self, score: Score, space: Space) -> bool:
        """Is exact search asked for, or quick? What is known of paths is beyond it."""
        n, known = len(self.start), self.known
        if self.how != "auto":
            return self.how == "exact"
        if n > self.most_exact or not score.can_be_exact or (known is not None and known.has_open_paths):
            return False
        return score.looks_widely or sum(1 << len(near) for near in space.near) <= score.most_families

    def without_needless_edges(self, score: Score, found: FoundParents) -> Dag:
        """What is left of the DAG that was found; all, where other DAGs of its class may have lower scores."""
        dag = Dag(self.start.names, found.parents)
        return backward(score, dag, self.tick, self.known) if score.is_equivalent else dag


def maximise(task: SearchTask) -> FoundDag:
    """The best DAG that the search finds, and the best of those that keep the assumed bound."""
    score, side, known = task.score, task.side, task.known
    if task.how == "exact":
        check_exact(score, known)
    free, effort = _near_boundaries(task) if score.looks_widely else _near_neighbours(task)
    if known is not None:
        starts = (free, task.start) if known.has_open_paths else (free,)  # the search does not look at paths
        free = max((agreeing(score, dag, known) for dag in starts), key=score.total)
    bounded = free if side is None else _bounded(task, side, free, effort)
    kept = member_to_keep(score, within(score, bounded, side, known), known)
    by_tests = ("structure by tests", task.start)
    effort = effort._replace(is_informed=known is not None and known.restricts)
    stages = (by_tests, (SEARCH, kept)) if side is None else (by_tests, (SEARCH, free), (BOUND, kept))
    return FoundDag(score, stages, effort)


def maximise_within(task: SearchTask) -> Dag:
    """The best DAG that is found with edges only where the start has some: which of them stay, and how they point."""
    score, start, known = task.score, task.start, task.known
    space = task.space(_joined(start.neighbours))
    n_families = sum(1 << len(near) for near in space.near)
    if score.can_be_exact and n_families <= score.most_families and not (known is not None and known.has_open_paths):
        return Dag(start.names, exact_search(score, space, known, task.tick).parents)
    orders = [task.causes_first(start.topological_order()), *task.orders()]
    found = task.without_needless_edges(score, _best(task, score, orders, space))
    return found if known is None else agreeing(score, found, known)


def _bounded(task: SearchTask, side: SideInformation, free: Dag, effort: Effort) -> Dag:
    """The best DAG within a bound on the number of parents, where exact search finds it; else what was found."""
    most = side.most_parents
    if most is None or not effort.is_exact or effort.is_near or all(len(parents) <= most for parents in free.parents):
        return free
    space = task.space(_all_others(len(free)))._replace(most_parents=most)
    found = exact_search(task.score, space, task.known, task.tick)
    return free if found.score == -inf else Dag(free.names, found.parents)


def _near_boundaries(task: SearchTask) -> tuple[Dag, Effort]:
    """Search near RSL's structure, then near what was found last, as long as the score rises."""
    score, boundaries, names = task.score, task.boundaries, task.start.names
    space = task.space(candidates(score, boundaries, task.start))
    if task.is_exact(score, space):
        return Dag(names, exact_search(score, space, task.known, task.tick).parents), Effort(is_exact=True)
    if score.reach != "all":
        space = space._replace(near=_joined(space.near, score.best_parents(space)))
    best = _best(task, score, task.orders(), space)
    for _ in range(MOST_ROUNDS):
        again = best
        if score.reach != "all":
            found = Dag(names, best.parents)
            wider = _joined(space.near, candidates(score, boundaries, found), score.best_parents(space, best.order))
            changed, space = _unequal(space.near, wider), space._replace(near=wider)
            again = score.search(best.order, space, changed)
        if again.score <= best.score + CLEAR_GAIN:  # from another order of the same DAG
            order = Dag(names, best.parents).topological_order()
            again = score.search(task.causes_first(order), space)
        task.tick()
        if again.score <= best.score + CLEAR_GAIN:
            break
        best = again
    best, restarts = _restarted(task, score, best, space)
    return task.without_needless_edges(score, best), Effort(restarts=restarts)


def _restarted(task: SearchTask, score: Score, best: FoundParents, space: Space) -> tuple[FoundParents, Restarts]:
    """After as many restarts as are asked for, or usual; where not all columns are candidates, none are usual."""
    usual = usual_restarts(len(best.order)) if score.reach == "all" else 0
    count = usual if task.restarts is None else task.restarts
    return restarted(score, best, space, task.known, count, task.tick)


def _near_neighbours(task: SearchTask) -> tuple[Dag, Effort]:
    """Search among RSL's edges and those that a stricter score adds, which must raise the score by more.

    First by as much for all of them: a local search by the lower cost of those that are clear stops at wrong arrows.
    """
    score, orders, clear = task.score, task.orders(), list[set[int]]()
    near = neighbours = _joined(task.start.neighbours)
    if score.strict is not None:
        beyond = _beyond(task, score.strict, orders)
        again = task.causes_first(beyond.topological_order())
        near, orders = _joined(neighbours, beyond.neighbours), [*orders, again]
        clear = _clear(score, score.strict, beyond)
    if task.how == "exact":
        found = exact_search(score, task.space(_all_others(len(near))), task.known, task.tick)
        return Dag(task.start.names, found.parents), Effort(is_exact=True)
    supported, space = Supported(score, neighbours, score.untested_cost, clear), task.space(near)
    if task.is_exact(supported, space):
        found = exact_search(supported, space, task.known, task.tick)
        return Dag(task.start.names, found.parents), Effort(is_exact=True, is_near=True)
    cautious = Supported(score, neighbours, score.untested_cost)
    best, restarts = _restarted(task, cautious, _best(task, cautious, orders, space), space)
    if any(clear):
        best = supported.search(best.order, space, tick=task.tick)
    return task.without_needless_edges(supported, best), Effort(restarts=restarts)


def _clear(score: Score, strict: Score, beyond: Dag) -> Near:
    """For each variable those that the stricter score clearly joins it to."""
    clear: Near = [set() for _ in beyond.names]
    if score.clear_gain < inf:
        for edge, loss in edge_losses(strict, beyond).items():
            for x, y in (edge, edge[::-1]) if loss >= score.clear_gain else ():
                clear[x].add(y)
    return clear


def _beyond(task: SearchTask, score: Score, orders: Iterable[Sequence[int]]) -> Dag:
    """The best DAG that climbing finds from the best one within RSL's skeleton, and a search near that."""
    n, neighbours = len(task.start), _joined(task.start.neighbours)
    start = task.without_needless_edges(score, _best(task, score, orders, task.space(neighbours)))
    near = _all_others(n) if n <= MOST_COLUMNS else _within_two(task.boundaries, task.boundaries)
    climbed = backward(score, climb(score, start, task.space(near), task.tick), task.tick, task.known)
    near = _joined(neighbours, _within_two(climbed.neighbours, climbed.neighbours))
    order = task.causes_first(climbed.topological_order())
    searched = task.without_needless_edges(score, _best(task, score, [order], task.space(near)))
    return max(climbed, searched, key=score.total)


def _best(task: SearchTask, score: Score, orders: Iterable[Sequence[int]], space: Space) -> FoundParents:
    """The best result of searches from these orders; the first among equals."""
    calls = [(order, space) for order in orders]
    if task.n_jobs != 1 and len(calls) > 1 and score.looks_widely:  # such searches run in a kernel
        found: list[FoundParents] = in_parallel(task.n_jobs, score.search, calls, threads=True)
    else:
        found = [score.search(*call, tick=task.tick) for call in calls]
    task.tick()
    return max(found, key=lambda result: result.score)


def candidates(score: Score, boundaries: Sequence[set[int]], dag: Dag) -> Near:
    """What can be a parent of each variable; symmetric.

    Its boundary and what is within two edges, or all.
    """
    return _all_others(len(dag)) if score.reach == "all" else _within_two(boundaries, dag.neighbours)


def _unequal(near: Sequence[set[int]], wider: Near) -> set[int]:
    """The variables that have other candidates now."""
    return {v for v, members in enumerate(near) if members != wider[v]}


def _all_others(n: int) -> Near:
    return [set(range(n)) - {x} for x in range(n)]


def _within_two(boundaries: Sequence[Collection[int]], steps: Sequence[Collection[int]]) -> Near:
    """For each variable its boundary, and what two steps reach; symmetric."""
    reached = [set(steps[x]).union(*(steps[y] for y in steps[x])) - {x} for x in range(len(steps))]
    return _joined(boundaries, reached)


def _joined(*parts: Sequence[Collection[int]]) -> Near:
    """For each variable what any part has for it; made symmetric."""
    near: Near = [set().union(*members) for members in zip(*parts, strict=True)]
    for x, members in enumerate(near):
        for y in list(members):
            near[y].add(x)
    return near

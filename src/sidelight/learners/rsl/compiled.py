"""The recursion in a kernel, for correlations: the same tests, answers and counts in a fraction of the time.

On small tables most of the time of RSL is Python's, and resamples multiply it. Only what is the rule is compiled: the
variant "robust", without knowledge and without a limit on conditioning sets (docs/decisions/0021).
"""

from __future__ import annotations

from collections import Counter
from operator import add
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sidelight.families.base import CorrelationTests
from sidelight.graphs.dag import AdjacencyArrays
from sidelight.graphs.separating_sets import ordered
from sidelight.learners.rsl.variants import PATIENCE, Robust, Variant, confirmation_alpha
from sidelight.learners.skeleton import Phases, Skeleton, Task
from sidelight.side_information import SideInformation

if TYPE_CHECKING:
    from sidelight.learners.rsl.kernels.removals import Removals

PHASES = ("removability", "update", "confirmation", "neighbourhood")  # the rows of the kernel's counts
AT_ONCE = 200  # removals in one call of the kernel, so that progress is shown

Integers = NDArray[np.int64]


def remove_compiled(run: Variant, skeleton: Skeleton, task: Task) -> list[int]:
    """Remove variables in a kernel, as long as it can; return those that wait to be examined then.

    It ends early at a variable whose boundary is nearly collinear, where leaving members out of an inverse is not
    exact, or whose examination may reach the limit on tests, or take so long that Ctrl-C is not heard.
    """
    from sidelight.learners.rsl.kernels.removals import remove_some

    sides = _sides(run.side, max(map(len, run.boundaries.values()), default=0))
    tests = _tests(run, task, sides)
    if tests is None:
        return list(run.boundaries)
    assert isinstance(run, Robust)
    removals, n_left, goes_on = _removals(run, sides, tests), len(run.boundaries), True
    while n_left and goes_on:
        n_removed, goes_on = remove_some(removals, min(n_left, AT_ONCE), task.ask.limits.tests_left)
        _note(removals, n_removed, skeleton, task.ask)
        n_left -= n_removed
        for _ in range(n_removed):
            task.tick()
    _hand_over(removals, run, skeleton)
    waiting: list[int] = np.flatnonzero(removals.waits).tolist()
    return waiting


def _sides(side: SideInformation, largest: int) -> Integers:
    """How many members are left out, at most and exactly, by size of the boundary."""
    return np.array([side.left_out(size) for size in range(largest + 1)], dtype=np.int64).T.copy()


def _tests(run: Variant, task: Task, sides: Integers) -> CorrelationTests | None:
    """What the kernel needs; None if it cannot make the tests."""
    if type(run) is not Robust or run.known is not None or task.ask.limits.max_conditioning is not None:
        return None
    if len(run.boundaries) < task.n_variables:
        return None  # one block of several
    size = np.arange(sides.shape[1])
    if (sides[0] > np.maximum(0, size - 1)).any() or (sides[1] >= size).any():
        return None  # side information of the user's own, which leaves out more members than there are
    return task.ask.in_kernels((task.ask.alpha, confirmation_alpha(task.ask.alpha)), int(size[-1]))


def _removals(run: Robust, sides: Integers, tests: CorrelationTests) -> Removals:
    """At the start, when all variables wait to be examined."""
    from sidelight.learners.rsl.kernels.removals import Removals, wait_all

    n, rows = len(run.boundaries), AdjacencyArrays.of([run.boundaries[x] for x in range(len(run.boundaries))])
    removals = Removals(
        matrix=tests.matrix,
        critical=tests.critical[0],
        clearly=tests.critical[1],
        sides=sides,
        patience=PATIENCE,
        start=rows.start,
        items=rows.items,
        left_out=np.empty(len(rows.items), dtype=np.int64),
        sets=np.empty((len(rows.items), max(0, int(sides[1].max()))), dtype=np.int64),
        size=np.diff(rows.start),
        priority=np.empty(n, dtype=np.int64),
        waits=np.zeros(n, dtype=np.bool_),
        is_postponed=np.zeros(n, dtype=np.bool_),
        is_removed=np.zeros(n, dtype=np.bool_),
        by_fallback=np.zeros(n, dtype=np.bool_),
        examinations=np.zeros(n, dtype=np.int64),
        n_left_out=np.empty(n, dtype=np.int64),
        share=np.full(n, np.nan),
        counts=np.zeros((len(PHASES), sides.shape[1]), dtype=np.int64),
        log=np.empty((min(n, AT_ONCE), 1 + len(PHASES)), dtype=np.int64),
    )
    wait_all(removals)
    return removals


def _boundary(removals: Removals, x: int) -> slice:
    """Where the boundary of x is."""
    return slice(removals.start[x], removals.start[x] + removals.size[x])


def _note(removals: Removals, n_removed: int, skeleton: Skeleton, ask: Phases) -> None:
    """Write down the last removals, and count their tests."""
    before = ask.counts()
    n_before = [before.get(phase, 0) for phase in PHASES]
    for x, *counted in removals.log[:n_removed].tolist():
        place = _boundary(removals, x)
        members, left_out = removals.items[place].tolist(), removals.left_out[place].tolist()
        neighbours = [y for y, n in zip(members, left_out, strict=True) if n < 0]
        skeleton.remove(x, members, neighbours)
        if len(neighbours) < len(members):
            for y, n, chosen in zip(members, left_out, removals.sets[place].tolist(), strict=True):
                if n >= 0:
                    skeleton.left_out[ordered(x, y)] = tuple(members[z - 1] for z in chosen[:n])
        by_then = zip(PHASES, map(add, n_before, counted), strict=True)
        skeleton.finish_step(x, neighbours, int(removals.n_left_out[x]), {**before, **dict(by_then)})
    for phase, tests_by_size in zip(PHASES, removals.counts, strict=True):
        alpha = confirmation_alpha(ask.alpha) if phase == "confirmation" else ask.alpha
        ask.at_alpha(phase, alpha).add_counted(tests_by_size)


def _hand_over(removals: Removals, run: Robust, skeleton: Skeleton) -> None:
    """Bring the run to where the kernel is, and note what it examined and removed anyway."""
    left = np.flatnonzero(~removals.is_removed).tolist()
    skeleton.examinations = Counter({x: count for x, count in enumerate(removals.examinations.tolist()) if count})
    skeleton.fallbacks = [x for x in skeleton.removal_order if removals.by_fallback[x]]
    run.boundaries = {x: set(removals.items[_boundary(removals, x)].tolist()) for x in left}
    run.postponed = {x for x in left if removals.is_postponed[x]}
    run.independent_share = {x: float(removals.share[x]) for x in left if not np.isnan(removals.share[x])}

"""The recursion in a kernel, for correlations: the same tests, answers and counts in a fraction of the time.

On small tables most of the time of RSL is Python's, and resamples multiply it. Only what is the rule is compiled: the
variant "robust", without knowledge and without a limit on conditioning sets.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.families.base import CorrelationTests
from sidelight.graphs.dag import AdjacencyArrays
from sidelight.graphs.separating_sets import ordered
from sidelight.interview import LimitReached
from sidelight.learners.rsl.examine import Boundaries
from sidelight.learners.rsl.variants import PATIENCE, Robust, Variant, confirmation_alpha
from sidelight.learners.skeleton import Phases, Skeleton, Task
from sidelight.side_information import SideInformation

PHASES = ("removability", "update", "confirmation", "neighbourhood")  # the rows of the kernel's counts
AT_ONCE = 200  # removals in one call of the kernel, so that progress is shown

Integers = NDArray[np.int64]


def remove_compiled(run: Variant, skeleton: Skeleton, task: Task) -> list[int]:
    """Remove variables in a kernel, as long as it can; return those that wait to be examined then.

    It ends early at a variable whose boundary is nearly collinear, where leaving members out of an inverse is not
    exact, or large, where the kernel would not hear Ctrl-C for long.
    """
    sides = _sides(run.side, max(map(len, run.boundaries.values()), default=0))
    tests = _tests(run, task, sides)
    if tests is None:
        return list(run.boundaries)
    assert isinstance(run, Robust)
    removals, n_left, goes_on = Removals.of(run.boundaries, sides, tests), len(run.boundaries), True
    while n_left and goes_on:
        n_removed, goes_on = removals.remove_some(n_left, task.ask.limits.tests_left)
        removals.note(n_removed, skeleton, task.ask)
        n_left -= n_removed
        for _ in range(n_removed):
            task.tick()
    removals.hand_over(run, skeleton)
    if removals.reached_limit:
        task.ask.limits.take(1)  # of which there is none left
        raise LimitReached
    return removals.waiting()


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


@dataclass(frozen=True)
class Removals:
    """The kernel's state: the variables, their boundaries, which are symmetric, and its tests; changed in place."""

    tests: CorrelationTests
    sides: Integers  # how many members are left out, by size of the boundary
    rows: AdjacencyArrays  # of boundaries, as they were at first
    size: Integers  # of boundaries, as they are
    counts: Integers
    state: Integers
    shares: NDArray[np.float64]
    left_out: Integers
    sets: Integers
    log: Integers

    @staticmethod
    def of(boundaries: Boundaries, sides: Integers, tests: CorrelationTests) -> Removals:
        """At the start, when all variables wait to be examined."""
        from sidelight.kernels.removals import N_FIELDS, wait_all

        rows = AdjacencyArrays.of([boundaries[x] for x in range(len(boundaries))])
        n = len(boundaries)
        size, state = np.diff(rows.start), np.zeros((N_FIELDS, n), dtype=np.int64)
        wait_all(rows.start, rows.items, size, state, PATIENCE)
        return Removals(
            tests,
            sides,
            rows,
            size,
            counts=np.zeros((len(PHASES) + 1, max(3, sides.shape[1])), dtype=np.int64),
            state=state,
            shares=np.full(n, np.nan),
            left_out=np.empty(len(rows.items), dtype=np.int64),
            sets=np.empty((len(rows.items), max(0, int(sides[1].max()))), dtype=np.int64),
            log=np.empty((min(n, AT_ONCE), 1 + len(PHASES)), dtype=np.int64),
        )

    @property
    def reached_limit(self) -> bool:
        """True when more tests were wanted than were left."""
        from sidelight.kernels.examining import LIMIT, REACHED

        return bool(self.counts[LIMIT, REACHED])

    def remove_some(self, n_left: int, tests_left: int) -> tuple[int, bool]:
        """Remove the next variables: how many were; and whether the kernel can go on."""
        from sidelight.kernels.examining import LEFT, LIMIT
        from sidelight.kernels.removals import ENDED, remove_some

        self.counts[:] = 0
        self.counts[LIMIT, LEFT] = tests_left
        n_removed = remove_some(
            min(n_left, AT_ONCE),
            *self.tests,
            self.sides,
            PATIENCE,
            self.rows.start,
            self.rows.items,
            self.size,
            self.counts,
            self.state,
            self.shares,
            self.left_out,
            self.sets,
            self.log,
        )
        return int(n_removed), not self.reached_limit and not self.counts[LIMIT, ENDED]

    def note(self, n_removed: int, skeleton: Skeleton, ask: Phases) -> None:
        """Write down the last removals, and count their tests."""
        from sidelight.kernels.removals import LEFT_OUT

        before, at_a_time = ask.counts(), self.state[LEFT_OUT].tolist()
        n_before = [before.get(phase, 0) for phase in PHASES]
        for x, *counted in self.log[:n_removed].tolist():
            members, left_out = self._row(x, self.rows.items), self._row(x, self.left_out)
            neighbours = [y for y, n in zip(members, left_out, strict=True) if n < 0]
            skeleton.remove(x, members, neighbours)
            if len(neighbours) < len(members):
                for y, n, chosen in zip(members, left_out, self._row(x, self.sets), strict=True):
                    if n >= 0:
                        skeleton.left_out[ordered(x, y)] = tuple(chosen[:n])
            by_then = zip(PHASES, map(add, n_before, counted), strict=True)
            skeleton.finish_step(x, neighbours, at_a_time[x], {**before, **dict(by_then)})
        for phase, tests_by_size in zip(PHASES, self.counts, strict=False):
            alpha = confirmation_alpha(ask.alpha) if phase == "confirmation" else ask.alpha
            ask.at_alpha(phase, alpha).add_counted(tests_by_size)

    def _row(self, x: int, items: Integers) -> list[Any]:
        return items[self.rows.start[x] : self.rows.start[x] + self.size[x]].tolist()  # type: ignore[no-any-return]

    def hand_over(self, run: Robust, skeleton: Skeleton) -> None:
        """Bring the run to where the kernel is, and note what it examined and removed anyway."""
        from sidelight.kernels.removals import EXAMINATIONS, FALLBACK, IS_REMOVED, POSTPONED

        examined, by_fallback = self.state[EXAMINATIONS].tolist(), self.state[FALLBACK].tolist()
        left = np.flatnonzero(self.state[IS_REMOVED] == 0).tolist()
        skeleton.examinations = Counter({x: count for x, count in enumerate(examined) if count})
        skeleton.fallbacks = [x for x in (*skeleton.removal_order, *left) if by_fallback[x]]
        run.boundaries = {x: set(self._row(x, self.rows.items)) for x in left}
        run.postponed = {x for x in left if self.state[POSTPONED, x]}
        run.independent_share = {x: float(self.shares[x]) for x in left if not np.isnan(self.shares[x])}

    def waiting(self) -> list[int]:
        """The variables whose boundary changed since they were last examined."""
        from sidelight.kernels.removals import WAITS

        return np.flatnonzero(self.state[WAITS]).tolist()

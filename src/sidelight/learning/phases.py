"""The phases between reading and assessing: boundaries, skeleton, directions, and the score-based search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sidelight.boundaries import FoundBoundaries
from sidelight.boundaries.growing import grow_some
from sidelight.consistency.checks import (
    NOTHING,
    Oriented,
    Refuted,
    Remedy,
    by_strength,
    check,
    inseparable,
    orient_mended,
    plainly_dependent,
)
from sidelight.errors import InputError
from sidelight.families.score import Score
from sidelight.graphs.dag import Dag
from sidelight.graphs.separating_sets import Pair, Skeleton, ordered, skeleton_of
from sidelight.interview import Interview, LimitReached, Limits, Phases
from sidelight.knowledge.time import closed, closed_dag, open_dag
from sidelight.learners import LEARNERS
from sidelight.learners.task import Task
from sidelight.orientation.known import keep_known, with_told_arrows
from sidelight.search import FoundDag, SearchTask
from sidelight.text.message import Message, Option

if TYPE_CHECKING:
    from sidelight.learning import Run

FEW_EXACT, FEW_RESTARTS = 12, 100  # for one of many runs: most columns for exact search; restarts times columns beyond
MOST_ROUNDS = 3  # of learning again; benchmarks/accuracy.py shows no gain from more


@dataclass(frozen=True)
class LearnedSkeleton:
    """A skeleton with what separates its non-adjacent pairs: from which boundaries, by which tests, and its check."""

    boundaries: FoundBoundaries
    skeleton: Skeleton
    ask: Phases
    refuted: Refuted = NOTHING

    @property
    def limits(self) -> Limits:
        """Those of its tests."""
        return self.ask.limits


@dataclass(frozen=True)
class Learned:
    """What all phases found: edges, directions, and what the score-based search found, if there was one."""

    edges: LearnedSkeleton
    oriented: Oriented
    found: FoundDag | None = None

    @property
    def boundaries(self) -> FoundBoundaries:
        """Where the learner started."""
        return self.edges.boundaries

    @property
    def limits(self) -> Limits:
        """Those of the tests."""
        return self.edges.limits


def run_phases(run: Run, boundaries: FoundBoundaries) -> Learned:
    """Skeleton, directions, and the score-based search: what they found together, from these boundaries."""
    learned = by_tests(run, boundaries)
    if run.score is not None:
        learned = check_search(run, by_score(run, run.score, learned), learned)
    return opened(run, learned)


def opened(run: Run, learned: Learned) -> Learned:
    """What was learned without edges between variables that are given, which tests took as adjacent."""
    known, edges, oriented = run.known, learned.edges, learned.oriented
    if known is None or not known.given:
        return learned
    edges.skeleton.open(known.given)
    members = [set() if v in known.given else found for v, found in enumerate(edges.boundaries.members)]
    orientation = replace(oriented.orientation, dag=open_dag(oriented.orientation.dag, known.given), known=known)
    oriented = replace(oriented, sets=edges.skeleton.separating_sets(run.names), orientation=orientation)
    return Learned(replace(edges, boundaries=replace(edges.boundaries, members=members)), oriented, learned.found)


def by_tests(run: Run, boundaries: FoundBoundaries) -> Learned:
    """Skeleton and directions; where a search that looks widely follows, they are not checked."""
    few = run.score is not None and run.score.looks_widely
    limits = run.options.limits(run.test.default_budget, len(run.names), few)
    run = run.closed
    edges = learn_skeleton(run, boundaries, Phases(run.test, run.options.alpha, limits, run.adjacent))
    if few:  # such a search needs nothing mended before it
        return Learned(edges, Oriented.unchecked(run.names, edges.skeleton, run.known))
    edges = learn_again(run, check_skeleton(run, edges))
    run.clock.start("directions")
    return Learned(edges, orient_edges(run, edges, "mend" if run.options.refuted == "mend" else "dismiss"))


def learn_skeleton(run: Run, boundaries: FoundBoundaries, ask: Phases) -> LearnedSkeleton:
    """Let the learner find the edges, and change what disagrees with what is known."""
    task = Task(
        boundaries.members,
        ask,
        boundaries.alpha,
        run.clock.start("skeleton"),
        run.options.n_jobs,
        side=run.side,
        variant=run.options.variant,
        loses_power=run.test.loses_power,
        known=run.known,
        order=boundaries.blocks,
    )
    try:
        skeleton = learner_by_tests(run)(task)
    except LimitReached:
        name = next(iter(sorted(ask.limits.reached)))
        raise InputError(Message(Option(name), f" does not go with the learner {run.options.learner!r}")) from None
    if run.known is not None:
        keep_known(skeleton, run.known)
    return LearnedSkeleton(boundaries, skeleton, ask)


def learner_by_tests(run: Run) -> Callable[[Task], Skeleton]:
    """The learner's own; where variables are given, no recursion, as each of them is adjacent to all others."""
    if run.test.time_order is None:
        return run.learner.learn
    widely = run.score is not None and run.score.looks_widely
    return Task.skeleton_of_boundaries if widely else LEARNERS["gs"].learn


def check_skeleton(run: Run, learned: LearnedSkeleton) -> LearnedSkeleton:
    """Test what follows from boundaries alone; without them every separating set was found by a test of its pair."""
    if run.test.is_exact or learned.boundaries.algorithm == "none":
        return learned
    tick = run.clock.start("check")
    adjacency, sets = learned.skeleton.adjacency, learned.skeleton.separating_sets(run.names)
    budget, largest = check_budget(run, learned), learned.limits.largest_set
    refuted = check(run.test, adjacency, sets, run.options.alpha, budget, largest, tick)
    learned.limits.take(refuted.n_tests)
    return replace(learned, refuted=refuted)


def check_budget(run: Run, learned: LearnedSkeleton) -> int:
    """How many tests the check may take: about as many as learning did, or more where the test is quick."""
    n_asked = learned.boundaries.n_tests + learned.ask.tests_by_size().total()
    return min(max(run.test.recheck_budget, n_asked), learned.limits.tests_left)


def learn_again(run: Run, learned: LearnedSkeleton) -> LearnedSkeleton:
    """As long as the data refute less each time: look for lost members of boundaries, and learn from what is found.

    Total conditioning loses members where columns are many for the rows, or nearly determine each other.
    """
    may = run.options.boundaries == "auto" and run.options.refuted == "mend" and not learned.limits.reached
    for _ in range(MOST_ROUNDS if may else 0):
        n_asked = learned.ask.tests_by_size().total() + learned.refuted.n_tests
        if not learned.refuted.count or learned.limits.tests_left < 2 * n_asked:  # what is left is kept for mending
            break
        run.clock.start("boundaries")
        found = regrown(run, learned.boundaries, learned.refuted)
        again = check_skeleton(run, learn_skeleton(run, found, learned.ask))
        n_tests = learned.refuted.n_tests + again.refuted.n_tests
        if again.limits.reached or again.refuted.count >= learned.refuted.count:
            again.limits.reached.clear()  # what was learned first is whole
            boundaries = replace(learned.boundaries, n_tests=found.n_tests)
            return replace(learned, boundaries=boundaries, refuted=replace(learned.refuted, n_tests=n_tests))
        learned = replace(again, refuted=replace(again.refuted, n_tests=n_tests))
    return learned


def regrown(run: Run, boundaries: FoundBoundaries, refuted: Refuted) -> FoundBoundaries:
    """The boundaries of the variables concerned, grown from the members that they have.

    Where components depend on each other, members that nearly determine a variable may hide the others: there they
    are grown from nothing.
    """
    ask = Interview(run.test, boundaries.alpha, adjacent=run.adjacent)
    start = {v: sorted(boundaries.members[v]) for x, y, _ in refuted.sets for v in (x, y)}
    start |= {v: [] for pair in refuted.across for v in pair}
    members = grow_some(boundaries.members, start, ask, boundaries.blocks)
    return replace(boundaries, members=members, regrown=True, n_tests=boundaries.n_tests + ask.n_tests)


def orient_edges(run: Run, learned: LearnedSkeleton, remedy: Remedy, dag: Dag | None = None) -> Oriented:
    """The edges, directed after what the data refute had this remedy, within the limits on tests."""
    oriented = orient_mended(
        run.test,
        run.names,
        learned.skeleton,
        learned.refuted,
        run.options.alpha,
        check_budget(run, learned),
        learned.limits.largest_set,
        remedy,
        run.known,
        dag,
    )
    learned.limits.take(oriented.n_tests - learned.refuted.n_tests)
    if oriented.mended.limited:
        learned.limits.reached.add("max_conditioning")
    return oriented


def by_score(run: Run, score: Score, learned: Learned) -> FoundDag:
    """Maximise the score among structures near what was learned by tests."""
    start, order = learned.oriented.orientation.dag, learned.edges.skeleton.removal_order
    start = start if run.known is None else open_dag(start, run.known.given)
    return _searched(run, SearchTask(score, start, learned.boundaries.members, order))


def by_score_alone(run: Run, score: Score) -> FoundDag:
    """The same with less effort and no tests before it, for one of many runs by a score that looks at all columns."""
    start = Dag(run.names, (frozenset[int](),) * len(run.names))
    restarts = FEW_RESTARTS // len(run.names) if run.options.restarts is None else run.options.restarts
    return _searched(run, SearchTask(score, start, (), (), restarts=restarts, most_exact=FEW_EXACT))


def _searched(run: Run, task: SearchTask) -> FoundDag:
    assert run.learner.search is not None  # there is a score only for learners that search
    options, tick = run.options, run.clock.start("search")
    restarts = options.restarts if task.restarts is None else task.restarts
    how = "local" if options.restarts is not None else options.search  # who asks for restarts wants a local search
    return run.learner.search(
        replace(
            task,
            side=run.side,
            known=run.known,
            tick=tick,
            n_jobs=options.n_jobs,
            how=how,
            restarts=None if restarts is None else int(restarts),
        )
    )


def check_search(run: Run, found: FoundDag, learned: Learned) -> Learned:
    """Test what follows from the structure with the best score, mend what the data refute, and note the rest."""
    edges = learned.edges
    if edges.limits.by_default and found.by.looks_widely:  # that limit was for what is near; the check has its own
        reached, edges.ask.limits = edges.limits.reached, run.options.limits(run.test.default_budget, len(run.names))
        edges.limits.reached |= reached - {"max_tests"}
    best, n_tests = found, learned.oriented.n_tests
    edges, oriented = check_found(run, best, edges)
    for _ in range(MOST_ROUNDS if run.options.refuted == "mend" else 0):
        if not edges.refuted.count:
            break
        mended, n_asked = with_refuted_edges(run, best, edges, oriented)
        n_tests += n_asked
        if mended is best:
            break
        best, n_tests = mended, n_tests + oriented.n_tests
        edges, oriented = check_found(run, best, edges)
    oriented.mended.added += sorted(_pairs_of(best.dag) - _pairs_of(found.dag))
    return Learned(edges, replace(oriented, n_tests=n_tests + oriented.n_tests), best)


def with_refuted_edges(run: Run, found: FoundDag, learned: LearnedSkeleton, oriented: Oriented) -> tuple[FoundDag, int]:
    """Connect components that depend on each other; then join pairs that tests which keep their level do not separate.

    The latter not on numbers, where both rest on the same correlations. A score of discrete columns sees what tests
    see: there a pair is joined only if no set of neighbours separates it. The number is how many tests that took.
    """
    test, side, known = run.test, run.side, run.known
    connected = found.connected(plainly_dependent(test, learned.refuted), side, known)
    if connected is not found or found.by.looks_widely:
        return connected, 0
    left = [failed for failed in oriented.mended.left if test.keeps_level(*failed)]
    if not found.by.sees_all:
        return found.with_edges([(x, y) for x, y, _ in by_strength(test, left)], side, known), 0
    pairs, n_tests = inseparable(test, learned.skeleton, left, run.options.alpha, learned.limits)
    return found.with_edges(pairs, side, known), n_tests


def check_found(run: Run, found: FoundDag, learned: LearnedSkeleton) -> tuple[LearnedSkeleton, Oriented]:
    """The edges of what the search found, and the sets that follow from it: tested, and replaced where others hold."""
    dag = found.dag
    if run.known is not None:
        dag = closed_dag(dag, run.known)
        run = replace(run, known=with_told_arrows(closed(run.known), dag))
    skeleton = replace(skeleton_of(dag), assumption=learned.skeleton.assumption)
    learned = check_skeleton(run, replace(learned, skeleton=skeleton))
    return learned, orient_edges(run, learned, "other set" if run.options.refuted == "mend" else "keep", dag)


def _pairs_of(dag: Dag) -> set[Pair]:
    """Its adjacent pairs."""
    return {ordered(*edge) for edge in dag.edges()}

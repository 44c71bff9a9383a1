"""From a source of answers to a ``Network``: read, find boundaries, learn the skeleton, orient or search, assess.

Each phase is a function that takes the records of the phases before it and returns its own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from pathlib import Path
from time import perf_counter

from sidelight.boundaries import ALGORITHMS, given_boundaries, joined, one_block
from sidelight.boundaries.iamb import grow_some
from sidelight.consistency.checks import NOTHING, Refuted, across_components, check
from sidelight.consistency.directions import Oriented, Remedy, orient_mended
from sidelight.consistency.knowledge import Doubt, Unconstrained, doubt_about_all, doubts_about
from sidelight.consistency.mending import by_strength, inseparable, plainly_dependent
from sidelight.errors import InputError
from sidelight.families import CITest
from sidelight.families.options import DataOptions, check_choice
from sidelight.families.score import Score
from sidelight.graphs.dag import Dag, PartialDag, components
from sidelight.graphs.separating_sets import Pair, ordered
from sidelight.interview import Interview, LimitReached, Limits, mean_size
from sidelight.knowledge.constraints import Constraints
from sidelight.learners import LEARNERS, Phases, Skeleton, Task
from sidelight.learners.hybrid import FoundDag, gain_of, maximise, skeleton_of, too_many
from sidelight.learners.skeleton import keep_known
from sidelight.network import Network
from sidelight.options import Given, Options, Progress, takes
from sidelight.orientation.essential import essential_graph
from sidelight.prepare import Prepared, examine_source, prepare
from sidelight.result import EdgeTests, MeasuredEdges, TestedEdges, TestedMissing, steps_of
from sidelight.result.certificate import (
    CONTRADICTION,
    GIVEN_BOUNDARIES,
    GIVEN_KNOWLEDGE,
    KNOWLEDGE,
    TOO_FEW_ROWS,
    UNCHECKED,
    UNDECIDED,
    Certificate,
    certify,
    certify_search,
    certify_unfinished,
    certify_without_assumption,
)
from sidelight.result.settings import Settings
from sidelight.result.trust import too_few_rows, trust_line
from sidelight.result.warnings import (
    failed_separating_sets,
    fallback_removals,
    knowledge_against_data,
    knowledge_not_kept,
    limits_reached,
    marginal_dependences,
    overruled_v_structures,
    score_against_tests,
    unchecked_separating_sets,
    undecided_tests,
)
from sidelight.tables.findings import Diagnosis, Finding
from sidelight.tables.table import as_list, weights_column
from sidelight.tables.treatment import marks_of
from sidelight.text.message import Message, Option

MOST_ROUNDS = 3  # of learning again; benchmarks/accuracy.py shows no gain from more
MOST_BLOCKS = 20  # of variables in a known order; for each, total conditioning inverts a matrix
CLEAR_COST = 3.0  # nats, that all of what was said may cost; a Bayes factor of 20


@takes(Options)
def learn(source: object, options: Options) -> Network:
    """Learn the structure of a Bayesian network.

    Args:
        source: a table (a path to a CSV, TSV, Parquet or Feather file or to a folder of them, a data frame, also of
            Dask, a query of polars or DuckDB, a pyarrow dataset, an iterator of frames, or a NumPy array), a
            ``Correlation``, or a test: ``DSeparation(dag)`` or a ``CITest`` of your own.
    """
    asked = options.checked()
    clock = Clock(asked.progress or (lambda phase, done: None))
    return learn_prepared(source, prepare(source, asked, clock.start), asked, clock)


def learn_prepared(source: object, data: Prepared, asked: Options, clock: Clock) -> Network:
    """Learn from a source that was read and prepared, with options that were checked."""
    options = data.as_applied(asked).for_test(bool(data.test.scores()))
    if data.test.in_one_process:
        options = replace(options, n_jobs=1)
    known = options.constraints(tuple(data.test.names))
    score = None
    if LEARNERS[options.learner].searches_by_score:  # raises, before the work, where there is none
        score = data.test.score(options.score, options.penalty)
    doubts, free_score = doubts_of_data(data, options, score, clock)
    data = replace(data, undecided_before=data.test.n_undecided)
    boundaries, learned, oriented, found = run_phases(data, options, score, clock, known)
    if found is not None and not doubts and free_score - found.found.score > CLEAR_COST:
        doubts = (doubt_about_all(options.known, free_score - found.found.score),)
    assessment = assess(data, boundaries, learned, oriented, options, found, doubts, known)
    settings = settings_of(source, data, boundaries, options, score, asked.given())
    return network_of(data, boundaries, learned, oriented, assessment, settings, clock.stop(), found)


def run_phases(
    data: Prepared, options: Options, score: Score | None, clock: Clock, known: Constraints | None
) -> tuple[FoundBoundaries, LearnedSkeleton, Oriented, SearchResult | None]:
    """Boundaries, skeleton, directions, and the search by score: what each found."""
    boundaries, learned, oriented = by_tests(data, options, score, clock, known)
    found = None
    if score is not None:
        best = search_by_score(score, boundaries, learned, oriented, options, clock, known)
        found = check_search(best, data, boundaries, learned, oriented, options, clock, known)
        learned, oriented = found.learned, found.oriented
    return boundaries, learned, oriented, found


def by_tests(
    data: Prepared, options: Options, score: Score | None, clock: Clock, known: Constraints | None
) -> tuple[FoundBoundaries, LearnedSkeleton, Oriented]:
    """Boundaries, skeleton and directions; where a search by score that looks widely follows, they are not checked."""
    few = score is not None and score.looks_widely
    limits = options.limits(data.test.default_budget, len(data.test.names), few)
    boundaries = find_boundaries(data, options, clock, known)
    ask = Phases(data.test, options.alpha, limits, _adjacent(known))
    learned = learn_skeleton(data, boundaries, options, clock, ask, known)
    if few:  # such a search needs nothing mended before it
        return boundaries, learned, Oriented.unchecked(tuple(data.test.names), learned.skeleton, known)
    learned = check_skeleton(data, boundaries, learned, options, clock)
    boundaries, learned = learn_again(data, boundaries, learned, options, clock, known)
    return boundaries, learned, orient_edges(data, boundaries, learned, options, clock, known)


def learn_graph(data: Prepared, options: Options, known: Constraints | None) -> PartialDag:
    """The graph that ``learn`` finds with checked options, without the work that only its evidence needs."""
    test, clock, score = data.test, Clock(lambda phase, done: None), None
    if LEARNERS[options.learner].searches_by_score:
        score = test.score(options.score, options.penalty)
    boundaries, learned, oriented = by_tests(data, options, score, clock, known)
    if score is None:
        return oriented.orientation.graph
    best = search_by_score(score, boundaries, learned, oriented, options, clock, known)
    budget, in_one = _check_budget(data, boundaries, learned.ask), components(best.dag.neighbours).max(initial=0) == 0
    if options.refuted != "mend" or (in_one and score.looks_widely):
        return essential_graph(best.dag, known)  # there is nothing that the check might add
    if budget < len(test.names) ** 2 or not score.looks_widely:  # what the check might add is not known beforehand
        found = check_search(best, data, boundaries, learned, oriented, options, clock, known)
        return found.oriented.orientation.graph
    pairs = plainly_dependent(test, across_components(test, best.dag.neighbours, options.alpha))
    return essential_graph(best.connected(pairs, options.side_information, known).dag, known)


def doubts_of_data(
    data: Prepared, options: Options, score: Score | None, clock: Clock
) -> tuple[tuple[Doubt, ...], float]:
    """What was said and the data speak against, held against what is learned without it; and the score of that."""
    if data.test.is_exact or not options.known.statements:
        return (), -inf
    clock.stop()
    apart = Clock(clock.report)
    _, _, oriented, found = run_phases(data, options, score, apart, None)
    clock.seconds["without knowledge"] = sum(apart.stop().values())
    dag = oriented.orientation.dag
    free = Unconstrained(
        data.test,
        oriented.orientation.graph,
        dag,
        oriented.sets,
        {} if found is None else found.found.losses,
        {} if found is None else found.found.turn_costs,
        None if score is None else partial(gain_of, score, dag),
    )
    return doubts_about(options.known, free), -inf if score is None else score.total(dag)


@takes(DataOptions)
def diagnose(source: object, options: DataOptions) -> Diagnosis:
    """Find everything that is wrong or doubtful about a table.

    Args:
        source: a path, a data frame or an array.
    """
    return examine_source(source, options)


# Phase 1, reading, is ``prepare``. Phase 2: Markov boundaries.


@dataclass(frozen=True)
class FoundBoundaries:
    """The boundary of each variable, how they were found (or "given" or "none"), at which level, in how many tests.

    Each is among the variables of its own block and of earlier ones; if nothing is known, there is one block.
    """

    members: list[set[int]]
    algorithm: str
    alpha: float
    n_tests: int
    blocks: Sequence[Sequence[int]]
    regrown: bool = False  # some of them, after the data refuted separating sets


def find_boundaries(
    data: Prepared, options: Options, clock: Clock, known: Constraints | None = None
) -> FoundBoundaries:
    """Find the Markov boundaries, or take those given; empty ones for learners that do not start from them."""
    names, (default_algorithm, default_alpha) = data.test.names, data.test.default_boundaries(options.alpha)
    alpha, whole = options.boundary_alpha or default_alpha, one_block(len(names))
    if not LEARNERS[options.learner].starts_from_boundaries:
        return FoundBoundaries([set() for _ in names], "none", alpha, 0, whole)
    clock.start("boundaries")
    if isinstance(options.boundaries, Mapping):
        return FoundBoundaries(given_boundaries(names, options.boundaries), "given", alpha, 0, whole)
    algorithm = default_algorithm if options.boundaries == "auto" else options.boundaries
    check_choice("boundaries", algorithm, ALGORITHMS)
    if algorithm == "tc" and not data.test.can_condition_on(len(names) - 2):
        raise InputError(
            Message(
                Option("boundaries", "tc"),
                ": total conditioning needs more rows than columns + 3, and no linearly dependent columns; use ",
                Option("boundaries", "iamb"),
            )
        )
    ask = Interview(data.test, alpha, adjacent=_adjacent(known))
    blocks = whole
    if known is not None and LEARNERS[options.learner].removes_in_blocks:
        blocks = known.blocks() if data.test.is_exact else joined(known.blocks(), MOST_BLOCKS)
    return FoundBoundaries(ALGORITHMS[algorithm](blocks, ask, options.n_jobs), algorithm, alpha, ask.n_tests, blocks)


def _adjacent(known: Constraints | None) -> frozenset[tuple[int, int]]:
    """The pairs that need no test."""
    return frozenset() if known is None else known.adjacent


# Phase 3: the skeleton, and whether it holds in the data that it was learned from.


@dataclass(frozen=True)
class LearnedSkeleton:
    """The skeleton with what separates its non-adjacent pairs, the tests that it took, their limits, and its check."""

    skeleton: Skeleton
    ask: Phases
    refuted: Refuted = NOTHING

    @property
    def limits(self) -> Limits:
        """Those of its tests."""
        return self.ask.limits


def learn_skeleton(
    data: Prepared,
    boundaries: FoundBoundaries,
    options: Options,
    clock: Clock,
    ask: Phases,
    known: Constraints | None = None,
) -> LearnedSkeleton:
    """Let the learner find the edges, and change what disagrees with what is known."""
    task = Task(
        boundaries.members,
        ask,
        boundaries.alpha,
        clock.start("skeleton"),
        options.n_jobs,
        side=options.side_information,
        variant=options.variant,
        loses_power=data.test.loses_power,
        known=known,
        n_runs=data.n_runs,
        order=boundaries.blocks,
    )
    try:
        skeleton = LEARNERS[options.learner].learn(task)
    except LimitReached:
        name = next(iter(sorted(ask.limits.reached)))
        raise InputError(Message(Option(name), f" does not go with the learner {options.learner!r}")) from None
    if known is not None:
        keep_known(skeleton, known)
    return LearnedSkeleton(skeleton, ask)


def check_skeleton(
    data: Prepared, boundaries: FoundBoundaries, learned: LearnedSkeleton, options: Options, clock: Clock
) -> LearnedSkeleton:
    """Test what follows from boundaries alone; without them every separating set was found by a test of its pair."""
    if data.test.is_exact or boundaries.algorithm == "none":
        return learned
    tick = clock.start("check")
    adjacency, sets = learned.skeleton.adjacency, learned.skeleton.separating_sets(tuple(data.test.names))
    budget, largest = _check_budget(data, boundaries, learned.ask), learned.limits.largest_set
    refuted = check(data.test, adjacency, sets, options.alpha, budget, largest, tick)
    learned.limits.take(refuted.n_tests)
    return replace(learned, refuted=refuted)


def _check_budget(data: Prepared, boundaries: FoundBoundaries, ask: Phases) -> int:
    """How many tests the check may take: about as many as learning did, or more where the test is quick."""
    n_asked = boundaries.n_tests + ask.tests_by_size().total()
    return min(max(data.test.recheck_budget, n_asked), ask.limits.tests_left)


def learn_again(
    data: Prepared,
    boundaries: FoundBoundaries,
    learned: LearnedSkeleton,
    options: Options,
    clock: Clock,
    known: Constraints | None = None,
) -> tuple[FoundBoundaries, LearnedSkeleton]:
    """As long as the data refute less each time: look for lost members of boundaries, and learn from what is found.

    Total conditioning loses members where columns are many for the rows, or nearly determine each other.
    """
    may = options.boundaries == "auto" and options.refuted == "mend" and not learned.limits.reached
    for _ in range(MOST_ROUNDS if may else 0):
        n_asked = learned.ask.tests_by_size().total() + learned.refuted.n_tests
        if not learned.refuted.count or learned.limits.tests_left < 2 * n_asked:  # what is left is kept for mending
            break
        clock.start("boundaries")
        found = regrown(data, boundaries, learned.refuted, known)
        again = learn_skeleton(data, found, options, clock, learned.ask, known)
        again = check_skeleton(data, found, again, options, clock)
        n_tests = learned.refuted.n_tests + again.refuted.n_tests
        if again.limits.reached or again.refuted.count >= learned.refuted.count:
            again.limits.reached.clear()  # what was learned first is whole
            boundaries = replace(boundaries, n_tests=found.n_tests)
            return boundaries, replace(learned, refuted=replace(learned.refuted, n_tests=n_tests))
        boundaries, learned = found, replace(again, refuted=replace(again.refuted, n_tests=n_tests))
    return boundaries, learned


def regrown(
    data: Prepared, boundaries: FoundBoundaries, refuted: Refuted, known: Constraints | None = None
) -> FoundBoundaries:
    """The boundaries of the variables concerned, grown from the members that they have.

    Where components depend on each other, members that nearly determine a variable may hide the others: there they
    are grown from nothing.
    """
    ask = Interview(data.test, boundaries.alpha, adjacent=_adjacent(known))
    start = {v: sorted(boundaries.members[v]) for x, y, _ in refuted.sets for v in (x, y)}
    start |= {v: [] for pair in refuted.across for v in pair}
    members = grow_some(boundaries.members, start, ask, boundaries.blocks)
    return replace(boundaries, members=members, regrown=True, n_tests=boundaries.n_tests + ask.n_tests)


# Phase 4: directions.


def orient_edges(
    data: Prepared,
    boundaries: FoundBoundaries,
    learned: LearnedSkeleton,
    options: Options,
    clock: Clock,
    known: Constraints | None = None,
) -> Oriented:
    """Mend what the data refute, and direct the edges by separating sets that hold."""
    clock.start("directions")
    remedy: Remedy = "mend" if options.refuted == "mend" else "dismiss"
    return _oriented(data, boundaries, learned, options, remedy, known)


def _oriented(
    data: Prepared,
    boundaries: FoundBoundaries,
    learned: LearnedSkeleton,
    options: Options,
    remedy: Remedy,
    known: Constraints | None,
) -> Oriented:
    """The edges, directed after what the data refute had this remedy, within the limits on tests."""
    oriented = orient_mended(
        data.test,
        tuple(data.test.names),
        learned.skeleton,
        learned.refuted,
        options.alpha,
        _check_budget(data, boundaries, learned.ask),
        learned.limits.largest_set,
        remedy,
        known,
    )
    learned.limits.take(oriented.n_tests - learned.refuted.n_tests)
    if oriented.mended.limited:
        learned.limits.reached.add("max_conditioning")
    return oriented


# Phase 4, continued: the search by score, for learners that have one.


@dataclass(frozen=True)
class SearchResult:
    """What the search found, as a skeleton with its directions, and its score beside what a bound costs."""

    learned: LearnedSkeleton
    oriented: Oriented
    found: FoundDag


def search_by_score(
    score: Score,
    boundaries: FoundBoundaries,
    learned: LearnedSkeleton,
    oriented: Oriented,
    options: Options,
    clock: Clock,
    known: Constraints | None = None,
) -> FoundDag:
    """Maximise the score among structures near what was learned."""
    dag, order, tick = oriented.orientation.dag, learned.skeleton.removal_order, clock.start("search")
    return maximise(score, dag, boundaries.members, order, options.side_information, tick, options.n_jobs, known)


def check_search(
    found: FoundDag,
    data: Prepared,
    boundaries: FoundBoundaries,
    learned: LearnedSkeleton,
    oriented: Oriented,
    options: Options,
    clock: Clock,
    known: Constraints | None = None,
) -> SearchResult:
    """Test what follows from the structure with the best score, mend what the data refute, and note the rest."""
    if learned.limits.by_default and found.by.looks_widely:  # that limit was for what is near; the check has its own
        limits = options.limits(data.test.default_budget, len(data.test.names))
        reached, learned.ask.limits = learned.limits.reached, limits
        learned.limits.reached |= reached - {"max_tests"}
    best, n_tests = found, oriented.n_tests
    learned, again = check_found(best, data, boundaries, learned, options, clock, known)
    for _ in range(MOST_ROUNDS if options.refuted == "mend" else 0):
        if not learned.refuted.count:
            break
        mended, n_asked = with_refuted_edges(best, data.test, learned, again, options, known)
        n_tests += n_asked
        if mended is best:
            break
        best, n_tests = mended, n_tests + again.n_tests
        learned, again = check_found(best, data, boundaries, learned, options, clock, known)
    again.mended.added += sorted(pairs_of(best.dag) - pairs_of(found.dag))
    return SearchResult(learned, replace(again, n_tests=n_tests + again.n_tests), best)


def with_refuted_edges(
    found: FoundDag,
    test: CITest,
    learned: LearnedSkeleton,
    oriented: Oriented,
    options: Options,
    known: Constraints | None,
) -> tuple[FoundDag, int]:
    """Connect components that depend on each other; then join pairs that tests which keep their level do not separate.

    The latter not on numbers, where both rest on the same correlations. A score of discrete columns sees what tests
    see: there a pair is joined only if no set of neighbours separates it. The number is how many tests that took.
    """
    side = options.side_information
    connected = found.connected(plainly_dependent(test, learned.refuted), side, known)
    if connected is not found or found.by.looks_widely:
        return connected, 0
    left = [failed for failed in oriented.mended.left if test.keeps_level(*failed)]
    if not found.by.sees_all:
        return found.with_edges([(x, y) for x, y, _ in by_strength(test, left)], side, known), 0
    pairs, n_tests = inseparable(test, learned.skeleton, left, options.alpha, learned.limits)
    return found.with_edges(pairs, side, known), n_tests


def pairs_of(dag: Dag) -> set[Pair]:
    """Its adjacent pairs."""
    return {ordered(*edge) for edge in dag.edges()}


def check_found(
    found: FoundDag,
    data: Prepared,
    boundaries: FoundBoundaries,
    learned: LearnedSkeleton,
    options: Options,
    clock: Clock,
    known: Constraints | None = None,
) -> tuple[LearnedSkeleton, Oriented]:
    """The edges of what the search found, and the sets that follow from it: tested, and replaced where others hold."""
    skeleton = replace(skeleton_of(found.dag), assumption=learned.skeleton.assumption)
    learned = check_skeleton(data, boundaries, replace(learned, skeleton=skeleton), options, clock)
    remedy: Remedy = "other set" if options.refuted == "mend" else "keep"
    return learned, _oriented(data, boundaries, learned, options, remedy, known)


# Phase 5: what can be relied on.


@dataclass(frozen=True)
class Assessment:
    """Whether the assumption holds for the result, what makes the result doubtful, and the most of that in one line.

    ``doubts`` are what was said of the structure and the data speak against.
    """

    certificate: Certificate
    warnings: tuple[Finding, ...]
    trust: str
    doubts: tuple[Doubt, ...] = ()


def assess(
    data: Prepared,
    boundaries: FoundBoundaries,
    learned: LearnedSkeleton,
    oriented: Oriented,
    options: Options,
    found: SearchResult | None = None,
    doubts: tuple[Doubt, ...] = (),
    known: Constraints | None = None,
) -> Assessment:
    """Compare the result with the assumption, and collect all warnings."""
    names, skeleton = tuple(data.test.names), learned.skeleton
    contradictions = [
        *knowledge_not_kept(oriented.orientation.dag, known),
        *([] if found else fallback_removals(names, skeleton, options.side_information is not None)),
        *overruled_v_structures(names, oriented.orientation),
        *(score_against_tests(data.test, oriented) if found else failed_separating_sets(data.test, oriented)),
        *marginal_dependences(data.test, oriented),
    ]
    n_undecided = data.test.n_undecided - data.undecided_before
    n_tests = boundaries.n_tests + learned.ask.tests_by_size().total() + oriented.n_tests
    unchecked = [*unchecked_separating_sets(oriented, learned.limits)]
    warnings = (
        *_about_data(data, options),
        *limits_reached(learned.limits, found is not None),
        *knowledge_against_data(doubts),
        *contradictions,
        *unchecked,
        *undecided_tests(n_undecided, n_tests),
    )
    size = round(mean_size(learned.ask.tests_by_size()))
    few = too_few_rows(data.test, options.alpha, size)
    reasons = {
        KNOWLEDGE: doubts,
        CONTRADICTION: contradictions,
        UNDECIDED: n_undecided,
        UNCHECKED: unchecked,
        TOO_FEW_ROWS: few,
    }
    doubt = next((words for words, applies in reasons.items() if applies), "")
    if found is None:
        certificate = _certificate(boundaries, learned, oriented, doubt, options)
    else:
        side = options.side_information
        broken = next(too_many(found.found.dag, side), None) is not None
        certificate = certify_search(side, found.found.margin, doubt, broken)
    return Assessment(certificate, warnings, trust_line(data.test, options.alpha, size, warnings), doubts)


def _about_data(data: Prepared, options: Options) -> Iterator[Finding]:
    """What the doctor found; few rows for boundaries matter only to learners that start from them."""
    starts_from_boundaries = LEARNERS[options.learner].starts_from_boundaries
    return (finding for finding in data.findings if starts_from_boundaries or finding.kind != "few rows")


def _certificate(
    boundaries: FoundBoundaries,
    learned: LearnedSkeleton,
    oriented: Oriented,
    doubt: str,
    options: Options,
) -> Certificate:
    given = [GIVEN_BOUNDARIES] * (boundaries.algorithm == "given") + [GIVEN_KNOWLEDGE] * bool(options.known.statements)
    assumption = learned.skeleton.assumption
    if learned.limits.reached:
        return certify_unfinished(given)
    if assumption is None:
        return certify_without_assumption(options.learner, LEARNERS[options.learner].is_sound, given, doubt)
    dag = oriented.orientation.dag.to_networkx()
    return certify(assumption, options.side_information is not None, given, doubt, dag)


def settings_of(
    source: object,
    data: Prepared,
    boundaries: FoundBoundaries,
    options: Options,
    score: Score | None,
    given: Mapping[str, Given],
) -> Settings:
    """What was learned with: the options, and what "auto" came to."""
    learner, test = LEARNERS[options.learner], data.test.title
    return Settings(
        learner=options.learner,
        alpha=float(options.alpha),
        test=test,
        score=None if score is None else score.option,
        penalty=options.penalty,
        boundaries=boundaries.algorithm,
        regrown=boundaries.regrown,
        boundary_alpha=float(boundaries.alpha) if learner.uses_boundary_alpha else None,
        side=options.side_information,
        known=replace(options.known, bounds=()),
        variant=options.variant if learner.has_variants else None,
        correlation=data.correlation(options),
        discrete=data.discrete,
        ordinal=data.ordinal,
        missing=options.missing,
        missing_values={} if options.missing_values is None else marks_of(options.missing_values),
        dates=tuple(as_list(options.dates)),
        weighted=options.weights is not None,
        weights_column=weights_column(options.weights),
        max_tests=_kept_limit(options.max_tests),
        max_conditioning=_kept_limit(options.max_conditioning),
        table=Path(source).name if isinstance(source, str | Path) else "",
        given=given,
    )


def _kept_limit(limit: int | None) -> int | None:
    """A limit as a file can keep it; beyond 10¹⁷ none is ever reached."""
    return None if limit is None else min(int(limit), 10**17)


def network_of(
    data: Prepared,
    boundaries: FoundBoundaries,
    learned: LearnedSkeleton,
    oriented: Oriented,
    assessment: Assessment,
    settings: Settings,
    seconds: Mapping[str, float],
    found: SearchResult | None = None,
) -> Network:
    """The records of all phases as a network over the names."""
    names, skeleton, orientation = tuple(data.test.names), learned.skeleton, oriented.orientation
    members = orientation.dag.boundaries() if boundaries.algorithm == "none" else boundaries.members
    named = {name: frozenset(names[y] for y in boundary) for name, boundary in zip(names, members, strict=True)}
    removes, counts = LEARNERS[settings.learner].removes_variables, learned.ask.counts()
    steps = steps_of(skeleton, names) if removes else ()
    edge_tests = EdgeTests(names, skeleton.adjacency, named, steps, "retest" in counts)
    return Network(
        names=names,
        separating_sets=oriented.sets,
        boundaries=named,
        removal_order=tuple(names[x] for x in skeleton.removal_order) if removes else (),
        tests_by_size=dict(sorted(learned.ask.tests_by_size().items())),
        tests_by_phase=counts,
        boundary_tests=boundaries.n_tests,
        check_tests=oriented.n_tests,
        certificate=assessment.certificate,
        warnings=assessment.warnings,
        trust=assessment.trust,
        doubts=assessment.doubts,
        settings=settings,
        seconds=seconds,
        _graph=orientation.graph,
        _dag=orientation.dag,
        steps=steps,
        score=None if found is None else found.found.score,
        edge_losses={} if found is None else _by_pair(names, found.found.losses),
        turn_costs={} if found is None else _by_arrow(names, found.found.turn_costs),
        search_steps=() if found is None else found.found.steps,
        added_edges=tuple((names[x], names[y]) for x, y in oriented.mended.added),
        types=data.types,
        n_rows=data.n_rows,
        n_complete=data.n_complete,
        effects=MeasuredEdges(data.test, orientation.dag),
        edge_evidence=TestedEdges(data.test, edge_tests),
        missing_p_values=TestedMissing(data.test, names, oriented.sets),
    )


def _by_arrow(
    names: tuple[Hashable, ...], numbers: Mapping[tuple[int, int], float]
) -> dict[tuple[Hashable, Hashable], float]:
    return {(names[tail], names[head]): number for (tail, head), number in numbers.items()}


def _by_pair(names: tuple[Hashable, ...], numbers: Mapping[tuple[int, int], float]) -> dict[frozenset[Hashable], float]:
    return {frozenset(arrow): number for arrow, number in _by_arrow(names, numbers).items()}


@dataclass
class Clock:
    """Seconds per phase, and the phases' progress passed on."""

    report: Progress
    seconds: dict[str, float] = field(default_factory=dict)
    _phase: str = ""
    _started: float = 0.0

    def start(self, phase: str) -> Callable[..., None]:
        """Begin a phase; the returned function is called at each of its steps, or with how many were made."""
        self.stop()
        self._phase, self._started, done = phase, perf_counter(), 0
        self.report(phase, 0)

        def tick(count: int = 1) -> None:
            nonlocal done
            done += count
            self.report(phase, done)

        return tick

    def stop(self) -> dict[str, float]:
        """End the current phase."""
        if self._phase:
            self.seconds[self._phase] = self.seconds.get(self._phase, 0.0) + perf_counter() - self._started
        self._phase = ""
        return self.seconds

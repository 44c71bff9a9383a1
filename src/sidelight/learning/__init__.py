"""``learn`` and ``diagnose``: from a source of answers to a ``Network``, and what the phases of a run share.

Each phase (``phases.py``, ``assess.py``) takes the run and the record of the phases before it, and returns its own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import inf
from time import perf_counter

from sidelight.boundaries import find_boundaries
from sidelight.consistency.checks import across_components, plainly_dependent
from sidelight.consistency.knowledge import Doubt, Unconstrained, doubt_about_all, doubts_about
from sidelight.families import CITest
from sidelight.families.options import DataOptions
from sidelight.families.score import Score
from sidelight.graphs.dag import Dag, PartialDag, components
from sidelight.graphs.marks import MarkedGraph
from sidelight.knowledge import Known
from sidelight.knowledge.constraints import Constraints, with_settings
from sidelight.knowledge.time import closed, closed_dag, constraints_over_time
from sidelight.learners import LEARNERS, Learner
from sidelight.learning.assess import network_of, settings_of
from sidelight.learning.column_order import as_in_table
from sidelight.learning.hidden import learn_pag, learn_with_hidden_causes
from sidelight.learning.phases import by_score, by_score_alone, by_tests, check_budget, check_search, run_phases
from sidelight.network import Network
from sidelight.options import Options, Progress, takes
from sidelight.orientation.essential import agreeing_dag, essential_graph
from sidelight.orientation.known import agrees
from sidelight.prepare import Prepared, examine_source, prepare
from sidelight.search import SearchTask
from sidelight.search.found import FoundDag, gain_of
from sidelight.search.maximise import maximise_within
from sidelight.side_information import SideInformation
from sidelight.tables.findings import Diagnosis

CLEAR_COST = 3.0  # nats, that all of what was said may cost beyond what is doubted of one piece; a Bayes factor of 20


@takes(Options)
def learn(source: object, options: Options) -> Network:
    """Learn the structure of a Bayesian network.

    Args:
        source: a table (a path to a CSV, TSV, Parquet or Feather file or to a folder of them, a data frame, also of
            Dask, a query of polars or DuckDB, a pyarrow dataset, an iterator of frames, or a NumPy array), a
            ``Correlation``, or a test: ``DSeparation(dag)`` or a ``CITest`` of your own.
    """
    if not options.resamples:
        asked = options.checked()
        data, clock = prepared(source, asked, keep_rows=False)
        return learn_prepared(source, data, asked, clock)
    from sidelight.certainty.stability import learn_and_resample  # which learns by this module

    return learn_and_resample(source, options)


def prepared(source: object, asked: Options, keep_rows: bool = True) -> tuple[Prepared, Clock]:
    """The test of a source, and the clock that runs from its reading on."""
    clock = Clock(asked.progress or (lambda phase, done: None))
    return prepare(source, asked, clock.start, keep_rows=keep_rows), clock


@takes(DataOptions)
def diagnose(source: object, options: DataOptions) -> Diagnosis:
    """Find everything that is wrong or doubtful about a table.

    Args:
        source: a path, a data frame or an array.
    """
    return examine_source(source, options)


def learn_prepared(source: object, data: Prepared, asked: Options, clock: Clock) -> Network:
    """Learn from a source that was read and prepared, with options that were checked."""
    options = data.as_applied(asked).for_test(bool(data.test.scores()))
    if data.test.in_one_process:
        options = replace(options, n_jobs=1)
    run = Run.of(data, options, options.constraints(data.test.names), clock)
    if options.hidden:
        return learn_with_hidden_causes(replace(run, undecided_before=data.test.n_undecided), source, asked)
    order = run.order_by_data()
    return _network(run, source, asked) if order is None else _network(run.in_order(order), source, asked, run, order)


def _network(
    run: Run, source: object, asked: Options, as_given: Run | None = None, place: Sequence[int] = ()
) -> Network:
    """Learn; if the variables are in another order than that of the columns, the run as it was given is known too."""
    free = learn_without_knowledge(run)
    run = replace(run, undecided_before=run.test.n_undecided)
    learned = run_phases(run, find_boundaries(run))
    doubts = (*free.doubts, *free.doubts_about_all(run, learned.oriented.orientation.dag))
    settings = settings_of(run, learned.boundaries, source, asked.given())
    if as_given is not None:
        as_given.test.n_undecided += run.test.n_undecided - run.undecided_before
        run, learned = as_given, as_in_table(as_given, learned, place)
    return network_of(run, learned, doubts, settings)


def learn_graph(data: Prepared, options: Options, known: Constraints | None) -> PartialDag:
    """The graph that ``learn`` finds with checked options, without the work that only its evidence needs."""
    run = Run.of(data, options, known, Clock(lambda phase, done: None))
    order = run.order_by_data()
    return _graph(run) if order is None else _graph(run.in_order(order)).renumbered(order)


def learn_directions(data: Prepared, options: Options, known: Constraints | None, among: Dag) -> PartialDag:
    """The graph of the best structure by the score, with edges only where this DAG has some.

    A score that looks at all columns is quick, and is let look at all of them again: restricted, it would agree with
    itself too often.
    """
    run = Run.of(data, options, known, Clock(lambda phase, done: None))
    assert run.score is not None  # directions are learned again only where a score decided them
    if run.score.reach == "all":
        return learn_graph(data, options, known)
    best = maximise_within(SearchTask(run.score, among, (), (), known=run.known))
    return essential_graph(best, run.known)


def learn_marks(data: Prepared, options: Options, known: Constraints | None) -> MarkedGraph:
    """The same as a graph with marks, also where causes may be hidden."""
    if options.hidden:
        return learn_pag(Run.of(data, options, known, Clock(lambda phase, done: None)))[1].pag.graph
    return MarkedGraph.of_partial(data.test.names, learn_graph(data, options, known))


def _graph(run: Run) -> PartialDag:
    score, n_pairs, options = run.score, len(run.names) ** 2, run.options
    if score is not None and score.reach == "all" and run.test.recheck_budget >= n_pairs and options.max_tests is None:
        return _connected(run, by_score_alone(run, score))
    learned = by_tests(run, find_boundaries(run))
    if score is None:
        return learned.oriented.orientation.graph
    best = by_score(run, score, learned)
    # What the check might add is known beforehand where the score looks widely: it connects components.
    if options.refuted == "mend" and (not score.looks_widely or check_budget(run, learned.edges) < n_pairs):
        return check_search(run, best, learned).oriented.orientation.graph
    return _connected(run, best)


def _connected(run: Run, best: FoundDag) -> PartialDag:
    """The graph of what was found, in which components that plainly depend on each other are connected."""
    neighbours = closed_dag(best.dag, run.known).neighbours
    if run.options.refuted == "mend" and components(neighbours).max(initial=0) > 0:
        pairs = plainly_dependent(run.test, across_components(run.test, neighbours, run.options.alpha))
        best = best.connected(pairs, run.side, run.known)
    return essential_graph(best.dag, run.known)


@dataclass(frozen=True)
class Run:
    """What all phases of a run share: data, options, the score if one decides, what is known, and the clock."""

    data: Prepared
    options: Options
    known: Constraints | None
    clock: Clock
    undecided_before: int = 0  # tests that the data could not decide, before the phases began

    @staticmethod
    def of(data: Prepared, options: Options, known: Constraints | None, clock: Clock) -> Run:
        """Raises, before the work, where a learner needs a score and the test has none."""
        test = data.test
        run, scores = Run(data, options, _with_rows(known, options.known, test), clock), test.scores()
        if run.learner.search is not None and (not scores or (options.score, options.penalty) != ("auto", None)):
            _ = run.score
        return run

    def order_by_data(self) -> list[int] | None:
        """An order of the variables that depends on the data alone; None if there is none, or if it is the columns'.

        A test that a user derived from one of the library's may hold more that is by position, and keeps its order.
        """
        order = self.test.data_order() if type(self.test).__module__.startswith("sidelight.") else None
        if order is not None and self.known is not None and self.known.given:  # causes first
            order.sort(key=lambda v: v not in self.known.given)  # type: ignore[union-attr]
        return None if order == sorted(order or ()) else order

    def in_order(self, order: Sequence[int]) -> Run:
        """The same run with the variables in another order."""
        test = self.test.in_order(order)
        test.time_order = self.test.time_order
        known = None if self.known is None else self.options.constraints(test.names)
        return replace(self, data=replace(self.data, test=test), known=_with_rows(known, self.options.known, test))

    @cached_property
    def score(self) -> Score | None:
        """The score of a learner that searches by it."""
        options = self.options
        return None if self.learner.search is None else self.test.score(options.score, options.penalty)

    @property
    def test(self) -> CITest:
        """What answers."""
        return self.data.test

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The variables."""
        return tuple(self.data.test.names)

    @property
    def learner(self) -> Learner:
        """The learner that was chosen."""
        return LEARNERS[self.options.learner]

    @property
    def side(self) -> SideInformation | None:
        """The bound on the structure, if there is one."""
        return self.options.side_information

    @cached_property
    def closed(self) -> Run:
        """The same for tests: variables that are given are taken as adjacent."""
        return replace(self, known=closed(self.known)) if self.known is not None and self.known.given else self

    @property
    def adjacent(self) -> frozenset[tuple[int, int]]:
        """The pairs that need no test."""
        return frozenset() if self.known is None else self.known.adjacent


def _with_rows(known: Constraints | None, said: Known, test: CITest) -> Constraints | None:
    """What is known, and what rows say: the order of time, and which variables were set in some of the rows."""
    if test.time_order is not None:
        known = constraints_over_time(said, test.time_order, test.names)
    return with_settings(known, test.names, test.settings) if test.settings else known


@dataclass(frozen=True)
class WithoutKnowledge:
    """What was learned without the statements: what it contradicts of them, a DAG of its class, and the DAG's score."""

    doubts: tuple[Doubt, ...] = ()
    dag: Dag | None = None
    score: float = -inf

    def doubts_about_all(self, run: Run, with_it: Dag) -> Iterator[Doubt]:
        """What all statements together cost, by what was learned with them; they may be contradicted only together."""
        if self.dag is None or run.known is None:
            return
        cost = 0.0 if run.score is None else self.score - run.score.total(with_it)
        said_already = max((doubt.nats for doubt in self.doubts), default=0.0)
        same = agrees(with_it, run.known) and essential_graph(with_it) == essential_graph(self.dag)
        impossible = run.test.is_exact and not self.doubts and agreeing_dag(self.dag, run.known) is None
        if not same and (cost > max(0.0, said_already) + CLEAR_COST or impossible):
            yield doubt_about_all(run.options.known, cost, single=bool(self.doubts))


def learn_without_knowledge(run: Run) -> WithoutKnowledge:
    """What is learned without the statements, held against them.

    With answers that are never wrong this is the true structure, unless a limit ends the learning or a bound is wrong:
    such answers are asked again without the bound, unless what was learned proves it.
    """
    if not run.options.known.statements:
        return WithoutKnowledge()
    run.clock.stop()
    apart = replace(run, known=_with_rows(None, Known(), run.test), clock=Clock(run.clock.report))
    found = _held_against(run.options.known, apart)
    doubtful = found.dag is not None and run.side is not None and not run.side.is_proved(found.dag.to_networkx())
    if run.test.is_exact and doubtful:
        unbounded = replace(apart, options=replace(run.options, side=None, knowledge=None))
        found = _held_against(run.options.known, unbounded)
    run.clock.seconds["without knowledge"] = sum(apart.clock.stop().values())
    return found


def _held_against(said: Known, run: Run) -> WithoutKnowledge:
    learned = run_phases(run, find_boundaries(run))
    if run.test.is_exact and learned.limits.reached:
        return WithoutKnowledge()
    score, found, oriented = run.score, learned.found, learned.oriented
    dag = oriented.orientation.dag
    free = Unconstrained(
        run.test,
        oriented.orientation.graph,
        dag,
        oriented.sets,
        {} if found is None else found.losses,
        {} if found is None else found.turn_costs,
        None if score is None else partial(gain_of, score, dag),
    )
    return WithoutKnowledge(doubts_about(said, free), dag, -inf if score is None else score.total(dag))


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

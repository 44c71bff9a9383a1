"""The last phase: what can be relied on, and the records of all phases as a ``Network``."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sidelight.boundaries import FoundBoundaries
from sidelight.consistency.knowledge import Doubt
from sidelight.graphs.dag import Dag
from sidelight.graphs.marks import MarkedGraph
from sidelight.interview import mean_size
from sidelight.learners.task import steps_of
from sidelight.learning.contexts import about_contexts
from sidelight.learning.phases import Learned
from sidelight.network import Network
from sidelight.options import Given
from sidelight.result import trust
from sidelight.result.by_position import EdgeTests
from sidelight.result.evidence import MeasuredEdges, TestedEdges, TestedMissing
from sidelight.result.settings import Settings
from sidelight.search import FoundDag
from sidelight.side_information.base import CONTRADICTION
from sidelight.tables.column_options import marks_of
from sidelight.tables.findings import Finding, FindingKind
from sidelight.tables.table import as_list, weights_column

if TYPE_CHECKING:
    from sidelight.learning import Run


def assess(run: Run, learned: Learned, doubts: tuple[Doubt, ...]) -> tuple[trust.Certificate, tuple[Finding, ...], str]:
    """Whether the assumption holds for the result, what makes the result doubtful, and the most of that in one line.

    ``doubts`` are what was said of the structure and what is learned without it contradicts.
    """
    test, oriented, searched = run.test, learned.oriented, learned.found is not None
    contradictions = list(_contradictions(run, learned))
    by_size = learned.edges.ask.tests_by_size()
    n_undecided = test.n_undecided - run.undecided_before
    n_tests = learned.boundaries.n_tests + by_size.total() + oriented.n_tests
    unchecked = list(trust.unchecked_separating_sets(oriented, learned.limits))
    warnings = (
        *about_data(run),
        *_about_contexts(run, oriented.orientation.dag),
        *trust.limits_reached(learned.limits, searched),
        *trust.knowledge_against_data(test, doubts),
        *contradictions,
        *unchecked,
        *trust.undecided_tests(n_undecided, n_tests),
    )
    size = round(mean_size(by_size))
    reasons = {
        trust.KNOWLEDGE_OF_ORACLE if test.is_exact else trust.KNOWLEDGE: doubts,
        CONTRADICTION: contradictions,
        trust.UNDECIDED: n_undecided,
        trust.UNCHECKED: unchecked,
        trust.TOO_FEW_ROWS: trust.too_few_rows(test, run.options.alpha, size),
    }
    doubt = next((words for words, applies in reasons.items() if applies), "")
    certificate = replace(_certificate(run, learned, doubt), stated=bool(run.options.known.statements))
    return certificate, warnings, trust.trust_line(test, run.options.alpha, size, warnings)


def about_data(run: Run) -> Iterator[Finding]:
    """What the doctor found; few rows for boundaries matter only to learners that start from them."""
    starts = run.learner.starts_from_boundaries
    return (finding for finding in run.data.findings if starts or finding.kind != FindingKind.FEW_ROWS)


def _about_contexts(run: Run, dag: Dag) -> Iterator[Finding]:
    """Edges that are not the same in all of the places that rows come from."""
    rows, context = run.data.rows, run.options.context
    if context is not None and rows is not None and context in run.names:
        yield from about_contexts(rows.data, context, dag, run.options.alpha)


def _contradictions(run: Run, learned: Learned) -> Iterator[Finding]:
    """Where the answers contradict each other, the assumption or what is known."""
    skeleton, oriented, searched = learned.edges.skeleton, learned.oriented, learned.found is not None
    yield from trust.knowledge_not_kept(oriented.orientation.dag, run.known)
    if not searched:
        yield from trust.fallback_removals(run.names, skeleton, run.side is not None)
    yield from trust.overruled_v_structures(run.names, oriented.orientation)
    yield from (trust.score_against_tests if searched else trust.failed_separating_sets)(run.test, oriented)
    yield from trust.marginal_dependences(run.test, oriented)


def _certificate(run: Run, learned: Learned, doubt: str) -> trust.Certificate:
    if learned.found is not None:
        return trust.certify_search(run.side, learned.found, doubt)
    is_given, is_stated = learned.boundaries.algorithm == "given", bool(run.options.known.statements)
    given = [trust.GIVEN_BOUNDARIES] * is_given + [trust.GIVEN_KNOWLEDGE] * is_stated
    assumption = learned.edges.skeleton.assumption
    if learned.limits.reached:
        return trust.certify_unfinished(given)
    if assumption is None:
        return trust.certify_without_assumption(run.options.learner, run.learner.is_sound, given, doubt)
    dag = learned.oriented.orientation.dag.to_networkx()
    return trust.certify(assumption, run.side is not None, given, doubt, dag)


def settings_of(run: Run, boundaries: FoundBoundaries, source: object, given: Mapping[str, Given]) -> Settings:
    """What was learned with: the options, and what "auto" came to."""
    options, data = run.options, run.data
    if options.groups is not None and "groups" not in given:  # a remedy of the doctor's
        given = {**given, "groups": str(options.groups)}
    return Settings(
        learner=options.learner,
        alpha=float(options.alpha),
        test=data.test.title,
        score=None if run.score is None else run.score.option,
        penalty=options.penalty,
        boundaries=boundaries.algorithm,
        regrown=boundaries.regrown,
        boundary_alpha=float(boundaries.alpha) if run.learner.uses_boundary_alpha else None,
        side=run.side,
        known=replace(options.known, bounds=()) if options.known.bounds else options.known,
        experiments=tuple(sorted(tuple(run.names[v] for v in sorted(setting)) for setting in data.test.settings)),
        time_order=data.test.time_order,
        variant=options.variant if run.learner.has_variants else None,
        **data.settings(options),
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


def network_of(run: Run, learned: Learned, doubts: tuple[Doubt, ...], settings: Settings) -> Network:
    """The records of all phases as a network over the names."""
    certificate, warnings, in_a_line = assess(run, learned, doubts)
    names, skeleton, oriented, found = run.names, learned.edges.skeleton, learned.oriented, learned.found
    orientation, boundaries, ask = oriented.orientation, learned.boundaries, learned.edges.ask
    members = orientation.dag.boundaries() if boundaries.algorithm == "none" else boundaries.members
    named = {name: frozenset(names[y] for y in boundary) for name, boundary in zip(names, members, strict=True)}
    removes, counts = run.learner.removes_variables, ask.counts()
    steps, table = steps_of(skeleton, names) if removes else (), run.data.diagnosis
    edge_tests = EdgeTests(names, skeleton.adjacency, named, steps, "retest" in counts)
    return Network(
        names=names,
        separating_sets=oriented.sets,
        boundaries=named,
        removal_order=tuple(names[x] for x in skeleton.removal_order) if removes else (),
        tests_by_size=dict(sorted(ask.tests_by_size().items())),
        tests_by_phase=counts,
        boundary_tests=boundaries.n_tests,
        check_tests=oriented.n_tests,
        certificate=certificate,
        warnings=warnings,
        trust=in_a_line,
        doubts=doubts,
        settings=settings,
        seconds=run.clock.stop(),
        _graph=MarkedGraph.of_partial(names, orientation.graph),
        _dag=orientation.dag,
        steps=steps,
        score=None if found is None else found.score,
        edge_losses={} if found is None else _by_pair(names, found.dag.names, found.losses),
        turn_costs={} if found is None else _turn_costs(run, found),
        search_steps=() if found is None else found.steps,
        added_edges=tuple((names[x], names[y]) for x, y in oriented.mended.added),
        types=() if table is None else table.types,
        n_rows=None if table is None else table.n_rows,
        n_complete=None if table is None else table.n_complete,
        edge_strengths=MeasuredEdges(run.test, orientation.dag),
        edge_evidence=TestedEdges(run.test, edge_tests),
        missing_p_values=TestedMissing(run.test, names, oriented.sets),
    )


Names = tuple[Hashable, ...]


def _by_arrow(
    names: Names, found: Names, numbers: Mapping[tuple[int, int], float]
) -> dict[tuple[Hashable, Hashable], float]:
    """In the order of the columns; ``found`` are the names in the order of the search."""
    place = {name: position for position, name in enumerate(names)}
    arrows = {(found[tail], found[head]): number for (tail, head), number in numbers.items()}
    return dict(sorted(arrows.items(), key=lambda arrow: (place[arrow[0][0]], place[arrow[0][1]])))


def _turn_costs(run: Run, found: FoundDag) -> dict[tuple[Hashable, Hashable], float]:
    """Of arrows that do not lead from an earlier wave."""
    given = set() if run.known is None else {run.names[v] for v in run.known.given}
    costs = _by_arrow(run.names, found.dag.names, found.turn_costs)
    return {arrow: cost for arrow, cost in costs.items() if arrow[0] not in given}


def _by_pair(names: Names, found: Names, numbers: Mapping[tuple[int, int], float]) -> dict[frozenset[Hashable], float]:
    return {frozenset(arrow): number for arrow, number in _by_arrow(names, found, numbers).items()}

"""Learning where causes may be hidden: a PAG, from tests alone, or from what a score-based search found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sidelight.boundaries import FoundBoundaries, find_boundaries
from sidelight.consistency.knowledge import Doubt
from sidelight.consistency.marked_knowledge import marks_with
from sidelight.errors import InputError
from sidelight.graphs.ancestral import separators
from sidelight.graphs.separating_sets import Pair
from sidelight.interview import Phases, mean_size
from sidelight.learners.task import steps_of
from sidelight.learning.assess import about_data, settings_of
from sidelight.learning.phases import LearnedSkeleton, learn_skeleton, run_phases
from sidelight.network import Network
from sidelight.options import LearnerName, Options
from sidelight.orientation.pag import (
    IsCollider,
    Pag,
    is_pag,
    mag_in,
    nearest_mag,
    orient_colliders,
    orient_pag,
    pag_of,
)
from sidelight.result import trust
from sidelight.result.by_position import EdgeTests
from sidelight.result.evidence import TestedEdges, TestedMissing
from sidelight.result.settings import Settings
from sidelight.search.found import SearchStep
from sidelight.search.mags import best_mag
from sidelight.tables.findings import Finding

if TYPE_CHECKING:
    from sidelight.learning import Run


WITH_SELECTION: LearnerName = "gs"  # all subsets of the smaller boundary of each pair


@dataclass(frozen=True)
class LearnedPag:
    """The edges with what separates the other pairs, and the PAG.

    ``changed`` are the pairs whose marks had to give way, so that it is legal.
    """

    edges: LearnedSkeleton
    pag: Pag
    changed: tuple[Pair, ...] = ()
    search: tuple[SearchStep, ...] = ()  # of the score
    doubts: tuple[Doubt, ...] = ()  # about what was said and the marks contradict


def learn_with_hidden_causes(run: Run, source: object, asked: Options) -> Network:
    """A network that is a PAG."""
    run, learned = learn_pag(run)
    settings = settings_of(run, learned.edges.boundaries, source, asked.given())
    return _network_of(run, learned, settings)


def learn_pag(run: Run) -> tuple[Run, LearnedPag]:
    """The PAG, with the marks that knowledge adds, and the run as it was: selection asks for another learner."""
    said, run = run.options.known, replace(run, known=None)  # edges, and the class, are learned without it
    if run.test.has_selection:  # then there may be no variable that can be removed
        run = replace(run, options=replace(run.options, learner=WITH_SELECTION))
        if said.statements:
            raise InputError("statements about the structure do not go with variables that rows were selected on")
    learned = pag_by_tests(run, find_boundaries(run)) if run.score is None else pag_by_score(run)
    if said.statements:
        found, doubts = marks_with(said, learned.pag.graph)
        pag = Pag(found.graph, learned.pag.reasons | found.reasons)
        learned = replace(learned, pag=pag, doubts=doubts)
    return run, learned


def pag_by_tests(run: Run, boundaries: FoundBoundaries) -> LearnedPag:
    """The recursion for MAGs, and the rules."""
    limits = run.options.limits(run.test.default_budget, len(run.names))
    learned = learn_skeleton(run, boundaries, Phases(run.test, run.options.alpha, limits))
    run.clock.start("directions")
    sets, selection = learned.skeleton.separating_sets(run.names), run.test.has_selection

    def is_collider(pair: Pair, _: int, c: int, __: int) -> bool:
        return c not in sets.between(*pair)

    if learned.limits.reached:
        return LearnedPag(learned, _unfinished(run, learned, is_collider))
    found = orient_pag(run.names, learned.skeleton.adjacency, is_collider, selection)
    if run.test.is_exact or is_pag(found.graph, selection):
        return LearnedPag(learned, found)
    legal = pag_of(nearest_mag(mag_in(found.graph)), selection)
    changed = [
        (e.a, e.b) for e in legal.graph.edges() if not found.graph.adjacent(e.a, e.b) or e != found.graph.edge(e.a, e.b)
    ]
    for x, y in changed:
        learned.skeleton.add_edge(x, y)
    return LearnedPag(learned, legal, tuple(changed))


def pag_by_score(run: Run) -> LearnedPag:
    """The PAG of the MAG that the score prefers to the DAG that a score-based search found."""
    assert run.score is not None
    learned = run_phases(run, find_boundaries(run))
    mag = best_mag(learned.oriented.orientation.dag, run.score, run.clock.start("hidden causes"))
    edges = replace(learned.edges, skeleton=separators(mag.graph))
    assert learned.found is not None
    step = SearchStep("hidden causes", mag.score, mag.graph.n_edges)
    return LearnedPag(edges, mag.pag, search=(*learned.found.steps, step))


def _unfinished(run: Run, learned: LearnedSkeleton, is_collider: IsCollider) -> Pag:
    """Of a skeleton that a limit left unfinished, where edges may be too many: arrows that each follow by themselves.

    c is no cause of a or b if both depend on it given a set without c that separates them, adjacent or not (Colombo,
    Maathuis, Kalisch and Richardson 2012, Lemma 3.1). With true answers none of these arrows is wrong.
    """
    sets, alpha = learned.skeleton.separating_sets(run.names), run.options.alpha

    def depends(c: int, given: Sequence[int], *on: int) -> bool:
        return all(not run.test.independent(c, v, given, alpha) for v in on)

    def is_shown(pair: Pair, a: int, c: int, b: int) -> bool:
        given, limits = sorted(sets.between(*pair)), learned.limits
        may = "max_tests" not in limits.reached and len(given) <= limits.largest_set
        return may and is_collider(pair, a, c, b) and depends(c, given, a, b)

    return orient_colliders(run.names, learned.skeleton.adjacency, is_shown)


def _network_of(run: Run, learned: LearnedPag, settings: Settings) -> Network:
    """The records of all phases as a network over the names."""
    edges, names, table = learned.edges, run.names, run.data.diagnosis
    skeleton, ask, boundaries = edges.skeleton, edges.ask, edges.boundaries
    sets = skeleton.separating_sets(names)
    named = {x: frozenset(names[y] for y in members) for x, members in zip(names, boundaries.members, strict=True)}
    steps = steps_of(skeleton, names) if run.learner.removes_variables else ()
    by_size, warnings = ask.tests_by_size(), tuple(_warnings(run, learned))
    certificate = trust.certify_pag(run.test.is_exact, bool(edges.limits.reached), bool(learned.changed))
    return Network(
        names=names,
        separating_sets=sets,
        boundaries=named,
        removal_order=tuple(names[x] for x in skeleton.removal_order) if steps else (),
        tests_by_size=dict(sorted(by_size.items())),
        tests_by_phase=ask.counts(),
        boundary_tests=boundaries.n_tests,
        check_tests=0,
        certificate=replace(certificate, stated=bool(run.options.known.statements) and not learned.doubts),
        warnings=warnings,
        trust=trust.trust_line(run.test, run.options.alpha, round(mean_size(by_size)), warnings),
        settings=settings,
        seconds=run.clock.stop(),
        _graph=learned.pag.graph,
        _dag=None,
        steps=steps,
        doubts=learned.doubts,
        score=learned.search[-1].score if learned.search else None,
        search_steps=learned.search,
        types=() if table is None else table.types,
        n_rows=None if table is None else table.n_rows,
        n_complete=None if table is None else table.n_complete,
        edge_evidence=TestedEdges(run.test, EdgeTests(names, skeleton.adjacency, named, steps, False)),
        missing_p_values=TestedMissing(run.test, names, sets),
    )


def _warnings(run: Run, learned: LearnedPag) -> Iterator[Finding]:
    """What may be wrong with the data and the result."""
    edges = learned.edges
    n_tests = edges.boundaries.n_tests + edges.ask.tests_by_size().total()
    yield from about_data(run)
    yield from trust.limits_reached(edges.limits, False)
    if run.learner.removes_variables:
        yield from trust.fallback_removals(run.names, edges.skeleton, False)
    yield from trust.knowledge_against_data(run.test, learned.doubts)
    yield from trust.marks_that_gave_way(run.names, learned.changed)
    yield from trust.undecided_tests(run.test.n_undecided - run.undecided_before, n_tests)

"""From a source of answers to a ``Network``: boundaries, skeleton, directions, certificate."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from sidelight.arguments import check_arguments, checked_limits
from sidelight.boundaries import ALGORITHMS, given_boundaries
from sidelight.clock import Clock, Progress
from sidelight.errors import InputError
from sidelight.independence import FisherZ
from sidelight.independence.choose import Prepared, prepare
from sidelight.independence.options import DataOptions, Function
from sidelight.interview import Interview, Limits
from sidelight.learners import LEARNERS, Learner, Phases, Task
from sidelight.network import Network
from sidelight.orientation import Orientation
from sidelight.orientation.separation_check import directed, failures
from sidelight.result import EdgeTests, TestedEdges, TestedMissing, steps_of
from sidelight.result.certificate import Certificate, certify, certify_unfinished, certify_without_promise
from sidelight.result.settings import Recipe
from sidelight.result.warnings import fallbacks, limited, overruled, undecided
from sidelight.side_information import SideInformation, parse_side

Boundaries = str | Mapping[Hashable, Iterable[Hashable]]


def learn(
    source: object,
    side: SideInformation | str | None = None,
    learner: str = "rsl",
    variant: str = "robust",
    alpha: float = 0.01,
    *,
    boundaries: Boundaries = "auto",
    boundary_alpha: float | None = None,
    names: Sequence[Hashable] | None = None,
    columns: Iterable[Hashable] | None = None,
    drop: Iterable[Hashable] | None = None,
    correlation: str = "pearson",
    test: str | Function = "auto",
    discrete: Iterable[Hashable] | None = None,
    missing: str = "error",
    weights: object = None,
    max_tests: int | None = None,
    max_conditioning: int | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Network:
    """Learn the structure of a Bayesian network.

    Args:
        source: a table (a path to a CSV, TSV, Parquet or Feather file, a data frame, or a NumPy array), a
            ``Correlation``, or a test: ``DSeparation(dag)`` or a ``CITest`` of your own.
        side: what you know of the structure: ``DiamondFree()``, ``CliqueNumber(m)``, ``Treewidth(t)``,
            ``VertexCover(k)``, ``MaxInDegree(d)``, or the command's words, such as "clique:3"; None to learn without.
        learner: "rsl"; or, all without side information: "marvel" (recursive too), "gs", "cs" (collider sets), "mmpc"
            (max-min parents and children) and "pc", which start from Markov boundaries, and "pc-stable" and "hpc"
            (hybrid parents and children), which do not.
        variant: of RSL: "robust", "paper" (fewest questions) or "published" (the paper's questions in its order).
        alpha: the level at which independence is rejected.
        boundaries: "tc" (total conditioning), "iamb", "inter-iamb", "fast-iamb", "gs" (grow-shrink), "auto" (for
            numbers "tc" from 10 rows per column on, else "iamb"), or Markov boundaries that you have: a mapping from
            each name to the names in its boundary.
        boundary_alpha: the level for finding boundaries; for numbers 2/n², for discrete tables 0.2/n² (or alpha if
            smaller), else alpha.
        names: the names of an array's columns.
        columns: the columns to use; all by default.
        drop: columns not to use.
        correlation: "pearson", or "spearman" or "kendall" through their Gaussian-copula transforms.
        test: "fisher-z" for numbers, or "kernel" (non-linear, slow, an extra); "chi2-moments", "g2" or "chi2" for
            discrete columns; "mixed" for both; "auto" chooses by the types of the columns. Or a function of two names,
            a list of names and the data that returns a p-value.
        discrete: the columns to treat as discrete; by default texts, booleans, and integers with at most 10 values.
        missing: "error", "drop" (rows), "pairwise" (each test uses the rows complete in its columns), or, for
            numbers, "em" (correlations by expectation and maximisation).
        weights: frequency weights, a column's name or one number for each row.
        max_tests: stop after so many questions, those for the boundaries apart; what is undecided then stays joined,
            and the network's warnings say so.
        max_conditioning: after the boundaries, ask nothing given more variables than this; in the same way.
        n_jobs: how many workers look for boundaries (not for "tc") and for separating sets ("pc-stable", "gs"); -1 for
            all cores. The result is the same.
        progress: called with the name of a phase and the number of its steps that are done.
    """
    recipe = Recipe.of(learn, locals())
    if isinstance(side, str):
        side = parse_side(side)
    check_arguments(side, learner, variant, alpha, boundaries, boundary_alpha, n_jobs, progress)
    limits = checked_limits(max_tests, max_conditioning)
    clock = Clock(progress or (lambda phase, done: None))
    prepared = prepare(
        source, alpha, DataOptions(names, columns, drop, correlation, test, discrete, missing, weights), clock.start
    )
    undecided_before = prepared.test.n_undecided
    boundary_level = boundary_alpha or prepared.boundary_alpha
    finding = Interview(prepared.test, boundary_level)
    traits = LEARNERS[learner]
    found, found_by = _no_boundaries(prepared), "none"
    if traits.starts_from_boundaries:
        clock.start("boundaries")
        found, found_by = _find_boundaries(prepared, boundaries, finding, n_jobs)
    ask, tick = Phases(prepared.test, alpha, limits), clock.start("skeleton")
    task = Task(found, ask, boundary_level, tick, n_jobs, side, variant, prepared.test.loses_power)
    skeleton = traits.learn(task)
    clock.start("directions")
    all_names = tuple(prepared.test.names)
    separating_sets, orientation, wrong = directed(
        prepared.test, all_names, skeleton.adjacency, skeleton.separating_sets(all_names), alpha, found_by != "none"
    )
    by_size = task.ask.tests_by_size()
    contradictions = [
        *fallbacks(all_names, skeleton, side is not None),
        *overruled(all_names, orientation),
        *failures(prepared.test, separating_sets, wrong),
    ]
    doubts = [
        *limited(limits),
        *contradictions,
        *undecided(prepared.test.n_undecided - undecided_before, finding.n_tests + by_size.total()),
    ]
    if found_by == "none":
        found = orientation.dag.boundaries()
    named_boundaries = {
        name: frozenset(all_names[y] for y in members) for name, members in zip(all_names, found, strict=True)
    }
    steps = steps_of(skeleton, all_names) if traits.removes_variables else ()
    counts = task.ask.counts()
    questions = EdgeTests(all_names, skeleton.adjacency, named_boundaries, steps, "retest" in counts)
    return Network(
        names=all_names,
        separating_sets=separating_sets,
        boundaries=named_boundaries,
        removal_order=tuple(all_names[x] for x in skeleton.removal_order) if traits.removes_variables else (),
        tests_by_size=dict(sorted(by_size.items())),
        tests_by_phase=counts,
        boundary_tests=finding.n_tests,
        certificate=_certificate(
            learner, skeleton.assumption, side, found_by == "given", limits, bool(contradictions), orientation
        ),
        warnings=(*_findings(prepared, traits), *doubts),
        settings=_told(
            side=str(side) if side is not None else "none",
            learner=learner,
            variant=variant if traits.has_variants else None,
            alpha=f"{alpha:g}",
            test=type(prepared.test).__name__,
            **prepared.settings,
            boundaries=found_by,
            boundary_alpha=f"{boundary_level:g}" if traits.uses_boundary_alpha else None,
            max_tests=max_tests,
            max_conditioning=max_conditioning,
        ),
        seconds=clock.stop(),
        _graph=orientation.graph,
        _dag=orientation.dag,
        steps=steps,
        edge_evidence=TestedEdges(prepared.test, questions),
        missing_p_values=TestedMissing(prepared.test, all_names, separating_sets),
        recipe=recipe,
    )


def _told(**settings: object) -> dict[str, str]:
    """The settings that say something about this result."""
    return {name: str(value) for name, value in settings.items() if value is not None}


def _findings(prepared: Prepared, traits: Learner) -> Iterable[str]:
    """What the doctor found; few rows for boundaries matter only to learners that start from them."""
    return (
        str(finding) for finding in prepared.findings if traits.starts_from_boundaries or finding.kind != "few rows"
    )


def _no_boundaries(prepared: Prepared) -> list[set[int]]:
    return [set() for _ in prepared.test.names]


def _certificate(
    learner: str,
    used: SideInformation | None,
    side: SideInformation | None,
    given_boundaries: bool,
    limits: Limits,
    contradicted: bool,
    orientation: Orientation,
) -> Certificate:
    if limits.reached:
        return certify_unfinished(given_boundaries)
    if used is None:
        return certify_without_promise(learner, given_boundaries, contradicted)
    return certify(used, side is not None, given_boundaries, contradicted, orientation.dag.to_networkx())


def _find_boundaries(
    prepared: Prepared, boundaries: Boundaries, ask: Interview, n_jobs: int
) -> tuple[list[set[int]], str]:
    """The boundaries, and what they come from."""
    if isinstance(boundaries, Mapping):
        return given_boundaries(prepared.test.names, boundaries), "given"
    algorithm = prepared.boundaries if boundaries == "auto" else boundaries
    if algorithm == "tc" and isinstance(prepared.test, FisherZ) and not prepared.test.can_condition_on_everything:
        raise InputError(
            'boundaries="tc": total conditioning needs more rows than columns + 3 and columns that are not linearly '
            'dependent; use "iamb" or "auto"'
        )
    return ALGORITHMS[algorithm](len(prepared.test.names), ask, n_jobs), algorithm

"""From a source of answers to a ``Network``: boundaries, skeleton, directions, certificate."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from numbers import Real

from sidelight.audit import directed, failures
from sidelight.boundaries import ALGORITHMS, given_boundaries
from sidelight.certificate import certify
from sidelight.clock import Clock, Progress
from sidelight.errors import InputError
from sidelight.independence import FisherZ
from sidelight.interview import Interview
from sidelight.learners import Phases, Skeleton
from sidelight.learners.rsl import VARIANTS, Variant, learn_skeleton, learn_without_side_information, review
from sidelight.network import Network
from sidelight.orientation import Orientation
from sidelight.prepare import DataOptions, Function, Prepared, prepare
from sidelight.side_information import SideInformation, parse_side

LEARNERS = ("rsl",)
SHOWN = 5

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
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Network:
    """Learn the structure of a Bayesian network.

    Args:
        source: a table (a path to a CSV, TSV, Parquet or Feather file, a data frame, or a NumPy array), a
            ``Correlation``, or a test: ``DSeparation(dag)`` or a ``CITest`` of your own.
        side: what you know of the structure: ``DiamondFree()``, ``CliqueNumber(m)``, ``Treewidth(t)``,
            ``VertexCover(k)``, ``MaxInDegree(d)``, or the command's words, such as "clique:3"; None to learn without.
        learner: "rsl".
        variant: "robust", "paper" (fewest questions) or "published" (the paper's questions in its order).
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
        n_jobs: how many processes look for boundaries (not for "tc"); -1 for all cores. The result is the same.
        progress: called with the name of a phase and the number of its steps that are done.
    """
    if isinstance(side, str):
        side = parse_side(side)
    _check_arguments(side, learner, variant, alpha, boundaries, boundary_alpha, n_jobs, progress)
    clock = Clock(progress or (lambda phase, done: None))
    prepared = prepare(
        source, alpha, DataOptions(names, columns, drop, correlation, test, discrete, missing, weights), clock.start
    )
    clock.start("boundaries")
    undecided_before = prepared.test.unsupported
    finding = Interview(prepared.test, boundary_alpha or prepared.boundary_alpha)
    found, found_by = _find_boundaries(prepared, boundaries, finding, n_jobs)
    tick = clock.start("skeleton")
    ask = Phases(prepared.test, alpha)
    skeleton, used = _learn_skeleton(found, side, VARIANTS[variant], ask, tick)
    if prepared.test.small_sets_tell_more and variant == "robust":
        review(skeleton, ask["review"])
    clock.start("directions")
    all_names = tuple(prepared.test.names)
    separating_sets, orientation, wrong = directed(prepared.test, all_names, skeleton, alpha)
    doubts = [
        *_forced(all_names, skeleton, side is not None),
        *_overruled(all_names, orientation),
        *failures(prepared.test, separating_sets, wrong),
        *_undecided(prepared.test.unsupported - undecided_before, finding.n_tests + sum(ask.tests_by_size().values())),
    ]
    return Network(
        names=all_names,
        separating_sets=separating_sets,
        boundaries={
            name: frozenset(all_names[y] for y in members) for name, members in zip(all_names, found, strict=True)
        },
        removal_order=tuple(all_names[x] for x in skeleton.removal_order),
        tests_by_size=dict(sorted(ask.tests_by_size().items())),
        tests_by_phase={phase: interview.n_tests for phase, interview in ask.by_name().items()},
        boundary_tests=finding.n_tests,
        certificate=certify(used, side is not None, found_by == "given", bool(doubts), orientation.dag.to_networkx()),
        warnings=(*map(str, prepared.findings), *doubts),
        settings={
            "side": str(side) if side is not None else "none",
            "learner": learner,
            "variant": variant,
            "alpha": f"{alpha:g}",
            "test": type(prepared.test).__name__,
            "boundaries": found_by,
            "boundary_alpha": f"{boundary_alpha or prepared.boundary_alpha:g}",
        },
        seconds=clock.stop(),
        _graph=orientation.graph,
        _dag=orientation.dag,
    )


def _learn_skeleton(
    boundaries: list[set[int]], side: SideInformation | None, variant: Variant, ask: Phases, tick: Callable[[], None]
) -> tuple[Skeleton, SideInformation]:
    """The skeleton, and the side information that it rests on: what was promised, or the bound that was found."""
    if side is None:
        return learn_without_side_information(boundaries, variant, ask, tick)
    return learn_skeleton(boundaries, side, variant, ask, tick), side


def _check_arguments(
    side: object,
    learner: str,
    variant: str,
    alpha: object,
    boundaries: object,
    boundary_alpha: object,
    n_jobs: object,
    progress: object,
) -> None:
    if progress is not None and not callable(progress):
        raise InputError(f"progress={progress!r}: give a function of a phase's name and the number of steps done")
    if side is not None and not isinstance(side, SideInformation):
        raise InputError(
            f"side={side!r}: give DiamondFree(), CliqueNumber(m), Treewidth(t), VertexCover(k), MaxInDegree(d) or None"
        )
    if not isinstance(learner, str) or learner not in LEARNERS:
        raise InputError(f"learner={learner!r}: there is {', '.join(map(repr, LEARNERS))}")
    if not isinstance(variant, str) or variant not in VARIANTS:
        raise InputError(f"variant={variant!r}: there are {', '.join(map(repr, VARIANTS))}")
    known = isinstance(boundaries, str) and (boundaries == "auto" or boundaries in ALGORITHMS)
    if not known and not isinstance(boundaries, Mapping):
        raise InputError(
            f"boundaries={boundaries!r}: give 'auto', {', '.join(map(repr, ALGORITHMS))} or a mapping from each name "
            "to the names in its boundary"
        )
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0:
        raise InputError(f"n_jobs={n_jobs!r}: give a number of processes, or -1 for all cores")
    _check_level("alpha", alpha)
    if boundary_alpha is not None:
        _check_level("boundary_alpha", boundary_alpha)


def _check_level(option: str, level: object) -> None:
    if not (isinstance(level, Real) and 1e-300 < float(level) < 1.0):
        raise InputError(f"{option}={level!r}: a level is a number between 0 and 1, such as 0.01")


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


def _forced(names: tuple[Hashable, ...], skeleton: Skeleton, promised: bool) -> Iterable[str]:
    if skeleton.forced:
        shown = ", ".join(str(names[x]) for x in skeleton.forced[:SHOWN])
        more = ", …" if len(skeleton.forced) > SHOWN else ""
        excuse = "With the promise kept and every test right" if promised else "With every test right"
        blame = "a test erred or the promise is wrong" if promised else "a test erred"
        yield (
            f"no variable looked removable {_times(len(skeleton.forced))}, so the likeliest was removed "
            f"({shown}{more}). {excuse} there always is one, so {blame}; there may be extra edges around them"
        )


def _undecided(unsupported: int, n_tests: int) -> Iterable[str]:
    if unsupported:
        yield (
            f"{unsupported} of {n_tests} questions could not be decided: no stratum of their conditioning sets has "
            "rows that differ in both columns. They count as independent; edges may be missing"
        )


def _overruled(names: tuple[Hashable, ...], orientation: Orientation) -> Iterable[str]:
    if orientation.overruled:
        shown = "; ".join(f"{names[a]} → {names[c]} ← {names[b]}" for a, c, b in orientation.overruled[:SHOWN])
        more = "; …" if len(orientation.overruled) > SHOWN else ""
        yield (
            f"the evidence on directions contradicts itself; overruled v-structures: "
            f"{len(orientation.overruled)} ({shown}{more})"
        )


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")

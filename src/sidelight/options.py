"""Everything that ``learn`` can be given beside the data, as one value: each option once, with default and meaning."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, Field, dataclass, fields, replace
from functools import cached_property, wraps
from inspect import Parameter, signature
from math import inf
from numbers import Integral, Real
from pathlib import Path
from textwrap import fill
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, get_args

import numpy as np

from sidelight.boundaries import ALGORITHMS
from sidelight.errors import InputError
from sidelight.families.base import RSL
from sidelight.families.options import DataOptions, option
from sidelight.interview import Limits
from sidelight.knowledge import Constraints, Known, Roots, Statement, constraints_of, known, read_knowledge
from sidelight.learners import LEARNERS
from sidelight.learners.rsl import VARIANTS
from sidelight.side_information import SideInformation, side_in_words
from sidelight.text.message import Message, Option, must_be

Boundaries = str | Mapping[Hashable, Iterable[Hashable]]
Progress = Callable[[str, int], None]
# What type checkers accept; a test compares those that are registries with what is there.
LearnerName = Literal["auto", "rsl", "hybrid", "marvel", "l-marvel", "pc", "pc-stable", "gs", "cs", "mmpc", "hpc"]
VariantName = Literal["robust", "paper", "published"]
ScoreName = Literal["auto", "ebic", "bdeu", "qnml", "bic"]
Search = Literal["auto", "exact", "local"]
Refuted = Literal["mend", "report"]
Side = SideInformation | Statement | Known | str | Sequence[SideInformation | Statement | Known | str] | None
# The value of an option as a file can keep it; None where it cannot, such as a function or one weight for each row.
Given = str | float | int | bool | tuple[str, ...] | None
FEW_TESTS = 25  # before a search by score that looks widely: one in so many of the usual budget
NOTHING_KNOWN = Known()
AUTO = "auto"  # as many resamples as take little time
P = ParamSpec("P")
Chosen = TypeVar("Chosen", bound=DataOptions)
Result = TypeVar("Result")


@dataclass(frozen=True)
class Options(DataOptions):
    """How a network is learned, and how its table is read and tested."""

    side: Side = option(
        None,
        "What is known of the structure: a bound (``DiamondFree()``, ``CliqueNumber(m)``, ``Treewidth(t)``, "
        "``VertexCover(k)``, ``MaxInDegree(d)``), or a statement (``Required``, ``Forbidden``, ``Edge``, ``NoEdge``, "
        "``Tiers``, ``Roots``, ``Leaves``, ``Ancestor``, ``NotAncestor``, ``Order``, ``Part``, ``NoHiddenCause``); "
        'several joined by ``&``; or bounds in the command\'s words, such as "clique:3". None to learn without.',
        "Bounds: diamond-free, clique:3, treewidth:2, vertex-cover:4, in-degree:3, several with commas; or none.",
        label="Side information",
    )
    learner: LearnerName = option(
        "auto",
        'The algorithm: "auto" ("hybrid" where the test has a score, as it has for tables, else "rsl"); '
        + "; ".join(f'"{name}" ({learner.summary})' for name, learner in LEARNERS.items())
        + ".",
        f"The algorithm: auto (hybrid for tables), {', '.join(LEARNERS)}; only rsl and hybrid use --side.",
    )
    variant: VariantName = option(
        "robust",
        'Of RSL: "robust", "paper" (fewest tests) or "published" (the paper\'s tests in its order).',
        "Variant of rsl: robust (for data), paper (fewest tests) or published (as in the article).",
    )
    alpha: float = option(
        0.01, "The significance level at which independence is rejected.", label="Significance level (alpha)"
    )
    _: KW_ONLY
    hidden: bool = option(
        False,
        "Whether common causes may be hidden: then the result is a PAG, whose edges have a mark at each end (see "
        "``Network.mark``), legal in every case, and exact with an oracle.",
        "Common causes may be hidden: the result is a PAG, whose edges have a mark at each end.",
        label="Hidden causes",
    )
    knowledge: str | Path | Statement | Known | None = option(
        None,
        "What is known of the structure beside ``side``: statements, or a file (TOML, or Tetrad's knowledge).",
        "What is known of variables, arrows and paths: a TOML file, or Tetrad's, or as 'roots = [\"sex\"]'.",
        label="Background knowledge",
    )
    boundaries: Boundaries = option(
        "auto",
        'How Markov boundaries are found: "tc" (total conditioning), "iamb", "inter-iamb", "fast-iamb", "gs" '
        '(grow-shrink), "auto" (the test chooses: for numbers "tc" from 10 rows per column on, else "iamb"), or '
        "boundaries that you have: a mapping from each name to the names in its boundary.",
        f"How Markov boundaries are found: auto, {', '.join(ALGORITHMS)}.",
        label="Markov boundaries found by",
    )
    boundary_alpha: float | None = option(
        None,
        "The significance level for finding boundaries; by default, for n columns, 2/n² for numbers and 0.2/n² for "
        "discrete tables (or alpha if smaller), else alpha.",
        "Significance level for that; by default 2/n² for n columns, 0.2/n² if discrete, and at most alpha.",
        label="Significance level for boundaries",
    )
    score: ScoreName = option(
        "auto",
        'What a search by score maximises: "ebic" (extended BIC; numbers and mixed tables), "bdeu" or "qnml" (discrete '
        'tables), "bic" (any table), or "auto" (the first of these that fits the table).',
        "Score of a search: auto, ebic (numbers, mixed tables), bdeu or qnml (discrete tables), or bic.",
    )
    penalty: float | None = option(
        None,
        'How much a parameter costs, for score="bic": this times half the logarithm of the number of rows; 1 by '
        'default. Given alone, it chooses "bic".',
        "What a parameter costs with --score bic, in units of half the logarithm of the rows; by default 1.",
        label="Penalty of the score",
    )
    search: Search = option(
        "auto",
        'How the score is maximised: "exact" (all structures are compared, so that none scores higher; memory doubles '
        'with each column, 100 MB for 20), "local" (with restarts; it may end at a local optimum), or "auto" (exact up '
        "to 20 columns of numbers, and elsewhere where the sets of parents to look at are few; else local).",
        "How the score is maximised: exact (no structure scores higher; memory doubles with each column, 100 MB for "
        "20), local (may miss the best), or auto: exact up to 20 columns of numbers. Only with --learner hybrid.",
        label="Search",
    )
    restarts: int | None = option(
        None,
        "How often a local search starts again from a changed order of the columns, which chooses ``search`` local; by "
        "default 100 times with up to 25 columns of numbers, 25 with 50 to 100, 5 with 200, and not at all beyond 250 "
        "(400 with fewer than 20 rows per column) or in discrete and mixed tables.",
        "How often a local search starts again from a changed order of the columns; by default 100 times with "
        "up to 25 columns of numbers, 25 with 50 to 100, 5 with 200, never beyond 250 or in discrete and mixed tables.",
        label="Restarts of the search",
    )
    max_tests: int | None = option(
        None,
        "Maximum number of tests after the boundaries; pairs that are undecided then stay adjacent, and the network's "
        "warnings say so. By default, for n columns, 50 n² and 5,000,000 for numbers without gaps, 500,000 for "
        "discrete tables, or 100,000 for other tests; a 25th of it before a search by score on numbers, which decides "
        "what is left open.",
        "Maximum number of tests after the boundaries; by default millions.",
        label="Maximum number of tests",
    )
    max_conditioning: int | None = option(
        None,
        "After the boundaries, the largest conditioning set; with the same consequence.",
        "The largest conditioning set after the boundaries.",
        label="Largest conditioning set",
    )
    refuted: Refuted = option(
        "mend",
        'What becomes of separating sets that the same data refute: "mend" (another set that separates, else an edge; '
        'with boundaries="auto", lost members of boundaries are looked for first) or "report" (only a warning).',
        "What becomes of separating sets that the data refute: mend or report.",
        label="Refuted separating sets",
    )
    resamples: int | str = option(
        0,
        "How many networks are learned from rows drawn out of the table beside, so that the network has ``shares``; "
        '"auto": as many as take about two seconds on two cores, by the size of the table, and none where that is '
        "fewer than 20. ``stability`` has further options.",
        "Networks learned from resamples of the rows, which show how sure each edge and each arrow is; 0 for none. By "
        "default as many as take about two seconds, by the size of the table.",
        kept=False,
    )
    n_jobs: int = option(
        1,
        'How many workers look for boundaries (not for "tc"), for separating sets ("pc-stable", "gs") and search by '
        "score (numbers); -1 for all "
        "cores. The result is the same.",
        "Workers for boundaries, separating sets and searches; -1: all cores.",
        kept=False,
    )
    progress: Progress | None = option(
        None,
        "Called with the name of a phase and the number of its steps that are done; on long work also with "
        '"tests" and the number of tests so far, and before resamples with "resamples wanted" and their number.',
        kept=False,
    )

    @cached_property
    def known(self) -> Known:
        """All that is known of the structure."""
        said = NOTHING_KNOWN if self.side is None else known(self.side)
        if self.context is not None and isinstance(self.context, Hashable):
            said &= Roots(self.context)
        if self.knowledge is None:
            return said
        if isinstance(self.knowledge, Statement | Known):
            return said & self.knowledge
        if not isinstance(self.knowledge, str | Path):
            raise InputError(must_be("knowledge", "a path to a file, or statements", self.knowledge))
        return said & read_knowledge(self.knowledge)

    @property
    def side_information(self) -> SideInformation | None:
        """The bound on the structure, if there is one."""
        return self.known.side if self.known.bounds else None

    def constraints(self, names: Sequence[Hashable]) -> Constraints | None:
        """What is known of these variables, by position; None if nothing is."""
        return constraints_of(self.known, names, self.hidden) if self.known.statements else None

    def for_test(self, has_score: bool) -> Options:
        """The same with the learner that "auto" stands for."""
        if self.learner != "auto":
            return self
        asks_for_score = (self.score, self.penalty, self.search, self.restarts) != ("auto", None, "auto", None)
        by_tests: LearnerName = "l-marvel" if self.hidden else "rsl"
        return replace(self, learner="hybrid" if has_score or asks_for_score else by_tests)

    def given(self) -> dict[str, Given]:
        """The options that differ from their defaults and may change the result, as a file can keep them."""
        given: dict[str, Given] = {}
        for field in kept_options(type(self)):
            value, words = getattr(self, field.name), field.metadata["words"]
            kept = words(value) if words is not None and isinstance(value, Mapping) else _kept(value)
            if value is not field.default and (kept is None or kept != field.default):
                given[field.name] = kept
        return given

    def limits(self, default_budget: int, n_columns: int, few: bool = False) -> Limits:
        """The limits on tests, with nothing used up; the test has a default budget for tables that are not large.

        By default a search by score that looks widely has few tests before it: what they leave open, it decides.
        """
        by_default = self.max_tests is None
        default = (default_budget + 50 * n_columns**2) // (FEW_TESTS if few else 1)
        max_tests = default if self.max_tests is None else int(self.max_tests)
        max_conditioning = None if self.max_conditioning is None else int(self.max_conditioning)
        report = self.progress or (lambda phase, done: None)
        return Limits(max_tests, max_conditioning, by_default, lambda n_tests: report("tests", n_tests))

    def checked(self) -> Options:
        """The same with its side information as a value, or an ``InputError`` that names the option."""
        check_choice("learner", self.learner, ("auto", *LEARNERS))
        check_choice("variant", self.variant, VARIANTS)
        if not isinstance(self.boundaries, Mapping):
            or_given = " or a mapping from each name to the names in its boundary"
            check_choice("boundaries", self.boundaries, ("auto", *ALGORITHMS), or_given)
        check_choice("refuted", self.refuted, get_args(Refuted))
        check_choice("score", self.score, get_args(ScoreName))
        check_choice("search", self.search, get_args(Search))
        if self.penalty is not None and not (isinstance(self.penalty, Real) and 0 < float(self.penalty) < inf):
            raise InputError(must_be("penalty", "a number above 0, such as 2", self.penalty))
        if isinstance(self.knowledge, Statement | Known):
            return replace(self, side=self.known, knowledge=None).checked()
        given = NOTHING_KNOWN if self.side is None else known(self.side)
        _ = self.known  # raises where the file cannot be read
        _refuse_unused(self)
        _refuse_with_hidden(self)
        for name in ("targets", "time"):
            _refuse_without_score(self, name)
        if not _is_whole(self.n_jobs) or self.n_jobs == 0:
            raise InputError(must_be("n_jobs", "a number of workers, or -1 for all cores", self.n_jobs))
        if self.progress is not None and not callable(self.progress):
            what = "a function of a phase's name and the number of steps done"
            raise InputError(must_be("progress", what, self.progress))
        number = int(self.resamples) if _is_whole(self.resamples) else -1
        if self.resamples != AUTO and (number < 0 or number == 1):
            raise InputError(must_be("resamples", "0, a number of resamples, 2 or more, or 'auto'", self.resamples))
        check_alpha("alpha", self.alpha)
        if self.boundary_alpha is not None:
            check_alpha("boundary_alpha", self.boundary_alpha)
        if self.restarts is not None and (not _is_whole(self.restarts) or self.restarts < 0):
            raise InputError(must_be("restarts", "a whole number, 0 or more", self.restarts))
        for name in ("max_tests", "max_conditioning"):
            limit = getattr(self, name)
            if limit is not None and (not _is_whole(limit) or limit < 0):
                raise InputError(must_be(name, "a whole number, 0 or more, or None for no limit", limit))
        return replace(self, side=given if given.statements else given.side if given.bounds else None)


def kept_options(options: type[Options]) -> list[Field[Any]]:
    """The options that may change the result, which settings therefore keep; the main ones first."""
    by_name = {field.name: field for field in fields(options)}
    return [by_name[name] for name in signature(options).parameters if by_name[name].metadata["kept"]]


def takes(
    options: Callable[P, Chosen],
) -> Callable[[Callable[[object, Chosen], Result]], Callable[Concatenate[object, P], Result]]:
    """Let a function of a source and an options value take the options themselves, one by one."""

    def decorate(function: Callable[[object, Chosen], Result]) -> Callable[Concatenate[object, P], Result]:
        chosen = signature(options)
        source = Parameter("source", Parameter.POSITIONAL_OR_KEYWORD, annotation=object)
        parameters = [source, *chosen.parameters.values()]
        whole = chosen.replace(parameters=parameters, return_annotation=signature(function).return_annotation)

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            given = whole.bind(*args, **kwargs).arguments  # raises as Python does for an option that is not there
            source = given.pop("source")
            return function(source, options(**given))  # type: ignore[call-arg]  # they were bound to its signature

        call.__signature__ = whole  # type: ignore[attr-defined]
        call.__doc__ = f"{(function.__doc__ or '').rstrip()}\n{_described(options)}"
        return call

    return decorate


def _described(options: Any) -> str:
    """The options as the lines of a docstring's list of arguments."""
    meaning = {field.name: field.metadata["meaning"] for field in fields(options)}
    lines = (f"{name}: {meaning[name]}" for name in signature(options).parameters)
    return "\n".join(fill(line, 120, initial_indent=" " * 8, subsequent_indent=" " * 12) for line in lines)


def _kept(value: object) -> Given:
    if isinstance(value, str | bool):
        return value
    if isinstance(value, SideInformation):
        return side_in_words(value)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Real):
        return int(value) if isinstance(value, Integral) else float(value)
    if isinstance(value, list | tuple) and all(isinstance(name, str) for name in value):
        return tuple(value)
    return None


def _refuse_unused(options: Options) -> None:
    """Options that do not apply to a learner are refused, not ignored."""
    name = options.learner
    learner = LEARNERS["hybrid" if name == "auto" else name]
    if options.side_information is not None and not learner.uses_side_information:
        raise InputError(Message(Option("side"), " goes with ", RSL, f" or hybrid, not with {name!r}"))
    for given in ("score", "penalty", "search", "restarts"):
        if getattr(options, given) not in (None, "auto") and not learner.searches_by_score:
            raise InputError(Message(Option(given), " goes with ", Option("learner", "hybrid"), f", not with {name!r}"))
    if options.restarts is not None and options.search == "exact":
        raise InputError(Message(Option("restarts"), " goes with a local search, not with ", Option("search", "exact")))
    if options.variant != "robust" and not learner.has_variants:
        raise InputError(Message(Option("variant"), " goes with ", RSL, f" or hybrid, not with {name!r}"))
    if options.boundaries != "auto" and not learner.starts_from_boundaries:
        raise InputError(Message(Option("boundaries"), f" does not apply: {name!r} does not start from boundaries"))
    if options.boundary_alpha is not None and not learner.uses_boundary_alpha:
        raise InputError(Message(Option("boundary_alpha"), f" does not apply: {name!r} finds no boundaries"))


def _refuse_with_hidden(options: Options) -> None:
    """What has no meaning where causes may be hidden."""
    if not isinstance(options.hidden, bool):
        raise InputError(must_be("hidden", "True or False", options.hidden))
    if not options.hidden:
        return
    hidden, able = Option("hidden", True), [name for name, learner in LEARNERS.items() if learner.allows_hidden]
    if options.learner not in ("auto", *able):
        raise InputError(Message(hidden, f" goes with the learners {' and '.join(able)}, not with {options.learner!r}"))
    if options.side_information is not None:
        why = ": what it says of a DAG does not bound what is needed when causes are hidden"
        raise InputError(Message(Option("side"), " has no bound that goes with ", hidden, why))


def _refuse_without_score(options: Options, name: str) -> None:
    """Raise where what the rows are of tells no direction: experiments and the order of time do by a score."""
    if getattr(options, name) is None:
        return
    option, able = Option(name, getattr(options, name)), [name for name, each in LEARNERS.items() if each.search]
    if options.hidden:
        raise InputError(Message(option, " does not go with ", Option("hidden", True)))
    if options.learner not in ("auto", *able):
        what = f" goes with learners that search by a score ({', '.join(able)}), not with {options.learner!r}"
        raise InputError(Message(option, what))


def check_choice(option: str, value: object, accepted: Collection[str], or_else: str = "") -> None:
    """Raise when a value is none of those that an option accepts."""
    if not isinstance(value, str) or value not in accepted:
        raise InputError(must_be(option, f"one of {', '.join(map(repr, accepted))}{or_else}", value))


def check_alpha(name: str, alpha: object) -> None:
    """Raise unless alpha is a significance level; p-values below 1e-300 cannot be distinguished from 0."""
    if not (isinstance(alpha, Real) and 1e-300 < float(alpha) < 1.0):
        raise InputError(must_be(name, "a number between 0 and 1, such as 0.01", alpha))


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)

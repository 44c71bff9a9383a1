"""The phase that finds Markov boundaries, or takes those given; the learner starts from them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sidelight.boundaries import ALGORITHMS, given_boundaries, joined
from sidelight.errors import InputError
from sidelight.families import CITest
from sidelight.interview import Interview
from sidelight.knowledge import Constraints
from sidelight.text.message import Message, Option, must_be_one_of

MOST_BLOCKS = 20  # of variables in a known order; for each, total conditioning inverts a matrix


class BoundaryRun(Protocol):
    """What this phase needs of a run."""

    @property
    def test(self) -> CITest: ...
    @property
    def names(self) -> tuple[Hashable, ...]: ...
    @property
    def options(self) -> Any: ...
    @property
    def learner(self) -> Any: ...
    @property
    def known(self) -> Constraints | None: ...
    @property
    def adjacent(self) -> frozenset[tuple[int, int]]: ...
    @property
    def clock(self) -> Any: ...


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
    regrown: bool = False  # some of them, after the data rejected separating sets


def find_boundaries(run: BoundaryRun) -> FoundBoundaries:
    """Find the Markov boundaries, or take those given; empty ones for learners that do not start from them."""
    test, options = run.test, run.options
    default_algorithm, default_alpha = test.default_boundaries(options.alpha)
    alpha, whole = options.boundary_alpha or default_alpha, [range(len(run.names))]
    if not run.learner.starts_from_boundaries:
        return FoundBoundaries([set() for _ in run.names], "none", alpha, 0, whole)
    run.clock.start("boundaries")
    if isinstance(options.boundaries, Mapping):
        return FoundBoundaries(given_boundaries(run.names, options.boundaries), "given", alpha, 0, whole)
    algorithm = default_algorithm if options.boundaries == "auto" else options.boundaries
    if algorithm not in ALGORITHMS:
        raise InputError(must_be_one_of("boundaries", ALGORITHMS, algorithm))
    if algorithm == "tc" and not test.can_condition_on(len(run.names) - 2):
        raise InputError(
            Message(
                Option("boundaries", "tc"),
                ": total conditioning needs more rows than columns + 3, and no linearly dependent columns; use ",
                Option("boundaries", "iamb"),
            )
        )
    ask = Interview(test, alpha, adjacent=run.adjacent)
    blocks: Sequence[Sequence[int]] = whole
    if run.known is not None and run.learner.removes_in_blocks:
        blocks = run.known.blocks() if test.is_exact else joined(run.known.blocks(), MOST_BLOCKS)
    return FoundBoundaries(ALGORITHMS[algorithm](blocks, ask, options.n_jobs), algorithm, alpha, ask.n_tests, blocks)

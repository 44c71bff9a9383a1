"""Markov boundaries: the phase that finds them, or takes those given; the learner starts from them.

An algorithm is one function ``(blocks, ask, n_jobs) -> list of sets``, and one entry of ``ALGORITHMS``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sidelight.boundaries.growing import Blocks, fast_iamb, grow_shrink, iamb, inter_iamb, joined, one_block
from sidelight.errors import InputError
from sidelight.interview import Interview
from sidelight.text.message import Message, Option, must_be_one_of

if TYPE_CHECKING:
    from sidelight.learning import Run

MOST_BLOCKS = 20  # of variables in a known order; for each, total conditioning inverts a matrix


def total_conditioning(blocks: Blocks, ask: Interview, n_jobs: int = 1) -> list[set[int]]:
    """Pellet & Elisseeff (2008): y is in the boundary of x when they depend given everything else that is not later.

    One batch of tests for each block.
    """
    boundaries: list[set[int]] = [set() for block in blocks for _ in block]
    earlier: list[int] = []
    for block in blocks:
        members = [*earlier, *block]
        dependent = ask.dependence_matrix(members, len(earlier))
        for i, x in enumerate(block, len(earlier)):
            boundaries[x] = {members[j] for j in np.flatnonzero(dependent[i]).tolist()}
        earlier = members
    return boundaries


ALGORITHMS = {
    "tc": total_conditioning,
    "iamb": iamb,
    "inter-iamb": inter_iamb,
    "fast-iamb": fast_iamb,
    "gs": grow_shrink,
}


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


def find_boundaries(run: Run) -> FoundBoundaries:
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
    ask = Interview(test, alpha, adjacent=run.closed.adjacent)
    blocks: Sequence[Sequence[int]] = whole
    if run.known is not None and run.learner.removes_in_blocks:
        given = run.known.given
        known = [block for block in run.known.blocks() if not given.issuperset(block)]
        blocks = [*[sorted(given)] * bool(given), *(known if test.is_exact else joined(known, MOST_BLOCKS))]
    members = ALGORITHMS[algorithm](blocks, ask, options.n_jobs)
    if run.known is not None and run.known.given:  # no recursion follows, which takes the later ones first
        members = [found | {y for y, its in enumerate(members) if x in its} for x, found in enumerate(members)]
    return FoundBoundaries(members, algorithm, alpha, ask.n_tests, blocks)


def given_boundaries(names: Sequence[Hashable], boundaries: Mapping[Hashable, Iterable[Hashable]]) -> list[set[int]]:
    """Turn a mapping from each name to the names in its boundary into sets of indices, checked for symmetry."""
    index = {name: i for i, name in enumerate(names)}
    for name in boundaries:
        _known(name, index, "boundaries")
    result = []
    for name in names:
        if name not in boundaries:
            raise InputError(f"boundaries: {name!r} has no entry; give an empty one if its boundary is empty")
        members = boundaries[name]
        if isinstance(members, str) or not isinstance(members, Iterable):
            raise InputError(f"boundaries: the entry of {name!r} is {members!r}, not a collection of names")
        result.append({_known(member, index, f"the boundary of {name!r}") for member in members})
    _check_symmetry(names, result)
    return result


def _known(name: Hashable, index: Mapping[Hashable, int], where: str) -> int:
    if not isinstance(name, Hashable) or name not in index:
        raise InputError(f"{where}: there is no variable named {name!r}")
    return index[name]


def _check_symmetry(names: Sequence[Hashable], boundaries: list[set[int]]) -> None:
    for x, members in enumerate(boundaries):
        if x in members:
            raise InputError(f"boundaries: {names[x]!r} is listed in its own boundary")
        for y in sorted(members):
            if x not in boundaries[y]:
                raise InputError(
                    f"boundaries are not symmetric: {names[y]!r} is in the boundary of {names[x]!r}, "
                    f"but {names[x]!r} is not in the boundary of {names[y]!r}"
                )


__all__ = ["ALGORITHMS", "FoundBoundaries", "find_boundaries", "one_block"]

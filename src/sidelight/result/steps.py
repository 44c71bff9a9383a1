"""The log of a recursion: which variable was removed when, with which boundary, after which tests."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass

from sidelight.learners import Skeleton


@dataclass(frozen=True)
class Step:
    """One removal. ``boundary`` and ``neighbours`` are those among the variables that remained, in column order.

    Args:
        tests: how many tests each phase made in this step, also of variables that were not removed then.
        fallback: True when no variable looked removable, and this one was the likeliest.
        left_out: how many members of the boundary were left out at a time to find neighbours; None: any number.
        undecided: True when a limit had ended the learning, so that all of the boundary was taken for neighbours.
    """

    removed: Hashable
    boundary: tuple[Hashable, ...]
    neighbours: tuple[Hashable, ...]
    tests: Mapping[str, int]
    fallback: bool = False
    left_out: int | None = None
    undecided: bool = False


def steps_of(skeleton: Skeleton, names: tuple[Hashable, ...]) -> tuple[Step, ...]:
    """The steps in the order of removal, by name."""
    return tuple(_steps(skeleton, names))


def _steps(skeleton: Skeleton, names: tuple[Hashable, ...]) -> Iterator[Step]:
    def named(members: frozenset[int] | set[int]) -> tuple[Hashable, ...]:
        return tuple(names[y] for y in sorted(members))

    before, fallback = skeleton.counted_before, set(skeleton.fallbacks)
    for x, neighbours, left_out, counted in skeleton.log:
        tests = {phase: n - before.get(phase, 0) for phase, n in counted.items() if n > before.get(phase, 0)}
        boundary = named(skeleton.boundary_at_removal[x])
        yield Step(names[x], boundary, tuple(names[y] for y in neighbours), tests, x in fallback, left_out)
        before = counted
    for x in skeleton.removal_order[len(skeleton.log) :]:
        members = skeleton.boundary_at_removal[x]
        yield Step(names[x], named(members), named(members & skeleton.adjacency[x]), {}, undecided=True)

"""What every learner takes, a ``Task``, and what it returns, a ``Skeleton`` with the steps of its recursion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

import networkx as nx
import numpy as np

from sidelight.families.base import CITest
from sidelight.families.subset_search import Found, Searches
from sidelight.graphs.dag import Dag
from sidelight.graphs.separating_sets import Pair, SeparatingSets, ordered
from sidelight.interview import Interview, Limits
from sidelight.knowledge.constraints import Constraints
from sidelight.side_information import SideInformation


class Phases:
    """One interview for each phase of a learner, so that the counts come by phase; all under the same limits."""

    def __init__(
        self, test: CITest, alpha: float, limits: Limits | None = None, adjacent: Set[Pair] = frozenset()
    ) -> None:
        self._test, self.alpha, self._adjacent = test, alpha, adjacent
        self.limits = limits or Limits()
        self._interviews: dict[str, Interview] = {}

    def __getitem__(self, phase: str) -> Interview:
        """The interview of a phase, opened when first needed."""
        return self.at_alpha(phase, self.alpha)

    def at_alpha(self, phase: str, alpha: float) -> Interview:
        """The interview of a phase that has a significance level of its own."""
        interview = self._interviews.get(phase)
        if interview is None:
            interview = self._interviews[phase] = Interview(self._test, alpha, self.limits, self._adjacent)
        return interview

    def counts(self) -> dict[str, int]:
        """The number of tests of each phase so far."""
        return {phase: interview.n_tests for phase, interview in self._interviews.items()}

    def tests_by_size(self) -> Counter[int]:
        """The counts of all phases together."""
        return sum((interview.tests_by_size for interview in self._interviews.values()), Counter())


class LoggedRemoval(NamedTuple):
    """What one step of a recursion found, and the tests by phase that had been made by its end.

    ``left_out``: how many members were left out of the tests of neighbours, None if any number might be.
    """

    x: int
    neighbours: tuple[int, ...]
    left_out: int | None
    counted: Mapping[str, int]


@dataclass
class Skeleton:
    """A skeleton in the making: neighbours, the order of removal, and what separates the rest."""

    adjacency: list[set[int]]
    removal_order: list[int] = field(default_factory=list)
    boundary_at_removal: dict[int, frozenset[int]] = field(default_factory=dict)
    left_out: dict[Pair, tuple[int, ...]] = field(default_factory=dict)
    explicit_sets: dict[Pair, frozenset[int]] = field(default_factory=dict)
    replaced: set[Pair] = field(default_factory=set)  # pairs whose explicit set took the place of one that failed
    failed: set[Pair] = field(default_factory=set)  # pairs whose set does not separate in the data
    unseparated: set[Pair] = field(default_factory=set)  # pairs known not to be adjacent, without a set
    fallbacks: list[int] = field(default_factory=list)
    examinations: Counter[int] = field(default_factory=Counter)
    log: list[LoggedRemoval] = field(default_factory=list)
    counted_before: Mapping[str, int] = field(default_factory=dict)  # tests by phase, before the first removal
    assumption: SideInformation | None = None  # the side information it rests on: what was given, or a bound found

    @staticmethod
    def without_edges(n_variables: int) -> Skeleton:
        """A skeleton over this number of variables, without edges."""
        return Skeleton([set() for _ in range(n_variables)])

    def edges(self) -> list[Pair]:
        """All edges as (smaller, larger), sorted."""
        return sorted((x, y) for x, neighbours in enumerate(self.adjacency) for y in neighbours if x < y)

    def add_edge(self, x: int, y: int) -> None:
        """Add the edge x — y; a set that separated the two before is dropped."""
        self.adjacency[x].add(y)
        self.adjacency[y].add(x)
        self.explicit_sets.pop(ordered(x, y), None)
        self.left_out.pop(ordered(x, y), None)

    def separate(self, x: int, y: int, separating_set: Iterable[int]) -> None:
        """Remove the edge x — y: this set separates them."""
        self.adjacency[x].discard(y)
        self.adjacency[y].discard(x)
        found, pair = frozenset(separating_set), ordered(x, y)
        if found or pair in self.explicit_sets or self.boundary_at_removal.get(x) or self.boundary_at_removal.get(y):
            self.explicit_sets[pair] = found  # else it is the empty set, which need not be noted

    def remove(self, x: int, boundary: Iterable[int], neighbours: Iterable[int]) -> None:
        """Remove x: it is adjacent to its neighbours, and its boundary separates it from what remains outside."""
        self.removal_order.append(x)
        self.boundary_at_removal[x] = frozenset(boundary)
        for y in neighbours:
            self.add_edge(x, y)

    def finish_step(self, x: int, neighbours: Iterable[int], left_out: int | None, counted: Mapping[str, int]) -> None:
        """Log the removal of x, after all its tests."""
        self.log.append(LoggedRemoval(x, tuple(sorted(neighbours)), left_out, counted))

    def note(self, x: int, y: int, separating_set: frozenset[int]) -> None:
        """Keep what separates x from a member of its boundary that is no neighbour."""
        self.explicit_sets[ordered(x, y)] = separating_set

    def leave_adjacent(
        self, boundaries: Mapping[int, set[int]], separated: Mapping[Pair, frozenset[int]] = MappingProxyType({})
    ) -> None:
        """End early: what remains is adjacent to the members of its boundary that no known set separates from it."""
        for x, members in sorted(boundaries.items()):
            known = {y for y in members if ordered(x, y) in separated}
            self.remove(x, members, members - known)
            for y in known:
                self.note(x, y, separated[ordered(x, y)])

    def separating_sets(self, names: Sequence[Hashable]) -> SeparatingSets:
        """What separates the pairs that are not adjacent."""
        return SeparatingSets(
            names,
            self.adjacency,
            self.removal_order,
            self.boundary_at_removal,
            self.left_out,
            self.explicit_sets,
            frozenset(self.replaced),
            frozenset(self.failed | self.unseparated),
        )


def skeleton_of(dag: Dag) -> Skeleton:
    """The edges, with the parents of the later of two variables as what separates them."""
    skeleton = Skeleton.without_edges(len(dag))
    for x in reversed(dag.topological_order()):
        skeleton.remove(x, dag.parents[x], dag.parents[x])
    return skeleton


def keep_known(skeleton: Skeleton, known: Constraints) -> None:
    """Change what disagrees with what is known, which true answers never do.

    Pairs that are known to be adjacent become so. An edge that may have no direction goes; no set is known that
    separates its pair, so no direction follows from it. Directions that are known make no cycle: an edge of one goes.
    """
    for x, y in sorted(known.adjacent):
        if y not in skeleton.adjacency[x]:
            skeleton.add_edge(x, y)
    for x, y in skeleton.edges():
        if not known.allowed[x, y] and not known.allowed[y, x]:
            _take_out(skeleton, x, y)
    while cycle := _known_cycle(skeleton, known):
        _take_out(skeleton, *next(edge for edge in cycle if ordered(*edge) not in known.adjacent))


def _take_out(skeleton: Skeleton, x: int, y: int) -> None:
    skeleton.adjacency[x].discard(y)
    skeleton.adjacency[y].discard(x)
    skeleton.explicit_sets.setdefault(ordered(x, y), frozenset())
    skeleton.unseparated.add(ordered(x, y))


def _known_cycle(skeleton: Skeleton, known: Constraints) -> list[Pair]:
    """A cycle of edges each of which can have but one direction; empty if there is none."""
    ways = [(x, y) if known.allowed[x, y] else (y, x) for x, y in skeleton.edges() if not _is_open(known, x, y)]
    try:
        return [(tail, head) for tail, head in nx.find_cycle(nx.DiGraph(ways))]
    except nx.NetworkXNoCycle:
        return []


def _is_open(known: Constraints, x: int, y: int) -> bool:
    return bool(known.allowed[x, y] and known.allowed[y, x])


def separate_found(skeleton: Skeleton, searches: Searches, found: Found) -> None:
    """Remove the edges for which searches have found a separating set."""
    for i in np.flatnonzero(found.n_chosen >= 0).tolist():
        separating_set = found.set_of(searches, i)
        if separating_set is not None:
            skeleton.separate(int(searches.x[i]), int(searches.y[i]), separating_set)


@dataclass(frozen=True)
class Task:
    """The variables' boundaries (empty for learners that do not use them), the tests, and the options of learners.

    ``tick`` is called after each step of a learner.
    """

    boundaries: Sequence[set[int]]
    ask: Phases
    boundary_alpha: float  # the significance level for learners that look for boundaries themselves
    tick: Callable[[], None] = lambda: None
    n_jobs: int = 1
    side: SideInformation | None = None
    variant: str = "robust"
    loses_power: bool = False  # the test's: it loses much of its power with each variable it conditions on
    known: Constraints | None = None
    order: Sequence[Sequence[int]] = ()  # blocks of variables, none of which has a cause in a later block

    @property
    def blocks(self) -> Sequence[Sequence[int]]:
        """The variables in blocks whose boundaries lack what is in later ones; a single block if nothing is known."""
        return self.order or [range(self.n_variables)]

    @property
    def n_variables(self) -> int:
        """How many variables there are."""
        return len(self.boundaries)

    def pairs(self) -> list[Pair]:
        """All x < y that are in each other's boundary."""
        return [(x, y) for x, members in enumerate(self.boundaries) for y in sorted(members) if x < y]

    def skeleton_of_boundaries(self) -> Skeleton:
        """Each variable adjacent to its boundary, which separates it from all others."""
        skeleton = Skeleton.without_edges(self.n_variables)
        skeleton.removal_order.extend(range(self.n_variables))
        for x, members in enumerate(self.boundaries):
            skeleton.adjacency[x] |= members
            skeleton.boundary_at_removal[x] = frozenset(members)
        return skeleton

    def complete_skeleton(self) -> Skeleton:
        """All variables adjacent; pairs separated later have the empty set unless another is noted."""
        skeleton = Skeleton.without_edges(self.n_variables)
        skeleton.removal_order.extend(range(self.n_variables))
        for x in range(self.n_variables):
            skeleton.adjacency[x] = set(range(self.n_variables)) - {x}
            skeleton.boundary_at_removal[x] = frozenset()
        return skeleton


@dataclass(frozen=True)
class Step:
    """One removal. ``boundary`` and ``neighbours`` are those among the variables that remained, in column order.

    Args:
        tests: how many tests each phase made in this step, also of variables that were not removed then.
        fallback: True when no variable met the condition of removability, and this one was nearest to it.
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

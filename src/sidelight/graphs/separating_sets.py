"""A skeleton in the making, and the separating sets of its non-adjacent pairs.

When a variable is removed, its boundary separates it from every remaining variable outside that boundary, and, without
a few members that are left out, from every co-parent inside. So one boundary per variable and the left-out members of
co-parents say it all, in memory that grows with n times the boundary size; a mapping looks them up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.graphs.dag import Dag, renumbered

if TYPE_CHECKING:
    from sidelight.side_information import SideInformation

Pair = tuple[int, int]


def ordered(x: int, y: int) -> Pair:
    """The pair with its smaller index first."""
    return (x, y) if x < y else (y, x)


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
    given: frozenset[int] = frozenset()  # variables of which no pair is adjacent or separated: nothing is asked of them

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

    def renumbered(self, place: Sequence[int]) -> Skeleton:
        """The same with each variable at another place."""

        def moved(members: Iterable[int]) -> frozenset[int]:
            return frozenset(place[y] for y in members)

        def pair(found: Pair) -> Pair:
            return ordered(place[found[0]], place[found[1]])

        return Skeleton(
            renumbered(self.adjacency, place),
            [place[x] for x in self.removal_order],
            {place[x]: moved(members) for x, members in self.boundary_at_removal.items()},
            {pair(found): tuple(sorted(moved(members))) for found, members in self.left_out.items()},
            {pair(found): moved(members) for found, members in self.explicit_sets.items()},
            set(map(pair, self.replaced)),
            set(map(pair, self.failed)),
            set(map(pair, self.unseparated)),
            [place[x] for x in self.fallbacks],
            Counter({place[x]: count for x, count in self.examinations.items()}),
            [step._replace(x=place[step.x], neighbours=tuple(sorted(moved(step.neighbours)))) for step in self.log],
            self.counted_before,
            self.assumption,
            moved(self.given),
        )

    def open(self, given: frozenset[int]) -> None:
        """Take out the edges between variables of which nothing is asked."""
        self.given = given
        for x in given:
            self.adjacency[x] -= given
        for found in (self.explicit_sets, self.left_out):
            for pair in [pair for pair in found if given.issuperset(pair)]:
                del found[pair]

    def separating_sets(self, names: Sequence[Hashable]) -> SeparatingSets:
        """What separates the pairs that are not adjacent."""
        return SeparatingSets(names, self)


def skeleton_of(dag: Dag) -> Skeleton:
    """The edges, with the parents of the later of two variables as what separates them."""
    skeleton = Skeleton.without_edges(len(dag))
    for x in reversed(dag.topological_order()):
        skeleton.remove(x, dag.parents[x], dag.parents[x])
    return skeleton


class SeparatingSets(Mapping[frozenset[Hashable], frozenset[Hashable]]):
    """A mapping from each non-adjacent pair of names to a set of names that separates them.

    Pairs of variables that are ``given`` have none: nothing is asked of them.
    """

    def __init__(self, names: Sequence[Hashable], skeleton: Skeleton) -> None:
        self._names, self._adjacency = names, skeleton.adjacency
        self._index = {name: i for i, name in enumerate(names)}
        self._step = {x: step for step, x in enumerate(skeleton.removal_order)}
        self._boundary, self._left_out = skeleton.boundary_at_removal, skeleton.left_out
        self._explicit, self.given = skeleton.explicit_sets, skeleton.given
        self.replaced = frozenset(skeleton.replaced)  # the pairs whose set took the place of one that failed
        # The pairs whose set does not separate in the data; no direction follows from it.
        self.failed = frozenset(skeleton.failed | skeleton.unseparated)

    @property
    def names(self) -> Sequence[Hashable]:
        """The variables, in the order of the columns."""
        return self._names

    def between(self, x: int, y: int) -> frozenset[int]:
        """The separating set of two non-adjacent variables, all by index."""
        if self._explicit and ordered(x, y) in self._explicit:
            return self._explicit[ordered(x, y)]
        first, second = (x, y) if self._step[x] < self._step[y] else (y, x)
        return self._boundary[first] - {second, *self._left_out.get(ordered(x, y), ())}

    def parts(self) -> tuple[list[tuple[int, list[int]]], list[tuple[Pair, list[int]]], list[tuple[Pair, list[int]]]]:
        """What the sets are made of: boundaries at removal, in order; left-out members; explicit sets."""
        order = sorted(self._step, key=self._step.__getitem__)
        return (
            [(x, sorted(self._boundary[x])) for x in order],
            [(pair, list(members)) for pair, members in sorted(self._left_out.items())],
            [(pair, sorted(members)) for pair, members in sorted(self._explicit.items())],
        )

    @property
    def n_implied(self) -> int:
        """How many pairs have a set that follows from a boundary."""
        n_explicit = sum(b not in self._adjacency[a] for a, b in self._explicit)
        return len(self) - n_explicit - sum(1 for _ in self._inside_boundaries())

    def implied(self) -> Iterator[tuple[int, NDArray[np.int64], list[int]]]:
        """The pairs whose set follows from a boundary, without a test of the very pair.

        Each item is a variable, others that one set separates from it, and that set.
        """
        order = np.array(sorted(self._step, key=self._step.__getitem__), dtype=np.int64)
        for position, x in enumerate(order.tolist()):
            boundary = self._boundary[x]
            near = self._adjacency[x].union(boundary, self._with_explicit_set.get(x, ()), self._not_asked(x))
            later = order[position + 1 :]
            outside = np.delete(later, [p for y in near if (p := self._step[y] - position - 1) >= 0])
            if len(outside):
                yield x, outside, sorted(boundary)

    def implied_empty(self, x: int, others: NDArray[np.int64]) -> NDArray[np.bool_]:
        """For each of the others: does the empty set, as an empty boundary, separate it from x?"""
        step, empty = self._steps_and_empty
        found: NDArray[np.bool_] = np.where(step[others] < step[x], empty[others], empty[x])
        return found

    @cached_property
    def _steps_and_empty(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """For each variable the step of its removal, and whether its boundary was empty then."""
        variables = range(len(self._names))
        return np.array([self._step[x] for x in variables]), np.array([not self._boundary[x] for x in variables])

    @cached_property
    def _with_explicit_set(self) -> dict[int, set[int]]:
        """For each variable the others whose set with it is explicit."""
        found: dict[int, set[int]] = {}
        for a, b in self._explicit:
            found.setdefault(a, set()).add(b)
            found.setdefault(b, set()).add(a)
        return found

    def _inside_boundaries(self) -> Iterator[Pair]:
        """Members of a boundary that are separated from its variable by the rest, with some members left out."""
        for x, boundary in self._boundary.items():
            for y in sorted(boundary - self._adjacency[x] - self._with_explicit_set.get(x, set()) - self._not_asked(x)):
                yield x, y

    def _not_asked(self, x: int) -> frozenset[int]:
        """The variables of whose pair with x nothing is asked."""
        return self.given - {x} if x in self.given else frozenset()

    def by_set(self) -> Iterator[tuple[int, NDArray[np.int64], list[int]]]:
        """All pairs, grouped: a variable, others that one set separates from it, and that set."""
        yield from self.implied()
        for x, y in self._inside_boundaries():
            yield x, np.array([y]), sorted(self.between(x, y))
        for (x, y), members in sorted(self._explicit.items()):
            yield x, np.array([y]), sorted(members)

    def removed_first(self, x: int, y: int) -> int:
        """The one of the two that was removed first, whose boundary decided on the pair."""
        return x if self._step[x] < self._step[y] else y

    def left_out_for(self, x: int, y: int) -> tuple[int, ...]:
        """What had to be left out of the boundary to separate the pair; nothing if the boundary as it was did."""
        return tuple(self._left_out.get(ordered(x, y), ()))

    def is_explicit(self, x: int, y: int) -> bool:
        """True when the set does not derive from the boundary of the one removed first, but was found by a search."""
        return ordered(x, y) in self._explicit

    def lacking(self, c: int) -> Iterator[Pair]:
        """All non-adjacent pairs of neighbours of c whose separating set does not contain c and has not failed.

        Found without going through every pair: a neighbour whose boundary at removal contains c is separated from all
        later ones by a set with c, except the few for which c was left out.
        """
        yield from (pair for pair in self._lacking(c) if pair not in self.failed)

    def lacking_failed(self, c: int) -> Iterator[Pair]:
        """The same for the pairs whose set has failed."""
        yield from (pair for pair in self._lacking(c) if pair in self.failed)

    def _lacking(self, c: int) -> Iterator[Pair]:
        by_step = sorted(self._adjacency[c], key=self._step.__getitem__)
        for position, a in enumerate(by_step):
            later = by_step[position + 1 :]
            if c in self._boundary[a]:
                later = (
                    [b for b in later if c in self._left_out.get(ordered(a, b), ())] if self._has_left_out(a) else []
                )
            pairs = (ordered(a, b) for b in later if b not in self._adjacency[a] and b not in self._not_asked(a))
            yield from (pair for pair in pairs if pair not in self._explicit)
        yield from self._lacking_explicit.get(c, ())

    @cached_property
    def _lacking_explicit(self) -> dict[int, list[Pair]]:
        """The same for the pairs that have an explicit separating set, for every c."""
        found: dict[int, list[Pair]] = {}
        for (a, b), members in self._explicit.items():
            for c in self._adjacency[a] & self._adjacency[b] - members:
                found.setdefault(c, []).append((a, b))
        return found

    def _has_left_out(self, a: int) -> bool:
        """True when a, at its removal, had co-parents."""
        return not self._boundary[a] <= self._adjacency[a]

    def __getitem__(self, pair: frozenset[Hashable]) -> frozenset[Hashable]:
        x, y = self._indices(pair)
        return frozenset(self._names[z] for z in self.between(x, y))

    def _indices(self, pair: object) -> Pair:
        if not isinstance(pair, frozenset) or len(pair) != 2 or not all(name in self._index for name in pair):
            raise KeyError(pair)
        x, y = sorted(self._index[name] for name in pair)
        if y in self._adjacency[x] or y in self._not_asked(x):
            raise KeyError(pair)  # adjacent, or not asked: nothing separates them
        return x, y

    def __iter__(self) -> Iterator[frozenset[Hashable]]:
        for x, y in combinations(range(len(self._names)), 2):
            if y not in self._adjacency[x] and y not in self._not_asked(x):
                yield frozenset((self._names[x], self._names[y]))

    def __len__(self) -> int:
        n_pairs, n_not_asked = (n * (n - 1) // 2 for n in (len(self._names), len(self.given)))
        return n_pairs - n_not_asked - sum(map(len, self._adjacency)) // 2

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SeparatingSets):
            return super().__eq__(other)
        if tuple(self._names) != tuple(other._names):
            return dict(self) == dict(other)
        if list(self._adjacency) != list(other._adjacency) or self.given != other.given:
            return False
        # The same parts make the same sets; comparing every pair takes long.
        pairs = combinations(range(len(self._names)), 2)
        return self.parts() == other.parts() or all(
            self.between(x, y) == other.between(x, y)
            for x, y in pairs
            if y not in self._adjacency[x] and y not in self._not_asked(x)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<separating sets of {len(self)} non-adjacent pairs>"

"""What a score is: a number for each variable and its parents, in nats; the score of a DAG is their sum."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from math import inf, log
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.graphs.dag import Dag

MOST_FAMILIES = 4000  # sets of parents, where a score takes a pass over the rows for each
LEAST_GAIN = 1e-6  # nats; a smaller gain may be rounding
EBIC = "ebic"  # the extended BIC
NOTHING_KNOWN, MUST = np.empty((0, 0), np.int8), 2  # about the arrows of a structure
Tick = Callable[[], None]
Parents = tuple[int, ...]
Reach = Literal["neighbours", "two edges", "all"]
Choice = tuple[float, frozenset[int]]


class FoundParents(NamedTuple):
    """The parents of each variable that a search found best, their score, and the order that it ended at."""

    parents: tuple[frozenset[int], ...]
    score: float
    order: list[int]


Anneal = Callable[[Sequence[int], int], FoundParents]


class Space(NamedTuple):
    """Where a search looks: the candidates of each variable, a symmetric relation, and what is known of arrows.

    ``ways[x, v]`` is 2 if the arrow x → v must be there, 1 if it may be, 0 if not; without entries, all may be.
    """

    near: Sequence[set[int]]
    most_parents: int
    ways: NDArray[np.int8] = NOTHING_KNOWN

    @property
    def room_for_parents(self) -> int:
        """How many parents a variable may have; at least those that are required."""
        return max(self.most_parents, int((self.ways == MUST).sum(axis=0).max(initial=0)))

    def may(self, x: int, v: int) -> bool:
        """May x be a parent of v?"""
        return not len(self.ways) or bool(self.ways[x, v])

    def required(self, v: int) -> frozenset[int]:
        """The parents that v must have."""
        return frozenset(np.flatnonzero(self.ways[:, v] == MUST).tolist()) if len(self.ways) else frozenset()

    def required_of(self, v: int) -> frozenset[int]:
        """The children that v must have."""
        return frozenset(np.flatnonzero(self.ways[v] == MUST).tolist()) if len(self.ways) else frozenset()


class Score(ABC):
    """A score over named variables; a variable is its position in ``names``.

    Most are the same for all DAGs of an equivalence class. One that is not ranks classes by their best DAG; which DAG
    that is says nothing about directions, and the essential graph alone is returned.
    """

    names: Sequence[Hashable]
    option: str = ""  # the value of score= that chooses it
    is_equivalent: bool = True  # the same for all DAGs of a class?
    fits_districts: bool = False  # is there ``district``?

    @property
    def reach(self) -> Reach:
        """How far from a variable its parents are looked for."""
        return "neighbours"

    @property
    def strict(self) -> Score | None:
        """The score that says which edges are looked at beside those of the structure by tests, if any."""
        return None

    @property
    def predictive(self) -> Score | None:
        """The likelihood less one nat for a parameter, where tests may demand an edge that this score rejects by far.

        So much less is expected of new rows (Akaike 1974); it is what leaving out one row at a time comes to (Stone
        1977). None where such an edge always predicts better, as with one parameter for an edge.
        """
        return None

    @property
    def untested_cost(self) -> float:
        """How many nats such an edge must gain, beside what any edge must."""
        return 0.0

    @property
    def clear_gain(self) -> float:
        """It must gain half of that only where the strict score would lose so many nats without it."""
        return inf

    @property
    def most_families(self) -> int:
        """How many sets of parents exact search may look at unless it is asked for, where each takes a pass."""
        return MOST_FAMILIES

    @property
    def can_be_exact(self) -> bool:
        """False where the highest score means nothing, since some variables determine others by chance or nearly."""
        return True

    @property
    def patience(self) -> float:
        """By how many nats the score may fall with a parent that is added, since a later one may make up for it."""
        return 0.0

    @property
    def sees_all(self) -> bool:
        """True when it sees every dependence that tests see, and leaves out an edge for its cost alone."""
        return False

    @property
    def looks_widely(self) -> bool:
        """True when the search finds what tests before it left out."""
        return self.reach != "neighbours"

    @abstractmethod
    def local(self, v: int, parents: Collection[int]) -> float:
        """The score of a variable with these parents."""

    def search(
        self, order: Sequence[int], space: Space, moving: Collection[int] | None = None, tick: Tick = lambda: None
    ) -> FoundParents:
        """Move one variable at a time to its best place in the order, until no move raises the score.

        Parents are chosen among those candidates of a variable that come before it; in the order, required parents
        do. The first to be moved are all variables, or those given, and then those near what has moved. Where that
        takes long, ``tick`` is called for each.
        """
        return search_orders(self, order, space, moving, tick)

    def district(
        self, members: tuple[int, ...], parents: tuple[frozenset[int], ...], spouses: tuple[frozenset[int], ...]
    ) -> float:
        """The score of variables that ↔ connects, with the parents and spouses of each."""
        raise NotImplementedError

    def with_one_more(self, v: int, parents: Collection[int], others: Sequence[int]) -> list[float]:
        """The scores of a variable with these parents and each of the others in turn."""
        return [self.local(v, {*parents, other}) for other in others]

    def best_parents(self, space: Space, order: Sequence[int] = ()) -> list[set[int]]:
        """For each variable the parents among all others, or all before it in an order; empty if that takes long."""
        return [set() for _ in self.names]

    def order(self) -> list[int]:
        """An order to start from, if the score suggests one; else empty."""
        return []

    def improved(self, found: FoundParents, space: Space) -> FoundParents:
        """What was found, or a better order that moving single variables does not find, if that is quick."""
        return found

    def annealing(self, seen: Sequence[Mapping[int, int]], space: Space) -> Anneal | None:
        """A search from an order, with a number that chance is drawn by, that does not stop where no move helps.

        Its candidates are those that were adjacent to each variable in what was found before, the more often the
        better. None where there is no such search.
        """
        return None

    def ceiling(self, v: int, candidates: Parents) -> Callable[[Parents], float]:
        """For some parents of v a number that they score no higher than, alone or with more of the candidates."""
        return lambda parents: inf

    def all_families(
        self, space: Space, must: Sequence[frozenset[int]], tick: Tick = lambda: None
    ) -> NDArray[np.float64] | None:
        """The score of each variable (row) with each set of parents in the space; None if that is no quicker together.

        The column of a set is the number whose bits are its members, without the bit of the variable itself. Sets in
        ``must`` are parents of the row's variable whenever they come before it.
        """
        return None

    def total(self, dag: Dag) -> float:
        """The score of a DAG."""
        return sum(self.local(v, parents) for v, parents in enumerate(dag.parents))


class RememberedScore(Score):
    """A score that takes a pass over the rows, or over blocks of columns: each value is computed once and remembered.

    It is a score by families, a variable with its parents in ascending order.
    """

    @abstractmethod
    def family(self, v: int, parents: Parents) -> float:
        """The score of a variable with these parents."""

    def families(self, v: int, parents: Parents, others: Sequence[int]) -> Iterable[float]:
        """The scores of a variable with these parents and each of the others in turn."""
        return (self.family(v, tuple(sorted((*parents, other)))) for other in others)

    def local(self, v: int, parents: Collection[int]) -> float:
        key = (v, tuple(sorted(parents)))
        if key not in self._known:
            self._known[key] = self.family(*key)
        return self._known[key]

    def with_one_more(self, v: int, parents: Collection[int], others: Sequence[int]) -> list[float]:
        """As ``local`` with each of the others in turn, computed together."""
        keys = {other: (v, tuple(sorted((*parents, other)))) for other in others}
        unknown = [other for other in others if keys[other] not in self._known]
        values = self.families(v, tuple(sorted(parents)), unknown) if unknown else ()
        for other, value in zip(unknown, values, strict=True):
            self._known[keys[other]] = float(value)
        return [self._known[keys[other]] for other in others]

    @property
    def n_known(self) -> int:
        """How many families have been scored."""
        return len(self._known)

    @cached_property
    def _known(self) -> dict[tuple[int, Parents], float]:
        return {}


def predictive_penalty(n_rows: float) -> float:
    """The penalty with which a parameter costs one nat, in units of ½ log N."""
    return 2 / log(max(2.0, n_rows))


def extended_penalty(n_rows: float, n_columns: int) -> float:
    """The penalty of the extended BIC with γ = ½ (Chen & Chen 2008, Foygel & Drton 2010), in units of ½ log N.

    A parameter costs ½ log N + 2γ log p among p columns. Of the penalties compared it is the most accurate (decision
    16).
    """
    return 1 + 2 * log(max(1, n_columns)) / log(max(2.0, n_rows))


# The search over orders for scores that take long to compute; a kernel of its own serves those that do not. One
# variable at a time is moved to its best place (as in BOSS, Andrews et al. 2023). Its parents are chosen among the
# candidates before it: the best one is added as long as the score rises, or falls by
# no more than its patience, then the worst dropped as long as it rises.


def search_orders(
    score: Score,
    order: Sequence[int],
    space: Space,
    moving: Collection[int] | None = None,
    tick: Tick = lambda: None,
) -> FoundParents:
    """Move one variable at a time to its best place, until no move raises the score."""
    places, position, near = list(order), {v: i for i, v in enumerate(order)}, space.near

    @cache
    def choose(v: int, allowed: frozenset[int]) -> Choice:
        possible = frozenset(y for y in allowed if space.may(y, v))
        return choose_parents(score, v, possible, space.most_parents, possible & space.required(v))

    def before(v: int) -> frozenset[int]:
        return frozenset(y for y in near[v] if position[y] < position[v])

    waiting = set(places if moving is None else moving)
    while waiting:
        for x in list(places):
            if x not in waiting:
                continue
            waiting.discard(x)
            tick()
            others = sorted(near[x], key=position.__getitem__)
            now = sum(position[y] < position[x] for y in others)
            values = [choose(x, frozenset(others[:place]))[0] for place in range(len(others) + 1)]
            total = 0.0
            for place, y in enumerate(others, start=1):
                total += choose(y, before(y) - {x})[0] - choose(y, before(y) | {x})[0]
                values[place] += total
            first, last = _places(x, others, space)
            best = max(range(first, last + 1), key=values.__getitem__)  # the first among equals
            if values[best] <= values[now] + LEAST_GAIN:
                continue
            target = position[others[best]] if best < now else position[others[best - 1]]
            places.insert(target, places.pop(position[x]))
            position.update((v, i) for i, v in enumerate(places))
            waiting.update(others)
    chosen = [choose(v, before(v)) for v in range(len(places))]
    return FoundParents(tuple(parents for _, parents in chosen), sum(value for value, _ in chosen), places)


def _places(x: int, others: Sequence[int], space: Space) -> tuple[int, int]:
    """After how many of the others x may come at least, and at most: its required parents and children decide."""
    parents, children = space.required(x), space.required_of(x)
    first = max((i + 1 for i, y in enumerate(others) if y in parents), default=0)
    return first, next((i for i, y in enumerate(others) if y in children), len(others))


def choose_parents(
    score: Score, v: int, allowed: frozenset[int], most_parents: int, required: frozenset[int] = frozenset()
) -> Choice:
    """Grow from those required, then shrink: the score of v, and its parents."""
    value, parents, left = score.local(v, required), required, sorted(allowed - required)
    while left and len(parents) < most_parents:
        values = score.with_one_more(v, parents, left)
        best = max(range(len(left)), key=values.__getitem__)
        if values[best] <= value - score.patience:
            break
        value, parents = values[best], parents | {left.pop(best)}
    while parents > required:
        without = {y: score.local(v, parents - {y}) for y in sorted(parents - required)}
        worst = max(without, key=without.__getitem__)
        if without[worst] < value:
            break
        value, parents = without[worst], parents - {worst}
    return value, parents

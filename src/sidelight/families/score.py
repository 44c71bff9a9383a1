"""What a score is: a number for each variable and its parents, in nats; the score of a DAG is their sum."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, combinations
from math import inf, log
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.graphs.dag import Dag
from sidelight.text.message import Message, Option

MOST_FAMILIES = 4000  # sets of parents, where a score takes a pass over the rows for each
LEAST_GAIN = 1e-6  # nats; a smaller gain may be rounding
MOST_SCORED = 1_000_000  # sets of parents, where a score takes a pass over the rows for each
EBIC = "ebic"  # the extended BIC
NOTHING_KNOWN, MUST = np.empty((0, 0), np.int8), 2  # about the arrows of a structure
Tick = Callable[[], None]
Parents = tuple[int, ...]
Reach = Literal["neighbours", "two edges", "all"]


class FoundParents(NamedTuple):
    """The parents of each variable that a search found best, their score, and the order that it ended at."""

    parents: tuple[frozenset[int], ...]
    score: float
    order: list[int]


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

    @property
    def reach(self) -> Reach:
        """How far from a variable its parents are looked for."""
        return "neighbours"

    @property
    def strict(self) -> Score | None:
        """The score that says which edges are looked at beside those of the structure by tests, if any."""
        return None

    @property
    def untested_cost(self) -> float:
        """How many nats such an edge must gain, beside what any edge must."""
        return 0.0

    @property
    def most_families(self) -> int:
        """How many sets of parents exact search may look at unless it is asked for, where each takes a pass."""
        return MOST_FAMILIES

    @property
    def can_be_exact(self) -> bool:
        """False where the highest score means nothing, since some variables determine others by chance or nearly."""
        return True

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
        from sidelight.families.orders import search_orders

        return search_orders(self, order, space, moving, tick)

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
        """What was found, with parents that the search over orders does not see, if there is a quick way to them."""
        return found

    def ceiling(self, v: int, candidates: Parents) -> Callable[[Parents], float]:
        """For some parents of v a number that they score no higher than, alone or with more of the candidates."""
        return lambda parents: inf

    def all_families(
        self, space: Space, must: Sequence[frozenset[int]], tick: Tick = lambda: None
    ) -> NDArray[np.float64]:
        """The score of each variable (row) with each set of parents in the space, −∞ for all others.

        The column of a set is the number whose bits are its members, without the bit of the variable itself. Sets that
        cannot score higher than without some members are left out, unless these are in ``must``: parents of the
        row's variable whenever they come before it.
        """
        n, n_scored = len(self.names), 0
        values = np.full((n, 1 << (n - 1)), -np.inf)
        for v in range(n):
            candidates = tuple(x for x in sorted(space.near[v]) if space.may(x, v))
            always, ceiling = sorted(must[v].intersection(candidates)), self.ceiling(v, candidates)
            free, most = [x for x in candidates if x not in must[v]], space.room_for_parents
            sizes = range(min(len(always), most) + 1)
            for fixed in chain.from_iterable(combinations(always, size) for size in sizes):
                for scored in _paying(self, v, fixed, free, most - len(fixed), ceiling):
                    for added, value in scored.items():
                        values[v, sum(1 << (x - (x > v)) for x in fixed + added)] = value
                    n_scored += len(scored)
                    _check_number(n_scored, n)
                tick()
        return values

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


def extended_penalty(n_rows: float, n_columns: int) -> float:
    """The penalty of the extended BIC with γ = ½ (Chen & Chen 2008, Foygel & Drton 2010), in units of ½ log N.

    A parameter costs ½ log N + 2γ log p among p columns. Of the penalties compared it is the most accurate (decision
    16).
    """
    return 1 + 2 * log(max(1, n_columns)) / log(max(2.0, n_rows))


def _paying(
    score: Score, v: int, fixed: Parents, free: Sequence[int], most: int, ceiling: Callable[[Parents], float]
) -> Iterator[dict[Parents, float]]:
    """The scores of v with fixed parents and none, one, two … up to ``most`` of the free ones, as far as these can pay.

    A set is left out, with all that contain it, if its ceiling is not above the best score of a set within it.
    """
    best: dict[Parents, float] = {(): score.local(v, fixed)}  # within each set of one size
    yield best
    for _ in range(min(most, len(free))):
        smaller, best = best, {}
        for chosen in smaller:
            within = _best_within(chosen, free, smaller)
            others = [x for x in within if ceiling((*fixed, *chosen, x)) > within[x]]
            values = score.with_one_more(v, fixed + chosen, others) if others else []
            best |= {(*chosen, x): max(value, within[x]) for x, value in zip(others, values, strict=True)}
            yield {(*chosen, x): value for x, value in zip(others, values, strict=True)}


def _best_within(chosen: Parents, free: Sequence[int], smaller: Mapping[Parents, float]) -> dict[int, float]:
    """The best score within the set with each later variable in turn, where no set with one member less is left out."""
    found = {}
    for x in free[bisect(free, chosen[-1]) if chosen else 0 :]:
        without_one = [smaller.get((*chosen[:i], *chosen[i + 1 :], x), inf) for i in range(len(chosen))]
        best = max([smaller[chosen], *without_one])
        if best < inf:
            found[x] = best
    return found


def _check_number(n_scored: int, n: int) -> None:
    """Raise when more sets of parents can pay than can be scored in a minute or so."""
    if n_scored > MOST_SCORED:
        text = f" has to score more than {MOST_SCORED:,} sets of parents for these {n} columns: use "
        raise InputError(Message(Option("search", "exact"), text, Option("search", "local")))

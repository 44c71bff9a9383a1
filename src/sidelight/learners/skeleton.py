"""What every learner takes and returns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from sidelight.independence.base import CITest
from sidelight.interview import Interview
from sidelight.separating_sets import Pair, SeparatingSets, ordered


@dataclass(frozen=True)
class Phases:
    """One interview for each phase of a learner, so that the counts come by phase."""

    removability: Interview
    neighbourhood: Interview
    update: Interview
    review: Interview

    @staticmethod
    def of(test: CITest, alpha: float) -> Phases:
        """Fresh interviews at one level."""
        return Phases(*(Interview(test, alpha) for _ in range(4)))

    def by_name(self) -> dict[str, Interview]:
        """The interviews under the names of their phases."""
        return {
            "removability": self.removability,
            "neighbourhood": self.neighbourhood,
            "update": self.update,
            **({"review": self.review} if self.review.n_tests else {}),
        }

    def tests_by_size(self) -> Counter[int]:
        """The counts of all phases together."""
        return sum((interview.tests_by_size for interview in self.by_name().values()), Counter())


@dataclass
class Skeleton:
    """A skeleton in the making: neighbours, the order of removal, and what separates the rest."""

    adjacency: list[set[int]]
    removal_order: list[int] = field(default_factory=list)
    boundary_at_removal: dict[int, frozenset[int]] = field(default_factory=dict)
    left_out: dict[Pair, tuple[int, ...]] = field(default_factory=dict)
    found_otherwise: dict[Pair, frozenset[int]] = field(default_factory=dict)
    forced: list[int] = field(default_factory=list)
    examinations: Counter[int] = field(default_factory=Counter)

    @staticmethod
    def without_edges(n_variables: int) -> Skeleton:
        """A skeleton over so many variables, nothing learned yet."""
        return Skeleton([set() for _ in range(n_variables)])

    def edges(self) -> list[Pair]:
        """All edges as (smaller, larger), sorted."""
        return sorted((x, y) for x, neighbours in enumerate(self.adjacency) for y in neighbours if x < y)

    def join(self, x: int, y: int) -> None:
        """Add the edge x — y."""
        self.adjacency[x].add(y)
        self.adjacency[y].add(x)

    def part(self, x: int, y: int, separating_set: Iterable[int]) -> None:
        """Take the edge x — y out: this set separates them."""
        self.adjacency[x].discard(y)
        self.adjacency[y].discard(x)
        self.found_otherwise[ordered(x, y)] = frozenset(separating_set)

    def separating_sets(self, names: Sequence[Hashable]) -> SeparatingSets:
        """What separates the pairs that are not adjacent."""
        return SeparatingSets(
            names, self.adjacency, self.removal_order, self.boundary_at_removal, self.left_out, self.found_otherwise
        )

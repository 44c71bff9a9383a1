"""The p-values behind a network, computed by its test when they are looked up.

Learning compares with critical values and stops early, so it has no p-values to keep. Both mappings compute what is
looked up and keep it. A network that was read from a file has plain dictionaries in their place; so has one that was
pickled although its test cannot be, with the p-values computed before.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from pickle import Pickler, PicklingError
from typing import Any, Self, TypeVar

from sidelight.families import CITest
from sidelight.graphs.separating_sets import SeparatingSets
from sidelight.result.edge_tests import EdgeTests
from sidelight.text.sentences import counted

NamePair = frozenset[Hashable]


@dataclass(frozen=True)
class EdgeEvidence:
    """The evidence for an edge: small p-values of "independent given …".

    Args:
        weakest_p: the largest p-value among ``n_tests`` tests, those that decide on the edge.
        weakest_given: the conditioning set of that test.
        weakest_effect: the effect size given that set; None where the test has no effect size.
        boundary_p: the p-value given the rest of the boundary.
        boundary_given: the rest of the boundary.
        boundary_effect: the effect size given the rest of the boundary.
        effect_name: what the effect sizes measure, such as "partial correlation"; empty where there is none.
    """

    weakest_p: float
    weakest_given: tuple[Hashable, ...]
    weakest_effect: float | None
    boundary_p: float
    boundary_given: tuple[Hashable, ...]
    boundary_effect: float | None
    effect_name: str
    n_tests: int


Value = TypeVar("Value")


def _can_be_pickled(test: CITest) -> bool:
    """False for tests that hold a lambda, a connection or the like."""
    try:
        # Large arrays are handed over instead of copied, so that trying costs little.
        Pickler(BytesIO(), protocol=5, buffer_callback=lambda buffer: None).dump(test)
    except (PicklingError, AttributeError, TypeError):
        return False
    return True


class Computed(Mapping[NamePair, Value]):
    """Results of a test, computed when looked up. Where the test cannot be pickled, the results so far are."""

    _test: CITest
    _known: dict[NamePair, Value]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return super().__reduce_ex__(protocol) if _can_be_pickled(self._test) else (dict, (self._known,))

    def __deepcopy__(self, memo: object) -> Self:
        return self  # it only ever grows


@dataclass(eq=False, repr=False)
class TestedEdges(Computed[EdgeEvidence]):
    """The evidence for each edge, computed when it is looked up."""

    _test: CITest
    _edge_tests: EdgeTests
    _known: dict[NamePair, EdgeEvidence] = field(default_factory=dict)

    @cached_property
    def _edges(self) -> dict[NamePair, tuple[int, int]]:
        names = self._edge_tests.names
        return {frozenset((names[x], names[y])): (x, y) for x, y in self._edge_tests.edges()}

    @property
    def is_quick(self) -> bool:
        """True when all of it can be computed in about a second."""
        return self._test.retest_budget > 0 and self._test.retest_budget >= sum(
            len(self._edge_tests.about(x, y).sets) for x, y in self._edges.values()
        )

    def __getitem__(self, pair: NamePair) -> EdgeEvidence:
        if pair not in self._known:
            self._known[pair] = self._compute(*self._edges[pair])
        return self._known[pair]

    def _compute(self, x: int, y: int) -> EdgeEvidence:
        test, names, about = self._test, self._edge_tests.names, self._edge_tests.about(x, y)
        p_values = {given: test.checked_p_value(x, y, given) for given in dict.fromkeys((*about.sets, about.rest))}
        weakest = max(about.sets, key=p_values.__getitem__)
        return EdgeEvidence(
            weakest_p=p_values[weakest],
            weakest_given=tuple(names[z] for z in weakest),
            weakest_effect=test.effect_size(x, y, weakest),
            boundary_p=p_values[about.rest],
            boundary_given=tuple(names[z] for z in about.rest),
            boundary_effect=test.effect_size(x, y, about.rest),
            effect_name=test.effect_name_of(x, y),
            n_tests=len(about.sets),
        )

    def __iter__(self) -> Iterator[NamePair]:
        return iter(self._edges)

    def __len__(self) -> int:
        return len(self._edges)

    def __repr__(self) -> str:
        return f"<evidence for {counted(len(self), 'edge')}>"


@dataclass(eq=False, repr=False)
class TestedMissing(Computed[float]):
    """For each pair that is not adjacent, the p-value of its independence given its separating set."""

    _test: CITest
    _names: tuple[Hashable, ...]
    _sets: SeparatingSets
    _known: dict[NamePair, float] = field(default_factory=dict)

    @cached_property
    def _index(self) -> dict[Hashable, int]:
        return {name: position for position, name in enumerate(self._names)}

    @property
    def is_quick(self) -> bool:
        """True when all of them can be computed in about a second."""
        return len(self) <= self._test.retest_budget

    def __getitem__(self, pair: NamePair) -> float:
        if pair not in self._sets:
            raise KeyError(pair)
        if pair not in self._known:
            x, y = sorted(self._index[name] for name in pair)
            self._known[pair] = self._test.checked_p_value(x, y, sorted(self._sets.between(x, y)))
        return self._known[pair]

    def __iter__(self) -> Iterator[NamePair]:
        """Going through all of them computes them in batches."""
        if len(self._known) < len(self):
            for x, others, given in self._sets.by_set():
                p_values = self._test.p_values(x, others, given)
                for y, p in zip(others.tolist(), p_values.tolist(), strict=True):
                    self._known[frozenset((self._names[x], self._names[y]))] = p
        return iter(self._sets)

    def __len__(self) -> int:
        return len(self._sets)

    def __repr__(self) -> str:
        return f"<p-values of {counted(len(self), 'missing edge')}>"

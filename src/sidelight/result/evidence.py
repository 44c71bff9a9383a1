"""The evidence behind a network: p-values and effect sizes, computed by its test when they are looked up.

Learning compares with critical values and stops early, so it has no p-values to keep. The mappings compute what is
looked up and keep it. A network that was read from a file has plain dictionaries in their place; so has one that was
pickled although its test cannot be, with what was computed before.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from math import isfinite
from pickle import Pickler, PicklingError
from typing import Any, ClassVar, Self, TypeVar

from sidelight.families import CITest
from sidelight.families.gaussian.correlation import Correlation
from sidelight.graphs.dag import Dag
from sidelight.graphs.separating_sets import SeparatingSets
from sidelight.result.by_position import EdgeTests
from sidelight.text.sentences import counted

SIGNED = ("partial correlation", "phi coefficient")  # measures that have a sign
NamePair = frozenset[Hashable]
Value = TypeVar("Value")


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


@dataclass(frozen=True)
class EdgeStrength:
    """The effect size of an edge.

    Args:
        size: at most 1 in absolute value; it has a sign if both are numbers or have two categories.
        name: what it measures, such as "partial correlation".
        given: the other parents of the variable that the edge points to in the DAG.
    """

    size: float
    name: str
    given: tuple[Hashable, ...] = ()

    def __str__(self) -> str:
        return f"{self.shown_name} {self.size:#.2g}".replace("-", "−")

    @property
    def measure(self) -> str:
        """What it measures, without the categories that its sign refers to: ``phi coefficient``."""
        return self.name.partition(" of ")[0].partition(" with ")[0]

    @property
    def sign(self) -> int:
        """1 or −1 where the measure has a sign, else 0."""
        return (self.size > 0) - (self.size < 0) if self.measure in SIGNED or self.size < 0 else 0

    @property
    def number(self) -> str:
        """Two decimals, with the sign if the measure has one: ``+.43``, ``−.20``, ``.37``."""
        text = f"{self.size:{'+' if self.sign else ''}.2f}"
        return text.replace("0.", ".", 1).replace("-", "−")

    @property
    def shown_name(self) -> str:
        """What it measures; given nothing, a partial correlation is a correlation."""
        return self.name if self.given else self.name.removeprefix("partial ")


def _can_be_pickled(test: CITest) -> bool:
    """False for tests that hold a lambda, a connection or the like."""
    try:
        # Large arrays are handed over instead of copied, so that trying costs little.
        Pickler(BytesIO(), protocol=5, buffer_callback=lambda buffer: None).dump(test)
    except (PicklingError, AttributeError, TypeError):
        return False
    return True


@dataclass(eq=False, repr=False)
class Computed(Mapping[NamePair, Value]):
    """What a test says of pairs, computed when looked up. Where the test cannot be pickled, the results so far are."""

    _test: CITest
    _known: dict[NamePair, Value] = field(default_factory=dict, init=False)
    _what: ClassVar[tuple[str, str]]  # in words, and of what

    @property
    @abstractmethod
    def _pairs(self) -> Mapping[NamePair, Any]:
        """All pairs that it has."""

    @abstractmethod
    def _compute(self, pair: NamePair) -> Value:
        """The result for a pair that it has."""

    @property
    def is_quick(self) -> bool:
        """True when all of it can be computed in about a second."""
        return len(self) <= self._test.retest_budget

    def __getitem__(self, pair: NamePair) -> Value:
        if pair not in self._pairs:
            raise KeyError(pair)
        if pair not in self._known:
            self._known[pair] = self._compute(pair)
        return self._known[pair]

    def __iter__(self) -> Iterator[NamePair]:
        return iter(self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def __repr__(self) -> str:
        what, noun = self._what
        return f"<{what} {counted(len(self), noun)}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        return super().__reduce_ex__(protocol) if _can_be_pickled(self._test) else (dict, (self._known,))

    def __deepcopy__(self, memo: object) -> Self:
        return self  # it only ever grows


@dataclass(eq=False, repr=False)
class TestedEdges(Computed[EdgeEvidence]):
    """The evidence for each edge."""

    _edge_tests: EdgeTests
    _what = "evidence for", "edge"

    @cached_property
    def _pairs(self) -> dict[NamePair, tuple[int, int]]:
        names = self._edge_tests.names
        return {frozenset((names[x], names[y])): (x, y) for x, y in self._edge_tests.edges()}

    @property
    def is_quick(self) -> bool:
        """True when all of it can be computed in about a second."""
        return self._test.retest_budget > 0 and self._test.retest_budget >= sum(
            len(self._edge_tests.about(x, y).sets) for x, y in self._pairs.values()
        )

    def _compute(self, pair: NamePair) -> EdgeEvidence:
        x, y = self._pairs[pair]
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


@dataclass(eq=False, repr=False)
class TestedMissing(Computed[float]):
    """For each pair that is not adjacent, the p-value of its independence given its separating set."""

    _names: tuple[Hashable, ...]
    _sets: SeparatingSets
    _what = "p-values of", "missing edge"

    @property
    def _pairs(self) -> SeparatingSets:
        return self._sets

    def _compute(self, pair: NamePair) -> float:
        x, y = sorted(map(self._names.index, pair))
        return self._test.checked_p_value(x, y, sorted(self._sets.between(x, y)))

    def __iter__(self) -> Iterator[NamePair]:
        """Going through all of them computes them in batches."""
        if len(self._known) < len(self):
            for x, others, given in self._sets.by_set():
                p_values = self._test.p_values(x, others, given)
                for y, p in zip(others.tolist(), p_values.tolist(), strict=True):
                    self._known[frozenset((self._names[x], self._names[y]))] = p
        return iter(self._sets)


@dataclass(eq=False, repr=False)
class MeasuredEdges(Computed[EdgeStrength]):
    """The effect size of each edge given the other parents of its head in a DAG; none where the test measures nothing.

    Given these, and not given common effects, it has the sign of the coefficient that ``Network.fit`` finds.
    """

    _dag: Dag
    _what = "effect sizes of", "edge"

    @cached_property
    def _pairs(self) -> dict[NamePair, tuple[int, int]]:
        edges = self._dag.edges() if self._test.effect_name else []
        return {frozenset((self._dag.names[x], self._dag.names[y])): (x, y) for x, y in edges}

    @property
    def correlation(self) -> Correlation | None:
        """The correlations that the test rests on, if it does on correlations of columns."""
        found = getattr(self._test, "correlation", None)
        return found if isinstance(found, Correlation) else None

    def over(self, dag: Dag) -> MeasuredEdges:
        """The same for another DAG over the same variables."""
        return MeasuredEdges(self._test, dag)

    def _compute(self, pair: NamePair) -> EdgeStrength:
        tail, head = self._pairs[pair]
        given = sorted(self._dag.parents[head] - {tail})
        size = self._test.effect_size(tail, head, given)
        name, names = self._test.effect_name_of(tail, head), tuple(self._dag.names[z] for z in given)
        return EdgeStrength(float("nan") if size is None else size, name, names)


Strengths = Mapping[NamePair, EdgeStrength]


def quick_strengths(effects: Strengths) -> Strengths:
    """Those that can be shown: all of them, or none where they would take long; without what is not a number."""
    if isinstance(effects, MeasuredEdges) and not effects.is_quick:
        return {}
    return {pair: effect for pair, effect in effects.items() if isfinite(effect.size)}

"""How strong each edge is: the effect size of its test given the other parents of its head in the DAG.

Given these, and not given common effects, it has the sign of the coefficient that ``Network.fit`` finds.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite

from sidelight.families import CITest
from sidelight.graphs.dag import Dag
from sidelight.result.p_values import Computed, NamePair
from sidelight.text.sentences import counted


@dataclass(frozen=True)
class Effect:
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
        return f"{self.shown_name} {self.shown_size}"

    @property
    def shown_name(self) -> str:
        """What it measures; given nothing, a partial correlation is a correlation."""
        return self.name if self.given else self.name.removeprefix("partial ")

    @property
    def shown_size(self) -> str:
        """Two significant digits and a true minus sign."""
        return f"{self.size:#.2g}".replace("-", "−")


@dataclass(eq=False, repr=False)
class MeasuredEdges(Computed[Effect]):
    """The effect size of each edge of a DAG, computed when it is looked up; none where the test measures nothing."""

    _test: CITest
    _dag: Dag
    _known: dict[NamePair, Effect] = field(default_factory=dict)

    @cached_property
    def _edges(self) -> dict[NamePair, tuple[int, int]]:
        edges = self._dag.edges() if self._test.effect_name else []
        return {frozenset((self._dag.names[x], self._dag.names[y])): (x, y) for x, y in edges}

    @property
    def is_quick(self) -> bool:
        """True when all of it can be computed in about a second."""
        return len(self) <= self._test.retest_budget

    def over(self, dag: Dag) -> MeasuredEdges:
        """The same for another DAG over the same variables."""
        return MeasuredEdges(self._test, dag)

    def __getitem__(self, pair: NamePair) -> Effect:
        if pair not in self._known:
            self._known[pair] = self._measured(*self._edges[pair])
        return self._known[pair]

    def _measured(self, tail: int, head: int) -> Effect:
        given = sorted(self._dag.parents[head] - {tail})
        size = self._test.effect_size(tail, head, given)
        name, names = self._test.effect_name_of(tail, head), tuple(self._dag.names[z] for z in given)
        return Effect(float("nan") if size is None else size, name, names)

    def __iter__(self) -> Iterator[NamePair]:
        return iter(self._edges)

    def __len__(self) -> int:
        return len(self._edges)

    def __repr__(self) -> str:
        return f"<effect sizes of {counted(len(self), 'edge')}>"


Effects = Mapping[NamePair, Effect]


def quick_effects(effects: Effects) -> Effects:
    """Those that can be shown: all of them, or none where they would take long; without what is not a number."""
    if isinstance(effects, MeasuredEdges) and not effects.is_quick:
        return {}
    return {pair: effect for pair, effect in effects.items() if isfinite(effect.size)}

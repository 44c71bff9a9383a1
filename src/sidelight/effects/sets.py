"""Adjustment sets by name: which there are, and why another one is not valid."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sidelight.effects.adjustment import (
    MOST_SETS,
    Given,
    forbidden_set,
    is_valid,
    minimal_set,
    minimal_sets,
    objection,
    optimal_set,
)
from sidelight.effects.asking import positions_of
from sidelight.effects.paths import undecided_path
from sidelight.effects.wording import named, path_in_words
from sidelight.errors import InputError
from sidelight.graphs.names import hint_at_names
from sidelight.network import Network
from sidelight.text.sentences import listed

Names = tuple[Hashable, ...]


@dataclass(frozen=True, repr=False)
class AdjustmentSets:
    """What can be adjusted for to get the effect of causes on an outcome, in all DAGs of the learned class.

    Attributes:
        causes, on: the question.
        identified: False if the class leaves open which formula the effect has; then there are no sets.
        optimal: the set with the smallest asymptotic variance; None if no set is valid.
        minimal: a part of it, if possible, of which nothing can be left out.
        all_minimal: all sets of which nothing can be left out, at most ``MOST_SETS`` of them.
        parents: of a single cause; None if they are not valid.
        forbidden: what no set may have in it: what lies between, and what follows from that.
    """

    causes: Names
    on: Hashable
    identified: bool
    optimal: Names | None
    minimal: Names | None
    all_minimal: tuple[Names, ...]
    parents: Names | None
    forbidden: Names
    _network: Network

    def objection(self, given: Collection[Hashable]) -> str:
        """Why adjusting for these does not give the effect, and which path says so; empty if it does."""
        if isinstance(given, str) or not isinstance(given, Collection):
            given = [given]
        network, names = self._network, self._network.names
        unknown = next((name for name in given if name not in names), None)
        if unknown is not None:
            raise InputError(f"there is no variable {unknown!r}{hint_at_names(unknown, names)}")
        if set(given) & {*self.causes, self.on}:
            return "Neither a cause nor the outcome can be adjusted for."
        causes, target = positions_of(network, list(self.causes), self.on)
        graph, dag = network.by_position.graph, network.by_position.dag
        found = objection(graph, dag, causes, target, {names.index(name) for name in given})
        if found is None:
            return ""
        if found.undecided is not None:
            return f"{path_in_words(graph, names, found.undecided)} may be a causal path or not: no set is valid."
        if found.forbidden:
            what = listed(names[v] for v in sorted(found.forbidden))
            return f"{what} may follow from {listed(self.causes)} on the way to {self.on}."
        assert found.open_path is not None
        return f"{path_in_words(graph, names, found.open_path)} is open, and not causal."

    def as_dict(self) -> dict[str, Any]:
        """All of it as data that JSON can hold."""
        sets = {"optimal": self.optimal, "minimal": self.minimal, "parents": self.parents}
        return {
            "causes": list(map(str, self.causes)),
            "on": str(self.on),
            "identified": self.identified,
            **{name: None if found is None else list(map(str, found)) for name, found in sets.items()},
            "all_minimal": [list(map(str, found)) for found in self.all_minimal],
            "forbidden": list(map(str, self.forbidden)),
        }

    def __str__(self) -> str:
        question = f"{listed(self.causes)} on {self.on}"
        if self.optimal is None:
            return f"{question}: {self.objection(()) or 'no adjustment set is valid'}"
        several = len(self.all_minimal) > 1
        lines = [
            f"{question}: adjusting for {_shown(self.optimal)} has the smallest variance",
            *[f"  minimal: {_shown(found)}" for found in (self.all_minimal if several else [self.minimal or ()])],
            *([] if self.parents is None else [f"  parents: {_shown(self.parents)}"]),
            f"  never: {_shown(self.forbidden)}",
        ]
        return "\n".join(lines)

    __repr__ = __str__


def _shown(found: Names) -> str:
    return listed(found) if found else "nothing"


def adjustment_sets(network: Network, cause: Hashable | Sequence[Hashable], on: Hashable) -> AdjustmentSets:
    """What can be adjusted for; ``Network.adjustment_sets`` says what the arguments are."""
    causes, target = positions_of(network, cause, on)
    graph, dag = network.by_position.graph, network.by_position.dag
    identified = undecided_path(graph, causes, target) is None

    def valid(given: Given) -> Names | None:
        return named(network, given) if is_valid(graph, dag, causes, target, given) else None

    smallest = minimal_set(graph, dag, causes, target)
    best = valid(optimal_set(graph, causes, target))
    return AdjustmentSets(
        causes=tuple(network.names[x] for x in causes),
        on=network.names[target],
        identified=identified,
        optimal=best if best is not None or smallest is None else named(network, smallest),
        minimal=None if smallest is None else named(network, smallest),
        all_minimal=tuple(named(network, s) for s in islice(minimal_sets(graph, dag, causes, target), MOST_SETS)),
        parents=valid(frozenset(graph.parents[causes[0]])) if len(causes) == 1 else None,
        forbidden=named(network, forbidden_set(graph, causes, target)) if identified else (),
        _network=network,
    )

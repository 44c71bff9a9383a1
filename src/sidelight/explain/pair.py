"""Why two variables are adjacent, or not."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sidelight.errors import InputError
from sidelight.explain.direction import direction_facts, direction_words
from sidelight.explain.edge import edge_facts, edge_words
from sidelight.explain.knowledge import knowledge_facts, knowledge_words
from sidelight.explain.missing import missing_facts, missing_words
from sidelight.explain.resamples import resample_facts, resample_words
from sidelight.explain.wording import alpha_of
from sidelight.graphs.names import hint_at_names
from sidelight.network import Network


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a pair is adjacent or not, in sentences and as data."""

    pair: tuple[Hashable, Hashable]
    adjacent: bool
    sentences: tuple[str, ...]
    _facts: Callable[[], dict[str, Any]] = field(compare=False)

    def as_dict(self) -> dict[str, Any]:
        """The same and more as data that JSON can hold; made when called, as they can be many."""
        return self._facts()

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    __repr__ = __str__


def explain(network: Network, a: Hashable, b: Hashable) -> Explanation:
    """Explain one pair of variables of a network."""
    x, y = (_position(network, name) for name in (a, b))
    if x == y:
        raise InputError(f"two different variables are needed; both are {a!r}")
    a, b = network.names[x], network.names[y]
    adjacent = y in network.by_position.edge_tests.adjacency[x]
    words = [*edge_words(network, x, y), *direction_words(network, x, y)] if adjacent else missing_words(network, x, y)
    more = (*resample_words(network, x, y), *knowledge_words(network, x, y))
    return Explanation((a, b), adjacent, (*words, *more), partial(_facts, network, x, y, adjacent))


def _facts(network: Network, x: int, y: int, adjacent: bool) -> dict[str, Any]:
    about = {"pair": [str(network.names[x]), str(network.names[y])], "adjacent": adjacent, "alpha": alpha_of(network)}
    more = {**resample_facts(network, x, y), **knowledge_facts(network, x, y)}
    if adjacent:
        return {**about, **edge_facts(network, x, y), **direction_facts(network, x, y), **more}
    return {**about, **missing_facts(network, x, y), **more}


def _position(network: Network, name: Hashable) -> int:
    """The variable of this name, or of a name that is written so: a command can only give texts."""
    index = network.by_position.edge_tests.index
    if isinstance(name, Hashable) and name in index:
        return index[name]
    for position, known in enumerate(network.names):
        if str(known) == name:
            return position
    raise InputError(f"there is no variable {name!r} in this network{hint_at_names(name, network.names)}")

"""Why two variables are joined, or not."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from sidelight.errors import InputError
from sidelight.explanation.direction import explain_direction
from sidelight.explanation.edge import explain_edge
from sidelight.explanation.missing import explain_missing
from sidelight.explanation.words import level
from sidelight.graphs import hint_at_names
from sidelight.network import Network


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a pair is joined or not: ``sentences`` in plain words, ``facts`` as data that JSON can hold."""

    pair: tuple[Hashable, Hashable]
    joined: bool
    sentences: tuple[str, ...]
    facts: dict[str, Any]

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    __repr__ = __str__


def explain(network: Network, a: Hashable, b: Hashable) -> Explanation:
    """Explain one pair of variables of a network."""
    x, y = (_position(network, name) for name in (a, b))
    if x == y:
        raise InputError(f"two different variables are needed; both are {a!r}")
    a, b = network.names[x], network.names[y]
    joined = y in network.edge_questions.adjacency[x]
    facts: dict[str, Any] = {"pair": [str(a), str(b)], "joined": joined, "alpha": level(network)}
    if joined:
        (about, more), (why, direction) = explain_edge(network, x, y), explain_direction(network, x, y)
        return Explanation((a, b), True, (*about, *why), {**facts, **more, **direction})
    about, more = explain_missing(network, x, y)
    return Explanation((a, b), False, tuple(about), {**facts, **more})


def _position(network: Network, name: Hashable) -> int:
    """The variable of this name, or of a name that is written so: a command can only give texts."""
    for position, known in enumerate(network.names):
        if known == name or str(known) == name:
            return position
    raise InputError(f"there is no variable {name!r} in this network{hint_at_names(name, network.names)}")

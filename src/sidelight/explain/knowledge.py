"""What was said of two variables beforehand, and whether the data speak against it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from sidelight.graphs.separating_sets import ordered
from sidelight.network import Network
from sidelight.text.visible import visible


def knowledge_words(network: Network, x: int, y: int) -> Iterator[str]:
    """The sentences about what was said of a pair, and about what the data say to that."""
    if not network.settings.known:
        return
    yield from map(visible, _said(network, x, y))
    pair = {network.names[x], network.names[y]}
    about = [doubt for doubt in network.doubts if pair == set(doubt.variables)]
    yield from (visible(f"The data speak against what you said: {doubt}.") for doubt in about)


def knowledge_facts(network: Network, x: int, y: int) -> dict[str, Any]:
    """The same as data: nothing where nothing was said."""
    return {"knowledge": list(knowledge_words(network, x, y))} if network.settings.known else {}


def pairs_said_apart(network: Network) -> Iterator[tuple[int, int, list[str]]]:
    """The pairs that are not adjacent of which something was said, with the sentences."""
    known = network.by_position.known
    if known is None:
        return
    doubted = {frozenset(doubt.variables) for doubt in network.doubts}
    adjacency = network.by_position.edge_tests.adjacency
    for x, y in combinations(range(len(network.names)), 2):
        said = not (known.allowed[x, y] or known.allowed[y, x])
        if y not in adjacency[x] and (said or frozenset((network.names[x], network.names[y])) in doubted):
            yield x, y, list(knowledge_words(network, x, y))


def statements_about(network: Network, x: int, y: int, adjacent: bool) -> list[str]:
    """The statements that say of two variables that they are adjacent, or that they are not."""
    a, b = ordered(x, y)
    pieces = network.by_position.statements
    if adjacent:
        return [said for said, piece in pieces if (a, b) in piece.adjacent]
    return [said for said, piece in pieces if not (piece.allowed[a, b] or piece.allowed[b, a])]


def _said(network: Network, x: int, y: int) -> Iterator[str]:
    adjacent, apart = (statements_about(network, x, y, which) for which in (True, False))
    if adjacent:
        yield f"Not tested while learning: you said that they are adjacent ({'; '.join(adjacent)})."
    if apart:
        yield f"You said that they are not adjacent ({'; '.join(apart)})."
        if ordered(x, y) in network.separating_sets.failed:
            yield "No set was found that separates them, and no direction follows from this pair."

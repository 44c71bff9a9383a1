"""What a report shows of the effect of one variable on another: sentences, and the paths that matter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from sidelight.effects.adjustment import open_path
from sidelight.effects.asking import effect
from sidelight.effects.asking_marked import known_of, why_not
from sidelight.effects.marked import Identification, identify
from sidelight.effects.paths import Path, possible_ancestors, possible_descendants
from sidelight.effects.sets import adjustment_sets
from sidelight.effects.wording import ASSUMES, named
from sidelight.errors import InputError
from sidelight.explain import causes
from sidelight.graphs.ancestral import reached
from sidelight.network import Network
from sidelight.orientation.ancestry import may_lead, possible_paths
from sidelight.text.sentences import listed

Edges = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class ShownEffect:
    """Sentences; the edges of possibly causal paths; and the shortest open path that is not causal, if there is one."""

    words: tuple[str, ...]
    causal: Edges
    open_path: Path


def shown_effect(network: Network, cause: int, target: int) -> ShownEffect:
    """With an estimate where the network holds what it was learned from, and else by the graph alone."""
    graph = network.by_position.graph
    between = possible_descendants(graph, [cause]) & possible_ancestors(graph, [target])
    causal = tuple((a, b) for a in sorted(between) for b in sorted((graph.children[a] | graph.undirected[a]) & between))
    path = open_path(network.by_position.dag, [cause], target, frozenset())
    return ShownEffect(_words(network, cause, target), causal, path or ())


def shown_with_hidden_causes(network: Network) -> Iterator[tuple[int, int, ShownEffect]]:
    """Of a PAG, for each pair with a path that may be causal, what the graph says; sizes need the table."""
    graph, known = network.by_position.marks, known_of(network)
    n = range(len(graph))
    onwards = [[w for w in graph.ends[v] if may_lead(graph, v, w)] for v in n]
    for x in n:
        for y in sorted(reached(onwards, [x]) - {x}):
            found = identify(graph, [x], y, known)
            causal = tuple(dict.fromkeys(edge for path in possible_paths(graph, x, y) for edge in pairwise(path)))
            words = (f"Cause: {causes(network, x, y)}.", _by_the_graph(network, found, y))
            yield x, y, ShownEffect(words, causal, ())


def _by_the_graph(network: Network, found: Identification, target: int) -> str:
    if found.given is None:
        return f"The PAG alone does not identify the effect: {why_not(network, found, target)}."
    what = listed(named(network, found.given)) if found.given else "nothing"
    return f"Identified by adjusting for {what}, whatever is hidden; sidelight effect estimates it from the table."


def _words(network: Network, cause: int, target: int) -> tuple[str, ...]:
    a, b = network.names[cause], network.names[target]
    try:
        found = effect(network, a, b)
        return found.sentences[: len(found.sentences) - len(found.doubts)]
    except InputError:  # it holds no correlations; the graph still says something
        pass
    sets = adjustment_sets(network, a, b)
    if sets.optimal is None:
        first = sets.objection(())
        return (f"No set can be adjusted for. {first}",) if sets.identified else (f"Not identified. {first}",)
    what = listed(sets.optimal) if sets.optimal else "nothing"
    return (
        f"Identified by adjusting for {what}. {ASSUMES}.",
        "The size is estimated from the table: sidelight effect.",
    )

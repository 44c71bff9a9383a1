"""What a report shows of the effect of one variable on another: sentences, and the paths that matter."""

from __future__ import annotations

from dataclasses import dataclass

from sidelight.effects.adjustment import open_path
from sidelight.effects.asking import effect
from sidelight.effects.paths import Path, possible_ancestors, possible_descendants
from sidelight.effects.sets import adjustment_sets
from sidelight.effects.wording import ASSUMES
from sidelight.errors import InputError
from sidelight.network import Network
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

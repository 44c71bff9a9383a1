"""What the edges of a network say where causes may be hidden, in words, and why each mark is there."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from sidelight.explain.phrases import spoken
from sidelight.graphs.marks import ARROW, CIRCLE, TAIL, MarkedEdge
from sidelight.network import Network
from sidelight.orientation.ancestry import arrows_path, is_visible, possible_path, two_ways, with_circles
from sidelight.orientation.marked_knowledge import KNOWN
from sidelight.orientation.pag import MarkReason
from sidelight.text.sentences import listed
from sidelight.text.visible import visible

EDGES = {
    (TAIL, ARROW): "{a} causes {b}; something hidden may cause both as well",
    (ARROW, ARROW): "something hidden causes {a} and {b}, and neither causes the other",
    (TAIL, TAIL): "{a} and {b} both cause what the rows were selected on",
    (CIRCLE, ARROW): "{a} causes {b}, or something hidden causes both; {b} does not cause {a}",
    (CIRCLE, CIRCLE): "{a} causes {b}, or {b} causes {a}, or something hidden causes both",
    (TAIL, CIRCLE): "{a} causes {b}, or what the rows were selected on",
}
VISIBLE = "{a} causes {b}, and nothing hidden causes both"
REASONS = {
    0: "{b} is adjacent to {a} and {others}, and what separates these two does not contain {b} (R0)",
    1: "otherwise {others} and this edge would meet in a common effect, which what separates them excludes (R1)",
    2: "otherwise the arrows by way of {others} would lead back to where they began (R2)",
    3: "otherwise {others} could not both point there (R3)",
    4: "a path by way of {others} discriminates, and what separates its ends decides (R4)",
    5: "a ring with {others} has no arrows at all (R5)",
    6: "an undirected edge with {others} leaves room for no arrow (R6)",
    7: "otherwise there would be a common effect with {others} that what separates them excludes (R7)",
    8: "arrows lead the same way by {others} (R8)",
    9: "a path by {others} can only lead this way (R9)",
    10: "one of two paths, by {others}, leads this way (R10)",
}


@dataclass(frozen=True)
class Causation:
    """Whether one variable causes another: "yes", "no" or "possibly", and why the graph says so."""

    answer: str
    because: str

    def __str__(self) -> str:
        return f"{self.answer}: {self.because}"


def causes(network: Network, x: int, y: int) -> Causation:
    """Does x cause y, directly or by way of others, in all members of the class, in some, or in none?"""
    (a, b), names = spoken(network, (x, y)), network.by_position.edge_tests.short_names
    graph = network.by_position.marks
    graph = graph if network.is_pag else with_circles(graph)
    proviso = "" if network.is_pag else ", if no common cause is hidden"

    def way(path: list[int]) -> str:
        return " … ".join(names[v] for v in path)

    if (path := arrows_path(graph, x, y)) is not None:
        return Causation("yes", f"arrows lead from {a} to {b}: {' → '.join(names[v] for v in path)}{proviso}")
    if (two := two_ways(graph, x, y)) is not None:
        return Causation("yes", f"one of two paths must lead from {a} to {b}: {way(two[0])} or {way(two[1])}{proviso}")
    if (said := _said_of_path(network, x, y)) is not None:
        return said
    if (path := possible_path(graph, x, y)) is not None:
        return Causation("possibly", f"this path may lead from {a} to {b} or not: {way(path)}{proviso}")
    return Causation("no", f"every path from {a} to {b} has an arrow that points back{proviso}")


def edge_in_words(network: Network, x: int, y: int) -> str:
    """What an edge of a PAG says, as a part of a sentence."""
    graph = network.by_position.marks
    edge = graph.edge(x, y)
    edge = edge if (edge.at_a, edge.at_b) in EDGES else edge.reversed()
    a, b = spoken(network, (edge.a, edge.b))
    is_arrow = (edge.at_a, edge.at_b) == (TAIL, ARROW)
    phrase = VISIBLE if is_arrow and excludes_hidden_causes(network, edge.a, edge.b) else EDGES[edge.at_a, edge.at_b]
    return phrase.format(a=a, b=b)


def excludes_hidden_causes(network: Network, x: int, y: int) -> bool:
    """Is it certain that nothing hidden causes both ends of an arrow? By the graph, or since that was said."""
    known = network.by_position.known
    said = known is not None and (min(x, y), max(x, y)) in known.unconfounded
    return said or is_visible(network.by_position.marks, x, y)


def mark_words(network: Network, x: int, y: int) -> Iterator[str]:
    """What an edge of a PAG says, and why each of its marks is there."""
    edge = network.by_position.marks.edge(x, y)
    a, b = spoken(network, (x, y))
    yield f"{a} {edge.symbol} {b}: {edge_in_words(network, x, y)}."
    reasons = network.by_position.mark_reasons
    for here in (edge, edge.reversed()):
        reason = reasons.get((here.a, here.b))
        if reason is not None:
            yield f"The {here.at_b} at {spoken(network, (here.b,))[0]}: {_reason(network, here, reason)}."


def mark_facts(network: Network, x: int, y: int) -> dict[str, Any]:
    """The same as data."""
    graph, reasons = network.by_position.marks, network.by_position.mark_reasons
    edge, names = graph.edge(x, y), network.names
    return {
        "marks": [str(edge.at_a), str(edge.at_b)],
        "meaning": edge_in_words(network, x, y),
        "visible": edge.symbol in "→←" and excludes_hidden_causes(network, *((x, y) if edge.at_a == TAIL else (y, x))),
        "rules": [_rule(names, reasons.get((y, x))), _rule(names, reasons.get((x, y)))],
    }


def _rule(names: tuple[Hashable, ...], reason: MarkReason | None) -> dict[str, Any] | None:
    if reason is None:
        return None
    rule = "knowledge" if reason.rule == KNOWN else f"R{reason.rule}"
    return {"rule": rule, "others": [str(names[v]) for v in reason.others]}


def _reason(network: Network, edge: MarkedEdge, reason: MarkReason) -> str:
    a, b = spoken(network, (edge.a, edge.b))
    if reason.rule == KNOWN:
        said = _said_of(network, edge)
        return visible(f"given as background knowledge ({said})" if said else "background knowledge implies it")
    others = listed(spoken(network, reason.others))
    return REASONS[reason.rule].format(a=a, b=b, others=others)


def _said_of(network: Network, edge: MarkedEdge) -> str:
    """The statements that say by themselves whether b is a cause of a, or that nothing hidden causes both."""
    a, b = edge.a, edge.b
    pair = min(a, b), max(a, b)
    return "; ".join(
        words
        for words, piece in network.by_position.statements
        if pair in piece.unconfounded or piece.certain[[a, b], [b, a]].any() or not piece.allowed[b, a]
    )


def _said_of_path(network: Network, x: int, y: int) -> Causation | None:
    """What was said of a path in a PAG, which its edges need not show."""
    known = network.by_position.known if network.is_pag else None
    if known is None or not (known.certain[x, y] or known.without_path[x, y]):
        return None
    said = "background knowledge says so, or implies it"
    return Causation("yes", said) if known.certain[x, y] else Causation("no", said)

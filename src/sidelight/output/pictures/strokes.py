"""How edges look where more is known of them: their shares among graphs of resamples, or else their effect sizes.

With resamples the line is the wider, the more of these graphs have the edge; the arrowhead is the paler, the fewer of
those that have it agree on its direction. Without, the line is the wider, the larger the effect size. The head is drawn
apart from its line, which ends where it begins. Lines are smooth curves, cubic Bézier pieces, at right angles to the
layers at both ends. The colour is the sign of the effect, which stands on the line too, with its size.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from sidelight.network import NO_HIDDEN_CAUSES, Network
from sidelight.output.pictures.curves import Point
from sidelight.output.pictures.layers import Edge
from sidelight.output.pictures.layout import Layout, lay_out
from sidelight.result.certainty import WHY_UNCERTAIN, Shares
from sidelight.result.evidence import EdgeStrength, quick_strengths
from sidelight.text.sentences import counted

NARROWEST, WIDEST = 0.6, 3.0  # lines, where they are 1.4 wide if nothing is known
DASHES = (5.0, 4.0)  # of an edge of uncertain direction: a dash and a gap
SIGNS: dict[int, tuple[str, ...]] = {1: ("+",), -1: ("−",), 0: ()}
HEAD_LENGTH, HEAD_WIDTH = 7.0, 5.0  # of a line without width; both grow with it
MEANING = {  # of the edges of a PAG, in the legend
    "→": "a → b: a causes b",
    "—": "a — b: both cause what the rows were selected on",
    "↔": "a ↔ b: something hidden causes both",
    "○→": "a ○→ b: a causes b, or something hidden causes both",
    "○—○": "a ○—○ b: either causes the other, or something hidden causes both",
    "○—": "a ○— b: b causes a, or what the rows were selected on",
}
LEGEND_LETTERS = 11.0
LEGEND_LINE = 16.0  # from one line of the legend to the next
LEGEND_CHARACTER = 5.6  # the width of a letter on average


@dataclass(frozen=True)
class Stroke:
    """An edge as it is drawn: the points of its line and its width; an arrowhead has three corners, a line none."""

    line: list[Point]
    width: float
    head: list[Point]
    opacity: float  # of what fills the head
    words: str  # what the width stands for
    dashed: bool = False  # where the direction is uncertain
    sign: int = 0  # of the effect, if it has one
    size: tuple[str, ...] = ()  # the effect as a number, and its sign alone


def strokes(network: Network, layout: Layout) -> dict[Edge, Stroke]:
    """How each edge is drawn along its route; nothing if neither shares nor effects are known."""
    shares, effects, names = network.shares, quick_strengths(network.edge_strengths), network.names
    if network.is_pag or (shares is None and not effects):
        return {}
    directed = set(network.by_position.graph.directed_edges())
    uncertain = set(network.uncertain_arrows)
    found = {}
    for edge, route in layout.routes.items():
        effect = effects.get(frozenset(names[x] for x in edge))
        strength, agreeing, words = _of_effect(effect) if shares is None else _of_shares(network, shares, edge)
        width = NARROWEST + (WIDEST - NARROWEST) * strength
        line, head = _with_head(route, layout.across, width) if edge in directed else (route, [])
        dashed = (names[edge[0]], names[edge[1]]) in uncertain
        opacity = agreeing if head else 1.0
        found[edge] = Stroke(line, width, head, opacity, words, dashed, *_sign_and_size(effect))
    return found


def _sign_and_size(effect: EdgeStrength | None) -> tuple[int, tuple[str, ...]]:
    if effect is None:
        return 0, ()
    return effect.sign, (effect.number, *SIGNS[effect.sign])


def _of_effect(effect: EdgeStrength | None) -> tuple[float, float, str]:
    return (0.0, 1.0, "") if effect is None else (min(1.0, abs(effect.size)), 1.0, str(effect))


def _of_shares(network: Network, shares: Shares, edge: Edge) -> tuple[float, float, str]:
    counts = shares.of(*edge)
    agreeing = counts.forward / counts.adjacent if counts.adjacent else 0.0
    return shares.share(counts.adjacent), agreeing, shares.in_words(*edge, network.by_position.edge_tests.short_names)


def _with_head(route: list[Point], across: bool, width: float) -> tuple[list[Point], list[Point]]:
    """The line up to its head, and the corners of the head; edges reach a node at a right angle to the layers."""
    length, half = HEAD_LENGTH + 1.2 * width, HEAD_WIDTH / 2 + 0.8 * width
    x, y = route[-1]
    base = (x - length, y) if across else (x, y - length)
    sides = [(base[0], y - half), (base[0], y + half)] if across else [(x - half, base[1]), (x + half, base[1])]
    return [*route[:-1], base], [route[-1], *sides]


def with_legend(network: Network) -> tuple[Layout, list[tuple[float, str]]]:
    """The layout with room for a legend below, and its lines, each with how far down its middle stands."""
    layout, lines = lay_out(network), legend(network)
    if not lines:
        return layout, []
    width = max(layout.size[0], LEGEND_CHARACTER * max(map(len, lines)))
    height = layout.size[1] + LEGEND_LINE * (len(lines) + 0.5)
    placed = [(height - LEGEND_LINE * (len(lines) - i - 0.5), line) for i, line in enumerate(lines)]
    return replace(layout, size=(width, height)), placed


def legend(network: Network) -> list[str]:
    """What widths and arrowheads stand for, a line each; nothing without resamples, effect sizes or edges."""
    if network.is_pag:
        return [MEANING[symbol] for symbol in dict.fromkeys(symbol for _, symbol, _ in network.edges)]
    shares, graph = network.shares, network.by_position.graph
    if not any(graph.adjacency(x) for x in range(len(graph))):
        return []
    strengths = quick_strengths(network.edge_strengths).values()
    effects = f"{measured_in_words(strengths)}{_signs_in_words(strengths)}" if strengths else ""
    if shares is None:
        from_data = bool(effects) or network.n_rows is not None
        return [*[f"line width and number: {effects}"] * bool(effects), *[NO_HIDDEN_CAUSES] * from_data]
    width = f"line width: share of {counted(shares.n_resamples, 'resample')} with the edge"
    heads = ["arrowhead: the paler, the fewer of these point this way"] * bool(graph.directed_edges())
    dashes = [f"dashed: direction uncertain, {WHY_UNCERTAIN}"] * bool(network.uncertain_arrows)
    return [width, *[f"number: {effects}"] * bool(effects), *heads, *dashes, NO_HIDDEN_CAUSES]


def measured_in_words(effects: Collection[EdgeStrength]) -> str:
    """What the effect sizes measure, if it is the same of all."""
    measures = {effect.measure for effect in effects}
    return measures.pop() if len(measures) == 1 else "effect size"


def _signs_in_words(effects: Collection[EdgeStrength]) -> str:
    signs = {effect.sign for effect in effects}
    words = {1: ", + (blue) positive", -1: ", − (orange) negative"}
    return "".join(word for sign, word in words.items() if sign in signs)

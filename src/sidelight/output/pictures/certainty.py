"""How edges look where graphs were learned from resamples.

The line is the wider, the more of these graphs have the edge; the arrowhead is the paler, the fewer of those that
have it agree on its direction. The head is drawn apart from its line, which ends where it begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sidelight.network import Network
from sidelight.output.pictures.layers import Edge
from sidelight.output.pictures.layout import Layout, Point
from sidelight.result.shares import Shares
from sidelight.text.sentences import counted

NARROWEST, WIDEST = 0.6, 3.0  # lines, where they are 1.4 wide without shares
HEAD_LENGTH, HEAD_WIDTH = 7.0, 5.0  # of a line without width; both grow with it
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


def stroke(shares: Shares, edge: Edge, route: list[Point], across: bool, directed: bool) -> Stroke:
    """How an edge is drawn along its route."""
    counts = shares.of(*edge)
    width = NARROWEST + (WIDEST - NARROWEST) * shares.share(counts.adjacent)
    if not directed:
        return Stroke(route, width, [], 1.0)
    agreeing = counts.forward / counts.adjacent if counts.adjacent else 0.0
    line, head = _with_head(route, across, width)
    return Stroke(line, width, head, agreeing)


def _with_head(route: list[Point], across: bool, width: float) -> tuple[list[Point], list[Point]]:
    """The line up to its head, and the corners of the head; edges reach a node at a right angle to the layers."""
    length, half = HEAD_LENGTH + 1.2 * width, HEAD_WIDTH / 2 + 0.8 * width
    x, y = route[-1]
    base = (x - length, y) if across else (x, y - length)
    sides = [(base[0], y - half), (base[0], y + half)] if across else [(x - half, base[1]), (x + half, base[1])]
    return [*route[:-1], base], [route[-1], *sides]


def legend(network: Network) -> list[str]:
    """What widths and arrowheads stand for, a line each; nothing without resamples or edges."""
    shares, graph = network.shares, network.by_position.graph
    if shares is None or not any(graph.adjacency(x) for x in range(len(graph))):
        return []
    width = f"line width: share of {counted(shares.n_resamples, 'resample')} with the edge"
    return [width, "arrowhead: the paler, the fewer of these point this way"][: 1 + bool(graph.directed_edges())]


def with_room(layout: Layout, lines: Sequence[str]) -> Layout:
    """The same layout, with room for a legend below."""
    if not lines:
        return layout
    width = max(layout.size[0], LEGEND_CHARACTER * max(map(len, lines)))
    return replace(layout, size=(width, layout.size[1] + LEGEND_LINE * (len(lines) + 0.5)))


def middles(layout: Layout, lines: Sequence[str]) -> list[float]:
    """How far down the middle of each line of the legend stands, in a layout with room for it."""
    return [layout.size[1] - LEGEND_LINE * (len(lines) - i - 0.5) for i in range(len(lines))]

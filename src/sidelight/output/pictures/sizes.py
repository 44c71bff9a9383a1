"""The sign and the size of each edge's effect, as a number on its line, where it hides as little as possible.

Along each line some places are compared: what they cover of boxes, of numbers that have a place already, and of other
lines. Where no place has room for the number, its sign alone is tried.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sidelight.output.pictures.curves import Point, pieces
from sidelight.output.pictures.layers import Edge
from sidelight.output.pictures.layout import Layout
from sidelight.output.pictures.strokes import Stroke

LETTERS = 10.5
LETTER_WIDTH, LINE_HEIGHT = 6.2, 12.0
STEPS = 12  # points on each piece of a curve
PLACES = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82)  # shares of the way
BOX, LINE = 100.0, 3.0  # what it costs to cover a box or a number, and a point of another line
Boxes = NDArray[np.float64]  # left, top, right, bottom
Points = NDArray[np.float64]


@dataclass(frozen=True)
class Size:
    """What stands on a line: its middle, and how far along the line that is."""

    text: str
    at: Point
    along: float

    @property
    def extent(self) -> Point:
        """The width and the height of its box."""
        return LETTER_WIDTH * len(self.text) + 2, LINE_HEIGHT


def sizes(drawn: Mapping[Edge, Stroke], layout: Layout) -> dict[Edge, Size]:
    """A number or a sign for each edge whose effect is known; short edges choose first."""
    lines = {edge: _sampled(stroke, layout.across) for edge, stroke in drawn.items() if any(stroke.size)}
    everything = [np.empty((0, 2)), *(_sampled(stroke, layout.across) for stroke in drawn.values())]
    owner = np.repeat(np.arange(len(drawn)), list(map(len, everything[1:])))
    points, taken = np.concatenate(everything), _boxes(layout)
    number = {edge: i for i, edge in enumerate(drawn)}
    found: dict[Edge, Size] = {}
    for edge in sorted(lines, key=lambda edge: (_length(lines[edge]), edge)):
        found[edge], box = _placed(drawn[edge].size, lines[edge], points[owner != number[edge]], taken)
        taken = np.vstack([taken, box])
    return found


def _placed(texts: tuple[str, ...], line: Points, others: Points, taken: Boxes) -> tuple[Size, Boxes]:
    """The first text that covers no box and no number, or else the one that covers least."""
    best, least = None, np.inf
    for text in texts:
        for share in PLACES:
            at = _point_at(line, share)
            size = Size(text, (float(at[0]), float(at[1])), share)
            half = np.array(size.extent) / 2
            box = np.concatenate([at - half, at + half])
            cost = BOX * _covered(box, taken) + LINE * _crossed(box, others) + abs(share - 0.5)
            if cost < least:
                least, best = cost, (size, box)
        if least < BOX:
            break
    assert best is not None
    return best


def _covered(box: NDArray[np.float64], taken: Boxes) -> int:
    return int(((taken[:, :2] < box[2:]) & (taken[:, 2:] > box[:2])).all(axis=1).sum())


def _crossed(box: NDArray[np.float64], others: Points) -> int:
    """How many points of other lines are within a box."""
    return int(((others > box[:2]) & (others < box[2:])).all(axis=1).sum())


def _boxes(layout: Layout) -> Boxes:
    centres = np.array(layout.centres).reshape(-1, 2)
    half = np.column_stack([layout.labels.widths, np.full(len(centres), layout.labels.height)]) / 2 + 1
    return np.hstack([centres - half, centres + half])


def _sampled(stroke: Stroke, across: bool) -> Points:
    """Points on the line of an edge."""
    start, t = np.array(stroke.line[0]), np.linspace(0, 1, STEPS + 1)[1:, None]
    found = [start[None]]
    for control, other, end in (map(np.array, piece) for piece in pieces(stroke.line, across)):
        found.append((1 - t) ** 3 * start + 3 * t * (1 - t) ** 2 * control + 3 * t**2 * (1 - t) * other + t**3 * end)
        start = end
    return np.vstack(found)


def _length(line: Points) -> float:
    return float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())


def _point_at(line: Points, share: float) -> NDArray[np.float64]:
    walked = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))]
    return np.array([np.interp(share * walked[-1], walked, line[:, axis]) for axis in (0, 1)])

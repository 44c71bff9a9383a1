"""Smooth curves along the routes of edges: cubic Bézier pieces, at right angles to the layers at both ends."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Point = tuple[float, float]
REACH = 0.5  # of the way to the next point, for control points
AT = np.linspace(0.0, 1.0, 65)  # where a piece is sampled
SAMPLED = np.column_stack([(1 - AT) ** 3, 3 * AT * (1 - AT) ** 2, 3 * AT**2 * (1 - AT), AT**3])


class Piece(NamedTuple):
    """One cubic piece: two control points, and where it ends."""

    control: Point
    other_control: Point
    end: Point

    def sampled(self, start: Point) -> NDArray[np.float64]:
        """Points of the piece that begins at ``start``, both ends included."""
        points: NDArray[np.float64] = SAMPLED @ np.array([start, *self])
        return points


def pieces(route: Sequence[Point], across: bool) -> list[Piece]:
    """The curve through the points of a route, starting at its first point."""
    if across:
        return [Piece(*((x, y) for y, x in piece)) for piece in pieces([(y, x) for x, y in route], False)]
    slopes = [0.0, *(slope(*route[i : i + 3]) for i in range(len(route) - 2)), 0.0]
    found = []
    for i, ((x, y), (u, v)) in enumerate(pairwise(route)):
        reach = REACH * (v - y)
        found.append(Piece((x + slopes[i] * reach, y + reach), (u - slopes[i + 1] * reach, v - reach), (u, v)))
    return found


def slope(before: Point, here: Point, after: Point) -> float:
    """How steeply an edge passes a bend: the harmonic mean of both sides, 0 where they disagree."""
    first = (here[0] - before[0]) / (here[1] - before[1])
    second = (after[0] - here[0]) / (after[1] - here[1])
    return 2 * first * second / (first + second) if first * second > 0 else 0.0

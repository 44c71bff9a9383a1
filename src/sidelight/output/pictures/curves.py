"""Edges as smooth curves: cubic Bézier pieces, at right angles to the layers at both ends, never swinging out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from sidelight.output.pictures.layout import Point

REACH = 0.4  # of the way to the next point, for control points


class Piece(NamedTuple):
    """One cubic piece: two control points, and where it ends."""

    control: Point
    other_control: Point
    end: Point


def pieces(route: Sequence[Point], across: bool) -> list[Piece]:
    """The curve through the points of a route, starting at its first point."""
    if across:
        return [Piece(*((x, y) for y, x in piece)) for piece in pieces([(y, x) for x, y in route], False)]
    slopes = [0.0, *(_slope(*route[i : i + 3]) for i in range(len(route) - 2)), 0.0]
    found = []
    for i, ((x, y), (u, v)) in enumerate(pairwise(route)):
        reach = REACH * (v - y)
        found.append(Piece((x + slopes[i] * reach, y + reach), (u - slopes[i + 1] * reach, v - reach), (u, v)))
    return found


def _slope(before: Point, here: Point, after: Point) -> float:
    """How steeply the curve passes a bend: the harmonic mean of both sides, 0 where they disagree."""
    first = (here[0] - before[0]) / (here[1] - before[1])
    second = (after[0] - here[0]) / (after[1] - here[1])
    return 2 * first * second / (first + second) if first * second > 0 else 0.0

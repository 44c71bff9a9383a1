"""What was learned in an order of the variables that depends on the data alone, in the order of the columns.

Where tests contradict each other, which of them comes first decides (decision 29).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sidelight.boundaries import FoundBoundaries
from sidelight.consistency.checks import Mended, Refuted, Separation
from sidelight.graphs.dag import renumbered
from sidelight.graphs.separating_sets import Pair, ordered
from sidelight.learning.phases import Learned
from sidelight.orientation.essential import Orientation

if TYPE_CHECKING:
    from sidelight.learning import Run


def as_in_table(run: Run, learned: Learned, place: Sequence[int]) -> Learned:
    """What was learned, but for what the search found, with each variable at its place in the table of the run."""
    skeleton, oriented = learned.edges.skeleton.renumbered(place), learned.oriented
    edges = replace(
        learned.edges,
        boundaries=_boundaries(learned.boundaries, place),
        skeleton=skeleton,
        refuted=_refuted(learned.edges.refuted, place),
    )
    evidence = sorted(_v_structure(v, place) for v in oriented.orientation.evidence)
    orientation = Orientation(oriented.orientation.dag.renumbered(place, run.names), evidence, run.known)
    oriented = replace(
        oriented,
        sets=skeleton.separating_sets(run.names),
        orientation=orientation,
        mended=_mended(oriented.mended, place),
        unexplained=sorted((_pair(pair, place), p) for pair, p in oriented.unexplained),
    )
    return Learned(edges, oriented, learned.found)


def _boundaries(found: FoundBoundaries, place: Sequence[int]) -> FoundBoundaries:
    blocks = [[place[v] for v in block] for block in found.blocks]
    return replace(found, members=renumbered(found.members, place), blocks=blocks)


def _refuted(refuted: Refuted, place: Sequence[int]) -> Refuted:
    across = [_pair(pair, place) for pair in refuted.across]
    return replace(refuted, sets=[_separation(found, place) for found in refuted.sets], across=across)


def _mended(mended: Mended, place: Sequence[int]) -> Mended:
    replaced, added = ([_pair(pair, place) for pair in pairs] for pairs in (mended.replaced, mended.added))
    return Mended(replaced, added, [_separation(left, place) for left in mended.left], mended.limited)


def _separation(found: Separation, place: Sequence[int]) -> Separation:
    x, y, given = found
    return *_pair((x, y), place), sorted(place[z] for z in given)


def _v_structure(found: tuple[int, int, int], place: Sequence[int]) -> tuple[int, int, int]:
    a, b = _pair((found[0], found[2]), place)
    return a, place[found[1]], b


def _pair(pair: Pair, place: Sequence[int]) -> Pair:
    return ordered(place[pair[0]], place[pair[1]])

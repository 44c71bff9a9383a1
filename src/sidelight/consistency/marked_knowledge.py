"""Where causes may be hidden: the marks that knowledge adds to those that were learned, and what contradicts them."""

from __future__ import annotations

from collections.abc import Iterator

from sidelight.consistency.knowledge import Doubt, doubt_about_all
from sidelight.graphs.marks import MarkedGraph
from sidelight.knowledge import Known, constraints_of
from sidelight.orientation.marked_knowledge import Refined, refined, refuted
from sidelight.orientation.pag import is_pag

REASONS = {
    "no edge": "{a} and {b} are not adjacent",
    "edge": "{a} and {b} are adjacent",
    "confounded": "something hidden causes {a} and {b}",
    "no cause": "{a} causes {b}",
    "no way": "{a} does not cause {b}",
}


def marks_with(known: Known, pag: MarkedGraph) -> tuple[Refined, tuple[Doubt, ...]]:
    """A PAG with what is known, and doubts about what contradicts it, which is not applied."""
    found = refined(pag, constraints_of(known, pag.names, hidden=True), is_pag(pag))
    doubts = dict.fromkeys(_doubts(known, pag)) if found.refuted else {}
    together = [doubt_about_all(known)] if found.together else []
    return found, (*doubts, *together)


def _doubts(known: Known, pag: MarkedGraph) -> Iterator[Doubt]:
    for piece in known.pieces():
        for each in refuted(pag, constraints_of(Known((), (piece,)), pag.names, hidden=True)):
            a, b = pag.names[each.first], pag.names[each.second]
            yield Doubt(str(piece), (a, b), REASONS[each.kind].format(a=a, b=b), 0.0)

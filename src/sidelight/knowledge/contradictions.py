"""Statements that cannot all hold: all contradictions at once, each with the statements that are to blame.

First come contradictions of one statement with another, then those that only follow from several together: for each of
these the smallest statements are left out one after the other, as long as the contradiction stays.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import networkx as nx
import numpy as np

from sidelight.errors import InputError
from sidelight.knowledge.closure import Closure, closure, excluded_directly
from sidelight.knowledge.facts import Columns, Facts, Pair
from sidelight.knowledge.paths import reachable
from sidelight.knowledge.statement import Known, Statement
from sidelight.side_information.base import BrokenBound, fewest
from sidelight.text.sentences import in_a_row

Names = tuple[Hashable, ...]
Pieces = dict[Statement, Facts]
TEXTS = {
    "arrow": "{a} → {b} is required but cannot be there",
    "edge": "{a} and {b} are adjacent, but neither {a} → {b} nor {b} → {a} can be there",
    "ancestor": "{a} is an ancestor of {b} but cannot be one",
    "path": "{a} is an ancestor of {b}, but no directed path from {a} to {b} can be there",
}


@dataclass(frozen=True)
class Clash:
    """Two variables, by position, of which what is known says two things; for a cycle, one of its variables twice."""

    kind: str
    first: int
    second: int


@dataclass(frozen=True)
class Contradiction:
    """What contradicts itself, the statements and bounds that are to blame, and those that would have to go."""

    text: str
    culprits: tuple[object, ...]
    to_leave_out: tuple[Statement, ...]

    def __str__(self) -> str:
        quoted = [f"'{culprit}'" for culprit in dict.fromkeys(self.culprits)]
        return f"{self.text}, by {in_a_row(quoted)}"


def check_consistent(known: Known, columns: Columns, closed: Closure) -> None:
    """Raise one error for all contradictions in what is known."""
    broken = (each for bound in known.bounds for each in bound.broken_by(closed, columns.names))
    if next(clashes(closed), None) is None and next(broken, None) is None:
        return
    found = _contradictions(known, columns)
    lines = f" {found[0]}" if len(found) == 1 else "".join(f"\n- {each}" for each in found)
    raise InputError(f"what is known contradicts itself:{lines}")


def clashes(closed: Closure) -> Iterator[Clash]:
    """Every pair that is both needed and excluded; first what reads best, since many other clashes follow from it."""
    allowed, certain = closed.allowed, closed.certain
    yield from (Clash("cycle", i, i) for i in np.flatnonzero(np.diagonal(certain)).tolist())
    yield from (Clash("ancestor", i, j) for i, j in np.argwhere(certain & closed.not_ancestors).tolist())
    yield from (Clash("arrow", i, j) for i, j in sorted(closed.required) if not allowed[i, j])
    yield from (Clash("edge", i, j) for i, j in sorted(closed.adjacent) if not allowed[i, j] and not allowed[j, i])
    yield from (Clash("ancestor", i, j) for i, j in np.argwhere(certain & closed.excluded).tolist())
    if closed.ancestors:
        left = reachable(allowed)
        yield from (Clash("path", i, j) for i, j in sorted(closed.ancestors) if not left[i, j])


def _contradictions(known: Known, columns: Columns) -> list[Contradiction]:
    """All contradictions; each leaves out statements, so that none is reported because of another."""
    pieces = {piece: piece.facts(columns) for piece in known.pieces()}
    found = list(_between_two(columns.names, pieces))
    blamed = [set(each.culprits) for each in found]
    cycles = _cycles(columns.names, pieces)
    found += [cycle for cycle in cycles if not any(culprits <= set(cycle.culprits) for culprits in blamed)]
    rest = {piece: facts for piece, facts in pieces.items() if all(piece not in each.to_leave_out for each in found)}
    while (clash := next(clashes(_closed(columns, rest)), None)) is not None:
        found.append(_of_several(columns, rest, clash))
        rest = {piece: facts for piece, facts in rest.items() if piece not in found[-1].to_leave_out}
    closed = _closed(columns, rest)
    broken = (each for bound in known.bounds for each in bound.broken_by(closed, columns.names))
    return found + [_of_a_bound(each, rest) for each in broken]


def _closed(columns: Columns, pieces: Pieces) -> Closure:
    return closure(len(columns.names), list(pieces.values()))


def _between_two(names: Names, pieces: Pieces) -> Iterator[Contradiction]:
    """What one statement says is there, and another one excludes."""
    allowed, excluded = excluded_directly(len(names), list(pieces.values()))
    allowed &= ~excluded
    for (i, j), by in _sayers(pieces, lambda facts: facts.required).items():
        if not allowed[i, j]:
            yield _contradiction("arrow", names, i, j, by, [p for p, facts in pieces.items() if facts.forbids(i, j)])
    for (i, j), by in _sayers(pieces, lambda facts: facts.adjacent).items():
        if not allowed[i, j] and not allowed[j, i]:
            against = [p for p, facts in pieces.items() if facts.forbids(i, j) or facts.forbids(j, i)]
            yield _contradiction("edge", names, i, j, by, against)
    for (i, j), by in _sayers(pieces, lambda facts: facts.ancestors).items():
        if excluded[i, j]:
            against = [p for p, facts in pieces.items() if facts.excludes_path(i, j)]
            yield _contradiction("ancestor", names, i, j, by, against)


def _sayers(pieces: Pieces, said: Callable[[Facts], Sequence[Pair]]) -> dict[Pair, list[Statement]]:
    """The statements that say it of each pair, in the order of the statements."""
    sayers: dict[Pair, list[Statement]] = {}
    for piece, facts in pieces.items():
        for pair in said(facts):
            sayers.setdefault(pair, []).append(piece)
    return sayers


def _contradiction(
    kind: str, names: Names, i: int, j: int, by: Sequence[Statement], against: Sequence[Statement]
) -> Contradiction:
    return Contradiction(TEXTS[kind].format(a=names[i], b=names[j]), (*by, *against), tuple(by))


def _cycles(names: Names, pieces: Pieces) -> Iterator[Contradiction]:
    """One cycle of required arrows and ancestors for each set of variables that have a path to each other."""
    arrows = _sayers(pieces, lambda facts: facts.required)
    paths = _sayers(pieces, lambda facts: facts.ancestors)
    graph = nx.DiGraph([*arrows, *paths])
    for members in sorted(nx.strongly_connected_components(graph), key=min):
        if len(members) > 1:
            cycle = _shortest_cycle(graph.subgraph(members), min(members))
            by = [(arrows.get(step) or paths[step])[0] for step in cycle]
            yield Contradiction(_cycle_text(names, cycle, arrows), tuple(by), (by[-1],))


def _shortest_cycle(graph: nx.DiGraph, start: int) -> list[Pair]:
    """The arrows of a shortest cycle through the vertex."""
    back = [nx.shortest_path(graph, effect, start) for effect in sorted(graph.successors(start))]
    cycle = [start, *min(back, key=len)]
    return list(pairwise(cycle))


def _cycle_text(names: Names, cycle: Sequence[Pair], arrows: dict[Pair, list[Statement]] | frozenset[Pair]) -> str:
    steps = "".join(f" {'→' if step in arrows else '⇝'} {names[step[1]]}" for step in cycle)
    return f"{names[cycle[0][0]]}{steps} is a cycle"


def _of_several(columns: Columns, pieces: Pieces, clash: Clash) -> Contradiction:
    """The contradiction with the fewest statements that still lead to it."""

    def remains(some: Sequence[Statement]) -> bool:
        return clash in clashes(_closed(columns, {piece: pieces[piece] for piece in some}))

    culprits = fewest(list(pieces), remains)
    names, i, j = columns.names, clash.first, clash.second
    if clash.kind == "cycle":
        closed = _closed(columns, {piece: pieces[piece] for piece in culprits})
        graph = nx.DiGraph([*closed.required, *closed.ancestors])
        text = _cycle_text(names, _shortest_cycle(graph, i), closed.required)
    else:
        text = TEXTS[clash.kind].format(a=names[i], b=names[j])
    last = [piece for piece in culprits if pieces[piece].says_what_is_there][-1]
    return Contradiction(text, tuple(culprits), (last,))


def _of_a_bound(broken: BrokenBound, pieces: Pieces) -> Contradiction:
    """The broken bound with a statement for each arrow, edge and missing edge that breaks it."""
    culprits: list[object] = [broken.bound]
    for arrow in broken.arrows:
        culprits += _why_required(arrow, pieces)
    for i, j in broken.edges:
        culprits += _first(piece for piece, facts in pieces.items() if facts.connects(i, j))
    for i, j in broken.missing:
        culprits += _first(piece for piece, facts in pieces.items() if facts.forbids(i, j))
        culprits += _first(piece for piece, facts in pieces.items() if facts.forbids(j, i))
    return Contradiction(broken.text, tuple(culprits), ())


def _why_required(arrow: Pair, pieces: Pieces) -> list[Statement]:
    """The statement that requires the arrow, or those that make the two adjacent and forbid the reverse."""
    cause, effect = arrow
    return _first(piece for piece, facts in pieces.items() if arrow in facts.required) or [
        *_first(piece for piece, facts in pieces.items() if facts.connects(cause, effect)),
        *_first(piece for piece, facts in pieces.items() if facts.forbids(effect, cause)),
    ]


def _first(pieces: Iterator[Statement]) -> list[Statement]:
    return list(islice(pieces, 1))

"""What is known of some variables, if that can be: else all contradictions, each with the statements to blame.

First come contradictions of one statement with another, then those that only follow from several together: for each of
these the smallest statements are left out one after the other, as long as the contradiction stays.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import networkx as nx
import numpy as np

from sidelight.errors import InputError
from sidelight.knowledge.constraints import Constraints, closure, excluded_directly, reachable
from sidelight.knowledge.facts import Columns, Facts, Pair
from sidelight.knowledge.statement import Known, Statement
from sidelight.side_information.base import BrokenBound, fewest
from sidelight.text.sentences import in_a_row

Names = tuple[Hashable, ...]
Pieces = dict[Statement, Facts]
Said = Callable[[Facts], Sequence[Pair]]
Says = Callable[[Facts, int, int], bool]
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


def constraints_of(known: Known, names: Sequence[Hashable], hidden: bool = False) -> Constraints:
    """What is known of these variables; unknown names and contradictions are an ``InputError``.

    ``hidden`` says that causes may be hidden: two variables may then be adjacent without an arrow between them.
    """
    columns = Columns(tuple(names))
    columns.check(name for statement in known.statements for name in statement.names())
    closed = closure(columns.names, [statement.facts(columns) for statement in known.statements], hidden)
    if next(clashes(closed), None) is not None or next(_broken(known, closed), None) is not None:
        found = _contradictions(known, columns, hidden)
        lines = f" {found[0]}" if len(found) == 1 else "".join(f"\n- {each}" for each in found)
        raise InputError(f"what is known contradicts itself:{lines}")
    return closed


def _broken(known: Known, closed: Constraints) -> Iterator[BrokenBound]:
    return (each for bound in known.bounds for each in bound.broken_by(closed))


def clashes(closed: Constraints) -> Iterator[Clash]:
    """Every pair that is both needed and excluded; first what reads best, since many other clashes follow from it."""
    allowed, certain = closed.allowed, closed.certain
    yield from (Clash("cycle", i, i) for i in np.flatnonzero(np.diagonal(certain)).tolist())
    yield from (Clash("ancestor", i, j) for i, j in np.argwhere(certain & closed.said_not_ancestors).tolist())
    yield from (Clash("arrow", i, j) for i, j in sorted(closed.required) if not allowed[i, j])
    yield from (Clash("edge", i, j) for i, j in sorted(closed.adjacent) if closed.cannot_be_adjacent(i, j))
    yield from (Clash("ancestor", i, j) for i, j in np.argwhere(certain & closed.excluded).tolist())
    if closed.said_ancestors:
        left = reachable(allowed)
        yield from (Clash("path", i, j) for i, j in sorted(closed.said_ancestors) if not left[i, j])


def _contradictions(known: Known, columns: Columns, hidden: bool) -> list[Contradiction]:
    """All contradictions; each leaves out statements, so that none is reported because of another."""
    pieces, names = {piece: piece.facts(columns) for piece in known.pieces()}, columns.names
    found = list(_between_two(names, pieces, hidden))
    found = [each for each in found if not any(set(other.culprits) < set(each.culprits) for other in found)]
    blamed = [set(each.culprits) for each in found]
    cycles = _cycles(names, pieces)
    found += [cycle for cycle in cycles if not any(culprits <= set(cycle.culprits) for culprits in blamed)]
    rest = {piece: facts for piece, facts in pieces.items() if all(piece not in each.to_leave_out for each in found)}
    while (clash := next(clashes(closure(names, [*rest.values()], hidden)), None)) is not None:
        found.append(_of_several(names, rest, clash, hidden))
        rest = {piece: facts for piece, facts in rest.items() if piece not in found[-1].to_leave_out}
    return found + [_of_a_bound(each, rest) for each in _broken(known, closure(names, [*rest.values()], hidden))]


def _between_two(names: Names, pieces: Pieces, hidden: bool) -> Iterator[Contradiction]:
    """What one statement says is there, and another one excludes."""
    allowed, excluded = excluded_directly(len(names), list(pieces.values()))
    allowed &= ~excluded
    kinds: list[tuple[str, Said, Callable[[int, int], bool], Says]] = [
        ("arrow", lambda facts: facts.required, lambda i, j: not allowed[i, j], Facts.forbids),
        ("edge", lambda facts: facts.adjacent, lambda i, j: not allowed[i, j] and not allowed[j, i], Facts.forbids_any),
        ("ancestor", lambda facts: facts.ancestors, lambda i, j: excluded[i, j], Facts.excludes_path),
    ]
    if hidden:  # forbidden arrows alone do not exclude an edge; the closure says what does
        del kinds[1]
    for kind, said, cannot_be, is_against in kinds:
        for (i, j), by in _sayers(pieces, said).items():
            if cannot_be(i, j):
                against = [piece for piece, facts in pieces.items() if is_against(facts, i, j)]
                clash = Clash(kind, *(sorted((i, j)) if kind == "edge" else (i, j)))
                culprits = _needed(names, pieces, [by[0], *against], clash, hidden)
                yield Contradiction(TEXTS[kind].format(a=names[i], b=names[j]), tuple(culprits), tuple(by))


def _needed(names: Names, pieces: Pieces, some: Sequence[Statement], clash: Clash, hidden: bool) -> list[Statement]:
    """As few of the statements as still lead to the clash."""
    return fewest(list(some), lambda left: clash in clashes(_closed(pieces, left, names, hidden)))


def _closed(pieces: Pieces, some: Sequence[Statement], names: Names, hidden: bool) -> Constraints:
    return closure(names, [pieces[piece] for piece in some], hidden)


def _sayers(pieces: Pieces, said: Said) -> dict[Pair, list[Statement]]:
    """The statements that say it of each pair, in the order of the statements."""
    sayers: dict[Pair, list[Statement]] = {}
    for piece, facts in pieces.items():
        for pair in said(facts):
            sayers.setdefault(pair, []).append(piece)
    return sayers


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


def _of_several(names: Names, pieces: Pieces, clash: Clash, hidden: bool) -> Contradiction:
    """The contradiction with the fewest statements that still lead to it."""

    culprits = _needed(names, pieces, list(pieces), clash, hidden)
    for each in clashes(_closed(pieces, culprits, names, hidden)):  # fewer of them may contradict each other otherwise
        fewer = _needed(names, pieces, culprits, each, hidden)
        clash, culprits = (each, fewer) if len(fewer) < len(culprits) else (clash, culprits)
    if clash.kind == "cycle":
        there = _closed(pieces, culprits, names, hidden)
        graph = nx.DiGraph([*there.required, *there.said_ancestors])
        text = _cycle_text(names, _shortest_cycle(graph, clash.first), there.required)
    else:
        text = TEXTS[clash.kind].format(a=names[clash.first], b=names[clash.second])
    last = [piece for piece in culprits if pieces[piece].says_what_is_there][-1]
    return Contradiction(text, tuple(culprits), (last,))


def _of_a_bound(broken: BrokenBound, pieces: Pieces) -> Contradiction:
    """The broken bound with a statement for each arrow, edge, missing edge and path that breaks it."""

    def first(says_it: Says, i: int, j: int) -> list[Statement]:
        return [piece for piece, facts in pieces.items() if says_it(facts, i, j)][:1]

    culprits: list[object] = [broken.bound]
    for i, j in broken.arrows:  # required as such, or adjacent with the reverse forbidden
        required = first(lambda facts, i, j: (i, j) in facts.required, i, j)
        culprits += required or [*first(Facts.connects, i, j), *first(Facts.forbids, j, i)]
    for i, j in broken.edges:
        culprits += first(Facts.connects, i, j)
    for i, j in broken.missing:
        culprits += [*first(Facts.forbids, i, j), *first(Facts.forbids, j, i)]
    for i, j in broken.paths:
        culprits += first(lambda facts, i, j: (i, j) in facts.ancestors, i, j)
    return Contradiction(broken.text, tuple(culprits), ())

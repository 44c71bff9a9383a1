"""Marks with knowledge: what a PAG and what is known of the MAG imply together, and where the two contradict.

Learning finds the class; of its MAGs, those that agree with what is known are left. An arrow at a stands where a is no
cause of the other, a tail only where it is one: where one direction is forbidden, both may still have a hidden common
cause. Knowledge about paths, Zhang's rules and transitivity are applied in turn until nothing changes; then each circle
is tried as an arrow and as a tail. No mark that follows is wrong; docs/hidden-causes.md says where all are found.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sidelight.graphs.ancestral import reached
from sidelight.graphs.marks import ARROW, CIRCLE, TAIL, Mark, MarkedGraph
from sidelight.knowledge.constraints import Constraints, path_matrix, spread
from sidelight.orientation.ancestry import possible_path
from sidelight.orientation.pag import (
    MarkReason,
    Marks,
    Pair,
    close_under_rules,
    discriminating_path,
    mag_in,
    unshielded_triples,
)

KNOWN = -1  # in place of the number of a rule
KINDS = ("no edge", "edge", "confounded", "no cause", "no way")  # of what was said and is refuted
MOST_CIRCLES = 60  # that are tried
Matrix = NDArray[np.bool_]


@dataclass(frozen=True)
class Disagreement:
    """A pair of which something was said that contradicts what was learned, and in which way."""

    kind: str
    first: int
    second: int


@dataclass(frozen=True)
class Refined:
    """The marks with knowledge; why those are there that learning did not find; and what contradicts it.

    ``together`` is True where no single statement contradicts what was learned, and all of them do: none is applied.
    """

    graph: MarkedGraph
    reasons: dict[Pair, MarkReason] = field(compare=False)
    refuted: tuple[Disagreement, ...] = ()
    together: bool = False


class _ContradictionError(Exception):
    """Two different marks at one end."""


@dataclass
class _KnownMarks(Marks):
    """Marks that notice when two are to stand at one end."""

    def put(self, a: int, b: int, mark: Mark, rule: int, others: tuple[int, ...]) -> None:  # type: ignore[override]
        """As before; another mark that is there already is a contradiction."""
        if self.ends[a][b] not in (CIRCLE, mark):
            raise _ContradictionError
        super().put(a, b, mark, rule, others)

    def put_known(self, a: int, b: int, mark: Mark) -> None:
        """A mark at b; rows are not selected, so that beside a tail there is an arrow."""
        self.put(a, b, mark, KNOWN, ())
        if mark == TAIL:
            self.put(b, a, ARROW, KNOWN, ())


def refined(pag: MarkedGraph, known: Constraints, is_whole: bool = True) -> Refined:
    """What a PAG and knowledge imply. If it is not whole, edges may be too many, and no rule is applied."""
    wrong = tuple(refuted(pag, known))
    task = _Task.of(pag, known, wrong, is_whole)
    try:
        marks = task.closed(_KnownMarks([dict(row) for row in pag.ends]))
        if is_whole:
            _look_ahead(marks, task)
    except _ContradictionError:
        return Refined(pag, {}, wrong, together=True)
    return Refined(MarkedGraph.of_ends(pag.names, marks.ends), marks.reasons, wrong)


def refuted(pag: MarkedGraph, known: Constraints) -> Iterator[Disagreement]:
    """What is said of two variables, and is otherwise in all MAGs of the class."""
    for a, b in sorted(known.adjacent):
        if not pag.adjacent(a, b):
            yield Disagreement("no edge", a, b)
    for e in pag.edges():
        if known.apart[e.a, e.b]:
            yield Disagreement("edge", e.a, e.b)
        if e.at_a == e.at_b == ARROW and (e.a, e.b) in known.unconfounded:
            yield Disagreement("confounded", e.a, e.b)
        for here in (e, e.reversed()):
            if here.at_a == TAIL and not known.allowed[here.a, here.b]:
                yield Disagreement("no cause", here.a, here.b)
    excluded = known.without_path
    below = {a: reached(pag.children, [a]) - {a} for a in np.flatnonzero(excluded.any(axis=1)).tolist()}
    for a, reach in below.items():
        shown = pag.children[a]
        yield from (Disagreement("no cause", a, b) for b in sorted(reach) if excluded[a, b] and b not in shown)
    for a, b in sorted(known.required | known.said_ancestors):
        if possible_path(pag, a, b) is None:
            yield Disagreement("no way", a, b)


def with_marks(
    pag: MarkedGraph, known: Constraints, put: Iterable[tuple[int, int, Mark]] = (), look_ahead: bool = True
) -> MarkedGraph | None:
    """What a whole PAG, knowledge and further marks imply, each at b of (a, b); None if they contradict each other."""
    task = _Task.of(pag, known, tuple(refuted(pag, known)), is_whole=True)
    marks = _KnownMarks([dict(row) for row in pag.ends])
    try:
        for a, b, mark in put:
            marks.put_known(a, b, mark)
        task.closed(marks)
        if look_ahead:
            _look_ahead(marks, task)
    except _ContradictionError:
        return None
    return MarkedGraph.of_ends(pag.names, marks.ends)


@dataclass(frozen=True)
class _Task:
    """What is known of the MAG, as far as the class does not contradict it, and what all MAGs of the class share."""

    pag: MarkedGraph
    causes: frozenset[Pair]
    excluded: Matrix  # paths
    forbidden: Matrix  # arrows
    unconfounded: frozenset[Pair]
    is_whole: bool

    @staticmethod
    def of(pag: MarkedGraph, known: Constraints, found: Collection[Disagreement], is_whole: bool) -> _Task:
        """Without what is refuted."""
        wrong = {kind: {(r.first, r.second) for r in found if r.kind == kind} for kind in KINDS}
        excluded, forbidden = known.without_path.copy(), ~known.allowed
        for a, b in wrong["no cause"]:
            excluded[a, b] = forbidden[a, b] = False
        causes = (known.required | known.said_ancestors) - wrong["no way"]
        return _Task(pag, causes, excluded, forbidden, known.unconfounded - wrong["confounded"], is_whole)

    @cached_property
    def ancestors(self) -> list[set[int]]:
        """In one MAG of the class; those of two that are not adjacent separate them."""
        member = mag_in(self.pag)
        return [reached(member.parents, [v]) for v in range(len(member))]

    @cached_property
    def non_colliders(self) -> list[tuple[int, int, int]]:
        """All (a, c, b) with c between two that are not adjacent, where no MAG has two arrows at c."""
        triples = unshielded_triples(self.pag.neighbours) if self.is_whole else ()
        return [(a, c, b) for a, c, b in triples if not self.is_collider((a, b), a, c, b)]

    def is_collider(self, pair: Pair, _: int, c: int, __: int) -> bool:
        """See ``IsCollider``."""
        return c not in self.ancestors[pair[0]] | self.ancestors[pair[1]]

    def closed(self, marks: _KnownMarks) -> _KnownMarks:
        """The marks with all that follows, in place; raises where that contradicts itself."""
        while True:
            before = [dict(row) for row in marks.ends]
            _put_paths(marks, self)
            _put_without_hidden_causes(marks, self.unconfounded)
            if self.is_whole:
                close_under_rules(marks, self.is_collider)
            if marks.ends == before:
                break
        self._check(marks)
        return marks

    def _check(self, marks: _KnownMarks) -> None:
        if any(marks.ends[a][c] == marks.ends[b][c] == ARROW for a, c, b in self.non_colliders):
            raise _ContradictionError
        if self.is_whole and any(
            self._is_discriminated_wrongly(marks, a, b) for a, row in enumerate(marks.ends) for b in row
        ):
            raise _ContradictionError
        graph = MarkedGraph.of_ends(self.pag.names, marks.ends)
        if any(possible_path(graph, a, b) is None for a, b in self.causes):
            raise _ContradictionError

    def _is_discriminated_wrongly(self, marks: _KnownMarks, a: int, b: int) -> bool:
        """Does a path discriminate b for a, and the marks there are not as it says?"""
        path = discriminating_path(marks, a, b)
        if path is None:
            return False
        here = marks.ends[path[-1]][b], marks.ends[a][b]
        return TAIL in here if self.is_collider((path[0], a), path[-1], b, a) else here == (ARROW, ARROW)


def _look_ahead(marks: _KnownMarks, task: _Task) -> None:
    """Put, in place, each mark of which the other one would lead to a contradiction."""
    n_circles, changed = sum(1 for _ in marks.circles()), True
    while changed and n_circles <= MOST_CIRCLES:
        changed = False
        for a, b in marks.circles():
            for mark, other in ((ARROW, TAIL), (TAIL, ARROW)):
                if marks.ends[a][b] == CIRCLE and not _may_be(marks, task, a, b, other):
                    marks.put(a, b, mark, KNOWN, ())
                    task.closed(marks)
                    changed = True


def _may_be(marks: _KnownMarks, task: _Task, a: int, b: int, mark: Mark) -> bool:
    tried = _KnownMarks([dict(row) for row in marks.ends])
    try:
        tried.put_known(a, b, mark)
        task.closed(tried)
    except _ContradictionError:
        return False
    return True


def _put_paths(marks: _KnownMarks, task: _Task) -> None:
    """Tails at causes and arrows at what is none, with what follows by transitivity from all arrows that are there."""
    n, ends = len(marks.ends), marks.ends
    arrows = [(a, b) for a in range(n) for b in ends[a] if marks.is_arrow(a, b)]
    certain = path_matrix(n, [*arrows, *task.causes])
    excluded = task.excluded | certain.T
    for a in range(n):
        excluded[[b for b in ends[a] if ends[a][b] == ARROW], a] = True
        for b in ends[a]:
            excluded[a, b] |= task.forbidden[a, b]  # an edge without this arrow
    excluded = spread(excluded, certain)
    if (certain & excluded).any() or certain.diagonal().any():
        raise _ContradictionError
    for a, row in enumerate(ends):
        for b in row:
            if certain[a, b]:
                marks.put_known(b, a, TAIL)
            if excluded[a, b]:
                marks.put(b, a, ARROW, KNOWN, ())


def _put_without_hidden_causes(marks: _KnownMarks, unconfounded: Collection[Pair]) -> None:
    """One of the two causes the other, if they are adjacent."""
    for pair in sorted(unconfounded):
        for a, b in (pair, pair[::-1]):
            if b in marks.ends[a] and marks.ends[a][b] == ARROW:
                marks.put(b, a, TAIL, KNOWN, ())
            if b in marks.ends[a] and marks.ends[a][b] == TAIL:
                marks.put(b, a, ARROW, KNOWN, ())

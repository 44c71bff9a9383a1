"""Partial ancestral graphs: Zhang's rules R0 to R10, and when a graph is a PAG.

A PAG stands for a class of MAGs: an arrow or a tail is there when all members have it. The rules find all of them
(J. Zhang, "On the completeness of orientation rules for causal discovery in the presence of latent confounders and
selection bias", Artificial Intelligence 2008); R5 to R7 apply only where rows may have been selected.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

from sidelight.graphs.ancestral import is_ancestral, is_maximal, reached, unseparable_pairs
from sidelight.graphs.dag import PartialDag
from sidelight.graphs.marks import ARROW, CIRCLE, TAIL, Mark, MarkedGraph
from sidelight.orientation.essential import extend_to_dag

Pair = tuple[int, int]
IsCollider = Callable[[Pair, int, int, int], bool]
# Given a pair that is apart, and a triple a, c, b: what separates the pair, does it say that c is a collider between a
# and b? The pair is a and b themselves, or the ends of a discriminating path.


@dataclass(frozen=True)
class MarkReason:
    """Why a mark is there: the number of a rule, and the other variables of its instance, in the order of a path."""

    rule: int
    others: tuple[int, ...]


@dataclass
class Marks:
    """The marks in the making: ``ends[a][b]`` is the mark at b. ``changed`` says whether the last round found any."""

    ends: list[dict[int, Mark]]
    reasons: dict[Pair, MarkReason] = field(default_factory=dict)
    changed: bool = False

    def put(self, a: int, b: int, mark: Mark, rule: int, others: Sequence[int]) -> None:
        """Put a mark at b's end of the edge between a and b, if there is a circle."""
        if self.ends[a][b] == CIRCLE:
            self.ends[a][b] = mark
            self.reasons[a, b] = MarkReason(rule, tuple(others))
            self.changed = True

    def circles(self) -> Iterator[Pair]:
        """All (a, b) with a circle at b, as it is when it is looked at."""
        for a, row in enumerate(self.ends):
            for b in list(row):
                if row[b] == CIRCLE:
                    yield a, b

    def is_arrow(self, a: int, b: int) -> bool:
        """Is there a → b?"""
        return self.ends[a][b] == ARROW and self.ends[b][a] == TAIL

    def into(self, b: int) -> list[int]:
        """All a with an arrow at b."""
        return [a for a in self.ends[b] if self.ends[a][b] == ARROW]

    def may_lead(self, a: int, b: int) -> bool:
        """May the edge be a → b? Neither an arrow at a nor a tail at b."""
        return self.ends[b][a] != ARROW and self.ends[a][b] != TAIL


@dataclass(frozen=True)
class Pag:
    """A PAG, and the reason of each mark (a, b) at b's end of the edge between a and b that is no circle."""

    graph: MarkedGraph
    reasons: dict[Pair, MarkReason] = field(compare=False)


def orient_pag(
    names: Sequence[Hashable],
    adjacency: Sequence[Collection[int]],
    is_collider: IsCollider,
    selection: bool = False,
) -> Pag:
    """The marks that follow from the adjacencies and what separates the rest; see ``IsCollider``."""
    marks = _with_colliders(adjacency, is_collider)
    _close(marks, [_rule_1, _rule_2, _rule_3], [lambda m, a, b: _rule_4(m, a, b, is_collider)])
    if selection:
        _rule_5(marks)
        _close(marks, [_rule_6, _rule_7], [])
    _close(marks, [_rule_8], [_rule_9, _rule_10])
    return Pag(MarkedGraph.of_ends(names, marks.ends), marks.reasons)


def close_under_rules(marks: Marks, is_collider: IsCollider) -> None:
    """R1 to R4 and R8 to R10 once more, in place, where other marks were put. No rule is wrong then."""
    _close(marks, [_rule_1, _rule_2, _rule_3], [lambda m, a, b: _rule_4(m, a, b, is_collider)])
    _close(marks, [_rule_8], [_rule_9, _rule_10])


def orient_colliders(names: Sequence[Hashable], adjacency: Sequence[Collection[int]], is_collider: IsCollider) -> Pag:
    """Only the arrows of unshielded colliders (R0)."""
    marks = _with_colliders(adjacency, is_collider)
    return Pag(MarkedGraph.of_ends(names, marks.ends), marks.reasons)


def _with_colliders(adjacency: Sequence[Collection[int]], is_collider: IsCollider) -> Marks:
    """R0: a *→ c ←* b where what separates a and b says so."""
    marks = Marks([dict.fromkeys(sorted(near), CIRCLE) for near in adjacency])
    for a, c, b in unshielded_triples(adjacency):
        if is_collider((a, b), a, c, b):
            marks.put(a, c, ARROW, 0, (b,))
            marks.put(b, c, ARROW, 0, (a,))
    return marks


def unshielded_triples(adjacency: Sequence[Collection[int]]) -> Iterator[tuple[int, int, int]]:
    """All (a, c, b) with c adjacent to both, a < b, and a, b not adjacent."""
    for c, near in enumerate(adjacency):
        for a, b in combinations(sorted(near), 2):
            if b not in adjacency[a]:
                yield a, c, b


Rule = Callable[[Marks, int, int], None]


def _close(marks: Marks, quick: Sequence[Rule], slow: Sequence[Rule]) -> None:
    """Apply rules until nothing changes; those that look for paths only when no other applies."""
    while True:
        marks.changed = False
        _apply(marks, quick)
        if not marks.changed:
            _apply(marks, slow)
        if not marks.changed:
            return


def _apply(marks: Marks, rules: Sequence[Rule]) -> None:
    for a, b in marks.circles():
        for rule in rules:
            if marks.ends[a][b] == CIRCLE:
                rule(marks, a, b)


# Each rule looks at an edge between a and b with a circle at b.


def _rule_1(marks: Marks, a: int, b: int) -> None:
    """c *→ b ○—* a, with c and a not adjacent: b → a, or b would be a collider."""
    for c in marks.into(b):
        if c != a and c not in marks.ends[a]:
            marks.put(a, b, TAIL, 1, (c,))
            marks.put(b, a, ARROW, 1, (c,))
            return


def _rule_2(marks: Marks, a: int, b: int) -> None:
    """a → c *→ b or a *→ c → b: an arrow at b, or there would be a cycle."""
    ends = marks.ends
    for c in ends[a]:
        if c in ends[b] and ends[a][c] == ARROW and ends[c][b] == ARROW and TAIL in (ends[c][a], ends[b][c]):
            marks.put(a, b, ARROW, 2, (c,))
            return


def _rule_3(marks: Marks, a: int, b: int) -> None:
    """c *→ b ←* d and c *—○ a ○—* d, with c and d not adjacent: an arrow at b."""
    ends = marks.ends
    around = [c for c in marks.into(b) if c in ends[a] and ends[c][a] == CIRCLE]
    for c, d in combinations(around, 2):
        if d not in ends[c]:
            marks.put(a, b, ARROW, 3, (c, d))
            return


def _rule_4(marks: Marks, a: int, b: int, is_collider: IsCollider) -> None:
    """A discriminating path d … c, b, a for b: what separates d and a says whether b is a collider on it."""
    path = discriminating_path(marks, a, b)
    if path is None:
        return
    d, c = path[0], path[-1]
    if is_collider((d, a), c, b, a):
        marks.put(c, b, ARROW, 4, (*path[:-1], a))
        marks.put(a, b, ARROW, 4, path)
        marks.put(b, a, ARROW, 4, path)
    else:
        marks.put(a, b, TAIL, 4, path)
        marks.put(b, a, ARROW, 4, path)


def discriminating_path(marks: Marks, a: int, b: int) -> list[int] | None:
    """The variables before b on a shortest path that discriminates b for a: d, not adjacent to a, comes first."""
    ends = marks.ends
    before = {c: b for c in ends[b] if c in ends[a] and ends[b][c] == ARROW and marks.is_arrow(c, a)}
    waiting = list(before)
    for v in waiting:  # grows meanwhile
        for u in marks.into(v):
            if u in before or u in (a, b):
                continue
            if u not in ends[a]:
                return [u, *_back(v, before, b)]
            if ends[v][u] == ARROW and marks.is_arrow(u, a):
                before[u] = v
                waiting.append(u)
    return None


def _back(v: int, before: dict[int, int], until: int) -> Iterator[int]:
    while v != until:
        yield v
        v = before[v]


def _rule_5(marks: Marks) -> None:
    """A ring of ○—○ edges without a chord at its ends: all of them are undirected."""
    ends = marks.ends
    joined = [(a, b) for a, b in marks.circles() if a < b and ends[b][a] == CIRCLE]
    circle = [{b for b, at_b in row.items() if at_b == CIRCLE == ends[b][a]} for a, row in enumerate(ends)]
    rings = [path for a, b in joined if (path := _uncovered_ring(ends, circle, a, b)) is not None]
    for path in rings:
        for u, v in pairwise([*path, path[0]]):
            others = [w for w in path if w not in (u, v)]
            marks.put(u, v, TAIL, 5, others)
            marks.put(v, u, TAIL, 5, others)


def _uncovered_ring(ends: list[dict[int, Mark]], circle: list[set[int]], a: int, b: int) -> list[int] | None:
    """a, c, …, d, b by ○—○, no two apart by one adjacent, nor c and b, nor a and d."""
    waiting = [[a, c] for c in sorted(circle[a]) if c != b and c not in ends[b]]
    seen = {(a, path[-1]) for path in waiting}
    for path in waiting:  # grows meanwhile
        u, v = path[-2:]
        for w in sorted(circle[v]):
            if w == b and u not in ends[b] and v not in ends[a]:
                return [*path, b]
            if w not in path and w != b and w not in ends[u] and (v, w) not in seen:
                seen.add((v, w))
                waiting.append([*path, w])
    return None


def _rule_6(marks: Marks, a: int, b: int) -> None:
    """c — b ○—* a: a tail at b, where no arrow can be."""
    for c in marks.ends[b]:
        if c != a and marks.ends[b][c] == TAIL == marks.ends[c][b]:
            marks.put(a, b, TAIL, 6, (c,))
            return


def _rule_7(marks: Marks, a: int, b: int) -> None:
    """c —○ b ○—* a, with c and a not adjacent: a tail at b."""
    ends = marks.ends
    for c in ends[b]:
        if c != a and c not in ends[a] and ends[b][c] == TAIL and ends[c][b] == CIRCLE:
            marks.put(a, b, TAIL, 7, (c,))
            return


def _rule_8(marks: Marks, a: int, b: int) -> None:
    """b → c → a or b —○ c → a, beside b ○→ a: b → a."""
    ends = marks.ends
    if ends[b][a] != ARROW:
        return
    for c in ends[b]:
        if c in ends[a] and ends[c][b] == TAIL and ends[b][c] != TAIL and marks.is_arrow(c, a):
            marks.put(a, b, TAIL, 8, (c,))
            return


def _rule_9(marks: Marks, a: int, b: int) -> None:
    """b ○→ a, and an uncovered path that may lead from b to a, whose second variable is not adjacent to a: b → a."""
    if marks.ends[b][a] != ARROW:
        return
    for c in marks.ends[b]:
        if c != a and c not in marks.ends[a] and marks.may_lead(b, c):
            path = _uncovered_path(marks, b, c, {a})
            if path is not None:
                marks.put(a, b, TAIL, 9, path[1:-1])
                return


def _rule_10(marks: Marks, a: int, b: int) -> None:
    """b ○→ a, and uncovered paths from b, whose second variables are not adjacent, to parents of a: b → a."""
    ends = marks.ends
    if ends[b][a] != ARROW:
        return
    parents = {p for p in ends[a] if marks.is_arrow(p, a) and p != b}
    firsts = [c for c in ends[b] if c != a and marks.may_lead(b, c)] if len(parents) > 1 else []
    for c, d in combinations(firsts, 2):
        if d in ends[c]:
            continue
        one = _uncovered_path(marks, b, c, parents, avoid=a)
        other = None if one is None else _uncovered_path(marks, b, d, parents, avoid=a)
        if one is not None and other is not None:
            marks.put(a, b, TAIL, 10, (*one[1:], *other[1:]))
            return


def _uncovered_path(marks: Marks, start: int, second: int, goals: Collection[int], avoid: int = -1) -> list[int] | None:
    """A path that may lead from the start, by the second variable, to a goal; no two apart by one are adjacent."""
    waiting = [[start, second]]
    seen = {(start, second)}
    for path in waiting:  # grows meanwhile
        u, v = path[-2:]
        if v in goals:
            return path
        for w in marks.ends[v]:
            if w in path or w == avoid or w in marks.ends[u] or (v, w) in seen or not marks.may_lead(v, w):
                continue
            seen.add((v, w))
            waiting.append([*path, w])
    return None


def pag_of(mag: MarkedGraph, selection: bool = False) -> Pag:
    """The PAG of a MAG's class."""

    def is_collider(_: Pair, a: int, c: int, b: int) -> bool:
        return mag.ends[a][c] == ARROW == mag.ends[b][c]

    return orient_pag(mag.names, mag.neighbours, is_collider, selection=selection)


def mag_in(pag: MarkedGraph) -> MarkedGraph:
    """One MAG of the class that a PAG stands for (Zhang 2008, Theorem 2): circles at tails' or arrows' other ends go.

    ○→ and —○ become →, and the ○—○ edges a DAG without new colliders.
    """
    circle_part = PartialDag.from_skeleton(
        len(pag), [(a, b) for a, near in enumerate(pag.circles) for b in near if a < b]
    )
    parents = extend_to_dag(circle_part)
    ends = [dict(row) for row in pag.ends]
    for edge in pag.edges():
        for e in (edge, edge.reversed()):
            if e.at_a == e.at_b == CIRCLE:
                ends[e.b][e.a] = TAIL if e.a in parents[e.b] else ARROW
            elif e.at_a == CIRCLE:
                ends[e.b][e.a] = TAIL if e.at_b == ARROW else ARROW
    return MarkedGraph.of_ends(pag.names, ends)


def is_pag(graph: MarkedGraph, selection: bool = False) -> bool:
    """Is there a MAG, without selection unless that is allowed, of whose class this is the PAG?"""
    mag = mag_in(graph)
    if not selection and any(mag.undirected):
        return False
    return is_ancestral(mag) and is_maximal(mag) and pag_of(mag, selection).graph == graph


def markov_equivalent(one: MarkedGraph, other: MarkedGraph) -> bool:
    """Do two MAGs imply the same independences?"""
    return pag_of(one, selection=True).graph == pag_of(other, selection=True).graph


def nearest_mag(graph: MarkedGraph) -> MarkedGraph:
    """A MAG with these adjacencies, and more where needed, and with these marks as far as none contradict each other.

    Arrows follow an order of the variables, a ↔ b with a before b among the ancestors of b becomes a → b, and pairs
    that nothing separates are joined by ↔ (Richardson and Spirtes 2002, Theorem 5.1).
    """
    order = _order_of_causes(graph)
    edges = {(e.a, e.b) if order[e.a] < order[e.b] else (e.b, e.a): e.at_a == e.at_b == ARROW for e in graph.edges()}
    while True:
        marked = [(a, b, ARROW if mutual else TAIL, ARROW) for (a, b), mutual in edges.items()]
        mag = MarkedGraph.of_edges(graph.names, marked)
        causes = [(a, b) for (a, b), mutual in edges.items() if mutual and a in reached(mag.parents, [b])]
        apart = [] if causes else [tuple(sorted(pair, key=order.__getitem__)) for pair in unseparable_pairs(mag)]
        if not causes and not apart:
            return mag
        edges |= dict.fromkeys(causes, False)
        edges |= {(a, b): a not in reached(mag.parents, [b]) for a, b in apart}


def downward(pag: MarkedGraph) -> list[Pair]:
    """All edges, each from the one of the two that may be the cause of the other, so that they make no cycle."""
    order = _order_of_causes(mag_in(pag))
    return sorted((e.a, e.b) if order[e.a] < order[e.b] else (e.b, e.a) for e in pag.edges())


def _order_of_causes(graph: MarkedGraph) -> list[int]:
    """The place of each variable in an order with tails before arrows, but for cycles; ties by column."""
    n_causes = [len(parents) for parents in graph.parents]
    left, place = set(range(len(graph))), [0] * len(graph)
    for position in range(len(graph)):
        v = min(left, key=lambda v: (n_causes[v], v))
        left.remove(v)
        place[v] = position
        for child in graph.children[v]:
            n_causes[child] -= 1
    return place

"""A network by position of its variables in ``names``: what explanations and pictures are made from.

The tests that are evidence for an edge are those that decided on it, as far as they are few enough to be repeated. A
recursive learner decides on the edge x — y when the first of the two is removed, by the rest of its boundary with some
members left out. Others decide by subsets of neighbours.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from math import comb
from operator import itemgetter

from sidelight.errors import InputError
from sidelight.graphs.dag import Dag, PartialDag
from sidelight.graphs.marks import CIRCLE, MarkedGraph
from sidelight.graphs.separating_sets import SeparatingSets
from sidelight.knowledge import Constraints, Known, constraints_of
from sidelight.knowledge.time import closed_dag
from sidelight.learners.task import Step
from sidelight.orientation.essential import VStructure, find_v_structures, undirected_part
from sidelight.orientation.known import known_arrows, told_arrows
from sidelight.orientation.marked_knowledge import refined
from sidelight.orientation.pag import MarkReason, Pag, is_pag, mag_in, orient_pag, pag_of
from sidelight.orientation.reasons import Reason, reasons
from sidelight.result.settings import Settings
from sidelight.text.sentences import short_names
from sidelight.text.visible import visible

MOST_SETS = 512  # for one edge
NO_DAG = (
    "this network was learned with hidden=True: it is a PAG, which stands for no DAG of these variables. net.edges, "
    "net.mark, net.causes and net.effect say what it shows; learn without hidden=True for what needs a DAG"
)
Sets = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class ConditioningSets:
    """Conditioning sets for one edge, what they are in words, and the rest of the boundary that they come from."""

    sets: Sets
    words: str
    rest: tuple[int, ...]


@dataclass(frozen=True)
class EdgeTests:
    """The tests of every edge of a network.

    ``retested`` is True when every edge was re-tested, with the smallest conditioning sets.
    """

    names: tuple[Hashable, ...]
    adjacency: Sequence[set[int]]
    boundaries: Mapping[Hashable, frozenset[Hashable]]
    steps: tuple[Step, ...]
    retested: bool

    @cached_property
    def index(self) -> dict[Hashable, int]:
        """The position of each name."""
        return {name: position for position, name in enumerate(self.names)}

    @cached_property
    def short_names(self) -> list[str]:
        """The names as used in sentences, by position."""
        return short_names([visible(str(name)) for name in self.names])

    @cached_property
    def _step_of(self) -> dict[Hashable, tuple[int, Step]]:
        return {step.removed: (number, step) for number, step in enumerate(self.steps, 1)}

    def first_step(self, x: int, y: int) -> tuple[int, Step]:
        """The step in which the first of the two was removed, and its number from 1 on."""
        return min((self._step_of[self.names[v]] for v in (x, y)), key=itemgetter(0))

    def edges(self) -> list[tuple[int, int]]:
        """All edges as (smaller, larger), sorted."""
        return [(x, y) for x, neighbours in enumerate(self.adjacency) for y in sorted(neighbours) if x < y]

    def rest_of_boundary(self, x: int, y: int) -> tuple[int, ...]:
        """The boundary of the one that was removed first, as it was then, without the other; or else the smaller.

        Where the order of variables is known, the boundary of the earlier one lacks the later one, and does not count.
        """
        if self.steps:
            return tuple(self.index[z] for z in self.first_step(x, y)[1].boundary if self.index[z] not in (x, y))
        boundaries = [{self.index[z] for z in self.boundaries.get(self.names[v], ())} for v in (x, y)]
        complete = [members for members in boundaries if members & {x, y}] or boundaries
        return min((tuple(sorted(members - {x, y})) for members in complete), key=len)

    def about(self, x: int, y: int) -> ConditioningSets:
        """The tests of one edge."""
        rest = self.rest_of_boundary(x, y)
        sets, words = self._at_removal(x, y, rest) if self.steps else self._among_neighbours(x, y)
        if self.steps and self.retested:
            sets = _each_once(sets, _small_sets((self.adjacency[x] | self.adjacency[y]) - {x, y}))
            words += "; and given no or any one neighbour of either"
        return ConditioningSets(sets, words, rest)

    def _at_removal(self, x: int, y: int, rest: tuple[int, ...]) -> tuple[Sets, str]:
        number, step = self.first_step(x, y)
        removed, when = self.short_names[self.index[step.removed]], f"step {number} of {len(self.steps)}"
        return _with_some_left_out(rest, step, f"the boundary of {removed} at its removal ({when})")

    def _among_neighbours(self, x: int, y: int) -> tuple[Sets, str]:
        """For learners that do not remove: subsets of the neighbours of the variable with fewer (or of the first)."""
        first, second = sorted((x, y), key=lambda v: (len(self.adjacency[v]), v))
        others, name = tuple(sorted(self.adjacency[first] - {second})), self.short_names[first]
        sets, which = _subsets(others)
        if not others:
            return sets, f"without conditioning, since {name} has no other neighbour"
        return sets, f"given {which} of the other neighbours of {name}"


def _with_some_left_out(rest: tuple[int, ...], step: Step, boundary: str) -> tuple[Sets, str]:
    """The rest of a boundary, whole and without as many members at a time as the learner left out."""
    if not rest:
        return ((),), f"without conditioning, since {boundary} had no other member"
    if step.left_out is None and not step.undecided:
        sets, which = _subsets(rest)
        return sets, f"given {which} of the rest of {boundary}"
    size = min(max(0, step.left_out or 0), len(rest))
    while size and comb(len(rest), size) > MOST_SETS:
        size -= 1
    if not size:
        return (rest,), f"given the rest of {boundary}"
    left = (tuple(z for z in rest if z not in left_out) for left_out in combinations(rest, size))
    count = {1: "one", 2: "two", 3: "three"}.get(size, str(size))
    return _each_once((rest,), left), f"given the rest of {boundary}, whole or without any {count} of its members"


def _subsets(pool: tuple[int, ...]) -> tuple[Sets, str]:
    """All subsets if they are few, else the smallest and the largest, and what they are in words."""
    if 2 ** len(pool) <= MOST_SETS:
        sets = chain.from_iterable(combinations(pool, size) for size in range(len(pool) + 1))
        return tuple(sets), "any subset"
    without_one = (tuple(z for z in pool if z != left_out) for left_out in pool)
    return _each_once(_small_sets(pool), without_one, (pool,)), "none, one, all but one, and all"


def _small_sets(pool: Iterable[int]) -> Sets:
    return ((), *((z,) for z in sorted(pool)))


def _each_once(*sets: Iterable[tuple[int, ...]]) -> Sets:
    return tuple(dict.fromkeys(chain.from_iterable(sets)))


@dataclass(frozen=True)
class ByPosition:
    """The graph, a DAG that it stands for, which tests are about each edge, and what was known; by position."""

    marks: MarkedGraph
    chosen: Dag | None  # none where causes may be hidden
    separating_sets: SeparatingSets
    edge_tests: EdgeTests
    settings: Settings

    @cached_property
    def graph(self) -> PartialDag:
        """The directed and undirected edges."""
        _ = self.dag  # raises where there are other edges
        return self.marks.to_partial()

    @property
    def dag(self) -> Dag:
        """A DAG that the graph stands for."""
        if self.chosen is None:
            raise InputError(NO_DAG)
        return self.chosen

    @cached_property
    def known(self) -> Constraints | None:
        """What was known, by position; None if nothing was."""
        return self.settings.constraints(self.marks.names, self.chosen is None)

    @cached_property
    def statements(self) -> list[tuple[str, Constraints]]:
        """Each statement in words, and what it says by itself."""
        return [
            (str(statement), constraints_of(Known((), (statement,)), self.marks.names, self.chosen is None))
            for statement in self.settings.known.statements
        ]

    @cached_property
    def reasons(self) -> dict[tuple[int, int], Reason]:
        """Why each directed edge (tail, head) has its direction."""
        if self.known is None:
            return reasons(self.dag)
        one_way = [*known_arrows(self.known, self.dag.edges()), *told_arrows(self.known, self.dag)]
        found = reasons(self.dag, self.graph.directed_edges(), one_way)
        given = self.known.given
        return {arrow: Reason(arrow, known=True) if arrow[0] in given else why for arrow, why in found.items()}

    @cached_property
    def mark_reasons(self) -> dict[tuple[int, int], MarkReason]:
        """Of a PAG, why there is a mark at b's end of the edge between a and b, by (a, b).

        By the separating sets, or, where these contradict each other, by the independences that the PAG stands for.
        With knowledge, marks that learning did not find have that as their reason.
        """
        found = self.by_sets
        if self.known is None:
            return (found if found.graph == self.marks else pag_of(mag_in(self.marks), selection=True)).reasons
        reasons = found.reasons | refined(found.graph, self.known, is_pag(found.graph)).reasons
        return {pair: reason for pair, reason in reasons.items() if self.marks.mark(*pair) != CIRCLE}

    @cached_property
    def by_sets(self) -> Pag:
        """The PAG that follows from the edges and the separating sets, without knowledge."""
        between, names = self.separating_sets.between, self.marks.names
        return orient_pag(names, self.marks.neighbours, lambda pair, a, c, b: c not in between(*pair), selection=True)

    @cached_property
    def surviving_arrows(self) -> list[tuple[int, int]]:
        """The arrows that would still say what causes what if common causes were hidden: those of the DAG's PAG."""
        pag = pag_of(MarkedGraph.of_dag(closed_dag(self.dag, self.known))).graph
        return [(tail, head) for tail, head in self.graph.directed_edges() if tail in pag.parents[head]]

    @cached_property
    def open_edges(self) -> PartialDag:
        """The undirected edges, with those directed ones that matter when some of them are directed."""
        return undirected_part(self.graph) if self.known is None else self.graph

    @cached_property
    def overruled(self) -> list[VStructure]:
        """The v-structures that separating sets imply but that contradict others; a PAG has a warning of its own."""
        if self.chosen is None:
            return []
        shown = set(self.dag.v_structures())
        implied = find_v_structures(len(self.dag), self.separating_sets.lacking)
        return [v for v in implied if v not in shown]

    @cached_property
    def from_failed_sets(self) -> list[VStructure]:
        """The v-structures that would follow from separating sets which do not separate in the data."""
        if self.chosen is None:
            return []
        return find_v_structures(len(self.dag), self.separating_sets.lacking_failed)

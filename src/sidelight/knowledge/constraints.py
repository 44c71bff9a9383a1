"""What is known, by position in the names, with all that follows by rules, repeated until nothing new comes out.

A required arrow forbids its reverse. An adjacent pair with one direction forbidden is a required arrow. Required arrows
and known ancestors chain; a certain ancestor has no path from its descendant. Where i is no ancestor of j, no certain
descendant of i is one of j, and i is none of any certain ancestor of j.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.knowledge.facts import Facts, Pair

Matrix = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Constraints:
    """What is known, by position in the names, with everything that follows from it.

    Args:
        names: the variables.
        allowed: [i, j]: the arrow from i to j may be there; False on the diagonal.
        required: arrows that are there.
        adjacent: pairs (smaller, larger) known to be adjacent, those of required arrows included.
        said_ancestors: the pairs with a path that statements name as such.
        said_not_ancestors: [i, j]: a statement itself excludes every path from i to j.
        certain: [i, j]: a path from i to j is known, directly or by chaining.
        excluded: [i, j]: there is no path from i to j, where a rule had to say so.
        apart: [i, j]: the two are known not to be adjacent.
        unconfounded: pairs (smaller, larger) without a hidden common cause; of no use without hidden causes.
        settings: the sets of variables that were set together in an experiment.
        given: variables that learning conditions upon: nothing is asked of pairs of them (see ``time.py``).

    Where causes may be hidden, arrows and paths are those of the ancestral graph, and an adjacent pair without an arrow
    between the two has a hidden common cause.
    """

    names: tuple[Hashable, ...]
    allowed: Matrix
    required: frozenset[Pair]
    adjacent: frozenset[Pair]
    said_ancestors: frozenset[Pair]
    said_not_ancestors: Matrix
    certain: Matrix
    excluded: Matrix
    apart: Matrix
    unconfounded: frozenset[Pair]
    settings: frozenset[frozenset[int]] = frozenset()
    given: frozenset[int] = frozenset()

    def cannot_be_adjacent(self, i: int, j: int) -> bool:
        """True when no edge between the two agrees with what is known."""
        no_arrow = not (self.allowed[i, j] or self.allowed[j, i])
        return bool(self.apart[i, j]) or (no_arrow and (min(i, j), max(i, j)) in self.unconfounded)

    def tells(self, i: int, j: int) -> bool:
        """Do experiments tell the direction of an edge between the two? They do if one was set and the other not."""
        return any((i in setting) != (j in setting) for setting in self.settings)

    @property
    def restricts(self) -> bool:
        """Does anything that is known rule structures out? What experiments tell does not."""
        n = len(self.names)
        return bool(self.adjacent or self.certain.any() or self.excluded.any() or self.allowed.sum() < n * (n - 1))

    def blocks(self) -> list[list[int]]:
        """The strongly connected components of the allowed arrows, causes first.

        Every arrow of a DAG that agrees with what is known stays within a block or leads to a later one.
        """
        return ordered_components(self.allowed)

    def causes_first(self, order: Sequence[int]) -> list[int]:
        """The order, with required causes before their effects."""
        if not self.required:
            return list(order)
        position = {v: i for i, v in enumerate(order)}
        graph = nx.DiGraph(sorted(self.required))
        graph.add_nodes_from(order)
        return list(nx.lexicographical_topological_sort(graph, key=position.__getitem__))

    @cached_property
    def without_path(self) -> Matrix:
        """[i, j]: no path leads from i to j, as a statement says so, or since arrows that may be there make none."""
        without = self.said_not_ancestors | ~reachable(self.allowed)
        np.fill_diagonal(without, False)
        return without

    @cached_property
    def ancestors(self) -> frozenset[Pair]:
        """(i, j) with a directed path from i to j, those by required arrows included."""
        return _pairs(self.certain)

    @cached_property
    def not_ancestors(self) -> frozenset[Pair]:
        """(i, j) without one, only those that ``allowed`` does not imply by itself."""
        excluded = self.excluded & reachable(self.allowed) if self.excluded.any() else self.excluded
        return frozenset((i, j) for i, j in _pairs(excluded) if i != j)  # that there is none to itself goes unsaid

    @cached_property
    def open_ancestors(self) -> frozenset[Pair]:
        """The paths that have to be found: those that required arrows alone do not make."""
        return self.ancestors - self._by_required_arrows

    @property
    def has_open_paths(self) -> bool:
        """True when paths have to be found or avoided."""
        return bool(self.open_ancestors or self.open_not_ancestors)

    @cached_property
    def open_not_ancestors(self) -> frozenset[Pair]:
        """The paths that have to be avoided: those that would not close a cycle with required arrows."""
        return self.not_ancestors - {(j, i) for i, j in self._by_required_arrows}

    @cached_property
    def _by_required_arrows(self) -> frozenset[Pair]:
        return _pairs(path_matrix(len(self.names), self.required))


def closure(names: tuple[Hashable, ...], facts: Sequence[Facts], hidden: bool = False) -> Constraints:
    """What follows from the facts; where they contradict each other, the result shows it.

    Where causes may be hidden, an adjacent pair of which one direction is forbidden need not have the other one.
    """
    allowed, not_ancestors = excluded_directly(len(names), facts)
    required = {arrow for each in facts for arrow in each.required}
    ancestors = frozenset(pair for each in facts for pair in each.ancestors)
    adjacent = required | {pair for each in facts for pair in each.adjacent}
    unconfounded = frozenset((min(pair), max(pair)) for each in facts for pair in each.unconfounded)
    while True:
        certain = path_matrix(len(names), required | ancestors)
        excluded = spread(not_ancestors | certain.T, certain)
        allowed &= ~excluded
        directed = _with_one_direction(_within(adjacent, unconfounded) if hidden else adjacent, allowed)
        if directed <= required:
            break
        required |= directed
    allowed.flags.writeable = False
    in_order = frozenset((min(pair), max(pair)) for pair in adjacent)
    apart = _apart(len(names), facts) if hidden else ~(allowed | allowed.T)
    first = names, allowed, frozenset(required), in_order, ancestors, not_ancestors
    return Constraints(*first, certain, excluded, apart, unconfounded)


def _within(adjacent: set[Pair], unconfounded: Collection[Pair]) -> set[Pair]:
    return {pair for pair in adjacent if (min(pair), max(pair)) in unconfounded}


def _apart(n_variables: int, facts: Sequence[Facts]) -> Matrix:
    apart = np.zeros((n_variables, n_variables), dtype=bool)
    for rows, columns in (area for each in facts for area in each.apart):
        apart[np.ix_(rows, columns)] = True
    np.fill_diagonal(apart, False)
    return apart | apart.T


def with_settings(
    known: Constraints | None, names: Sequence[Hashable], settings: Collection[frozenset[int]]
) -> Constraints | None:
    """What is known, and which variables were set together in experiments; None if it is nothing."""
    if not settings:
        return known
    return replace(closure(tuple(names), []) if known is None else known, settings=frozenset(settings))


def excluded_directly(n_variables: int, facts: Sequence[Facts]) -> tuple[Matrix, Matrix]:
    """Which arrows may be there, and which paths may not, as far as the facts say so one by one."""
    allowed = ~np.eye(n_variables, dtype=bool)
    excluded = np.zeros_like(allowed)
    for each in facts:
        for rows, columns in each.forbidden:
            allowed[np.ix_(rows, columns)] = False
        for rows, columns in each.not_ancestors:
            excluded[np.ix_(rows, columns)] = True
    return allowed, excluded


def path_matrix(n_variables: int, arrows: Collection[Pair]) -> Matrix:
    """[i, j]: arrows of these make a directed path from i to j."""
    graph = np.zeros((n_variables, n_variables), dtype=bool)
    for i, j in arrows:
        graph[i, j] = True
    return reachable(graph) if arrows else graph


def spread(excluded: Matrix, certain: Matrix) -> Matrix:
    """Where i is no ancestor of j, neither is a certain descendant of i, and i is none of a certain ancestor of j."""
    below, above = np.flatnonzero(certain.any(axis=0)), np.flatnonzero(certain.any(axis=1))
    if not excluded.any() or not len(below):
        return excluded
    known, spread = certain.astype(np.float32), excluded.astype(np.float32)  # floats, since they multiply fast
    spread[below] += known[above][:, below].T @ spread[above]
    spread[:, above] += spread[:, below] @ known[above][:, below].T
    return spread > 0


def _with_one_direction(adjacent: set[Pair], allowed: Matrix) -> set[Pair]:
    """The arrows of the adjacent pairs of which only one direction may be there."""
    both_ways = adjacent | {(j, i) for i, j in adjacent}
    return {(i, j) for i, j in both_ways if allowed[i, j] and not allowed[j, i]}


def _pairs(matrix: Matrix) -> frozenset[Pair]:
    rows, columns = np.nonzero(matrix)
    return frozenset(zip(rows.tolist(), columns.tolist(), strict=True))


# Directed paths in a graph that is given as a matrix.


def ordered_components(graph: Matrix) -> list[list[int]]:
    """The strongly connected components, each sorted, causes first; ties by the smallest member."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    if not len(graph):
        return []
    _, label = connected_components(csr_matrix(graph), directed=True, connection="strong")
    members = np.split(np.argsort(label, kind="stable"), np.cumsum(np.bincount(label))[:-1])
    members.sort(key=lambda component: int(component[0]))
    between = np.zeros((len(members), len(members)), dtype=bool)
    if len(members) > 1:
        for number, component in enumerate(members):
            label[component] = number
        tails, heads = np.nonzero(graph)
        between[label[tails], label[heads]] = True
        np.fill_diagonal(between, False)
    return [members[number].tolist() for number in _topological_order(between)]


def _topological_order(graph: Matrix) -> list[int]:
    """The vertices of an acyclic graph with tails before heads, the smallest first among those that may come next."""
    waiting_for = graph.sum(axis=0)
    ready: list[int] = np.flatnonzero(waiting_for == 0).tolist()
    order = []
    while ready:
        vertex = heapq.heappop(ready)
        order.append(vertex)
        heads = np.flatnonzero(graph[vertex])
        waiting_for[heads] -= 1
        for head in heads[waiting_for[heads] == 0].tolist():
            heapq.heappush(ready, head)
    return order


def reachable(graph: Matrix) -> Matrix:
    """[i, j]: a directed path of at least one arrow leads from i to j."""
    components = ordered_components(graph)
    number = np.empty(len(graph), dtype=np.intp)
    for at, members in enumerate(components):
        number[members] = at
    from_component = np.zeros((len(components), len(graph)), dtype=bool)
    for at in reversed(range(len(components))):
        members, reached = components[at], from_component[at]
        reached |= graph[members].any(axis=0)
        later = np.unique(number[reached])
        reached |= from_component[later[later > at]].any(axis=0)
        if len(members) > 1:
            reached[members] = True
    return from_component[number]

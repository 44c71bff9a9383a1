"""How sure a network is: what graphs of resamples of the rows, and of other significance levels, say of each edge.

A pair is counted by position, the first variable before the second. Pairs that are never adjacent are not kept.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, permutations
from math import comb, inf, perm, sqrt
from operator import attrgetter
from typing import Any, Literal, NamedTuple, TypeVar, cast

import networkx as nx
import numpy as np

from sidelight.errors import InputError
from sidelight.graphs.dag import Dag, PartialDag
from sidelight.graphs.marks import MarkedGraph
from sidelight.graphs.separating_sets import Pair, ordered
from sidelight.knowledge import Constraints
from sidelight.orientation.essential import Orientation, member
from sidelight.result.marked_shares import LETTERS, MARKS, NO_EDGE, WAYS, MarkCounts, Way, at_ends, marks_in_words

Method = Literal["bootstrap", "subsample", "complementary-pairs", "directions"]
Key = TypeVar("Key", frozenset[Hashable], tuple[Hashable, Hashable])
FORWARD, BACKWARD, UNDIRECTED = LETTERS[0], LETTERS[1], LETTERS[2]  # of a pair in one graph that is no PAG
CERTAIN = 0.8  # of the resamples; an arrow that fewer have is drawn as uncertain: benchmarks/judged_arrows.py
WHY_UNCERTAIN = f"fewer than {CERTAIN:.0%} of the resamples have this arrow"
MAJORITY = 0.5  # of the resamples in which a pair is adjacent; an arrow that fewer have is left open


class PairCounts(NamedTuple):
    """In how many graphs the edge points from the first variable to the second, the other way, or neither way."""

    forward: int = 0
    backward: int = 0
    undirected: int = 0

    @staticmethod
    def of(letters: str) -> PairCounts:
        """From a letter for each graph."""
        return PairCounts(*map(letters.count, (FORWARD, BACKWARD, UNDIRECTED)))

    @property
    def adjacent(self) -> int:
        """In how many graphs there is an edge."""
        return self.forward + self.backward + self.undirected

    def turned(self) -> PairCounts:
        """The same as seen from the second variable."""
        return PairCounts(self.backward, self.forward, self.undirected)


@dataclass(frozen=True)
class Shares:
    """How often each pair is adjacent in the graphs learned from resamples of a table, and which way its edge points.

    Attributes:
        names: the variables, in the order of the columns.
        method: how rows were drawn: "bootstrap", "subsample", "complementary-pairs" or "directions".
        seed: of the drawing.
        n_resamples: how many graphs were learned.
        counts: for each pair that is ever adjacent, by position, how often and which way; of PAGs ``MarkCounts``.
        max_false_edges: how many false edges are expected at most above the threshold, if that was asked for.
        ways: for each of these pairs how its edge points in each graph, a letter for each of them: f(orward),
            b(ackward), u(ndirected), or . without an edge; empty if only counts were kept. Of PAGs also those
            of ``marked_shares.LETTERS``.
    """

    names: tuple[Hashable, ...]
    method: Method
    seed: int
    n_resamples: int
    counts: Mapping[Pair, PairCounts] | Mapping[Pair, MarkCounts]
    max_false_edges: float | None = None
    ways: Mapping[Pair, str] = field(default_factory=dict)

    @property
    def of_pags(self) -> bool:
        """True where the graphs are PAGs."""
        return any(isinstance(counts, MarkCounts) for counts in self.counts.values())

    def graphs(self) -> Iterator[MarkedGraph]:
        """The graph of each resample; none where only counts were kept."""
        marks = {letter: MARKS[way] for letter, way in zip(LETTERS, WAYS, strict=True)}
        for number in range(self.n_resamples if self.ways else 0):
            adjacent = ((pair, letters[number]) for pair, letters in self.ways.items() if letters[number] != NO_EDGE)
            yield MarkedGraph.of_edges(self.names, ((*pair, *marks[letter]) for pair, letter in adjacent))

    def of(self, x: int, y: int) -> PairCounts | MarkCounts:
        """The counts of a pair by position, as seen from x."""
        counts = self.counts.get(ordered(x, y), PairCounts())
        return counts if x < y else counts.turned()

    def mark(self, a: Hashable, b: Hashable) -> dict[str, float]:
        """In which share of the graphs a and b are adjacent with each mark at b: "arrow", "tail" and "circle"."""
        at_b = at_ends(self.of(self.names.index(a), self.names.index(b)))[1]
        return {str(mark): self.share(count) for mark, count in at_b.items()}

    def share(self, count: int) -> float:
        """The share of the graphs; 0 if there are none."""
        return count / self.n_resamples if self.n_resamples else 0.0

    def error(self, count: int) -> float:
        """The standard error of a share that comes from drawing so few resamples (Monte Carlo error)."""
        share = self.share(count)
        return sqrt(share * (1 - share) / self.n_resamples) if self.n_resamples else 0.0

    @cached_property
    def adjacency(self) -> Mapping[frozenset[Hashable], float]:
        """For every pair, as a frozenset of names, in which share of the graphs it is adjacent."""
        return _ByNames[frozenset[Hashable]](self, frozenset, attrgetter("adjacent"))

    @cached_property
    def arrow(self) -> Mapping[tuple[Hashable, Hashable], float]:
        """For every ordered pair (tail, head), in which share of the graphs an arrow points from tail to head."""
        return _ByNames[tuple[Hashable, Hashable]](self, tuple, attrgetter("forward"))

    @cached_property
    def threshold(self) -> float:
        """From which share on an edge is taken as significant.

        By the number of false edges, if that was asked for; else the shares themselves choose it, as in Scutari and
        Nagarajan (2013): their distribution is compared with those in which an edge is always there or never.
        """
        if self.max_false_edges is not None:
            return self._threshold_by_false_edges(self.max_false_edges)
        n_pairs = comb(len(self.names), 2)
        shares = np.sort([self.share(counts.adjacent) for counts in self.counts.values()])
        # The distribution function is constant between the shares; the best constant in absolute distance is the
        # median of its values over [0, 1], each as often as its piece is long.
        ends = np.concatenate([[0.0], shares, [1.0]])
        values = (n_pairs - len(shares) + np.arange(len(shares) + 1)) / max(1, n_pairs)
        reached = np.cumsum(np.diff(ends)) >= 0.5
        level = values[int(np.argmax(reached))] if len(values) else 1.0
        # The smallest share of which at least this part of all pairs does not exceed it; edges lie above it.
        rank = int(np.ceil(level * n_pairs - 1e-9)) - (n_pairs - len(shares))
        quantile = float(shares[rank - 1]) if rank > 0 else 0.0
        above = shares[shares > quantile + 1e-12]
        return float(above[0]) if len(above) else 1.0

    def _threshold_by_false_edges(self, most: float) -> float:
        levels = [count / self.n_resamples for count in range(self.n_resamples // 2 + 1, self.n_resamples + 1)]
        return next((level for level in levels if self.false_edges(level) <= most), float("inf"))

    @property
    def mean_edges(self) -> float:
        """How many edges a graph has on average."""
        return sum(counts.adjacent for counts in self.counts.values()) / max(1, self.n_resamples)

    def false_edges(self, threshold: float) -> float:
        """A bound on the expected number of false edges from this threshold on (Shah and Samworth 2013).

        It needs complementary pairs. False is what a graph of half the rows has no more often than a pair has an edge
        on average; the distribution of the shares of such pairs is taken to be unimodal.
        """
        n_pairs = comb(len(self.names), 2)
        return bound_on_false_edges(threshold, self.n_resamples // 2, self.mean_edges, n_pairs)

    def chosen(self, threshold: float | None = None) -> list[Pair]:
        """The pairs whose share reaches the threshold, by position, those with the largest share first."""
        least = self.threshold if threshold is None else threshold
        found = [pair for pair, counts in self.counts.items() if self.share(counts.adjacent) >= least - 1e-12]
        return sorted(found, key=lambda pair: (-self.counts[pair].adjacent, pair))

    def doubt(self, x: int, y: int) -> float:
        """How far the graphs disagree about a pair, from 0 (all are alike) to two thirds.

        With a the share of the graphs in which the pair is adjacent, and w the largest part of those in which its edge
        points the same way (or neither way): the larger of min(a, 1 − a), whether there is an edge, and (1 − w) · a,
        which way it points.
        """
        counts = self.of(x, y)
        adjacent, otherwise = self.share(counts.adjacent), self.share(counts.adjacent - max(counts))
        return max(min(adjacent, 1 - adjacent), otherwise)

    def by_doubt(self) -> list[Pair]:
        """The pairs that are ever adjacent, by position, those that the graphs disagree most about first."""
        return sorted(self.counts, key=lambda pair: (-self.doubt(*pair), pair))

    def in_words(self, x: int, y: int, names: Sequence[object] = ()) -> str:
        """How often the two are adjacent, and which way their edge points, in one sentence.

        ``names`` are those of all variables as sentences have them, if they are not to be as they are.
        """
        counts, total, spoken = self.of(x, y), self.n_resamples, names or self.names
        if not counts.adjacent:
            return f"Adjacent in none of {total} resamples."
        if isinstance(counts, MarkCounts):
            return marks_in_words(counts, total, spoken[x], spoken[y])
        ways = [
            f"from {spoken[tail]} to {spoken[head]} in {count}"
            for count, tail, head in sorted(((counts.forward, x, y), (counts.backward, y, x)), key=lambda way: -way[0])
            if count
        ]
        ways += [f"undirected in {counts.undirected}"] * bool(counts.undirected)
        return f"Adjacent in {counts.adjacent} of {total} resamples, {', '.join(ways)}."


class _ByNames(Mapping[Key, float]):
    """A share for all pairs of names, as sets or in order."""

    def __init__(self, shares: Shares, kind: type[Key], count: Callable[[PairCounts | MarkCounts], int]) -> None:
        self._shares, self._count, self._kind = shares, count, cast(Any, kind)
        self._position = {name: i for i, name in enumerate(shares.names)}

    def __getitem__(self, key: Key) -> float:
        if not isinstance(key, self._kind) or len(key) != 2 or len(self._position.keys() & key) != 2:
            raise KeyError(key)
        x, y = (self._position[name] for name in key)
        return self._shares.share(self._count(self._shares.of(x, y)))

    def __iter__(self) -> Iterator[Key]:
        pairs = combinations if self._kind is frozenset else permutations
        return map(self._kind, pairs(self._shares.names, 2))

    def __len__(self) -> int:
        return (comb if self._kind is frozenset else perm)(len(self._position), 2)


def bound_on_false_edges(threshold: float, n_pairs_of_halves: int, mean_edges: float, n_pairs: int) -> float:
    """How many false edges are expected at most among those that are stable over complementary pairs of subsamples.

    Shah and Samworth (2013), "Variable selection with error control: another look at stability selection", Theorems 1
    and 2. With q edges in a graph of half the rows on average, among p pairs, let θ = q / p. *False* here is a pair
    that such a graph has with probability θ at most. Of the edges whose share reaches τ, the expected number that is
    false is at most c · θ · q, where c = 1 / (2τ − 1) without any further assumption (and infinite for τ up to one
    half), and smaller if the distribution of the share of pairs of halves that both have such an edge is unimodal.
    """
    if mean_edges == 0 or threshold > 1:  # no edge is chosen
        return 0.0
    theta = mean_edges / n_pairs
    worst_case = 1 / (2 * threshold - 1) if threshold > 0.5 else inf
    return min(worst_case, _unimodal(threshold, n_pairs_of_halves, theta)) * theta * mean_edges


def _unimodal(threshold: float, b: int, theta: float) -> float:
    """Theorem 2, for shares on the grid of 1 / (2B); it holds for θ up to 1 / √3 and shares from 1/2 + 1/B on."""
    if b < 2 or theta > 3**-0.5 or threshold < 0.5 + 1 / b - 1e-12:
        return inf
    lowest = min(0.5 + theta**2, 0.5 + 1 / (2 * b) + 0.75 * theta**2)
    if threshold <= lowest:
        return inf
    if threshold <= 0.75:
        return 1 / (2 * (2 * threshold - 1 - 1 / (2 * b)))
    return 4 * (1 - threshold + 1 / (2 * b)) / (1 + 1 / b)


def consensus_graph(shares: Shares, threshold: float | None = None, known: Constraints | None = None) -> Orientation:
    """The essential graph, and a DAG of its class, with the pairs whose share reaches the threshold as edges.

    An edge points as it does in more than half of the graphs that have it. Arrows that would close a cycle are left
    open, those with the smallest share first; what is open then gets its direction as in any essential graph, so that
    no new v-structure arises where that is possible.
    """
    if shares.of_pags:
        raise InputError("there is no consensus of PAGs: the marks that most have need not make a PAG together")
    edges = shares.chosen(threshold)
    graph = PartialDag.from_skeleton(len(shares.names), edges)
    for tail, head in _without_cycles(_majority_arrows(shares, edges, known)):
        graph.orient(tail, head)
    dag = Dag(shares.names, tuple(member(graph, known)))
    return Orientation(dag, known=known)


def _majority_arrows(shares: Shares, edges: list[tuple[int, int]], known: Constraints | None) -> list[Pair]:
    """The arrows that more than half of the graphs with the edge have, those with the largest share first."""
    found = []
    for x, y in edges:
        counts = shares.counts[x, y]
        count, tail, head = max((counts.forward, x, y), (counts.backward, y, x))
        if count > MAJORITY * counts.adjacent and (known is None or known.allowed[tail, head]):
            found.append((-count, tail, head))
    return [(tail, head) for _, tail, head in sorted(found)]


def _without_cycles(arrows: list[Pair]) -> list[Pair]:
    """The arrows, each kept if it closes no cycle with those kept before."""
    graph = nx.DiGraph(arrows)
    if nx.is_directed_acyclic_graph(graph):
        return arrows
    graph.remove_edges_from(arrows)
    kept = []
    for tail, head in arrows:
        if not nx.has_path(graph, head, tail):
            graph.add_edge(tail, head)
            kept.append((tail, head))
    return kept


@dataclass(frozen=True)
class Levels:
    """The edges at each of several significance levels, by position, the first of a pair before the second."""

    names: tuple[Hashable, ...]
    alphas: tuple[float, ...]
    edges: tuple[Mapping[Pair, Way], ...]

    @staticmethod
    def of(names: tuple[Hashable, ...], graphs: Mapping[float, MarkedGraph]) -> Levels:
        """From the graph at each level."""
        alphas = tuple(sorted(graphs))
        return Levels(names, alphas, tuple(ways_of(graphs[alpha]) for alpha in alphas))

    def counts(self) -> list[tuple[float, int, int]]:
        """For each level: alpha, how many edges there are, and how many of them are directed."""
        return [
            (alpha, len(edges), sum(way in "→←" for way in edges.values()))
            for alpha, edges in zip(self.alphas, self.edges, strict=True)
        ]

    def changes(self) -> list[tuple[Pair, tuple[Way, ...]]]:
        """The pairs whose edge is not the same at all levels, with how it points at each."""
        pairs = sorted({pair for edges in self.edges for pair in edges})
        rows = ((pair, tuple(edges.get(pair, "") for edges in self.edges)) for pair in pairs)
        return [(pair, ways) for pair, ways in rows if len(set(ways)) > 1]


def ways_of(graph: MarkedGraph) -> dict[Pair, Way]:
    """How each edge of a graph points."""
    return {(edge.a, edge.b): cast(Way, edge.symbol) for edge in graph.edges()}

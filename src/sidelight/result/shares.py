"""How often pairs are adjacent, and which way their edge points, among the graphs of resamples.

A pair is counted by position, the first variable before the second. Pairs that are never adjacent are not kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from math import comb, perm, sqrt
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from sidelight.graphs.separating_sets import Pair, ordered
from sidelight.result.false_edges import bound_on_false_edges

Method = Literal["bootstrap", "subsample", "complementary-pairs"]
Key = TypeVar("Key", bound=Hashable)
MAJORITY = 0.5  # of the resamples in which a pair is adjacent; an arrow that fewer have is left open


class PairCounts(NamedTuple):
    """In how many graphs the edge points from the first variable to the second, the other way, or neither way."""

    forward: int = 0
    backward: int = 0
    undirected: int = 0

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
        method: how rows were drawn: "bootstrap", "subsample" or "complementary-pairs".
        seed: of the drawing.
        n_resamples: how many graphs were learned.
        counts: for each pair that is ever adjacent, by position, how often and which way.
        max_false_edges: how many false edges are expected at most above the threshold, if that was asked for.
    """

    names: tuple[Hashable, ...]
    method: Method
    seed: int
    n_resamples: int
    counts: Mapping[Pair, PairCounts]
    max_false_edges: float | None = None

    def of(self, x: int, y: int) -> PairCounts:
        """The counts of a pair by position, as seen from x."""
        counts = self.counts.get(ordered(x, y), PairCounts())
        return counts if x < y else counts.turned()

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
        return _ByPair(self)

    @cached_property
    def arrow(self) -> Mapping[tuple[Hashable, Hashable], float]:
        """For every ordered pair (tail, head), in which share of the graphs an arrow points from tail to head."""
        return _ByArrow(self)

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
        ways = [
            f"from {spoken[tail]} to {spoken[head]} in {count}"
            for count, tail, head in sorted(((counts.forward, x, y), (counts.backward, y, x)), key=lambda way: -way[0])
            if count
        ]
        ways += [f"undirected in {counts.undirected}"] * bool(counts.undirected)
        return f"Adjacent in {counts.adjacent} of {total} resamples, {', '.join(ways)}."


class _ByPair(Mapping[frozenset[Hashable], float]):
    """All pairs of names, with their share of adjacency."""

    def __init__(self, shares: Shares) -> None:
        self._shares = shares
        self._position = {name: i for i, name in enumerate(shares.names)}

    def __getitem__(self, pair: frozenset[Hashable]) -> float:
        if not isinstance(pair, frozenset) or len(pair) != 2 or not pair <= self._position.keys():
            raise KeyError(pair)
        x, y = (self._position[name] for name in pair)
        return self._shares.share(self._shares.of(x, y).adjacent)

    def __iter__(self) -> Iterator[frozenset[Hashable]]:
        return map(frozenset, combinations(self._shares.names, 2))

    def __len__(self) -> int:
        return comb(len(self._position), 2)


class _ByArrow(Mapping[tuple[Hashable, Hashable], float]):
    """All ordered pairs of names, with the share of arrows that way."""

    def __init__(self, shares: Shares) -> None:
        self._shares = shares
        self._position = {name: i for i, name in enumerate(shares.names)}

    def __getitem__(self, arrow: tuple[Hashable, Hashable]) -> float:
        if not isinstance(arrow, tuple) or len(arrow) != 2 or arrow[0] == arrow[1]:
            raise KeyError(arrow)
        tail, head = (self._position[name] for name in arrow)
        return self._shares.share(self._shares.of(tail, head).forward)

    def __iter__(self) -> Iterator[tuple[Hashable, Hashable]]:
        return permutations(self._shares.names, 2)

    def __len__(self) -> int:
        return perm(len(self._position), 2)

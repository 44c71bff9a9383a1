"""Discrete rows with gaps: what a network of tables expects their counts to be, EM for its tables, and filled rows.

Values are assumed to be missing at random. Groups of gaps with few combinations of categories are enumerated, so counts
are exact; larger ones are sampled, with a generator that the caller gives.

Rows are filled so that they can be scored: structural EM (Friedman 1997). The first network is the tree of the
strongest dependences (Chow & Liu 1968), each from the rows that have both columns. Gaps are drawn from the network,
several times over, by Gibbs sampling; a search by score on these rows finds the next network, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log, prod

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.families.discrete.score import BayesianDirichlet, DiscreteRows
from sidelight.families.score import Space

MOST_COMBINATIONS = 1000  # of the categories of gaps that are enumerated; more are sampled
MOST_ROUNDS, TOLERANCE = 200, 1e-4  # of EM; the largest change of a probability
NETWORKS, ROUNDS, DRAWS = 2, 10, 5
CANDIDATES, MOST_PARENTS = 8, 4  # of a variable, in a network that fills gaps
PRIOR = 1.0  # rows
Codes = NDArray[np.integer]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Families:
    """The variables with their parents, each with a table: an axis for each parent, ascending, its own the last.

    All tables are one flat array; ``start`` says where each begins, and ends.
    """

    parents: tuple[tuple[int, ...], ...]
    n_categories: tuple[int, ...]

    @staticmethod
    def of(parents: Sequence[set[int] | frozenset[int]], n_categories: Sequence[int]) -> Families:
        """Of variables with these parents."""
        return Families(tuple(tuple(sorted(found)) for found in parents), tuple(n_categories))

    def shape(self, v: int) -> tuple[int, ...]:
        """The shape of a variable's table."""
        return tuple(self.n_categories[member] for member in (*self.parents[v], v))

    @property
    def start(self) -> NDArray[np.int64]:
        """Where the table of each variable begins, and the last one ends."""
        return np.cumsum([0, *(prod(self.shape(v)) for v in range(len(self.parents)))]).astype(np.int64)

    def tables(self, flat: Floats) -> list[Floats]:
        """The tables one by one, as views."""
        start = self.start
        return [flat[start[v] : start[v + 1]].reshape(self.shape(v)) for v in range(len(self.parents))]

    def counts(self, codes: Codes, weights: Floats | None) -> Floats:
        """The number of complete rows with each combination of categories, for all tables."""
        columns = [codes[:, v].astype(np.int64) for v in range(len(self.parents))]
        found = [np.empty(0)]
        for v, parents in enumerate(self.parents):
            cells = np.ravel_multi_index([columns[member] for member in (*parents, v)], self.shape(v))
            found.append(np.bincount(cells, weights, prod(self.shape(v))).astype(np.float64))
        return np.concatenate(found)

    def probabilities(self, counts: Floats, equivalent_sample_size: float) -> Floats:
        """Relative frequencies, with an even prior that is worth so many rows for each table."""
        result = np.empty_like(counts)
        for table, found in zip(self.tables(counts), self.tables(result), strict=True):
            with_prior = table + equivalent_sample_size / table.size
            totals = with_prior.sum(axis=-1, keepdims=True)
            even = np.full_like(table, 1 / table.shape[-1])  # for parents' categories that never occur, without a prior
            found[...] = np.divide(with_prior, totals, out=even, where=totals > 0)
        return result

    def arrays(self) -> tuple[NDArray[np.int64], ...]:
        """As ``sidelight.families.discrete.kernels.completions`` has them."""
        members = [(*parents, v) for v, parents in enumerate(self.parents)]
        steps = [np.cumprod([1, *self.shape(v)[:0:-1]])[::-1] for v in range(len(members))]
        containing = [[family for family, found in enumerate(members) if v in found] for v in range(len(members))]
        return (
            *_joined(members),
            np.concatenate([np.empty(0, np.int64), *steps]).astype(np.int64),
            self.start,
            *_joined(containing),
            np.array(self.n_categories, dtype=np.int64),
        )


def _joined(lists: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each list begins in all of them one after the other, and these."""
    start = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return start, np.array([item for found in lists for item in found], dtype=np.int64)


def expected(
    codes: Codes, weights: Floats, families: Families, probabilities: Floats, rng: np.random.Generator
) -> tuple[Floats, float, int]:
    """The counts, the log-likelihood of the rows (without what was sampled), and how many rows were sampled."""
    from sidelight.families.discrete.kernels.completions import expected_counts

    counts = np.zeros(len(probabilities))
    rows = np.ascontiguousarray(codes)
    arrays = families.arrays()
    likelihood, n_sampled = expected_counts(rows, weights, arrays, probabilities, MOST_COMBINATIONS, counts, rng)
    return counts, float(likelihood), int(n_sampled)


def log_likelihood(
    codes: Codes, weights: Floats, families: Families, probabilities: Floats, most: int
) -> tuple[float, int]:
    """Of the values that are there; and how many rows have gaps with more combinations than ``most``."""
    from sidelight.families.discrete.kernels.completions import expected_counts

    rows, rng = np.ascontiguousarray(codes), np.random.default_rng(0)
    likelihood, n_sampled = expected_counts(rows, weights, families.arrays(), probabilities, most, np.empty(0), rng)
    return float(likelihood), int(n_sampled)


def em_rounds(
    codes: Codes, weights: Floats, families: Families, equivalent_sample_size: float
) -> Iterator[tuple[Floats, float]]:
    """The probabilities after each round, and the likelihood of the rows before it, until they hardly change.

    All rounds sample with the same seed, so that they come to rest.
    """
    probabilities = families.probabilities(np.zeros(families.start[-1]), 1.0)
    for _ in range(MOST_ROUNDS):
        counts, likelihood, _ = expected(codes, weights, families, probabilities, np.random.default_rng(0))
        found = families.probabilities(counts, equivalent_sample_size)
        change = float(np.abs(found - probabilities).max(initial=0))
        probabilities = found
        yield probabilities, likelihood
        if change < TOLERANCE:
            return


def filled(rows: DiscreteRows, n_samples: float) -> DiscreteRows:
    """The rows, an incomplete one as several with equal shares of its weight, whose gaps are drawn.

    All weights together are ``n_samples``: drawn values are no evidence.
    """
    rng = np.random.default_rng(0)
    gains = _gains(rows)
    near, order, families = _candidates(gains), list(range(len(rows.names))), _tree(rows, gains)
    completed, gaps = _repeated(rows)
    _draw_alone(completed.codes, gaps, rng)
    _draw_given_rest(completed, gaps, families, rng)
    for _ in range(NETWORKS):
        parents, _, order = BayesianDirichlet(completed).search(order, Space(near, MOST_PARENTS))
        _draw_given_rest(completed, gaps, Families.of(parents, rows.n_categories), rng)
    shares = np.ones(0) if completed.weights is None else completed.weights
    return replace(completed, weights=shares * (n_samples / shares.sum()))


def _repeated(rows: DiscreteRows) -> tuple[DiscreteRows, NDArray[np.bool_]]:
    """Each incomplete row several times, with equal shares of its weight; and where the gaps are."""
    weights = np.ones(len(rows.codes)) if rows.weights is None else rows.weights
    incomplete = (rows.codes < 0).any(axis=1)
    codes = np.ascontiguousarray(np.vstack([rows.codes[~incomplete], *[rows.codes[incomplete]] * DRAWS]))
    shares = np.concatenate([weights[~incomplete], *[weights[incomplete] / DRAWS] * DRAWS])
    return DiscreteRows(codes, rows.n_categories, rows.names, shares), codes < 0


def _draw_alone(codes: Codes, gaps: NDArray[np.bool_], rng: np.random.Generator) -> None:
    """Fill the gaps of each column by values that it has elsewhere."""
    for v in np.flatnonzero(gaps.any(axis=0)).tolist():
        seen = codes[~gaps[:, v], v]
        codes[gaps[:, v], v] = rng.choice(seen, int(gaps[:, v].sum())) if len(seen) else 0


def _draw_given_rest(
    completed: DiscreteRows, gaps: NDArray[np.bool_], families: Families, rng: np.random.Generator
) -> None:
    """Draw the gaps from the network, whose tables are those of the rows drawn before, in turn (Gibbs sampling)."""
    from sidelight.families.discrete.kernels.completions import redraw

    for _ in range(ROUNDS):
        probabilities = families.probabilities(families.counts(completed.codes, completed.weights), PRIOR)
        redraw(completed.codes, gaps, families.arrays(), probabilities, rng)


def _gains(rows: DiscreteRows) -> Floats:
    """For each pair of columns, what BIC gains by an edge between them, on the rows that have both."""
    n = len(rows.names)
    gains = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            gains[i, j] = gains[j, i] = _gain(rows, i, j)
    return gains


def _gain(rows: DiscreteRows, i: int, j: int) -> float:
    from scipy.special import xlogy

    x, y = rows.codes[:, i].astype(np.int64), rows.codes[:, j].astype(np.int64)
    both, (k, m) = (x >= 0) & (y >= 0), (rows.n_categories[i], rows.n_categories[j])
    weights = None if rows.weights is None else rows.weights[both]
    counts = np.bincount(x[both] * m + y[both], weights, k * m).reshape(k, m)
    total, margins = counts.sum(), (counts.sum(axis=0), counts.sum(axis=1))
    likelihood = xlogy(counts, counts).sum() + xlogy(total, total) - sum(xlogy(c, c).sum() for c in margins)
    return float(likelihood - (k - 1) * (m - 1) * log(max(2.0, total)) / 2)


def _candidates(gains: Floats) -> list[set[int]]:
    """For each variable those of the largest gains; a symmetric relation."""
    near: list[set[int]] = [set() for _ in gains]
    for v, gain in enumerate(gains):
        for y in np.argsort(-gain, kind="stable")[:CANDIDATES].tolist():
            if gain[y] > 0:
                near[v].add(y)
                near[y].add(v)
    return near


def _tree(rows: DiscreteRows, gains: Floats) -> Families:
    """The forest of the largest gains, with arrows away from the first variable of each tree."""
    forest = nx.maximum_spanning_tree(nx.from_numpy_array(np.maximum(gains, 0.0)))
    parents: list[set[int]] = [set() for _ in gains]
    for tree in nx.connected_components(forest):
        for tail, head in nx.bfs_edges(forest, min(tree)):
            parents[head] = {tail}
    return Families.of(parents, rows.n_categories)

"""Discrete rows whose gaps are filled by a network, so that they can be scored: structural EM (Friedman 1997).

The first network is the tree of the strongest dependences (Chow & Liu 1968), each from the rows that have both columns.
Gaps are drawn from the network, several times over, by Gibbs sampling; a search by score on these rows finds the next
network, and so on. Values are assumed to be missing at random.
"""

from __future__ import annotations

from dataclasses import replace
from math import log

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.families.discrete.expected_counts import Families, redraw
from sidelight.families.discrete.score import BayesianDirichlet, DiscreteRows
from sidelight.families.score import Space

NETWORKS, ROUNDS, DRAWS = 2, 10, 5
CANDIDATES, MOST_PARENTS = 8, 4  # of a variable, in a network that fills gaps
PRIOR = 1.0  # rows
Matrix = NDArray[np.float64]


def filled(rows: DiscreteRows, n_samples: float, seed: int = 0) -> DiscreteRows:
    """The rows, an incomplete one as several with equal shares of its weight, whose gaps are drawn.

    All weights together are ``n_samples``: drawn values are no evidence.
    """
    rng = np.random.default_rng(seed)
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


def _draw_alone(codes: NDArray[np.integer], gaps: NDArray[np.bool_], rng: np.random.Generator) -> None:
    """Fill the gaps of each column by values that it has elsewhere."""
    for v in np.flatnonzero(gaps.any(axis=0)).tolist():
        seen = codes[~gaps[:, v], v]
        codes[gaps[:, v], v] = rng.choice(seen, int(gaps[:, v].sum())) if len(seen) else 0


def _draw_given_rest(
    completed: DiscreteRows, gaps: NDArray[np.bool_], families: Families, rng: np.random.Generator
) -> None:
    """Draw the gaps from the network, whose tables are those of the rows drawn before, in turn."""
    for _ in range(ROUNDS):
        probabilities = families.probabilities(families.counts(completed.codes, completed.weights), PRIOR)
        redraw(completed.codes, gaps, families, probabilities, rng)


def _gains(rows: DiscreteRows) -> Matrix:
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


def _candidates(gains: Matrix) -> list[set[int]]:
    """For each variable those of the largest gains; a symmetric relation."""
    near: list[set[int]] = [set() for _ in gains]
    for v, gain in enumerate(gains):
        for y in np.argsort(-gain, kind="stable")[:CANDIDATES].tolist():
            if gain[y] > 0:
                near[v].add(y)
                near[y].add(v)
    return near


def _tree(rows: DiscreteRows, gains: Matrix) -> Families:
    """The forest of the largest gains, with arrows away from the first variable of each tree."""
    forest = nx.maximum_spanning_tree(nx.from_numpy_array(np.maximum(gains, 0.0)))
    parents: list[set[int]] = [set() for _ in gains]
    for tree in nx.connected_components(forest):
        for tail, head in nx.bfs_edges(forest, min(tree)):
            parents[head] = {tail}
    return Families.of(parents, rows.n_categories)

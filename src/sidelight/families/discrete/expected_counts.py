"""Counts of discrete rows with gaps: what a network of tables expects them to be, and the EM algorithm for its tables.

Values are assumed to be missing at random. Groups of gaps with few combinations of categories are enumerated, so counts
are exact; larger ones are sampled, with a generator that the caller gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

MOST_COMBINATIONS = 1000  # of the categories of gaps that are enumerated; more are sampled
MOST_ROUNDS, TOLERANCE = 200, 1e-4  # of EM; the largest change of a probability
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


def redraw(
    codes: Codes, gaps: NDArray[np.bool_], families: Families, probabilities: Floats, rng: np.random.Generator
) -> None:
    """Draw the gaps of complete rows anew, each given the rest of its row, in place (a sweep of Gibbs sampling)."""
    from sidelight.families.discrete.kernels.completions import redraw

    redraw(codes, gaps, families.arrays(), probabilities, 1, rng)


def em_rounds(
    codes: Codes, weights: Floats, families: Families, equivalent_sample_size: float, seed: int = 0
) -> Iterator[tuple[Floats, float]]:
    """The probabilities after each round, and the likelihood of the rows before it, until they hardly change.

    All rounds sample with the same seed, so that they come to rest.
    """
    probabilities = families.probabilities(np.zeros(families.start[-1]), 1.0)
    for _ in range(MOST_ROUNDS):
        counts, likelihood, _ = expected(codes, weights, families, probabilities, np.random.default_rng(seed))
        found = families.probabilities(counts, equivalent_sample_size)
        change = float(np.abs(found - probabilities).max(initial=0))
        probabilities = found
        yield probabilities, likelihood
        if change < TOLERANCE:
            return

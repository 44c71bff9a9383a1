"""Resamples of the rows of a table: how often each row is drawn, and the test on what was drawn.

A resample is known by its number: whoever draws it, and in whatever order, draws the same. Of rows in groups whole
groups are drawn; one that is drawn twice is two.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sidelight.families import CITest
from sidelight.families.data import TestedRows
from sidelight.result.certainty import Method
from sidelight.tables.all_rows import counted_as_rows
from sidelight.tables.table import Table, with_codes

Counts = NDArray[np.int64]
SHARE_DRAWN = 0.63  # of the rows for directions, as many as a bootstrap resample has different ones


@dataclass(frozen=True)
class Resampler:
    """Draws rows, and builds the test on them without examining them again."""

    rows: TestedRows
    method: Method
    seed: int
    n_categories: tuple[int, ...]  # of each column; 0 for numbers

    @staticmethod
    def of(rows: TestedRows, method: Method, seed: int) -> Resampler:
        """Prepare what all resamples share: discrete columns are coded once."""
        table, n_categories = with_codes(rows.data.table, rows.discrete)
        data = rows.data
        drawn_from = rows.with_rows(table, data.weights, data.rows.groups, data.rows.settings)
        return Resampler(drawn_from, method, seed, n_categories)

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The variables."""
        return self.rows.data.table.all_names

    def draw(self, number: int) -> tuple[CITest, dict[str, list[int]]]:
        """The test on the rows of the resample of this number, and what these rows lack."""
        drawn = _repeated(self.rows, self.counts(number))
        return drawn.test(), self._lacking(drawn.data.table)

    def counts(self, number: int) -> Counts:
        """How often each row of the table is drawn; a row with a frequency weight counts as so many rows."""
        groups, waves = self.rows.data.rows.groups, self.rows.data.rows.waves
        groups = waves.block if waves is not None else groups
        if groups is None:
            return self._drawn(number, self._available())
        different, place = np.unique(groups, return_inverse=True)
        return self._drawn(number, np.ones(len(different), dtype=np.int64))[place]

    def _drawn(self, number: int, available: Counts) -> Counts:
        if self.method == "complementary-pairs":
            half = _half(available, np.random.default_rng([self.seed, number // 2]))
            return half if number % 2 == 0 else _other_half(available, half, self.seed, number // 2)
        rng = np.random.default_rng([self.seed, number])
        if self.method == "directions":
            return _without_replacement(available, int(SHARE_DRAWN * available.sum()), rng)
        return _half(available, rng) if self.method == "subsample" else _with_replacement(available, rng)

    def _available(self) -> Counts:
        weights = self.rows.data.weights
        if weights is None or self.rows.fractional:
            return np.ones(self.rows.data.table.n_rows, dtype=np.int64)
        return np.rint(weights).astype(np.int64)

    def _lacking(self, table: Table) -> dict[str, list[int]]:
        """The columns that do not vary among these rows, and those that lack some of their categories."""
        lacking: dict[str, list[int]] = {"constant": [], "fewer": []}
        for i, (name, n_categories) in enumerate(zip(table.all_names, self.n_categories, strict=True)):
            column = np.asarray(table.column(name), dtype=np.float64)
            if not n_categories and np.isfinite(column[:2]).all() and len(set(column[:2].tolist())) == 2:
                continue  # two numbers that differ, which is the rule, spare a look at all others
            there = column[np.isfinite(column)]
            if not len(there) or (there == there[0]).all():
                lacking["constant"].append(i)
            elif n_categories and len(np.unique(there)) < n_categories:
                lacking["fewer"].append(i)
        return lacking


def _repeated(rows: TestedRows, counts: Counts) -> TestedRows:
    """The rows, each as often as it was drawn: as a weight where that is the same, and else repeated."""
    data, weights, groups = rows.data, None, rows.data.rows.groups
    if groups is not None:
        index = np.repeat(np.arange(len(counts)), counts)
        copy = np.arange(len(index)) - np.repeat(np.cumsum(counts) - counts, counts)
        return rows.with_rows(data.table.rows(index), None, groups[index] * (counts.max(initial=0) + 1) + copy)
    if rows.counts_as_weights:
        index = np.flatnonzero(counts)
        weights = counts[index].astype(np.float64)
    else:
        index = np.repeat(np.arange(len(counts)), counts)
        weights = None if data.weights is None else counted_as_rows(data.weights[index], rows.fractional)
    settings = None if data.rows.settings is None else data.rows.settings.rows(index)
    return rows.with_rows(data.table.rows(index), weights, settings=settings)


def _with_replacement(available: Counts, rng: np.random.Generator) -> Counts:
    total = int(available.sum())
    if total == len(available):
        return np.bincount(rng.integers(0, total, total), minlength=total)
    return rng.multinomial(total, available / total)


def _half(available: Counts, rng: np.random.Generator) -> Counts:
    return _without_replacement(available, int(available.sum()) // 2, rng)


def _other_half(available: Counts, half: Counts, seed: int, pair: int) -> Counts:
    """As many of the rows that the first half has left."""
    return _without_replacement(available - half, int(half.sum()), np.random.default_rng([seed, pair, 1]))


def _without_replacement(available: Counts, size: int, rng: np.random.Generator) -> Counts:
    if available.max(initial=0) <= 1:
        chosen = np.zeros(len(available), dtype=np.int64)
        chosen[rng.permutation(np.flatnonzero(available))[:size]] = 1
        return chosen
    return rng.multivariate_hypergeometric(available, size, method="marginals")

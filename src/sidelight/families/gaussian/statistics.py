"""Statistics of columns of numbers: moments, from one pass over the rows, of values or of normal scores."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.families.data import NumberSummary, Statistics, TestData
from sidelight.families.gaussian.correlation import Correlation, Moments, MomentSums, provisional_mean
from sidelight.families.gaussian.test import FisherZ
from sidelight.tables.all_rows import AllRows, Batch, Fold, Tick
from sidelight.tables.table import Table
from sidelight.text.message import Message, Option


class ColumnSums(Fold):
    """The sums that moments of some columns follow from; all columns of numbers, if none are named."""

    def __init__(self, names: tuple[Hashable, ...] | None = None, tick: Tick = lambda count=1: None) -> None:
        self.names, self._tick = names, tick
        self._sums: MomentSums | None = None

    def add(self, batch: Batch) -> None:
        self.names = batch.table.names if self.names is None else self.names
        values = columns_of(batch.table, self.names)
        self._sums = self._sums or MomentSums(provisional_mean(values))
        self._sums.add(values, batch.weights, self._tick)

    def merge(self, later: ColumnSums) -> None:
        self.names = later.names if self.names is None else self.names
        if self._sums is None:
            self._sums = later._sums
        elif later._sums is not None:
            self._sums.join(later._sums)

    def moments(self) -> Moments:
        """The moments of all rows."""
        return (self._sums or MomentSums(np.zeros(len(self.names or ())))).moments()


def columns_of(table: Table, names: Sequence[Hashable]) -> NDArray[np.generic]:
    """Columns of numbers, in this order; all of them without a copy."""
    if tuple(names) == table.names:
        return table.values
    place = {name: i for i, name in enumerate(table.names)}
    return table.values[:, [place[name] for name in names]]


def moments_of(rows: AllRows, names: Sequence[Hashable], tick: Tick) -> Moments:
    """The moments of columns of numbers over all rows."""
    if rows.summed is not None and set(names) <= set(rows.summed_names):
        return _part_of(rows.summed, [rows.summed_names.index(name) for name in names])
    make = partial(ColumnSums, tuple(names), *((tick,) if rows.in_memory else ()))
    return rows.fold(make, tick).moments()


def _part_of(found: Moments, places: Sequence[int]) -> Moments:
    if list(places) == list(range(len(found.means))):
        return found
    at = np.array(places, dtype=np.int64)
    parts = {name: getattr(found, name)[at] for name in ("means", "variances", "extremes")}
    return replace(found, **parts, correlations=np.ascontiguousarray(found.correlations[np.ix_(at, at)]))


class GaussianStatistics(Statistics):
    """Correlations, of values or of normal scores."""

    @cached_property
    def moments(self) -> Moments:
        """The moments of all rows."""
        data = self.data
        if data.correlation == "pearson":
            return moments_of(data.rows, data.table.names, data.tick)
        if data.rows.is_weighted:
            with_pearson = Option("correlation", "pearson")
            raise InputError(Message(Option("weights"), " goes with ", with_pearson, f", not {data.correlation!r}"))
        from sidelight.families.gaussian.ranks import normal_scores_of

        return normal_scores_of(data.rows, data.tick)

    @cached_property
    def numbers(self) -> NumberSummary:
        data, by_ranks = self.data, self.data.correlation != "pearson"
        correlation = self.moments.correlation.named(data.table.names)
        ranks_may_help = not by_ranks and not data.rows.is_weighted
        return NumberSummary(data.table, self.moments, correlation, by_ranks, ranks_may_help)

    def test(self) -> FisherZ:
        correlation = self.numbers.correlation
        if np.isnan(np.diagonal(correlation.matrix)).any():
            matrix = uncorrelated(correlation.matrix)
            correlation = Correlation.computed(matrix, correlation.n_samples, correlation.names)
        return FisherZ(correlation)


def uncorrelated(correlations: NDArray[np.float64]) -> NDArray[np.float64]:
    """The matrix with no correlation where there is none to compute."""
    known = np.nan_to_num(correlations)
    np.fill_diagonal(known, 1.0)
    return known


def summary_of(data: TestData, names: tuple[Hashable, ...]) -> NumberSummary:
    """Some columns of numbers, beside others that are none."""
    table = data.table.part(names)
    found = moments_of(data.rows, table.names, data.tick)
    return NumberSummary(table, found, Correlation.computed(found.correlations, found.n_samples, table.names))

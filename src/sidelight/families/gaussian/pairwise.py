"""Fisher's Z with test-wise deletion: each test uses the rows that are complete in its columns, and their number."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sidelight.doctor.numbers import examine, few_rows
from sidelight.errors import InputError
from sidelight.families.base import MakeScore, checked_members
from sidelight.families.gaussian.correlation import Correlation, moments, n_whole
from sidelight.families.gaussian.em import em_correlations, em_moments
from sidelight.families.gaussian.em_test import EmFisherZ
from sidelight.families.gaussian.incomplete import IncompleteFisherZ, scored_size, typically_together
from sidelight.families.gaussian.test import gaussian_scores
from sidelight.families.table_test import Built, TestData
from sidelight.tables.findings import Diagnosis
from sidelight.tables.rows import FEWEST_ROWS, counted_as_rows
from sidelight.tables.table import Table
from sidelight.text.message import Message, Option


class PairwiseFisherZ(IncompleteFisherZ):
    """The Fisher-Z test on the rows that are complete in the columns of the test."""

    def __init__(
        self, values: NDArray[np.generic], names: Sequence[Hashable], weights: NDArray[np.float64] | None = None
    ) -> None:
        self.names = tuple(names)
        self._values = np.asarray(values, dtype=np.float64)
        self._there = np.isfinite(self._values)
        self._weights = weights

    @property
    def sample_size(self) -> int:
        return typically_together(self._there, self._weights)

    def scores(self) -> Mapping[str, MakeScore]:
        """Of the correlations by EM."""
        return gaussian_scores(lambda: self._correlation)

    @cached_property
    def _correlation(self) -> Correlation:
        size = scored_size(self._there, self._weights)
        return Correlation.computed(em_correlations(self._values, self._weights), size, tuple(self.names))

    def can_condition_on(self, size: int) -> bool:
        return size < len(self.names) - 2 or int(self._there.all(axis=1).sum()) > size + 5

    def estimate(self, x: int, y: int, given: Sequence[int]) -> tuple[float, float]:
        from sidelight.kernels.correlation import partial_correlation

        members = checked_members([x, y, *given], len(self.names))
        complete = self._there[:, members].all(axis=1)
        rows = self._values[complete][:, members]
        weights = None if self._weights is None else counted_as_rows(self._weights[complete])
        freedom = (len(rows) if weights is None else n_whole(weights.sum())) - len(given) - 3
        if freedom <= 0:
            return 0.0, freedom
        matrix = np.nan_to_num(moments(rows, weights=weights).correlations)
        return float(partial_correlation(matrix, 0, 1, np.arange(2, len(members)))), freedom


def build(data: TestData) -> Built:
    """From a table of numbers with missing values."""
    if data.correlation != "pearson":
        raise InputError(Message(Option("missing", data.missing), " supports only ", Option("correlation", "pearson")))
    diagnosis = examined_with_gaps(data.table, data.weights)
    return None if diagnosis.errors else make(data), diagnosis


def make(data: TestData) -> PairwiseFisherZ | EmFisherZ:
    """The same without the doctor; a column that does not vary, or has no values, is independent of all others."""
    values, names = with_nan(data.table), data.table.names
    if data.missing == "pairwise":
        return PairwiseFisherZ(values, names, data.weights)
    correlations = em_correlations(values, data.weights)
    return EmFisherZ(Correlation.computed(correlations, data.n_samples, names), np.isfinite(values), data.weights)


def with_nan(table: Table) -> NDArray[np.float64]:
    """The numbers of a table, with NaN for all that are not finite."""
    values = np.asarray(table.values, dtype=np.float64)
    return np.where(np.isfinite(values), values, np.nan)


def examined_with_gaps(table: Table, weights: NDArray[np.float64] | None) -> Diagnosis:
    """What the doctor says of the complete rows, if there are enough, else of all with their gaps filled by means."""
    n_samples = table.n_rows if weights is None else n_whole(weights.sum())
    if n_samples < FEWEST_ROWS:  # some columns may have no value at all
        return Diagnosis(table.n_rows, len(table.kinds), tuple(few_rows(len(table.names), n_samples)))
    values = with_nan(table)
    there = np.isfinite(values)
    complete: NDArray[np.bool_] = np.asarray(there.all(axis=1))
    if complete.sum() > len(table.names) + 3:
        table = table.rows(complete)
        summary = moments(table.values, weights=None if weights is None else weights[complete])
    else:
        summary = em_moments(values, weights)
        table = replace(table, values=np.where(there, values, summary.means))
    return examine(table, summary, Correlation.computed(summary.correlations, summary.n_samples, table.names))

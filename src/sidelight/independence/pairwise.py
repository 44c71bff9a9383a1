"""Fisher's Z with test-wise deletion: each test uses the rows that are complete in its columns, and their number."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sidelight.data.table import Table
from sidelight.doctor.findings import Diagnosis
from sidelight.doctor.numbers import examine
from sidelight.errors import InputError
from sidelight.independence.base import checked_members
from sidelight.independence.em import EmFisherZ
from sidelight.independence.fisher_z import uncorrelated
from sidelight.independence.incomplete import IncompleteFisherZ
from sidelight.independence.table_test import Built, TestData
from sidelight.sufficient.correlation import Correlation, Moments, moments
from sidelight.sufficient.em import em_moments
from sidelight.text.message import Message, Option


class PairwiseFisherZ(IncompleteFisherZ):
    """The Fisher-Z test on the rows that are complete in the columns of the test."""

    def __init__(self, values: NDArray[np.generic], names: Sequence[Hashable]) -> None:
        self.names = tuple(names)
        self._values = np.asarray(values, dtype=np.float64)
        self._there = np.isfinite(self._values)

    @property
    def sample_size(self) -> int:
        there = self._there.astype(np.float64)
        return self.typically_together(there.T @ there, len(there))

    def can_condition_on(self, size: int) -> bool:
        return size < len(self.names) - 2 or int(self._there.all(axis=1).sum()) > size + 5

    def estimate(self, x: int, y: int, given: Sequence[int]) -> tuple[float, float]:
        from sidelight.kernels.correlation import partial_correlation

        members = checked_members([x, y, *given], len(self.names))
        rows = self._values[self._there[:, members].all(axis=1)][:, members]
        freedom = len(rows) - len(given) - 3
        if freedom <= 0:
            return 0.0, freedom
        matrix = np.nan_to_num(moments(rows).correlations)
        return float(partial_correlation(matrix, 0, 1, np.arange(2, len(members)))), freedom


def build(data: TestData) -> Built:
    """From a table of numbers with missing values."""
    table = data.table
    if data.weights is not None or data.correlation != "pearson":
        only = (" supports only ", Option("correlation", "pearson"), ", and no ", Option("weights"))
        raise InputError(Message(Option("missing", data.missing), *only))
    values = np.asarray(table.values, dtype=np.float64)
    there = np.isfinite(values)
    values = np.where(there, values, np.nan)
    estimated = cache(lambda: em_moments(values))  # takes long, and may not be needed
    diagnosis = _examined(replace(table, values=values), there, estimated)
    if diagnosis.errors:
        return None, diagnosis
    if data.missing == "pairwise":
        return PairwiseFisherZ(values, table.names), diagnosis
    correlation = Correlation.computed(estimated().correlations, table.n_rows, table.names)
    return EmFisherZ(correlation, there), diagnosis


def make(data: TestData) -> PairwiseFisherZ | EmFisherZ:
    """The same without the doctor; a column that does not vary, or has no values, is independent of all others."""
    values = np.asarray(data.table.values, dtype=np.float64)
    there = np.isfinite(values)
    if data.missing == "pairwise":
        return PairwiseFisherZ(np.where(there, values, np.nan), data.table.names)
    varying = np.array([there[:, i].any() and np.ptp(values[there[:, i], i]) > 0 for i in range(values.shape[1])])
    correlations = np.eye(len(varying))
    estimated = em_moments(np.where(there, values, np.nan)[:, varying])
    correlations[np.ix_(varying, varying)] = uncorrelated(estimated.correlations)
    return EmFisherZ(Correlation.computed(correlations, len(values), data.table.names), there)


def _examined(table: Table, there: NDArray[np.bool_], estimated: Callable[[], Moments]) -> Diagnosis:
    """What the doctor says of the complete rows, if there are enough, else of all with their gaps filled by means."""
    complete: NDArray[np.bool_] = np.asarray(there.all(axis=1))
    if complete.sum() > len(table.names) + 3:
        table = table.rows(complete)
        summary = moments(table.values)
    else:
        summary = estimated()
        table = replace(table, values=np.where(there, table.values, summary.means))
    return examine(table, summary, Correlation.computed(summary.correlations, summary.n_samples, table.names))

"""Fisher's Z with test-wise deletion: each test uses the rows that are complete in its columns, and their number."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from math import atanh, erfc, sqrt

import numpy as np
from numpy.typing import NDArray

from sidelight.data.table import Table
from sidelight.doctor.findings import Diagnosis
from sidelight.doctor.numbers import examine
from sidelight.errors import InputError
from sidelight.independence.base import BoundaryChoice, CITest, checked_members
from sidelight.independence.fisher_z import FisherZ
from sidelight.independence.table_test import Built, TestData
from sidelight.sufficient.correlation import Correlation, Moments, moments
from sidelight.sufficient.em import em_moments
from sidelight.text.message import Message, Option


class PairwiseFisherZ(CITest):
    """The Fisher-Z test on columns with missing values."""

    def __init__(self, values: NDArray[np.generic], names: Sequence[Hashable]) -> None:
        self.names = tuple(names)
        self._values = np.asarray(values, dtype=np.float64)
        self._there = np.isfinite(self._values)

    option = "fisher-z"
    effect_name = "partial correlation"

    def default_boundaries(self, alpha: float) -> BoundaryChoice:
        return BoundaryChoice("iamb", min(alpha, 2 / max(1, len(self.names)) ** 2))

    def can_condition_on(self, size: int) -> bool:
        return size < len(self.names) - 2 or int(self._there.all(axis=1).sum()) > size + 5

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        rho, freedom = self._correlation(x, y, given)
        if freedom <= 0:
            return 1.0
        return erfc(sqrt(freedom) * atanh(min(abs(rho), 1 - 1e-15)) / sqrt(2))

    def effect_size(self, x: int, y: int, given: Sequence[int]) -> float | None:
        rho, freedom = self._correlation(x, y, given)
        return rho if freedom > 0 else None

    def _correlation(self, x: int, y: int, given: Sequence[int]) -> tuple[float, int]:
        """The partial correlation in the rows that are complete in these columns, and its degrees of freedom."""
        from sidelight.kernels.correlation import partial_correlation

        members = checked_members([x, y, *given], len(self.names))
        rows = self._values[self._there[:, members].all(axis=1)][:, members]
        freedom = len(rows) - len(given) - 3
        if freedom <= 0:
            return 0.0, freedom
        matrix = np.nan_to_num(moments(rows).correlations)
        return float(partial_correlation(matrix, 0, 1, np.arange(2, len(members)))), freedom


def build(data: TestData) -> Built:
    """From a table of numbers with missing values; the doctor looks at the complete rows, if there are enough."""
    table = data.table
    if data.weights is not None or data.correlation != "pearson":
        only = (" supports only ", Option("correlation", "pearson"), ", and no ", Option("weights"))
        raise InputError(Message(Option("missing", data.missing), *only))
    values = np.asarray(table.values, dtype=np.float64)
    there = np.isfinite(values)
    empty = [name for i, name in enumerate(table.names) if not there[:, i].any()]
    if empty:
        raise InputError(
            Message(f"column {str(empty[0])!r} has missing values only; drop it: ", Option("drop", empty[:1]))
        )
    summary = em_moments(np.where(there, values, np.nan))
    diagnosis = _examined(table, values, there, summary)
    if diagnosis.errors:
        return None, diagnosis
    if data.missing == "em":
        return FisherZ(Correlation.computed(summary.correlations, summary.n_samples, table.names)), diagnosis
    return PairwiseFisherZ(np.where(there, values, np.nan), table.names), diagnosis


def _examined(table: Table, values: NDArray[np.float64], there: NDArray[np.bool_], summary: Moments) -> Diagnosis:
    complete: NDArray[np.bool_] = np.asarray(there.all(axis=1))
    if complete.sum() > len(table.names) + 3:
        table, summary = table.rows(complete), moments(values[complete])
    else:
        table = replace(table, values=np.where(there, values, summary.means))
    return examine(table, summary, Correlation.computed(summary.correlations, summary.n_samples, table.names))

"""Discrete networks from rows with gaps: the EM algorithm for their tables, from expected counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sidelight.families.discrete.expected_counts import Families, em_rounds
from sidelight.fit.rows import Rows
from sidelight.fit.table import TableNode, checked_shape
from sidelight.fit.variables import ModelVariable
from sidelight.graphs.dag import Dag


def fit_incomplete_tables(
    dag: Dag, variables: Sequence[ModelVariable], rows: Rows, equivalent_sample_size: float
) -> tuple[TableNode, ...]:
    """The tables that EM comes to, with a uniform prior that is worth so many rows for each."""
    parents = [tuple(variables[p] for p in sorted(found)) for found in dag.parents]
    for variable, found in zip(variables, parents, strict=True):
        checked_shape(variable, found)
    families = Families.of(dag.parents, [len(variable.categories) for variable in variables])
    codes = np.column_stack([variable.encoded(rows) for variable in variables])
    weights = np.ones(len(codes)) if rows.weights is None else rows.weights
    *_, (probabilities, _) = em_rounds(codes, weights, families, equivalent_sample_size)
    tables = families.tables(probabilities)
    return tuple(TableNode(*node) for node in zip(variables, parents, tables, strict=True))

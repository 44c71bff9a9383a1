"""What estimates are made from: covariances, or rows with the kinds of their columns, read as in learning."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidelight.effects.linear import LinearEstimator
from sidelight.effects.permuted import NumberRows, covariance_of
from sidelight.effects.standardised import RowsEstimator
from sidelight.errors import InputError
from sidelight.explain.as_learned import groups_as_learned, options_as_learned, refuse_set_rows, weights_as_learned
from sidelight.families import TABLE_TESTS
from sidelight.families.data import TestedRows
from sidelight.families.gaussian.correlation import Correlation, moments
from sidelight.families.gaussian.em import em_moments
from sidelight.families.gaussian.incomplete import scored_size, with_nan
from sidelight.fit import treatment_as_learned, variables_as_learned
from sidelight.fit.model import read_rows
from sidelight.graphs.names import hint_at_names
from sidelight.kinds.base import Sample
from sidelight.kinds.number import Number
from sidelight.network import Network
from sidelight.prepare import prepare
from sidelight.result.evidence import MeasuredEdges
from sidelight.sources.memory import array_names
from sidelight.sources.rows import read_table
from sidelight.tables.all_rows import FEWEST_ROWS
from sidelight.tables.groups import less_means_of_groups
from sidelight.tables.table import categories_in, weights_column
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted

Estimator = LinearEstimator | RowsEstimator


def estimator_for(network: Network, data: object, names: Sequence[Hashable] | None = None) -> tuple[Estimator, bool]:
    """What the network's effects are estimated with, and whether that knows the units of the columns."""
    if data is None:
        return _of_test(network), False
    if isinstance(data, Correlation):
        return _ordered(network, data.names, LinearEstimator(data.names, data.matrix, data.n_samples)), False
    refuse_set_rows(network, data)
    learned_with = TABLE_TESTS.get(network.settings.test)
    if learned_with is not None and learned_with.takes == Number():
        return _of_numbers(network, data, names), True
    found = _of_rows(network, data, names)
    numbers = all(not variable.kind.is_coded for variable in found.variables)
    return (_covariances(found) if numbers and not found.sample.has_gaps else found), True


def _of_test(network: Network) -> LinearEstimator:
    """By the correlations that the network was learned from, if it still has them."""
    strengths = network.edge_strengths
    correlation = strengths.correlation if isinstance(strengths, MeasuredEdges) else None
    if correlation is None:
        without = "the network does not hold what effects are estimated from; give the table: "
        raise InputError(Message(without, Option("data")))
    return _ordered(
        network, correlation.names, LinearEstimator(correlation.names, correlation.matrix, correlation.n_samples)
    )


def _ordered(network: Network, there: Sequence[Hashable], found: LinearEstimator) -> LinearEstimator:
    """The same with the columns in the network's order."""
    index = {name: i for i, name in enumerate(there)}
    lacking = next((name for name in network.names if name not in index), None)
    if lacking is not None:
        raise InputError(f"the data do not have the network's variable {lacking!r}{hint_at_names(lacking, there)}")
    order = [index[name] for name in network.names]
    rows = None if found.rows is None else replace(found.rows, order=tuple(order))
    return LinearEstimator(network.names, found.covariance[np.ix_(order, order)], found.n_rows, rows)


def _of_numbers(network: Network, data: object, names: Sequence[Hashable] | None) -> LinearEstimator:
    """Covariances of values, whatever correlations the network was learned from."""
    options = options_as_learned(network, data, {"correlation": "pearson"})
    column = weights_column(options.weights)
    columns = [*network.names, *([] if column is None else [column])]
    options = replace(options, names=array_names(data, names, network.names), columns=columns)
    rows = prepare(data, options).rows
    assert rows is not None
    return _ordered(network, rows.data.table.names, _summed(rows))


def _summed(rows: TestedRows) -> LinearEstimator:
    data = rows.data
    values: NDArray[Any] = data.table.values
    if data.missing in ("pairwise", "em"):
        values = with_nan(data.table)
        found = em_moments(values, data.weights)
        n_rows = scored_size(np.isfinite(values), data.weights)
    else:
        numbers = rows.statistics.numbers
        assert numbers is not None
        found, n_rows = numbers.moments, numbers.correlation.n_samples
    names = data.table.names
    in_memory, order = data.rows.in_memory, tuple(range(len(names)))
    held = NumberRows(values, data.weights, order, data.rows.groups) if in_memory else None
    return LinearEstimator(names, covariance_of(found), n_rows, held)


def _of_rows(network: Network, data: object, names: Sequence[Hashable] | None) -> RowsEstimator:
    """Rows as ``fit`` reads them; those with missing values are left out where one is needed."""
    in_groups = groups_as_learned(network, data)
    if in_groups.get("variation") == "between":
        return _of_groups(network, data, names)
    treatment = treatment_as_learned(network)
    keeps_gaps = "error" if network.settings.missing == "error" else "em"
    weights = weights_as_learned(network, data)
    table, counts = read_rows(data, network.names, names, keeps_gaps, weights, treatment)
    if table.n_rows < FEWEST_ROWS and (counts is None or counts.sum() < FEWEST_ROWS):
        raise InputError(f"the table has {counted(table.n_rows, 'row')}, too few to estimate anything")
    variables = variables_as_learned(network, table, counts)
    groups = None
    if in_groups:
        column = in_groups["groups"]
        groups = np.asarray(categories_in(read_table(data, names, [column]), column)[1], dtype=np.int64)
    return RowsEstimator(variables, Sample.of(variables, table, counts), groups=groups)


def _of_groups(network: Network, data: object, names: Sequence[Hashable] | None) -> RowsEstimator:
    """The means of groups as rows."""
    options = options_as_learned(network, data, {"names": names})
    rows = prepare(data, replace(options, columns=network.names)).rows
    assert rows is not None
    variables = variables_as_learned(network, rows.data.table, None)
    return RowsEstimator(variables, Sample.of(variables, rows.data.table, None))


def complete_columns(network: Network, data: object) -> dict[Hashable, NDArray[Any]]:
    """The columns of the network's variables as other programs take them, in the rows that have all values."""
    found = _of_rows(network, data, None)
    missing = [variable.missing(found.sample.columns[variable.name]) for variable in found.variables]
    there = ~np.any(missing, axis=0)
    return {v.name: v.decoded(found.sample.columns[v.name][there]) for v in found.variables}


def _covariances(found: RowsEstimator) -> LinearEstimator:
    values, weights = found.sample.matrix.astype(np.float64, order="F"), found.sample.weights
    lost = 0 if found.groups is None else less_means_of_groups(values, found.groups)
    summed, names = moments(values, weights=weights).less(lost), tuple(variable.name for variable in found.variables)
    held = NumberRows(values, weights, tuple(range(len(names))), found.groups)
    return LinearEstimator(names, covariance_of(summed), summed.n_samples, held)

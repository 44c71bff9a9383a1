"""Parameters for a learned structure: a Bayesian network with a likelihood, samples, predictions, interventions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from numbers import Real

from sidelight.errors import InputError
from sidelight.families import TABLE_TESTS
from sidelight.fit.conditional import Conditional
from sidelight.fit.gaussian import FittedGaussian
from sidelight.fit.imputation import fit_imputed
from sidelight.fit.incomplete_gaussian import fit_incomplete_gaussian
from sidelight.fit.incomplete_tables import fit_incomplete_tables
from sidelight.fit.intervention import Outcome
from sidelight.fit.mixed import FittedMixed, fit_conditional
from sidelight.fit.model import FittedNetwork
from sidelight.fit.rows import Rows, read_rows
from sidelight.fit.tables import FittedTables
from sidelight.fit.variables import Columns, ModelVariable
from sidelight.graphs.dag import Dag
from sidelight.network import Network
from sidelight.tables.table import Table, as_list
from sidelight.tables.treatment import AS_READ, Treatment
from sidelight.tables.type_option import ORDINAL
from sidelight.tables.types import discrete_columns
from sidelight.text.message import must_be

__all__ = ["FittedGaussian", "FittedMixed", "FittedNetwork", "FittedTables", "Outcome", "fit", "fit_rows"]


def fit(
    network: Network,
    source: object,
    *,
    names: Sequence[Hashable] | None = None,
    discrete: Iterable[Hashable] | None = None,
    missing: str = "error",
    weights: object = None,
    equivalent_sample_size: float = 1.0,
) -> FittedNetwork:
    """Fit the parameters of ``network.to_dag()`` to a table; ``Network.fit`` says what the arguments are."""
    if not isinstance(equivalent_sample_size, Real) or not 0 <= float(equivalent_sample_size) < float("inf"):
        raise InputError(must_be("equivalent_sample_size", "a number of rows, 0 or more", equivalent_sample_size))
    treatment = _as_learned(network, as_list(discrete))
    rows = read_rows(source, network.names, names, missing, weights, treatment)
    chosen = _discrete_columns(network, rows.table, discrete)
    return fit_rows(network, rows, chosen, float(equivalent_sample_size), treatment)


def _as_learned(network: Network, discrete: Sequence[Hashable]) -> Treatment:
    """How the table was treated that the structure was learned from, apart from columns that are discrete now."""
    numbers = tuple(column.name for column in network.types if column.type == "number" and column.name not in discrete)
    return Treatment(network.settings.missing_values, network.settings.dates, numbers)


def fit_rows(
    network: Network,
    rows: Rows,
    discrete: Sequence[Hashable],
    equivalent_sample_size: float,
    treatment: Treatment = AS_READ,
) -> FittedNetwork:
    """The same from rows that were read, which may have weights, and gaps."""
    dag = Dag.from_networkx(network.to_dag())
    variables = [
        ModelVariable.category(name, rows.table) if name in discrete else ModelVariable.number(name)
        for name in dag.names
    ]
    parents = [tuple(variables[p] for p in sorted(found)) for found in dag.parents]

    def fit_columns(columns: Columns, rows: Rows) -> tuple[Conditional, ...]:
        families = zip(variables, parents, strict=True)
        return tuple(fit_conditional(v, given, columns, rows, equivalent_sample_size) for v, given in families)

    kind = FittedGaussian if not discrete else FittedTables if len(discrete) == len(dag) else FittedMixed
    found: tuple[Conditional, ...]
    if not rows.has_gaps:
        found = fit_columns({variable.name: variable.encoded(rows) for variable in variables}, rows)
    elif kind is FittedGaussian:
        found = fit_incomplete_gaussian(dag, variables, rows)
    elif kind is FittedTables:
        found = fit_incomplete_tables(dag, variables, rows, equivalent_sample_size)
    else:
        found = fit_imputed(variables, rows, fit_columns)
    return kind(dag, found, rows.count, _undetermined(network, dag), treatment)


def _undetermined(network: Network, dag: Dag) -> frozenset[tuple[Hashable, Hashable]]:
    """The edges of the DAG that have no direction in the essential graph."""
    open_pairs = set(map(frozenset, network.undirected_edges))
    edges = ((dag.names[a], dag.names[b]) for a, b in dag.edges())
    return frozenset(edge for edge in edges if frozenset(edge) in open_pairs)


def _discrete_columns(network: Network, table: Table, discrete: Iterable[Hashable] | None) -> tuple[Hashable, ...]:
    """The columns that are named, or else all or none, as the structure was learned, or else by their types."""
    if discrete is None and network.types:
        return tuple(column.name for column in network.types if column.type in ("category", ORDINAL))
    learned_with = TABLE_TESTS.get(network.settings.test) if discrete is None else None
    if learned_with is None or learned_with.columns == "both":
        return discrete_columns(table, discrete)
    return network.names if learned_with.columns == "discrete" else ()

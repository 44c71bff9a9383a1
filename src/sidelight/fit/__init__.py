"""Parameters for a learned structure: a Bayesian network with a likelihood, samples, predictions, interventions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import log
from numbers import Real

from sidelight.errors import InputError
from sidelight.families import TABLE_TESTS
from sidelight.families.score import extended_penalty
from sidelight.fit.files import read_fitted
from sidelight.fit.gaussian import FittedGaussian
from sidelight.fit.intervention import Outcome
from sidelight.fit.mixed import FittedMixed
from sidelight.fit.model import FittedNetwork, fit_complete, read_rows
from sidelight.fit.query import QueryAnswer
from sidelight.fit.tables import FittedTables
from sidelight.graphs.dag import Dag
from sidelight.kinds.base import ModelVariable, Sample, UsedKind, Variables
from sidelight.kinds.category import Category
from sidelight.kinds.number import Number
from sidelight.kinds.types import discrete_columns, kinds_by_rule
from sidelight.network import Network
from sidelight.tables.all_rows import Weights
from sidelight.tables.table import Table, as_list, existing_columns
from sidelight.tables.treatment import Treatment
from sidelight.text.message import must_be

MISSING_AS_LEARNED = {"pairwise": "em"}  # parameters from all that is there, as tests were

__all__ = [
    "FittedGaussian",
    "FittedMixed",
    "FittedNetwork",
    "FittedTables",
    "Outcome",
    "QueryAnswer",
    "fit",
    "read_fitted",
    "treatment_as_learned",
    "variables_as_learned",
]


def fit(
    network: Network,
    source: object,
    *,
    names: Sequence[Hashable] | None = None,
    discrete: Iterable[Hashable] | None = None,
    missing: str | None = None,
    weights: object = None,
    equivalent_sample_size: float = 1.0,
    categories: Mapping[Hashable, Sequence[object]] | None = None,
) -> FittedNetwork:
    """Fit the parameters of ``network.to_dag()`` to a table; ``Network.fit`` says what the arguments are."""
    if not isinstance(equivalent_sample_size, Real) or not 0 <= float(equivalent_sample_size) < float("inf"):
        raise InputError(must_be("equivalent_sample_size", "a number of rows, 0 or more", equivalent_sample_size))
    treatment = treatment_as_learned(network, as_list(discrete))
    missing = MISSING_AS_LEARNED.get(network.settings.missing, network.settings.missing) if missing is None else missing
    table, counts = read_rows(source, network.names, names, missing, weights, treatment)
    dag, variables = Dag.from_networkx(network.to_dag()), variables_as_learned(network, table, counts, discrete)
    variables = _with_categories(variables, {} if categories is None else categories)
    fitted, sample = _class_for({variable.kind for variable in variables}), Sample.of(variables, table, counts)
    if fitted is FittedMixed:
        sample = replace(sample, parameter_cost=_parameter_cost(network, sample.count))
    fit_rows = fitted.fit_incomplete if sample.has_gaps else fit_complete
    conditionals = fit_rows(dag, variables, sample, float(equivalent_sample_size))
    return fitted(dag, conditionals, sample.count, _undetermined(network, dag), treatment)


def _with_categories(variables: Variables, named: Mapping[Hashable, Sequence[object]]) -> Variables:
    """The variables with categories that the rows may not have, after those that they have."""
    if not isinstance(named, Mapping):
        raise InputError(must_be("categories", "a dict of categories by variable", named))
    existing_columns([variable.name for variable in variables], [*named], "categories")
    return tuple(_extended(variable, named.get(variable.name, ())) for variable in variables)


def _extended(variable: ModelVariable, named: Sequence[object]) -> ModelVariable:
    if named and variable.kind != Category():
        raise InputError(
            f"categories: variable {str(variable.name)!r} is no category; it is a {variable.kind.nouns[0]}"
        )
    new = tuple(value for value in named if value not in variable.positions and str(value) not in variable.positions)
    return replace(variable, categories=(*variable.categories, *new)) if new else variable


def _class_for(kinds: set[UsedKind]) -> type[FittedNetwork]:
    if kinds <= {Number()}:
        return FittedGaussian
    return FittedTables if kinds <= {Category()} else FittedMixed


def _parameter_cost(network: Network, n_rows: float) -> float:
    """What the score of mixed tables charged for a parameter; the extended criterion's where there was none."""
    settings = network.settings
    by_bic = settings.score == "bic"
    penalty = settings.penalty or 1.0 if by_bic else extended_penalty(n_rows, len(network.names))
    return penalty * log(max(2.0, n_rows)) / 2


def treatment_as_learned(network: Network, discrete: Sequence[Hashable] = ()) -> Treatment:
    """How the table was treated that the structure was learned from, apart from columns that are discrete now."""
    used = [column for column in network.types if column.kind.is_used and column.name not in discrete]
    numbers = tuple(column.name for column in used if not column.kind.is_coded)
    orders = {column.name: column.order for column in used if column.order}
    settings = network.settings
    return Treatment(settings.missing_values, settings.dates, numbers, settings.given, orders)


def _undetermined(network: Network, dag: Dag) -> frozenset[tuple[Hashable, Hashable]]:
    """The edges of the DAG that have no direction in the essential graph."""
    open_pairs = set(map(frozenset, network.undirected_edges))
    edges = ((dag.names[a], dag.names[b]) for a, b in dag.edges())
    return frozenset(edge for edge in edges if frozenset(edge) in open_pairs)


def variables_as_learned(
    network: Network, table: Table, counts: Weights | None, discrete: Iterable[Hashable] | None = None
) -> Variables:
    """The variables of the network with the categories that this table has, ordered ones in their order."""
    kinds, orders = _kinds_as_learned(network, table, discrete), {**table.orders}
    orders |= {column.name: column.order for column in network.types if column.order}
    named = ((name, kinds.get(name, Number()), table, orders.get(name, ())) for name in network.names)
    return tuple(ModelVariable.of(*given, counts) for given in named)


def _kinds_as_learned(network: Network, table: Table, discrete: Iterable[Hashable] | None) -> dict[Hashable, UsedKind]:
    """The kinds of columns: categories are those named, or else as the structure was learned, or else by the rule."""
    if discrete is not None:
        return dict.fromkeys(discrete_columns(table, discrete), Category())
    learned_with = TABLE_TESTS.get(network.settings.test)
    taken = None if learned_with is None else learned_with.takes
    if taken is not None and taken.is_coded:  # also columns with an order, which such a test does not use
        return dict.fromkeys(network.names, Category())
    if network.types:
        return {column.name: column.used_kind for column in network.types if column.kind.is_used}
    return kinds_by_rule(table) if taken is None else {}

"""Parameters for a learned structure: a Bayesian network that has a likelihood and can be sampled."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from numbers import Real

from sidelight.data.table import Table, discrete_columns
from sidelight.errors import InputError
from sidelight.fit.gaussian import FittedGaussian, fit_gaussian
from sidelight.fit.model import FittedNetwork
from sidelight.fit.rows import read_rows
from sidelight.fit.tables import FittedTables, fit_tables
from sidelight.graphs.dag import Dag
from sidelight.independence import TABLE_TESTS
from sidelight.network import Network
from sidelight.text.message import Message, Option, must_be

__all__ = ["FittedGaussian", "FittedNetwork", "FittedTables", "fit"]


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
    learned = network.settings
    rows = read_rows(source, network.names, names, missing, weights, learned.missing_values, learned.dates)
    dag = Dag.from_networkx(network.to_dag())
    chosen = _discrete_columns(network, rows.table, discrete)
    if not chosen:
        return fit_gaussian(dag, rows)
    if len(chosen) == len(network.names):
        return fit_tables(dag, rows, float(equivalent_sample_size))
    raise InputError(_of_both_kinds(network, rows.table, chosen))


def _of_both_kinds(network: Network, table: Table, discrete: Sequence[Hashable]) -> Message:
    """Why there are no parameters for mixed columns, and what can be done."""
    number = next(name for name in network.names if name not in discrete)
    text = next((name for name in discrete if name in table.texts), None)
    remedy = (
        Message(Option("discrete", []), " treats all columns as numbers")
        if text is None
        else f"Column {str(text)!r} cannot be treated as a number; group the numbers into classes first"
    )
    return Message(
        f"column {str(discrete[0])!r} is discrete and column {str(number)!r} is not; parameters are for columns of one "
        "kind. ",
        remedy,
        ", or discrete=net.names treats every different value as a category",
    )


def _discrete_columns(network: Network, table: Table, discrete: Iterable[Hashable] | None) -> tuple[Hashable, ...]:
    """The columns that are named, or else all or none, as the structure was learned, or else by their types."""
    learned_with = TABLE_TESTS.get(network.settings.test) if discrete is None else None
    if learned_with is None or learned_with.columns == "both":
        return discrete_columns(table, discrete)
    return network.names if learned_with.columns == "discrete" else ()

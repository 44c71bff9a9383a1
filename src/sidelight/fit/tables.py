"""Discrete networks: a table of probabilities for each variable, with a Dirichlet prior."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.data.coding import Coded, code_columns
from sidelight.data.files import check_target, write_whole
from sidelight.data.table import Table
from sidelight.errors import InputError
from sidelight.fit.model import FittedNetwork
from sidelight.fit.rows import Rows
from sidelight.graphs.dag import Dag
from sidelight.graphs.names import hint_at_names
from sidelight.simulation.bif import render_bif
from sidelight.simulation.discrete import DiscreteNetwork
from sidelight.sufficient.expected_counts import Families, em_rounds, log_likelihood
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted

Codes = NDArray[np.int64]
Categories = tuple[tuple[object, ...], ...]
LARGEST_TABLE = 10**7
MOST_COMBINATIONS = 100_000  # of the categories of a row's gaps, for its likelihood


@dataclass(frozen=True, repr=False)
class FittedTables(FittedNetwork):
    """Each variable has a table of probabilities given its parents; ``categories`` are the values of each variable."""

    model: DiscreteNetwork
    structure: Dag
    categories: Categories
    n_rows: float

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The variables."""
        return self.structure.names

    @property
    def dag(self) -> nx.DiGraph:
        """The graph, over the names."""
        return self.structure.to_networkx()

    @property
    def n_parameters(self) -> int:
        """Probabilities that are free: in each row of a table all but one."""
        return sum(table.size - table.size // table.shape[-1] for table in self.model.tables.values())

    def probabilities(self, name: Hashable) -> NDArray[np.float64]:
        """The table of a variable: an axis for each parent, in column order, and its own categories last."""
        if str(name) not in self.model.tables:
            raise InputError(f"there is no variable {name!r}{hint_at_names(name, self.names)}")
        return self.model.tables[str(name)]

    def sample(self, n_rows: int, seed: int | np.random.Generator | None = None) -> dict[Hashable, NDArray[Any]]:
        """New rows, as a dict of columns in the order of the variables, with the values that the data had."""
        codes = self.model.sample_codes(n_rows, np.random.default_rng(seed))
        return {
            name: np.array(categories)[codes[str(name)]]
            for name, categories in zip(self.names, self.categories, strict=True)
        }

    def to_bif(self) -> str:
        """The network in BIF, which most programs for Bayesian networks read."""
        return render_bif(self.model)

    def write(self, path: str | Path, overwrite: bool = False) -> None:
        """Write the network to a BIF file."""
        target = Path(path).expanduser()
        if target.suffix.lower() != ".bif":
            raise InputError(
                f"a network with its probabilities is written as BIF; the name must end in .bif; got {str(path)!r}"
            )
        check_target(target, overwrite)
        write_whole(target, self.to_bif().encode())

    def _log_likelihood(self, rows: Rows) -> float:
        columns = [_known_codes(rows.table, name, self.categories[v]) for v, name in enumerate(self.names)]
        codes = np.column_stack([np.empty((rows.table.n_rows, 0), dtype=np.int64), *columns])
        families = Families.of(self.structure.parents, [len(values) for values in self.categories])
        probabilities = np.concatenate([np.empty(0), *(self.model.tables[str(name)].ravel() for name in self.names)])
        if rows.has_gaps:
            return _of_what_is_there(codes, rows, families, probabilities)
        counts = families.counts(codes, rows.weights)
        seen = counts > 0
        with np.errstate(divide="ignore"):  # an observed cell of probability 0 makes the likelihood 0
            return float(counts[seen] @ np.log(probabilities[seen]))

    def _in_words(self) -> list[str]:
        lines = []
        for v, name in enumerate(self.names):
            given = ", ".join(str(self.names[p]) for p in sorted(self.structure.parents[v]))
            lines.append(f"{name}{f' given {given}' * bool(given)}: {', '.join(map(str, self.categories[v]))}")
        return lines


def _of_what_is_there(codes: Codes, rows: Rows, families: Families, probabilities: NDArray[np.float64]) -> float:
    """The log-likelihood of rows with gaps, which are summed over."""
    weights = np.ones(len(codes)) if rows.weights is None else rows.weights
    likelihood, n_left_out = log_likelihood(codes, weights, families, probabilities, MOST_COMBINATIONS)
    if n_left_out:
        why = " so many missing values that depend on each other that they cannot be summed over; use "
        have = f"{counted(n_left_out, 'row')} {'has' if n_left_out == 1 else 'have'}"
        raise InputError(Message(have, why, Option("missing", "drop")))
    return likelihood


def fit_tables(dag: Dag, rows: Rows, equivalent_sample_size: float) -> FittedTables:
    """Relative frequencies, with a uniform prior that is worth ``equivalent_sample_size`` rows for each table."""
    coded = code_columns(dag.names, [rows.table.column(name) for name in dag.names])
    categories = tuple(
        tuple(_as_in_data(category, rows.table.kinds[name]) for category in values)
        for name, values in zip(dag.names, coded.categories, strict=True)
    )
    families = Families.of(dag.parents, coded.n_categories)
    _check_tables(dag, families, coded)
    weights = np.ones(len(coded.codes)) if rows.weights is None else rows.weights
    if rows.has_gaps:
        *_, (probabilities, _) = em_rounds(coded.codes, weights, families, equivalent_sample_size)
    else:
        probabilities = families.probabilities(families.counts(coded.codes, weights), equivalent_sample_size)
    tables = dict(zip(map(str, dag.names), families.tables(probabilities), strict=True))
    parents = {str(name): [str(dag.names[p]) for p in sorted(dag.parents[v])] for v, name in enumerate(dag.names)}
    named = {
        str(name): [str(category) for category in values] for name, values in zip(dag.names, categories, strict=True)
    }
    return FittedTables(DiscreteNetwork(named, parents, tables), dag, categories, rows.count)


def _check_tables(dag: Dag, families: Families, coded: Coded) -> None:
    """Raise when a column has no values, or a table would be too large."""
    for v, name in enumerate(dag.names):
        if not coded.n_categories[v]:
            raise InputError(
                Message(f"column {str(name)!r} has missing values only; drop it: ", Option("drop", [name]))
            )
        if (size := prod(families.shape(v))) > LARGEST_TABLE:
            raise InputError(
                f"the table of {str(name)!r} given its {len(families.parents[v])} parents would have {size:,} cells; "
                "learn with a smaller significance level alpha, or merge categories"
            )


def _as_in_data(category: Any, kind: str) -> object:
    """A whole number or a truth value as such: a table keeps both as floats."""
    return int(category) if kind == "integer" else bool(category) if kind == "boolean" else category


def _known_codes(table: Table, name: Hashable, categories: tuple[object, ...]) -> Codes:
    """The column as positions among the categories that the network was fitted with."""
    coded = code_columns([name], [table.column(name)])
    position = {category: i for i, category in enumerate(categories)} | {
        str(category): i for i, category in enumerate(categories)
    }
    seen = [_as_in_data(category, table.kinds[name]) for category in coded.categories[0]]
    unknown = [category for category in seen if category not in position]
    if unknown:
        known = ", ".join(map(repr, categories[:8])) + ", …" * (len(categories) > 8)
        raise InputError(
            f"column {str(name)!r} has the value {unknown[0]!r}, which is none of the fitted categories {known}"
        )
    positions = np.array([*(position[category] for category in seen), -1], dtype=np.int64)  # the last one: missing
    found: Codes = positions[coded.codes[:, 0]]
    return found

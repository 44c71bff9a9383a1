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

from sidelight.data.coding import code_columns
from sidelight.data.files import check_target, write_whole
from sidelight.data.table import Table
from sidelight.errors import InputError
from sidelight.fit.model import FittedNetwork, checked_count
from sidelight.fit.rows import Rows
from sidelight.graphs.dag import Dag
from sidelight.graphs.names import hint_at_names
from sidelight.simulation.bif import render_bif
from sidelight.simulation.discrete import DiscreteNetwork

Codes = NDArray[np.int64]
Categories = tuple[tuple[object, ...], ...]
LARGEST_TABLE = 10**7


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
        codes = self.model.sample_codes(checked_count(n_rows), np.random.default_rng(seed))
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
        codes = [_known_codes(rows.table, name, self.categories[v]) for v, name in enumerate(self.names)]
        total = 0.0
        for v, name in enumerate(self.names):
            counts = _counts(self.structure, v, codes, self.categories, rows)
            seen = counts > 0
            with np.errstate(divide="ignore"):  # an observed cell of probability 0 makes the likelihood 0
                total += float(counts[seen] @ np.log(self.model.tables[str(name)][seen]))
        return total

    def _in_words(self) -> list[str]:
        lines = []
        for v, name in enumerate(self.names):
            given = ", ".join(str(self.names[p]) for p in sorted(self.structure.parents[v]))
            lines.append(f"{name}{f' given {given}' * bool(given)}: {', '.join(map(str, self.categories[v]))}")
        return lines


def fit_tables(dag: Dag, rows: Rows, equivalent_sample_size: float) -> FittedTables:
    """Relative frequencies, with a uniform prior that is worth ``equivalent_sample_size`` rows for each table."""
    coded = code_columns(dag.names, [rows.table.column(name) for name in dag.names])
    categories = tuple(
        tuple(_as_in_data(category, rows.table.kinds[name]) for category in values)
        for name, values in zip(dag.names, coded.categories, strict=True)
    )
    codes = list(coded.codes.T.astype(np.int64))
    tables = {}
    for v, name in enumerate(dag.names):
        counts = _counts(dag, v, codes, categories, rows)
        counts += equivalent_sample_size / counts.size
        totals = counts.sum(axis=-1, keepdims=True)
        even = 1 / counts.shape[-1]  # for combinations of the parents that never occur, without a prior
        tables[str(name)] = np.divide(counts, totals, out=np.full_like(counts, even), where=totals > 0)
    parents = {str(name): [str(dag.names[p]) for p in sorted(dag.parents[v])] for v, name in enumerate(dag.names)}
    named = {
        str(name): [str(category) for category in values] for name, values in zip(dag.names, categories, strict=True)
    }
    return FittedTables(DiscreteNetwork(named, parents, tables), dag, categories, rows.count)


def _counts(dag: Dag, v: int, codes: list[Codes], categories: Categories, rows: Rows) -> NDArray[np.float64]:
    """The number of rows with each combination of the parents' categories and the variable's own."""
    family = (*sorted(dag.parents[v]), v)
    shape = tuple(len(categories[member]) for member in family)
    if prod(shape) > LARGEST_TABLE:
        raise InputError(
            f"the table of {str(dag.names[v])!r} given its {len(family) - 1} parents would have {prod(shape):,} cells; "
            "learn with a smaller significance level alpha, or merge categories"
        )
    cells = np.ravel_multi_index([codes[member] for member in family], shape)
    return np.bincount(cells, rows.weights, prod(shape)).reshape(shape).astype(np.float64)


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
    positions: Codes = np.array([position[category] for category in seen], dtype=np.int64)[coded.codes[:, 0]]
    return positions

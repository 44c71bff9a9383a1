"""Interventions: variables set to values in a fitted network, and what becomes of another one, by simulation."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.kinds.base import Columns, Conditional, ModelVariable
from sidelight.text.sentences import listed

Edge = tuple[Hashable, Hashable]


@dataclass(frozen=True)
class Outcome:
    """A variable under an intervention, from simulated rows.

    Attributes:
        target: the variable.
        do: what other variables are set to.
        mean: of a number; None for categories.
        probabilities: of categories; empty for a number.
        errors: the standard error of simulation (Monte Carlo) of the mean, or of the probability of each category.
        n_rows: how many rows were simulated.
        open_edges: the edges whose direction the data leave open and that the answer may depend on.
    """

    target: Hashable
    do: Mapping[Hashable, object]
    mean: float | None
    probabilities: Mapping[object, float]
    errors: Mapping[object, float]
    n_rows: int
    open_edges: tuple[Edge, ...]

    def __str__(self) -> str:
        setting = ", ".join(f"{name} = {value}" for name, value in self.do.items()) or "nothing"
        sentences = [f"{self.target} under do({setting}): {'; '.join(self._numbers())} ({self.n_rows} simulated rows)."]
        if self.open_edges:
            edges = listed(f"{a} — {b}" for a, b in self.open_edges)
            sentences.append(
                f"The data leave the direction of {edges} open; with another direction the answer may differ."
            )
        return " ".join(sentences)

    __repr__ = __str__

    def _numbers(self) -> Iterable[str]:
        if self.mean is not None:
            return [f"mean {self.mean:.4g} ± {self.errors['mean']:.2g}"]
        return [f"{name} {share:.3f} ± {self.errors[name]:.2g}" for name, share in self.probabilities.items()]


def intervened(
    order: Iterable[Conditional], held: Mapping[Hashable, float | int], n_rows: int, rng: np.random.Generator
) -> Columns:
    """Rows drawn from parents to children; what is held has its value in every row."""
    columns: dict[Hashable, NDArray[Any]] = {}
    for conditional in order:
        name = conditional.variable.name
        columns[name] = np.full(n_rows, held[name]) if name in held else conditional.draw(columns, n_rows, rng)
    return columns


def outcome(
    target: ModelVariable, column: NDArray[Any], do: Mapping[Hashable, object], open_edges: tuple[Edge, ...]
) -> Outcome:
    """The mean or the shares of a simulated column, with their standard errors."""
    n_rows = len(column)
    if not target.kind.is_coded:
        errors: dict[object, float] = {"mean": float(column.std(ddof=1)) / n_rows**0.5}
        return Outcome(target.name, do, float(column.mean()), {}, errors, n_rows, open_edges)
    shares = np.bincount(column, minlength=len(target.categories)) / n_rows
    spreads = np.sqrt(shares * (1 - shares) / n_rows)
    probabilities = dict(zip(target.categories, shares.tolist(), strict=True))
    errors = dict(zip(target.categories, spreads.tolist(), strict=True))
    return Outcome(target.name, do, None, probabilities, errors, n_rows, open_edges)


def may_depend_on(
    dag: nx.DiGraph, undetermined: frozenset[Edge], held: frozenset[Hashable], target: Hashable
) -> tuple[Edge, ...]:
    """The undetermined edges at variables that are held from which a path, none of it against an arrow, leads on.

    If no such path reaches the target, all DAGs of the class agree on the intervention (Perković 2020).
    """
    forward = nx.DiGraph(dag.edges)
    forward.add_nodes_from(dag)
    forward.add_edges_from((b, a) for a, b in undetermined)
    forward.remove_nodes_from(held)
    if target in held:
        return ()
    reaching = {target} | nx.ancestors(forward, target)
    return tuple(
        edge
        for edge in dag.edges
        if edge in undetermined and len(held & set(edge)) == 1 and not reaching.isdisjoint(set(edge) - held)
    )

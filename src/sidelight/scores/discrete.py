"""Scores of discrete networks from counts: the marginal likelihood with a uniform prior (BDeu), and BIC."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import log, prod

import numpy as np
from numpy.typing import NDArray

from sidelight.scores.tabled import TabledScore


@dataclass(frozen=True)
class DiscreteRows:
    """Discrete columns as codes from 0 on. Frequency weights say how many rows a row stands for."""

    codes: NDArray[np.integer]
    n_categories: Sequence[int]
    names: Sequence[Hashable]
    weights: NDArray[np.float64] | None = None


class DiscreteScore(TabledScore):
    """What scores of discrete columns have in common: the rows, as kernels read them."""

    def __init__(self, rows: DiscreteRows) -> None:
        self.names = tuple(rows.names)
        self._codes = np.asfortranarray(rows.codes)
        self._categories = np.array(rows.n_categories, dtype=np.int64)
        self._weights = np.empty(0) if rows.weights is None else np.ascontiguousarray(rows.weights, dtype=np.float64)


class BayesianDirichlet(DiscreteScore):
    """BDeu: the prior counts as ``equivalent_sample_size`` rows in each table."""

    option = "bdeu"

    def __init__(self, rows: DiscreteRows, equivalent_sample_size: float = 10.0) -> None:
        super().__init__(rows)
        self.equivalent_sample_size = equivalent_sample_size

    def family(self, v: int, parents: tuple[int, ...]) -> float:
        from sidelight.kernels.families import bayesian_dirichlet

        members = np.array(parents, dtype=np.int64)
        return float(
            bayesian_dirichlet(
                self._codes, v, members, self._categories, self._weights, float(self.equivalent_sample_size)
            )
        )


class DiscreteBic(DiscreteScore):
    """The likelihood, less ``penalty`` · parameters / 2 · log N."""

    option = "bic"

    def __init__(self, rows: DiscreteRows, penalty: float = 1.0) -> None:
        super().__init__(rows)
        n_rows = float(self._weights.sum()) if len(self._weights) else len(self._codes)
        self._cost = penalty * log(max(2.0, n_rows)) / 2

    def family(self, v: int, parents: tuple[int, ...]) -> float:
        from sidelight.kernels.families import log_likelihood

        members = np.array(parents, dtype=np.int64)
        parameters = (int(self._categories[v]) - 1) * prod(int(self._categories[p]) for p in parents)
        likelihood = log_likelihood(self._codes, v, members, self._categories, self._weights)
        return float(likelihood) - self._cost * parameters

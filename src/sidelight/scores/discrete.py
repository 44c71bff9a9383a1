"""Scores of discrete networks from counts: the marginal likelihood with a uniform prior (BDeu), and BIC."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import log, prod

import numpy as np
from numpy.typing import NDArray

from sidelight.scores.tabled import TabledScore


class DiscreteScore(TabledScore):
    """What scores of discrete columns have in common. Frequency weights say how many rows a row stands for."""

    def __init__(
        self,
        codes: NDArray[np.integer],
        n_categories: Sequence[int],
        names: Sequence[Hashable],
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        self.names = tuple(names)
        self._codes = np.asfortranarray(codes, dtype=np.int64)
        self._categories = np.array(n_categories, dtype=np.int64)
        self._weights = np.empty(0) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)


class BayesianDirichlet(DiscreteScore):
    """BDeu: the prior counts as ``equivalent_sample_size`` rows in each table."""

    option = "bdeu"

    def __init__(
        self,
        codes: NDArray[np.integer],
        n_categories: Sequence[int],
        names: Sequence[Hashable],
        weights: NDArray[np.float64] | None = None,
        equivalent_sample_size: float = 10.0,
    ) -> None:
        super().__init__(codes, n_categories, names, weights)
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

    def __init__(
        self,
        codes: NDArray[np.integer],
        n_categories: Sequence[int],
        names: Sequence[Hashable],
        weights: NDArray[np.float64] | None = None,
        penalty: float = 1.0,
    ) -> None:
        super().__init__(codes, n_categories, names, weights)
        n_rows = len(self._codes) if weights is None else float(self._weights.sum())
        self._cost = penalty * log(max(2.0, n_rows)) / 2

    def family(self, v: int, parents: tuple[int, ...]) -> float:
        from sidelight.kernels.families import log_likelihood

        members = np.array(parents, dtype=np.int64)
        parameters = (int(self._categories[v]) - 1) * prod(int(self._categories[p]) for p in parents)
        likelihood = log_likelihood(self._codes, v, members, self._categories, self._weights)
        return float(likelihood) - self._cost * parameters

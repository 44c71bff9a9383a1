"""What all fitted networks have in common."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.fit.rows import Rows, read_rows
from sidelight.text.message import must_be

SHOWN = 30


def checked_count(n_rows: object) -> int:
    """The number of rows to draw, or raise."""
    try:
        count = operator.index(n_rows)  # type: ignore[arg-type]
    except TypeError:
        count = -1
    if count < 0:
        raise InputError(must_be("n_rows", "a whole number, 0 or more", n_rows))
    return count


class FittedNetwork(ABC):
    """A DAG with parameters; ``n_rows`` is the number of rows they were fitted to."""

    n_rows: float

    @property
    @abstractmethod
    def names(self) -> tuple[Hashable, ...]:
        """The variables."""

    @property
    @abstractmethod
    def dag(self) -> nx.DiGraph:
        """The graph, over the names."""

    @property
    @abstractmethod
    def n_parameters(self) -> int:
        """The number of free parameters."""

    @abstractmethod
    def sample(self, n_rows: int, seed: int | np.random.Generator | None = None) -> dict[Hashable, NDArray[Any]]:
        """New rows, as a dict of columns in the order of the variables."""

    @abstractmethod
    def _log_likelihood(self, rows: Rows) -> float: ...

    @abstractmethod
    def _in_words(self) -> list[str]: ...

    def log_likelihood(
        self, data: object, names: Sequence[Hashable] | None = None, missing: str = "error", weights: object = None
    ) -> float:
        """The natural logarithm of the likelihood of a table; the arguments are those of ``Network.fit``."""
        return self._log_likelihood(read_rows(data, self.names, names, missing, weights))

    def mean_log_likelihood(
        self, data: object, names: Sequence[Hashable] | None = None, missing: str = "error", weights: object = None
    ) -> float:
        """The mean log-likelihood of a row, by which tables of different length can be compared."""
        rows = read_rows(data, self.names, names, missing, weights)
        return self._log_likelihood(rows) / rows.count

    def bic(
        self, data: object, names: Sequence[Hashable] | None = None, missing: str = "error", weights: object = None
    ) -> float:
        """log-likelihood − ½ · parameters · log(rows): the larger, the better."""
        rows = read_rows(data, self.names, names, missing, weights)
        return self._log_likelihood(rows) - 0.5 * self.n_parameters * float(np.log(rows.count))

    def __repr__(self) -> str:
        title = (
            f"<{type(self).__name__}: {len(self.names)} variables, {self.n_parameters} parameters, "
            f"fitted to {self.n_rows:g} rows>"
        )
        lines = self._in_words()
        more = [f"  … and {len(lines) - SHOWN} more variables"] if len(lines) > SHOWN else []
        return "\n".join([title, *(f"  {line}" for line in lines[:SHOWN]), *more])

"""Moments and correlation matrices, from one pass over the rows.

The rows come in blocks: each block is centred by a provisional mean (that of evenly spaced rows) while it is in the
cache and added to the cross products by a symmetric BLAS-3 update; the error of the provisional mean is corrected at
the end. No copy of the table is made. A missing or infinite value shows in its column's sum.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.graphs.names import check_names
from sidelight.kernels import DETERMINED
from sidelight.tables.all_rows import AllRows, Batch, Fold, Tick
from sidelight.tables.table import Table
from sidelight.text.message import must_be

Matrix = NDArray[np.float64]
BLOCK_BYTES, CACHE_BYTES = 16 * 2**20, 2**19
PROVISIONAL_ROWS = 1024
FEW_COLUMNS, MANY_ROWS = 128, 10_000


@dataclass(frozen=True)
class Correlation:
    """A correlation matrix, the number of samples it comes from, and the names of its columns.

    Pass one to ``sidelight.learn`` when there is no table but a matrix.
    """

    matrix: Matrix
    n_samples: int
    names: tuple[Hashable, ...]

    def __init__(self, matrix: object, n_samples: int, names: Sequence[Hashable] | None = None) -> None:
        # Writable, as computed ones are: for others, such as those of pandas, numba would compile all kernels anew.
        array = np.require(matrix, np.float64, ["C_CONTIGUOUS", "WRITEABLE", "ENSUREARRAY"])
        if array.ndim != 2 or array.shape[0] != array.shape[1]:
            raise InputError(f"a correlation matrix must be square; got one of shape {array.shape}")
        if names is None:
            names = getattr(matrix, "columns", range(len(array)))
        labels = check_names(names)
        if len(labels) != len(array):
            raise InputError(f"the correlation matrix has {len(array)} columns, but {len(labels)} names were given")
        if isinstance(n_samples, bool) or not isinstance(n_samples, int | np.integer) or n_samples < 1:
            raise InputError(must_be("n_samples", "the number of rows that the correlations come from", n_samples))
        _check_entries(array, labels)
        vars(self).update(matrix=array, n_samples=int(n_samples), names=labels)

    @classmethod
    def computed(cls, matrix: Matrix, n_samples: int, names: tuple[Hashable, ...]) -> Correlation:
        """A matrix whose entries need no check, since they were computed from a table."""
        correlation = cls.__new__(cls)
        vars(correlation).update(matrix=matrix, n_samples=n_samples, names=names)
        return correlation

    def named(self, names: tuple[Hashable, ...]) -> Correlation:
        """The same with these names; what was computed of the matrix is not computed again."""
        other = copy(self)
        vars(other)["names"] = names
        return other

    def in_order(self, order: Sequence[int]) -> Correlation:
        """The same columns in another order."""
        matrix = np.ascontiguousarray(self.matrix[np.ix_(order, order)])
        return Correlation.computed(matrix, self.n_samples, tuple(self.names[v] for v in order))

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def _pivot_and_condition(self) -> tuple[float, float]:
        """Two figures of the Cholesky factor. The factor itself is not kept: it is as large as the matrix."""
        if not len(self):
            return 1.0, 1.0
        factor = self._factor()
        if factor is None:
            return 0.0, float("inf")
        from scipy.linalg import lapack  # here and below on first use: half the time of "import sidelight"

        norm = max(float(np.abs(row).sum()) for row in self.matrix)
        reciprocal, _ = lapack.dpocon(factor, norm, uplo="L")
        return float(np.min(np.diagonal(factor)) ** 2), float("inf") if reciprocal == 0 else 1 / float(reciprocal)

    def _factor(self) -> Matrix | None:
        """The lower Cholesky factor, or None if the matrix is not positive definite."""
        from scipy.linalg import lapack

        factor, info = lapack.dpotrf(self.matrix, lower=1, clean=0)
        return factor if info == 0 else None

    @property
    def smallest_pivot(self) -> float:
        """The smallest share of a column's variance that the columns before it leave unexplained; 0 if singular."""
        return self._pivot_and_condition[0]

    @property
    def condition_number(self) -> float:
        """An estimate of the condition number (1-norm); infinite if the matrix is singular."""
        return self._pivot_and_condition[1]

    @property
    def is_singular(self) -> bool:
        """True if some column is a linear combination of others, up to rounding."""
        return self.smallest_pivot <= DETERMINED

    def inverse_diagonal(self) -> Matrix:
        """The diagonal of the inverse: for each column, one over the share of its variance that the others leave.

        Of the factor's inverse alone, which takes half the time of the whole inverse; a singular matrix has none.
        """
        from scipy.linalg import lapack

        inverse = self._from_factor(lapack.dtrtri)
        columns = (inverse[j:, j] for j in range(len(inverse)))
        return np.array([column @ column for column in columns])

    def inverse(self) -> Matrix:
        """The inverse, lower triangle only; a singular matrix has none.

        The matrix is factored anew, and the inverse is written over the factor: a third matrix would be one too many.
        """
        if not len(self):
            return self.matrix.copy()
        from scipy.linalg import lapack

        return self._from_factor(lapack.dpotri)

    def _from_factor(self, invert: Callable[..., tuple[Matrix, int]]) -> Matrix:
        """What a routine of LAPACK writes over the Cholesky factor; a singular matrix has none."""
        factor = self._factor()
        result, info = (factor, 1) if factor is None else invert(factor, lower=1, overwrite_c=1)
        if result is None or info != 0:
            raise np.linalg.LinAlgError("the correlation matrix is singular")
        return result


def _check_entries(matrix: Matrix, names: tuple[Hashable, ...]) -> None:
    if not np.isfinite(matrix).all():
        i, j = np.argwhere(~np.isfinite(matrix))[0]
        raise InputError(f"the correlation of {names[i]!r} and {names[j]!r} is {matrix[i, j]}, not a number")
    if np.abs(matrix).max(initial=0) > 1 + 1e-9:
        i, j = np.unravel_index(np.abs(matrix).argmax(), matrix.shape)
        raise InputError(
            f"the correlation of {names[i]!r} and {names[j]!r} is {matrix[i, j]:.6g}, outside -1 … 1; "
            "is this a covariance matrix?"
        )
    off = np.abs(np.diagonal(matrix) - 1)
    if off.max(initial=0) > 1e-9:
        i = int(off.argmax())
        raise InputError(f"the correlation of {names[i]!r} with itself is {matrix[i, i]:.6g}, not 1")
    skew = np.abs(matrix - matrix.T)
    if skew.max(initial=0) > 1e-9:
        i, j = np.unravel_index(skew.argmax(), skew.shape)
        raise InputError(f"the matrix is not symmetric: [{names[i]!r}, {names[j]!r}] differs from its mirror image")
    if len(matrix) and np.linalg.eigvalsh(matrix)[0] < -1e-8:
        raise InputError("a correlation matrix must be positive semidefinite; this one has a negative eigenvalue")


@dataclass(frozen=True)
class Moments:
    """Means, variances and correlations of the columns of a table; NaN marks columns that have none."""

    means: Matrix
    variances: Matrix
    correlations: Matrix
    n_samples: int
    extremes: Matrix  # the largest distance of a value from the mean
    weighted: bool = False

    def less(self, lost: int) -> Moments:
        """The same where so many rows' worth went into the means of groups."""
        freedom = max(1, self.n_samples - 1)
        variances = self.variances * freedom / max(1, freedom - lost)
        return replace(self, variances=variances, n_samples=self.n_samples - lost) if lost else self

    @cached_property
    def correlation(self) -> Correlation:
        """The correlations with what is computed of them, under the numbers of the columns as names."""
        return Correlation.computed(self.correlations, self.n_samples, tuple(range(len(self.means))))


def moments(
    values: NDArray[np.generic], tick: Callable[[], None] = lambda: None, weights: Matrix | None = None
) -> Moments:
    """One blocked pass over the rows of ``values``; a weight says how many rows a row counts as."""
    sums = MomentSums(provisional_mean(values))
    sums.add(values, weights, tick)
    return sums.moments()


class MomentSums:
    """Sums over rows of differences from provisional means, from which moments follow; those of others can be added."""

    def __init__(self, provisional: Matrix) -> None:
        n_columns = len(provisional)
        self.provisional, self.weighted, self.total = provisional, False, 0.0
        self.products = np.zeros((n_columns, n_columns), order="F")
        self.sums = np.zeros(n_columns)
        self.low, self.high = np.full(n_columns, np.inf), np.full(n_columns, -np.inf)

    def add(
        self, values: NDArray[np.generic], weights: Matrix | None = None, tick: Callable[[], None] = lambda: None
    ) -> None:
        """Add some rows, block by block."""
        n_rows, n_columns = values.shape
        order: Literal["C", "F"] = "F" if values.flags.f_contiguous and not values.flags.c_contiguous else "C"
        rows = max(1, min(n_rows, BLOCK_BYTES // max(1, 8 * n_columns)))
        buffer = np.empty((rows, n_columns), order=order)
        with np.errstate(invalid="ignore", over="ignore"), _threads_for(n_rows, n_columns):
            for start in range(0, n_rows, rows):
                block = values[start : start + rows]
                self._add_block(block, buffer, None if weights is None else weights[start : start + rows])
                tick()
        self.total += float(n_rows) if weights is None else float(weights.sum())
        self.weighted |= weights is not None

    def _add_block(self, block: NDArray[np.generic], buffer: Matrix, weights: Matrix | None) -> None:
        centred, step = buffer[: len(block)], len(block)
        if buffer.flags.c_contiguous:  # a few rows at a time stay in the nearest cache
            step = max(1, CACHE_BYTES // max(1, 8 * block.shape[1]))
        for start in range(0, len(block), step):
            some = slice(start, start + step)
            self._centre(block[some], centred[some], None if weights is None else weights[some])
        _add_products(centred, self.products)

    def _centre(self, block: NDArray[np.generic], centred: Matrix, weights: Matrix | None) -> None:
        """Write the differences from the provisional means, times the roots of the weights, and add up the rest."""
        np.subtract(block, self.provisional, out=centred, casting="unsafe")
        np.minimum(self.low, centred.min(axis=0), out=self.low)
        np.maximum(self.high, centred.max(axis=0), out=self.high)
        if weights is None:
            self.sums += centred.sum(axis=0)
        else:
            self.sums += weights @ centred
            centred *= np.sqrt(weights)[:, None]

    def join(self, others: MomentSums) -> None:
        """Add the sums over other rows, whose provisional means may differ."""
        off_by = others.provisional - self.provisional
        mixed = np.outer(others.sums, off_by)
        self.products += others.products + mixed + mixed.T + others.total * np.outer(off_by, off_by)
        self.sums += others.sums + others.total * off_by
        self.total += others.total
        self.weighted |= others.weighted
        np.minimum(self.low, others.low + off_by, out=self.low)
        np.maximum(self.high, others.high + off_by, out=self.high)

    def moments(self) -> Moments:
        """The moments of all rows; the sums are used up."""
        with np.errstate(invalid="ignore", over="ignore"):
            off_by = self.sums / max(1.0, self.total)
            for row, correction in zip(self.products, self.total * off_by, strict=True):  # no matrix of corrections
                row -= correction * off_by
            extremes = np.maximum(0.0, np.maximum(self.high - off_by, off_by - self.low))
        variances = np.diagonal(self.products) / max(1.0, self.total - 1)
        correlations = _scaled(self.products)
        means, n_rows = self.provisional + off_by, n_whole(self.total)
        return Moments(means, variances, correlations, n_rows, extremes, self.weighted)


def _threads_for(n_rows: int, n_columns: int) -> AbstractContextManager[object]:
    """One thread of BLAS for many rows of few columns: more of them would wait for each other most of the time."""
    if n_columns > FEW_COLUMNS or n_rows < MANY_ROWS:
        return nullcontext()
    one: AbstractContextManager[object] = _blas().limit(limits=1, user_api="blas")
    return one


@cache
def _blas() -> Any:
    import scipy.linalg.blas  # noqa: F401 - has to be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def provisional_mean(values: NDArray[np.generic]) -> Matrix:
    """The means of evenly spaced rows, 0 where there is none; any number near the mean would do."""
    step = max(1, len(values) // PROVISIONAL_ROWS)
    sample = values[::step]
    with np.errstate(all="ignore"):
        mean: Matrix = np.asarray(sample, dtype=np.float64).sum(axis=0) / max(1, len(sample))
    return np.where(np.isfinite(mean), mean, 0.0)


def _add_products(centred: Matrix, products: Matrix) -> None:
    """products += centredᵀ centred, lower triangle, in place."""
    if centred.size == 0:
        return
    from scipy.linalg.blas import dsyrk

    if centred.flags.c_contiguous:
        dsyrk(1.0, centred.T, beta=1.0, c=products, trans=0, lower=1, overwrite_c=1)
    else:
        dsyrk(1.0, centred, beta=1.0, c=products, trans=1, lower=1, overwrite_c=1)


def _scaled(products: Matrix) -> Matrix:
    """Correlations in place of products, of which the lower triangle is read; NaN where a column does not vary."""
    with np.errstate(all="ignore"):
        scale = 1 / np.sqrt(np.diagonal(products))
        products *= scale
        products *= scale[:, None]
    correlations = _mirrored(products)
    np.clip(correlations, -1.0, 1.0, out=correlations)
    np.fill_diagonal(correlations, np.where(np.isfinite(scale), 1.0, np.nan))
    return correlations


def n_whole(total: float) -> int:
    """How many rows a sum of weights makes, without those that rounding took."""
    return int(total + 1e-6)


def _mirrored(lower: Matrix, block: int = 512) -> Matrix:
    """Copy the lower triangle onto the upper one, in place and block by block; return in C order."""
    n = len(lower)
    for i in range(0, n, block):
        tile = lower[i : i + block, i : i + block]
        tile[...] = np.tril(tile) + np.tril(tile, -1).T
        for j in range(i + block, n, block):
            lower[i : i + block, j : j + block] = lower[j : j + block, i : i + block].T
    return lower.T  # symmetric, so the transpose of an F-ordered matrix is itself in C order


class ColumnSums(Fold):
    """The sums that moments of some columns follow from; all columns of numbers, if none are named."""

    def __init__(self, names: tuple[Hashable, ...] | None = None, tick: Tick = lambda count=1: None) -> None:
        self.names, self._tick = names, tick
        self._sums: MomentSums | None = None

    def add(self, batch: Batch) -> None:
        self.names = batch.table.names if self.names is None else self.names
        values = _columns_of(batch.table, self.names)
        self._sums = self._sums or MomentSums(provisional_mean(values))
        self._sums.add(values, batch.weights, self._tick)

    def merge(self, later: ColumnSums) -> None:
        self.names = later.names if self.names is None else self.names
        if self._sums is None:
            self._sums = later._sums
        elif later._sums is not None:
            self._sums.join(later._sums)

    def moments(self) -> Moments:
        """The moments of all rows."""
        return (self._sums or MomentSums(np.zeros(len(self.names or ())))).moments()


def _columns_of(table: Table, names: Sequence[Hashable]) -> NDArray[np.generic]:
    """Columns of numbers, in this order; all of them without a copy."""
    if tuple(names) == table.names:
        return table.values
    place = {name: i for i, name in enumerate(table.names)}
    return table.values[:, [place[name] for name in names]]


def moments_of(rows: AllRows, names: Sequence[Hashable], tick: Tick) -> Moments:
    """The moments of columns of numbers over all rows."""
    if rows.summed is not None and set(names) <= set(rows.summed_names):
        return _part_of(rows.summed, [rows.summed_names.index(name) for name in names])
    make = partial(ColumnSums, tuple(names), *((tick,) if rows.in_memory else ()))
    return rows.fold(make, tick).moments().less(rows.lost)


def _part_of(found: Moments, places: Sequence[int]) -> Moments:
    if list(places) == list(range(len(found.means))):
        return found
    at = np.array(places, dtype=np.int64)
    parts = {name: getattr(found, name)[at] for name in ("means", "variances", "extremes")}
    return replace(found, **parts, correlations=np.ascontiguousarray(found.correlations[np.ix_(at, at)]))

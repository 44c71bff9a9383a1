"""All rows of a table and their weights, in one batch or in many: whatever is computed of them is a fold over batches.

A table in memory is one batch, which is also the sample that the doctor looks at. A table that does not fit is passed
over again for each statistic, here or by the workers of a cluster; its sample is some of its rows. Sums over several
batches are added up in another order, so that correlations agree to about twelve digits; counts are the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.files.memory import empty
from sidelight.graphs.names import hint_at_names
from sidelight.tables.experiments import SettingsOfRows
from sidelight.tables.table import Mask, Table
from sidelight.text.message import Message, OptionName

if TYPE_CHECKING:
    from sidelight.tables.waves import WavesOfRows  # which centres rows within groups, and so needs this module

Weights = NDArray[np.float64]
Groups = NDArray[np.int64]
Tick = Callable[..., None]  # with the number of rows
Step = Callable[[Table], Table]
FEWEST_ROWS = 5  # with fewer, no test rejects anything


class Batch(NamedTuple):
    """Some rows, and how many rows each counts as; None: one."""

    table: Table
    weights: Weights | None

    def rows(self, kept: Mask) -> Batch:
        """Some of them."""
        return Batch(self.table.rows(kept), None if self.weights is None else self.weights[kept])


Work = Callable[[Iterator[Table]], Any]


class NotWorthItError(Exception):
    """A fold that does not pay; its rows are stored instead."""


class Fold(ABC):
    """Something computed of rows: batches are added, and what was made of later rows is merged into it."""

    @abstractmethod
    def add(self, batch: Batch) -> None:
        """Take the rows of a batch into account."""

    @abstractmethod
    def merge(self, later: Self) -> None:
        """Take rows into account that were added to another value, and come after these."""

    def settle(self) -> None:  # noqa: B027 - most are small already
        """All rows of a part were added: make what is left of them small."""


Folded = TypeVar("Folded", bound=Fold)


class Kept(Protocol):
    """What workers of a cluster have made of their parts of a table, and keep."""

    def each(self, function: Callable[[Any], Any]) -> Iterator[Any]:
        """A function of each part, computed where the part is, in their order."""
        ...


class Passes(Protocol):
    """Passes over the rows of a source; each checks that it has seen as many rows as the first."""

    def run(self, work: Work, tick: Tick) -> Iterator[Any]:
        """What comes of some work on the batches, in the order of the rows; several results if several did it."""
        ...

    @property
    def keeps(self) -> bool:
        """True where workers can keep what they have made."""
        ...

    def keep(self, work: Work, tick: Tick) -> Kept:
        """What comes of some work on the batches of each part, kept by the workers."""
        ...


@dataclass(frozen=True)
class AllRows:
    """All rows of a table.

    ``sample`` are some of them, to be looked at; without ``passes`` it is all of them. ``counts`` are the weights of
    these; rows that come in passes have their weights in the column ``weights``. ``n_samples`` is how many rows all
    together count as. Weights are ``fractional`` as they were given, before rows were left out. ``summed`` are the
    moments of columns, where the first pass has found them. Rows that are compared within groups have a number each,
    ``groups``, or, in passes, the column ``group_column``; the means of the groups take ``lost`` rows' worth.
    ``settings`` say in which rows variables were set rather than observed,
    ``waves`` which columns are of earlier waves.
    """

    sample: Table
    counts: Weights | None = None
    passes: Passes | None = None
    steps: tuple[Step, ...] = ()
    weights: Hashable | None = None
    fractional: bool = False
    scale: float = 1.0
    n_samples: float = 0.0
    memory: int | None = None
    summed: Any = None
    summed_names: tuple[Hashable, ...] = ()
    groups: Groups | None = None
    group_column: Hashable | None = None
    lost: int = 0
    settings: SettingsOfRows | None = None
    waves: WavesOfRows | None = None

    @staticmethod
    def held(table: Table, weights: Weights | None = None, groups: Groups | None = None) -> AllRows:
        """Rows in memory; groups are numbered from 0 on, and each costs a mean."""
        if groups is not None:
            lost = max(0, len(np.unique(groups)) - 1)
            return AllRows(table, n_samples=float(table.n_rows - lost), groups=groups, lost=lost)
        if weights is None:
            return AllRows(table, n_samples=float(table.n_rows))
        return AllRows(table, weights, fractional=are_fractional(weights), n_samples=float(weights.sum()))

    @property
    def in_memory(self) -> bool:
        """True where the sample is all rows."""
        return self.passes is None

    @property
    def is_weighted(self) -> bool:
        """True where rows have weights."""
        return self.counts is not None or self.weights is not None

    def then(self, step: Step) -> AllRows:
        """The rows after a step that takes each batch for itself; it changes no moments that are known."""
        steps = self.steps if self.in_memory else (*self.steps, step)
        return replace(self, sample=step(self.sample), steps=steps)

    def part(self, names: tuple[Hashable, ...]) -> AllRows:
        """Some of the columns."""
        kept = (*names, *(name for name in (self.weights, self.group_column) if name is not None))
        rows = self.then(lambda table: table.part(kept))
        return rows if self.in_memory else replace(rows, sample=self.sample.part(names))

    def complete(self, count: Callable[[], int]) -> AllRows:
        """The rows without missing or infinite values; ``count`` says how many, if rows come in passes."""
        if self.in_memory:
            kept = self.sample.complete_rows()
            table, counts = Batch(self.sample, self.counts).rows(kept)
            groups = None if self.groups is None else self.groups[kept]
            settings = None if self.settings is None else self.settings.rows(kept)
            waves = None if self.waves is None else self.waves.rows(kept)
            held = AllRows.held(table, counts, groups)
            return replace(held, fractional=self.fractional, settings=settings, waves=waves)
        n_complete = count()
        if n_complete == self.sample.n_all:
            return self
        rows = self.then(lambda table: table.rows(table.complete_rows()))
        groups = None if self.groups is None else self.groups[self.sample.complete_rows()]
        return replace(rows, summed=None, n_samples=float(n_complete), groups=groups)

    def weighed(self) -> AllRows:
        """The rows with weights that count rows: whole ones as they are, others by Kish's effective sample size."""
        if not self.is_weighted:
            return self
        found = self.fold(_WeightSums, lambda count=1: None)
        scale = found.total / found.squares / found.unit if found.squares and self.fractional else 1.0
        if not np.isfinite(scale):
            raise _unusable("they are too small to be scaled; multiply all of them by the same number")
        counts = None if self.counts is None else scale * self.counts
        return replace(self, scale=scale, counts=counts, n_samples=scale * found.unit * found.total)

    # Passes over the rows.

    def fold(self, make: Callable[[], Folded], tick: Tick) -> Folded:
        """What is left of all rows, folded where they are."""
        total = make()
        if self.in_memory:
            total.add(Batch(self.sample, self.counts))
            return total
        for part in self._parts(lambda batches: _folded(make(), batches), tick):
            if isinstance(part, NotWorthItError):
                raise part
            total.merge(part)
        return total

    def each(self, function: Callable[[Batch], Any], tick: Tick) -> Iterator[Any]:
        """A function of each batch."""
        for part in self._parts(lambda batches: map(function, batches), tick):
            yield from part

    def kept(self, work: Callable[[Iterator[Batch]], Any], tick: Tick) -> Kept:
        """What workers make of their batches, and keep."""
        assert self.passes is not None
        prepared = self._prepared
        return self.passes.keep(lambda tables: work(prepared(tables)), tick)

    def _parts(self, work: Callable[[Iterator[Batch]], Any], tick: Tick) -> Iterator[Any]:
        """What comes of some work on the batches of each part; rows in memory are one batch."""
        if self.passes is None:
            yield work(iter([Batch(self.sample, self.counts)]))
            return
        prepared = self._prepared
        yield from self.passes.run(lambda tables: work(prepared(tables)), tick)

    def stored(
        self, function: Callable[[Table], NDArray[Any]], n_columns: int, dtype: np.dtype[Any], tick: Tick
    ) -> tuple[NDArray[Any], Weights | None]:
        """What a function makes of each batch, as one array, and the weights; in a file unless it fits into memory."""
        if self.in_memory:
            return function(self.sample), self.counts
        array = empty((self.sample.n_all, n_columns), dtype, self.room)
        row, counted = 0, []
        for part, weights in self.each(lambda batch: (function(batch.table), batch.weights), tick):
            array[row : row + len(part)] = part
            counted.append(weights)
            row += len(part)
        return array[:row], None if self.weights is None else np.concatenate(counted)

    @property
    def room(self) -> int | None:
        """Bytes of memory for codes or merged rows: half of what may be used; None where there is no limit."""
        return None if self.memory is None else self.memory // 2

    @property
    def _prepared(self) -> Callable[[Iterator[Table]], Iterator[Batch]]:
        """What makes batches of tables; only what is needed is sent to where the work is done."""
        return partial(_prepared, steps=self.steps, weights=self.weights, scale=self.scale)


def _prepared(
    tables: Iterator[Table], steps: tuple[Step, ...], weights: Hashable | None, scale: float
) -> Iterator[Batch]:
    """The batches after all steps, with their weights, without those that have no rows; rows of weight 0 are none."""
    for table in tables:
        for step in steps:
            table = step(table)
        if table.n_rows and weights is None:
            yield Batch(table, None)
        elif table.n_rows:
            counts = _weights_in_column(table, weights)
            _check_each(counts, lambda row: f"a weight in column {str(weights)!r}")
            variables = table.part(name for name in table.all_names if name != weights)
            yield Batch(variables, scale * counts).rows(counts > 0)


def _folded(total: Folded, batches: Iterator[Batch]) -> Folded | NotWorthItError:
    """What is left of a part's rows; that it does not pay is no error for a worker to report."""
    try:
        for batch in batches:
            total.add(batch)
        total.settle()
    except NotWorthItError as error:
        return error.with_traceback(None)  # frames that it names would keep the reader of this pass alive
    return total


class _WeightSums(Fold):
    """The sum of the weights and that of their squares, in a unit, a power of two, in which both are numbers."""

    def __init__(self) -> None:
        self.total, self.squares, self.unit = 0.0, 0.0, 2.0**-1074  # the smallest

    def add(self, batch: Batch) -> None:
        assert batch.weights is not None
        added = _WeightSums()
        added.unit = 2.0 ** (int(np.frexp(batch.weights.max(initial=0.0))[1]) - 1)
        weights = batch.weights / added.unit
        added.total, added.squares = float(weights.sum()), float(weights @ weights)
        self.merge(added)

    def merge(self, later: _WeightSums) -> None:
        unit = max(self.unit, later.unit)
        ours, theirs = self.unit / unit, later.unit / unit
        self.total = ours * self.total + theirs * later.total
        self.squares = ours**2 * self.squares + theirs**2 * later.squares
        self.unit = unit


# Weights.


def take_weights(table: Table, weights: object) -> tuple[Table, Weights | None]:
    """The weights, from a column of the table, which is then no variable, or from an array.

    Rows of weight 0 are left out.
    """
    if weights is None:
        return table, None
    if isinstance(weights, str) or (isinstance(weights, Hashable) and weights in table.kinds):
        array = _weights_in_column(table, weights)
        table = table.part(name for name in table.all_names if name != weights)
    else:
        array = _weights_in_array(weights)
    _check_weights(array, table.n_rows)
    return table.rows(array > 0), array[array > 0]


def are_fractional(weights: Weights) -> bool:
    """True for survey weights; whole numbers are frequency weights, the numbers of equal rows."""
    return bool((weights != np.rint(weights)).any())


def counted_as_rows(weights: Weights, fractional: bool | None = None) -> Weights:
    """How many rows each row counts as: frequency weights as they are, survey weights scaled.

    The sum of the latter is then Kish's effective sample size, (Σw)² / Σw², whatever it was before. Whether weights are
    ``fractional`` is a matter of all of them, before rows are left out.
    """
    if not (are_fractional(weights) if fractional is None else fractional):
        return weights
    shares = weights / weights.max()
    rows: Weights = shares * (shares.sum() / (shares @ shares))
    return rows


def _weights_in_column(table: Table, name: Hashable) -> Weights:
    if name not in table.kinds:
        raise _unusable(f"there is no column {name!r}{hint_at_names(name, table.all_names)}")
    if name not in table.names:
        raise _unusable(f"column {name!r} is not numeric")
    return np.asarray(table.column(name), dtype=np.float64)


def _weights_in_array(weights: object) -> Weights:
    try:
        return np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _unusable("give the name of a column, or one number for each row") from error


def _check_each(weights: Weights, which: Callable[[int], str]) -> None:
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        row = int(wrong.argmax())
        raise _unusable(f"{which(row)} is {weights[row]}; weights are 0 or more")


def _check_weights(weights: Weights, n_rows: int) -> None:
    if weights.shape != (n_rows,):
        raise _unusable(f"{n_rows} are needed, one for each row; the shape is {weights.shape}")
    _check_each(weights, lambda row: f"the weight of row {row + 1}")
    if not weights.any():
        raise _unusable("all are zero")
    size = float(counted_as_rows(weights).sum())
    if size < FEWEST_ROWS - 1e-6:
        if are_fractional(weights):
            raise _unusable(f"they are worth {size:.1f} rows of equal weight, and at least {FEWEST_ROWS} are needed")
        what = "a whole number is taken as the number of equal rows"
        raise _unusable(f"they sum to {size:g}, at least {FEWEST_ROWS} is needed; {what}")


def _unusable(why: str) -> InputError:
    return InputError(Message(OptionName("weights"), f": {why}"))

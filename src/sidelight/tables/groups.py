"""Rows in groups, such as several of each subject, which are alike where tests take rows as independent.

*Within* groups, columns are differences from the means of their group, and each mean costs a row. *Between* groups,
these means are the rows. One fold finds the means of all groups and which columns vary within any, in memory, in
batches in which groups may be spread, and on a cluster.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.tables.all_rows import AllRows, Batch, Fold, Tick
from sidelight.tables.findings import Finding, FindingKind, columns_that
from sidelight.tables.strings import Texts, coded_column
from sidelight.tables.table import Kind, Table, categories_in
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted

FEW_BETWEEN = 2  # categories of a column that stands as a share between groups
Floats = NDArray[np.float64]


class GroupSums(Fold):
    """Of each group the number of rows, and for each column its values' number, sum, least and largest.

    Strings are positions among the values that the sample has, so that they are the same in all batches.
    """

    def __init__(self, column: Hashable, sample: Table) -> None:
        self.column, self.n_rows, self.unlabelled = column, 0, [0, 0]  # rows without a group: how many, and the first
        self.names = tuple(name for name in sample.all_names if name != column)
        self.categories = {name: coded_column(sample.texts[name])[1] for name in self.names if name in sample.texts}
        self._ranks = {name: {v: i for i, v in enumerate(values)} for name, values in self.categories.items()}
        self.labels: dict[object, int] = {}
        self.sizes = np.empty(0)
        empty = np.empty((0, len(self.names)))
        self.there, self.sums, self.lows, self.highs = empty, empty, empty, empty

    def add(self, batch: Batch) -> None:
        table = batch.table
        labels, codes = categories_in(table, self.column)
        order = np.argsort(codes, kind="stable")
        n_unlabelled = int((codes < 0).sum())
        self._note_unlabelled(n_unlabelled, int(order[:1].sum()))  # those come first
        order = order[n_unlabelled:]
        self.n_rows += table.n_rows
        starts = np.searchsorted(codes[order], np.arange(len(labels)))
        if not len(labels):
            return
        parts = [self._of_column(self._numbers(table, name)[order], starts) for name in self.names]
        there, sums, lows, highs = (np.column_stack([*part]) for part in zip(*parts, strict=True))
        self._join(list(labels), np.diff(starts, append=len(order)).astype(np.float64), (there, sums, lows, highs))

    def merge(self, later: GroupSums) -> None:
        self._note_unlabelled(*later.unlabelled)
        self.n_rows += later.n_rows
        self._join(list(later.labels), later.sizes, (later.there, later.sums, later.lows, later.highs))

    def _note_unlabelled(self, count: int, first: int) -> None:
        if count and not self.unlabelled[0]:
            self.unlabelled[1] = self.n_rows + first
        self.unlabelled[0] += count

    def _numbers(self, table: Table, name: Hashable) -> Floats:
        cells = table.cells(name)
        if not isinstance(cells, Texts):
            return np.asarray(cells, dtype=np.float64)
        ranks = self._ranks[name]
        return cells.numbers(lambda value: float(ranks.get(str(value), len(ranks) + crc32(str(value).encode()))))

    def _of_column(self, ordered: Floats, starts: NDArray[np.int64]) -> tuple[Floats, ...]:
        gone = np.isnan(ordered)
        with np.errstate(invalid="ignore"):
            sums = np.add.reduceat(np.where(gone, 0.0, ordered), starts)
        lows, highs = np.fmin.reduceat(ordered, starts), np.fmax.reduceat(ordered, starts)
        return np.add.reduceat(~gone, starts, dtype=np.float64), sums, lows, highs

    def _join(self, labels: Sequence[object], sizes: Floats, parts: tuple[Floats, ...]) -> None:
        place = np.array([self.labels.setdefault(label, len(self.labels)) for label in labels], dtype=np.int64)
        more = len(self.labels) - len(self.sizes)
        self.sizes = np.append(self.sizes, np.zeros(more))
        self.there, self.sums, self.lows, self.highs = (
            np.append(part, np.full((more, len(self.names)), start), axis=0)
            for part, start in zip((self.there, self.sums, self.lows, self.highs), (0, 0, np.nan, np.nan), strict=True)
        )
        there, sums, lows, highs = parts
        self.sizes[place] += sizes
        self.there[place] += there
        self.sums[place] += sums
        self.lows[place] = np.fmin(self.lows[place], lows)
        self.highs[place] = np.fmax(self.highs[place], highs)

    # What comes of it.

    @property
    def varies(self) -> Mapping[Hashable, bool]:
        """For each column, whether it varies within any group."""
        varying: NDArray[np.bool_] = np.asarray((self.highs > self.lows).any(axis=0))
        return dict(zip(self.names, varying.tolist(), strict=True))

    def means(self, of_all: bool) -> Floats:
        """Group by group, of the values that are there, or only where all are."""
        with np.errstate(invalid="ignore", divide="ignore"):
            means = self.sums / self.there
        return np.where(self.there < self.sizes[:, None], np.nan, means) if of_all else means

    @property
    def in_words(self) -> str:
        """``100 groups of 10 rows``."""
        least, most = int(self.sizes.min()), int(self.sizes.max())
        each = counted(least, "row") if least == most else f"{least} to {counted(most, 'row')}"
        return f"{counted(len(self.sizes), 'group')} of {each}"


def sums_of_groups(rows: AllRows, column: Hashable, tick: Tick) -> GroupSums:
    """What there is to know of groups before anything is made of them; raises if the column says no groups."""
    found = rows.fold(partial(GroupSums, column, rows.sample), tick)
    count, first = found.unlabelled
    if count:
        what = f": column {str(column)!r} says of no group for {counted(count, 'row')}, the first is row {first + 1}; "
        raise _unusable(column, what + "leave these rows out")
    if len(found.sizes) < 2:
        raise _unusable(column, f": column {str(column)!r} has one value; there must be two groups or more")
    if found.sizes.max() < 2:
        raise _unusable(
            column, f": every row has another value of {str(column)!r}; there must be several rows of a group"
        )
    return found


def _unusable(column: Hashable, why: str | Message) -> InputError:
    return InputError(Message(Option("groups", column), why))


# Within groups.


@dataclass(frozen=True)
class Within:
    """Rows that are to be compared within groups, the columns that do not vary there, and what is said of both."""

    rows: AllRows
    left_out: tuple[Hashable, ...]
    findings: tuple[Finding, ...]


def within_groups(rows: AllRows, column: Hashable, tick: Tick) -> Within:
    """The rows with their groups in place of the column that says them."""
    found = sums_of_groups(rows, column, tick)
    left_out = tuple(name for name, varies in found.varies.items() if not varies)
    between = Option("variation", "between")
    if len(left_out) == len(found.names):
        raise _unusable(column, Message(": no column varies within a group; ", between, " compares the groups"))
    labels, codes = categories_in(rows.sample, column)
    place = np.array([found.labels[label] for label in labels], dtype=np.int64)
    others = rows.sample.part(found.names)
    if rows.in_memory:
        grouped = AllRows.held(others, groups=place[codes])
    else:
        grouped = replace(rows, sample=others, groups=place[codes], group_column=column)
    return Within(grouped, left_out, tuple(_about_within(found, left_out)))


def _about_within(found: GroupSums, left_out: Sequence[Hashable]) -> Iterator[Finding]:
    between = Option("variation", "between")
    text = (
        f"rows are compared within the {found.in_words} that {str(found.column)!r} tells apart: the result says how "
        "columns vary together within a group, whatever differs between groups. Apart from that, rows of a group are "
        "taken as independent, as successive ones may not be"
    )
    remedy = Message(between, " says which groups are high in what")
    yield Finding(FindingKind.WITHIN_GROUPS, "warning", (), text, remedy)
    if left_out:
        what = f"{columns_that(left_out, 'is', 'are')} the same in all rows of each group, and left out"
        used = Message(between, " compares groups by ", "it" if len(left_out) == 1 else "them")
        yield Finding(FindingKind.SAME_IN_GROUPS, "warning", tuple(left_out), what, used)


def centred(rows: AllRows, tick: Tick) -> AllRows:
    """Numbers as differences from the means of their group."""
    assert rows.groups is not None
    if rows.in_memory:
        values = np.array(rows.sample.values, dtype=np.float64, order="F")
        less_means_of_groups(values, rows.groups)
        kinds: dict[Hashable, Kind] = dict.fromkeys(rows.sample.names, "float")
        return replace(rows, sample=replace(rows.sample, values=values, kinds={**rows.sample.kinds, **kinds}))
    found = rows.fold(partial(GroupSums, rows.group_column, rows.sample), tick)
    centre = Centre(found.column, found.labels, dict(zip(found.names, found.means(False).T, strict=True)))
    lost = len(found.sizes) - 1
    return replace(
        rows,
        sample=_less_means(rows.sample, rows.groups, centre.means),
        steps=(*rows.steps, centre),
        summed=None,
        group_column=None,
        lost=lost,
        n_samples=rows.n_samples - lost,
    )


def less_means_of_groups(columns: Floats, groups: NDArray[np.int64]) -> int:
    """Take the means of their group from columns, in place; return what that costs, the groups but one."""
    numbered = np.unique(groups, return_inverse=True)[1].ravel()
    sizes = np.bincount(numbered)
    for column in columns.T:
        column -= (np.bincount(numbered, column) / sizes)[numbered]
    return len(sizes) - 1


def _less_means(table: Table, groups: NDArray[np.int64], means: Mapping[Hashable, Floats]) -> Table:
    columns = {name: np.asarray(table.column(name), dtype=np.float64) - means[name][groups] for name in table.names}
    kinds: dict[Hashable, Kind] = dict.fromkeys(columns, "float")
    return table.with_numbers(columns, kinds)


@dataclass(frozen=True)
class Centre:
    """A step that takes the means of their groups from the numbers of a batch, and the column of the groups away."""

    column: Hashable
    labels: Mapping[object, int]
    means: Mapping[Hashable, Floats]

    def __call__(self, table: Table) -> Table:
        labels, codes = categories_in(table, self.column)
        groups = np.array([self.labels[label] for label in labels], dtype=np.int64)[codes]
        return _less_means(table.part(name for name in table.all_names if name != self.column), groups, self.means)


# Between groups.


def between_groups(rows: AllRows, column: Hashable, available: bool, tick: Tick) -> tuple[AllRows, tuple[Finding, ...]]:
    """A row of means for each group; a mean is of the values that are ``available``, or only where all are."""
    found = sums_of_groups(rows, column, tick)
    if len(found.sizes) == found.n_rows:
        raise _unusable(column, ": every group has one row")
    sample, means, varies = rows.sample, found.means(not available), found.varies
    made = {name: _of_groups(sample, name, found, means[:, i], varies[name]) for i, name in enumerate(found.names)}
    left_out = tuple(name for name, cells in made.items() if cells is None)
    kept = {name: cells for name, cells in made.items() if cells is not None}
    if not kept:
        raise _unusable(column, ": no column has a mean in each group")
    numbers = {name: cells for name, cells in kept.items() if not isinstance(cells, Texts)}
    table = Table(
        tuple(numbers),
        np.column_stack([np.empty((len(found.sizes), 0)), *numbers.values()]),
        {name: cells for name, cells in kept.items() if isinstance(cells, Texts)},
        {name: _kind(sample, name, varies[name]) for name in kept},
        {name: order for name, order in sample.orders.items() if name in kept and name not in numbers},
    )
    return AllRows.held(table), tuple(_about_between(found, sample, kept, left_out))


def _of_groups(sample: Table, name: Hashable, found: GroupSums, means: Floats, varies: bool) -> Floats | Texts | None:
    """The column between groups: means, shares of the second of two categories, or the category of each group."""
    if name not in sample.texts:
        return means
    categories = found.categories[name]
    if varies:
        return means if len(categories) == FEW_BETWEEN else None
    codes = np.where(np.isnan(means), -1, np.nan_to_num(means)).astype(np.int64)
    known = {str(value): value for value in sample.texts[name].values}
    return Texts(codes, [known[str(category)] for category in categories]) if codes.max() < len(categories) else None


def _kind(sample: Table, name: Hashable, varies: bool) -> Kind:
    return "float" if varies else sample.kinds[name]


def _about_between(
    found: GroupSums, sample: Table, kept: Mapping[Hashable, object], left_out: Sequence[Hashable]
) -> Iterator[Finding]:
    text = (
        f"the rows are the means of the {found.in_words} that {str(found.column)!r} tells apart, and each group counts "
        "once: the result says which groups are high in what, not what goes together within a group"
    )
    within = Message(Option("variation", "within"), " says that")
    yield Finding(FindingKind.BETWEEN_GROUPS, "warning", (), text, within)
    shares = [name for name in kept if found.varies[name] and name in sample.texts]
    for name in shares:
        what = f"column {str(name)!r} is the share of {str(found.categories[name][1])!r} in each group"
        yield Finding(FindingKind.SHARES_IN_GROUPS, "warning", (name,), what)
    if left_out:
        what = f"{columns_that(left_out, 'has', 'have')} categories that vary within groups, of which there is no mean"
        yield Finding(
            FindingKind.SAME_IN_GROUPS,
            "warning",
            tuple(left_out),
            f"{what}; left out",
            Message(Option("variation", "within"), " keeps categories"),
        )

"""Rows in the order of time, each with the values that its group had some waves earlier.

A wave is a step of time, the smallest one between two rows of a group. What is earlier is looked up within each group
and never across; a wave that a group lacks leaves missing values. A column that never changes within a group, such as
a year of birth, is no column of each wave, and comes before all others.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.knowledge.time import Lagged, TimeOrder
from sidelight.tables.findings import Finding, FindingKind, columns_that
from sidelight.tables.groups import less_means_of_groups
from sidelight.tables.strings import Texts
from sidelight.tables.table import Kind, Mask, Table, categories_in, category_text
from sidelight.tables.treatment import EPOCH, reading_of
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted

UNEVEN = 1e-3  # of a step; times that are farther from a multiple of it are not evenly spaced
MONTH_ENDS = 28  # days of a month from which on all may be the last
Floats = NDArray[np.float64]
Positions = NDArray[np.int64]


@dataclass(frozen=True)
class WavesOfRows:
    """The order of time, and of each row its group, its wave, and which rows are drawn together."""

    order: TimeOrder
    group: Positions
    wave: Positions
    block: Positions

    def rows(self, kept: Mask | NDArray[np.integer]) -> WavesOfRows:
        """Those of some rows."""
        return WavesOfRows(self.order, self.group[kept], self.wave[kept], self.block[kept])


@dataclass(frozen=True)
class LaggedRows:
    """A table whose rows have the values of earlier waves as columns, and what is said of that."""

    table: Table
    waves: WavesOfRows
    findings: tuple[Finding, ...]


def name_of(column: Hashable, lag: int) -> str:
    """``bmi (t-1)``."""
    return f"{column} (t-{lag})"


def with_lags(
    table: Table, time: Hashable, groups: Hashable | None, lags: int, contemporaneous: bool, keep_groups: bool
) -> LaggedRows:
    """The rows that come late enough in their group to have ``lags`` earlier waves, with the values of these."""
    found = _Ordered.of(table, time, groups)
    marks = [time] if keep_groups or groups is None else [time, groups]
    variables = [name for name in table.all_names if name not in (time, groups)]
    fixed = [name for name in variables if groups is not None and not found.changes(table, name)]
    changing = [name for name in variables if name not in fixed]
    if not changing:
        raise _unusable(time, f": no column changes over time within any {str(groups)!r}")
    late = np.flatnonzero(found.wave >= lags)
    if not len(late):
        where = "the rows have" if groups is None else f"no group in {str(groups)!r} has"
        raise _unusable(
            time, Message(f": {where} more than {counted(lags, 'wave')}, and ", Option("lags", lags), " needs one more")
        )
    lagged = [Lagged(name_of(name, lag), name, lag) for lag in range(lags, 0, -1) for name in changing]
    taken = next((each.name for each in lagged if str(each.name) in set(map(str, table.all_names))), None)
    if taken is not None:
        raise _unusable(time, f": the table has a column {taken!r}, as values of an earlier wave are called; rename it")
    before = {lag: found.before(late, lag) for lag in range(1, lags + 1)}
    now = table.part([name for name in table.all_names if name not in marks]).rows(found.order[late])
    parts = [_renamed(_taken(table.part(changing), before[lag]), lag) for lag in range(lags, 0, -1)]
    whole = _beside([now.part(fixed), *parts, now.part([name for name in now.all_names if name not in fixed])])
    order = TimeOrder((*(Lagged(name, name, 0) for name in fixed), *lagged), contemporaneous)
    group, wave = found.group[late], found.wave[late]
    block = group if groups is not None else np.arange(len(late)) // max(lags + 1, round(len(late) ** (1 / 3)))
    lacking = np.any([rows < 0 for rows in before.values()], axis=0)
    findings = (*_about(found, time, groups, lags, late, fixed), *_about_missing_waves(found, int(lacking.sum()), time))
    return LaggedRows(whole, WavesOfRows(order, group, wave, block), findings)


@dataclass(frozen=True)
class _Ordered:
    """Rows by group and time: their places in the table, their groups, and how many waves after their group's first."""

    order: Positions
    group: Positions
    wave: Positions
    step: float
    is_even: bool
    labels: tuple[object, ...]

    @staticmethod
    def of(table: Table, time: Hashable, groups: Hashable | None) -> _Ordered:
        labels, group = ((), np.zeros(table.n_rows, dtype=np.int64)) if groups is None else _groups(table, groups)
        times = times_in(table, time)
        order = np.lexsort((times, group))
        group, times = group[order], times[order]
        same = group[1:] == group[:-1]
        gaps = np.diff(times)
        if (same & (gaps == 0)).any():
            raise _repeated(table, time, groups, order[int((same & (gaps == 0)).argmax()) + np.arange(2)])
        starts = np.flatnonzero(np.append(True, ~same))
        of_group = np.repeat(starts, np.diff(np.append(starts, len(order))))
        step = float(gaps[same].min(initial=np.inf)) if same.any() else 1.0
        steps = (times - times[of_group]) / step
        is_even = bool((np.abs(steps - np.rint(steps)) <= UNEVEN * np.maximum(1.0, steps)).all())
        wave = np.rint(steps).astype(np.int64) if is_even else np.arange(len(order)) - of_group
        return _Ordered(order, group, wave, step, is_even, labels)

    @cached_property
    def _key(self) -> Positions:
        """Ascending, with room between groups."""
        return self.group.astype(np.int64) * (2 * int(self.wave.max(initial=0)) + 2) + self.wave

    def before(self, rows: Positions, lag: int) -> Positions:
        """The places in the table of the rows that many waves before some, −1 where the group has none."""
        wanted = self._key[rows] - lag
        place = np.minimum(np.searchsorted(self._key, wanted), len(self._key) - 1)
        return np.where(self._key[place] == wanted, self.order[place], -1)

    def changes(self, table: Table, name: Hashable) -> bool:
        """Does a column have two values within any group?"""
        cells = table.cells(name)
        values = cells.codes.astype(np.float64) if isinstance(cells, Texts) else np.asarray(cells, dtype=np.float64)
        values, group = values[self.order], self.group
        there = (values >= 0) if isinstance(cells, Texts) else np.isfinite(values)
        values, group = values[there], group[there]
        return bool(((values[1:] != values[:-1]) & (group[1:] == group[:-1])).any())


def times_in(table: Table, name: Hashable) -> Floats:
    """The times of the rows as numbers: as they are, or dates as days, or as months where they are monthly."""
    cells = table.cells(name)
    if isinstance(cells, Texts):
        reading = reading_of(cells)
        if reading is None:
            value = next(iter(cells.different), "")
            raise _unusable(
                name, f": column {str(name)!r} has values such as {str(value)!r}, neither numbers nor dates"
            )
        times = _in_months(cells.numbers(reading))
    else:
        times = np.asarray(cells, dtype=np.float64)
    gone = ~np.isfinite(times)
    if gone.any():
        what = f": column {str(name)!r} says no time for {counted(int(gone.sum()), 'row')}, "
        raise _unusable(name, what + f"the first is row {table.row_number(int(gone.argmax()))}; leave these rows out")
    return times


def _in_months(days: Floats) -> Floats:
    """Days as months, if all are the same day of their month, or all are the last."""
    different = np.unique(days[np.isfinite(days)])
    if not len(different) or (different != np.floor(different)).any():
        return days
    dates = [EPOCH + timedelta(days=day) for day in different.tolist()]
    of_month = {date.day for date in dates}
    ends = min(of_month) >= MONTH_ENDS and all((date + timedelta(days=1)).day == 1 for date in dates)
    if len(of_month) > 1 and not ends:
        return days
    months = np.array([12.0 * date.year + date.month for date in dates])
    place = np.minimum(np.searchsorted(different, days), len(different) - 1)
    return np.where(np.isfinite(days), months[place], np.nan)


def _groups(table: Table, name: Hashable) -> tuple[tuple[object, ...], Positions]:
    labels, codes = categories_in(table, name)
    if (codes < 0).any():
        row = table.row_number(int((codes < 0).argmax()))
        raise InputError(Message(Option("groups", name), f": row {row} says of no group; leave such rows out"))
    return labels, codes.astype(np.int64)


def _repeated(table: Table, time: Hashable, groups: Hashable | None, places: Positions) -> InputError:
    first, second = sorted(table.row_number(int(place)) for place in places)
    when = _written(table, time, int(places[0]))
    rows = f"rows {first} and {second}"
    if groups is None:
        what = f": {rows} have the same time, {when}; where the rows are of several persons or places, "
        return _unusable(time, Message(what, Option("groups"), " names the column that tells these apart"))
    group = _written(table, groups, int(places[0]))
    return _unusable(time, f": {rows} are both of time {when} in group {group}; a group has one row for each time")


def _written(table: Table, name: Hashable, place: int) -> str:
    cells = table.cells(name)
    value = cells[place] if isinstance(cells, Texts) else float(np.asarray(cells)[place])
    return category_text(value, table.kinds[name])


def _unusable(time: Hashable, why: str | Message) -> InputError:
    return InputError(Message(Option("time", time), why))


# Columns beside each other.


def _taken(table: Table, places: Positions) -> Table:
    """Rows of a table, with missing values where a place is negative."""
    rows = table.rows(np.maximum(places, 0))
    gone = places < 0
    if not gone.any():
        return rows
    values = np.array(rows.values, dtype=np.float64)
    values[gone] = np.nan
    texts = {name: Texts(np.where(gone, -1, cells.codes), cells.values) for name, cells in rows.texts.items()}
    return replace(rows, values=values, texts=texts)


def _renamed(table: Table, lag: int) -> Table:
    return table.renamed({name: name_of(name, lag) for name in table.all_names})


def _beside(parts: Sequence[Table]) -> Table:
    kinds: dict[Hashable, Kind] = {name: kind for part in parts for name, kind in part.kinds.items()}
    return Table(
        tuple(name for part in parts for name in part.names),
        np.asfortranarray(np.column_stack([np.asarray(part.values, dtype=np.float64) for part in parts])),
        {name: cells for part in parts for name, cells in part.texts.items()},
        kinds,
        {name: order for part in parts for name, order in part.orders.items()},
    )


# What is said of it.


def _about(
    found: _Ordered, time: Hashable, groups: Hashable | None, lags: int, late: Positions, fixed: Sequence[Hashable]
) -> Iterator[Finding]:
    before = "the wave" if lags == 1 else f"{lags} waves"
    what = f"{counted(len(late), 'row')} have {before} before as further columns, by the times in {str(time)!r}"
    yield Finding(FindingKind.WAVES, "note", (), what)
    if not found.is_even:
        text = f"the times in {str(time)!r} are not evenly spaced: what is earlier is the row before, however long ago"
        yield Finding(FindingKind.SPACING, "warning", (), text)
    last = np.zeros(found.group.max() + 1, dtype=np.int64)
    np.maximum.at(last, found.group, found.wave)
    short = np.flatnonzero(last < lags)
    if groups is not None and len(short):
        shown = ", ".join(str(found.labels[i]) for i in short[:3]) + ", …" * (len(short) > 3)
        of_all = f"{len(short)} of {counted(len(last), 'group')}"
        text = f"{of_all} span fewer than {lags + 1} waves, and are left out ({shown})"
        yield Finding(FindingKind.SPACING, "warning", (), text)
    if fixed:
        what = f"{columns_that(fixed, 'never changes', 'never change')} over time, and may be causes, but no effects"
        yield Finding(FindingKind.WAVES, "note", tuple(fixed), what)


def _about_missing_waves(found: _Ordered, n_lacking: int, time: Hashable) -> Iterator[Finding]:
    if n_lacking:
        step = f"{found.step:g}"
        lacking = f"{counted(n_lacking, 'row')} {'lacks' if n_lacking == 1 else 'lack'} a wave before"
        what = f"waves are missing: times in {str(time)!r} are {step} apart, and {lacking}"
        remedy = Message(
            "their values are missing values: ",
            Option("missing"),
            " says what becomes of them; waves that are numbered 1, 2, 3 are next to each other",
        )
        yield Finding(FindingKind.SPACING, "warning", (), what, remedy)


# Whether what is left after the waves before still depends on time.

LEVEL, FEW_ROWS = 0.01, 5  # of all columns together; rows for each column that explains


def about_stationarity(table: Table, waves: WavesOfRows, within: bool = False) -> Iterator[Finding]:
    """Columns of numbers whose residuals, given the waves before, follow each other, drift, or spread over time.

    Differences from the means of groups follow each other in short groups by that alone.
    """
    columns = {each.column for each in waves.order.lagged if each.lag}
    names = [name for name in table.names if name in columns]
    before = [name for name in table.names if str(name) in waves.order.by_name]
    values = np.asarray(table.values, dtype=np.float64)
    kept = np.isfinite(values).all(axis=1)
    place = {name: i for i, name in enumerate(table.names)}
    if not names or kept.sum() < FEW_ROWS * (len(before) + 1):
        return
    values, group, wave = values[kept], waves.group[kept], waves.wave[kept]
    if within:
        less_means_of_groups(values, group)
    given = np.column_stack([np.ones(len(values)), values[:, [place[name] for name in before]]])
    given /= np.maximum(np.abs(given).max(axis=0), 1e-300)
    now = values[:, [place[name] for name in names]]
    left = now - given @ np.linalg.lstsq(given, now, rcond=None)[0]
    follows = np.flatnonzero((group[1:] == group[:-1]) & (wave[1:] == wave[:-1] + 1))
    lasting = "; differences between groups that last are another reason: ", Option("variation", "within")
    remedy = Message(Option("lags", waves.order.lags + 1), " looks further back", *lasting * bool(group.any()))
    depends = "what earlier waves leave of {} still depends on what they left a wave before (correlation {})"
    if not within:
        yield from _correlated(FindingKind.WAVES_LEFT, names, left[follows + 1], left[follows], depends, remedy)
    when = np.broadcast_to(wave[:, None].astype(np.float64), left.shape)
    yield from _correlated(
        FindingKind.TREND,
        names,
        left,
        when,
        "what earlier waves leave of {} drifts over time (correlation {})",
        "the result is about rows that are alike but for their earlier waves; take the trend out",
    )
    yield from _correlated(
        FindingKind.TREND,
        names,
        np.abs(left),
        when,
        "what earlier waves leave of {} spreads more, or less, over time (correlation {})",
        "strengths that change over time are averaged; a shorter span, or logarithms, may be stationary",
    )


def _correlated(
    kind: FindingKind, names: Sequence[Hashable], one: Floats, other: Floats, text: str, remedy: str | Message
) -> Iterator[Finding]:
    """One finding on the columns in which the two depend on each other, at the level of all columns together."""
    from scipy.special import ndtri

    n = len(one)
    if n <= FEW_ROWS:
        return
    one, other = one - one.mean(axis=0), other - other.mean(axis=0)
    scale = np.sqrt((one**2).sum(axis=0) * (other**2).sum(axis=0))
    found = (one * other).sum(axis=0) / np.where(scale > 0, scale, np.inf)
    clear = np.abs(found) * np.sqrt(n) > -ndtri(LEVEL / 2 / len(names))
    if clear.any():
        which = [name for name, is_clear in zip(names, clear, strict=True) if is_clear]
        worst = found[clear][np.abs(found[clear]).argmax()]
        yield Finding(
            kind, "warning", tuple(which), text.format(columns_that(which, "", "").strip(), f"{worst:.2f}"), remedy
        )

"""Findings about rows: not independent, as every test takes them (alike in file order, repeated); incomplete.

Two columns that are each alike from one row to the next seem to depend on each other where they do not, and copies of
rows make all correlations look surer than they are.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sidelight.families.data import TableTest
from sidelight.families.options import ASSUMED, DataOptions
from sidelight.tables.findings import Cure, Finding, FindingKind, columns_that, drop_columns, to_drop
from sidelight.tables.gaps import Gaps
from sidelight.tables.strings import Texts, code_columns
from sidelight.tables.table import Table
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted, in_a_row, listed

FEW_LOST = 0.05  # of the rows; to lose no more costs less than what tests on unequal rows assume
INCOMPLETE_SHOWN = 5  # columns
# What is assumed of values that are missing, beside complete rows.
AT_RANDOM = "whether a value is missing may depend on values that are there, not on itself"
WHY_MISSING = {
    "pairwise": "each test uses the rows that are complete in its columns, which assumes that values are missing "
    f"completely at random; a score fills the gaps, which assumes less: {AT_RANDOM}",
    "em": f"it is assumed that they are missing at random: {AT_RANDOM}",
}
# Below, a significance level of 0.01 stays under 0.02 for two columns alike: their correlation's variance is 1.2 times
# as large. Chance is within five standard errors.
ALIKE, STANDARD_ERRORS = 0.3, 5.0
TAIL = 0.05  # of the values at either end, which count as the next one does
FEWEST_ALIKE = 10  # rows that differ from the most frequent value, for a rate of their neighbours to mean anything
ROWS_SEEN, COLUMNS_SEEN, COPIES_SEEN_IN = 5_000, 500, 1_000_000
ALIKE_SHOWN = 3  # columns
FEWEST_COPIES, ABOVE_CHANCE = 5, 10
FREQUENT, FREQUENT_SHARE = 10, 0.01  # a value in more rows than both says nothing about copies, such as 0 dollars
COLUMNS_AT_ONCE = 8  # are hashed before counting what is equal so far
FEW_GROUPS = 50
MOST_KEYS, MOST_CURVED, FEWEST_IN_BLOCKS = 3, 8, 5  # of a sorted file: columns, degree of a curve, rows of a block
Column = NDArray[np.float64]


def examine_rows(table: Table, discrete: Collection[Hashable]) -> tuple[Finding, ...]:
    """What says that the rows of a table without weights are not independent."""
    copies = tuple(_copies(table, discrete))
    return copies or tuple(_alike_in_order(table, discrete))  # copies that follow each other are alike, of course


def _alike_in_order(table: Table, discrete: Collection[Hashable]) -> Iterator[Finding]:
    """At least two columns whose values are like those of the row before, more than a sorted file explains."""
    found = _autocorrelations(table, discrete)
    limit = max(ALIKE, STANDARD_ERRORS / min(table.n_rows, ROWS_SEEN) ** 0.5)
    unexplained = [name for name, (_, left) in found.items() if abs(left) > limit]
    alike = sorted(unexplained, key=lambda name: -abs(found[name][0]))
    if len(alike) < 2:
        return
    shown = [f"{found[name][0]:.2f} in column {str(name)!r}" for name in alike[:ALIKE_SHOWN]]
    rest = [counted(len(alike) - len(shown), "other column")] if len(alike) > len(shown) else []
    text = (
        f"rows that follow each other in the table are alike: lag-1 autocorrelation {listed([*shown, *rest])}. "
        "Is it a time series? Tests take rows as independent, and find false edges among such columns"
    )
    remedy = (
        "keep rows that are far apart, or learn from what is new in each row; a file that is only sorted is harmless"
    )
    yield Finding(FindingKind.AUTOCORRELATED_ROWS, "warning", tuple(alike), text, remedy)


def _autocorrelations(table: Table, discrete: Collection[Hashable]) -> dict[Hashable, tuple[float, float]]:
    """The lag-1 autocorrelation of columns neither constant nor sorted, and what the order of the file leaves of it."""
    every = max(1, -(-len(table.all_names) // COLUMNS_SEEN))
    names = [name for name in table.all_names[::every] if name in discrete or name in table.names]
    columns = {name: first_rows(table, name, name in discrete) for name in names}
    keys = _sorted_by(columns, discrete)
    basis = _explained_by_order([columns[name] for name in keys], min(table.n_rows, ROWS_SEEN))
    series = {name: deviations_of(columns[name], name in discrete) for name in names if name not in keys}
    usable = {name: values for name, values in series.items() if values is not None and values.any()}
    return {name: (_lag_1(values), _lag_1(_without(values, basis))) for name, values in usable.items()}


def _lag_1(values: Column) -> float:
    return float(values[1:] @ values[:-1] / (values @ values)) if values.any() else 0.0


def _sorted_by(columns: Mapping[Hashable, Column], discrete: Collection[Hashable]) -> list[Hashable]:
    """The columns that the file is sorted by: by the first ones, and by others within rows that agree in these."""
    keys = [name for name, column in columns.items() if _is_sorted(column, name in discrete)]
    starts = [changes(columns[name]) for name in keys]
    new_block = np.logical_or.reduce(starts[:MOST_KEYS]) if starts else np.zeros(0, dtype=np.bool_)
    others = [name for name in columns if name not in keys and np.isfinite(columns[name]).all()]
    while len(keys) < MOST_KEYS and 0 < np.count_nonzero(new_block) < len(new_block) / 2:
        within = next((name for name in others if _is_sorted_within(columns[name], new_block)), None)
        if within is None:
            break
        keys.append(within)
        others.remove(within)
        new_block = new_block | changes(columns[within])
    return keys


def changes(column: Column) -> NDArray[np.bool_]:
    """Whether each row after the first differs from the one before it."""
    changed: NDArray[np.bool_] = column[1:] != column[:-1]
    return changed


def _is_sorted_within(column: Column, new_block: NDArray[np.bool_]) -> bool:
    """True if the values ascend, or descend, within all blocks, and start again with some."""
    steps = np.diff(column)
    inside = steps[~new_block]
    return bool(inside.any() and ((inside >= 0).all() or (inside <= 0).all()))


def _explained_by_order(keys: Sequence[Column], n_rows: int) -> NDArray[np.float64]:
    """What columns may owe to the order of the file: a curve over the rows, and what depends on what it is sorted by.

    A file may be sorted by what is no column: what changes slowly over all of its rows is no sign of a series.
    """
    curve = np.polynomial.legendre.legvander(np.linspace(-1, 1, n_rows), min(MOST_CURVED, max(3, n_rows // 40)))
    basis = [curve, *(part[:, None] for key in keys[:MOST_KEYS] for part in _explaining(key))]
    if keys:
        blocks = np.cumsum([False, *np.logical_or.reduce([changes(key) for key in keys[:MOST_KEYS]])])
        if blocks[-1] < n_rows / FEWEST_IN_BLOCKS:
            basis.append(np.eye(blocks[-1] + 1)[blocks])
    return np.column_stack(basis)


def first_rows(table: Table, name: Hashable, is_discrete: bool) -> Column:
    """The first values of a column as numbers, or as codes; NaN where one is missing."""
    column = table.cells(name)[:ROWS_SEEN]
    values = code_columns([name], [column]).codes[:, 0] if is_discrete else np.asarray(column)
    wide = values.astype(np.float64)
    return np.where(np.isfinite(wide), wide, np.nan) if not is_discrete else np.where(wide < 0, np.nan, wide)


def _is_sorted(column: Column, is_discrete: bool) -> bool:
    """True if the values ascend or descend; for categories, if equal ones follow each other."""
    there = column[~np.isnan(column)]
    if is_discrete:
        n_runs = 1 + int((np.diff(there) != 0).sum())
        return 1 < len(np.unique(there)) == n_runs
    steps = np.diff(there)
    return bool((steps >= 0).all() or (steps <= 0).all())


def _explaining(column: Column) -> Iterator[Column]:
    """What other columns may owe to a sorted one: a mean for each of few values, or else a smooth curve."""
    values, which = np.unique(column, return_inverse=True)
    if len(values) <= FEW_GROUPS:
        yield from (np.eye(len(values))[which.ravel()]).T
        return
    yield np.where(np.isnan(column), np.nanmean(column), column) / (np.nanmax(np.abs(column)) or 1.0)


def deviations_of(column: Column, is_discrete: bool) -> Column | None:
    """Deviations from the mean, 0 where a value is missing; of a discrete column, of being the most frequent value."""
    there = ~np.isnan(column)
    if np.count_nonzero(there) < FEWEST_ALIKE:
        return None
    if is_discrete:
        column = np.where(there, column == np.bincount(column[there].astype(np.int64)).argmax(), np.nan)
        if (column == 0).sum() < FEWEST_ALIKE:
            return None
    else:  # so that a few extreme values do not decide
        values = column[there]
        ends = [(outside := int(TAIL * (len(values) - 1))), len(values) - 1 - outside]
        column = np.clip(column, *np.partition(values, ends)[ends])
    deviations: Column = np.where(there, column - column[there].mean(), 0.0)
    return deviations


def _without(values: Column, basis: NDArray[np.float64]) -> Column:
    """What the columns of the basis leave unexplained."""
    left: Column = values - basis @ np.linalg.lstsq(basis, values, rcond=None)[0]
    return left if left @ left > 1e-9 * (values @ values) else np.zeros_like(values)


def _copies(table: Table, discrete: Collection[Hashable]) -> Iterator[Finding]:
    """Rows that repeat others, by far more than values on a grid such as whole or rounded numbers do by chance."""
    first = _first_occurrences(table)
    copies = np.flatnonzero(first != np.arange(len(first)))
    names = [name for name in table.names if name not in discrete][:COLUMNS_SEEN]
    if len(copies) < FEWEST_COPIES or not names:
        return
    unique = np.delete(np.arange(len(first)), copies)
    columns = (np.asarray(table.column(name)[: len(first)], dtype=np.float64) for name in names)
    (rate, frequent), *others = sorted((_ties(column, unique) for column in columns), key=lambda tie: tie[0])
    by_chance = rate * (others[0][0] if others else 1.0) * len(first) ** 2 / 2
    copies = copies[~frequent[copies]]
    if len(copies) < max(FEWEST_COPIES, ABOVE_CHANCE * by_chance):
        return
    row, original = (table.row_number(int(place)) for place in (copies[0], first[copies[0]]))
    text = (
        f"{len(copies)} of {counted(len(first), 'row')} repeat another row exactly, such as row {row}, which repeats "
        f"row {original}. Tests take rows as independent, and copies make chance look significant"
    )
    yield Finding(
        FindingKind.REPEATED_ROWS, "warning", (), text, "leave copies out; keep them if each was observed by itself"
    )


def _first_occurrences(table: Table) -> NDArray[np.int64]:
    """For each row the first one that equals it, by hashes of the columns, as far as there are enough equal ones."""
    n_rows = min(table.n_rows, COPIES_SEEN_IN)
    hashes = np.zeros(n_rows, dtype=np.uint64)
    first = np.arange(n_rows)
    for i, name in enumerate(table.all_names):
        column = table.cells(name)[:n_rows]
        wide = code_columns([name], [column]).codes[:, 0] if isinstance(column, Texts) else column
        hashes ^= (wide.astype(np.float64) + 0.0).view(np.uint64)  # −0 + 0 is 0
        hashes *= np.uint64(0x9E3779B97F4A7C15)
        hashes ^= hashes >> np.uint64(29)
        if i % COLUMNS_AT_ONCE == 0 or i == len(table.all_names) - 1:
            _, places, which = np.unique(hashes, return_index=True, return_inverse=True)
            first = places[which.ravel()]
            if n_rows - len(places) < FEWEST_COPIES:
                break
    return first


def _ties(column: Column, unique: NDArray[np.int64]) -> tuple[float, NDArray[np.bool_]]:
    """How often two rows have the same value by chance, and which rows have one that is frequent anyway.

    The former from the grid that the values lie on, or from rows that differ elsewhere, whichever is larger.
    """
    values, which, counts = np.unique(column, return_inverse=True, return_counts=True)
    frequent = counts > max(FREQUENT, FREQUENT_SHARE * len(column))
    rare = values[~frequent & np.isfinite(values)]
    if len(rare) < FEW_GROUPS:
        return 1.0, np.ones(len(column), dtype=np.bool_)
    low, high = np.quantile(rare, (0.25, 0.75))
    steps = np.diff(rare)
    grid = float(steps[steps > 1e-9 * (high - low)].min(initial=high - low) / (high - low))
    _, again = np.unique(column[unique], return_counts=True)
    pairs = float((again * (again - 1.0)).sum()) / max(1.0, len(unique) * (len(unique) - 1.0))
    return min(1.0, max(grid, pairs)), frequent[which.ravel()]


# Missing and infinite values: where they are, and how many rows each remedy leaves.


def about_missing(gaps: Gaps, entry: TableTest, options: DataOptions, in_memory: bool) -> Iterator[Finding]:
    """Missing values that are an error, or what is assumed of why they are; data cannot show whether it holds."""
    if options.missing == "error":
        within = options.groups is not None and options.compares_within
        only_complete = options.correlation == "normal-scores" or not in_memory or within
        accepted = tuple(value for value in entry.missing if not only_complete or value not in ASSUMED)
        yield from examine_gaps(gaps, accepted, options.time is None)
    elif options.missing in ASSUMED and gaps.by_column:
        names = tuple(gaps.by_column)
        have = f"{counted(len(names), 'column')} {'has' if len(names) == 1 else 'have'} missing values"
        complete = f"{gaps.n_complete()} of {counted(gaps.n_rows, 'row')} are complete"
        yield Finding(
            FindingKind.MISSING_VALUES, "warning", names, f"{have}, and {complete}; {WHY_MISSING[options.missing]}"
        )


def about_dropped(gaps: Gaps, options: DataOptions) -> Iterator[Finding]:
    """How many rows were left out."""
    if options.missing == "drop" and gaps.by_column:
        n_left_out = gaps.n_rows - gaps.n_complete()
        text = f"{n_left_out} of {counted(gaps.n_rows, 'row')} have missing or infinite values and were left out"
        yield Finding(FindingKind.DROPPED_ROWS, "warning", (), text)


def empty_columns(gaps: Gaps) -> Iterator[Finding]:
    """Columns without any value."""
    names = gaps.empty
    yield from to_drop(FindingKind.EMPTY, "error", names, f"{columns_that(names, 'has', 'have')} missing values only")


def examine_gaps(gaps: Gaps, accepted: Collection[str], may_drop: bool = True) -> Iterator[Finding]:
    """One finding about all gaps, with how many rows are left by each remedy that the test accepts.

    Values of earlier waves are no columns that could be dropped.
    """
    if not gaps.by_column:
        return
    left = gaps.n_complete()
    cure = _cure(gaps, accepted) if may_drop else Cure(missing="drop")
    rows: list[str | Option] = [f" leaves {counted(left, 'row')} of {gaps.n_rows}"]
    if cure.drop:
        rows += [f", {gaps.n_complete(cure.drop)} with ", Option("drop", list(cure.drop))]
    others = [
        Message(Option("missing", value), " keeps all rows; ") for value in accepted if value in ("pairwise", "em")
    ]
    or_drop = ("; or ", drop_columns(list(gaps.by_column))) if may_drop else ()
    remedy = Message(*others, Option("missing", "drop"), *rows, *or_drop)
    yield Finding(FindingKind.MISSING, "error", tuple(gaps.by_column), _gaps_in_words(gaps), remedy, cure)


def _gaps_in_words(gaps: Gaps) -> str:
    """One column in a sentence; of several, how many values each lacks."""
    if len(gaps.by_column) == 1:
        (name,) = gaps.by_column
        count = counted(gaps.n_gaps(name), f"{_kind_of_gaps(gaps)} value")
        return f"column {str(name)!r} has {count}, the first in row {gaps.by_column[name].first_row + 1}"
    shown = [
        f"{str(name)!r} ({gaps.n_gaps(name)}, the first in row {gaps.by_column[name].first_row + 1})"
        for name in list(gaps.by_column)[:INCOMPLETE_SHOWN]
    ]
    if len(gaps.by_column) > len(shown):
        shown.append(counted(len(gaps.by_column) - len(shown), "more column"))
    return f"{_kind_of_gaps(gaps)} values in columns {in_a_row(shown)}"


def _kind_of_gaps(gaps: Gaps) -> str:
    infinite = gaps.n_infinite
    every = sum(map(gaps.n_gaps, gaps.by_column))
    return "infinite" if infinite == every else "missing or infinite" if infinite else "missing"


def _cure(gaps: Gaps, accepted: Collection[str]) -> Cure:
    """The value of ``missing`` that loses least; where few rows are lost, complete ones assume least."""
    if gaps.n_complete() >= (1 - FEW_LOST) * gaps.n_rows or "pairwise" not in accepted:
        return Cure(drop=gaps.columns_to_lose(), missing="drop")
    return Cure(missing="pairwise")

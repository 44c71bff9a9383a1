"""Findings about columns of numbers.

The examination needs no pass over the data of its own: it reads the moments, and the values of a column only where its
moments are suspicious.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sidelight.doctor.combinations import LINEARLY
from sidelight.families.data import NumberSummary
from sidelight.families.gaussian.correlation import Correlation, Moments
from sidelight.kernels import DETERMINED
from sidelight.tables.cures import Cure
from sidelight.tables.findings import Diagnosis, Finding, FindingKind, columns_that, copies, drop_columns, of_one_value
from sidelight.tables.rows import FEWEST_ROWS
from sidelight.tables.table import Table
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted, in_a_row, listed

ILL_CONDITIONED = 1e11  # from here on, partial correlations near the critical value have too few reliable digits
SHOWN = 8
ROWS_TO_TELL, COMBINED = 2, 1e-6  # rows for each column of a combination, and the share that it may leave unexplained
HEAVY = 4.0  # excess kurtosis: that of a t distribution with five or six degrees of freedom; 6 for an exponential one
FEWEST_FOR_TAILS, ROWS_FOR_TAILS, ROWS_AT_ONCE = 100, 20_000, 500
EXTREME = "are alike only through extreme values"
TRANSFORM = Message("transform such columns, for example by logarithms")
RANKS = Message("compare with ", Option("correlation", "normal-scores"), ", or transform such columns")


def examine_numbers(summary: NumberSummary) -> Diagnosis:
    """All findings about columns with these moments and correlations; ranks have neither outliers nor heavy tails."""
    table, moments = summary.table, summary.moments
    against_tails = RANKS if summary.ranks_may_help else TRANSFORM
    few = tuple(few_rows(len(table.names), moments.n_samples))
    if moments.n_samples < FEWEST_ROWS:
        return Diagnosis(table.n_rows, len(table.kinds), few)
    broken = ~np.isfinite(moments.means)
    constant = ~broken & _constant(table, moments)
    out_of_scale = ~broken & ~constant & ~((moments.variances > 1e-290) & (moments.variances < 1e290))
    unusable = broken | constant | out_of_scale
    findings = [
        *_scales(table, out_of_scale),
        *_constants(table, constant),
        *_dependent_columns(summary, unusable, against_tails),
        *([] if summary.by_ranks else _outliers(table, moments, unusable, against_tails)),
        *([] if summary.by_ranks else _heavy_tails(table, moments, unusable, against_tails)),
        *few,
    ]
    if not broken.any() and all(f.severity == "warning" for f in findings):
        findings += _ill_conditioned(summary)
    return Diagnosis(table.n_rows, len(table.kinds), tuple(findings))


def _scales(table: Table, out_of_scale: NDArray[np.bool_]) -> Iterator[Finding]:
    names = tuple(table.names[i] for i in np.flatnonzero(out_of_scale))
    if names:
        text = f"the values of {columns_that(names, 'are', 'are')} too large or too small for double precision"
        remedy = Message("change the unit, or ", drop_columns(names))
        yield Finding(FindingKind.SCALE, "error", names, text, remedy, Cure(drop=names))


def _outliers(table: Table, moments: Moments, unusable: NDArray[np.bool_], against_tails: Message) -> Iterator[Finding]:
    """A value that makes up much of its column's variance: by chance that takes far more rows."""
    with np.errstate(all="ignore"):
        scores = moments.extremes / np.sqrt(moments.variances)
    far = ~unusable & (scores > max(10.0, 0.5 * moments.n_samples**0.5))
    names = tuple(table.names[i] for i in np.flatnonzero(far))
    if not names:
        return
    shown = [_extreme(table, name, moments.means[table.names.index(name)]) for name in names[:SHOWN]]
    shown += [counted(len(names) - len(shown), "other column")] * (len(names) > len(shown))
    text = f"column {in_a_row(shown)}, which can hide dependences"
    yield Finding(FindingKind.OUTLIER, "warning", names, text, Message("if it is not a mistake, ", against_tails))


def _extreme(table: Table, name: Hashable, mean: float) -> str:
    column = np.asarray(table.column(name), dtype=np.float64)
    row = int(np.abs(column - mean).argmax())
    return f"{str(name)!r} has an extreme value, {column[row]:g} in row {table.row_number(row)}"


def _heavy_tails(
    table: Table, moments: Moments, unusable: NDArray[np.bool_], against_tails: Message
) -> Iterator[Finding]:
    """Columns far from Gaussian: with them, small p-values of partial correlations are too small."""
    even = table.even_rows()
    rows = even[:: max(1, len(even) // ROWS_FOR_TAILS)]
    if len(rows) < FEWEST_FOR_TAILS:
        return
    with np.errstate(all="ignore"):
        spread, fourth = np.sqrt(moments.variances), np.zeros(len(table.names))
        for start in range(0, len(rows), ROWS_AT_ONCE):
            block = np.asarray(rows[start : start + ROWS_AT_ONCE], dtype=np.float64)
            squared = np.square((block - moments.means) / spread)
            fourth += np.einsum("ij,ij->j", squared, squared)
        kurtosis = fourth / len(rows) - 3
    heavy = [table.names[i] for i in np.flatnonzero(~unusable & (kurtosis > HEAVY))]
    if heavy:
        has = "column {} has" if len(heavy) == 1 else "columns {} have"
        text = (
            f"{has.format(listed(heavy, quoted=True))} heavy tails, far from a normal distribution: small p-values "
            "are too small, and there may be extra edges"
        )
        yield Finding(FindingKind.HEAVY_TAILS, "warning", tuple(heavy), text, against_tails)


def _constant(table: Table, moments: Moments) -> NDArray[np.bool_]:
    """Columns of one value only, among those whose variance is tiny compared with their mean."""
    with np.errstate(all="ignore"):
        suspicious = moments.variances <= (1e-7 * np.abs(moments.means)) ** 2
    constant = np.zeros(len(table.names), dtype=np.bool_)
    for i in np.flatnonzero(suspicious):
        column = table.values[:, i]
        constant[i] = len(column) > 0 and bool((column == column[0]).all())
    return constant


def _constants(table: Table, constant: NDArray[np.bool_]) -> Iterator[Finding]:
    yield from of_one_value([table.names[i] for i in np.flatnonzero(constant)])


def _dependent_columns(
    summary: NumberSummary, unusable: NDArray[np.bool_], against_tails: Message
) -> Iterator[Finding]:
    """Copies, and exact combinations of other columns: both leave dependences undefined."""
    table, correlation = summary.table, summary.correlation
    usable = np.flatnonzero(~unusable)
    names = tuple(table.names[i] for i in usable)
    if unusable.any():
        correlation = Correlation.computed(correlation.matrix[np.ix_(usable, usable)], table.n_rows, names)
    if not correlation.is_singular:
        return
    matrix = correlation.matrix
    groups = _groups_of_copies(matrix)
    reasons = [_how_alike(table, usable[group[0]], usable[group[1]]) for group in groups]
    for why in dict.fromkeys(reasons):
        alike = [[names[i] for i in group] for group, reason in zip(groups, reasons, strict=True) if reason == why]
        before = Message("remove such rows, or ", against_tails, "; or ") if why.startswith(EXTREME) else ""
        yield from copies(FindingKind.DUPLICATED, "error", alike, why, before)
    if table.n_rows <= len(table.names):
        return  # with so few rows every column is a combination of others; few_rows reports that
    repeated = {i for group in groups for i in group[1:]}
    distinct = [i for i in range(len(names)) if i not in repeated]
    found = [(distinct[j], [distinct[i] for i in e]) for j, e in _combinations(matrix[np.ix_(distinct, distinct)])]
    if summary.incomplete is not None:
        found = [(j, e) for j, e in found if _holds_in_rows(summary.incomplete, usable[j], usable[e])]
    yield from _collinear([(names[j], [names[i] for i in explaining]) for j, explaining in found])


def _collinear(found: Sequence[tuple[Hashable, Sequence[Hashable]]]) -> Iterator[Finding]:
    if found:
        shown = [f"{str(name)!r} of {listed(explaining, quoted=True)}" for name, explaining in found[:SHOWN]]
        shown += [f"{len(found) - len(shown)} more"] * (len(found) > len(shown))
        determined = tuple(name for name, _ in found)
        members = tuple(dict.fromkeys(name for column, explaining in found for name in (*explaining, column)))
        text = f"columns are linear combinations of others: {'; '.join(shown)}"
        remedy = Message("leave one of each out, for example ", drop_columns(determined))
        yield Finding(FindingKind.COLLINEAR, "error", members, text, remedy, Cure(drop=determined))


def _how_alike(table: Table, first: int, second: int) -> str:
    """Why the correlation of two columns is 1 up to rounding, from what one leaves unexplained of the other by row."""
    x, y = (np.asarray(table.values[:, i], dtype=np.float64) for i in (first, second))
    x, y = ((v - np.median(v)) / v.std() for v in (x, y))  # the median: an extreme value would move the mean
    left = np.abs(y - np.sign(x @ y) * x)
    if np.median(left) < 1e-9 * np.median(np.abs(y)):
        return LINEARLY
    if np.abs(y).max() > 1e5 * np.median(np.abs(y)):
        return f"{EXTREME}, such as in row {table.row_number(int(np.abs(y).argmax()))}"
    return "are so close to linear functions of each other that their correlation is 1 up to rounding"


def _groups_of_copies(matrix: NDArray[np.float64]) -> list[list[int]]:
    groups: list[list[int]] = []
    grouped: set[int] = set()
    for i in range(len(matrix)):
        group = [j for j in np.flatnonzero(1 - np.abs(matrix[i]) <= DETERMINED).tolist() if j not in grouped]
        if i not in grouped and len(group) > 1:
            groups.append(group)
            grouped.update(group)
    return groups


def _combinations(matrix: NDArray[np.float64]) -> Iterator[tuple[int, list[int]]]:
    """Each column that earlier ones determine, with those of them that take part."""
    from scipy.linalg import solve_triangular

    kept: list[int] = []
    factor = np.zeros_like(matrix)
    for j in range(len(matrix)):
        k = len(kept)
        row = solve_triangular(factor[:k, :k], matrix[kept, j], lower=True) if k else np.empty(0)
        pivot = matrix[j, j] - row @ row
        if pivot > DETERMINED:
            factor[k, :k], factor[k, k] = row, np.sqrt(pivot)
            kept.append(j)
        else:
            weights = solve_triangular(factor[:k, :k].T, row)
            yield j, [kept[i] for i in np.flatnonzero(np.abs(weights) > 1e-4 * np.abs(weights).max(initial=0))]


def few_rows(n_columns: int, n_rows: int) -> Iterator[Finding]:
    """Too few rows to test anything, or to condition on all other columns; a weighted row counts by its weight."""
    if n_rows < FEWEST_ROWS:
        text = f"the table has {counted(n_rows, 'row')}, too few to test anything"
        remedy = f"at least {FEWEST_ROWS} are needed, and hundreds to find any but strong dependences"
        yield Finding(FindingKind.FEW_ROWS, "error", (), text, remedy)
    elif n_rows <= n_columns + 3:
        text = (
            f"the table has only {n_rows} rows for {n_columns} columns; total conditioning, which tests each pair "
            f"given all other columns, needs more than {n_columns + 3}"
        )
        instead = ' uses "iamb" instead, which conditions on few columns at a time'
        yield Finding(FindingKind.FEW_ROWS, "warning", (), text, Message(Option("boundaries", "auto"), instead))


def _holds_in_rows(incomplete: NDArray[np.float64], column: int, explaining: NDArray[np.int64]) -> bool:
    """Does a combination hold in the rows that have all its columns, and are these enough to tell?"""
    values = incomplete[:, [column, *explaining]]
    rows = values[np.isfinite(values).all(axis=1)]
    if len(rows) < ROWS_TO_TELL * values.shape[1]:
        return False
    design = np.column_stack([np.ones(len(rows)), rows[:, 1:]])
    left = rows[:, 0] - design @ np.linalg.lstsq(design, rows[:, 0], rcond=None)[0]
    return bool(left.std() <= COMBINED * rows[:, 0].std())


def _ill_conditioned(summary: NumberSummary) -> list[Finding]:
    correlation = summary.correlation
    if summary.incomplete is not None or correlation.is_singular or correlation.condition_number < ILL_CONDITIONED:
        return []
    text = (
        f"the columns are close to linearly dependent (condition number about {correlation.condition_number:.0e}); "
        "partial correlations given many columns have few reliable digits"
    )
    return [
        Finding(
            FindingKind.NEAR_SINGULAR, "warning", (), text, "leave out columns that are almost determined by others"
        )
    ]

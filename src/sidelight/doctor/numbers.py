"""The data doctor: everything that is wrong or doubtful about a table, at once and by column name.

What makes a result wrong is an error, with the remedy; what may is a warning, which the learned network carries.
The examination costs no pass over the data of its own: it reads the moments, and looks closer only where they point.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sidelight.data.table import Table
from sidelight.doctor.findings import Diagnosis, Finding
from sidelight.kernels import DETERMINED
from sidelight.sufficient.correlation import Correlation, Moments

FEWEST_ROWS = 5
ILL_CONDITIONED = 1e11  # half of float64's digits are gone, and the decisions near the critical value with them
SHOWN = 8


def examine(table: Table, moments: Moments, correlation: Correlation) -> Diagnosis:
    """Everything that can be said about a table that has just been summarised."""
    few = tuple(few_rows(len(table.names), moments.n_samples))
    if moments.n_samples < FEWEST_ROWS:
        return Diagnosis(table.n_rows, len(table.kinds), few)
    weighted = moments.n_samples != table.n_rows  # then a row stands for many, and may well differ from all others
    broken = ~np.isfinite(moments.means)
    constant = ~broken & _constant(table, moments)
    out_of_scale = ~broken & ~constant & ~((moments.variances > 1e-290) & (moments.variances < 1e290))
    findings = [
        *_scales(table, out_of_scale),
        *not_numbers(table),
        *_not_finite(table, broken),
        *_constants(table, constant),
        *_dependent_columns(table, correlation, broken | constant | out_of_scale),
        *([] if weighted else _identifiers(table)),
        *_outliers(table, moments, broken | constant | out_of_scale),
        *few,
    ]
    if not findings or all(f.severity == "warning" for f in findings):
        findings += _ill_conditioned(correlation)
    return Diagnosis(table.n_rows, len(table.kinds), tuple(findings))


def _scales(table: Table, out_of_scale: NDArray[np.bool_]) -> Iterator[Finding]:
    for i in np.flatnonzero(out_of_scale):
        name = table.names[i]
        message = f"the values of column {str(name)!r} are too large or too small to be squared in double precision"
        yield Finding("scale", "error", (name,), message, "change its unit")


def _outliers(table: Table, moments: Moments, unusable: NDArray[np.bool_]) -> Iterator[Finding]:
    """A value that makes up much of its column's variance: many rows would be needed to have it by chance."""
    with np.errstate(all="ignore"):
        scores = moments.extremes / np.sqrt(moments.variances)
    far = ~unusable & (scores > max(10.0, 0.5 * table.n_rows**0.5))
    for i in np.flatnonzero(far)[:SHOWN]:
        name, column = table.names[i], np.asarray(table.values[:, i], dtype=np.float64)
        row = int(np.abs(column - moments.means[i]).argmax())
        message = (
            f"column {str(name)!r} has an extreme value, {column[row]:g} in row {row + 1}, which can hide dependences"
        )
        yield Finding("outlier", "warning", (name,), message, 'if it is no mistake, use correlation="spearman"')


def listed(names: Iterable[Hashable]) -> str:
    """Some names in words, the first few if there are many."""
    quoted = [repr(str(name)) for name in names]
    return ", ".join(quoted) if len(quoted) <= SHOWN else f"{', '.join(quoted[:SHOWN])} and {len(quoted) - SHOWN} more"


def drop_in_words(names: Sequence[Hashable]) -> str:
    return f"drop {'it' if len(names) == 1 else 'them'}: drop={list(names)!r}"


def almost_numbers(name: Hashable, column: Sequence[object]) -> Finding | None:
    """A column that would be numbers but for some cells."""
    wrong = [(row, value) for row, value in enumerate(column) if value is not None and not _is_number(value)]
    if not wrong or len(wrong) > len(column) // 2:
        return None
    row, value = wrong[0]
    message = (
        f"column {str(name)!r} has {len(wrong)} cell{'s' * (len(wrong) > 1)} among {len(column)} that are no numbers, "
        f"such as {str(value)[:40]!r} in row {row + 1}"
    )
    return Finding("non-numeric", "error", (name,), message, f"mend or empty them, or {drop_in_words([name])}")


def _is_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return True


def not_numbers(table: Table) -> Iterator[Finding]:
    for name, column in table.texts.items():
        almost = almost_numbers(name, column)
        if almost is not None:
            yield almost
            continue
        examples = [value for value in column if value is not None][:1]
        example = f", such as {str(examples[0])[:40]!r}" if examples else ""
        distinct = len(set(map(str, column)))
        if distinct == len(column) > 1:
            message = (
                f"column {str(name)!r} is not numeric and differs in every row{example}: it looks like an identifier"
            )
            yield Finding("non-numeric", "error", (name,), message, drop_in_words([name]))
        else:
            message = f"column {str(name)!r} is not numeric{example}, with {distinct} different values"
            yield Finding("non-numeric", "error", (name,), message, f"code it as numbers, or {drop_in_words([name])}")


def _not_finite(table: Table, broken: NDArray[np.bool_]) -> Iterator[Finding]:
    for i in np.flatnonzero(broken):
        column = np.asarray(table.values[:, i], dtype=np.float64)
        name = table.names[i]
        for kind, where in (("missing", np.isnan(column)), ("infinite", np.isinf(column))):
            if where.any():
                yield gap(kind, name, int(where.sum()), int(where.argmax()), len(where))


def gap(kind: str, name: Hashable, count: int, first: int, n_rows: int) -> Finding:
    if count == n_rows:
        return Finding(kind, "error", (name,), f"column {str(name)!r} has {kind} values only", drop_in_words([name]))
    message = f"column {str(name)!r} has {count} {kind} value{'s' * (count > 1)}, the first in row {first + 1}"
    remedy = f'see missing= ("drop" leaves those rows out); or {drop_in_words([name])}'
    return Finding(kind, "error", (name,), message, remedy)


def _constant(table: Table, moments: Moments) -> NDArray[np.bool_]:
    """Columns of one value only: those whose variance is nothing beside their mean, looked at closely."""
    with np.errstate(all="ignore"):
        suspicious = moments.variances <= (1e-7 * np.abs(moments.means)) ** 2
    constant = np.zeros(len(table.names), dtype=np.bool_)
    for i in np.flatnonzero(suspicious):
        column = table.values[:, i]
        constant[i] = len(column) > 0 and bool((column == column[0]).all())
    return constant


def _constants(table: Table, constant: NDArray[np.bool_]) -> Iterator[Finding]:
    yield from of_one_value([table.names[i] for i in np.flatnonzero(constant)])


def of_one_value(names: list[Hashable]) -> Iterator[Finding]:
    if names:
        message = f"column{'s' * (len(names) > 1)} {listed(names)} {'have' if len(names) > 1 else 'has'} one value only"
        yield Finding("constant", "error", tuple(names), message, drop_in_words(names))


def _dependent_columns(table: Table, correlation: Correlation, unusable: NDArray[np.bool_]) -> Iterator[Finding]:
    """Copies, and exact combinations of other columns. Both leave their columns' dependences undefined."""
    usable = np.flatnonzero(~unusable)
    names = tuple(table.names[i] for i in usable)
    if unusable.any():
        correlation = Correlation.computed(correlation.matrix[np.ix_(usable, usable)], table.n_rows, names)
    if not correlation.is_singular:
        return
    matrix = correlation.matrix
    copies = _groups_of_copies(matrix)
    for group in copies:
        members = tuple(names[i] for i in group)
        message = f"columns {listed(members)} are {_how_alike(table, usable[group[0]], usable[group[1]])}"
        remedy = f"keep one; {drop_in_words(members[1:])}"
        if "extreme" in message:
            remedy = f'remove such rows, or use correlation="spearman"; or {remedy}'
        yield Finding("duplicated", "error", members, message, remedy)
    if table.n_rows <= len(table.names):
        return  # with so few rows every column is a combination of others; _few_rows speaks of that
    repeated = {i for group in copies for i in group[1:]}
    distinct = [i for i in range(len(names)) if i not in repeated]
    for column, explaining in _combinations(matrix[np.ix_(distinct, distinct)]):
        members = tuple(names[distinct[i]] for i in (*explaining, column))
        message = f"column {str(members[-1])!r} is a linear combination of {listed(members[:-1])}"
        yield Finding(
            "collinear", "error", members, message, f"leave one of them out, for example {drop_in_words(members[-1:])}"
        )


def _how_alike(table: Table, first: int, second: int) -> str:
    """Why two columns have a correlation that cannot be told from 1: what one leaves of the other, row by row."""
    x, y = (np.asarray(table.values[:, i], dtype=np.float64) for i in (first, second))
    x, y = ((v - np.median(v)) / v.std() for v in (x, y))  # the median: an extreme value would move the mean
    left = np.abs(y - np.sign(x @ y) * x)
    if np.median(left) < 1e-9 * np.median(np.abs(y)):
        return "copies of each other, or linear functions of one another"
    if np.abs(y).max() > 1e5 * np.median(np.abs(y)):
        return f"alike only through extreme values, such as in row {int(np.abs(y).argmax()) + 1}"
    return "so nearly functions of one another that their correlation cannot be told from 1"


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


def _identifiers(table: Table) -> Iterator[Finding]:
    """Columns that count the rows."""
    if table.n_rows < FEWEST_ROWS:
        return
    first = np.asarray(table.values[:FEWEST_ROWS], dtype=np.float64)
    for i in np.flatnonzero((np.diff(first, axis=0) == 1).all(axis=0)):
        if (np.diff(np.asarray(table.values[:, i], dtype=np.float64)) == 1).all():
            name = table.names[i]
            message = f"column {str(name)!r} counts the rows: it looks like an identifier"
            yield Finding("identifier", "warning", (name,), message, drop_in_words([name]))


def few_rows(n_columns: int, n_rows: int) -> Iterator[Finding]:
    """Too few rows to test anything, or to condition on everything. Weighted rows count as so many."""
    if n_rows < FEWEST_ROWS:
        message = f"the table has {n_rows} row{'s' * (n_rows != 1)}, too few to test anything"
        yield Finding("few rows", "error", (), message, f"at least {FEWEST_ROWS} are needed, hundreds to see much")
    elif n_rows <= n_columns + 3:
        message = (
            f"there are only {n_rows} rows for {n_columns} columns; total conditioning, which tests each pair given "
            f"all other columns, needs more than {n_columns + 3}"
        )
        remedy = 'boundaries="auto" uses "iamb" instead, which conditions on few columns at a time'
        yield Finding("few rows", "warning", (), message, remedy)


def _ill_conditioned(correlation: Correlation) -> list[Finding]:
    if correlation.is_singular or correlation.condition_number < ILL_CONDITIONED:
        return []
    message = (
        f"the columns are close to linearly dependent (condition number about {correlation.condition_number:.0e}); "
        "partial correlations given many columns have few reliable digits"
    )
    return [Finding("near-singular", "warning", (), message, "leave out columns that nearly repeat others")]

"""Columns that others determine: copies, monotone functions, sums, indicators of one category, recodings.

A few rows show which columns may be copies, or sums with simple coefficients; that is then verified in all rows.
Correlations alone do not show it where one part is far larger than another; what they show beside is looked at last,
as the test takes the columns.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sidelight.doctor.columns import Mask, against_tails
from sidelight.families.data import NumberSummary
from sidelight.families.gaussian.correlation import Correlation, moments
from sidelight.kernels import DETERMINED
from sidelight.tables.all_rows import FEWEST_ROWS
from sidelight.tables.findings import Cure, Finding, FindingKind, Severity, copies, drop_columns
from sidelight.tables.strings import Coded
from sidelight.tables.table import Table
from sidelight.text.message import Message
from sidelight.text.sentences import in_a_row, listed

ROWS_COMPARED = 300
LINEAR = 1e-12  # of the range: what rounding may leave
LINEARLY = "are perfectly correlated: identical, or one a linear function of the other"
BY_RANKS = "are in the same or the reverse order in all rows: one is a function of the other, such as its logarithm"
Floats = NDArray[np.float64]
ROWS_SEEN, MORE_THAN_COLUMNS = 1_000, 200  # enough rows to tell an equation from chance
SUSPICIOUS = 1e-7  # the share of a column's variance that others may leave unexplained, for it to be looked at
SIMPLE = 1e-3  # the error of an estimated coefficient, relative to the simple number that it is taken for
LARGEST_COEFFICIENT = 10_000
EXACT = 1e-9  # of the largest term: what rounding may leave
EQUATIONS_SHOWN, TERMS_SHOWN = 6, 8
SIZES_TRIED, ROWS_TRIED = 12, 100
COLUMNS_AT_ONCE = 128
ILL_CONDITIONED = 1e11  # from here on, partial correlations near the critical value have too few reliable digits
ROWS_TO_TELL, COMBINED = 2, 1e-6  # rows for each column of a combination, and the share that it may leave unexplained
COMBINATIONS_SHOWN = 8
EXTREME = "are alike only through extreme values"


def examine_copies(
    table: Table, discrete: Collection[Hashable], known: Collection[Hashable], severity_by_ranks: Severity
) -> Iterator[Finding]:
    """Copies among the numbers; those by ranks alone are an error for tests on ranks, and doubtful for others.

    Discrete columns that are copies of each other define the same categories, which is another finding.
    """
    names = [name for name in table.names if name not in known and name not in discrete]
    alike: dict[str, list[list[Hashable]]] = {LINEARLY: [], BY_RANKS: []}
    for first, *others in _same_ranks(table, names):
        how = [_relation(_column(table, first), _column(table, name)) for name in others]
        for relation, groups in alike.items():
            same = [name for name, found in zip(others, how, strict=True) if found == relation]
            groups += [[first, *same]] * bool(same)
    yield from copies(FindingKind.DUPLICATED, "error", alike[LINEARLY], LINEARLY)
    yield from copies(FindingKind.MONOTONE_COPIES, severity_by_ranks, alike[BY_RANKS], BY_RANKS)


def _column(table: Table, name: Hashable) -> Floats:
    return np.asarray(table.column(name), dtype=np.float64)


def _same_ranks(table: Table, names: Sequence[Hashable]) -> list[list[Hashable]]:
    """Columns with the same ranks, or the reverse, in a few rows; those with one value there are left out."""
    place = {name: i for i, name in enumerate(table.names)}
    rows = np.asarray(table.values[:: max(1, table.n_rows // ROWS_COMPARED)], dtype=np.float64)
    groups: dict[bytes, list[Hashable]] = {}
    for name in names:
        values, ranks = np.unique(rows[:, place[name]], return_inverse=True)
        if len(values) > 2:
            ascending = ranks.ravel()
            descending = len(values) - 1 - ascending
            key = min(ascending.tobytes(), descending.tobytes())
            groups.setdefault(key, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _relation(x: Floats, y: Floats) -> str:
    """How one column is a function of the other, in words; columns with gaps in other rows are none."""
    there = np.isfinite(x)
    if not np.array_equal(there, np.isfinite(y)):
        return ""
    x, y = x[there], y[there]
    return LINEARLY if _is_linear(x, y) else BY_RANKS if _same_order(x, y) else ""


def _is_linear(x: Floats, y: Floats) -> bool:
    """True if one is a linear function of the other up to rounding."""
    low, high = int(x.argmin()), int(x.argmax())
    if x[high] == x[low]:
        return False
    slope = (y[high] - y[low]) / (x[high] - x[low])
    left = y - y[low] - slope * (x - x[low])
    return bool(slope != 0 and np.abs(left).max() <= LINEAR * np.abs(y - y[low]).max() + 1e-15 * np.abs(y).max())


def _same_order(x: Floats, y: Floats) -> bool:
    """True if the values of one rise, or fall, strictly with those of the other."""
    order = np.argsort(x, kind="stable")
    steps, others = np.diff(x[order]), np.diff(y[order])
    tied = steps == 0
    if not np.array_equal(tied, others == 0):
        return False
    return bool((others[~tied] > 0).all() or (others[~tied] < 0).all())


@dataclass(frozen=True)
class Equation:
    """``left = Σ coefficient · name + constant``, exact in all rows."""

    left: Hashable
    terms: tuple[tuple[float, Hashable], ...]
    constant: float

    @property
    def names(self) -> tuple[Hashable, ...]:
        """All columns that take part."""
        return (*(name for _, name in self.terms), self.left)

    def __str__(self) -> str:
        text = " ".join(_term(weight, repr(str(name))) for weight, name in self.terms[:TERMS_SHOWN])
        text += " + …" * (len(self.terms) > TERMS_SHOWN)
        text += f" {_term(self.constant, '')}" if self.constant else ""
        return f"{str(self.left)!r} = {text.removeprefix('+ ')}"


def _term(weight: float, name: str) -> str:
    size = f"{abs(weight):g}{' · ' if name else ''}" if abs(weight) != 1 or not name else ""
    return f"{'−' if weight < 0 else '+'} {size}{name}"


def examine_sums(table: Table, discrete: Collection[Hashable], known: Collection[Hashable]) -> Iterator[Finding]:
    """Sums and indicators among the numbers, apart from columns that are ``known`` to be unusable."""
    found = exact_sums(table, [name for name in table.names if name not in known])
    indicators = [equation for equation in found if _is_of_indicators(table, equation)]
    sums = [equation for equation in found if equation not in indicators]
    for kind, equations in ((FindingKind.SUM, sums), (FindingKind.INDICATORS, indicators)):
        # Among numbers alone they make correlations singular; where discrete columns take part, results are doubtful.
        doubtful = [equation for equation in equations if not set(discrete).isdisjoint(equation.names)]
        yield from _reported(kind, "error", [equation for equation in equations if equation not in doubtful])
        yield from _reported(kind, "warning", doubtful)


def _reported(kind: FindingKind, severity: Severity, chosen: Sequence[Equation]) -> Iterator[Finding]:
    if not chosen:
        return
    left = list(dict.fromkeys(equation.left for equation in chosen))
    shown = [str(equation) for equation in chosen[:EQUATIONS_SHOWN]]
    shown += [f"{len(chosen) - len(shown)} more"] * (len(chosen) > len(shown))
    if kind == FindingKind.SUM:
        text = f"columns are exact sums of others: {'; '.join(shown)}"
        remedy = drop_columns(left)
    else:
        groups = [in_a_row([repr(str(name)) for name in equation.names[:TERMS_SHOWN]]) for equation in chosen]
        text = f"columns are 0 and 1 and sum to 1 in each row, the categories of one variable: {'; '.join(groups)}"
        remedy = Message("make one column of categories of them, or ", drop_columns(left))
    names = tuple(dict.fromkeys(name for equation in chosen for name in equation.names))
    yield Finding(kind, severity, names, text, remedy, Cure(drop=tuple(left)))


def _is_of_indicators(table: Table, equation: Equation) -> bool:
    """True for 0/1 columns that sum to one."""
    if equation.constant != 1 or any(weight != -1 for weight, _ in equation.terms):
        return False
    return all(np.isin(table.column(name), (0, 1)).all() for name in equation.names)


def exact_sums(table: Table, names: Sequence[Hashable]) -> list[Equation]:
    """Every column that is an exact sum, with simple coefficients, of columns none of which is one of others itself."""
    seen = max(ROWS_SEEN, len(table.names) + MORE_THAN_COLUMNS)
    step = max(1, table.n_rows // seen)
    rows = table.values[::step]
    place = {name: i for i, name in enumerate(table.names)}
    spread, largest = _spread(rows)
    with np.errstate(all="ignore"):
        usable = np.isfinite(spread) & (spread > 1e-9 * largest)
    chosen = [place[name] for name in names if usable[place[name]]]
    if len(chosen) < 3 or len(rows) < max(FEWEST_ROWS, len(chosen) + 4):
        return []
    found, summary = [], moments(rows[:, chosen])
    if summary.correlation.smallest_pivot > SUSPICIOUS:
        return []
    for column, explaining, weights in _determined(summary.correlations, SUSPICIOUS):
        raw = weights * spread[chosen[column]] / spread[[chosen[i] for i in explaining]]
        equation = _verified(table, [chosen[i] for i in explaining], chosen[column], raw)
        if equation is not None:
            found.append(equation)
    return found


def _spread(rows: NDArray[np.generic]) -> tuple[Floats, Floats]:
    """The standard deviation and the largest absolute value of each column; no second table of numbers is made."""
    spread, largest = np.zeros(rows.shape[1]), np.zeros(rows.shape[1])
    with np.errstate(all="ignore"):
        for start in range(0, rows.shape[1], COLUMNS_AT_ONCE):
            some = slice(start, start + COLUMNS_AT_ONCE)
            block = np.asarray(rows[:, some], dtype=np.float64)
            spread[some], largest[some] = block.std(axis=0), np.abs(block).max(axis=0, initial=0.0)
    return spread, largest


def _determined(matrix: Floats, left: float) -> Iterator[tuple[int, list[int], Floats]]:
    """Columns of whose variance earlier ones leave no more than this share, with these and their coefficients."""
    from scipy.linalg import solve_triangular

    kept: list[int] = []
    factor = np.zeros_like(matrix)
    for j in range(len(matrix)):
        k = len(kept)
        row = solve_triangular(factor[:k, :k], matrix[kept, j], lower=True, check_finite=False) if k else np.empty(0)
        pivot = matrix[j, j] - row @ row
        if pivot > left:
            factor[k, :k], factor[k, k] = row, np.sqrt(pivot)
            kept.append(j)
        elif k:
            yield j, kept.copy(), solve_triangular(factor[:k, :k].T, row, check_finite=False)


def _verified(table: Table, explaining: Sequence[int], column: int, raw: Floats) -> Equation | None:
    """The equation with simple coefficients, if it holds in all rows; two columns are copies, not a sum.

    The coefficients are simple where one of them, not always that of the last column, is one.
    """
    columns, weights = [*explaining, column], np.append(raw, -1.0)
    sizes = np.abs(weights[np.abs(weights) > 1 / LARGEST_COEFFICIENT])
    for size in dict.fromkeys([1.0, *sizes[:SIZES_TRIED].tolist()]):
        simple = [_simple(weight / size) for weight in weights]
        terms = [(weight, place) for weight, place in zip(simple, columns, strict=True) if weight]
        if len(terms) > 2 and _constant(table.values[:ROWS_TRIED], terms) is not None:
            constant = _constant(table.values, terms)
            if constant is not None:
                return _solved_for_total([(weight, table.names[place]) for weight, place in terms], constant)
    return None


def _constant(values: NDArray[np.generic], terms: Sequence[tuple[float, int]]) -> float | None:
    """What the terms sum to in all rows; None if that differs."""
    sums, largest = np.zeros(len(values)), 0.0
    for weight, place in terms:
        term = weight * np.asarray(values[:, place], dtype=np.float64)
        largest = max(largest, float(np.abs(term).max()))
        sums += term
    constant = float(np.median(sums))
    if not np.abs(sums - constant).max() <= EXACT * largest:
        return None
    return float(f"{constant:.6g}") if abs(constant) > EXACT * largest else 0.0


def _simple(weight: float) -> float:
    """The whole number, or one over it, that a coefficient is near to; 0 for what is neither."""
    if abs(weight) >= 0.5:
        whole = round(weight)
        near = abs(weight - whole) <= SIMPLE * abs(whole) and abs(whole) <= LARGEST_COEFFICIENT
        return float(whole) if near else 0.0
    if abs(weight) < 1 / LARGEST_COEFFICIENT:
        return 0.0
    whole = round(1 / weight)
    return 1 / whole if abs(1 / weight - whole) <= SIMPLE * abs(whole) else 0.0


def _solved_for_total(terms: Sequence[tuple[float, Hashable]], constant: float) -> Equation:
    """Solved for the one column that is the sum of the others, else for the last one whose coefficient is one."""
    for sign in (1.0, -1.0):
        alone = [name for weight, name in terms if weight * sign < 0]
        if len(alone) == 1 and constant == 0 and (-sign, alone[0]) in terms:
            return Equation(alone[0], tuple((abs(weight), name) for weight, name in terms if name != alone[0]), 0.0)
    weight, left = [(weight, name) for weight, name in terms if abs(weight) == 1][-1]
    return Equation(left, tuple((-other * weight, name) for other, name in terms if name != left), constant * weight)


# As correlations show it.


def examine_correlations(summary: NumberSummary, usable: Mask) -> Iterator[Finding]:
    """Copies, and exact combinations of other columns: both leave dependences undefined."""
    table, correlation = summary.table, summary.correlation
    places = np.flatnonzero(usable)
    names = tuple(table.names[i] for i in places)
    if not usable.all():
        correlation = Correlation.computed(correlation.matrix[np.ix_(places, places)], table.n_rows, names)
    if not correlation.is_singular:
        return
    groups = _groups_of_copies(correlation.matrix)
    reasons = [_how_alike(table, places[group[0]], places[group[1]]) for group in groups]
    for why in dict.fromkeys(reasons):
        alike = [[names[i] for i in group] for group, reason in zip(groups, reasons, strict=True) if reason == why]
        before = Message("remove such rows, or ", against_tails(summary), "; or ") if why.startswith(EXTREME) else ""
        yield from copies(FindingKind.DUPLICATED, "error", alike, why, before)
    if table.n_rows <= len(table.names):
        return  # with so few rows every column is a combination of others; few_rows reports that
    repeated = {i for group in groups for i in group[1:]}
    distinct = np.array([i for i in range(len(names)) if i not in repeated], dtype=np.int64)
    found = []
    for j, kept, weights in _determined(correlation.matrix[np.ix_(distinct, distinct)], DETERMINED):
        explaining = distinct[kept][np.abs(weights) > 1e-4 * np.abs(weights).max()]
        if summary.incomplete is None or _holds_in_rows(summary.incomplete, places[distinct[j]], places[explaining]):
            found.append((names[distinct[j]], [names[i] for i in explaining]))
    yield from _collinear(found)


def _collinear(found: Sequence[tuple[Hashable, Sequence[Hashable]]]) -> Iterator[Finding]:
    if found:
        shown = [
            f"{str(name)!r} of {listed(explaining, quoted=True)}" for name, explaining in found[:COMBINATIONS_SHOWN]
        ]
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


def _holds_in_rows(incomplete: NDArray[np.float64], column: int, explaining: NDArray[np.int64]) -> bool:
    """Does a combination hold in the rows that have all its columns, and are these enough to tell?"""
    values = incomplete[:, [column, *explaining]]
    rows = values[np.isfinite(values).all(axis=1)]
    if len(rows) < ROWS_TO_TELL * values.shape[1]:
        return False
    design = np.column_stack([np.ones(len(rows)), rows[:, 1:]])
    left = rows[:, 0] - design @ np.linalg.lstsq(design, rows[:, 0], rcond=None)[0]
    return bool(left.std() <= COMBINED * rows[:, 0].std())


def near_singular(summary: NumberSummary) -> Iterator[Finding]:
    """That the columns are close to linearly dependent."""
    correlation = summary.correlation
    if summary.incomplete is not None or correlation.is_singular or correlation.condition_number < ILL_CONDITIONED:
        return
    text = (
        f"the columns are close to linearly dependent (condition number about {correlation.condition_number:.0e}); "
        "partial correlations given many columns have few reliable digits"
    )
    remedy = "leave out columns that are almost determined by others"
    yield Finding(FindingKind.NEAR_SINGULAR, "warning", (), text, remedy)


# Categories.


def examine_partitions(coded: Coded, apart_from: Collection[Hashable]) -> Iterator[Finding]:
    """Columns that divide the rows in the same way, whatever their categories are called."""
    suspects: dict[tuple[int, ...], list[int]] = {}
    for i, (name, count) in enumerate(zip(coded.names, coded.n_categories, strict=True)):
        if 1 < count < len(coded.codes) and name not in apart_from:  # values that all differ are no categories
            suspects.setdefault(coded.sizes(i), []).append(i)
    found = [group for columns in suspects.values() if len(columns) > 1 for group in _recoded(coded, columns)]
    alike = [[coded.names[i] for i in group] for group in sorted(found)]
    yield from copies(FindingKind.RECODED, "error", alike, "define the same categories: one is a recoding of the other")


def _recoded(coded: Coded, columns: Sequence[int]) -> Iterator[list[int]]:
    """Those of some columns that are the same once categories are numbered in the order in which they occur."""
    groups: dict[bytes, list[int]] = {}
    for i in columns:
        _, first, inverse = np.unique(coded.codes[:, i], return_index=True, return_inverse=True)
        groups.setdefault(np.argsort(np.argsort(first))[inverse].tobytes(), []).append(i)
    yield from (group for group in groups.values() if len(group) > 1)

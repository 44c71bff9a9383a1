"""Columns that others determine: copies, other monotone functions, exact sums, and indicators of one category.

A few rows show which columns may be copies, or sums with simple coefficients; that is then verified in all rows.
Correlations alone do not show it where one part is far larger than another.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sidelight.families.gaussian.correlation import Moments, moments
from sidelight.tables.cures import Cure
from sidelight.tables.findings import Finding, FindingKind, Severity, copies, drop_columns
from sidelight.tables.rows import FEWEST_ROWS
from sidelight.tables.table import Table
from sidelight.text.message import Message
from sidelight.text.sentences import in_a_row

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


def examine_copies(
    table: Table, discrete: Collection[Hashable], known: Collection[Hashable], severity_by_ranks: Severity
) -> Iterator[Finding]:
    """Copies among the numbers; those by ranks alone are an error for tests on ranks, and doubtful for others.

    Discrete columns that are copies of each other define the same categories, which is another finding.
    """
    names = [name for name in table.names if name not in known and name not in discrete]
    linear: list[list[Hashable]] = []
    monotone: list[list[Hashable]] = []
    for first, *others in _alike(table, names):
        x = _column(table, first)
        same = [name for name in others if _is_linear(x, _column(table, name))]
        left = [name for name in others if name not in same and _same_order(x, _column(table, name))]
        linear += [[first, *same]] * bool(same)
        monotone += [[first, *left]] * bool(left)
    yield from copies(FindingKind.DUPLICATED, "error", linear, LINEARLY)
    yield from copies(FindingKind.MONOTONE_COPIES, severity_by_ranks, monotone, BY_RANKS)


def _column(table: Table, name: Hashable) -> Floats:
    return np.asarray(table.column(name), dtype=np.float64)


def _alike(table: Table, names: Sequence[Hashable]) -> list[list[Hashable]]:
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


def _is_linear(x: Floats, y: Floats) -> bool:
    """True if one is a linear function of the other up to rounding, with gaps in the same rows."""
    there = np.isfinite(x)
    if not np.array_equal(there, np.isfinite(y)):
        return False
    x, y = x[there], y[there]
    low, high = int(x.argmin()), int(x.argmax())
    if x[high] == x[low]:
        return False
    slope = (y[high] - y[low]) / (x[high] - x[low])
    left = y - y[low] - slope * (x - x[low])
    return bool(slope != 0 and np.abs(left).max() <= LINEAR * np.abs(y - y[low]).max() + 1e-15 * np.abs(y).max())


def _same_order(x: Floats, y: Floats) -> bool:
    """True if the values of one rise, or fall, strictly with those of the other, with gaps in the same rows."""
    there = np.isfinite(x)
    if not np.array_equal(there, np.isfinite(y)):
        return False
    order = np.argsort(x[there], kind="stable")
    steps, others = np.diff(x[there][order]), np.diff(y[there][order])
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


def examine_sums(
    table: Table, discrete: Collection[Hashable], known: Collection[Hashable], known_moments: Moments | None
) -> Iterator[Finding]:
    """Sums and indicators among the numbers, apart from columns that are ``known`` to be unusable."""
    found = exact_sums(table, [name for name in table.names if name not in known], known_moments)
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


def exact_sums(table: Table, names: Sequence[Hashable], known_moments: Moments | None) -> list[Equation]:
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
    is_known = known_moments is not None and len(chosen) == len(table.names)
    found, summary = [], known_moments if is_known and known_moments else moments(rows[:, chosen])
    if summary.correlation.smallest_pivot > SUSPICIOUS:
        return []
    for column, explaining, weights in _determined(summary.correlations):
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


def _determined(matrix: Floats) -> Iterator[tuple[int, list[int], Floats]]:
    """Columns that earlier ones nearly determine, with those that take part and their standardised coefficients."""
    from scipy.linalg import solve_triangular

    kept: list[int] = []
    factor = np.zeros_like(matrix)
    for j in range(len(matrix)):
        k = len(kept)
        row = solve_triangular(factor[:k, :k], matrix[kept, j], lower=True, check_finite=False) if k else np.empty(0)
        pivot = matrix[j, j] - row @ row
        if pivot > SUSPICIOUS:
            factor[k, :k], factor[k, k] = row, np.sqrt(pivot)
            kept.append(j)
        elif k:
            weights = solve_triangular(factor[:k, :k].T, row, check_finite=False)
            yield j, kept.copy(), weights


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

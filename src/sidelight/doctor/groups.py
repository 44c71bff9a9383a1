"""Rows in groups that nobody named: with the same value of a column, rows are alike in many other columns.

Such a value may say which school, family or patient a row is of. Tests take rows as independent, and two columns that
are both alike within groups then seem to depend on each other: with m rows in a group and intraclass correlations ρ₁
and ρ₂, the variance of their correlation is 1 + (m − 1) ρ₁ρ₂ times as large (Kish & Frankel 1974).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.doctor.rows import Column, deviations_of, first_rows
from sidelight.doctor.units import COLUMNS_TRIED, TIMES, UNITS, Codes, repeating_codes, words_of
from sidelight.tables.findings import Finding, FindingKind
from sidelight.tables.table import Table
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted

FEWEST_GROUPS = 10
COLUMNS_SEEN = 100
INFLATED = 0.2  # by so much a correlation's variance may be larger: a level of 0.01 then stays under 0.02
CHANCE = 1e-6  # of a column's groups differing so much
MANY = 0.5  # of the columns
TYPICAL = 0.1  # intraclass correlation of the columns of groups that are numbered, as numbers that measure may be alike
TREND, FEW_TRENDS = 0.01, 0.25  # numbers that only label groups have no trend in more columns than this share


class Alike(NamedTuple):
    """A column whose groups are alike, and the intraclass correlations of the columns in which they are."""

    name: Hashable
    correlations: dict[Hashable, float]
    n_groups: int
    n_seen: int

    @property
    def typical(self) -> float:
        """The median of the correlations."""
        return sorted(self.correlations.values())[len(self.correlations) // 2]

    @property
    def strength(self) -> float:
        """How much of all columns lies between groups."""
        return sum(rho**2 for rho in self.correlations.values())


def examine_groups(table: Table, discrete: Collection[Hashable], known: Collection[Hashable]) -> Iterator[Finding]:
    """The column whose groups of rows are most alike, if they are in many columns."""
    names = [name for name in table.all_names if name not in known][:COLUMNS_SEEN]
    columns = {name: found for name in names if (found := _deviations(table, name, name in discrete)) is not None}
    called = sorted(names, key=lambda name: words_of(name).isdisjoint(UNITS))
    coded = ((name, repeating_codes(table, name)) for name in called if words_of(name).isdisjoint(TIMES))
    possible = ((name, codes) for name, codes in coded if codes is not None and codes.max() >= FEWEST_GROUPS - 1)
    alike = [_alike(table, name, codes, columns) for name, codes in islice(possible, COLUMNS_TRIED)]
    best = max((each for each in alike if each is not None), key=lambda each: each.strength, default=None)
    if best is not None:
        yield _about(best)


def _about(found: Alike) -> Finding:
    name, rhos = str(found.name), found.correlations
    text = (
        f"the rows may not be independent: column {name!r} has {counted(found.n_groups, 'value')}, and rows with the "
        f"same one are alike in {len(rhos)} of {counted(found.n_seen, 'other column')} (intraclass correlation "
        f"typically {found.typical:.2f}). Tests take rows as independent, and find false edges among such columns"
    )
    groups = Option("groups", found.name)
    remedy = Message(groups, " compares rows within them, with ", Option("variation", "between"), " their means")
    return Finding(FindingKind.GROUPS, "warning", (found.name,), text, remedy)


def _deviations(table: Table, name: Hashable, is_discrete: bool) -> Column | None:
    if name in table.texts and not is_discrete:
        return None
    return deviations_of(first_rows(table, name, is_discrete), is_discrete)


def _alike(table: Table, name: Hashable, codes: Codes, columns: dict[Hashable, Column]) -> Alike | None:
    """The columns in which groups differ by more than chance; None unless they are many, and it matters."""
    others = {other: column for other, column in columns.items() if other != name and column.any()}
    groups = np.unique(codes[: len(next(iter(columns.values()), codes))], return_inverse=True)[1].ravel()
    sizes = np.bincount(groups).astype(np.float64)
    if len(others) < 2 or len(sizes) < FEWEST_GROUPS or len(groups) <= len(sizes):
        return None
    n_rows, n_groups = len(groups), len(sizes)
    each = (n_rows - (sizes**2).sum() / n_rows) / (n_groups - 1)
    found: dict[Hashable, float] = {}
    n_trends = 0
    for other, column in others.items():
        rho, trend = _of_column(column, groups, sizes, each, len(others))
        n_trends += trend
        if rho > 0:
            found[other] = rho
    labels = name in table.texts or n_trends <= FEW_TRENDS * len(others)
    strongest = sorted((rho for rho in found.values() if rho < 1), reverse=True)[:2]
    matters = len(strongest) == 2 and (each - 1) * strongest[0] * strongest[1] > INFLATED
    if not (labels and matters and len(found) >= max(2, MANY * len(others))):
        return None
    alike = Alike(name, found, n_groups, len(others))
    return alike if name in table.texts or alike.typical >= TYPICAL else None


def _of_column(
    column: Column, groups: Codes, sizes: NDArray[np.float64], each: float, n_columns: int
) -> tuple[float, bool]:
    """The intraclass correlation, 0 where groups differ by chance; and whether their means have a trend."""
    from scipy.special import fdtrc

    n_groups, freedom = len(sizes), len(groups) - len(sizes)
    sums = np.bincount(groups, column)
    between = float((sums**2 / sizes).sum() - sums.sum() ** 2 / len(groups))
    within = max(0.0, float(column @ column - (sums**2 / sizes).sum()))
    if within <= 1e-9 * between:
        return 1.0, False
    ratio = between / (n_groups - 1) / (within / freedom)
    if fdtrc(n_groups - 1, freedom, ratio) > CHANCE / n_columns:
        return 0.0, False
    return (ratio - 1) / (ratio - 1 + each), _has_trend(sums / sizes, sizes)


def _has_trend(means: NDArray[np.float64], sizes: NDArray[np.float64]) -> bool:
    """True if a smooth curve explains the means of groups in their order."""
    from scipy.special import fdtrc

    place, root = np.linspace(-1, 1, len(means)), np.sqrt(sizes)
    basis = np.vander(place, 4) * root[:, None]
    wanted = (means - np.average(means, weights=sizes)) * root
    left = wanted - basis @ np.linalg.lstsq(basis, wanted, rcond=None)[0]
    explained, rest = float(wanted @ wanted - left @ left) / 3, float(left @ left) / (len(means) - 4)
    return bool(fdtrc(3, len(means) - 4, explained / max(rest, 1e-300)) < TREND)

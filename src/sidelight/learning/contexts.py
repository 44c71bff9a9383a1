"""Which edges differ between the contexts that rows come from, such as hospitals: slopes in each, held side by side.

An arrow from the context says that a column differs given its other causes. That a cause works otherwise in some of the
contexts is another matter: a regression in each of them, on the same parents, gives slopes with errors of their own,
whose differences Cochran's Q sums up. Variances, and all that other causes do, may differ between contexts.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sidelight.families.data import TestData
from sidelight.graphs.dag import Dag
from sidelight.tables.findings import Finding, FindingKind
from sidelight.tables.table import categories_in
from sidelight.text.sentences import in_a_row

FEWEST_ROWS = 10  # of a context, for each coefficient
SHOWN = 6  # contexts
Floats = NDArray[np.float64]


class Slopes(NamedTuple):
    """What a column changes with a cause in each context, with the standard errors."""

    contexts: tuple[object, ...]
    slopes: Floats
    errors: Floats

    @property
    def p_value(self) -> float:
        """That all slopes are the same."""
        from scipy.special import chdtrc

        weights = self.errors**-2.0
        mean = (weights * self.slopes).sum() / weights.sum()
        return float(chdtrc(len(self.slopes) - 1, (weights * (self.slopes - mean) ** 2).sum()))


def about_contexts(data: TestData, context: Hashable, dag: Dag, alpha: float) -> Iterator[Finding]:
    """The edges whose slopes differ, the clearest first, at this level of all edges together."""
    found = {(x, y): each for y in range(len(dag)) for x, each in slopes_of(data, context, dag, y).items()}
    tested = sorted((each.p_value, pair) for pair, each in found.items())
    for p, (x, y) in tested:
        if p > alpha / len(tested):
            break
        each, names = found[x, y], (dag.names[x], dag.names[y])
        by_size = np.argsort(each.slopes)
        ends = by_size if len(by_size) <= SHOWN else np.append(by_size[:2], by_size[-2:])
        slopes = in_a_row([f"{each.slopes[i]:.3g} in {str(each.contexts[i])!r}" for i in ends])
        text = f"the edge {names[0]} → {names[1]} is not the same in all of {str(context)!r}: a unit more changes "
        text += f"{names[1]} by {slopes} (p = {p:.1g})"
        yield Finding(FindingKind.CONTEXTS, "warning", names, text, "the graph has one edge for all of them")


def slopes_of(data: TestData, context: Hashable, dag: Dag, y: int) -> dict[int, Slopes]:
    """Of each cause that is a number, where the effect is one and all other causes are; by its position."""
    numbers, names = set(data.numbers), dag.names
    parents = [x for x in sorted(dag.parents[y]) if names[x] != context]
    if not parents or not {names[v] for v in (y, *parents)} <= numbers:
        return {}
    labels, codes = categories_in(data.table, context)
    columns = np.column_stack([np.asarray(data.table.column(names[v]), dtype=np.float64) for v in (*parents, y)])
    kept = np.isfinite(columns).all(axis=1)
    fits = {}
    for code, label in enumerate(labels):
        rows = columns[kept & (codes == code)]
        if len(rows) >= FEWEST_ROWS * (len(parents) + 1) and (fit := _fit(rows)) is not None:
            fits[label] = fit
    if len(fits) < 2:
        return {}
    slopes, errors = (np.array([fit[part] for fit in fits.values()]) for part in (0, 1))
    return {x: Slopes(tuple(fits), slopes[:, i], errors[:, i]) for i, x in enumerate(parents)}


def _fit(rows: Floats) -> tuple[Floats, Floats] | None:
    """Slopes of the last column in the others, and their standard errors; None where others determine each other."""
    centred = rows - rows.mean(axis=0)
    given, outcome = centred[:, :-1], centred[:, -1]
    moments = given.T @ given
    if np.linalg.cond(moments) > 1 / np.finfo(np.float64).eps ** 0.5:
        return None
    inverse = np.linalg.inv(moments)
    slopes = inverse @ (given.T @ outcome)
    left = outcome - given @ slopes
    variance = float(left @ left) / (len(rows) - len(slopes) - 1)
    return (slopes, np.sqrt(variance * np.diag(inverse))) if variance > 0 else None

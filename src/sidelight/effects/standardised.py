"""Effects among categories, and of both kinds together, by standardisation (the g-formula): the distribution of the
target given causes and adjustment set, as ``fit`` has it, averaged over the rows with the causes set to values.

Standard errors are those of bootstrap resamples of the rows, drawn by a fixed seed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray

from sidelight.effects.linear import Contrast, Estimated
from sidelight.effects.permuted import written_out
from sidelight.errors import InputError
from sidelight.kinds.base import Columns, Conditional, ModelVariable, Sample
from sidelight.tables.all_rows import FEWEST_ROWS, Groups, are_fractional

Floats = NDArray[np.float64]
Setting = Mapping[int, float | int]  # an encoded value for each cause
RESAMPLES, SEED = 100, 0
PRIOR = 1.0  # rows, as in fit; of categories
SMALLEST = 1e-6  # of a probability in a ratio


@dataclass(frozen=True)
class Rows:
    """The rows that have all that is needed, equal ones together if all of it is categories.

    A frequency weight stands for as many rows, which are resampled one by one; a row with a survey weight is one row.
    Of rows in groups, whole groups are.
    """

    columns: Columns
    counts: Floats  # how many rows, or how much weight, each stands for
    repeats: NDArray[np.int64]  # how many rows
    groups: Groups | None = None

    @property
    def n_rows(self) -> int:
        """How many rows there are to resample."""
        return int(self.repeats.sum())

    def resampled(self, rng: np.random.Generator) -> Floats:
        """The counts in a bootstrap resample."""
        if self.groups is not None:
            different, place = np.unique(self.groups, return_inverse=True)
            n_groups = len(different)
            return np.asarray(self.counts * np.bincount(rng.integers(0, n_groups, n_groups), minlength=n_groups)[place])
        drawn = rng.multinomial(self.n_rows, self.repeats / self.n_rows)
        return np.asarray(self.counts / self.repeats * drawn)


@dataclass(frozen=True)
class RowsEstimator:
    """Standardisation over rows of a table; of a target with categories, the probability of one of them."""

    variables: tuple[ModelVariable, ...]
    sample: Sample
    category: int | None = None
    groups: Groups | None = None  # of each row

    def adjusted(
        self, causes: Sequence[int], target: int, given: Collection[int], setting: Sequence[Setting]
    ) -> Contrast:
        """What changes in the target from the first setting to the second."""
        needed = [*causes, *sorted(given)]
        rows = self.rows([*needed, target])
        parents = tuple(self.variables[v] for v in sorted(needed))
        found = self._means(parents, target, rows, rows.counts, setting)
        rng = np.random.default_rng([SEED, rows.n_rows])
        drawn = [self._means(parents, target, rows, rows.resampled(rng), setting) for _ in range(RESAMPLES)]
        return _contrast(found, np.array(drawn), is_probability=self.category is not None)

    def without(
        self, causes: Sequence[int], target: int, given: Collection[int], setting: Sequence[Setting]
    ) -> dict[int, float]:
        """The effect when one of what is given is left out, for each."""
        found = {}
        for v in sorted(given):
            needed = sorted([*causes, *(w for w in given if w != v)])
            rows = self.rows([*needed, target])
            low, high = self._means(tuple(self.variables[w] for w in needed), target, rows, rows.counts, setting)
            found[v] = float(high - low)
        return found

    def placebo(
        self, cause: int, target: int, given: Collection[int], setting: Sequence[Setting], n_times: int
    ) -> list[float]:
        """The effect when the values of the cause are permuted over the rows, some times."""
        needed, name = sorted([cause, *given]), self.variables[cause].name
        parents, rng, found = tuple(self.variables[v] for v in needed), np.random.default_rng(SEED), []
        each = written_out(self.sample.counts)
        columns = {v.name: self.sample.columns[v.name][each] for v in (*parents, self.variables[target])}
        weights = self.sample.counts[each] if self._is_survey else None
        for _ in range(n_times):
            sample = replace(self.sample, columns={**columns, name: rng.permutation(columns[name])}, weights=weights)
            rows = replace(self, sample=sample).rows([*needed, target])
            low, high = self._means(parents, target, rows, rows.counts, setting)
            found.append(float(high - low))
        return found

    def varies(self, v: int) -> bool:
        """True where a column has more than one value."""
        variable, values = self.variables[v], self.sample.columns[self.variables[v].name]
        there = values[~variable.missing(values)]
        return len(there) > 0 and bool((there != there[0]).any())

    def rows(self, needed: Sequence[int]) -> Rows:
        """The rows that have values in these columns."""
        variables = [self.variables[v] for v in needed]
        there = ~np.any([v.missing(self.sample.columns[v.name]) for v in variables], axis=0) & (self.sample.counts > 0)
        columns = {v.name: self.sample.columns[v.name][there] for v in variables}
        counts = self.sample.counts[there].astype(np.float64)
        repeats = np.ones(len(counts), dtype=np.int64) if self._is_survey else counts.astype(np.int64)
        if repeats.sum() < FEWEST_ROWS:
            raise InputError(f"{repeats.sum()} rows have values in all columns that are needed; that is too few")
        if self.groups is not None:
            return Rows(columns, counts, repeats, self.groups[there])
        if not all(v.kind.is_coded for v in variables):
            return Rows(columns, counts, repeats)
        different, which = np.unique(np.column_stack(list(columns.values())), axis=0, return_inverse=True)
        added = [np.bincount(which.ravel(), each, len(different)) for each in (counts, repeats)]
        together = dict(zip(columns, different.T, strict=True))
        return Rows(together, added[0].astype(np.float64), np.rint(added[1]).astype(np.int64))

    def unsupported(self, causes: Sequence[int], given: Collection[int], setting: Sequence[Setting]) -> float:
        """The share of the rows whose values of what is given never come with one of the settings; 0 for numbers."""
        if not all(self.variables[v].kind.is_coded for v in (*causes, *given)) or not given:
            return 0.0
        rows = self.rows([*causes, *sorted(given)])
        strata = np.column_stack([rows.columns[self.variables[v].name] for v in sorted(given)])
        number = np.unique(strata, axis=0, return_inverse=True)[1].ravel()
        lacking = np.zeros(len(number), dtype=bool)
        for values in setting:
            has = np.all([rows.columns[self.variables[v].name] == value for v, value in values.items()], axis=0)
            lacking |= ~np.isin(number, number[has])
        return float(rows.counts[lacking].sum() / rows.counts.sum())

    def _means(
        self, parents: tuple[ModelVariable, ...], target: int, rows: Rows, counts: Floats, setting: Sequence[Setting]
    ) -> Floats:
        """The mean, or the probability, of the target at each setting."""
        variable = self.variables[target]
        drawn = counts > 0
        columns = {name: column[drawn] for name, column in rows.columns.items()}
        weights = counts[drawn]
        prior = PRIOR if variable.kind.is_coded else 0.0
        node = variable.kind.conditional(variable, parents, Sample(columns, weights), prior)
        means = []
        for values in setting:
            held = {self.variables[v].name: np.full(len(weights), value) for v, value in values.items()}
            means.append(weights @ self._expected(node, columns | held, len(weights)) / weights.sum())
        return np.array(means)

    def _expected(self, node: Conditional, columns: Columns, n_rows: int) -> Floats:
        if self.category is None:
            return node.expected(columns, n_rows)
        own = {node.variable.name: np.full(n_rows, self.category)}
        return np.asarray(np.exp(node.log_densities({**columns, **own})))

    @property
    def has_rows(self) -> bool:
        """Always."""
        return True

    @property
    def in_groups(self) -> bool:
        """True where rows come in groups, whose errors are not independent."""
        return self.groups is not None

    @property
    def is_weighted(self) -> bool:
        """True where rows have weights."""
        return self.sample.weights is not None

    @cached_property
    def _is_survey(self) -> bool:
        return are_fractional(self.sample.counts)

    @cached_property
    def n_rows(self) -> float:
        """How many rows count."""
        return self.sample.count


def _contrast(found: Floats, drawn: Floats, is_probability: bool) -> Contrast:
    def estimated(figure: Floats, of_resamples: Floats, largest: float = float("inf")) -> Estimated:
        return Estimated(float(figure), float(of_resamples.std(ddof=1)), RESAMPLES - 1, largest)

    total = estimated(found[1] - found[0], drawn[:, 1] - drawn[:, 0], 1.0 if is_probability else float("inf"))
    if not is_probability:
        return Contrast(total)
    within, many = np.clip(found, SMALLEST, 1 - SMALLEST), np.clip(drawn, SMALLEST, 1 - SMALLEST)
    risk = estimated(np.asarray(log(within[1] / within[0])), np.log(many[:, 1] / many[:, 0]))
    odds, all_odds = np.log(within / (1 - within)), np.log(many / (1 - many))
    return Contrast(total, (), risk, estimated(odds[1] - odds[0], all_odds[:, 1] - all_odds[:, 0]))

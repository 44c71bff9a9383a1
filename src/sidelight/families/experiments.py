"""Rows from experiments: in some of them variables were set rather than observed.

Where a variable was set, nothing is seen of its causes. So a variable is scored by the rows in which it was not set,
and of two DAGs that observation cannot tell apart, the one scores higher that explains the experiments too. A mixture
of settings shows dependences that are in none of them: independence is tested in each setting, and what the settings
say is taken together by Stouffer's method, weighted by their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.families.base import CITest, MakeScore, checked_members
from sidelight.families.data import NumberSummary, Statistics, TableTest, TestData
from sidelight.families.gaussian.test import MOST_EXACT
from sidelight.families.options import DataOptions
from sidelight.families.score import Parents, Reach, Score, Space, Tick
from sidelight.sources.rows import ReadRows
from sidelight.tables.all_rows import AllRows
from sidelight.tables.experiments import settings_in
from sidelight.tables.findings import Finding, FindingKind
from sidelight.tables.strings import Coded, Texts
from sidelight.tables.table import Mask
from sidelight.text.message import Message, Option, must_be

STRONGEST, WEAKEST = 37.0, -3.0  # normal scores; a p-value of 1 says no more than a large one
NEEDED = 3  # rows beside one for each variable that is conditioned on
Targets = frozenset[int]
Floats = NDArray[np.float64]
Positions = NDArray[np.int64]


@dataclass(frozen=True)
class TestOnRows:
    """Some rows: the test on them, how many there are, and which variables vary in them."""

    test: CITest
    n_rows: float
    varies: NDArray[np.bool_]

    def in_order(self, order: Sequence[int]) -> TestOnRows:
        """The same with the variables in another order."""
        return TestOnRows(self.test.in_order(order), self.n_rows, self.varies[list(order)])

    def scores(self, x: int, candidates: Positions, given: Sequence[int]) -> tuple[Floats, Floats]:
        """How clearly x depends on each candidate here, as normal scores, and their weights, 0 where it cannot say."""
        from scipy.special import ndtri

        free = self.n_rows - len(given) - NEEDED
        weights = sqrt(max(0.0, free)) * (self.varies[candidates] & self.varies[x])
        if not weights.any():
            return np.zeros(len(candidates)), weights
        before = self.test.n_undecided
        p = self.test.p_values(x, candidates, given)
        if self.test.n_undecided > before and len(candidates) > 1:  # which of them, the number does not say
            each = [self.scores(x, candidates[i : i + 1], given) for i in range(len(candidates))]
            return np.concatenate([found for found, _ in each]), np.concatenate([weight for _, weight in each])
        return np.clip(-ndtri(p), WEAKEST, STRONGEST), weights * (self.test.n_undecided == before)


class SettingsTest(CITest):
    """A test in each of several settings, and for each variable one on the rows in which it was not set.

    It does not test what cannot be seen: a variable that does not vary in a setting says nothing there.
    """

    false_members = 2

    def __init__(
        self, parts: Sequence[tuple[Targets, TestOnRows]], observed: Mapping[int, TestOnRows], option: str
    ) -> None:
        self._parts, self._observed, self.option = parts, observed, option
        self._largest = max((part for _, part in parts), key=lambda part: part.n_rows)
        self.names = self._largest.test.names
        self.effect_name = self._largest.test.effect_name
        self.settings = frozenset(targets for targets, _ in parts if targets)

    @property
    def sample_size(self) -> int:
        """The rows of all settings."""
        return round(sum(part.n_rows for _, part in self._parts))

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        checked_members([x, y, *given], len(self.names))
        return float(self.p_values(x, [y], given)[0])

    def p_values(self, x: int, candidates: Sequence[int] | Positions, given: Sequence[int]) -> Floats:
        from scipy.special import ndtr

        p: Floats = ndtr(-self.dependences(x, candidates, given))
        return p

    def dependences(self, x: int, candidates: Sequence[int] | Positions, given: Sequence[int]) -> Floats:
        """The scores of all settings, each weighted by the root of its rows, as one normal score."""
        found = [part.scores(x, np.asarray(candidates, dtype=np.int64), given) for _, part in self._parts]
        scores, weights = (np.array(each) for each in zip(*found, strict=True))
        length = np.sqrt((weights**2).sum(axis=0))
        self.n_undecided += int((length == 0).sum())
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(length > 0, (scores * weights).sum(axis=0) / length, -np.inf)

    def seconds_per_graph(self) -> float:
        return len(self._parts) * self._largest.test.seconds_per_graph()

    def can_condition_on(self, size: int) -> bool:
        return any(part.test.can_condition_on(size) for _, part in self._parts)

    def effect_size(self, x: int, y: int, given: Sequence[int]) -> float | None:
        """In the rows in which the one of the two that was set more often was not."""
        parts = [self._observed[v] for v in (x, y) if v in self._observed]
        part = min(parts, key=lambda part: part.n_rows, default=None)
        return None if part is None else part.test.effect_size(x, y, given)

    def effect_name_of(self, x: int, y: int) -> str:
        return self._largest.test.effect_name_of(x, y)

    def scores(self) -> Mapping[str, MakeScore]:
        """Of each variable by the rows in which it was not set."""
        names = next(iter(self._observed.values())).test.scores() if self._observed else {}
        return {name: partial(self._score, name) for name in names}

    def _score(self, name: str, penalty: float) -> Score:
        made: dict[int, Score] = {id(part): part.test.scores()[name](penalty) for part in self._observed.values()}
        return ExperimentScore(self.names, {v: made[id(part)] for v, part in self._observed.items()})

    def data_order(self) -> list[int] | None:
        return self._largest.test.data_order()

    def in_order(self, order: Sequence[int]) -> SettingsTest:
        place = {v: i for i, v in enumerate(order)}
        each = {id(part): part for part in (*(part for _, part in self._parts), *self._observed.values())}
        moved = {number: part.in_order(order) for number, part in each.items()}
        parts = [(frozenset(place[v] for v in targets), moved[id(part)]) for targets, part in self._parts]
        return SettingsTest(parts, {place[v]: moved[id(part)] for v, part in self._observed.items()}, self.option)


class ExperimentScore(Score):
    """The score of each variable by the rows in which it was not set; one that always was has no parents."""

    is_equivalent = False  # of two DAGs of a class, the experiments may speak for one

    def __init__(self, names: Sequence[Hashable], by_variable: Mapping[int, Score]) -> None:
        self.names, self._by = names, by_variable
        self._any = next(iter(by_variable.values()))
        self.option = self._any.option

    @property
    def can_be_exact(self) -> bool:
        return all(score.can_be_exact for score in self._by.values())

    @property
    def reach(self) -> Reach:
        """All columns where exact search is quick; no kernel searches orders by several tables of correlations."""
        quick = self._any.reach == "all" and len(self.names) <= MOST_EXACT and self.can_be_exact
        return "all" if quick else "neighbours"

    @property
    def strict(self) -> Score | None:
        """Scores that look widely need no stricter one to say which other edges are looked at."""
        if self._any.looks_widely:
            return self
        stricter = {v: score.strict for v, score in self._by.items()}
        found = {v: score for v, score in stricter.items() if score is not None}
        return ExperimentScore(self.names, found) if len(found) == len(stricter) else None

    @property
    def untested_cost(self) -> float:
        return self._any.untested_cost

    @property
    def sees_all(self) -> bool:
        return self._any.sees_all

    def local(self, v: int, parents: Collection[int]) -> float:
        return self._by[v].local(v, parents) if v in self._by else -float(len(parents))

    def with_one_more(self, v: int, parents: Collection[int], others: Sequence[int]) -> list[float]:
        if v not in self._by:
            return [-len(parents) - 1.0] * len(others)
        return self._by[v].with_one_more(v, parents, others)

    def all_families(
        self, space: Space, must: Sequence[frozenset[int]], tick: Tick = lambda: None
    ) -> NDArray[np.float64] | None:
        """Each variable's row of what its own score gives."""
        n = len(self.names)
        values = np.full((n, 1 << (n - 1)), -np.inf)
        values[:, 0] = 0.0
        for score in {id(score): score for score in self._by.values()}.values():
            found = score.all_families(space, must, tick)
            if found is None:
                return None
            chosen = [v for v, its in self._by.items() if its is score]
            values[chosen] = found[chosen]
        return values

    def ceiling(self, v: int, candidates: Parents) -> Callable[[Parents], float]:
        return self._by[v].ceiling(v, candidates) if v in self._by else super().ceiling(v, candidates)


class ExperimentStatistics(Statistics):
    """The statistics of a family in each setting, and of the rows in which a variable was not set."""

    def __init__(self, entry: TableTest, data: TestData) -> None:
        super().__init__(data)
        self._entry, self._pooled = entry, entry.statistics_of(data)

    @cached_property
    def numbers(self) -> NumberSummary | None:
        return self._pooled.numbers

    @cached_property
    def coded(self) -> Coded | None:
        return self._pooled.coded

    def findings(self) -> Iterator[Finding]:
        return self._pooled.findings()

    def test(self) -> CITest:
        settings = self.data.rows.settings
        assert settings is not None
        parts = [self._part(settings.of_row == number) for number in range(len(settings.targets))]
        names = list(parts[0].test.names)
        rows = {name: settings.without(name) for name in names}
        different = {kept.tobytes(): kept for kept in rows.values() if kept.any()}
        made = {key: self._part(kept) for key, kept in different.items()}
        observed = {names.index(name): made[key] for name, kept in rows.items() if (key := kept.tobytes()) in made}
        targets = [frozenset(names.index(name) for name in setting if name in names) for setting in settings.targets]
        return SettingsTest(list(zip(targets, parts, strict=True)), observed, parts[0].test.option)

    def _part(self, kept: Mask) -> TestOnRows:
        data = self.data
        table = data.table.rows(kept)
        rows = AllRows.held(table)
        test = self._entry.statistics_of(replace(data, rows=rows)).test()
        return TestOnRows(test, rows.n_samples, np.array([_varies(table.cells(name)) for name in test.names]))


def _varies(cells: NDArray[np.generic] | Texts) -> bool:
    values = cells.codes if isinstance(cells, Texts) else np.asarray(cells, dtype=np.float64)
    there = values[values >= 0] if isinstance(cells, Texts) else values[np.isfinite(values)]
    return bool(len(there) and there.min() < there.max())


def in_experiments(entry: TableTest) -> TableTest:
    """The same test where variables were set in some rows."""
    statistics = partial(ExperimentStatistics, entry)
    return replace(entry, statistics=statistics, incomplete=None, in_batches=False, weights=False)


def check_targets(targets: object, options: DataOptions) -> None:
    """Raise where targets are not said by a column, or do not go with other options."""
    if not isinstance(targets, Hashable):
        raise InputError(must_be("targets", "the name of a column", targets))
    if options.groups is not None:
        raise InputError(Message(Option("targets", targets), " does not go with ", Option("groups", options.groups)))


def with_settings(read: ReadRows, column: Hashable) -> ReadRows:
    """The rows with what was set in them, in place of the column that says it."""
    if not read.rows.in_memory:
        raise InputError(Message(Option("targets", column), " needs all rows in memory; use a subset of the rows"))
    table, settings = settings_in(read.rows.sample, column)
    text = f"{settings.in_words}; a variable is scored by the rows in which it was not set, and tested in each setting"
    note = Finding(FindingKind.SETTINGS, "note", (), text)
    return ReadRows(replace(read.rows, sample=table, settings=settings), read.find_gaps, (*read.notes, note))

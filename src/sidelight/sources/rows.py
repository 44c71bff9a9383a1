"""The rows of a source as they will be used: held in memory where they fit, else passed over in batches."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from sidelight.errors import InputError
from sidelight.files.memory import TooLargeError, in_words
from sidelight.sources.base import Source
from sidelight.sources.cluster import OnCluster
from sidelight.sources.opening import hold, written_as_text
from sidelight.sources.passes import SourcePasses
from sidelight.tables.all_rows import AllRows, Batch, Fold, Tick
from sidelight.tables.findings import Finding, FindingKind
from sidelight.tables.gaps import Gaps
from sidelight.tables.rows import FEWEST_ROWS, take_weights
from sidelight.tables.survey import Survey
from sidelight.tables.table import Table, existing_columns, weights_column
from sidelight.tables.treatment import Marks, Readings, as_read, number_readings, readings_of, without_marks
from sidelight.text.message import Message, OptionName
from sidelight.text.sentences import counted

NOTHING = Table((), np.empty((0, 0)))


class FirstPass(Fold):
    """What one pass finds: a survey, and sums over the columns of numbers, if these are the same throughout."""

    def __init__(self, survey: Survey, sums: Any) -> None:
        self.survey, self.sums, self.agree = survey, sums, True

    def add(self, batch: Batch) -> None:
        self.survey.add(batch)
        self.agree &= self.sums.names in (None, batch.table.names)
        if self.agree:
            self.sums.add(Batch(batch.table, None))

    def merge(self, later: FirstPass) -> None:
        self.survey.merge(later.survey)
        names = self.sums.names
        self.agree &= later.agree and (names is None or later.sums.names in (None, names))
        if self.agree:
            self.sums.merge(later.sums)


class ReadRows(NamedTuple):
    """All rows as they were read, where they lack values, and notes on choices between two readings."""

    rows: AllRows
    gaps: Gaps
    notes: tuple[Finding, ...]


@dataclass(frozen=True)
class SourceRows:
    """A source with the columns to use, and its rows, if they are held in memory."""

    source: Source
    names: Mapping[Any, Hashable]
    weights: object
    memory: int | None
    held: Table | None
    categories: frozenset[Hashable]
    decimal: str | None  # the decimal mark that the user says numbers have

    @staticmethod
    def of(
        source: Source,
        names: Mapping[Any, Hashable],
        weights: object,
        marks: Marks,
        memory: int | None,
        decimal: str | None = None,
    ) -> SourceRows:
        """Held, if they fit into so much memory and are here."""
        is_elsewhere = isinstance(source, OnCluster)
        try:
            held, categories = (None, frozenset[Hashable]()) if is_elsewhere else hold(source, names, memory, marks)
        except TooLargeError:
            held, categories = None, frozenset(name for text, name in names.items() if text in source.categories)
        if held is None:
            _check_weights(weights, names)
        return SourceRows(source, names, weights, memory, held, categories, decimal)

    def read(
        self,
        dropped: Collection[Hashable],
        marks: Marks,
        dates: Collection[Hashable],
        first: Callable[[], FirstPass],
        tick: Tick,
    ) -> ReadRows:
        """All rows without some columns, and where they lack values: marked ones too, with dates as numbers."""
        names = {text: name for text, name in self.names.items() if name not in dropped}
        if self.held is None:
            return self._passed_over(SourcePasses(self.source, names, marks, self.memory), dates, first, tick)
        table = self.held.part(names.values())
        table = without_marks(table, marks) if marks else table
        readings, notes = self._readings(table, marks, dates)
        table, counts = take_weights(as_read(table, readings), self.weights)
        return ReadRows(AllRows.held(table, counts), Gaps.of(table), (*self.source.notes, *notes))

    def _passed_over(
        self, passes: SourcePasses, dates: Collection[Hashable], first: Callable[[], FirstPass], tick: Tick
    ) -> ReadRows:
        """What the first pass finds; columns that are strings in a later batch only are read again as such."""
        weights = weights_column(self.weights)
        found = AllRows(NOTHING, passes=passes, weights=weights).fold(first, tick)
        survey = found.survey
        if survey.n_rows < FEWEST_ROWS:
            raise InputError(f"{self.source.title} has {counted(survey.n_rows, 'row')}, too few to learn from")
        if survey.disagreeing:
            as_text = written_as_text(passes.names, survey.disagreeing, passes.as_text)
            return self._passed_over(replace(passes, as_text=as_text), dates, first, tick)
        sample = survey.table()
        rows = AllRows(
            sample,
            passes=replace(passes, n_rows=survey.n_rows if weights is None else None),
            weights=weights,
            n_samples=float(sample.n_all),
            memory=self.memory,
        )
        if found.agree and found.sums.names is not None and weights is None:
            rows = replace(rows, summed=found.sums.moments(), summed_names=found.sums.names)
        readings, notes = self._readings(sample, passes.marks, dates)
        rows = rows.then(partial(as_read, readings=readings)) if readings else rows
        return ReadRows(rows, survey.gaps, (*self.source.notes, *notes, self._in_batches(sample)))

    def _readings(
        self, sample: Table, marks: Marks, dates: Collection[Hashable]
    ) -> tuple[Readings, tuple[Finding, ...]]:
        """How columns of strings become numbers in all batches, as the sample shows, and notes on other readings."""
        asked = readings_of(sample, marks, dates)
        apart = {*self.categories, *asked}
        numbers, notes = number_readings(sample, apart, self.source.decimal, self.decimal)
        return {**numbers, **asked}, notes

    def _in_batches(self, sample: Table) -> Finding:
        limit = "" if self.memory is None else f", since it would take more than {in_words(self.memory)} of memory"
        where = " by the workers of a cluster" if isinstance(self.source, OnCluster) else limit
        text = (
            f"{self.source.title} was read in batches{where}: what is learned rests on all {sample.n_all} rows, and "
            f"{sample.n_rows} of them were looked at for copies, sums and other defects"
        )
        return Finding(FindingKind.BATCHES, "warning", (), text)


def _check_weights(weights: object, names: Mapping[Any, Hashable]) -> None:
    """Raise unless the weights of rows that are not in memory are a column of theirs."""
    column = weights_column(weights)
    if weights is not None and column is None:
        text = ": of a table that does not fit into memory they must be a column of it"
        raise InputError(Message(OptionName("weights"), text))
    if column is not None:
        existing_columns(list(names.values()), column, "weights")

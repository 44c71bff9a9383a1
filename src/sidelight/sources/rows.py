"""The rows of a source as they will be used: held in memory where they fit, else passed over in batches."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from sidelight.errors import InputError
from sidelight.files.memory import TooLargeError, check_size, in_words, memory_for, most_memory
from sidelight.sources.base import BYTES_OF_CELL, MOST_AT_ONCE, Source
from sidelight.sources.cluster import OnCluster
from sidelight.sources.dialect import DialectChoice
from sidelight.sources.files import AS_FOUND
from sidelight.sources.memory import InMemory
from sidelight.sources.opening import Wanted, names_in, open_source
from sidelight.sources.passes import SourcePasses
from sidelight.tables.all_rows import AllRows, Batch, Fold, Tick
from sidelight.tables.findings import Finding, FindingKind
from sidelight.tables.gaps import Gaps
from sidelight.tables.joining import joined
from sidelight.tables.reading import tables_in
from sidelight.tables.rows import FEWEST_ROWS, are_fractional, take_weights
from sidelight.tables.survey import Survey
from sidelight.tables.table import Table, existing_columns, weights_column
from sidelight.tables.treatment import (
    Marks,
    Readings,
    as_read,
    number_readings,
    numbers_read,
    readings_of,
    without_marks,
)
from sidelight.text.message import Message, OptionName
from sidelight.text.sentences import counted

SMALL = 64_000_000  # bytes, for which there is always room
NOTHING = Table((), np.empty((0, 0)))


class FirstPass(Fold):
    """What one pass finds: a survey, sums over the columns of numbers, if these agree, and what weights there are."""

    def __init__(self, survey: Survey, sums: Any) -> None:
        self.survey, self.sums, self.agree, self.fractional = survey, sums, True, False

    def add(self, batch: Batch) -> None:
        self.survey.add(batch)
        self.fractional |= batch.weights is not None and are_fractional(batch.weights)
        self.agree &= self.sums.names in (None, batch.table.names)
        if self.agree:
            self.sums.add(Batch(batch.table, None))

    def merge(self, later: FirstPass) -> None:
        self.survey.merge(later.survey)
        self.fractional |= later.fractional
        names = self.sums.names
        self.agree &= later.agree and (names is None or later.sums.names in (None, names))
        if self.agree:
            self.sums.merge(later.sums)


class ReadRows(NamedTuple):
    """All rows as they were read, where they lack values, and notes on choices between two readings."""

    rows: AllRows
    find_gaps: Callable[[], Gaps]
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
        held, categories = None, frozenset(name for text, name in names.items() if text in source.categories)
        if not isinstance(source, OnCluster):
            with suppress(TooLargeError):
                held, categories = hold(source, names, memory, marks, usual=partial(memory_for, None))
        if held is None:
            _check_weights(weights, names)
            memory = memory_for(None) if memory is None else memory
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
        table, counts = as_read(table, readings) if readings else table, None
        if self.weights is not None:
            table, counts = take_weights(table, self.weights)
        return ReadRows(AllRows.held(table, counts), partial(Gaps.of, table), (*self.source.notes, *notes))

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
            passes=passes,
            weights=weights,
            fractional=found.fractional,
            n_samples=float(sample.n_all),
            memory=self.memory,
        )
        if found.agree and found.sums.names is not None and weights is None:
            rows = replace(rows, summed=found.sums.moments(), summed_names=found.sums.names)
        readings, notes = self._readings(sample, passes.marks, dates)
        rows = rows.then(partial(as_read, readings=readings)) if readings else rows
        return ReadRows(rows, lambda: survey.gaps, (*self.source.notes, *notes, self._in_batches(sample)))

    def _readings(
        self, sample: Table, marks: Marks, dates: Collection[Hashable]
    ) -> tuple[Readings, tuple[Finding, ...]]:
        """How columns of strings become numbers in all batches, as the sample shows, and notes on other readings."""
        asked = readings_of(sample, marks, dates) if marks or dates else {}
        if not sample.texts:
            return asked, ()
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


# Rows in memory.


def read_table(
    source: object,
    names: Sequence[Hashable] | None = None,
    columns: Wanted = None,
    drop: Wanted = None,
    memory: int | None = None,
    asked: DialectChoice = AS_FOUND,
) -> Table:
    """All rows of a source, with strings that are numbers as numbers."""
    opened = open_source(source, names, columns or (), memory, asked)
    table, categories = hold(opened, names_in(opened, columns, drop), memory)
    return numbers_read(table, categories, opened.decimal, asked.decimal)


def hold(
    source: Source,
    names: Mapping[Any, Hashable],
    memory: int | None = None,
    marks: Marks | None = None,
    usual: Callable[[], int | None] = most_memory,
) -> tuple[Table, frozenset[Hashable]]:
    """All rows in memory, without values that are marks, and the columns that have categories by their type.

    Raises as soon as they take more than so many bytes of ``memory``, or than what is ``usual``: all that can be used.
    """
    within = _Within(source, memory, usual)
    return _held(within, names, marks or {}, frozenset())


def _held(
    within: _Within, names: Mapping[Any, Hashable], marks: Marks, as_text: Collection[str]
) -> tuple[Table, frozenset[Hashable]]:
    categories: set[Hashable] = set()
    tables = tables_in(within.batches(list(names), as_text), names, categories)
    tables = (without_marks(table, marks) for table in tables) if marks else tables
    table, disagreeing = joined(tables, list(names.values()), lambda: within.source.most_rows(len(names)))
    if not disagreeing:
        return table, frozenset(categories)
    return _held(within, names, marks, written_as_text(names, disagreeing, as_text))


class _Within(NamedTuple):
    """A source whose rows are refused as soon as they take more memory than they may; what is in memory is there."""

    source: Source
    memory: int | None
    usual: Callable[[], int | None]

    def batches(self, chosen: Sequence[Any], as_text: Collection[str]) -> Iterator[Any]:
        """All batches."""
        source, n_rows = self.source, 0
        self._check(source.count_rows() or 0, len(chosen))
        for batch in source.batches(chosen, as_text, MOST_AT_ONCE):
            if not isinstance(source, InMemory):
                n_rows += batch.num_rows
                self._check(n_rows, len(chosen))
            yield batch

    def _check(self, n_rows: int, n_columns: int) -> None:
        needed = BYTES_OF_CELL * n_rows * n_columns
        if (self.memory is not None or needed > SMALL) and not isinstance(self.source, InMemory):
            check_size(self.source.title, needed, self.usual() if self.memory is None else self.memory)


def written_as_text(
    names: Mapping[Any, Hashable], disagreeing: Collection[Hashable], as_text: Collection[str]
) -> frozenset[str]:
    """The columns to read as strings, with those that are numbers or dates in one part and strings in another."""
    written = {text for text, name in names.items() if name in disagreeing}
    if written <= set(as_text):  # their types say so; they cannot be read otherwise
        raise InputError(f"column {min(written)!r} has numbers in one part of the table and texts in another")
    return frozenset({*as_text, *written})

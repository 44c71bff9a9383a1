"""Passes over a source that is not held in memory, here or by the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from sidelight.errors import InputError
from sidelight.files.memory import in_words
from sidelight.sources import Source
from sidelight.sources.cluster import How, KeptParts, OnCluster
from sidelight.tables.all_rows import FEWEST_ROWS, AllRows, Batch, Fold, Tick, Work, are_fractional
from sidelight.tables.column_options import Marks
from sidelight.tables.findings import Finding, FindingKind
from sidelight.tables.reading import tables_in
from sidelight.tables.survey import Survey
from sidelight.tables.table import Table
from sidelight.tables.treatment import without_marks
from sidelight.text.sentences import counted

FEWEST_AT_ONCE, MOST_AT_ONCE = 1_000, 1 << 17  # rows of a batch
NOTHING = Table((), np.empty((0, 0)))


@dataclass(frozen=True)
class SourcePasses:
    """Passes over chosen columns of a source, in whose batches some values stand for missing ones.

    Each pass checks that it has ``seen`` as many rows as the first.
    """

    source: Source
    names: Mapping[Any, Hashable]
    marks: Marks
    memory: int | None
    as_text: frozenset[str] = frozenset()
    seen: list[int] = field(default_factory=list)

    def run(self, work: Work, tick: Tick) -> Iterator[Any]:
        """What comes of some work on the batches; a pass that is given up is closed, and checks nothing."""
        counts: list[int] = []
        if isinstance(self.source, OnCluster):
            for result, of_part in self.source.each(self._on_batches(partial(_with_counts, work)), self._how, tick):
                counts += of_part
                yield result
        else:
            batches: Any = self.source.batches(*self._how)
            with closing(batches):
                yield self._on_batches(lambda tables: work(_counted(tables, counts, tick)))(batches)
        self.seen.append(sum(counts))
        if self.seen[-1] != self.seen[0]:
            now = f"had {self.seen[0]} rows when it was first read, and now has {self.seen[-1]}"
            raise InputError(f"{self.source.title} {now}; try again when nothing changes it")

    @property
    def keeps(self) -> bool:
        """True where a cluster's workers can keep what they have made."""
        return isinstance(self.source, OnCluster) and self.source.has_workers

    def keep(self, work: Work, tick: Tick) -> KeptParts:
        """What comes of some work on the batches of each part, kept by the workers."""
        assert isinstance(self.source, OnCluster)
        return self.source.kept(self._on_batches(work), self._how, tick)

    @property
    def _how(self) -> How:
        """A small part of the memory at once."""
        chosen = list(self.names)
        most = MOST_AT_ONCE if self.memory is None else self.memory // (64 * max(1, len(chosen)))
        return How(chosen, self.as_text, max(FEWEST_AT_ONCE, min(MOST_AT_ONCE, most)))

    def _on_batches(self, work: Work) -> Callable[[Iterable[Any]], Any]:
        """Work on tables as work on batches; not all of this value is sent to where it is done."""
        names, marks = self.names, self.marks
        unmarked = partial(without_marks, marks=marks) if marks else lambda table: table
        return lambda batches: work(map(unmarked, tables_in(batches, names, set())))


def _counted(tables: Iterator[Table], counts: list[int], tick: Tick) -> Iterator[Table]:
    """The tables; how many rows they have is noted as they are taken."""
    for table in tables:
        counts.append(table.n_rows)
        tick(table.n_rows)
        yield table


def _with_counts(work: Work, tables: Iterator[Table]) -> tuple[Any, list[int]]:
    """What comes of the work, and how many rows it saw; iterators cannot be sent."""
    counts: list[int] = []
    result = work(_counted(tables, counts, lambda count=1: None))
    return (list(result) if isinstance(result, Iterator) else result), counts


# The first pass.


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


def passed_over(
    passes: SourcePasses, weights: Hashable | None, first: Callable[[], FirstPass], tick: Tick
) -> tuple[AllRows, Survey]:
    """All rows, and what the first pass finds; columns that are strings in a later batch only are read again so."""
    found = AllRows(NOTHING, passes=passes, weights=weights).fold(first, tick)
    survey = found.survey
    if survey.n_rows < FEWEST_ROWS:
        raise InputError(f"{passes.source.title} has {counted(survey.n_rows, 'row')}, too few to learn from")
    if survey.disagreeing:
        as_text = written_as_text(passes.names, survey.disagreeing, passes.as_text)
        return passed_over(replace(passes, as_text=as_text), weights, first, tick)
    rows = AllRows(
        sample := survey.table(),
        passes=passes,
        weights=weights,
        fractional=found.fractional,
        n_samples=float(sample.n_all),
        memory=passes.memory,
    )
    if found.agree and found.sums.names is not None and weights is None:
        rows = replace(rows, summed=found.sums.moments(), summed_names=found.sums.names)
    return rows, survey


def written_as_text(
    names: Mapping[Any, Hashable], disagreeing: Collection[Hashable], as_text: Collection[str]
) -> frozenset[str]:
    """The columns to read as strings, with those that are numbers or dates in one part and strings in another."""
    written = {text for text, name in names.items() if name in disagreeing}
    if written <= set(as_text):  # their types say so; they cannot be read otherwise
        raise InputError(f"column {min(written)!r} has numbers in one part of the table and texts in another")
    return frozenset({*as_text, *written})


def in_batches(source: Source, memory: int | None, sample: Table) -> Finding:
    """What is said of a table that was not held in memory."""
    limit = "" if memory is None else f", since it would take more than {in_words(memory)} of memory"
    where = " by the workers of a cluster" if isinstance(source, OnCluster) else limit
    text = (
        f"{source.title} was read in batches{where}: what is learned rests on all {sample.n_all} rows, and "
        f"{sample.n_rows} of them were looked at for copies, sums and other defects"
    )
    return Finding(FindingKind.BATCHES, "warning", (), text)

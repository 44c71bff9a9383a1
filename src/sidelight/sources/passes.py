"""Passes over a source that is not held in memory, here or by the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from sidelight.errors import InputError
from sidelight.sources.base import Source, rows_at_once
from sidelight.sources.cluster import KeptParts, OnCluster, PartTask
from sidelight.tables.all_rows import Tick, Work
from sidelight.tables.reading import tables_in
from sidelight.tables.table import Table
from sidelight.tables.treatment import Marks, without_marks


@dataclass(frozen=True)
class SourcePasses:
    """Passes over chosen columns of a source, in whose batches some values stand for missing ones.

    Each pass checks that it has ``seen`` as many rows as the first.
    """

    source: Source
    names: Mapping[Any, Hashable]
    marks: Marks = field(default_factory=dict)
    memory: int | None = None
    as_text: frozenset[str] = frozenset()
    seen: list[int] = field(default_factory=list)

    def run(self, work: Work, tick: Tick) -> Iterator[Any]:
        """What comes of some work on the batches; a pass that is given up is closed, and checks nothing."""
        counted = Counted()
        if isinstance(self.source, OnCluster):
            for result, n_rows in self.source.each(self._task(_counting(work)), tick):
                counted.n_rows += n_rows
                yield result
        else:
            batches: Any = self.source.batches(*self._how)
            with closing(batches):
                yield work(counted.ticking(self._tables(batches), tick))
        self.seen.append(counted.n_rows)
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
        return self.source.kept(self._task(work), tick)

    @property
    def _how(self) -> tuple[list[Any], frozenset[str], int]:
        chosen = list(self.names)
        return chosen, self.as_text, rows_at_once(len(chosen), self.memory)

    def _tables(self, batches: Iterable[Any]) -> Iterator[Table]:
        return _as_tables(batches, self.names, self.marks)

    def _task(self, work: Work) -> PartTask:
        names, marks = self.names, self.marks  # not all of this value is sent to where the work is done
        return PartTask(lambda batches: work(_as_tables(batches, names, marks)), *self._how)


@dataclass
class Counted:
    """How many rows were seen."""

    n_rows: int = 0

    def ticking(self, tables: Iterator[Table], tick: Tick) -> Iterator[Table]:
        """The tables, counted as they are taken."""
        for table in tables:
            self.n_rows += table.n_rows
            tick(table.n_rows)
            yield table


def _counting(work: Work) -> Callable[[Iterator[Table]], tuple[Any, int]]:
    """The work, and how many rows it saw; iterators cannot be sent."""

    def with_count(tables: Iterator[Table]) -> tuple[Any, int]:
        counted = Counted()
        result = work(counted.ticking(tables, lambda count=1: None))
        return (list(result) if isinstance(result, Iterator) else result), counted.n_rows

    return with_count


def _as_tables(batches: Iterable[Any], names: Mapping[Any, Hashable], marks: Marks) -> Iterator[Table]:
    for table in tables_in(batches, names, set()):
        yield without_marks(table, marks) if marks else table

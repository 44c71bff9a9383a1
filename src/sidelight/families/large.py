"""Tables that do not fit into memory: one pass over the rows finds what the doctor and the choice of a test need.

The doctor then looks at some rows that were kept, and the test is built from statistics of all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sidelight.errors import InputError
from sidelight.families import TABLE_TESTS
from sidelight.families.building import Examined, Start, Whole, examine
from sidelight.families.curing import cured
from sidelight.families.in_batches import AllRows, ColumnSums, Keep, Work
from sidelight.families.options import DataOptions
from sidelight.families.table_test import Tick
from sidelight.files.memory import in_words
from sidelight.kinds.base import FEW_VALUES
from sidelight.kinds.types import said_of, said_types
from sidelight.sources.base import Batches, rows_at_once
from sidelight.sources.cluster import OnCluster, PartTask
from sidelight.sources.read import known_decimal, tables_in, written_as_text
from sidelight.tables.findings import Finding
from sidelight.tables.number_strings import decimal_marks, number_of
from sidelight.tables.rows import FEWEST_ROWS
from sidelight.tables.survey import MOST_VALUES, Survey
from sidelight.tables.table import Kind, Table, as_list, existing_columns, weights_column
from sidelight.tables.treatment import Marks, Reading, as_read, marks_of, readings_of, without_marks
from sidelight.text.message import Message, OptionName
from sidelight.text.sentences import counted


def examine_large(
    batches: Batches, names: Mapping[str, Hashable], options: DataOptions, memory: int | None, start: Start
) -> Examined:
    """Examine a table in batches, and build its test, with or without cures."""
    weights = weights_column(options.weights)
    if options.weights is not None and weights is None:
        text = ": of a table that does not fit into memory they must be a column of it"
        raise InputError(Message(OptionName("weights"), text))
    if weights is not None:
        existing_columns(list(names.values()), weights, "weights")
    if options.dates is not None:
        options = replace(options, dates=as_list(options.dates))
    if options.types is not None:
        options = replace(options, types=said_of(list(names.values()), options.types, batches.names))

    def examined(dropped: Collection[Hashable], changed: DataOptions) -> Examined:
        kept = {text: name for text, name in names.items() if name not in dropped}
        taking = _Taking(kept, {} if changed.missing_values is None else marks_of(changed.missing_values))
        return _examined(_Pass(batches, taking, memory), weights, changed, start)

    return cured(examined, options) if options.fix else examined((), options)


@dataclass(frozen=True)
class _Taking:
    """How each batch is taken: under which names, and what stands for missing values."""

    names: Mapping[str, Hashable]
    marks: Marks

    def tables(self, batches: Iterable[Any]) -> Iterator[Table]:
        """The batches as tables."""
        for table in tables_in(batches, self.names, set()):
            yield without_marks(table, self.marks) if self.marks else table


@dataclass(frozen=True)
class _Pass:
    """Passes over the rows of a table in batches."""

    batches: Batches
    taking: _Taking
    memory: int | None
    as_text: frozenset[str] = frozenset()

    def run(self, work: Work, tick: Tick) -> Iterator[Any]:
        """What comes of some work on all tables, in the order of the rows."""
        if isinstance(self.batches, OnCluster):
            return self.batches.each(self._as_task(work), tick)
        chosen, as_text, at_once = self._how
        found = self.batches.batches(chosen, as_text, at_once)
        return iter([work(_ticking(self.taking.tables(found), tick))])

    @property
    def keep(self) -> Keep | None:
        """The same, with results that stay with the workers of a cluster, if there are any."""
        batches = self.batches
        if not isinstance(batches, OnCluster) or not batches.has_workers:
            return None
        return lambda work, tick: batches.kept(self._as_task(work), tick)

    @property
    def _how(self) -> tuple[list[str], frozenset[str], int]:
        chosen = list(self.taking.names)
        return chosen, self.as_text, rows_at_once(len(chosen), self.memory)

    def _as_task(self, work: Work) -> PartTask:
        taking = self.taking
        return PartTask(lambda batches: work(taking.tables(batches)), *self._how)

    def surveyed(self, make: Callable[[], _Found], weights: Hashable | None, tick: Tick) -> tuple[_Pass, _Found]:
        """What one pass finds; texts that begin in a later batch are then read as such."""
        found = AllRows(self.run, 0, None, weights=weights).reduced(make, tick)
        if found.survey.n_rows < FEWEST_ROWS:
            count = counted(found.survey.n_rows, "row")
            raise InputError(f"{self.batches.title} has {count}, too few to learn from")
        if not found.survey.mixed:
            return self, found
        as_text = written_as_text(self.taking.names, found.survey.mixed, self.as_text)
        return replace(self, as_text=frozenset(as_text)).surveyed(make, weights, tick)


def _ticking(tables: Iterator[Table], tick: Tick) -> Iterator[Table]:
    for table in tables:
        tick(table.n_rows)
        yield table


class _Found:
    """What a first pass finds: a survey, and the moments of the numbers, if these are the same columns throughout."""

    def __init__(self, most_values: Callable[[Hashable], int], ignored: frozenset[Hashable], complete: bool) -> None:
        self.survey, self._sums, self._agree = Survey(most_values, ignored, complete), ColumnSums(), True

    def add(self, table: Table, weights: object) -> None:
        self.survey.add(table)
        self._agree &= self._sums.names in (None, table.names)
        if self._agree:
            self._sums.add(table, None)

    def join(self, later: _Found) -> None:
        self.survey.join(later.survey)
        self._agree &= later._agree and (self._sums.names is None or later._sums.names in (None, self._sums.names))
        if self._agree:
            self._sums.join(later._sums)

    def settle(self) -> None:
        """It is small."""

    def known_to(self, rows: AllRows) -> AllRows:
        """The rows, whose moments are known."""
        if not self._agree or self._sums.names is None:
            return rows
        return replace(rows, summed=self._sums.moments(), summed_names=self._sums.names)


def _examined(rows: _Pass, weights: Hashable | None, options: DataOptions, start: Start) -> Examined:
    said = {} if options.types is None else said_types(options.types)
    ignored = frozenset(name for name, what in said.items() if what == "ignore")
    make = partial(_Found, _most_values(options), ignored, options.missing == "drop")
    rows, found = rows.surveyed(make, weights, start("reading"))
    table = found.survey.table()
    readings = _readings(table, rows, options)
    kinds: dict[Hashable, Kind] = {name: "date" if name in as_list(options.dates) else "float" for name in readings}
    read = as_read(table, readings, kinds)
    all_rows = AllRows(rows.run, read.n_all, rows.memory, n_samples=float(read.n_all), weights=weights, keep=rows.keep)
    if weights is None:
        all_rows = found.known_to(all_rows)
    all_rows = all_rows.then(partial(as_read, readings=readings, kinds=kinds)) if readings else all_rows
    examined = examine(
        read, None, replace(options, missing_values=None, dates=None), start, Whole(found.survey, all_rows)
    )
    kept = replace(examined.options, missing_values=options.missing_values, dates=options.dates)
    diagnosis = replace(examined.diagnosis, findings=(_in_batches(rows, read), *examined.diagnosis.findings))
    return replace(examined, diagnosis=diagnosis, options=kept)


def _readings(table: Table, rows: _Pass, options: DataOptions) -> dict[Hashable, Reading]:
    """How columns of texts become numbers in all batches, as some of the rows show."""
    readings = readings_of(table, rows.taking.marks, as_list(options.dates))
    categories = {name for text, name in rows.taking.names.items() if text in rows.batches.categories}
    texts = {name: column for name, column in table.texts.items() if name not in categories and name not in readings}
    plain = {name: column for name, column in texts.items() if table.kinds[name] == "text"}
    marks = decimal_marks(plain, known_decimal(rows.batches.decimal, table))
    return readings | {name: partial(number_of, mark) for name, mark in marks.items()}


def _most_values(options: DataOptions) -> Callable[[Hashable], int]:
    """How many values of a column of numbers are told apart: more only if they may be categories."""
    entry = TABLE_TESTS.get(str(options.test))
    every = entry is not None and entry.columns == "discrete"
    said = {*as_list(options.discrete), *(() if options.types is None else said_types(options.types))}
    return partial(_at_most, every, frozenset(said))


def _at_most(every: bool, said: frozenset[Hashable], name: Hashable) -> int:
    return MOST_VALUES if every or name in said else FEW_VALUES + 1


def _in_batches(rows: _Pass, seen: Table) -> Finding:
    limit = "" if rows.memory is None else f", since it would take more than {in_words(rows.memory)} of memory"
    where = " by the workers of a cluster" if isinstance(rows.batches, OnCluster) else limit
    text = (
        f"{rows.batches.title} was read in batches{where}: what is learned rests on all {seen.n_all} rows, and "
        f"{seen.n_rows} of them were looked at for copies, sums and other defects"
    )
    return Finding("batches", "warning", (), text)

"""Tables that do not fit into memory: one pass over the rows finds what the doctor and the choice of a test need.

The doctor then looks at some rows that were kept, and the test is built from statistics of all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from sidelight.data.batches.source import Batches, rows_at_once
from sidelight.data.batches.survey import MOST_VALUES, Survey
from sidelight.data.memory import in_words
from sidelight.data.number_texts import numbers_in_texts
from sidelight.data.read import known_decimal, tables_in, with_numbers, written_as_text
from sidelight.data.rows import FEWEST_ROWS
from sidelight.data.table import Table, weights_column
from sidelight.data.treatment import treated
from sidelight.data.type_option import said_types
from sidelight.data.types import FEW_VALUES, said_of
from sidelight.doctor.findings import Finding
from sidelight.errors import InputError
from sidelight.independence import TABLE_TESTS
from sidelight.independence.building import Examined, Start, Whole, examine
from sidelight.independence.curing import cured
from sidelight.independence.options import DataOptions
from sidelight.independence.table_test import Tick
from sidelight.sufficient.correlation import Moments, MomentSums, n_whole, provisional_mean
from sidelight.sufficient.in_batches import AllRows
from sidelight.text.message import Message, OptionName
from sidelight.text.sentences import counted


def examine_large(
    batches: Batches, names: Mapping[str, Hashable], options: DataOptions, memory: int | None, start: Start
) -> Examined:
    """Examine a table in batches, and build its test, with or without cures."""
    weights = weights_column(options.weights)
    if options.weights is not None and weights not in names.values():
        text = ": of a table that does not fit into memory they must be a column of it"
        raise InputError(Message(OptionName("weights"), text))
    if options.types is not None:
        options = replace(options, types=said_of(list(names.values()), options.types, batches.names))

    def examined(dropped: Collection[Hashable], changed: DataOptions) -> Examined:
        kept = {text: name for text, name in names.items() if name not in dropped}
        return _examined(_Pass(batches, kept, changed, memory), weights, changed, start)

    return cured(examined, options) if options.fix else examined((), options)


@dataclass(frozen=True)
class _Pass:
    """How a pass over the rows takes each batch."""

    batches: Batches
    names: Mapping[str, Hashable]
    options: DataOptions
    memory: int | None
    as_text: frozenset[str] = frozenset()
    numbers: frozenset[Hashable] = frozenset()  # columns whose texts are numbers
    decimal: str = ""
    categories: set[Hashable] = field(default_factory=set)  # columns that are such by their type, once a pass was made

    def tables(self) -> Iterator[Table]:
        """The batches as tables, values that stand for missing ones and dates as the options say."""
        at_once = rows_at_once(len(self.names), self.memory)
        found = self.batches.batches(list(self.names), self.as_text, at_once)
        for table in tables_in(found, self.names, self.categories):
            if self.options.missing_values is not None or self.options.dates is not None:
                table = treated(table, self.options.missing_values, self.options.dates)
            yield self._with_numbers(table)

    def _with_numbers(self, table: Table) -> Table:
        texts = {name: table.texts[name] for name in self.numbers if name in table.texts}
        if not texts:
            return table
        if set(numbers_in_texts(texts, self.decimal)) != set(texts):
            name = str(min(texts, key=str))
            raise InputError(f"column {name!r} has texts that are no numbers beside others that are")
        others = set(table.texts) - set(texts)
        return with_numbers(table, others, self.decimal)


def _examined(rows: _Pass, weights: Hashable | None, options: DataOptions, start: Start) -> Examined:
    rows, survey, summed = _surveyed(rows, start("reading"))
    table = survey.table()
    decimal = known_decimal(rows.batches.decimal, table)
    plain = {rows.names[text] for text in rows.batches.plain_texts if text in rows.names}
    read = with_numbers(table, rows.categories - plain, decimal)
    numbers = frozenset(set(table.texts) - set(read.texts))
    if numbers:
        rows = replace(rows, numbers=numbers, decimal=decimal)
        rows, survey, summed = _surveyed(rows, start("reading"))
        read = survey.table()
    all_rows = AllRows(rows.tables, survey.n_rows, rows.memory, n_samples=float(survey.n_rows))
    if weights is not None:
        all_rows, read = _weighted(all_rows, weights), read.part(name for name in read.all_names if name != weights)
    elif summed is not None:
        all_rows = replace(all_rows, summed=summed[1], summed_names=summed[0])
    examined = examine(read, None, options, start, Whole(survey, all_rows))
    found = examined.diagnosis
    about = _in_batches(rows, survey, read.n_rows)
    return replace(examined, diagnosis=replace(found, findings=(about, *found.findings)))


def _surveyed(rows: _Pass, tick: Tick) -> tuple[_Pass, Survey, tuple[tuple[Hashable, ...], Moments] | None]:
    """What one pass finds, with the moments of the numbers; texts that begin in a later batch are read as such."""
    survey, sums, names = Survey(_most_values(rows.options)), None, None
    for table in rows.tables():
        tick()
        if not table.n_rows:
            continue
        survey.add(table)
        if names is None:
            names, sums = table.names, MomentSums(provisional_mean(table.values))
        sums = sums if table.names == names else None
        if sums is not None:
            sums.add(table.values)
    if survey.n_rows < FEWEST_ROWS or names is None:
        raise InputError(f"{rows.batches.title} has {counted(survey.n_rows, 'row')}, too few to learn from")
    if survey.mixed:
        as_text = frozenset(written_as_text(rows.names, survey.mixed, rows.as_text))
        return _surveyed(replace(rows, as_text=as_text), tick)
    return rows, survey, None if sums is None else (names, sums.moments())


def _most_values(options: DataOptions) -> Callable[[Hashable], int]:
    """How many values of a column of numbers are told apart: more only if they may be categories."""
    entry = TABLE_TESTS.get(str(options.test))
    every = entry is not None and entry.columns == "discrete"
    said = {*(options.discrete or ()), *(() if options.types is None else said_types(options.types))}
    return partial(_at_most, every, frozenset(said))


def _at_most(every: bool, said: frozenset[Hashable], name: Hashable) -> int:
    return MOST_VALUES if every or name in said else FEW_VALUES + 1


def _weighted(rows: AllRows, weights: Hashable) -> AllRows:
    """The rows with weights, whole ones as they are, others by Kish's effective sample size."""
    rows = replace(rows, weights=weights)
    _, total, squares, whole = rows.count()
    scale = 1.0 if whole or not squares else total / squares
    return replace(rows, scale=scale, n_samples=scale * total)


def _in_batches(rows: _Pass, survey: Survey, n_seen: int) -> Finding:
    limit = "" if rows.memory is None else f", since it would take more than {in_words(rows.memory)} of memory"
    text = (
        f"{rows.batches.title} was read in batches{limit}: what is learned rests on all {n_whole(survey.n_rows)} rows, "
        f"and {n_seen} of them were looked at for copies, sums and other defects"
    )
    return Finding("batches", "warning", (), text)

"""From a table to a test, with what the doctor says of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sidelight.doctor.gaps import Gaps, SurveyedGaps, examine_gaps
from sidelight.doctor.rows import examine_rows
from sidelight.doctor.whole import examine_whole, set_aside
from sidelight.errors import InputError
from sidelight.families import TABLE_TESTS, CITest, TableTest, TestData
from sidelight.families.gaussian.correlation import Summaries, n_whole
from sidelight.families.gaussian.margins import margins_of
from sidelight.families.in_batches import AllRows
from sidelight.families.options import DataOptions
from sidelight.families.table_test import Built, Tick
from sidelight.kinds.ordinal import ORDINAL
from sidelight.kinds.types import ColumnKind, ColumnType, as_typed, column_types, said_types, with_order
from sidelight.tables.findings import Diagnosis, Finding, columns_that, drop_columns
from sidelight.tables.rows import Weights, are_fractional, counted_as_rows, without_gaps
from sidelight.tables.survey import Survey
from sidelight.tables.table import Table, as_list
from sidelight.tables.treatment import treated
from sidelight.tables.type_option import Said
from sidelight.text.message import Message, Option, OptionName
from sidelight.text.sentences import counted

# What "auto" comes to for columns that are all numbers, all categories, or of several kinds.
NUMBERS, DISCRETE, SEVERAL = "fisher-z", "chi2-moments", "mixed"
TAKEN_AS: dict[str, ColumnKind] = {"numbers": "number", "discrete": "category"}  # by tests for one kind of columns
# What is assumed of values that are missing, beside complete rows.
AT_RANDOM = "whether a value is missing may depend on values that are there, not on itself"
ASSUMED = {
    "pairwise": "each test uses the rows that are complete in its columns, which assumes that values are missing "
    f"completely at random; a score fills the gaps, which assumes less: {AT_RANDOM}",
    "em": f"it is assumed that they are missing at random: {AT_RANDOM}",
}
OF_SINGLE_ROWS = ("identifier", "panel")
FEWER_ROWS = "take a part of the rows"

Start = Callable[[str], Tick]  # given the name of a phase that begins, returns what to call at each of its steps


@dataclass(frozen=True)
class TableRows:
    """The rows that a test was built from, and how: others are built from a part of them, or from repeated ones."""

    data: TestData
    entry: TableTest
    fractional: bool = False  # True when rows have survey weights

    @property
    def discrete(self) -> frozenset[Hashable]:
        """The columns that the test takes as discrete."""
        return frozenset(_taken_as_discrete(self.entry, self.data.table, self.data.discrete))

    @property
    def counts_as_weights(self) -> bool:
        """True where a frequency weight does what repeated rows do, to the last step of a test."""
        if self.data.weights is not None:
            return not self.fractional
        plain = self.entry.weights and self.data.correlation == "pearson" and not self._has_gaps
        return self.entry.columns == "numbers" and plain

    @property
    def _has_gaps(self) -> bool:
        return self.data.missing in ("pairwise", "em")

    def build(self, summaries: Summaries) -> Built:
        """The test, examined by the doctor, from what was computed before."""
        build = self.entry.build_with_gaps if self._has_gaps else None
        return (build or self.entry.build)(replace(self.data, summaries=summaries))

    def make(self) -> CITest:
        """The test, without the doctor."""
        make = self.entry.make_with_gaps if self._has_gaps else None
        return (make or self.entry.make)(self.data)


@dataclass(frozen=True)
class Examined:
    """A test if there can be one, what the doctor says, the rows, and the options as they were applied."""

    test: CITest | None
    diagnosis: Diagnosis
    rows: TableRows
    options: DataOptions


@dataclass(frozen=True)
class Whole:
    """What is known of all rows, where the table that is looked at has only some of them."""

    survey: Survey
    rows: AllRows


def examine(
    table: Table, weights: Weights | None, options: DataOptions, start: Start, beyond: Whole | None = None
) -> Examined:
    """Choose the test for a table and build it, with what the doctor says; ``types`` are by the table's own names.

    Where the table has only some of the rows, statistics are of all rows ``beyond``, and weights are in these.
    """
    tick = start("examining")
    if options.missing_values is not None or options.dates is not None:
        table = treated(table, options.missing_values, options.dates)
    said = {} if options.types is None else said_types(options.types)
    types = column_types(table, said, options.discrete)
    whole = as_typed(table, types, said)
    gaps = Gaps.of(whole) if beyond is None else SurveyedGaps.found(beyond.survey, whole.all_names)
    summaries = Summaries()
    weighted = weights is not None or (beyond is not None and beyond.rows.weights is not None)
    found = _about_whole(whole, gaps, _of_type(types, whole, "category", ORDINAL), options, weighted, summaries)
    tick()
    usable = set_aside(whole, found)
    types, chosen = _with_test(types, usable, str(options.test), said)
    entry = TABLE_TESTS[chosen]
    _check_combination(options, chosen, entry)
    missing = tuple(_about_gaps(usable, gaps.part(usable.all_names), entry, options, beyond is not None))
    has_gaps = bool(missing) and options.missing == "error"
    all_rows = None if beyond is None else _all_rows(beyond.rows, table, types, said, usable, entry, options)
    rows, about_rows = _rows(usable, weights, types, entry, options, start("correlations"), has_gaps, all_rows, gaps)
    test, diagnosis = rows.build(summaries) if usable.all_names else (None, Diagnosis(usable.n_rows, 0, ()))
    summaries.drop()
    findings = [*about_rows, *found, *missing, *diagnosis.findings]
    if (not weighted or rows.fractional) and all(finding.severity == "warning" for finding in findings):
        findings += examine_rows(rows.data.table, (*rows.data.discrete, *rows.data.ordinal))
    possible = tuple(_possible(finding, options) for finding in findings)
    if beyond is not None:
        types = tuple(_of_all_rows(column, beyond.survey) for column in types)
    diagnosis = Diagnosis(gaps.n_rows, len(whole.all_names), possible, whole.all_names, types, gaps.n_complete())
    return Examined(test, diagnosis, rows, replace(options, correlation=rows.data.correlation))


def _rows(
    table: Table,
    weights: Weights | None,
    types: Sequence[ColumnType],
    entry: TableTest,
    options: DataOptions,
    tick: Tick,
    has_gaps: bool,
    all_rows: AllRows | None,
    gaps: Gaps,
) -> tuple[TableRows, tuple[Finding, ...]]:
    """What the test is built from, and what is said of its rows and of the correlation that "auto" comes to."""
    fractional = weights is not None and are_fractional(weights)  # as given, before rows are left out
    found: list[Finding] = []
    if options.missing == "drop":
        n_rows = table.n_rows
        table, weights, n_left_out = without_gaps(table, weights)
        if all_rows is not None:
            n_rows, n_left_out = gaps.n_rows, gaps.n_rows - gaps.n_complete()
            all_rows = all_rows.complete(gaps.n_complete())
        found += _rows_left_out(n_left_out, n_rows)
    if all_rows is not None and all_rows.weights is not None:
        all_rows = all_rows.weighed()
        fractional = all_rows.scale != 1
        found += _survey_weights(all_rows.n_samples, gaps.n_complete(), entry) if fractional else ()
    if weights is not None and fractional:
        found += _survey_weights(counted_as_rows(weights, True).sum(), len(weights), entry)
    counts = None if weights is None else counted_as_rows(weights, fractional)
    discrete, ordinal = (_of_type(types, table, kind) for kind in ("category", ORDINAL))
    data = TestData(table, discrete, ordinal, counts, options.missing, options.correlation, tick, has_gaps, all_rows)
    if options.correlation == "auto":
        data, by_scores = _with_correlation(data, entry)
        found += by_scores
    return TableRows(data, entry, fractional), tuple(found)


def _of_all_rows(column: ColumnType, survey: Survey) -> ColumnType:
    """What a column is taken as, with the numbers of the whole table; values of numbers were not counted."""
    n_values = column.n_values if column.type in ("category", ORDINAL) else None
    return replace(column, n_missing=survey.columns[column.name].n_missing, n_values=n_values)


def _all_rows(
    rows: AllRows,
    table: Table,
    types: Sequence[ColumnType],
    said: Mapping[Hashable, Said],
    usable: Table,
    entry: TableTest,
    options: DataOptions,
) -> AllRows:
    """All rows, each batch taken as these rows are; refused for what needs them in memory."""
    if not entry.in_batches:
        raise InputError(Message(Option("test", options.test), f" needs all rows in memory; {FEWER_ROWS}"))
    if options.missing in ASSUMED:
        text = f" needs all rows in memory; {FEWER_ROWS}, or leave incomplete rows out with "
        raise InputError(Message(Option("missing", options.missing), text, Option("missing", "drop")))
    numbered = tuple(with_order(table, column) for column in types)
    kept = [*usable.all_names, rows.weights]
    if any(column.type == ORDINAL for column in types):  # they become positions, whose moments are others
        rows = replace(rows, summed=None)
    return rows.then(lambda batch: as_typed(batch, numbered, said).part(kept))


def _of_type(types: Sequence[ColumnType], table: Table, *kinds: str) -> tuple[Hashable, ...]:
    """The columns of the table that are taken as one of these."""
    return tuple(column.name for column in types if column.type in kinds and column.name in table.kinds)


def _about_whole(
    table: Table,
    gaps: Gaps,
    discrete: tuple[Hashable, ...],
    options: DataOptions,
    weighted: bool,
    summaries: Summaries,
) -> tuple[Finding, ...]:
    """What is no variable of its own; a weighted row stands for many, and may well be the only one of its kind."""
    entry = TABLE_TESTS.get(str(options.test))
    as_discrete = discrete if entry is None else _taken_as_discrete(entry, table, discrete)
    by_ranks = options.correlation == "normal-scores"
    found = examine_whole(table, gaps, as_discrete, "error" if by_ranks else "warning", summaries)
    return tuple(finding for finding in found if finding.kind not in OF_SINGLE_ROWS) if weighted else found


def _possible(finding: Finding, options: DataOptions) -> Finding:
    """The finding; where ``types`` would contradict the test or ``discrete``, with other advice than that."""
    if not finding.cure.types:
        return finding
    numbers, entry = finding.cure.types, TABLE_TESTS.get(str(options.test))
    if entry is not None and entry.columns == "discrete":
        dropped = (*finding.cure.drop, *numbers)
        remedy = Message("group the values, or ", drop_columns(dropped))
        return replace(finding, remedy=remedy, cure=replace(finding.cure, drop=dropped, types={}))
    if options.discrete is None:
        return finding
    others = Option("discrete", [name for name in as_list(options.discrete) if name not in numbers])
    remedy = Message("group the values; ", others, " takes numbers as such; or ", drop_columns(finding.culprits))
    return replace(finding, remedy=remedy)


def _taken_as_discrete(entry: TableTest, table: Table, discrete: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
    return {"numbers": (), "discrete": table.all_names, "both": discrete}[entry.columns]


def _with_correlation(data: TestData, entry: TableTest) -> tuple[TestData, tuple[Finding, ...]]:
    """The data with the correlation that "auto" comes to, and what is said of it."""
    complete = not data.has_gaps and data.missing in ("error", "drop")
    if "normal-scores" in entry.correlations and not data.is_weighted and complete and data.table.names:
        found = margins_of(data.table.even_rows())
        if found.need_scores:
            far = [name for name, is_far in zip(data.table.names, found.far, strict=True) if is_far]
            return replace(data, correlation="normal-scores"), (_by_scores(far),)
    return replace(data, correlation="pearson"), ()


def _by_scores(far: Sequence[Hashable]) -> Finding:
    text = f"{columns_that(far, 'is', 'are')} far from Gaussian, and ranks explain clearly more than values do"
    used = Message(
        Option("correlation", "normal-scores"), " is used; ", Option("correlation", "pearson"), " uses values"
    )
    return Finding("normal scores", "warning", tuple(far), text, used)


def _about_gaps(
    table: Table, gaps: Gaps, entry: TableTest, options: DataOptions, in_batches: bool
) -> Iterator[Finding]:
    """Gaps that are an error, or what is assumed of the reasons for them; data cannot show whether it holds."""
    if options.missing == "error":
        by_ranks = options.correlation == "normal-scores"  # which go with complete rows only
        only_complete = by_ranks or in_batches
        accepted = tuple(value for value in entry.missing if not only_complete or value not in ASSUMED)
        yield from examine_gaps(table, gaps, accepted)
    elif options.missing in ASSUMED and gaps.by_column:
        names = tuple(gaps.by_column)
        have = f"{counted(len(names), 'column')} {'has' if len(names) == 1 else 'have'} missing values"
        complete = f"{gaps.n_complete()} of {counted(gaps.n_rows, 'row')} are complete"
        yield Finding("missing values", "warning", names, f"{have}, and {complete}; {ASSUMED[options.missing]}")


def _rows_left_out(n_left_out: int, n_rows: int) -> Iterator[Finding]:
    if n_left_out:
        text = f"{n_left_out} of {counted(n_rows, 'row')} have missing or infinite values and were left out"
        yield Finding("dropped rows", "warning", (), text)


def _survey_weights(worth: float, n_rows: int, entry: TableTest) -> Iterator[Finding]:
    size = f"{n_whole(worth)} of {counted(n_rows, 'row')}"
    text = f"weights that are not whole are taken as survey weights: the effective sample size is {size} (Kish)"
    if entry.columns == "discrete":
        text += ". With them, tests whose strata have only a few rows do not keep their significance level"
    yield Finding("survey weights", "warning", (), text, "give whole numbers if they count equal rows")


def _with_test(
    types: tuple[ColumnType, ...], table: Table, asked: str, said: Collection[Hashable]
) -> tuple[tuple[ColumnType, ...], str]:
    """The types as the test takes them, and the test; columns that are not in the table have no say."""
    chosen = _chosen(asked, {column.type for column in types if column.name in table.kinds})
    return tuple(_as_tested(c, chosen, c.name in said, c.name in table.texts) for c in types), chosen


def _chosen(asked: str, kinds: Collection[str]) -> str:
    """The test by the types of the columns."""
    if asked != "auto":
        return asked
    if set(kinds) <= {"number"}:
        return NUMBERS
    return DISCRETE if set(kinds) == {"category"} else SEVERAL


def _as_tested(column: ColumnType, test: str, is_said: bool, is_text: bool) -> ColumnType:
    """The type that a test for columns of one kind gives a column; raises where that is not what was said of it."""
    taken = TAKEN_AS.get(TABLE_TESTS[test].columns)
    if taken is None or column.type in (taken, ORDINAL, "ignore") or (is_text and taken == "number"):
        return column
    if is_said:
        what = f": {str(column.name)!r} is said to be {column.type!r}, and the test {test!r} takes it as {taken!r}"
        raise InputError(Message(OptionName("types"), what))
    return replace(column, type=taken, decided=f"by the test {test}")


def _check_combination(options: DataOptions, chosen: str, entry: TableTest) -> None:
    """Raise when another option does not go with the test."""
    for name, accepted in (("correlation", entry.correlations), ("missing", entry.missing)):
        value = getattr(options, name)
        if value not in ("auto", *accepted):
            usable = ", ".join(map(repr, accepted))
            raise InputError(
                Message(Option(name, value), f" does not go with the test {chosen!r} for these columns; use {usable}")
            )
    if options.weights is not None and not entry.weights:
        raise InputError(Message(Option("weights"), f" does not go with the test {chosen!r}"))

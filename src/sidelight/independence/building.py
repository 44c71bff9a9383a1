"""From a table to a test, with what the doctor says; and the doctor's cures applied until nothing is left to cure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sidelight.data.rows import Weights, are_fractional, counted_as_rows, without_gaps
from sidelight.data.table import Table, discrete_columns
from sidelight.data.treatment import marks_of, treated
from sidelight.doctor.cures import Cure
from sidelight.doctor.findings import Diagnosis, Finding, columns_that
from sidelight.doctor.gaps import Gaps, examine_gaps
from sidelight.doctor.rows import examine_rows
from sidelight.doctor.whole import examine_whole, set_aside
from sidelight.errors import InputError
from sidelight.independence import TABLE_TESTS, CITest, TableTest, TestData
from sidelight.independence.options import DataOptions
from sidelight.independence.table_test import Built, Tick
from sidelight.sufficient.correlation import n_whole
from sidelight.sufficient.margins import margins_of
from sidelight.text.message import Message, Option
from sidelight.text.sentences import counted

# What "auto" comes to for columns that are all numbers, all discrete, or both.
NUMBERS, DISCRETE, BOTH = "fisher-z", "chi2-moments", "mixed"
MOST_ROUNDS = 10  # of cures; each uncovers what the one before hid, and three are seldom needed

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

    def build(self) -> Built:
        """The test, examined by the doctor."""
        build = self.entry.build_with_gaps if self._has_gaps else None
        return (build or self.entry.build)(self.data)

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


def cured(table: Table, weights: Weights | None, options: DataOptions, start: Start) -> Examined:
    """Examine a table and apply cures until none is left; what was done is among the findings."""
    done: list[Finding] = []
    for _ in range(MOST_ROUNDS):
        examined = examine(table, weights, options, start)
        curable = _to_cure_now(examined.diagnosis)
        cure = _possible(Diagnosis(0, 0, curable).cure, options)
        kept = [name for name in table.all_names if name not in cure.drop]
        if not cure or not kept:
            break
        done += [finding.fixed() for finding in _each_once(curable)]
        table, options = table.part(kept), _with_cure(options, cure, examined)
    diagnosis = replace(examined.diagnosis, findings=(*done, *examined.diagnosis.findings))
    return replace(examined, diagnosis=diagnosis)


def _each_once(findings: tuple[Finding, ...]) -> Iterator[Finding]:
    """Without findings whose cure others among them do."""
    cure = Cure()
    for finding in findings:
        if cure | finding.cure != cure:
            yield finding
        cure = cure | finding.cure


def _to_cure_now(diagnosis: Diagnosis) -> tuple[Finding, ...]:
    """What is missing is settled last: other cures change it."""
    curable = tuple(finding for finding in diagnosis.findings if finding.cure)
    return tuple(finding for finding in curable if not finding.cure.missing) or curable


def _possible(cure: Cure, options: DataOptions) -> Cure:
    """The cure without columns taken as numbers, where the test that was asked for has none."""
    entry = TABLE_TESTS.get(str(options.test))
    if entry is None or entry.columns != "discrete":
        return cure
    return replace(cure, drop=(*cure.drop, *cure.numbers), numbers=())


def _with_cure(options: DataOptions, cure: Cure, examined: Examined) -> DataOptions:
    """The options with what the cure changes."""
    changes: dict[str, Any] = {"drop": [*(options.drop or ()), *cure.drop]} if cure.drop else {}
    marks = {name: values for name, values in marks_of(options.missing_values).items() if name not in cure.drop}
    for name, values in cure.missing_values.items():
        marks[name] = (*marks.get(name, ()), *values)
    dates = [name for name in (*(options.dates or ()), *cure.dates) if name not in cure.drop]
    changes |= {"missing_values": marks or None, "dates": dates or None}
    if cure.numbers:
        changes["discrete"] = [name for name in examined.rows.data.discrete if name not in (*cure.numbers, *cure.drop)]
    elif options.discrete is not None:
        changes["discrete"] = [name for name in options.discrete if name not in cure.drop]
    if cure.missing:
        changes["missing"] = cure.missing
    return replace(options, **changes)


def examine(table: Table, weights: Weights | None, options: DataOptions, start: Start) -> Examined:
    """Choose the test for a table and build it, with what the doctor says."""
    tick = start("examining")
    if options.missing_values is not None or options.dates is not None:
        table = treated(table, options.missing_values, options.dates)
    whole, discrete = table, discrete_columns(table, options.discrete)
    gaps = Gaps.of(table)
    found = _about_whole(table, gaps, discrete, options, weights)
    tick()
    table = set_aside(table, found)
    discrete = tuple(name for name in discrete if name in table.kinds)
    chosen = _chosen(str(options.test), table, discrete)
    entry = TABLE_TESTS[chosen]
    _check_combination(options, chosen, entry)
    fractional = weights is not None and are_fractional(weights)  # as given, before rows are left out
    missing: tuple[Finding, ...] = ()
    if options.missing == "error":
        missing = tuple(examine_gaps(table, gaps.part(table.all_names), _accepted_missing(entry, options)))
    elif options.missing == "drop":
        table, weights, n_left_out = without_gaps(table, weights)
        found = (*_rows_left_out(n_left_out, whole.n_rows), *found)
    counts = None if weights is None else counted_as_rows(weights, fractional)
    data = TestData(
        table, discrete, counts, options.missing, options.correlation, start("correlations"), has_gaps=bool(missing)
    )
    if options.correlation == "auto":
        data, by_scores = _with_correlation(data, entry)
        found = (*found, *by_scores)
    rows = TableRows(data, entry, fractional)
    test, diagnosis = rows.build() if table.all_names else (None, Diagnosis(table.n_rows, 0, ()))
    findings = (*_survey_weights(weights if fractional else None, entry), *found, *missing, *diagnosis.findings)
    diagnosis = Diagnosis(table.n_rows, len(whole.all_names), findings, whole.all_names)
    if not diagnosis.errors and (weights is None or fractional):
        diagnosis = replace(diagnosis, findings=(*findings, *examine_rows(table, discrete)))
    return Examined(test, diagnosis, rows, replace(options, correlation=rows.data.correlation))


def _about_whole(
    table: Table, gaps: Gaps, discrete: tuple[Hashable, ...], options: DataOptions, weights: Weights | None
) -> tuple[Finding, ...]:
    """What is no variable of its own; a weighted row stands for many, and may well be the only one of its kind."""
    entry = TABLE_TESTS.get(str(options.test))
    as_discrete = discrete if entry is None else _taken_as_discrete(entry, table, discrete)
    by_ranks = options.correlation == "normal-scores"
    found = examine_whole(table, gaps, as_discrete, "error" if by_ranks else "warning")
    return found if weights is None else tuple(finding for finding in found if finding.kind not in OF_SINGLE_ROWS)


OF_SINGLE_ROWS = ("identifier", "panel")


def _taken_as_discrete(entry: TableTest, table: Table, discrete: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
    return {"numbers": (), "discrete": table.all_names, "both": discrete}[entry.columns]


def _with_correlation(data: TestData, entry: TableTest) -> tuple[TestData, tuple[Finding, ...]]:
    """The data with the correlation that "auto" comes to, and what is said of it."""
    complete = not data.has_gaps and data.missing in ("error", "drop")
    if "normal-scores" in entry.correlations and data.weights is None and complete and data.table.names:
        found = margins_of(data.table.values)
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


def _accepted_missing(entry: TableTest, options: DataOptions) -> tuple[str, ...]:
    """The values of ``missing`` that go with the other options."""
    plain = options.weights is None and options.correlation != "normal-scores"
    return entry.missing if plain else tuple(value for value in entry.missing if value in ("error", "drop"))


def _rows_left_out(n_left_out: int, n_rows: int) -> Iterator[Finding]:
    if n_left_out:
        text = f"{n_left_out} of {counted(n_rows, 'row')} have missing or infinite values and were left out"
        yield Finding("dropped rows", "warning", (), text)


def _survey_weights(weights: Weights | None, entry: TableTest) -> Iterator[Finding]:
    if weights is None:
        return
    size = f"{n_whole(counted_as_rows(weights, True).sum())} of {counted(len(weights), 'row')}"
    text = f"weights that are not whole are taken as survey weights: the effective sample size is {size} (Kish)"
    if entry.columns == "discrete":
        text += ". With them, tests whose strata have only a few rows do not keep their significance level"
    yield Finding("survey weights", "warning", (), text, "give whole numbers if they count equal rows")


def _chosen(asked: str, table: Table, discrete: tuple[Hashable, ...]) -> str:
    """The test by the types of the columns."""
    if asked != "auto":
        return asked
    if not discrete:
        return NUMBERS
    return DISCRETE if len(discrete) == len(table.all_names) else BOTH


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

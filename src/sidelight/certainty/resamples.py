"""The graphs of resamples: draw one, learn its graph, keep what is done; and what all of them say together."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import KW_ONLY, dataclass, fields, replace
from importlib.metadata import version
from math import inf
from numbers import Integral, Real
from pathlib import Path
from typing import Any, cast, get_args

import numpy as np

from sidelight.certainty.draws import Resampler
from sidelight.certainty.levels import checked_alphas, of_learning
from sidelight.errors import AnswerError, InputError
from sidelight.families import CITest
from sidelight.families.options import option
from sidelight.files.reading import user_path
from sidelight.graphs.dag import Dag
from sidelight.graphs.separating_sets import Pair, ordered
from sidelight.knowledge import Constraints
from sidelight.learning import learn_directions, learn_graph, learn_marks
from sidelight.options import AUTO, Given, Options, check_choice
from sidelight.prepare import Prepared
from sidelight.result.certainty import BACKWARD, FORWARD, UNDIRECTED, Method, PairCounts, Shares
from sidelight.result.marked_shares import LETTER_OF, NO_EDGE, MarkCounts
from sidelight.result.settings import RESAMPLES
from sidelight.runs.records import Records, Result
from sidelight.runs.running import Job, run
from sidelight.tables.findings import Finding, FindingKind
from sidelight.text.message import Message, Option, OptionName, must_be
from sidelight.text.sentences import counted

CPU_SECONDS = 4.0  # about two seconds on two cores
FEWEST, MOST = 20, 100  # resamples, unless the user says otherwise
RESAMPLES_WANTED = "resamples wanted"  # what progress is told before them, with their number
AT_ONCE = 5  # resamples that one job learns from, whatever the number of workers: records are kept by jobs
NAMED = 8  # columns in a warning
PAIRS: Method = "complementary-pairs"
DIRECTIONS: Method = "directions"
WITHIN = 0.2  # of the time of learning is what it takes to learn among the edges of the network only
# What the rows of a resample may lack that the table has, and what follows.
LACKING = {
    "constant": (
        FindingKind.CONSTANT_IN_RESAMPLES,
        "a column does not vary, and is isolated there",
        "the shares of its edges are too small",
    ),
    "fewer": (
        FindingKind.CATEGORIES_MISSING_IN_RESAMPLES,
        "a column lacks a rare category",
        "merge rare categories",
    ),
}


@dataclass(frozen=True)
class StabilityOptions(Options):
    """How resamples are drawn, and how a network is learned from each."""

    _: KW_ONLY
    resamples: int | str = option(
        RESAMPLES,
        'How many networks are learned, each from rows drawn again; "auto": as many as take about two seconds.',
        kept=False,
    )
    method: str = option(
        AUTO,
        'How rows are drawn: "bootstrap" (as many as there are, with replacement), "subsample" (a half of them, '
        'without), "complementary-pairs" (halves two by two that share no row, for which the expected number of '
        'false edges has a bound), "directions" (63 % of them, without; with categories a score looks at the edges of '
        'the network alone), or "auto" (bootstrap for tables of numbers, else subsample, since tests of categories '
        "take rows that repeat for evidence).",
        "How rows are drawn for resamples: bootstrap, subsample (a half), complementary-pairs, directions (63 %; with "
        "categories a score looks at the edges found alone), or auto: bootstrap "
        "for tables of numbers, subsample for others.",
    )
    seed: int = option(0, "Of the drawing; the same seed gives the same shares, for any number of workers.")
    max_false_edges: float | None = option(
        None,
        "How many false edges the consensus may be expected to have at most; chooses the threshold. It needs "
        'method="complementary-pairs".',
        "Expected number of false edges in the consensus, at most; needs complementary pairs.",
    )
    alphas: Sequence[float] | None = option(
        None,
        "Significance levels to compare beside, two or more: the network's ``levels`` hold the edges at each.",
        kept=False,
    )
    records: str | Path | None = option(
        None,
        "A file that keeps what is done: the same call goes on from there after an interruption.",
        kept=False,
    )
    n_jobs: int = option(
        -1, "How many workers learn from resamples; -1 for all cores. The result is the same.", kept=False
    )

    def checked_resampling(self) -> Options:
        """The options of ``learn`` alone; an ``InputError`` names what is wrong with the others."""
        if self.resamples != AUTO:
            _check_whole("resamples", self.resamples, 2, "a number of resamples, 2 or more, or 'auto'")
        _check_whole("seed", self.seed, 0, "a whole number, 0 or more")
        check_choice("method", self.method, (AUTO, *get_args(Method)))
        if self.method == PAIRS and self.resamples != AUTO and int(self.resamples) % 2:
            even = (OptionName("resamples"), " must be even with ", Option("method", PAIRS))
            raise InputError(Message(*even, f"; got {self.resamples}"))
        most = self.max_false_edges
        if most is not None and not (isinstance(most, Real) and 0 < float(most) < inf):
            raise InputError(must_be("max_false_edges", "a number above 0, such as 1", most))
        if most is not None and self.method != PAIRS:
            raise InputError(Message(Option("max_false_edges"), " needs ", Option("method", PAIRS)))
        if self.alphas is not None:
            checked_alphas(self.alphas)
        return of_learning(self)

    def resampling(self) -> dict[str, Given]:
        """The options of the drawing that differ from their defaults."""
        shared = {field.name for field in fields(Options)}
        given = {name: value for name, value in self.given().items() if name not in shared}
        return given if self.resamples == RESAMPLES else {"resamples": int(self.resamples), **given}

    def with_number(self, test: CITest) -> StabilityOptions:
        """The same with the number that "auto" stands for with the data of this test."""
        if self.resamples != AUTO:
            return self
        return replace(self, resamples=affordable(test.seconds_per_graph() * (WITHIN if self.only_directions else 1)))

    @property
    def only_directions(self) -> bool:
        """True where only the edges of the network are looked at."""
        return self.method == DIRECTIONS

    def method_for(self, test: CITest) -> Method:
        """The method, also where it is left to the test."""
        by_test: Method = "subsample" if test.takes_copies_for_evidence else "bootstrap"
        return by_test if self.method == AUTO else cast(Method, self.method)


def affordable(each: float) -> int:
    """How many resamples take little time, each so many seconds; 0 where that is too few to say anything."""
    number = int(CPU_SECONDS / each) // 10 * 10
    if number < FEWEST and FEWEST * each <= 2 * CPU_SECONDS:
        number = FEWEST
    return min(number, MOST) if number >= FEWEST else 0


def _check_whole(name: str, value: object, least: int, what: str) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise InputError(must_be(name, what, value))


@dataclass(frozen=True)
class Learning:
    """The work on resamples: draw one, and learn its graph."""

    resampler: Resampler
    options: Options
    among: Dag | None = None  # the edges that are looked at; None for all

    def __call__(self, job: Job) -> Result:
        """The graphs of the resamples with these numbers."""
        known = self.options.constraints(self.resampler.names)
        return {"graphs": [self._graph(number, known) for number in range(*job["numbers"])]}

    def _graph(self, number: int, known: Constraints | None) -> Result:
        test, lacking = self.resampler.draw(number)
        try:
            edges = self._edges(Prepared(test), known)
        except (InputError, AnswerError, np.linalg.LinAlgError) as error:
            return {**lacking, "failed": str(error)}
        return {
            **lacking,
            "determined": self.among is None and not test.can_condition_on(len(self.resampler.names) - 2),
            **edges,
        }

    def _edges(self, data: Prepared, known: Constraints | None) -> Result:
        if self.options.hidden:
            return {"marked": [(e.a, e.b, e.symbol) for e in learn_marks(data, self.options, known).edges()]}
        if self.among is None:
            graph = learn_graph(data, self.options, known)
        else:
            graph = learn_directions(data, self.options, known, self.among)
        return {"directed": graph.directed_edges(), "undirected": graph.undirected_edges()}

    def fingerprint(self) -> str:
        """What distinguishes this work from other work: the rows and the options."""
        data, known = self.resampler.rows.data, self.options.known
        digest = hashlib.sha256(np.ascontiguousarray(data.table.values).tobytes())
        weights = b"" if data.weights is None else np.ascontiguousarray(data.weights).tobytes()
        words = (data.table.all_names, data.discrete, self.options.given(), self.resampler.method, self.resampler.seed)
        groups = b"" if data.rows.groups is None else np.ascontiguousarray(data.rows.groups).tobytes()
        settings = b"" if data.rows.settings is None else data.rows.settings.of_row.tobytes()
        among = b"" if self.among is None else repr(self.among.edges()).encode()
        for part in (weights, groups, settings, repr(words).encode(), str(known).encode(), among):
            digest.update(part)
        return digest.hexdigest()


def learn_all(work: Learning, options: StabilityOptions, report: Callable[[str, int], None]) -> list[Result]:
    """The graphs of all resamples in the order of their numbers; after Ctrl-C, of those that are done."""
    wanted, done = int(options.resamples), 0
    kept = None if options.records is None else Records(user_path(options.records), version("sidelight"))
    work_on = "" if kept is None else work.fingerprint()
    jobs: list[Job] = [
        {"resamples": work_on, "numbers": [start, min(start + AT_ONCE, wanted)]} for start in range(0, wanted, AT_ONCE)
    ]
    with nullcontext() if kept is None else closing(kept):
        results: dict[int, list[Result]] = {}
        try:
            for job, result in run(jobs, kept, work, options.n_jobs, options.dask, lambda count: None):
                results[job["numbers"][0]] = result["graphs"]
                done += len(result["graphs"])
                report("resamples", done)
        except KeyboardInterrupt:
            if not results:
                raise
            report("stopped", done)
    return [graph for start in sorted(results) for graph in results[start]]


def shares_of(graphs: Sequence[Result], resampler: Resampler, max_false_edges: float | None) -> Shares:
    """How often each edge is in the graphs that could be learned."""
    learned = [graph for graph in graphs if "failed" not in graph]
    ways, of_pags = _ways(learned), any("marked" in graph for graph in learned)
    kind = MarkCounts if of_pags else PairCounts
    counts: Any = {pair: kind.of(letters) for pair, letters in ways.items()}
    most = None if max_false_edges is None else float(max_false_edges)
    return Shares(resampler.names, resampler.method, resampler.seed, len(learned), counts, most, ways)


def _ways(learned: Sequence[Result]) -> dict[Pair, str]:
    """How the edge of each pair points in each graph, a letter for each of them."""
    letters: dict[Pair, list[str]] = {}
    for number, graph in enumerate(learned):
        for pair, letter in _letters(graph):
            letters.setdefault(pair, [NO_EDGE] * len(learned))[number] = letter
    return {pair: "".join(letters[pair]) for pair in sorted(letters)}


def _letters(graph: Result) -> Iterator[tuple[Pair, str]]:
    for tail, head in graph.get("directed", ()):
        yield ordered(tail, head), FORWARD if tail < head else BACKWARD
    for x, y in graph.get("undirected", ()):
        yield ordered(x, y), UNDIRECTED
    for x, y, way in graph.get("marked", ()):  # the first comes before the second
        yield (x, y), LETTER_OF[way]


def findings_about(graphs: Sequence[Result], names: tuple[Hashable, ...], wanted: int) -> Iterator[Finding]:
    """Warnings of resamples that are not there, or lack something that the table has."""
    total = counted(wanted, "resample")
    failures = [graph["failed"] for graph in graphs if "failed" in graph]
    if len(graphs) < wanted:
        text = f"{len(graphs)} of {total} were learned before it was stopped"
        yield Finding(FindingKind.STOPPED, "warning", (), text, "the shares are of these")
    if failures:
        text = f"{len(failures)} of {total} could not be learned ({failures[0]})"
        yield Finding(FindingKind.FAILED_RESAMPLES, "warning", (), text, "the shares are of the others")
    for key, (kind, words, remedy) in LACKING.items():
        lacking = [graph[key] for graph in graphs if graph[key]]
        if lacking:
            columns = Counter[int](column for each in lacking for column in each).most_common()
            shown = ", ".join(f"{names[v]} in {count}" for v, count in columns[:NAMED])
            more = f" and {counted(len(columns) - NAMED, 'more column')}" if len(columns) > NAMED else ""
            text = f"in {len(lacking)} of {total} {words} ({shown}{more})"
            yield Finding(kind, "warning", tuple(names[v] for v, _ in columns), text, remedy)
    n_determined = sum(graph.get("determined", False) for graph in graphs)
    if n_determined:
        text = f"in {n_determined} of {total} rows are too few, or columns are linearly dependent, for tests "
        yield Finding(FindingKind.SINGULAR_RESAMPLES, "warning", (), f"{text}given all other columns")

"""``stability``: a network of the whole table, and how often networks of resamples agree with it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidelight.certainty.draws import Resampler
from sidelight.certainty.levels import checked_alphas, of_learning, with_levels
from sidelight.certainty.resamples import (
    DIRECTIONS,
    FEWEST,
    PAIRS,
    RESAMPLES_WANTED,
    Learning,
    StabilityOptions,
    findings_about,
    learn_all,
    shares_of,
)
from sidelight.errors import InputError
from sidelight.explain import Explanation
from sidelight.families import CITest
from sidelight.graphs.marks import MarkedGraph
from sidelight.graphs.separating_sets import skeleton_of
from sidelight.knowledge.time import closed_dag
from sidelight.learners import LEARNERS
from sidelight.learning import Clock, learn_prepared, prepared
from sidelight.network import Network
from sidelight.options import AUTO, Given, Options, takes
from sidelight.prepare import Prepared
from sidelight.result.by_position import EdgeTests
from sidelight.result.certainty import Shares, consensus_graph, ways_of
from sidelight.result.evidence import MeasuredEdges, TestedEdges, TestedMissing
from sidelight.result.marked_shares import at_ends
from sidelight.result.trust import Certificate
from sidelight.tables.all_rows import FEWEST_ROWS
from sidelight.text.message import Message, Option, must_be
from sidelight.text.sentences import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = 8  # pairs
COLUMNS = ("a", "b", "adjacent", "forward", "backward", "undirected", "error", "network")
ENDS = tuple(f"{mark}_at_{end}" for end in "ab" for mark in ("arrow", "tail", "circle"))


@takes(StabilityOptions)
def stability(source: object, options: StabilityOptions) -> Stability:
    """Learn a network from a table, and many more from resamples of its rows: how sure is each edge and each arrow?

    Args:
        source: a table (a path to a CSV, TSV, Parquet or Feather file, a data frame, or a NumPy array).
    """
    asked = options.checked_resampling()
    data, clock = prepared(source, asked)
    drawing = options.with_number(data.test)
    if not drawing.resamples:
        drawing = replace(drawing, resamples=FEWEST)
    _check_rows(source, asked, data, drawing.method_for(data.test))
    return Stability(_with_shares(source, data, asked, drawing, clock), data.test)


def learn_and_resample(source: object, options: Options) -> Network:
    """``learn`` where it was asked for resamples."""
    drawing = StabilityOptions(**{field.name: getattr(options, field.name) for field in fields(Options)})
    return learn_with_resamples(source, drawing)


def learn_with_resamples(source: object, options: StabilityOptions) -> Network:
    """A network, with shares among as many resamples as were asked for, which may be none.

    Where their number is left open and rows cannot be drawn, there are none.
    """
    # With Dask rows are elsewhere, and resamples are drawn here; a PAG takes longer than the time that is foreseen.
    if options.resamples == AUTO and (options.dask is not None or options.hidden):
        options = replace(options, resamples=0)
    asked = of_learning(options) if options.resamples == 0 else options.checked_resampling()
    data, clock = prepared(source, asked, bool(options.resamples))
    method = options.method_for(data.test)
    if options.resamples == AUTO and _why_not(source, asked, data, method):
        options = replace(options, resamples=0)
    drawing = options.with_number(data.test)
    if drawing.resamples:
        _check_rows(source, asked, data, method)
        return _with_shares(source, data, asked, drawing, clock)
    return _at_levels(learn_prepared(source, data, asked, clock), data, asked, options)


def _searches(asked: Options, test: CITest) -> bool:
    """Does a score decide directions, so that they can be learned again by themselves?"""
    return LEARNERS[asked.for_test(bool(test.scores())).learner].search is not None


def _at_levels(network: Network, data: Prepared, asked: Options, options: StabilityOptions) -> Network:
    """With what changes at other significance levels, if some were given."""
    if options.alphas is None:
        return network
    return with_levels(network, data.test, asked, checked_alphas(options.alphas))


def _with_shares(source: object, data: Prepared, asked: Options, options: StabilityOptions, clock: Clock) -> Network:
    """Learn from the whole table and from resamples of its rows."""
    assert data.rows is not None
    resampler = Resampler.of(data.rows, options.method_for(data.test), int(options.seed))
    network = _at_levels(learn_prepared(source, data, asked, clock), data, asked, options)
    clock.report(RESAMPLES_WANTED, int(options.resamples))
    clock.start("resamples")
    alone = replace(asked.for_test(bool(data.test.scores())), progress=None, n_jobs=1, dask=None)
    among = network.by_position.dag if options.only_directions else None
    graphs = learn_all(Learning(resampler, alone, among), options, clock.report)
    return replace(
        network,
        shares=shares_of(graphs, resampler, options.max_false_edges),
        warnings=(*network.warnings, *findings_about(graphs, network.names, int(options.resamples))),
        settings=replace(network.settings, resampling=options.resampling()),
        seconds={**network.seconds, "resamples": clock.stop()["resamples"]},
    )


@dataclass(frozen=True, repr=False)
class Stability:
    """A network of the whole table, with how often networks of resamples have each edge and each arrow.

    Attributes:
        network: of the whole table; its ``shares`` hold the counts, its ``warnings`` what was wrong with resamples.
    """

    network: Network
    _test: CITest

    @property
    def shares(self) -> Shares:
        """The counts, and what follows from them."""
        assert self.network.shares is not None
        return self.network.shares

    @property
    def adjacency(self) -> Mapping[frozenset[Hashable], float]:
        """For every pair of names, as a frozenset, the share of the resamples in which it is adjacent."""
        return self.shares.adjacency

    @property
    def arrow(self) -> Mapping[tuple[Hashable, Hashable], float]:
        """For every (tail, head), the share of the resamples in which an arrow points from tail to head."""
        return self.shares.arrow

    @property
    def threshold(self) -> float:
        """From which share on an edge belongs to the consensus, unless another threshold is given."""
        return self.shares.threshold

    def consensus(self, threshold: float | None = None) -> Network:
        """The network of the edges whose share reaches the threshold, directed as most resamples say.

        It is always the essential graph of a DAG. Its evidence comes from tests on the whole table.

        Args:
            threshold: a share, above 0 and at most 1; by default chosen from the shares, or by ``max_false_edges``.
        """
        return consensus_network(self.network, self._test, threshold)

    def false_edges(self, threshold: float | None = None) -> float:
        """A bound on the expected number of false edges in the consensus (Shah and Samworth 2013).

        Only for complementary pairs. False is an edge that half of the rows give no more often than a pair at random.
        """
        if self.shares.method != PAIRS:
            raise InputError(Message("the bound on false edges needs ", Option("method", PAIRS)))
        return self.shares.false_edges(self.threshold if threshold is None else threshold)

    def frame(self) -> Any:
        """All pairs that are ever adjacent, the least certain first, as a table.

        A pandas data frame if pandas is installed, else a pyarrow table. ``error`` is the standard error of
        ``adjacent`` from drawing so many resamples, ``network`` how the edge points in the network of the whole table.
        Of PAGs, the shares of each mark at a and at b are given in place of directions.
        """
        names = (*COLUMNS[:3], *ENDS, *COLUMNS[-2:]) if self.network.is_pag else COLUMNS
        columns = dict(zip(names, zip(*self._rows(), strict=True), strict=False)) or dict.fromkeys(names, ())
        try:
            import pandas as pd
        except ImportError:
            import pyarrow as pa

            return pa.table({name: list(column) for name, column in columns.items()})
        return pd.DataFrame({name: list(column) for name, column in columns.items()})

    def _rows(self) -> Iterator[tuple[object, ...]]:
        shares, ways = self.shares, ways_of(self.network.by_position.marks)
        for x, y in shares.by_doubt():
            counts = shares.of(x, y)
            ends = [count for end in at_ends(counts) for count in end.values()]
            parts = [shares.share(count) for count in (counts.adjacent, *(ends if self.network.is_pag else counts))]
            yield self.names[x], self.names[y], *parts, shares.error(counts.adjacent), ways.get((x, y), "")

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The variables, in the order of the columns."""
        return self.network.names

    def explain(self, a: Hashable, b: Hashable) -> Explanation:
        """The evidence for two variables in the network of the whole table, and their shares."""
        return self.network.explain(a, b)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the network of the whole table, with lines as wide as the shares of its edges."""
        return self.network.plot(ax)

    def report(self, path: str | Path, overwrite: bool = False) -> None:
        """Write the report, with a slider for the threshold of the consensus."""
        self.network.report(path, overwrite)

    def write(self, path: str | Path, overwrite: bool = False) -> None:
        """Write the network with its shares, by the extension as ``Network.write`` does."""
        self.network.write(path, overwrite)

    def _repr_html_(self) -> str:
        return self.network._repr_html_()

    def __repr__(self) -> str:
        shares = self.shares
        chosen = counted(len(shares.chosen()), "edge")
        least_certain = shares.by_doubt()[:SHOWN]
        shown = [f"  {self.names[x]}, {self.names[y]}: {shares.in_words(x, y)}" for x, y in least_certain]
        return "\n".join(
            [
                f"<Stability: {counted(shares.n_resamples, 'resample')} ({shares.method}, seed {shares.seed}); "
                f"{chosen} with a share of {shares.threshold:.2f} or more; the least certain pairs:>",
                *shown,
            ]
        )


def _check_rows(source: object, asked: Options, data: Prepared, method: str) -> None:
    why = _why_not(source, asked, data, method)
    if why:
        raise InputError(why)


def _why_not(source: object, asked: Options, data: Prepared, method: str) -> str:
    """Why no resamples can be drawn in this way; empty where they can."""
    rows = data.rows
    if rows is None:
        kind = "a function as the test" if callable(asked.test) else f"a {type(source).__name__}"
        return f"stability draws rows of a table for one of the library's own tests, not of {kind}"
    if not rows.data.rows.in_memory:
        grant = Message(Option("memory"), " grants more, or take a part of the rows")
        return Message("resamples are drawn from rows in memory, and this table does not fit: ", grant)
    if method == DIRECTIONS and (asked.hidden or not _searches(asked, data.test)):
        return Message(
            Option("method", DIRECTIONS), " goes with score-based search, such as ", Option("learner", "hybrid")
        )
    n_rows = rows.data.n_samples if method == "bootstrap" else rows.data.n_samples // 2
    if n_rows < FEWEST_ROWS:
        has = f"the table has {counted(rows.data.n_samples, 'row')}, and half of them are too few to learn from; use "
        return Message(has, Option("method", "bootstrap"))
    return ""


def consensus_network(network: Network, test: CITest, threshold: float | None) -> Network:
    """The consensus of a network's resamples as a network, with evidence from tests on the whole table."""
    shares = network.shares
    assert shares is not None
    least = shares.threshold if threshold is None else threshold
    if threshold is not None and not (isinstance(threshold, Real) and 0 < float(threshold) <= 1):
        raise InputError(must_be("threshold", "a share of the resamples, above 0 and at most 1", threshold))
    given: dict[str, Given] = {} if threshold is None else {"threshold": float(threshold)}
    names = network.names
    known = network.settings.constraints(names)
    found = consensus_graph(shares, least, known)
    skeleton, before = skeleton_of(closed_dag(found.dag, known)), frozenset[int]() if known is None else known.given
    skeleton.open(before)
    sets = skeleton.separating_sets(names)
    members = [set() if v in before else boundary for v, boundary in enumerate(found.dag.boundaries())]
    boundaries = {name: frozenset(names[y] for y in its) for name, its in zip(names, members, strict=True)}
    edge_tests = EdgeTests(names, list(map(set, found.dag.neighbours)), boundaries, (), False)
    return replace(
        network,
        separating_sets=sets,
        boundaries=boundaries,
        removal_order=(),
        tests_by_size={},
        tests_by_phase={},
        boundary_tests=0,
        check_tests=0,
        certificate=_certificate(shares, least, len(found.dag.edges())),
        settings=replace(network.settings, boundaries="none", regrown=False, boundary_alpha=None, consensus=given),
        seconds={},
        _graph=MarkedGraph.of_partial(names, found.graph),
        _dag=found.dag,
        steps=(),
        score=None,
        edge_losses={},
        turn_costs={},
        search_steps=(),
        added_edges=(),
        doubts=(),
        levels=None,
        edge_strengths=MeasuredEdges(test, found.dag),
        edge_evidence=TestedEdges(test, edge_tests),
        missing_p_values=TestedMissing(test, names, sets),
    )


def _certificate(shares: Shares, threshold: float, n_edges: int) -> Certificate:
    which = f"at least {threshold:.0%} of {counted(shares.n_resamples, 'resample')}"
    sentence = f"the {counted(n_edges, 'edge')} that {which} have, directed as most of these say."
    if threshold > 1:
        sentence = "no threshold keeps the expected number of false edges within what was asked."
    return Certificate("cannot be checked", sentence, False)

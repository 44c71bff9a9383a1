"""What was learned, with its evidence: the graph, the separating sets, the counts, the certificate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import networkx as nx

from sidelight.consistency.knowledge import Doubt
from sidelight.consistency.marked_knowledge import marks_with
from sidelight.errors import InputError
from sidelight.graphs.dag import Dag
from sidelight.graphs.marks import MarkedGraph
from sidelight.graphs.names import hint_at_names
from sidelight.graphs.separating_sets import SeparatingSets
from sidelight.interview import mean_size
from sidelight.kinds.types import ColumnType, types_counted
from sidelight.knowledge import Known, Statement, constraints_of, known, read_knowledge
from sidelight.learners.task import Step
from sidelight.orientation.essential import directed_further
from sidelight.result.by_position import ByPosition, EdgeTests
from sidelight.result.certainty import CERTAIN, Levels, Shares
from sidelight.result.evidence import EdgeEvidence, MeasuredEdges, Strengths
from sidelight.result.over_time import OverTime
from sidelight.result.settings import Settings
from sidelight.result.trust import Certificate
from sidelight.search import SearchStep
from sidelight.tables.findings import Finding
from sidelight.text.sentences import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sidelight.effects import AdjustmentSets, DirectEffect, Effect, RankedEffects
    from sidelight.explain import Audit, Causation, Explanation
    from sidelight.fit import FittedNetwork

Edge = tuple[Hashable, Hashable]
EDGES_SHOWN = 30
ARROWS_SHOWN, MOST_JUDGED = 6, 1000  # of those that survive hidden causes; columns beyond which nobody waits for that
NO_HIDDEN_CAUSES = "assumes no hidden common causes"
_SYMBOLS = ("→", "—", "↔", "○→", "○—○", "○—")  # in the order in which edges are listed
_BACKWARDS = ("←", "←○", "—○")


@dataclass(frozen=True, repr=False)
class Network:
    """A learned Bayesian-network structure: its Markov equivalence class, as an essential graph over the names.

    Where causes may be hidden (``learn(…, hidden=True)``) it is a class of ancestral graphs, as a PAG; ``mark``,
    ``edges`` and ``causes`` say what it shows, and methods that need a DAG raise an ``InputError``.

    ``edge_strengths``, ``edge_evidence`` and ``missing_p_values`` are computed when they are looked up, so a network
    keeps the test that it was learned with. One that was read from a file has those that were kept in the file.

    Attributes:
        names: the variables, in the order of the columns.
        separating_sets: for every pair that is not adjacent, as a frozenset, the set given which it is independent.
        boundaries: the Markov boundary that was found for each variable, before the check; where the order of
            variables was known, the one among those that are not later.
        removal_order: the variables in the order in which they were removed; empty for learners that do not remove.
        tests_by_size: how many tests were made after the boundaries, by the size of the conditioning set.
        tests_by_phase: the same, by the phase of the learner.
        boundary_tests: how many tests it took to find the boundaries.
        check_tests: how many tests it took at the end to check, and to mend, what follows without a test.
        certificate: whether the side information holds for what was learned.
        warnings: what may be wrong, as findings with a kind, the variables concerned and a text.
        trust: one line on what limits trust most, with the smallest effect that the rows could show.
        settings: what it was learned with, and the call and the command that learn it again.
        seconds: how long each phase took.
        steps: the log of the removals.
        score: of the structure, in nats, where the learner searched by score.
        edge_losses: what the score loses without each edge, by its pair as a frozenset.
        turn_costs: what the score loses if an arrow (tail, head) is turned, with the parents of both chosen anew; not
            there for arrows that cannot be turned alone.
        search_steps: the score and the number of edges before the search by score, after it, and within a bound.
        added_edges: the edges that the check added, since nothing was found to separate the pair.
        doubts: what was said of the structure and what is learned without it contradicts, the clearest first.
        shares: how often pairs are adjacent, and arrows point each way, among graphs of resamples; None without them.
        levels: the edges at several significance levels; None if there was one.
        types: what each column of the table was taken as, and how that was decided; empty without a table.
        n_rows, n_complete: how many rows the table has, and how many of them are complete; None without a table.
        edge_strengths: the effect size of each edge given the other parents of its head in ``to_dag()``, by its pair as
            a frozenset; empty where the test measures none. Effects of interventions are another thing: ``effect``.
        edge_evidence: the evidence for each edge, by its pair as a frozenset.
        missing_p_values: for every pair that is not adjacent, the p-value given its separating set.
    """

    names: tuple[Hashable, ...]
    separating_sets: SeparatingSets
    boundaries: Mapping[Hashable, frozenset[Hashable]]
    removal_order: tuple[Hashable, ...]
    tests_by_size: Mapping[int, int]
    tests_by_phase: Mapping[str, int]
    boundary_tests: int
    check_tests: int
    certificate: Certificate
    warnings: tuple[Finding, ...]
    trust: str
    settings: Settings
    seconds: Mapping[str, float] = field(compare=False)
    _graph: MarkedGraph
    _dag: Dag | None  # none where causes may be hidden
    steps: tuple[Step, ...] = ()
    score: float | None = None
    edge_losses: Mapping[frozenset[Hashable], float] = field(default_factory=dict)
    turn_costs: Mapping[Edge, float] = field(default_factory=dict)
    search_steps: tuple[SearchStep, ...] = ()
    added_edges: tuple[Edge, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    shares: Shares | None = None
    levels: Levels | None = None
    types: tuple[ColumnType, ...] = ()
    n_rows: int | None = None
    n_complete: int | None = None
    edge_strengths: Strengths = field(default_factory=dict, compare=False)
    edge_evidence: Mapping[frozenset[Hashable], EdgeEvidence] = field(default_factory=dict, compare=False)
    missing_p_values: Mapping[frozenset[Hashable], float] = field(default_factory=dict, compare=False)

    @property
    def is_pag(self) -> bool:
        """True where causes may be hidden."""
        return self._dag is None

    @property
    def directed_edges(self) -> list[Edge]:
        """The edges (tail, head) on whose direction all members of the class agree."""
        return [(a, b) for a, symbol, b in self.edges if symbol == "→"]

    @property
    def undirected_edges(self) -> list[Edge]:
        """The edges that have either direction in some DAG of the class; in a PAG, those that selection explains."""
        return [(a, b) for a, symbol, b in self.edges if symbol == "—"]

    @property
    def uncertain_arrows(self) -> list[Edge]:
        """The directed edges that fewer than 80 % of the graphs of resamples have with this direction.

        Those that background knowledge directs are not among them, and none is where there are no resamples.
        """
        if self.shares is None or self.is_pag:
            return []
        known = self.by_position.known
        arrows = [(a, b) for a, b in self.by_position.graph.directed_edges() if known is None or known.allowed[b, a]]
        shares = self.shares
        doubtful = (arrow for arrow in arrows if shares.share(shares.of(*arrow).forward) < CERTAIN)
        return [(self.names[a], self.names[b]) for a, b in doubtful]

    @property
    def certain_arrows(self) -> list[Edge]:
        """The other directed edges, of those that were learned from resamples too: in judged tables most were right."""
        if self.shares is None or self.is_pag:
            return []
        doubtful = set(self.uncertain_arrows)
        return [arrow for arrow in self.directed_edges if arrow not in doubtful]

    @cached_property
    def edges(self) -> list[tuple[Hashable, str, Hashable]]:
        """All edges (a, symbol, b), the symbol being one of → — ↔ ○→ ○—○ ○—; directed ones first, by column."""
        turned = (edge.reversed() if edge.symbol in _BACKWARDS else edge for edge in self._graph.edges())
        ranked = sorted(turned, key=lambda edge: (_SYMBOLS.index(edge.symbol), edge.a, edge.b))
        return [(self.names[edge.a], edge.symbol, self.names[edge.b]) for edge in ranked]

    @cached_property
    def over_time(self) -> OverTime:
        """Of a network that was learned over time: its edges between columns with their lags, and both graphs."""
        order = self.settings.time_order
        if order is None:
            raise InputError("this network was not learned over time, as learn(…, time=…) does")
        return OverTime.of(order, self.names, self.edges)

    @property
    def summary_graph(self) -> nx.DiGraph:
        """Of a network over time, the columns with the ``lags`` of each edge; there may be cycles."""
        return self.over_time.summary_graph

    def mark(self, a: Hashable, b: Hashable) -> str | None:
        """The mark at b's end of the edge between a and b: "tail", "arrow" or "circle"; None if there is no edge.

        A tail at b says that b is a cause of a (or may be, in the undirected edges of an essential graph), an arrow
        that it is not, a circle that both are possible.
        """
        mark = self._graph.mark(self._position(a), self._position(b))
        return None if mark is None else str(mark)

    def _position(self, name: Hashable) -> int:
        index = self.by_position.edge_tests.index
        if name not in index:
            raise InputError(f"there is no variable {name!r} in this network{hint_at_names(name, self.names)}")
        return index[name]

    @property
    def skeleton(self) -> nx.Graph:
        """All edges without their directions, as a ``networkx.Graph`` over the names."""
        graph = nx.Graph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from((a, b) for a, _, b in self.edges)
        return graph

    def search_in_words(self) -> str:
        """The steps of the search by score in one line; empty if there was none."""
        return "; ".join(
            f"{step.what} {step.score:,.1f} ({counted(step.n_edges, 'edge')})" for step in self.search_steps
        )

    @property
    def n_tests(self) -> int:
        """How many tests were made after boundary discovery, as the paper counts them."""
        return sum(self.tests_by_size.values())

    @property
    def mean_conditioning_size(self) -> float:
        """The mean size of the conditioning sets of those tests; 0 when there were none."""
        return mean_size(self.tests_by_size)

    @property
    def max_conditioning_size(self) -> int:
        """The size of the largest conditioning set of those tests; 0 when there were none."""
        return max(self.tests_by_size, default=0)

    @cached_property
    def by_position(self) -> ByPosition:
        """The same by position in ``names``, for the library's own use."""
        adjacency = list(map(set, self._graph.neighbours))
        tests = EdgeTests(self.names, adjacency, self.boundaries, self.steps, "retest" in self.tests_by_phase)
        return ByPosition(self._graph, self._dag, self.separating_sets, tests, self.settings)

    @property
    def overruled_v_structures(self) -> list[tuple[Hashable, Hashable, Hashable]]:
        """All (a, c, b) whose separating sets imply a → c ← b, but which contradict other evidence."""
        return [(self.names[a], self.names[c], self.names[b]) for a, c, b in self.by_position.overruled]

    def explain(self, a: Hashable, b: Hashable) -> Explanation:
        """Why two variables are adjacent or not, and why the edge points as it does: in words, and as data."""
        from sidelight.explain import explain

        return explain(self, a, b)

    def causes(self, a: Hashable, b: Hashable) -> Causation:
        """Does a cause b, directly or by way of others? The ``answer`` is "yes", "no" or "possibly", ``because`` why.

        That is what all members of the class say, or only some of them, from ``edges``.
        """
        from sidelight.explain import causes

        x, y = self._position(a), self._position(b)
        if x == y:
            raise InputError(f"two different variables are needed; both are {a!r}")
        return causes(self, x, y)

    def audit(
        self,
        data: object,
        alpha: float | None = None,
        *,
        names: Sequence[Hashable] | None = None,
        correlation: str | None = None,
        test: str | Callable[[Any, Any, list[Any], Any], float] | None = None,
        discrete: Iterable[Hashable] | None = None,
        types: Mapping[Hashable, object] | str | Path | None = None,
        missing: str | None = None,
        weights: object = None,
        groups: Hashable | None = None,
        variation: str | None = None,
    ) -> Audit:
        """Test every missing edge given its separating set and every edge given the rest of the boundary.

        What is not given is as it was when the network was learned.

        Args:
            data: the same as for ``learn``, or other data with the same variables, matched by name.
            alpha: the significance level; for missing edges it is divided by their number.
            names: the names of an array's columns; by default those of the network, in its order.
            correlation: as for ``learn``, and so are ``discrete``, ``types`` and ``missing``.
            test: as for ``learn``; a function has to be given again.
            weights: as for ``learn``; a column of weights is found again by its name, if the data have it.
            groups: as for ``learn``, and so is ``variation``; the column is found again, too.
        """
        from sidelight.explain import audit

        changes: dict[str, object] = {"names": names, "correlation": correlation, "test": test}
        changes |= {"discrete": discrete, "types": types, "missing": missing, "weights": weights}
        changes |= {"groups": groups, "variation": variation}
        return audit(self, data, alpha, {name: value for name, value in changes.items() if value is not None})

    def with_knowledge(self, knowledge: Statement | Known | str | Path) -> Network:
        """The same network with the further directions that knowledge implies, without learning anew.

        That is sound as long as knowledge changes no edge and no direction; where it would, an ``InputError`` says so.

        Args:
            knowledge: statements such as ``Tiers`` or ``Required``, joined by ``&``, or a path to a file with them.
        """
        more = read_knowledge(knowledge) if isinstance(knowledge, str | Path) else known(knowledge)
        if more.bounds:
            raise InputError(f"a bound ({more.side}) says nothing about directions; learn again with it")
        whole = self.settings.known & more
        if self.is_pag:
            found, doubts = marks_with(whole, self.by_position.by_sets.graph)
            if doubts:
                raise InputError(f"what was learned contradicts it: {'; '.join(map(str, doubts))}")
            return replace(self, settings=replace(self.settings, known=whole), _graph=found.graph)
        all_known = replace(self.settings, known=whole).constraints(self.names) or constraints_of(whole, self.names)
        graph, dag = directed_further(self.by_position.dag, all_known)
        marks = MarkedGraph.of_partial(self.names, graph)
        strengths = self.edge_strengths
        if isinstance(strengths, MeasuredEdges):
            strengths = strengths.over(dag)
        settings = replace(self.settings, known=whole)
        return replace(self, settings=settings, _graph=marks, _dag=dag, edge_strengths=strengths)

    def to_networkx(self) -> nx.DiGraph:
        """The essential graph as a ``networkx.DiGraph``: an undirected edge stands in both directions.

        Every edge carries an attribute ``directed``, True or False.
        """
        return self.by_position.graph.to_networkx(self.names)

    def to_dag(self) -> nx.DiGraph:
        """One DAG of the equivalence class, as a ``networkx.DiGraph``."""
        return self.by_position.dag.to_networkx()

    def write(self, path: str | Path, overwrite: bool = False, for_spreadsheets: bool = False) -> None:
        """Write it, by the extension: JSON (whole, for ``sidelight.read``), DOT, GraphML, GML, CSV, SVG, PNG or PDF.

        A CSV file ``for_spreadsheets`` has an apostrophe before names that a spreadsheet would take as formulas.
        """
        from sidelight.output.network_methods import write

        write(self, path, overwrite, for_spreadsheets)

    def report(self, path: str | Path, overwrite: bool = False) -> None:
        """Write one self-contained HTML file that shows the graph, the evidence and how it was learned."""
        from sidelight.output.network_methods import write_report

        write_report(self, path, overwrite)

    def methods(self) -> str:
        """A paragraph for the methods section of a paper: data, test, algorithm, score, assumptions, references."""
        from sidelight.output.network_methods import methods

        return methods(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the essential graph with matplotlib (``pip install 'sidelight[plot]'``) and return the axes."""
        from sidelight.output.network_methods import plot

        return plot(self, ax)

    def _repr_html_(self) -> str:
        """The graph and a summary, for notebooks."""
        from sidelight.output.network_methods import to_notebook

        return to_notebook(self)

    def to_pgmpy(self) -> Any:
        """A ``pgmpy.base.DAG`` where all edges are directed, else a ``pgmpy.base.PDAG`` (``sidelight[peers]``)."""
        from sidelight.output.network_methods import to_pgmpy

        return to_pgmpy(self)

    def to_causallearn(self) -> Any:
        """A ``GeneralGraph`` of causal-learn, with the marks that its PC gives (``sidelight[peers]``)."""
        from sidelight.output.network_methods import to_causallearn

        return to_causallearn(self)

    def to_dowhy(self, data: object, cause: Hashable, on: Hashable) -> Any:
        """A DoWhy model of the DAG and the table, with the estimand of the optimal set (``sidelight[dowhy]``).

        The result has ``model`` and ``estimand``; ``model.estimate_effect(estimand, …)`` goes on from there.

        Args:
            data: the table, read as in learning; rows with missing values are left out.
            cause: the variable that is set.
            on: the outcome.
        """
        from sidelight.output.network_methods import to_dowhy

        self._refuse_time()
        return to_dowhy(self, data, cause, on)

    def to_igraph(self) -> Any:
        """A directed ``igraph.Graph``, edges marked ``directed`` as in ``to_networkx`` (``sidelight[igraph]``)."""
        from sidelight.output.network_methods import to_igraph

        return to_igraph(self)

    def fit(
        self,
        data: object,
        *,
        names: Sequence[Hashable] | None = None,
        discrete: Iterable[Hashable] | None = None,
        missing: str | None = None,
        weights: object = None,
        equivalent_sample_size: float = 1.0,
        categories: Mapping[Hashable, Sequence[object]] | None = None,
    ) -> FittedNetwork:
        """Fit the parameters of ``to_dag()`` to a table, so that the result has a likelihood, samples, predictions.

        A number is linear in its parents, with an amount for each category of those that are discrete, plus Gaussian
        noise. A discrete column has a table of probabilities, or a logistic regression if a parent is a number.

        Args:
            data: a path, a data frame, or an array, as ``learn`` takes them; columns are found by name.
            names: the names of an array's columns; by default the network's, in their order.
            discrete: the columns to treat as discrete; by default as the structure was learned.
            missing: "error", "drop" (rows), or "em": the parameters that make the values that are there most likely; by
                default as the structure was learned.
            weights: a column's name or one number for each row; whole numbers count equal rows.
            equivalent_sample_size: for discrete columns, how many rows the even prior (BDeu) counts as; 0 for none.
            categories: for discrete columns, categories that these rows may lack and others have; the prior gives them
                a probability.
        """
        from sidelight.explain import refuse_set_rows
        from sidelight.fit import fit

        self._refuse_time()
        refuse_set_rows(self, data)
        return fit(
            self,
            data,
            names=names,
            discrete=discrete,
            missing=missing,
            weights=weights,
            equivalent_sample_size=equivalent_sample_size,
            categories=categories,
        )

    def effect(
        self,
        cause: Hashable | Sequence[Hashable],
        on: Hashable,
        data: object = None,
        *,
        values: object = None,
        outcome: object = None,
        adjustment: Literal["optimal", "minimal", "parents"] = "optimal",
        level: float = 0.95,
        placebo: int = 0,
        names: Sequence[Hashable] | None = None,
    ) -> Effect:
        """What setting one or several variables does to another one: identified or not, by what, how large, how sure.

        Where the graph leaves the effect open, all possible effects are listed. It assumes no hidden common causes,
        unless the network is a PAG: then it is identified only if one adjustment is right whatever is hidden.

        Args:
            cause: a variable, or several that are set together.
            on: the outcome.
            data: the table, as for ``learn``; read as it was then. Without it the correlations that the network was
                learned from are used, if it holds them: the effect is then in standard deviations.
            values: two values of the cause, before and after, or a dict with two for each cause. Default: a unit more
                of a number, the second of two categories instead of the first.
            outcome: the category whose probability is asked, if the outcome has more than two.
            adjustment: "optimal" (the smallest asymptotic variance), "minimal" or "parents".
            level: of the intervals.
            placebo: how many times the cause is permuted over the rows, to see what an effect of nothing looks like.
            names: the names of an array's columns; by default the network's, in their order.
        """
        from sidelight.effects import effect

        self._refuse_time()
        asked = {"values": values, "outcome": outcome, "adjustment": adjustment, "level": level}
        return effect(self, cause, on, data, placebo=placebo, names=names, **asked)  # type: ignore[arg-type]

    def effects_on(
        self,
        on: Hashable,
        data: object = None,
        *,
        outcome: object = None,
        adjustment: Literal["optimal", "minimal", "parents"] = "optimal",
        level: float = 0.95,
    ) -> RankedEffects:
        """The effects of all possible causes of a variable, ranked by how large each is at least; as ``effect``."""
        from sidelight.effects import effects_on

        self._refuse_time()
        return effects_on(self, on, data, outcome=outcome, adjustment=adjustment, level=level)

    def all_effects(self, data: object = None, *, level: float = 0.95) -> RankedEffects:
        """The effects of all pairs of numbers, adjusting for each set of parents that a cause may have."""
        from sidelight.effects import all_effects

        self._refuse_time()
        return all_effects(self, data, level=level)

    def direct_effect(self, cause: Hashable, on: Hashable, data: object = None, *, level: float = 0.95) -> DirectEffect:
        """The coefficient of a number in the regression of another on its parents, over the class; as ``effect``."""
        from sidelight.effects import direct_effect

        self._refuse_time()
        return direct_effect(self, cause, on, data, level=level)

    def adjustment_sets(self, cause: Hashable | Sequence[Hashable], on: Hashable) -> AdjustmentSets:
        """What can be adjusted for to get an effect, by the graph; ``objection(set)`` says why a set is not valid."""
        from sidelight.effects import adjustment_sets

        self._refuse_time()
        return adjustment_sets(self, cause, on)

    def _refuse_time(self) -> None:
        """Raise where variables are values of earlier waves, whose edges among each other are not in the graph."""
        if self.settings.time_order is not None:
            raise InputError(
                "effects and parameters of networks over time are not estimated: the graph has no edges between values "
                "of earlier waves, which repeat; learn without time= from columns of your own for these"
            )

    def counts_in_words(self) -> str:
        """How many variables and edges there are."""
        n_variables = counted(len(self.names), "variable")
        if self.is_pag:
            counts = Counter(symbol for _, symbol, _ in self.edges)
            kinds = ", ".join(f"{n} {symbol}" for symbol, n in counts.items())
            return f"{n_variables}, {counted(len(self.edges), 'edge')} (hidden causes allowed{kinds and ': ' + kinds})"
        directed, undirected = len(self.directed_edges), counted(len(self.undirected_edges), "undirected edge")
        return f"{n_variables}, {directed} directed and {undirected}"

    @property
    def surviving_arrows(self) -> list[Edge]:
        """The directed edges that say what causes what even if common causes are hidden: those of the DAG's PAG."""
        if self.is_pag:
            return self.directed_edges
        return [(self.names[tail], self.names[head]) for tail, head in self.by_position.surviving_arrows]

    def surviving_in_words(self) -> str:
        """How many arrows would survive hidden causes, and which; empty for an oracle, a PAG, or without arrows."""
        n_arrows = 0 if self.is_pag or len(self.names) > MOST_JUDGED else len(self.directed_edges)
        if not n_arrows or self.settings.is_oracle or self.settings.time_order is not None:
            return ""
        surviving = self.surviving_arrows
        which = "; ".join(f"{a} → {b}" for a, b in surviving[:ARROWS_SHOWN]) + "; …" * (len(surviving) > ARROWS_SHOWN)
        shown = f" ({which})" if which else ""
        still = f"{len(surviving)} of {counted(n_arrows, 'arrow')} would still say what causes what{shown}"
        return f"if common causes were hidden, {still}"

    def rows_in_words(self) -> str:
        """How many rows the table has, and how many of them are complete; empty without a table."""
        if self.n_rows is None or self.n_complete is None:
            return ""
        complete = "all" if self.n_complete == self.n_rows else f"{self.n_complete:,} of them"
        return f"{self.n_rows:,}, {complete} complete"

    def other_tests_in_words(self) -> str:
        """How many tests the boundaries took and how they were found, and how many the check at the end took."""
        alpha = self.settings.boundary_alpha
        check = f", and {self.check_tests} to check the result" if self.check_tests else ""
        if self.settings.boundaries == "none":
            return check
        how = self.settings.boundaries_in_words() + (f", significance level {alpha:g}" if alpha is not None else "")
        return f", after {self.boundary_tests} for the boundaries ({how}){check}"

    def __repr__(self) -> str:
        lines = [
            f"<Network: {self.counts_in_words()}>",
            *[f"  rows: {self.rows_in_words()}; columns: {types_counted(self.types)}"] * (self.n_rows is not None),
            *[f"  {self.trust}"] * bool(self.trust),
            *_shown([f"  {a} {symbol} {b}" for a, symbol, b in self.edges]),
            *([] if self.settings.time_order is None else [f"  {self.over_time.in_words()}"]),
            f"  {counted(self.n_tests, 'test')} (mean conditioning set {self.mean_conditioning_size:.2f}, "
            f"largest {self.max_conditioning_size}){self.other_tests_in_words()}",
            f"  {self.certificate}",
            *[f"  {self.surviving_in_words()}"] * bool(self.surviving_in_words()),
            *(f"  warning: {warning}" for warning in self.warnings),
        ]
        return "\n".join(lines)


def _shown(edges: list[str]) -> list[str]:
    if len(edges) <= EDGES_SHOWN:
        return edges
    return [*edges[:EDGES_SHOWN], f"  … and {len(edges) - EDGES_SHOWN} more edges"]

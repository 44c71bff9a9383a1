"""How near a learned graph is to the true one: edges, directions, marks, effects of interventions, separating sets."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import networkx as nx

from sidelight.errors import InputError
from sidelight.evaluate.adjustment_distances import STRATEGIES, adjustment_distances
from sidelight.evaluate.counts import SkeletonComparison, compare_sets, share
from sidelight.evaluate.intervention_distance import intervention_distance
from sidelight.evaluate.marks import MarkComparison, compare_marks, in_order, pag_without, pairs_that_differ
from sidelight.families import DSeparation
from sidelight.graphs.dag import Dag, PartialDag
from sidelight.graphs.marks import MarkedGraph
from sidelight.graphs.names import hint_at_names
from sidelight.graphs.separating_sets import SeparatingSets
from sidelight.network import Network
from sidelight.orientation import essential_graph
from sidelight.orientation.essential import extend_to_dag
from sidelight.text.message import Message, OptionName

NAMES_SHOWN = 5


@dataclass(frozen=True)
class Comparison:
    """All measures of a learned graph when the truth is known; None where one does not apply.

    ``skeleton`` and ``directions`` count edges, the latter those that are directed in the essential graphs.
    ``class_distance`` is the number of pairs whose edge, or its direction, differs between the essential graphs.
    ``intervention_distance`` is the smallest and largest SID of the DAGs in the learned class.
    ``adjustment_distances`` are the shares of pairs for which parents, ancestors or optimal sets of the learned graph
    are wrong to adjust for (AID); None without the package gadjid (``sidelight[distances]``).
    ``separating_sets`` is the share of learned separating sets that separate in the true DAG (ALSS).
    ``marks`` are the measures of PAGs; ``directions`` and ``class_distance`` are then of the edges of these.
    """

    skeleton: SkeletonComparison
    directions: SkeletonComparison
    class_distance: int
    intervention_distance: tuple[int, int] | None
    adjustment_distances: Mapping[str, float] | None
    separating_sets: float | None
    missing_edges: tuple[tuple[Hashable, Hashable], ...]
    extra_edges: tuple[tuple[Hashable, Hashable], ...]
    marks: MarkComparison | None = None

    @property
    def same(self) -> bool:
        """True when both are the same equivalence class."""
        return self.class_distance == 0

    def as_dict(self) -> dict[str, object]:
        """All figures by name."""
        low, high = self.intervention_distance or (None, None)
        return {
            "found": self.skeleton.found,
            "missing": self.skeleton.missing,
            "extra": self.skeleton.extra,
            "precision": self.skeleton.precision,
            "recall": self.skeleton.recall,
            "f1": self.skeleton.f1,
            "shd": self.skeleton.shd,
            "class_shd": self.class_distance,
            "direction_precision": self.directions.precision,
            "direction_recall": self.directions.recall,
            "sid_lowest": low,
            "sid_highest": high,
            **{f"aid_{name}": (self.adjustment_distances or {}).get(name) for name in STRATEGIES},
            "separating_set_accuracy": self.separating_sets,
            **({} if self.marks is None else self.marks.as_dict()),
            "missing_edges": [[str(a), str(b)] for a, b in self.missing_edges],
            "extra_edges": [[str(a), str(b)] for a, b in self.extra_edges],
        }

    def __str__(self) -> str:
        s, d = self.skeleton, self.directions
        lines = [
            f"edges: {s.found} found, {s.missing} missing, {s.extra} extra "
            f"(precision {s.precision:.3f}, recall {s.recall:.3f}, F1 {s.f1:.3f}, SHD {s.shd})",
            f"directions: {d.found} found, {d.missing} missing, {d.extra} wrong or too many "
            f"(precision {d.precision:.3f}, recall {d.recall:.3f})",
            f"{'PAGs' if self.marks else 'essential graphs'}: {self.class_distance} pairs differ (SHD)",
            *([] if self.marks is None else self.marks.lines()),
        ]
        if self.intervention_distance is not None:
            low, high = self.intervention_distance
            lines.append(f"wrong effects of interventions (SID): {low}" + (f" to {high}" if high > low else ""))
        if self.adjustment_distances is not None:
            shown = ", ".join(f"{name} {share:.3f}" for name, share in self.adjustment_distances.items())
            lines.append(f"wrong adjustment sets, share of pairs (AID): {shown}")
        if self.separating_sets is not None:
            lines.append(f"separating sets that separate in the truth (ALSS): {self.separating_sets:.3f}")
        return "\n".join(lines)

    __repr__ = __str__


def compare(
    learned: Network | nx.DiGraph, truth: Network | nx.DiGraph, *, hidden: Iterable[Hashable] = ()
) -> Comparison:
    """Compare a learned network, or any graph, with the truth.

    A graph is a ``networkx.DiGraph`` over the same names: a DAG, or an essential graph, in which an undirected edge
    stands in both directions. The distance of interventions needs a true DAG, the accuracy of separating sets one and a
    learned ``Network``. If one of the two is a PAG, or variables are hidden, PAGs are compared, that of a DAG in place
    of the DAG.

    Args:
        learned: what is judged.
        truth: what it is compared with.
        hidden: variables of the true DAG that the learned graph does not have.
    """
    unseen = (hidden,) if isinstance(hidden, str) else tuple(hidden)
    if unseen or any(isinstance(graph, Network) and graph.is_pag for graph in (learned, truth)):
        return _compare_pags(learned, truth, unseen)
    ours, true = _Aligned.of(learned), _Aligned.of(truth)
    true = true.in_order_of(ours)
    skeletons = compare_skeletons(ours.digraph, true.digraph)
    ours_class, true_class = ours.essential, true.essential
    dag = true.dag
    return Comparison(
        skeletons,
        compare_sets(set(ours_class.directed_edges()), set(true_class.directed_edges())),
        class_distance(ours_class.to_networkx(ours.names), true_class.to_networkx(ours.names)),
        intervention_distance(ours.partial if ours.dag is not None else ours_class, dag) if dag is not None else None,
        adjustment_distances(
            ours.partial if ours.dag is not None else ours_class, true.partial if dag is not None else true_class
        ),
        separating_set_accuracy(learned.separating_sets, dag)
        if isinstance(learned, Network) and dag is not None
        else None,
        tuple(_edges_only_in(true, ours)),
        tuple(_edges_only_in(ours, true)),
    )


def _compare_pags(
    learned: Network | nx.DiGraph, truth: Network | nx.DiGraph, hidden: tuple[Hashable, ...]
) -> Comparison:
    """The PAGs of both; the truth may have variables that are hidden."""
    ours, (true, whole) = _pag(learned, ())[0], _pag(truth, hidden)
    check_same_names(ours.names, true.names, are_pags=True)
    true = in_order(true, ours.names)
    edges = [{(e.a, e.b) for e in graph.edges()} for graph in (ours, true)]
    arrows = [{(a, b) for b, causes in enumerate(graph.parents) for a in causes} for graph in (ours, true)]
    named = [tuple((ours.names[a], ours.names[b]) for a, b in sorted(found)) for found in edges]
    sets = learned.separating_sets if isinstance(learned, Network) else None
    return Comparison(
        compare_sets(*edges),
        compare_sets(*arrows),
        pairs_that_differ(ours, true),
        None,
        None,
        None if sets is None or whole is None else separating_set_accuracy(sets, whole, hidden),
        tuple(edge for edge in named[1] if edge not in named[0]),
        tuple(edge for edge in named[0] if edge not in named[1]),
        compare_marks(ours, true),
    )


def _pag(graph: Network | nx.DiGraph, hidden: tuple[Hashable, ...]) -> tuple[MarkedGraph, Dag | None]:
    """The PAG without hidden variables, and the true DAG if that is what was given."""
    if isinstance(graph, Network) and graph.is_pag:
        if hidden:
            raise InputError(Message(OptionName("hidden"), " names variables of a true DAG, and the truth is a PAG"))
        return graph.by_position.marks, None
    found = _Aligned.of(graph)
    position = {str(name): i for i, name in enumerate(found.names)}
    unknown = next((name for name in hidden if str(name) not in position), None)
    if unknown is not None:
        hint = hint_at_names(unknown, found.names)
        raise InputError(Message(OptionName("hidden"), f": the truth has no {unknown!r}{hint}"))
    return pag_without(found.member, {position[str(name)] for name in hidden}), found.dag


@dataclass(frozen=True)
class _Aligned:
    """A graph by names and by columns."""

    digraph: nx.DiGraph
    names: tuple[Hashable, ...]

    @staticmethod
    def of(graph: Network | nx.DiGraph) -> _Aligned:
        digraph = graph.to_networkx() if isinstance(graph, Network) else graph
        if not isinstance(digraph, nx.DiGraph) or digraph.is_multigraph():
            raise InputError(f"a Network or a networkx.DiGraph can be compared, not a {type(graph).__name__}")
        for name in nx.nodes_with_selfloops(digraph):
            raise InputError(f"{name!r} has an edge to itself, which no Bayesian network allows")
        return _Aligned(digraph, tuple(digraph.nodes))

    def in_order_of(self, other: _Aligned) -> _Aligned:
        """The same with the other's names, as they are written, and its columns in the other's order."""
        check_same_names(other.names, self.names)
        name_of = {str(name): name for name in other.names}
        return _Aligned(nx.relabel_nodes(self.digraph, lambda name: name_of[str(name)]), other.names)

    @cached_property
    def partial(self) -> PartialDag:
        """Directed edges as they stand, and undirected ones."""
        return PartialDag.from_networkx(self.digraph, self.names)

    @cached_property
    def dag(self) -> Dag | None:
        """The graph itself when it has no undirected edge."""
        if any(self.partial.undirected):
            return None
        Dag.from_networkx(self.digraph)  # raises an error that names the cycle
        return Dag(self.names, tuple(map(frozenset, self.partial.parents)))

    @cached_property
    def essential(self) -> PartialDag:
        """The essential graph of the class that the graph stands for."""
        return essential_graph(self.member)

    @property
    def member(self) -> Dag:
        """The DAG itself, or one of the class."""
        return self.dag or self._extension()

    def _extension(self) -> Dag:
        """A DAG with the arrows and v-structures of a graph that has undirected edges."""
        dag = Dag(self.names, tuple(extend_to_dag(self.partial)))
        arrows = set(self.partial.directed_edges())
        colliders = {arrow for a, c, b in dag.v_structures() for arrow in ((a, c), (b, c))}
        if not colliders <= arrows <= set(dag.edges()):
            raise InputError(
                "the graph belongs to no DAG: its edges cannot all be directed without a cycle or a new v-structure"
            )
        return dag


def check_same_names(learned: Sequence[Hashable], true: Sequence[Hashable], are_pags: bool = False) -> None:
    """Raise where one of two graphs lacks variables of the other; of PAGs they may be hidden, if that is said."""
    for there, here, word in ((true, learned, "learned graph"), (learned, true, "truth")):
        known = set(map(str, here))
        lacking = [str(name) for name in there if str(name) not in known]
        if lacking:
            more = f" and {len(lacking) - NAMES_SHOWN} more" if len(lacking) > NAMES_SHOWN else ""
            names = ", ".join(map(repr, lacking[:NAMES_SHOWN]))
            both = f"the {word} does not have {names}{more}; both graphs must be over the same names"
            may_hide = are_pags and word == "learned graph"
            hint = ("; ", OptionName("hidden"), " names variables that were not observed") if may_hide else ()
            raise InputError(Message(both, *hint))


def _edges_only_in(graph: _Aligned, other: _Aligned) -> Iterator[tuple[Hashable, Hashable]]:
    partial = graph.partial
    for a, b in [*partial.directed_edges(), *partial.undirected_edges()]:
        if not other.partial.adjacent(a, b):
            yield graph.names[a], graph.names[b]


def compare_skeletons(learned: nx.Graph, truth: nx.Graph) -> SkeletonComparison:
    """Compare the edges of two graphs over the same names, without their directions."""
    return compare_sets({frozenset(edge) for edge in learned.edges}, {frozenset(edge) for edge in truth.edges})


def class_distance(learned: nx.DiGraph, truth: nx.DiGraph) -> int:
    """Structural Hamming distance of two essential graphs: the pairs whose edge, or its direction, differs.

    Both as ``Network.to_networkx`` gives them: an undirected edge stands in both directions.
    """
    pairs = {frozenset(edge) for edge in (*learned.edges, *truth.edges)}
    return sum(
        (learned.has_edge(a, b), learned.has_edge(b, a)) != (truth.has_edge(a, b), truth.has_edge(b, a))
        for a, b in pairs
    )


def separating_set_accuracy(sets: SeparatingSets, truth: Dag, hidden: Iterable[Hashable] = ()) -> float:
    """The share of the learned separating sets that d-separate their pair in the truth (the paper's ALSS)."""
    unseen = set(map(str, hidden))
    oracle = DSeparation(truth.to_networkx(), hidden=[name for name in truth.names if str(name) in unseen])
    place = {str(name): i for i, name in enumerate(oracle.names)}
    at = [place[str(name)] for name in sets.names]
    wrong = sum(
        int(oracle.connected(at[x], [at[z] for z in given])[[at[y] for y in others]].sum())
        for x, others, given in sets.by_set()
    )
    return share(len(sets) - wrong, len(sets))

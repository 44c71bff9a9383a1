"""What a network over time says of its columns: which affect which, how many waves later, and what feeds back."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import networkx as nx

from sidelight.errors import InputError
from sidelight.knowledge.time import TimeOrder
from sidelight.text.message import must_be
from sidelight.text.sentences import counted, listed


class TimedEdge(NamedTuple):
    """Between two columns, perhaps the same; within a wave (lag 0) the direction may be open."""

    cause: Hashable
    effect: Hashable
    lags: tuple[int, ...]
    directed: bool = True

    def __str__(self) -> str:
        lags = ", ".join(map(str, self.lags))
        return f"{self.cause} {'→' if self.directed else '—'} {self.effect} (lag{'s' * (len(self.lags) > 1)} {lags})"


@dataclass(frozen=True)
class OverTime:
    """Each edge that repeats, once: ``edges`` between columns, with how many waves lie between cause and effect.

    ``summary_graph`` has the columns alone, and may have cycles; ``full_graph`` repeats the edges over some waves.
    """

    edges: tuple[TimedEdge, ...]
    columns: tuple[Hashable, ...]
    lags: int

    @staticmethod
    def of(order: TimeOrder, names: Sequence[Hashable], edges: Sequence[tuple[Hashable, str, Hashable]]) -> OverTime:
        """From the edges of a network over time."""
        found: dict[tuple[Hashable, Hashable, bool], list[int]] = {}
        for a, symbol, b in edges:
            key = (order.column(a), order.column(b), symbol == "→")
            found.setdefault(key, []).append(order.lag(a))
        columns = tuple(name for name in names if not order.lag(name))
        place = {name: i for i, name in enumerate(columns)}
        ranked = sorted(found.items(), key=lambda item: (not item[0][2], place[item[0][0]], place[item[0][1]]))
        return OverTime(
            tuple(TimedEdge(a, b, tuple(sorted(lags)), way) for (a, b, way), lags in ranked), columns, order.lags
        )

    @cached_property
    def summary_graph(self) -> nx.DiGraph:
        """The columns, with the ``lags`` of each edge; one without direction stands in both, ``directed`` False."""
        graph = nx.DiGraph()
        graph.add_nodes_from(self.columns)
        for edge in self.edges:
            for a, b in ((edge.cause, edge.effect), (edge.effect, edge.cause))[: 1 if edge.directed else 2]:
                before = graph.edges.get((a, b), {"lags": (), "directed": True})
                lags = tuple(sorted({*before["lags"], *edge.lags}))
                graph.add_edge(a, b, lags=lags, directed=before["directed"] and edge.directed)
        return graph

    def full_graph(self, waves: int | None = None) -> nx.DiGraph:
        """Nodes (column, wave), with each edge wherever both of its waves are there; by default lags + 1 waves."""
        n = self.lags + 1 if waves is None else waves
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise InputError(must_be("waves", "a number of waves, 1 or more", waves))
        graph = nx.DiGraph()
        graph.add_nodes_from((name, wave) for wave in range(n) for name in self.columns)
        for edge in self.edges:
            for wave, lag in ((wave, each) for each in edge.lags for wave in range(each, n)):
                ends = (edge.cause, wave - lag), (edge.effect, wave)
                graph.add_edge(*ends, directed=edge.directed)
                if not edge.directed:
                    graph.add_edge(*ends[::-1], directed=False)
        return graph

    @property
    def feedback(self) -> list[list[Hashable]]:
        """Columns that affect each other over time, in groups."""
        arrows = nx.DiGraph([(edge.cause, edge.effect) for edge in self.edges if edge.directed])
        groups = [[name for name in self.columns if name in part] for part in nx.strongly_connected_components(arrows)]
        return sorted((group for group in groups if len(group) > 1), key=lambda group: self.columns.index(group[0]))

    def in_words(self) -> str:
        """How many edges there are of each sort, and what feeds back."""
        own = sum(edge.cause == edge.effect for edge in self.edges)
        later = sum(edge.cause != edge.effect and edge.lags[-1] > 0 for edge in self.edges)
        within = sum(edge.lags[0] == 0 for edge in self.edges)
        loops = f"; feedback among {'; '.join(map(listed, self.feedback))}" * bool(self.feedback)
        sorts = f"{own} from a column to itself later, {later} to another one later, {within} within a wave"
        return f"{counted(len(self.columns), 'column')}, edges: {sorts}{loops}"

    def as_rows(self) -> list[tuple[str, str, tuple[int, ...], bool]]:
        """The edges as data that JSON can hold."""
        return [(str(edge.cause), str(edge.effect), edge.lags, edge.directed) for edge in self.edges]

    def __str__(self) -> str:
        return "\n".join([self.in_words(), *(f"  {edge}" for edge in self.edges)])

    __repr__ = __str__

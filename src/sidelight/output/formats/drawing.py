"""A graph as files hold it: texts for names, and edges that have a direction or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import networkx as nx

from sidelight.errors import InputError
from sidelight.graphs.dag import Dag
from sidelight.graphs.names import check_names
from sidelight.network import Network
from sidelight.result.certainty import Shares
from sidelight.result.evidence import Effect, quick_effects
from sidelight.text.visible import visible

Edge = tuple[str, str]
EFFECT = ("effect", "effect_name")  # of an edge, as files name them
SHARES = ("share", "share_forward", "share_backward")
DIGITS = 4  # of shares and effects


@dataclass(frozen=True)
class Drawing:
    """Names in their order, arrows (tail, head), and lines, each once.

    ``notes`` are what else files have of each edge, by name: its effect size and what that measures, and its shares
    among graphs of resamples: with the edge, with it from the first variable to the second, and from the second to the
    first. ``columns`` are the names of the notes; some edges may lack some.
    """

    names: tuple[str, ...]
    directed: tuple[Edge, ...]
    undirected: tuple[Edge, ...]
    notes: Mapping[Edge, Mapping[str, float | str]] = field(default_factory=dict)

    @staticmethod
    def of(graph: Network | nx.DiGraph) -> Drawing:
        """The drawing of a learned network, or of a graph as ``Network.to_networkx`` or ``to_dag`` gives it."""
        if isinstance(graph, Network):
            drawing = Drawing.of(graph.to_networkx())
            return replace(drawing, notes=_notes(graph, (*drawing.directed, *drawing.undirected)))
        if not isinstance(graph, nx.DiGraph) or graph.is_multigraph():
            raise InputError(f"a Network or a networkx.DiGraph can be written, not a {type(graph).__name__}")
        edges = ((str(a), str(b), bool(directed)) for a, b, directed in graph.edges(data="directed", default=True))
        return Drawing.assembled(map(str, check_names(graph.nodes)), edges, "the graph")

    @staticmethod
    def assembled(names: Iterable[str], edges: Iterable[tuple[str, str, bool]], source: str) -> Drawing:
        """A drawing of edges (tail, head, directed) as they come out of a file.

        An arrow that stands in both directions is a line. Whatever no Bayesian network has is an ``InputError``.
        """
        with _named(source):
            checked = tuple(map(str, check_names(names)))
        arrows, lines = _sorted_out(frozenset(checked), edges, source)
        with _named(source):
            Dag.from_networkx(nx.DiGraph(arrows))  # raises when there is a cycle
        return Drawing(checked, tuple(arrows), tuple(lines))

    def to_networkx(self) -> nx.DiGraph:
        """As ``Network.to_networkx``: a line stands in both directions, and ``directed`` says which it is."""
        graph = nx.DiGraph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from(self.directed, directed=True)
        graph.add_edges_from(self.undirected, directed=False)
        graph.add_edges_from(((b, a) for a, b in self.undirected), directed=False)
        return graph

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the notes that some edge has."""
        present = {name for notes in self.notes.values() for name in notes}
        return tuple(name for name in (*EFFECT, *SHARES) if name in present)

    def notes_of(self, edge: Edge) -> Mapping[str, float | str]:
        """What else there is of an edge, by name."""
        return self.notes.get(edge, {})

    def refuse_names(self, cannot_hold: Callable[[str], object], what: str) -> None:
        """Raise when a name holds what a format has no way to write."""
        for name in self.names:
            if cannot_hold(name):
                raise InputError(f"variable {name!r}: {what}; rename it, or write another format")


def _notes(network: Network, edges: Iterable[Edge]) -> dict[Edge, dict[str, float | str]]:
    """Effects and shares of edges as they are drawn; other pairs are in no drawing."""
    position = {str(name): i for i, name in enumerate(network.names)}
    effects, found = quick_effects(network.effects), {}
    for a, b in edges:
        x, y = position[a], position[b]
        effect = effects.get(frozenset((network.names[x], network.names[y])))
        found[a, b] = {**_effect(effect), **_shares(network.shares, x, y)}
    return found


def _effect(effect: Effect | None) -> dict[str, float | str]:
    """A name may hold a category, and that what formats cannot hold."""
    if effect is None:
        return {}
    return dict(zip(EFFECT, (round(effect.size, DIGITS), visible(effect.shown_name)), strict=True))


def _shares(shares: Shares | None, x: int, y: int) -> dict[str, float]:
    if shares is None:
        return {}
    counts = shares.of(x, y)
    numbers = zip(SHARES, (counts.adjacent, counts.forward, counts.backward), strict=True)
    return {name: round(shares.share(count), DIGITS) for name, count in numbers}


def _sorted_out(
    known: frozenset[str], edges: Iterable[tuple[str, str, bool]], source: str
) -> tuple[list[Edge], list[Edge]]:
    """Arrows and lines, each once, in the order of the file."""
    given: dict[frozenset[str], list[tuple[str, str, bool]]] = {}
    for tail, head, directed in edges:
        for name in (tail, head):
            if name not in known:
                raise InputError(f"{source!r}: the edge {tail!r}, {head!r} mentions {name!r}, which is no variable")
        if tail == head:
            raise InputError(f"{source!r}: {tail!r} is adjacent to itself; in a Bayesian network no variable is")
        given.setdefault(frozenset((tail, head)), []).append((tail, head, directed))
    arrows: list[Edge] = []
    lines: list[Edge] = []
    for (tail, head, directed), *others in given.values():
        if any(other[2] != directed for other in others):
            raise InputError(f"{source!r}: the edge {tail!r}, {head!r} is given with a direction and without one")
        both_ways = any(other[0] == head for other in others)
        (arrows if directed and not both_ways else lines).append((tail, head))
    return arrows, lines


@contextmanager
def _named(source: str) -> Iterator[None]:
    """Errors say which file they are about."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{source!r}: {error}") from error

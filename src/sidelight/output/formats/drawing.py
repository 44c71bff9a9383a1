"""A graph as files hold it: texts for names, and edges that have a direction or none, as ``directed`` says.

A graph that is read is as ``Network.to_networkx`` gives it, with an undirected edge in both directions; one that is
written has it once. Beside its direction an edge has what else is known: its effect size and what that measures, and
its shares among graphs of resamples: with the edge, with it from the first variable to the second, and the other way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import networkx as nx

from sidelight.errors import InputError
from sidelight.graphs.dag import Dag
from sidelight.graphs.names import check_names
from sidelight.network import Network
from sidelight.result.evidence import Strengths, quick_strengths
from sidelight.text.visible import visible

Edge = tuple[str, str]
Notes = dict[str, float | str]
MARKS = ("source_mark", "target_mark")  # of an edge of a PAG: tail, arrow or circle
NOTES = ("effect", "effect_name", "share", "share_forward", "share_backward", *MARKS)  # of an edge, as files name them
DIGITS = 4  # of shares and effects


def drawn(graph: Network | nx.DiGraph) -> nx.DiGraph:
    """A learned network, or a graph as ``Network.to_networkx`` or ``to_dag`` gives it, as it is written."""
    if isinstance(graph, Network) and graph.is_pag:
        return _drawn_pag(graph)
    if isinstance(graph, Network):
        drawing = drawn(graph.to_networkx())
        position, effects = {str(name): i for i, name in enumerate(graph.names)}, quick_strengths(graph.edge_strengths)
        for a, b, data in drawing.edges(data=True):
            data |= _notes(graph, effects, position[a], position[b])
        return drawing
    if not isinstance(graph, nx.DiGraph) or graph.is_multigraph():
        raise InputError(f"a Network or a networkx.DiGraph can be written, not a {type(graph).__name__}")
    edges = ((str(a), str(b), bool(directed)) for a, b, directed in graph.edges(data="directed", default=True))
    return _arranged(map(str, check_names(graph.nodes)), edges, "the graph")[0]


def _drawn_pag(network: Network) -> nx.DiGraph:
    """Each edge once, with its marks; only those from a tail to an arrow are directed."""
    drawing = nx.DiGraph()
    drawing.add_nodes_from(check_names(map(str, network.names)))
    for a, symbol, b in network.edges:
        marks = dict(zip(MARKS, (network.mark(b, a), network.mark(a, b)), strict=True))
        share = {} if network.shares is None else {"share": round(network.shares.adjacency[frozenset((a, b))], DIGITS)}
        drawing.add_edge(str(a), str(b), directed=symbol == "→", **share, **marks)
    return drawing


def refuse_marks(known: Iterable[str], source: str) -> None:
    """Raise where a file has marks, which a graph of arrows and lines cannot show."""
    if any(mark in known for mark in MARKS):
        raise InputError(
            f"{source!r} holds a PAG, whose edges have marks; write and read it as .json to have them again"
        )


def assembled(names: Iterable[str], edges: Iterable[tuple[str, str, bool]], source: str) -> nx.DiGraph:
    """The graph of edges (tail, head, directed) as they come out of a file.

    An arrow that stands in both directions is a line. Whatever no Bayesian network has is an ``InputError``.
    """
    graph, lines = _arranged(names, edges, source)
    graph.add_edges_from(((b, a) for a, b in lines), directed=False)
    return graph


def written_edges(drawing: nx.DiGraph) -> list[tuple[str, str, bool, Notes]]:
    """Tail, head, whether it is directed and what else is known of each edge; those with a direction first."""
    notes = {(a, b): {name: data[name] for name in NOTES if name in data} for a, b, data in drawing.edges(data=True)}
    edges = [(a, b, directed, notes[a, b]) for a, b, directed in drawing.edges(data="directed")]
    return sorted(edges, key=lambda edge: not edge[2])


def refuse_names(drawing: nx.DiGraph, cannot_hold: Callable[[str], object], what: str) -> None:
    """Raise when a name holds what a format has no way to write."""
    for name in drawing:
        if cannot_hold(name):
            raise InputError(f"variable {name!r}: {what}; rename it, or write another format")


def _notes(network: Network, effects: Strengths, x: int, y: int) -> Notes:
    """What is known of an edge as it is drawn. The name of an effect may hold a category: what formats cannot hold."""
    notes: Notes = {}
    effect, shares = effects.get(frozenset((network.names[x], network.names[y]))), network.shares
    if effect is not None:
        notes |= zip(NOTES[:2], (round(effect.size, DIGITS), visible(effect.shown_name)), strict=True)
    if shares is not None:
        counts = shares.of(x, y)
        rounded = (round(shares.share(n), DIGITS) for n in (counts.adjacent, counts.forward, counts.backward))
        notes |= zip(NOTES[2:5], rounded, strict=True)
    return notes


def _arranged(
    names: Iterable[str], edges: Iterable[tuple[str, str, bool]], source: str
) -> tuple[nx.DiGraph, list[Edge]]:
    """The graph with every edge once, in the order in which they are given, and its lines."""
    graph = nx.DiGraph()
    with _named(source):
        graph.add_nodes_from(check_names(names))
    arrows, lines = _arrows_and_lines(graph, edges, source)
    graph.add_edges_from(arrows, directed=True)
    with _named(source):
        Dag.from_networkx(graph)  # raises when there is a cycle
    graph.add_edges_from(lines, directed=False)
    return graph, lines


def _arrows_and_lines(
    known: nx.DiGraph, edges: Iterable[tuple[str, str, bool]], source: str
) -> tuple[list[Edge], list[Edge]]:
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

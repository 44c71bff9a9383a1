"""A graph as a file, and back: the extension says in which format."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

import networkx as nx

from sidelight.errors import InputError
from sidelight.files.reading import read_text, user_path
from sidelight.files.writing import check_target, write_whole
from sidelight.network import Network
from sidelight.output.formats import graph_formats, network_json
from sidelight.output.formats.drawing import drawn, refuse_names
from sidelight.simulation.bif import parse_bif
from sidelight.text.message import Message, Option

Graph: TypeAlias = Network | nx.DiGraph


def to_json(graph: Graph) -> str:
    """A network with all its evidence, or a graph without."""
    if isinstance(graph, Network):
        return network_json.render(graph)
    return network_json.render_graph(drawn(graph))


def _picture(graph: Graph, kind: str) -> str | bytes:
    """A still picture of a network."""
    if not isinstance(graph, Network):
        raise InputError(f"a picture is drawn of a learned Network, not of a {type(graph).__name__}")
    from sidelight.output.pictures import figure, svg

    return svg.to_svg(graph) if kind == "svg" else figure.to_picture(graph, kind)


GRAPH_WRITERS: dict[str, Callable[[Graph], str | bytes]] = {
    ".json": to_json,
    ".dot": lambda graph: graph_formats.to_dot(drawn(graph)),
    ".graphml": lambda graph: graph_formats.to_graphml(drawn(graph)),
    ".gml": lambda graph: graph_formats.to_gml(drawn(graph)),
    ".csv": lambda graph: graph_formats.to_edge_list(drawn(graph)),
    ".txt": lambda graph: graph_formats.to_tetrad(drawn(graph)),
}
WRITERS: dict[str, Callable[[Graph], str | bytes]] = {
    **GRAPH_WRITERS,
    **{f".{kind}": partial(_picture, kind=kind) for kind in ("svg", "png", "pdf")},
}
READERS: dict[str, Callable[[str, str], nx.DiGraph]] = {
    ".json": network_json.parse_graph,
    ".graphml": graph_formats.from_graphml,
    ".gml": graph_formats.from_gml,
    ".csv": graph_formats.from_edge_list,
    ".bif": lambda text, source: drawn(parse_bif(text, source).structure),
}


def write(graph: Graph, path: str | Path, overwrite: bool = False, for_spreadsheets: bool = False) -> None:
    """Write a network, or a ``networkx.DiGraph`` with edges as ``Network.to_networkx`` has them, to a file.

    An edge list ``for_spreadsheets`` has an apostrophe before names that a spreadsheet would take as formulas.
    """
    target = user_path(path)
    check_writable(target, overwrite, for_spreadsheets)
    if for_spreadsheets:
        graph = graph_formats.without_formulas(drawn(graph))
    refuse_names(drawn(graph), _has_half_a_character, "it holds half of a character, which no text file can")
    content = WRITERS[_extension(target)](graph)
    write_whole(target, content if isinstance(content, bytes) else content.encode(), overwrite)


def check_writable(path: Path, overwrite: bool, for_spreadsheets: bool = False) -> None:
    """Raise when a graph cannot or should not be written there, before any work is done for it."""
    if _extension(path) == ".bif":
        raise InputError(
            "BIF holds a DAG with its probabilities: fit the network to data first, net.fit(data).write(path)"
        )
    if path.suffix.lower() not in WRITERS:
        raise InputError(f"cannot tell the format of {str(path)!r}; it may end in {', '.join(WRITERS)}")
    if for_spreadsheets and _extension(path) != ".csv":
        raise InputError(Message(Option("for_spreadsheets", True), f" goes with .csv, not with {path.suffix}"))
    check_target(path, overwrite)


def read_graph(path: str | Path) -> nx.DiGraph:
    """Read the graph of a file in any of the formats, as ``Network.to_networkx`` gives it, over texts.

    An undirected edge stands in both directions, and every edge carries an attribute ``directed``, True or False.
    """
    target = user_path(path)
    extension, readable = _extension(target), ", ".join(READERS)
    if extension not in READERS and extension in WRITERS:
        kind = extension[1:].upper()
        raise InputError(f"{str(target)!r}: {kind} files can be written but not read; what is read ends in {readable}")
    if extension not in READERS:
        raise InputError(f"cannot tell the format of {str(target)!r}; it may end in {readable}")
    return READERS[extension](read_text(target), str(target))


def read(path: str | Path) -> Graph:
    """Read a network with its evidence where a file holds one, else its graph."""
    target = user_path(path)
    if _extension(target) == ".json" and network_json.holds_network(text := read_text(target)):
        return network_json.parse(text, str(target))
    return read_graph(target)


def _extension(path: Path) -> str:
    """What says the format; ``.gz`` after it does not matter."""
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def _has_half_a_character(name: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in name)

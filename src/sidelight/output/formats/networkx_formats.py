"""GraphML and GML, by networkx; an undirected edge stands once, with ``directed`` false (0 in GML).

Effect sizes, and shares among graphs of resamples, are further attributes of an edge; they are not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import networkx as nx

from sidelight.errors import InputError
from sidelight.output.formats.drawing import Drawing

NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
LABELS = ("name", "label")  # attributes that may hold a node's name, where other programs have an identifier beside it


def to_graphml(drawing: Drawing) -> str:
    """The graph in GraphML."""
    drawing.refuse_names(NOT_IN_XML.search, "GraphML cannot hold its control characters")
    return "\n".join(nx.generate_graphml(_each_edge_once(drawing))) + "\n"


def to_gml(drawing: Drawing) -> str:
    """The graph in GML; characters beyond ASCII are written as references."""
    return "\n".join(nx.generate_gml(_each_edge_once(drawing))) + "\n"


def from_graphml(text: str, source: str) -> Drawing:
    """The graph that a GraphML file describes."""
    return _drawing(lambda: nx.parse_graphml(text, node_type=str), "GraphML", source)


def from_gml(text: str, source: str) -> Drawing:
    """The graph that a GML file describes."""
    return _drawing(lambda: nx.parse_gml(text, label="id"), "GML", source)


def _each_edge_once(drawing: Drawing) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(drawing.names)
    graph.add_edges_from(((*edge, drawing.notes_of(edge)) for edge in drawing.directed), directed=True)
    graph.add_edges_from(((*edge, drawing.notes_of(edge)) for edge in drawing.undirected), directed=False)
    return graph


def _drawing(parse: Callable[[], nx.Graph], kind: str, source: str) -> Drawing:
    """The drawing of what networkx reads; of an undirected graph all edges are lines."""
    try:
        graph = parse()
    except Exception as error:  # a damaged file makes its parsers raise whatever they stumble over
        raise InputError(f"{source!r} is no {kind} that can be read: {error or type(error).__name__}") from error
    label = next((key for key in LABELS if graph and all(key in data for _, data in graph.nodes(data=True))), "")
    text = {node: str(data.get(label, node)) for node, data in graph.nodes(data=True)}
    edges = (
        (text[a], text[b], graph.is_directed() and str(directed) not in ("False", "0", "no", "false"))
        for a, b, directed in graph.edges(data="directed", default=True)
    )
    return Drawing.assembled(text.values(), edges, source)

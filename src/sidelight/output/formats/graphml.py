"""GraphML; an undirected edge stands once, with ``directed`` = false."""

from __future__ import annotations

import re
from xml.etree.ElementTree import ParseError

import networkx as nx

from sidelight.errors import InputError
from sidelight.output.formats.drawing import Drawing
from sidelight.output.formats.labelled import drawing_of

NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(drawing: Drawing) -> str:
    """The graph in GraphML."""
    drawing.refuse_names(NOT_IN_XML.search, "GraphML cannot hold its control characters")
    graph = nx.DiGraph()
    graph.add_nodes_from(drawing.names)
    graph.add_edges_from(drawing.directed, directed=True)
    graph.add_edges_from(drawing.undirected, directed=False)
    return "\n".join(nx.generate_graphml(graph)) + "\n"


def parse(text: str, source: str) -> Drawing:
    """The graph that a GraphML file describes."""
    try:
        graph = nx.parse_graphml(text, node_type=str)
    except (ParseError, nx.NetworkXError, KeyError, ValueError, TypeError, AttributeError) as error:
        raise InputError(f"{source!r} is no GraphML that can be read: {error}") from error
    return drawing_of(graph, source)

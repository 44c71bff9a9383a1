"""Graphs whose nodes may have a name of their own beside an identifier, as networkx reads them from GraphML and GML."""

from __future__ import annotations

import networkx as nx

from sidelight.output.formats.drawing import Drawing

NAMES = ("name", "label")


def drawing_of(graph: nx.Graph, source: str) -> Drawing:
    """The drawing of the graph; of an undirected one all edges are lines."""
    attribute = next((name for name in NAMES if graph and all(name in data for _, data in graph.nodes(data=True))), "")
    text = {node: str(data.get(attribute, node)) for node, data in graph.nodes(data=True)}
    edges = (
        (text[a], text[b], graph.is_directed() and str(directed) not in ("False", "0", "no", "false"))
        for a, b, directed in graph.edges(data="directed", default=True)
    )
    return Drawing.assembled(text.values(), edges, source)

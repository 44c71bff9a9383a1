"""GML; an undirected edge stands once, with ``directed`` 0. Characters beyond ASCII are written as references."""

from __future__ import annotations

import re

import networkx as nx

from sidelight.errors import InputError
from sidelight.output.formats.drawing import Drawing
from sidelight.output.formats.labelled import drawing_of


def render(drawing: Drawing) -> str:
    """The graph in GML."""
    position = {name: i for i, name in enumerate(drawing.names)}
    lines = ["graph [", "  directed 1"]
    lines += [f'  node [\n    id {i}\n    label "{_escaped(name)}"\n  ]' for name, i in position.items()]
    for edges, directed in ((drawing.directed, 1), (drawing.undirected, 0)):
        for a, b in edges:
            lines += [f"  edge [\n    source {position[a]}\n    target {position[b]}\n    directed {directed}\n  ]"]
    return "\n".join([*lines, "]", ""])


def _escaped(name: str) -> str:
    return re.sub(r'[^ -~]|[&"]', lambda found: f"&#{ord(found[0])};", name)


def parse(text: str, source: str) -> Drawing:
    """The graph that a GML file describes."""
    try:
        graph = nx.parse_gml(text, label="id")
    except (nx.NetworkXError, ValueError, TypeError, AttributeError) as error:
        raise InputError(f"{source!r} is no GML that can be read: {error}") from error
    return drawing_of(graph, source)

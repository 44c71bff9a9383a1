"""DOT, the language of Graphviz: arrows for directed edges, plain lines for the others. It is written, not read."""

from __future__ import annotations

from collections.abc import Mapping

from sidelight.output.formats.drawing import Drawing, Edge


def to_dot(drawing: Drawing) -> str:
    """The graph in DOT."""
    drawing.refuse_names(lambda name: "\0" in name, "DOT cannot hold the NUL character")
    lines = ["digraph {", *(f"  {_quoted(name)};" for name in drawing.names)]
    lines += [_edge(edge, drawing.notes_of(edge)) for edge in drawing.directed]
    lines += [_edge(edge, {"dir": "none", **drawing.notes_of(edge)}) for edge in drawing.undirected]
    return "\n".join([*lines, "}", ""])


def _edge(edge: Edge, attributes: Mapping[str, object]) -> str:
    inside = ", ".join(f"{name}={_value(value)}" for name, value in attributes.items())
    return f"  {_quoted(edge[0])} -> {_quoted(edge[1])}{f' [{inside}]' if inside else ''};"


def _value(value: object) -> object:
    return _quoted(value) if isinstance(value, str) and not value.isidentifier() else value


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'

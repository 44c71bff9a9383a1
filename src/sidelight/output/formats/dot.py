"""DOT, the language of Graphviz: arrows for directed edges, plain lines for the others. It is written, not read."""

from __future__ import annotations

from sidelight.output.formats.drawing import Drawing


def to_dot(drawing: Drawing) -> str:
    """The graph in DOT."""
    drawing.refuse_names(lambda name: "\0" in name, "DOT cannot hold the NUL character")
    lines = ["digraph {", *(f"  {_quoted(name)};" for name in drawing.names)]
    lines += [f"  {_quoted(a)} -> {_quoted(b)};" for a, b in drawing.directed]
    lines += [f"  {_quoted(a)} -> {_quoted(b)} [dir=none];" for a, b in drawing.undirected]
    return "\n".join([*lines, "}", ""])


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'

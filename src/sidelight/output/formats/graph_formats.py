"""Graphs as other programs have them: GraphML and GML by networkx, CSV edge lists, and DOT, which is written only.

What else is known of edges, effect sizes and shares among graphs of resamples, is written and not read.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator

import networkx as nx

from sidelight.errors import InputError
from sidelight.output.formats.drawing import MARKS, NOTES, Notes, assembled, refuse_marks, refuse_names, written_edges

NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r")  # of a cell that a spreadsheet evaluates
LABELS = ("name", "label")  # attributes that may hold a node's name, where other programs have an identifier beside it
HEADINGS = (("source", "target"), ("parent", "child"), ("from", "to"))  # the latter two as other programs write them
ENDS = {"tail": "none", "arrow": "normal", "circle": "odot"}
TETRAD = {"tail": "--", "arrow": "<>", "circle": "oo"}  # at the left and the right end of an edge
ANSWERS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}

# GraphML and GML: an undirected edge stands once, with ``directed`` false (0 in GML).


def to_graphml(drawing: nx.DiGraph) -> str:
    """The graph in GraphML."""
    refuse_names(drawing, NOT_IN_XML.search, "GraphML cannot hold its control characters")
    return "\n".join(nx.generate_graphml(drawing)) + "\n"


def to_gml(drawing: nx.DiGraph) -> str:
    """The graph in GML; characters beyond ASCII are written as references."""
    return "\n".join(nx.generate_gml(drawing)) + "\n"


def from_graphml(text: str, source: str) -> nx.DiGraph:
    """The graph that a GraphML file describes."""
    return _graph(lambda: nx.parse_graphml(text, node_type=str), "GraphML", source)


def from_gml(text: str, source: str) -> nx.DiGraph:
    """The graph that a GML file describes."""
    return _graph(lambda: nx.parse_gml(text, label="id"), "GML", source)


def _graph(parse: Callable[[], nx.Graph], kind: str, source: str) -> nx.DiGraph:
    """The graph as networkx reads it; of an undirected graph all edges are lines."""
    try:
        graph = parse()
    except Exception as error:  # a damaged file makes its parsers raise whatever they stumble over
        raise InputError(f"{source!r} is no {kind} that can be read: {error or type(error).__name__}") from error
    refuse_marks({key for *_, data in graph.edges(data=True) for key in data}, source)
    label = next((key for key in LABELS if graph and all(key in data for _, data in graph.nodes(data=True))), "")
    text = {node: str(data.get(label, node)) for node, data in graph.nodes(data=True)}
    edges = (
        (text[a], text[b], graph.is_directed() and str(directed) not in ("False", "0", "no", "false"))
        for a, b, directed in graph.edges(data="directed", default=True)
    )
    return assembled(text.values(), edges, source)


# Edge lists: source, target, and whether the edge is directed; a variable without edges has no target.


def without_formulas(drawing: nx.DiGraph) -> nx.DiGraph:
    """The graph with an apostrophe before each name that a spreadsheet would take as a formula."""
    return nx.relabel_nodes(drawing, lambda name: f"'{name}" if name.startswith(FORMULA_BEGINS) else name)


def to_edge_list(drawing: nx.DiGraph) -> str:
    """The edge list; variables without edges come last. The order of the variables is lost."""
    edges = written_edges(drawing)
    columns = [name for name in NOTES if any(name in notes for *_, notes in edges)]
    rows: list[tuple[object, ...]] = [("source", "target", "directed", *columns)]
    for a, b, directed, notes in edges:
        rows.append((a, b, "yes" if directed else "no", *(notes.get(name, "") for name in columns)))
    rows += [(name, "", "", *[""] * len(columns)) for name in nx.isolates(drawing)]
    # Before Python 3.13 csv leaves a carriage return without quotes, where lines end in "\n" alone.
    has_return = any("\r" in name for name in drawing)
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL if has_return else csv.QUOTE_MINIMAL).writerows(rows)
    return text.getvalue()


def from_edge_list(text: str, source: str) -> nx.DiGraph:
    """The graph that an edge list describes."""
    rows = list(_rows(text, source))
    names = dict.fromkeys(name for tail, head, _ in rows for name in (tail, head) if name)
    return assembled(names, (row for row in rows if row[1]), source)


def _rows(text: str, source: str) -> Iterator[tuple[str, str, bool]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        tail, head, answer = _positions(next(reader, []), source)
        for row in filter(None, reader):
            where = f"{source!r}, line {reader.line_num}"
            if len(row) <= max(tail, head) or not row[tail]:
                raise InputError(f"{where}: {row!r} does not name a variable and what it points to")
            word = row[answer].strip().lower() if answer is not None and answer < len(row) else ""
            if row[head] and answer is not None and word not in ANSWERS:
                raise InputError(f"{where}: {word!r} does not say whether the edge is directed; write yes or no")
            yield row[tail], row[head], ANSWERS.get(word, True)
    except csv.Error as error:
        raise InputError(f"{source!r}, line {reader.line_num}: {error}") from error


def _positions(header: list[str], source: str) -> tuple[int, int, int | None]:
    """Where the tail, the head and the word on the direction stand."""
    headings = [heading.strip().lower() for heading in header]
    refuse_marks(headings, source)
    for tail, head in HEADINGS:
        if tail in headings and head in headings:
            answer = headings.index("directed") if "directed" in headings else None
            return headings.index(tail), headings.index(head), answer
    accepted = ", ".join(f"'{tail},{head}'" for tail, head in HEADINGS)
    raise InputError(f"{source!r} is no edge list: its first line is {','.join(header)!r}, not {accepted}")


# DOT, the language of Graphviz: arrows for directed edges, plain lines for the others, circles as in PAGs.


def to_dot(drawing: nx.DiGraph) -> str:
    """The graph in DOT."""
    refuse_names(drawing, lambda name: "\0" in name, "DOT cannot hold the NUL character")
    lines = ["digraph {", *(f"  {_quoted(name)};" for name in drawing)]
    for a, b, directed, notes in written_edges(drawing):
        attributes = _with_ends(notes) if directed or MARKS[0] in notes else {"dir": "none", **notes}
        inside = ", ".join(f"{name}={_value(value)}" for name, value in attributes.items())
        lines.append(f"  {_quoted(a)} -> {_quoted(b)}{f' [{inside}]' if inside else ''};")
    return "\n".join([*lines, "}", ""])


def _with_ends(notes: Notes) -> Notes:
    """The notes, with the heads of arrows that Graphviz draws for marks."""
    if MARKS[0] not in notes:
        return notes
    tail, head = (ENDS[str(notes[mark])] for mark in MARKS)
    return {"dir": "both", "arrowtail": tail, "arrowhead": head, **notes}


def _value(value: object) -> object:
    return _quoted(value) if isinstance(value, str) and not value.isidentifier() else value


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


# The text format of Tetrad, which other programs for PAGs read too; it is written only.


def to_tetrad(drawing: nx.DiGraph) -> str:
    """The graph as Tetrad saves it: the variables, then one edge a line, such as "a o-> b"."""
    refuse_names(drawing, re.compile(r"[\s;,]").search, "Tetrad's format has no room for blanks, commas or semicolons")
    lines = ["Graph Nodes:", ";".join(drawing), "", "Graph Edges:"]
    for number, (a, b, directed, notes) in enumerate(written_edges(drawing), 1):
        at_a = str(notes.get(MARKS[0], "tail"))
        at_b = str(notes.get(MARKS[1], "arrow" if directed else "tail"))
        lines.append(f"{number}. {a} {TETRAD[at_a][0]}-{TETRAD[at_b][1]} {b}")
    return "\n".join([*lines, ""])

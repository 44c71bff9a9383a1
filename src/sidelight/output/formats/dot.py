"""DOT, the language of Graphviz: arrows for directed edges, plain lines for the others.

What is read is what is written here and the simple graphs that other programs write: nodes, edges and attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NoReturn

from sidelight.errors import InputError
from sidelight.output.formats.drawing import Drawing

TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|^\#[^\n]*|/\*.*?\*/)
      | (?P<quoted>"(?:[^"\\]|\\.)*")
      | (?P<word>[^\W\d]\w*|-?(?:\.\d+|\d+(?:\.\d*)?))
      | (?P<mark>->|--|[{}\[\];,=])""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n", "\\\n": ""}


def render(drawing: Drawing) -> str:
    """The graph in DOT."""
    drawing.refuse_names(lambda name: "\0" in name, "DOT cannot hold the NUL character")
    lines = ["digraph {", *(f"  {_quoted(name)};" for name in drawing.names)]
    lines += [f"  {_quoted(a)} -> {_quoted(b)};" for a, b in drawing.directed]
    lines += [f"  {_quoted(a)} -> {_quoted(b)} [dir=none];" for a, b in drawing.undirected]
    return "\n".join([*lines, "}", ""])


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def parse(text: str, source: str) -> Drawing:
    """The graph that a DOT file describes."""
    reader = _Reader(source, list(_tokens(text, source)))
    reader.read_graph()
    return Drawing.assembled(reader.names, reader.edges, source)


@dataclass(frozen=True)
class _Token:
    text: str
    line: int
    is_name: bool = False
    is_quoted: bool = False

    def is_keyword(self, *words: str) -> bool:
        return self.is_name and not self.is_quoted and self.text.lower() in words


def _tokens(text: str, source: str) -> Iterator[_Token]:
    position, line = 0, 1
    while position < len(text):
        found = TOKEN.match(text, position)
        if found is None:
            raise InputError(f"{source!r}, line {line}: cannot read {text[position : position + 20]!r} as simple DOT")
        if found["quoted"]:
            unescaped = re.sub(r"\\.", lambda m: ESCAPES.get(m[0], m[0]), found[0][1:-1], flags=re.DOTALL)
            yield _Token(unescaped, line, is_name=True, is_quoted=True)
        elif not found["space"]:
            yield _Token(found[0], line, is_name=found["word"] is not None)
        line += found[0].count("\n")
        position = found.end()


@dataclass
class _Reader:
    """Reads tokens one after the other and keeps what they say."""

    source: str
    tokens: list[_Token]
    position: int = 0
    names: dict[str, None] = field(default_factory=dict)
    edges: list[tuple[str, str, bool]] = field(default_factory=list)
    edge_defaults: dict[str, str] = field(default_factory=dict)

    @property
    def now(self) -> _Token:
        if self.position < len(self.tokens):
            return self.tokens[self.position]
        line = self.tokens[-1].line if self.tokens else 1
        raise InputError(f"{self.source!r}, line {line}: the graph ends before its closing brace")

    def fail(self, expected: str) -> NoReturn:
        raise InputError(f"{self.source!r}, line {self.now.line}: {expected}, not {self.now.text!r}")

    def take(self) -> _Token:
        token = self.now
        self.position += 1
        return token

    def take_mark(self, mark: str) -> bool:
        if self.now.is_name or self.now.text != mark:
            return False
        self.position += 1
        return True

    def take_name(self, what: str) -> str:
        if not self.now.is_name:
            self.fail(f"{what} is needed here")
        return self.take().text

    def read_graph(self) -> None:
        if self.tokens and self.now.is_keyword("strict"):
            self.take()
        if not self.tokens or not self.now.is_keyword("graph", "digraph"):
            raise InputError(f"{self.source!r} is no DOT file: it does not begin with 'graph' or 'digraph'")
        self.take()
        if self.now.is_name:
            self.take()
        if not self.take_mark("{"):
            self.fail("'{' is needed here")
        while not self.take_mark("}"):
            self.read_statement()
        if self.position < len(self.tokens):
            self.fail("nothing is read after the graph")

    def read_statement(self) -> None:
        if self.take_mark(";"):
            return
        if self.now.is_keyword("subgraph") or self.now.text == "{":
            self.fail("subgraphs are not read; a name is needed here")
        if self.now.is_keyword("graph", "node", "edge"):
            kind = self.take().text.lower()
            defaults = self.read_attributes()
            if kind == "edge":
                self.edge_defaults |= defaults
            return
        first = self.take_name("a variable's name")
        if self.take_mark("="):
            self.take_name("a value")
            return
        self.read_edges([first])

    def read_edges(self, path: list[str]) -> None:
        """A chain of edges, or a single name."""
        while not self.now.is_name and self.now.text in ("->", "--"):
            has_arrow = self.take().text == "->"
            path.append(self.take_name("a variable's name"))
        self.names |= dict.fromkeys(path)
        attributes = self.edge_defaults | self.read_attributes()
        for tail, head in pairwise(path):
            self.edges.append(self.with_ends(tail, head, has_arrow, attributes))

    def with_ends(self, tail: str, head: str, has_arrow: bool, attributes: dict[str, str]) -> tuple[str, str, bool]:
        """The edge with the arrowheads that its attributes give it."""
        direction = attributes.get("dir", "forward" if has_arrow else "none")
        at_head = direction in ("forward", "both") and attributes.get("arrowhead") != "none"
        at_tail = direction in ("back", "both") and attributes.get("arrowtail") != "none"
        if at_head and at_tail:
            raise InputError(f"{self.source!r}: the edge {tail!r}, {head!r} has two arrowheads; a DAG's edge has one")
        return (head, tail, True) if at_tail else (tail, head, at_head)

    def read_attributes(self) -> dict[str, str]:
        attributes = {}
        while self.take_mark("["):
            while not self.take_mark("]"):
                name = self.take_name("an attribute's name")
                attributes[name] = self.take_name("a value") if self.take_mark("=") else "true"
                self.take_mark(";") or self.take_mark(",")
        return attributes

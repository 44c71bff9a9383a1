"""A CSV edge list: source, target, and whether the edge is directed; a variable without edges has no target.

Further columns have effect sizes and, where graphs were learned from resamples, the shares of those with the edge; they
are not read.

Lists of parents and children that other programs write (``parent,child`` or ``from,to``) are read too.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from sidelight.errors import InputError
from sidelight.output.formats.drawing import Drawing

HEADINGS = (("source", "target"), ("parent", "child"), ("from", "to"))
ANSWERS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def render(drawing: Drawing) -> str:
    """The edge list; variables without edges come last. The order of the variables is lost."""
    columns = drawing.columns
    rows: list[tuple[object, ...]] = [("source", "target", "directed", *columns)]
    for answer, edges in (("yes", drawing.directed), ("no", drawing.undirected)):
        rows += [(*edge, answer, *(drawing.notes_of(edge).get(name, "") for name in columns)) for edge in edges]
    adjacent = {name for edge in (*drawing.directed, *drawing.undirected) for name in edge}
    rows += [(name, "", "", *[""] * len(columns)) for name in drawing.names if name not in adjacent]
    # Before Python 3.13 csv leaves a carriage return without quotes, where lines end in "\n" alone.
    has_return = any("\r" in name for name in drawing.names)
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL if has_return else csv.QUOTE_MINIMAL).writerows(rows)
    return text.getvalue()


def parse(text: str, source: str) -> Drawing:
    """The graph that an edge list describes."""
    names: dict[str, None] = {}
    edges = []
    for tail, head, directed in _rows(text, source):
        names[tail] = None
        if head:
            names[head] = None
            edges.append((tail, head, directed))
    return Drawing.assembled(names, edges, source)


def _rows(text: str, source: str) -> Iterator[tuple[str, str, bool]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        tail, head, answer = _positions(next(reader, []), source)
        for row in reader:
            if not row:
                continue
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
    for tail, head in HEADINGS:
        if tail in headings and head in headings:
            answer = headings.index("directed") if "directed" in headings else None
            return headings.index(tail), headings.index(head), answer
    accepted = ", ".join(f"'{tail},{head}'" for tail, head in HEADINGS)
    raise InputError(f"{source!r} is no edge list: its first line is {','.join(header)!r}, not {accepted}")

"""A ``Network`` as a file: JSON, DOT, GraphML or a CSV edge list, chosen by the extension.

A file is written whole or not at all: beside its target first, then renamed. An existing file stays unless told so.
"""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import networkx as nx

from sidelight.errors import InputError
from sidelight.network import Network

SCHEMA = "sidelight/network/1"


def write(network: Network, path: str | Path, overwrite: bool = False) -> None:
    """Write the network to ``path`` in the format of its extension."""
    target = Path(path)
    render = format_of(target)
    check_target(target, overwrite)
    write_whole(target, render(network).encode())


def format_of(path: Path) -> Callable[[Network], str]:
    """The function that renders a network for this extension."""
    render = FORMATS.get(path.suffix.lower())
    if render is None:
        raise InputError(f"cannot tell the format of {str(path)!r}; it may end in {', '.join(FORMATS)}")
    return render


def check_target(path: Path, overwrite: bool) -> None:
    """Raise when the file cannot or should not be written, before any work is done for it."""
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {str(path.parent)!r} to write {path.name!r} into")
    if path.exists() and not overwrite:
        raise InputError(
            f"{str(path)!r} exists already; choose another name, or overwrite it (--force, overwrite=True)"
        )


def write_whole(path: Path, content: bytes) -> None:
    """Write beside the target, then rename: a reader never sees half a file."""
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:80]}.", suffix=".part")
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror}") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise InputError(f"cannot write {str(path)!r}: {error.strerror}") from error
        raise


def to_json(network: Network) -> str:
    """Everything that was learned.

    A pair that is not joined is separated by the boundary that the one removed first had then (``removals``), without
    the other and without what ``left_out`` names for the pair; or by what ``found_otherwise`` names for it.
    """
    text = {i: str(name) for i, name in enumerate(network.names)}
    removals, left_out, otherwise = network.separating_sets.parts()
    return json.dumps(
        {
            "schema": SCHEMA,
            "names": [str(name) for name in network.names],
            "directed_edges": _as_text(network.directed_edges),
            "undirected_edges": _as_text(network.undirected_edges),
            "boundaries": {str(name): sorted(map(str, members)) for name, members in network.boundaries.items()},
            "removals": [{"removed": text[x], "boundary": [text[y] for y in members]} for x, members in removals],
            "left_out": [{"pair": [text[a], text[b]], "set": [text[z] for z in s]} for (a, b), s in left_out],
            "found_otherwise": [{"pair": [text[a], text[b]], "set": [text[z] for z in s]} for (a, b), s in otherwise],
            "n_tests": network.n_tests,
            "tests_by_size": {str(size): count for size, count in network.tests_by_size.items()},
            "tests_by_phase": dict(network.tests_by_phase),
            "boundary_tests": network.boundary_tests,
            "certificate": {"status": network.certificate.status, "sentence": network.certificate.sentence},
            "warnings": list(network.warnings),
            "settings": dict(network.settings),
        },
        indent=1,
        ensure_ascii=False,
    )


def to_dot(network: Network) -> str:
    """Graphviz: arrows for directed edges, plain lines for the others."""
    lines = ["digraph {", *(f"  {_quoted(name)};" for name in network.names)]
    lines += [f"  {_quoted(a)} -> {_quoted(b)};" for a, b in network.directed_edges]
    lines += [f"  {_quoted(a)} -> {_quoted(b)} [dir=none];" for a, b in network.undirected_edges]
    return "\n".join([*lines, "}", ""])


def to_graphml(network: Network) -> str:
    """GraphML; an undirected edge is marked by ``directed`` = false and stands once."""
    graph = nx.DiGraph()
    graph.add_nodes_from(str(name) for name in network.names)
    graph.add_edges_from(_as_text(network.directed_edges), directed=True)
    graph.add_edges_from(_as_text(network.undirected_edges), directed=False)
    return "\n".join(nx.generate_graphml(graph)) + "\n"


def to_csv(network: Network) -> str:
    """An edge list: source, target, and whether the edge is directed."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["source", "target", "directed"])
    writer.writerows((a, b, "yes") for a, b in network.directed_edges)
    writer.writerows((a, b, "no") for a, b in network.undirected_edges)
    return text.getvalue()


def _as_text(edges: list[tuple[object, object]]) -> list[tuple[str, str]]:
    return [(str(a), str(b)) for a, b in edges]


def _quoted(name: object) -> str:
    escaped = str(name).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


FORMATS: dict[str, Callable[[Network], str]] = {
    ".json": to_json,
    ".dot": to_dot,
    ".graphml": to_graphml,
    ".csv": to_csv,
}

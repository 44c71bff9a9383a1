"""JSON with everything that was learned, and back to an equal ``Network``.

The graph and the separating sets are read by hand; whatever else a ``Network`` holds is one line in ``ATTRIBUTES``.
A pair that is not joined is separated by the boundary that the one removed first had then (``removals``), without the
other and without what ``left_out`` names for the pair; or by what ``explicit_sets`` names for it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sidelight.data.files import read_text
from sidelight.errors import InputError
from sidelight.graphs.dag import Dag, PartialDag
from sidelight.graphs.separating_sets import SeparatingSets, ordered
from sidelight.network import Network
from sidelight.orientation import essential_graph
from sidelight.orientation.essential import extend_to_dag
from sidelight.output.formats import shapes
from sidelight.output.formats.agreement import complaints
from sidelight.output.formats.drawing import Drawing
from sidelight.output.formats.evidence_json import (
    read_edges,
    read_missing,
    read_steps,
    write_edges,
    write_missing,
    write_steps,
)
from sidelight.output.formats.shapes import plain
from sidelight.result.certificate import Certificate
from sidelight.result.settings import Recipe

SCHEMA = "sidelight/network/1"
GRAPH_SCHEMA = "sidelight/graph/1"  # names and edges only


@dataclass(frozen=True)
class Attribute:
    """How an attribute of a network is written and read, and what it is where a file lacks it."""

    write: Callable[[Network], Any]
    read: shapes.Shape
    absent: object


def _read_certificate(value: Any, names: shapes.Names) -> Certificate:
    told = shapes.record(status=shapes.text, sentence=shapes.text)(value, names)
    if told["status"] not in ("consistent", "violated", "cannot be checked"):
        raise shapes.WrongShapeError(f"{told['status']!r} is no status")
    return Certificate(**told)


def _read_settings(value: Any, names: shapes.Names) -> dict[str, str]:
    told: dict[str, str] = shapes.dict_of(shapes.text, shapes.text)(value, names)
    lost = [key for key in NO_SETTINGS if key not in told]
    if lost:
        raise shapes.WrongShapeError(f"{lost[0]!r} is missing")
    shapes.level(told["alpha"], names)
    return told


# What every network's settings have; the level is the one that is usual.
NO_SETTINGS = {**dict.fromkeys(("side", "learner", "test", "boundaries"), "not told"), "alpha": "0.01"}
OPTIONS = shapes.dict_of(
    shapes.text, shapes.maybe(shapes.any_of(shapes.text, shapes.whole, shapes.number, shapes.list_of(shapes.text)))
)
ATTRIBUTES: dict[str, Attribute] = {
    "boundaries": Attribute(
        lambda net: {str(name): in_order(net, members) for name, members in net.boundaries.items()},
        shapes.dict_of(shapes.name, shapes.set_of(shapes.name)),
        {},
    ),
    "removal_order": Attribute(lambda net: list(map(plain, net.removal_order)), shapes.list_of(shapes.name), ()),
    "tests_by_size": Attribute(
        lambda net: {str(size): count for size, count in net.tests_by_size.items()},
        shapes.dict_of(shapes.count, shapes.count),
        {},
    ),
    "tests_by_phase": Attribute(lambda net: dict(net.tests_by_phase), shapes.dict_of(shapes.text, shapes.count), {}),
    "boundary_tests": Attribute(lambda net: net.boundary_tests, shapes.count, 0),
    "certificate": Attribute(
        lambda net: {"status": net.certificate.status, "sentence": net.certificate.sentence},
        _read_certificate,
        Certificate("cannot be checked", "the file that this was read from does not say."),
    ),
    "warnings": Attribute(lambda net: list(net.warnings), shapes.list_of(shapes.text), ()),
    "settings": Attribute(lambda net: dict(net.settings), _read_settings, NO_SETTINGS),
    "steps": Attribute(write_steps, read_steps, ()),
    "edge_evidence": Attribute(write_edges, read_edges, {}),
    "missing_p_values": Attribute(write_missing, read_missing, {}),
    "recipe": Attribute(
        lambda net: {"table": net.recipe.table, "options": dict(net.recipe.options)},
        lambda value, names: Recipe(**shapes.record(table=shapes.text, options=OPTIONS)(value, names)),
        Recipe(),
    ),
}
EDGES = shapes.list_of(shapes.pair_of(shapes.name))
SETS = shapes.list_of(shapes.record(pair=shapes.pair_of(shapes.name), set=shapes.list_of(shapes.name)))
REMOVALS = shapes.list_of(shapes.record(removed=shapes.name, boundary=shapes.list_of(shapes.name)))


# Writing.


def in_order(network: Network, members: Iterable[Hashable]) -> list[str | int]:
    """Names in the order of the columns."""
    wanted = set(members)
    return [plain(name) for name in network.names if name in wanted]


def render(network: Network) -> str:
    """Everything that was learned."""
    removals, left_out, explicit = network.separating_sets.parts()
    text = [plain(name) for name in network.names]
    return _dumped(
        {
            "schema": SCHEMA,
            "names": text,
            "directed_edges": _edges(network.directed_edges),
            "undirected_edges": _edges(network.undirected_edges),
            "dag": _edges(network.to_dag().edges),
            "removals": [{"removed": text[x], "boundary": [text[y] for y in members]} for x, members in removals],
            "left_out": [{"pair": [text[a], text[b]], "set": [text[z] for z in s]} for (a, b), s in left_out],
            "explicit_sets": [{"pair": [text[a], text[b]], "set": [text[z] for z in s]} for (a, b), s in explicit],
            "n_tests": network.n_tests,
            **{key: told for key, attribute in ATTRIBUTES.items() if (told := attribute.write(network)) is not None},
        }
    )


def render_graph(drawing: Drawing) -> str:
    """Names and edges of a graph that comes without evidence."""
    return _dumped(
        {
            "schema": GRAPH_SCHEMA,
            "names": drawing.names,
            "directed_edges": drawing.directed,
            "undirected_edges": drawing.undirected,
        }
    )


def _edges(edges: Iterable[tuple[Hashable, Hashable]]) -> list[list[str | int]]:
    return [[plain(a), plain(b)] for a, b in edges]


def _dumped(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


# Reading.


def read(path: str | Path) -> Network:
    """Read a network from a JSON file that sidelight has written."""
    path = Path(path).expanduser()
    if path.suffix.lower() != ".json":
        raise InputError(
            f"{str(path)!r}: a network with its evidence is a .json file; sl.read_graph reads other graphs"
        )
    return parse(read_text(path), str(path))


def parse(text: str, source: str) -> Network:
    """The network that a JSON text describes."""
    content = _Content.of(text, source, (SCHEMA,))
    drawing = content.drawing()
    names = tuple(content.names.values())
    graph = _partial_dag(drawing)
    dag = content.dag(names, graph)
    sets = content.separating_sets(names, [graph.adjacency(x) for x in range(len(names))])
    told = {key: content.field(key, attribute.read, attribute.absent) for key, attribute in ATTRIBUTES.items()}
    if not told["boundaries"]:
        told["boundaries"] = {
            name: frozenset(names[y] for y in members) for name, members in zip(names, dag.boundaries(), strict=True)
        }
    if told["settings"] is NO_SETTINGS:
        unknown = f"the file does not tell how this was learned; its p-values are judged at {NO_SETTINGS['alpha']}"
        told["warnings"] = (*told["warnings"], unknown)
    edges = {frozenset((names[a], names[b])) for a, b in (*graph.directed_edges(), *graph.undirected_edges())}
    for key, complaint in complaints(names, sets, edges, told):
        raise InputError(f"{source!r}, {key!r}: {complaint}")
    return Network(names=names, separating_sets=sets, seconds={}, _graph=graph, _dag=dag, **told)


def holds_network(text: str) -> bool:
    """True for the JSON of a network with its evidence; False for that of a graph, and for whatever else."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and content.get("schema") == SCHEMA


def parse_graph(text: str, source: str) -> Drawing:
    """Names and edges of what a JSON text describes, a network or a graph."""
    return _Content.of(text, source, (SCHEMA, GRAPH_SCHEMA)).drawing()


@dataclass(frozen=True)
class _Content:
    """What a JSON file holds."""

    source: str
    content: dict[str, Any]
    names: dict[str, Hashable]

    @staticmethod
    def of(text: str, source: str, schemas: tuple[str, ...]) -> _Content:
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{source!r} is not JSON, or not all of it: {error}") from error
        schema = content.get("schema") if isinstance(content, dict) else None
        if schema not in schemas:
            accepted = " or ".join(map(repr, schemas))
            raise InputError(f"{source!r} does not hold what was expected: its schema is {schema!r}, not {accepted}")
        listed = content.get("names")
        if not isinstance(listed, list) or not all(isinstance(name, str | int) for name in listed):
            raise InputError(f"{source!r}: 'names' is not a list of texts")
        Drawing.assembled(map(str, listed), (), source)  # raises where two are the same
        return _Content(source, content, {str(name): name for name in listed})

    def field(self, key: str, shape: shapes.Shape, absent: object = None) -> Any:
        if key not in self.content:
            if absent is None:
                raise InputError(f"{self.source!r}: {key!r} is missing")
            return absent
        try:
            return shape(self.content[key], self.names)
        except shapes.WrongShapeError as error:
            raise InputError(f"{self.source!r}, {key!r}: {error}") from error

    def drawing(self) -> Drawing:
        edges = [(str(a), str(b), True) for a, b in self.field("directed_edges", EDGES)]
        edges += [(str(a), str(b), False) for a, b in self.field("undirected_edges", EDGES)]
        return Drawing.assembled(self.names, edges, self.source)

    def dag(self, names: tuple[Hashable, ...], graph: PartialDag) -> Dag:
        """The DAG of the class that was chosen, or, where the file does not say, any."""
        dag = Dag(names, tuple(extend_to_dag(graph)))
        if "dag" in self.content:
            told = [(str(a), str(b), True) for a, b in self.field("dag", EDGES)]
            parents = _partial_dag(Drawing.assembled(self.names, told, self.source)).parents
            dag = Dag(names, tuple(map(frozenset, parents)))
        if essential_graph(dag) != graph:
            raise InputError(f"{self.source!r}: its edges are not those of the essential graph of its DAG")
        return dag

    def separating_sets(self, names: tuple[Hashable, ...], adjacency: list[set[int]]) -> SeparatingSets:
        position = {name: i for i, name in enumerate(names)}
        removals: dict[int, frozenset[int]] = {}
        for entry in self.field("removals", REMOVALS):
            removed = entry["removed"]
            if position[removed] in removals:
                raise InputError(f"{self.source!r}, 'removals': {removed!r} is removed twice")
            if removed in entry["boundary"]:
                raise InputError(f"{self.source!r}, 'removals': {removed!r} is in its own boundary")
            removals[position[removed]] = frozenset(position[y] for y in entry["boundary"])
        if len(removals) < len(names):
            lost = next(name for name in names if position[name] not in removals)
            raise InputError(f"{self.source!r}, 'removals': {lost!r} is missing")

        def sets(key: str) -> dict[tuple[int, int], tuple[int, ...]]:
            found: dict[tuple[int, int], tuple[int, ...]] = {}
            for entry in self.field(key, SETS, ()):
                a, b = entry["pair"]
                pair = ordered(position[a], position[b])
                if {a, b} & set(entry["set"]):
                    raise InputError(f"{self.source!r}, {key!r}: the set for {a!r} and {b!r} holds one of the two")
                if pair in found:
                    raise InputError(f"{self.source!r}, {key!r}: {a!r} and {b!r} have two sets")
                found[pair] = tuple(position[z] for z in entry["set"])
            return found

        explicit = {pair: frozenset(members) for pair, members in sets("explicit_sets").items()}
        return SeparatingSets(names, adjacency, list(removals), removals, sets("left_out"), explicit)


def _partial_dag(drawing: Drawing) -> PartialDag:
    position = {name: i for i, name in enumerate(drawing.names)}
    graph = PartialDag.from_skeleton(
        len(position), ((position[a], position[b]) for a, b in (*drawing.directed, *drawing.undirected))
    )
    for tail, head in drawing.directed:
        graph.orient(position[tail], position[head])
    return graph

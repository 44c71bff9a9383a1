"""JSON with everything that was learned, and back to an equal ``Network``.

What a file may hold is in ``_Graph`` and ``_Network``; how its parts become those of a network is in the modules
beside this one.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import msgspec
import networkx as nx

from sidelight.consistency.knowledge import Doubt
from sidelight.errors import InputError
from sidelight.files.reading import read_text, user_path
from sidelight.graphs.dag import Dag, PartialDag
from sidelight.graphs.marks import Mark, MarkedGraph
from sidelight.knowledge import Constraints
from sidelight.network import Network
from sidelight.orientation import essential_graph
from sidelight.orientation.essential import member
from sidelight.output.formats import evidence_json as evidence
from sidelight.output.formats import settings_json as how_learned
from sidelight.output.formats import shares_json as repeated
from sidelight.output.formats.document import (
    Count,
    FieldError,
    Name,
    Pair,
    as_json,
    check_one_of,
    decode,
    fields_of,
    positions,
)
from sidelight.output.formats.drawing import assembled
from sidelight.result.evidence import EdgeEvidence, EdgeStrength
from sidelight.result.settings import Settings
from sidelight.result.trust import Certificate
from sidelight.search import SearchStep
from sidelight.side_information import Status

SCHEMA = "sidelight/network/1"
GRAPH_SCHEMA = "sidelight/graph/1"  # names and edges only
NO_CERTIFICATE = Certificate("cannot be checked", "the file that this was read from does not say.")


class _Header(msgspec.Struct):
    """What kind of file this is, and the names that its other fields use."""

    schema: Any = None
    names: tuple[str | int, ...] = ()


class _Certificate(msgspec.Struct):
    status: str
    sentence: str
    assumed: bool = True
    stated: bool = False
    best_score: bool = False

    def __post_init__(self) -> None:
        check_one_of("status", self.status, get_args(Status))


class _MarkedEdge(msgspec.Struct):
    """An edge of a PAG: two variables, and the mark at each."""

    edge: Pair
    marks: tuple[str, str]

    def __post_init__(self) -> None:
        for mark in self.marks:
            check_one_of("marks", mark, map(str, Mark))


class _Graph(msgspec.Struct, kw_only=True):
    """Names and edges: what every file has."""

    names: tuple[Name, ...]
    directed_edges: tuple[Pair, ...]
    undirected_edges: tuple[Pair, ...]
    marked_edges: tuple[_MarkedEdge, ...] | None = None  # of a PAG all edges, in place of the two above


class _Network(_Graph, kw_only=True):
    """A network with its evidence; what has a default may be absent.

    A field that a ``Network`` has too holds the same, unless ``render`` and ``_assembled`` convert it.
    """

    dag: tuple[Pair, ...] | None = None
    removals: tuple[evidence.RemovalRecord, ...]
    left_out: tuple[evidence.SetRecord, ...] = ()
    explicit_sets: tuple[evidence.ExplicitRecord, ...] = ()
    failed_sets: tuple[Pair, ...] = ()
    n_tests: Any = None  # for others who read the file: the sum of those by size
    boundaries: dict[Name, frozenset[Name]] = {}
    removal_order: tuple[Name, ...] = ()
    tests_by_size: dict[Count, Count] = {}
    tests_by_phase: dict[str, Count] = {}
    boundary_tests: Count = 0
    check_tests: Count = 0
    certificate: _Certificate | None = None
    warnings: tuple[how_learned.WarningRecord, ...] = ()
    trust: str = ""
    uncertain_arrows: tuple[Pair, ...] = ()  # for others who read the file: they follow from the shares
    settings: how_learned.SettingsRecord | None = None
    steps: tuple[evidence.StepRecord, ...] = ()
    added_edges: tuple[Pair, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    score: float | None = None
    edge_losses: tuple[tuple[Name, Name, float], ...] = ()
    turn_costs: tuple[tuple[Name, Name, float], ...] = ()
    search_steps: tuple[tuple[str, float, Count], ...] = ()
    effects: tuple[evidence.StrengthRecord, ...] = ()
    edge_evidence: tuple[evidence.EdgeRecord, ...] = ()
    missing_p_values: evidence.Rows | None = None
    types: tuple[how_learned.TypeRecord, ...] = ()
    n_rows: Count | None = None
    n_complete: Count | None = None
    shares: repeated.SharesRecord | None = None
    levels: tuple[repeated.LevelRecord, ...] | None = None
    # Of a network over time, for others who read the file: cause and effect, lags, and whether it has a direction.
    summary_edges: tuple[tuple[str, str, tuple[Count, ...], bool], ...] | None = None


# Writing.


def render(network: Network) -> str:
    """Everything that was learned."""
    names, losses = network.names, network.edge_losses
    edges = (*network.directed_edges, *network.undirected_edges)
    converted = {
        "dag": None if network.is_pag else list(network.to_dag().edges),
        "marked_edges": _marked(network) if network.is_pag else None,
        **({"directed_edges": [], "undirected_edges": []} if network.is_pag else {}),
        **evidence.write_sets(network),
        "boundaries": {x: [y for y in names if y in members] for x, members in network.boundaries.items()},
        "warnings": [warning.as_dict() for warning in network.warnings],
        "settings": how_learned.write_settings(network),
        "edge_losses": [(a, b, losses[frozenset((a, b))]) for a, b in edges if losses],
        "turn_costs": [(*arrow, cost) for arrow, cost in network.turn_costs.items()],
        **evidence.write_edges(network),
        "missing_p_values": evidence.write_missing(network),
        "shares": repeated.write_shares(network.shares),
        "levels": repeated.write_levels(network.levels),
        "summary_edges": None if network.settings.time_order is None else network.over_time.as_rows(),
    }
    content = {
        name: as_json(kind, converted[name] if name in converted else getattr(network, name))
        for name, kind in fields_of(_Network).items()
    }
    return _dumped(SCHEMA, {name: value for name, value in content.items() if value is not None})


def _marked(network: Network) -> list[_MarkedEdge]:
    names = network.names
    return [
        _MarkedEdge((names[e.a], names[e.b]), (str(e.at_a), str(e.at_b))) for e in network.by_position.marks.edges()
    ]


def render_graph(drawing: nx.DiGraph) -> str:
    """Names and edges of a graph that comes without evidence."""
    edges = {
        field: [(a, b) for a, b, directed in drawing.edges(data="directed") if directed == kind]
        for field, kind in (("directed_edges", True), ("undirected_edges", False))
    }
    return _dumped(GRAPH_SCHEMA, {"names": list(drawing), **edges})


def _dumped(schema: str, content: dict[str, Any]) -> str:
    text = json.dumps({"schema": schema, **content}, ensure_ascii=False, allow_nan=False)
    return msgspec.json.format(text, indent=1) + "\n"


# Reading.


def read(path: str | Path) -> Network:
    """Read a network from a JSON file that sidelight has written."""
    path = user_path(path)
    if path.suffix.lower() != ".json":
        raise InputError(
            f"{str(path)!r}: a network with its evidence is a .json file, written by sidelight learn --out or net.write"
        )
    return parse(read_text(path), str(path))


def parse(text: str, source: str) -> Network:
    """The network that a JSON text describes."""
    content = decode(text, _Network, source, _names(text, source, (SCHEMA,)))
    is_pag = content.marked_edges is not None
    graph = None if is_pag else PartialDag.from_networkx(_graph(content, source), map(str, content.names))
    try:
        settings = how_learned.read_settings(content.settings, content.names)
        if graph is None:
            network = _assembled(content, settings, _pag(content, source), None)
        else:
            dag = _dag(content, settings, graph, source)
            network = _assembled(content, settings, MarkedGraph.of_partial(content.names, graph), dag)
        for field, complaint in evidence.complaints(network):
            raise FieldError(field, complaint)
    except FieldError as error:
        raise InputError(f"{source!r}, {error}") from error
    return network


def holds_network(text: str) -> bool:
    """True for the JSON of a network with its evidence; False for that of a graph, and for whatever else."""
    try:
        return bool(decode(text, _Header, "", {}).schema == SCHEMA)
    except InputError:
        return False


def parse_graph(text: str, source: str) -> nx.DiGraph:
    """Names and edges of what a JSON text describes, a network or a graph."""
    return _graph(decode(text, _Graph, source, _names(text, source, (SCHEMA, GRAPH_SCHEMA))), source)


def _names(text: str, source: str, schemas: tuple[str, ...]) -> dict[str, Hashable]:
    """The variables by the text of their names."""
    header = decode(text, _Header, source, {})
    if header.schema not in schemas:
        accepted = " or ".join(map(repr, schemas))
        raise InputError(f"{source!r} does not hold what was expected: its schema is {header.schema!r}, not {accepted}")
    assembled(map(str, header.names), (), source)  # raises where two are the same
    return {str(name): name for name in header.names}


def _graph(content: _Graph, source: str) -> nx.DiGraph:
    if content.marked_edges is not None:
        raise InputError(
            f"{source!r} holds a PAG, which a graph of arrows and lines cannot show; sidelight.read reads it"
        )
    edges = [(str(a), str(b), True) for a, b in content.directed_edges]
    edges += [(str(a), str(b), False) for a, b in content.undirected_edges]
    return assembled(map(str, content.names), edges, source)


def _pag(content: _Network, source: str) -> MarkedGraph:
    position, marks = {name: i for i, name in enumerate(content.names)}, {str(mark): mark for mark in Mark}
    edges = (
        (*positions("marked_edges", found.edge, position), *(marks[mark] for mark in found.marks))
        for found in content.marked_edges or ()
    )
    try:
        graph = MarkedGraph.of_edges(content.names, edges)  # type: ignore[arg-type]  # two positions, two marks
    except InputError as error:
        raise FieldError("marked_edges", str(error)) from error
    return graph


def _dag(content: _Network, settings: Settings, graph: PartialDag, source: str) -> Dag:
    """The DAG that was chosen among those the graph stands for, or, where the file does not say, any."""
    try:
        known = settings.constraints(content.names)
    except InputError as error:
        raise FieldError("settings", str(error)) from error
    dag = Dag(content.names, tuple(member(graph, known)))
    if content.dag is not None:
        names, edges = list(map(str, content.names)), [(str(a), str(b), True) for a, b in content.dag]
        parents = PartialDag.from_networkx(assembled(names, edges, source), names).parents
        dag = Dag(content.names, tuple(map(frozenset, parents)))
    _check_known(dag, known)
    if essential_graph(dag, known) != graph:
        beside = " and of what was known" if known is not None else ""
        raise InputError(f"{source!r}: its edges are not those of the essential graph of its DAG{beside}")
    return dag


def _check_known(dag: Dag, known: Constraints | None) -> None:
    """Raise where the DAG lacks an edge that was known, or has an arrow that was known not to be there."""
    if known is None:
        return
    for tail, head in dag.edges():
        if not known.allowed[tail, head]:
            raise FieldError("dag", f"{dag.names[tail]!r} → {dag.names[head]!r} contradicts what was known")
    for x, y in sorted(known.adjacent):
        if y not in dag.neighbours[x]:
            raise FieldError("dag", f"{dag.names[x]!r} and {dag.names[y]!r} are known to be adjacent, and are not")


def _assembled(content: _Network, settings: Settings, graph: MarkedGraph, dag: Dag | None) -> Network:
    names, certificate = content.names, content.certificate
    adjacency = list(map(set, graph.neighbours))
    sets = (content.removals, content.left_out, content.explicit_sets, content.failed_sets)
    order = settings.time_order
    not_asked = frozenset[int]() if order is None else frozenset(order.positions(names).tolist())
    of_dag = () if dag is None else zip(names, dag.boundaries(), strict=True)
    converted: dict[str, Any] = {
        "separating_sets": evidence.read_sets(names, adjacency, *sets, not_asked),
        "boundaries": content.boundaries or {x: frozenset(names[y] for y in members) for x, members in of_dag},
        "certificate": Certificate(**msgspec.structs.asdict(certificate)) if certificate else NO_CERTIFICATE,
        "warnings": how_learned.read_warnings(content.warnings, names, content.settings is not None),
        "settings": settings,
        "steps": evidence.read_steps(content.steps, names),
        "edge_losses": {frozenset((a, b)): loss for a, b, loss in content.edge_losses},
        "turn_costs": {(a, b): cost for a, b, cost in content.turn_costs},
        "search_steps": tuple(SearchStep(*step) for step in content.search_steps),
        "edge_strengths": evidence.by_edge(content.effects, EdgeStrength),
        "edge_evidence": evidence.by_edge(content.edge_evidence, EdgeEvidence),
        "missing_p_values": evidence.read_missing(content.missing_p_values, names),
        "types": how_learned.read_types(content.types, names),
        "shares": repeated.read_shares(content.shares, names),
        "levels": repeated.read_levels(content.levels, names),
    }
    same = {field.name for field in fields(Network)} & fields_of(_Network).keys() - converted.keys()
    return Network(**converted, **{name: getattr(content, name) for name in same}, seconds={}, _graph=graph, _dag=dag)

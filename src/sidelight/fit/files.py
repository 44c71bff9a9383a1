"""Fitted networks as files: JSON for all, BIF for tables of probabilities; and back.

A distribution is written by its fields, numbers and arrays of numbers, under the word of its class.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from sidelight.errors import InputError
from sidelight.files.reading import read_text, user_path
from sidelight.files.writing import check_target, write_whole
from sidelight.fit.gaussian import FittedGaussian
from sidelight.fit.mixed import FittedMixed
from sidelight.fit.model import FittedNetwork
from sidelight.fit.tables import FittedTables
from sidelight.graphs.dag import Dag
from sidelight.graphs.names import check_names
from sidelight.kinds import KINDS
from sidelight.kinds.base import Conditional, ModelVariable, UsedKind
from sidelight.kinds.category import Category, LogisticNode, TableNode
from sidelight.kinds.number import LinearGaussianNode
from sidelight.kinds.ordinal import ProportionalOddsNode
from sidelight.simulation.bif import parse_bif
from sidelight.simulation.discrete import DiscreteNetwork
from sidelight.tables.treatment import Treatment

SCHEMA = "sidelight/fitted/1"
NODES: dict[str, type[Conditional]] = {
    "linear": LinearGaussianNode,
    "table": TableNode,
    "logistic": LogisticNode,
    "proportional odds": ProportionalOddsNode,
}
CLASSES: dict[str, type[FittedNetwork]] = {"numbers": FittedGaussian, "tables": FittedTables, "mixed": FittedMixed}
FORMATS = ".json, or .bif for tables of probabilities"
MORE = tuple(f.name for f in fields(ModelVariable) if f.name not in ("name", "kind", "categories"))
Name = str | int
Value = str | int | float | bool


class _Variable(msgspec.Struct):
    """A variable and its distribution; ``parameters`` are those of the class that ``distribution`` names."""

    name: Name
    kind: str
    categories: tuple[Value, ...]
    parents: tuple[Name, ...]
    distribution: str
    parameters: dict[str, Any]
    more: dict[str, tuple[float, ...]] = {}  # what else belongs to the variable


class _Treatment(msgspec.Struct):
    """How tables are read."""

    missing_values: list[tuple[Name, tuple[Value, ...]]] = []
    dates: tuple[Name, ...] = ()
    numbers: tuple[Name, ...] = ()
    written: dict[str, Any] = {}
    orders: list[tuple[Name, tuple[str, ...]]] = []


class _File(msgspec.Struct):
    schema: str
    model: str
    n_rows: float
    variables: tuple[_Variable, ...]
    undetermined: tuple[tuple[Name, Name], ...]
    treatment: _Treatment


def write_fitted(network: FittedNetwork, path: str | Path, overwrite: bool = False) -> None:
    """Write a fitted network, by the extension."""
    target = user_path(path)
    suffix = target.suffix.lower()
    if suffix not in (".json", ".bif"):
        raise InputError(f"a network with its parameters is written as {FORMATS}; got {str(path)!r}")
    if suffix == ".bif" and not isinstance(network, FittedTables):
        raise InputError("BIF holds tables of probabilities, and this network has other distributions; write .json")
    check_target(target, overwrite)
    content = network.to_bif() if isinstance(network, FittedTables) and suffix == ".bif" else as_json(network)
    write_whole(target, content.encode(), overwrite)


def read_fitted(path: str | Path) -> FittedNetwork:
    """Read a fitted network: JSON as ``write`` makes it, or BIF of any program."""
    source = user_path(path)
    text = read_text(source)
    if source.suffix.lower() == ".bif":
        return _of_bif(parse_bif(text, str(path)))
    try:
        return _of_file(msgspec.json.decode(text, type=_File))
    except (msgspec.DecodeError, ValueError, KeyError, TypeError, InputError) as error:
        raise InputError(f"{str(path)!r} is no fitted network of sidelight: {error}") from error


def as_json(network: FittedNetwork) -> str:
    """All of it as text."""
    treatment = network.treatment
    file = _File(
        SCHEMA,
        next(word for word, kind in CLASSES.items() if type(network) is kind),
        float(network.n_rows),
        tuple(_written(node) for node in network.conditionals),
        tuple((_name(a), _name(b)) for a, b in sorted(network.undetermined, key=str)),
        _Treatment(
            [(_name(name), tuple(map(_value, values))) for name, values in treatment.missing_values.items()],
            tuple(map(_name, treatment.dates)),
            tuple(map(_name, treatment.numbers)),
            {name: value for name, value in treatment.written.items() if name in ("delimiter", "decimal", "header")},
            [(_name(name), order) for name, order in treatment.orders.items()],
        ),
    )
    return json.dumps(msgspec.to_builtins(file), indent=1, ensure_ascii=False) + "\n"


def _written(node: Conditional) -> _Variable:
    variable = node.variable
    return _Variable(
        _name(variable.name),
        variable.kind.name,
        tuple(map(_value, variable.categories)),
        tuple(_name(parent.name) for parent in node.parents),
        next(word for word, kind in NODES.items() if type(node) is kind),
        {name: np.asarray(getattr(node, name)).tolist() for name in _parameters(type(node))},
        {name: value for name in MORE if (value := getattr(variable, name))},
    )


def _parameters(kind: type[Conditional]) -> list[str]:
    """The fields of a distribution that are numbers."""
    return [f.name for f in fields(kind) if f.name not in ("variable", "parents")]  # type: ignore[arg-type]


def _name(name: object) -> Name:
    return name if isinstance(name, str | int) else str(name)


def _value(value: object) -> Value:
    plain = value.item() if isinstance(value, np.generic) else value
    return plain if isinstance(plain, str | int | float | bool) else str(plain)


def _of_file(file: _File) -> FittedNetwork:
    if file.schema != SCHEMA:
        raise ValueError(f"its schema is {file.schema!r}, not {SCHEMA!r}")
    names = check_names([variable.name for variable in file.variables])
    variables = {variable.name: _variable(variable) for variable in file.variables}
    conditionals = tuple(_conditional(variable, variables) for variable in file.variables)
    told = file.treatment
    treatment = Treatment(dict(told.missing_values), told.dates, told.numbers, told.written, dict(told.orders))
    dag = _dag(names, {variable.name: variable.parents for variable in file.variables})
    return CLASSES[file.model](dag, conditionals, file.n_rows, frozenset(file.undetermined), treatment)


def _variable(written: _Variable) -> ModelVariable:
    kind = KINDS[written.kind]
    if not isinstance(kind, UsedKind):
        raise ValueError(f"variable {written.name!r} cannot be of kind {written.kind!r}")
    return ModelVariable(written.name, kind, written.categories, **written.more)


def _conditional(written: _Variable, variables: Mapping[Any, ModelVariable]) -> Conditional:
    """The distribution; raises where its numbers are not as many as its variables need."""
    kind, variable = NODES[written.distribution], variables[written.name]
    parents = tuple(variables[name] for name in written.parents)
    values = {name: np.asarray(written.parameters[name], dtype=np.float64) for name in _parameters(kind)}
    shapes = _shapes(kind, variable, parents)
    for name, shape in shapes.items():
        values[name] = values[name].reshape(shape) if values[name].size == 0 else values[name]
        if values[name].shape != shape or not np.isfinite(values[name]).all():
            raise ValueError(f"{name} of variable {written.name!r} are not {shape} finite numbers")
    plain = {name: float(value) if value.ndim == 0 else value for name, value in values.items()}
    return kind(variable, parents, **plain)  # type: ignore[call-arg]


def _shapes(
    kind: type[Conditional], variable: ModelVariable, parents: tuple[ModelVariable, ...]
) -> dict[str, tuple[int, ...]]:
    """What shape the numbers of the distributions that are known here have."""
    width = sum(parent.width for parent in parents)
    if kind is TableNode:
        return {"probabilities": tuple(len(member.categories) for member in (*parents, variable))}
    if kind is LogisticNode:
        return {"intercepts": (variable.width,), "slopes": (variable.width, width)}
    if kind is ProportionalOddsNode:
        return {"thresholds": (len(variable.categories) - 1,), "slopes": (width,)}
    return {"intercept": (), "slopes": (width,), "noise": ()} if kind is LinearGaussianNode else {}


def _dag(names: tuple[Any, ...], parents: Mapping[Any, tuple[Any, ...]]) -> Dag:
    import networkx as nx

    graph: nx.DiGraph = nx.DiGraph()
    graph.add_nodes_from(names)
    graph.add_edges_from((parent, child) for child, found in parents.items() for parent in found)
    return Dag.from_networkx(graph)


def _of_bif(network: DiscreteNetwork) -> FittedTables:
    """The tables of a BIF file; a table has its axes in the order of the variables here, in that of the file there."""
    names = tuple(network.categories)
    place = {name: i for i, name in enumerate(names)}
    variables = {name: ModelVariable(name, Category(), tuple(values)) for name, values in network.categories.items()}
    nodes = []
    for name in names:
        parents = network.parents[name]
        order = sorted(range(len(parents)), key=lambda i: place[parents[i]])
        table = np.transpose(np.asarray(network.tables[name]), (*order, len(parents)))
        nodes.append(TableNode(variables[name], tuple(variables[parents[i]] for i in order), table))
    dag = _dag(names, {name: tuple(network.parents[name]) for name in names})
    return FittedTables(dag, tuple(nodes), 0.0)

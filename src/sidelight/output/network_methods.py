"""What the methods of a ``Network`` that show or convert it call: its one door to this folder.

Other packages that it is converted for are extras, each imported when it is needed.
"""

from __future__ import annotations

from collections.abc import Hashable
from importlib import import_module
from typing import Any, NamedTuple

import networkx as nx

from sidelight.effects import adjustment_sets
from sidelight.effects.reading import complete_columns
from sidelight.errors import InputError
from sidelight.graphs.marks import ARROW, CIRCLE, TAIL
from sidelight.network import Network
from sidelight.output.formats import write
from sidelight.output.methods import methods
from sidelight.output.pictures.figure import plot
from sidelight.output.pictures.svg import to_notebook
from sidelight.output.report.html import write_report

__all__ = [
    "methods",
    "plot",
    "to_causallearn",
    "to_dowhy",
    "to_igraph",
    "to_notebook",
    "to_pgmpy",
    "write",
    "write_report",
]
MARKS = {TAIL: -1, ARROW: 1, CIRCLE: 2}  # as causal-learn has them


def _imported(module: str, package: str, extra: str) -> Any:
    """A module of an optional package, or an error that says how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise InputError(f"this needs {package}: pip install 'sidelight[{extra}]' ({error})") from error


def to_pgmpy(network: Network) -> Any:
    """A ``pgmpy.base.DAG`` where all edges are directed, else a ``pgmpy.base.PDAG``."""
    _ = network.by_position.dag  # raises where there are other edges
    base = _imported("pgmpy.base", "pgmpy", "peers")
    if network.undirected_edges:
        graph = base.PDAG(network.directed_edges, network.undirected_edges)
    else:
        graph = base.DAG(network.directed_edges)
    graph.add_nodes_from(network.names)
    return graph


def to_causallearn(network: Network) -> Any:
    """A ``causallearn`` ``GeneralGraph`` with its marks; undirected edges have two tails, as its PC gives them."""
    nodes = _imported("causallearn.graph.GraphNode", "causal-learn", "peers")
    graphs = _imported("causallearn.graph.GeneralGraph", "causal-learn", "peers")
    graph = graphs.GeneralGraph([nodes.GraphNode(str(name)) for name in network.names])
    for edge in network.by_position.marks.edges():
        graph.graph[edge.a, edge.b], graph.graph[edge.b, edge.a] = MARKS[edge.at_a], MARKS[edge.at_b]
    graph.reconstitute_dpath(graph.get_graph_edges())
    return graph


class DowhyModel(NamedTuple):
    """What DoWhy goes on from: ``model.estimate_effect(estimand, method_name="backdoor.linear_regression")``, say."""

    model: Any
    estimand: Any


def to_dowhy(network: Network, data: object, cause: Hashable, on: Hashable) -> DowhyModel:
    """A ``dowhy.CausalModel`` of the DAG and the table, and the estimand with the optimal adjustment set.

    DoWhy takes one DAG. Where the DAGs of the class do not agree on the effect, that is an ``InputError``.
    """
    dowhy, pandas = _imported("dowhy", "DoWhy", "dowhy"), _imported("pandas", "pandas", "dowhy")
    sets = adjustment_sets(network, cause, on)
    if sets.optimal is None:
        raise InputError(f"DoWhy takes one DAG and one set, and there is none to hand over: {sets.objection(())}")
    columns = complete_columns(network, data)
    frame = pandas.DataFrame({str(name): column for name, column in columns.items()})
    graph = nx.relabel_nodes(network.to_dag(), str)
    model = dowhy.CausalModel(frame, [str(name) for name in sets.causes], [str(sets.on)], graph=graph)
    estimand = model.identify_effect(proceed_when_unidentifiable=True)
    given = [str(name) for name in sets.optimal]
    estimand.backdoor_variables = {**(estimand.backdoor_variables or {}), "backdoor": given, "optimal": given}
    estimand.default_backdoor_id = "optimal"
    return DowhyModel(model, estimand)


def to_igraph(network: Network) -> Any:
    """A directed ``igraph.Graph``; an undirected edge stands in both directions and has ``directed=False``."""
    graph = _imported("igraph", "igraph", "igraph").Graph(len(network.names), directed=True)
    graph.vs["name"] = [str(name) for name in network.names]
    position = {name: i for i, name in enumerate(network.names)}
    edges = list(network.to_networkx().edges(data="directed"))
    graph.add_edges([(position[a], position[b]) for a, b, _ in edges])
    graph.es["directed"] = [directed for _, _, directed in edges]
    return graph

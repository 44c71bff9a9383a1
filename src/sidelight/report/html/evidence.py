"""What the report tells of edges and missing edges: sentences and p-values, as far as they can be had quickly."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from sidelight.evidence import AskedEdges, AskedMissing
from sidelight.explanation import explain
from sidelight.network import Network


def with_quick_evidence(network: Network) -> Network:
    """The network without p-values that would take long to ask for all edges."""
    slow = isinstance(network.edge_evidence, AskedEdges) and not network.edge_evidence.is_quick
    return replace(network, edge_evidence={}) if slow else network


def edge_evidence(network: Network, a: Hashable, b: Hashable) -> dict[str, object]:
    """Why the two are joined, in sentences, and the p-value that speaks most against the edge."""
    evidence = network.edge_evidence.get(frozenset((a, b)))
    words = list(explain(network, a, b).sentences)
    return {"words": words} if evidence is None else {"words": words, "weakest_p": evidence.weakest_p}


def missing_rows(network: Network) -> list[list[float | None]] | None:
    """The p-values of missing edges: for each variable, those with each later one; None when they would take long."""
    p_values = network.missing_p_values
    if not p_values or (isinstance(p_values, AskedMissing) and not p_values.is_quick):
        return None
    rounded = {pair: float(f"{p:.4g}") for pair, p in dict(p_values.items()).items()}
    return [[rounded.get(frozenset((x, y))) for y in network.names[i:]] for i, x in enumerate(network.names[:-1], 1)]

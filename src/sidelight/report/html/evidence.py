"""What the report tells of edges: sentences, and p-values as far as they can be had quickly."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from sidelight.evidence import AskedEdges
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

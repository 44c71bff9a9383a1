"""Sentences for the edges of a report."""

from __future__ import annotations

from collections.abc import Hashable

from sidelight.network import Network


def edge_words(network: Network, a: Hashable, b: Hashable) -> list[str]:
    """Why the two are joined, in sentences."""
    explain = getattr(network, "explain", None)
    if explain is not None:
        return list(explain(a, b).sentences)
    return [f"{a} and {b} are joined: nothing that was tried makes them independent."]

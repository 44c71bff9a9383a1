"""How often two variables are adjacent among the graphs of resamples, and which way their edge points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sidelight.network import Network


def resample_words(network: Network, x: int, y: int) -> Iterator[str]:
    """The sentence about a pair; none without resamples."""
    if network.shares is not None:
        yield network.shares.in_words(x, y, network.by_position.edge_tests.short_names)


def resample_facts(network: Network, x: int, y: int) -> dict[str, Any]:
    """The same as data, as seen from x."""
    shares = network.shares
    if shares is None:
        return {"shares": None}
    counts = shares.of(x, y)
    found = {
        "adjacent": shares.share(counts.adjacent),
        "forward": shares.share(counts.forward),
        "backward": shares.share(counts.backward),
        "undirected": shares.share(counts.undirected),
        "resamples": shares.n_resamples,
        "standard_error": shares.error(counts.adjacent),
    }
    return {"shares": found}

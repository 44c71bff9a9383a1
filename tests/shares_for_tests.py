"""Shares among resamples and edges at several levels: drawn by hypothesis, or given to a network."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import get_args

from hypothesis import strategies as st

from sidelight.result.certainty import Levels, Method, PairCounts, Shares


@st.composite
def shares_of(draw, names, most_resamples=40):
    """Any shares over these names."""
    total = draw(st.integers(0, most_resamples))
    counts = {}
    for pair in combinations(range(len(names)), 2):
        adjacent = draw(st.one_of(st.just(0), st.integers(0, total)))
        forward = draw(st.integers(0, adjacent))
        backward = draw(st.integers(0, adjacent - forward))
        if adjacent:
            counts[pair] = PairCounts(forward, backward, adjacent - forward - backward)
    method = draw(st.sampled_from(get_args(Method)))
    most = draw(st.none() | st.floats(0, 1e6))
    return Shares(tuple(names), method, draw(st.integers(0, 2**70)), total, counts, most)


@st.composite
def levels_of(draw, names):
    """Edges over these names at any levels."""
    alphas = draw(st.sets(st.floats(0, 1, exclude_min=True, exclude_max=True), max_size=4))
    pairs = list(combinations(range(len(names)), 2))
    ways = st.dictionaries(st.sampled_from(pairs), st.sampled_from("→←—")) if pairs else st.just({})
    return Levels(tuple(names), tuple(sorted(alphas)), tuple(draw(ways) for _ in alphas))


def with_counts(net, counts, n_resamples=200, method="bootstrap", seed=0, max_false_edges=None):
    """The network with shares; the counts of a pair of names are as seen from its first."""
    position = {name: i for i, name in enumerate(net.names)}
    found = {}
    for (a, b), numbers in counts.items():
        x, y = position[a], position[b]
        found[min(x, y), max(x, y)] = PairCounts(*numbers) if x < y else PairCounts(*numbers).turned()
    return replace(net, shares=Shares(net.names, method, seed, n_resamples, found, max_false_edges))

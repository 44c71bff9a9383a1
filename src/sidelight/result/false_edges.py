"""How many false edges are expected at most among those that are stable over complementary pairs of subsamples.

Shah and Samworth (2013), "Variable selection with error control: another look at stability selection", Theorems 1
and 2. With q edges in a graph of half the rows on average, among p pairs, let θ = q / p. *False* here is a pair that
such a graph has with probability θ at most. Of the edges whose share reaches τ, the expected number that is false is at
most c · θ · q, where c = 1 / (2τ − 1) without any further assumption, and smaller if the distribution of the share of
pairs of halves that both have such an edge is unimodal.
"""

from __future__ import annotations

from math import inf

THREE_QUARTERS = 0.75


def bound_on_false_edges(threshold: float, n_pairs_of_halves: int, mean_edges: float, n_pairs: int) -> float:
    """The bound for a threshold above one half; infinite below."""
    if mean_edges == 0 or threshold > 1:  # no edge is chosen
        return 0.0
    theta = mean_edges / n_pairs
    return min(_worst_case(threshold), _unimodal(threshold, n_pairs_of_halves, theta)) * theta * mean_edges


def _worst_case(threshold: float) -> float:
    return 1 / (2 * threshold - 1) if threshold > 0.5 else inf


def _unimodal(threshold: float, b: int, theta: float) -> float:
    """Theorem 2, for shares on the grid of 1 / (2B); it holds for θ up to 1 / √3 and shares from 1/2 + 1/B on."""
    if b < 2 or theta > 3**-0.5 or threshold < 0.5 + 1 / b - 1e-12:
        return inf
    lowest = min(0.5 + theta**2, 0.5 + 1 / (2 * b) + 0.75 * theta**2)
    if threshold <= lowest:
        return inf
    if threshold <= THREE_QUARTERS:
        return 1 / (2 * (2 * threshold - 1 - 1 / (2 * b)))
    return 4 * (1 - threshold + 1 / (2 * b)) / (1 + 1 / b)

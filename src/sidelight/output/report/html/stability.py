"""What graphs of resamples and of other significance levels say of the edges, as the report's page is given it."""

from __future__ import annotations

from math import ceil, inf, isfinite

from sidelight.graphs.dag import PartialDag
from sidelight.graphs.separating_sets import Pair
from sidelight.network import Network
from sidelight.result.certainty import Levels, Shares, consensus_graph

Data = dict[str, object]
STEP = 5  # of the threshold, in percent
STEPS = tuple(range(STEP, 101, STEP))
FORWARD, BACKWARD, UNDIRECTED, NO_EDGE = "f", "b", "u", "."  # of a pair in one graph, a letter each


def stability(network: Network) -> Data:
    """Shares and levels; nothing for a network that was learned once."""
    found: Data = {}
    if network.shares is not None and network.shares.n_resamples:
        found["shares"] = _shares(network, network.shares)
    if network.levels is not None:
        found["levels"] = _levels(network.levels)
    return found


def _shares(network: Network, shares: Shares) -> Data:
    """Counts of all pairs that are ever adjacent, the most frequent first, and their edges at each threshold."""
    pairs = shares.chosen(0)
    known = network.by_position.known
    graphs = [consensus_graph(shares, step / 100, known).graph for step in STEPS]
    return {
        "resamples": shares.n_resamples,
        "method": shares.method,
        "pairs": [[*pair, *map(int, shares.counts[pair])] for pair in pairs],
        "ways": ["".join(_way(graph, pair) for pair in pairs).rstrip(NO_EDGE) for graph in graphs],
        "step": STEP,
        "start": _nearest_step(shares.threshold),
        "choice": _choice(shares),
        "false_edges": [_bound(shares, step / 100) for step in STEPS],
    }


def _way(graph: PartialDag, pair: Pair) -> str:
    x, y = pair
    if y in graph.undirected[x]:
        return UNDIRECTED
    return FORWARD if y in graph.children[x] else BACKWARD if y in graph.parents[x] else NO_EDGE


def _nearest_step(threshold: float) -> int:
    return min(STEPS, key=lambda step: (abs(step / 100 - min(threshold, 1)), -step))


def _choice(shares: Shares) -> str:
    """How the threshold was chosen, and what it is exactly."""
    exact, most = f"{100 * shares.threshold:.3g} %", shares.max_false_edges
    if most is None:
        return f"chosen from the data: {exact}"
    if shares.threshold == inf:
        return f"no threshold keeps the expected number of false edges at {most:g}"
    return f"chosen for at most {most:g} expected false edges: {exact}"


def _bound(shares: Shares, threshold: float) -> str | None:
    """The bound on the expected number of false edges, rounded up; None where there is none."""
    bound = shares.false_edges(threshold) if shares.method == "complementary-pairs" else inf
    return f"{ceil(10 * bound - 1e-9) / 10:.1f}" if isfinite(bound) else None


def _levels(levels: Levels) -> Data:
    return {
        "counts": [[f"{alpha:g}", edges, directed] for alpha, edges, directed in levels.counts()],
        "changes": [[*pair, ways] for pair, ways in levels.changes()],
    }

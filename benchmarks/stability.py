"""Resamples: how fast they are learned from, what their shares are worth, and whether the bound on false edges holds.

    python benchmarks/stability.py speed [50]         200 resamples beside causal-learn's PC (extra bench)
    python benchmarks/stability.py quality [SEEDS]    three tables, and docs/pictures/reliability.svg

Reliability: among pairs whose share is in a bin, how many are true edges, and among ordered pairs how many are arrows
of the true class (how many there are of either). Consensus: F1 of the skeleton / distance of essential graphs per true
edge, of one network and of consensus graphs. Bound: the mean number of false edges from a threshold on, and the mean of
the bound on it.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from discrete import _sampled
from hybrid import REGIMES, sparse

import sidelight as sl
from sidelight.evaluate.comparison import class_distance, compare_skeletons

FIRST_SEED = 60_000  # not used to choose anything
RESAMPLES = 50
PAIRS = "complementary-pairs"
METHODS = ("bootstrap", PAIRS)
THRESHOLDS = (0.6, 0.7, 0.8, 0.9, 1.0)
Bins = dict[tuple[str, str], np.ndarray]  # by what and method: for each bin its number, how many are true, and shares
BINS = np.linspace(0, 1, 11)
PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "reliability.svg"
NUMBERS = (
    "G(20), degree 3, 200 rows",
    "G(50), degree 3, 250 rows",
    "G(50), degree 3, weak, 1,000 rows",
    "G(50, n^-.72), 2,500 rows",
)
DISCRETE = {f"{name}, 1,000 rows": (name, 1000) for name in ("asia", "survey", "sachs")}


def tables(seeds: int) -> Iterator[tuple[str, nx.DiGraph, Any]]:
    """Tables with their true structures, by the name of what they were drawn from."""
    for name in NUMBERS:
        for seed in range(seeds):
            yield name, *REGIMES[name](np.random.default_rng(FIRST_SEED + seed))
    for name, (network, rows) in DISCRETE.items():
        for seed in range(seeds):
            frame, truth = _sampled(network, rows, FIRST_SEED + seed)
            yield name, truth, frame


def speed(largest: int) -> None:
    """Our resamples in one run with PC on a few of them; the ratio is to as many runs of PC."""
    from causallearn.search.ConstraintBased.PC import pc

    print("| data | 200 resamples | PC once | ratio of 200 runs of PC | peak memory |\n|---|---|---|---|---|")
    for n, rows, n_peer in ((50, 1000, 3), (200, 10_000, 1)):
        if n > largest:
            continue
        _, values = sparse(n, rows)(np.random.default_rng(FIRST_SEED))
        sl.stability(values[:200], resamples=200)  # compiles
        pc(values[:100, :4], 0.01, "fisherz", show_progress=False)
        started = perf_counter()
        sl.stability(values, resamples=200)
        ours = perf_counter() - started
        started = perf_counter()
        for number in range(n_peer):
            drawn = np.random.default_rng(number).integers(0, rows, rows)
            pc(values[drawn], 0.01, "fisherz", show_progress=False)
        peer = (perf_counter() - started) / n_peer
        peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
        name = f"G({n}, n^-.72), {rows:,} rows"
        print(f"| {name} | {ours:.1f} s | {peer:.2f} s | {200 * peer / ours:.0f} | {peak:.0f} MB |", flush=True)


def quality(seeds: int) -> None:
    """All three tables from the same resamples."""
    bins: Bins = {}
    distances: dict[str, list[list[float]]] = {}
    false: dict[str, list[list[tuple[float, int]]]] = {}
    for name, truth, table in tables(seeds):
        found = {method: sl.stability(table, resamples=RESAMPLES, method=method) for method in METHODS}
        kind = "discrete" if isinstance(table, pd.DataFrame) else "numbers"
        for method, stable in found.items():
            _add_reliability(bins, stable, truth, kind, method)
        distances.setdefault(name, []).append(_distances(found, truth))
        false.setdefault(name, []).append(_false_edges(found[PAIRS], truth))
        print(f"{name}: done", file=sys.stderr, flush=True)
    _print_reliability(bins)
    _print_consensus(distances)
    _print_bound(false)
    _draw(bins)


def _add_reliability(bins: Bins, stable: sl.Stability, truth: nx.DiGraph, kind: str, method: str) -> None:
    class_edges = sl.essential_graph(truth).edges
    directed = {(a, b) for a, b in class_edges if (b, a) not in class_edges}
    pairs = {frozenset(edge) for edge in truth.edges}
    _add(bins.setdefault((f"edges, {kind}", method), np.zeros((10, 3))), stable.adjacency, pairs)
    _add(bins.setdefault((f"arrows, {kind}", method), np.zeros((10, 3))), stable.arrow, directed)


def _add(bins: np.ndarray, shares: Any, true: set[Any]) -> None:
    for key, share in shares.items():
        if share > 0:
            place = min(9, int(share * 10))
            bins[place] += (1, key in true, share)


def _print_reliability(counts: Bins) -> None:
    heads = " | ".join(f"{low:.1f}–{low + 0.1:.1f}" for low in BINS[:-1])
    print(f"| | | {heads} |\n|---|---|{'---|' * 10}")
    for (what, method), bins in counts.items():
        cells = " | ".join(f"{true / n:.2f} ({int(n)})" if n else "–" for n, true, _ in bins)
        print(f"| {what} | {method} | {cells} |", flush=True)


def _draw(counts: Bins) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "sidelight"  # the same file for the same figures
    import matplotlib.pyplot as plt

    panels = list(dict.fromkeys(what for what, _ in counts))
    figure, axes = plt.subplots(1, len(panels), figsize=(3.1 * len(panels), 3.3), sharey=True)
    for axis, what in zip(axes, panels, strict=True):
        axis.plot([0, 1], [0, 1], color="#9aa5b1", linewidth=1, linestyle="--")
        for method, colour, mark in zip(METHODS, ("#1f77b4", "#d95f02"), "os", strict=True):
            bins = counts[what, method]
            there = bins[:, 0] >= 5
            share, true = bins[there, 2] / bins[there, 0], bins[there, 1] / bins[there, 0]
            error = np.sqrt(true * (1 - true) / bins[there, 0])
            axis.errorbar(share, true, error, color=colour, marker=mark, markersize=4, linewidth=1.2, label=method)
        axis.set(title=what, xlabel="share of resamples", xlim=(0, 1.02), ylim=(-0.02, 1.02))
    axes[0].set_ylabel("true")
    axes[0].legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(PICTURE, metadata={"Date": None})


def _distances(found: dict[str, sl.Stability], truth: nx.DiGraph) -> list[float]:
    essential, size = sl.essential_graph(truth), truth.number_of_edges()
    graphs = [found["bootstrap"].network, *(stable.consensus(at) for stable in found.values() for at in (None, 0.5))]
    values = []
    for net in graphs:
        values += [compare_skeletons(net.skeleton, truth).f1, class_distance(net.to_networkx(), essential) / size]
    return values


def _print_consensus(distances: dict[str, list[list[float]]]) -> None:
    heads = ("one network", *(f"{method}{at}" for method in METHODS for at in ("", ", 0.5")))
    print(f"\n| data | {' | '.join(heads)} |\n|---|{'---|' * len(heads)}")
    for name, values in distances.items():
        means = np.mean(values, axis=0).reshape(-1, 2)
        print(f"| {name} | {' | '.join(f'{f1:.3f} / {distance:.2f}' for f1, distance in means)} |")


def _false_edges(stable: sl.Stability, truth: nx.DiGraph) -> list[tuple[float, int]]:
    true = {frozenset(edge) for edge in truth.edges}
    false = [share for pair, share in stable.adjacency.items() if pair not in true]
    return [(stable.false_edges(least), sum(share >= least for share in false)) for least in THRESHOLDS]


def _print_bound(false: dict[str, list[list[tuple[float, int]]]]) -> None:
    heads = " | ".join(f"from {threshold:g} on" for threshold in THRESHOLDS)
    print(f"\n| data | {heads} |\n|---|{'---|' * len(THRESHOLDS)}")
    for name, values in false.items():
        cells = " | ".join(f"{count:.2f} ({bound:.2f})" for bound, count in np.mean(values, axis=0))
        print(f"| {name} | {cells} |")


if __name__ == "__main__":
    what, *rest = sys.argv[1:] or ["speed"]
    if what == "speed":
        speed(int(rest[0]) if rest else 200)
    else:
        quality(int(rest[0]) if rest else 5)

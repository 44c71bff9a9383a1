"""Resamples: how fast they are learned from, what their shares are worth, and whether the bound on false edges holds.

python benchmarks/stability.py speed                  200 resamples beside causal-learn's PC (extra bench)
python benchmarks/stability.py reliability [SEEDS]    among edges with such a share, how many are true? Draws
                                                      docs/pictures/reliability.svg
python benchmarks/stability.py consensus [SEEDS]      distance to the truth: one network, and consensus
python benchmarks/stability.py bound [SEEDS]          expected false edges: the bound, and how many there are
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Iterator
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
RESAMPLES = 100
METHODS = ("bootstrap", "subsample")
BINS = np.linspace(0, 1, 11)
PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "reliability.svg"
NUMBERS = (
    "G(20), degree 3, 200 rows",
    "G(50), degree 3, 250 rows",
    "G(50), degree 3, weak, 1,000 rows",
    "G(50, n^-.72), 2,500 rows",
)
DISCRETE = {f"{name}, 1,000 rows": (name, 1000) for name in ("child", "insurance", "alarm")}


def tables(seeds: int) -> Iterator[tuple[str, nx.DiGraph, Any]]:
    """Tables with their true structures, by the name of what they were drawn from."""
    for name in NUMBERS:
        for seed in range(seeds):
            yield name, *REGIMES[name](np.random.default_rng(FIRST_SEED + seed))
    for name, (network, rows) in DISCRETE.items():
        for seed in range(seeds):
            frame, truth = _sampled(network, rows, FIRST_SEED + seed)
            yield name, truth, frame


def speed() -> None:
    """Our resamples in one run with PC on a few of them; the ratio is to as many runs of PC."""
    from causallearn.search.ConstraintBased.PC import pc

    print("| data | 200 resamples | PC once | ratio of 200 runs of PC | peak memory |\n|---|---|---|---|---|")
    for n, rows, n_peer in ((50, 1000, 3), (200, 10_000, 1)):
        _, values = sparse(n, rows)(np.random.default_rng(FIRST_SEED))
        sl.stability(values[:200], resamples=4)  # compiles
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


def reliability(seeds: int) -> None:
    """A table and a picture: among edges whose share is in a bin, how many are true; arrows likewise."""
    counts: dict[tuple[str, str], np.ndarray] = {}
    for _, truth, table in tables(seeds):
        kind = "discrete" if isinstance(table, pd.DataFrame) else "numbers"
        for method in METHODS:
            found = sl.stability(table, resamples=RESAMPLES, method=method)
            true_pairs = {frozenset(edge) for edge in truth.edges}
            class_edges = sl.essential_graph(truth).edges
            directed = {(a, b) for a, b in class_edges if (b, a) not in class_edges}
            _add(counts.setdefault((f"edges, {kind}", method), np.zeros((10, 3))), found.adjacency, true_pairs)
            _add(counts.setdefault((f"arrows, {kind}", method), np.zeros((10, 3))), found.arrow, directed)
    _print_reliability(counts)
    _draw(counts)


def _add(bins: np.ndarray, shares: Any, true: set[Any]) -> None:
    for key, share in shares.items():
        if share > 0:
            place = min(9, int(share * 10))
            bins[place] += (1, key in true, share)


def _print_reliability(counts: dict[tuple[str, str], np.ndarray]) -> None:
    heads = " | ".join(f"{low:.1f}–{low + 0.1:.1f}" for low in BINS[:-1])
    print(f"| | | {heads} |\n|---|---|{'---|' * 10}")
    for (what, method), bins in counts.items():
        cells = " | ".join(f"{true / n:.2f} ({int(n)})" if n else "–" for n, true, _ in bins)
        print(f"| {what} | {method} | {cells} |", flush=True)


def _draw(counts: dict[tuple[str, str], np.ndarray]) -> None:
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


def consensus(seeds: int) -> None:
    """Distance of essential graphs per true edge, F1 of the skeleton; means over seeds."""
    rows: dict[str, list[list[float]]] = {}
    for name, truth, table in tables(seeds):
        essential, size = sl.essential_graph(truth), truth.number_of_edges()
        found = {method: sl.stability(table, resamples=RESAMPLES, method=method) for method in METHODS}
        graphs = [found["bootstrap"].network, *(f.consensus(at) for f in found.values() for at in (None, 0.5))]
        rows.setdefault(name, []).append([])
        for net in graphs:
            distance = class_distance(net.to_networkx(), essential) / size
            rows[name][-1] += [compare_skeletons(net.skeleton, truth).f1, distance]
    print("| data | one network | bootstrap | bootstrap, 0.5 | subsample | subsample, 0.5 |\n|---|---|---|---|---|---|")
    for name, values in rows.items():
        means = np.mean(values, axis=0).reshape(-1, 2)
        print(f"| {name} | {' | '.join(f'{f1:.3f} / {distance:.2f}' for f1, distance in means)} |", flush=True)


def bound(seeds: int) -> None:
    """With complementary pairs: the bound at thresholds, and the mean number of edges that are not true."""
    thresholds = (0.6, 0.7, 0.8, 0.9, 1.0)
    print(f"| data | {' | '.join(f'from {t:g} on' for t in thresholds)} |\n|---|{'---|' * len(thresholds)}")
    found: dict[str, list[list[tuple[float, int]]]] = {}
    for name, truth, table in tables(seeds):
        stable = sl.stability(table, resamples=RESAMPLES, method="complementary-pairs")
        true = {frozenset(edge) for edge in truth.edges}
        rows = []
        for threshold in thresholds:
            chosen = [pair for pair, share in stable.adjacency.items() if share >= threshold]
            rows.append((stable.false_edges(threshold), sum(pair not in true for pair in chosen)))
        found.setdefault(name, []).append(rows)
    for name, values in found.items():
        means = np.mean(values, axis=0)
        print(f"| {name} | {' | '.join(f'{false:.2f} ({limit:.2f})' for limit, false in means)} |", flush=True)


WITH_SEEDS: dict[str, Callable[[int], None]] = {"reliability": reliability, "consensus": consensus, "bound": bound}

if __name__ == "__main__":
    what, *rest = sys.argv[1:] or ["speed"]
    if what == "speed":
        speed()
    else:
        WITH_SEEDS[what](int(rest[0]) if rest else 5)

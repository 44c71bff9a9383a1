"""How accurate is RSL on data? Skeleton F1 on the paper's structures and on random graphs.

    python benchmarks/accuracy.py structures [SEEDS]     the paper's five structures, 10,000 samples
    python benchmarks/accuracy.py random [SEEDS] [N …]   G(n, n^-0.72) with 50 n samples
    python benchmarks/accuracy.py rows [SEEDS]           G(100, n^-0.82), few rows: which boundary algorithm?
    python benchmarks/accuracy.py hubs [SEEDS]           one cause of many effects, which hide it from each other

Prints one Markdown table: means over the seeds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

import networkx as nx
import numpy as np

import sidelight as sl
from sidelight.evaluate.comparison import compare_skeletons
from sidelight.graphs import properties
from sidelight.simulation import networks, random_graphs
from sidelight.simulation.gaussian import linear_gaussian

STRUCTURES = ("insurance-paper", "hepar2", "diabetes-paper", "andes", "pigs")
Make = Callable[[np.random.Generator], nx.DiGraph]


def measured(make: Make, n_samples: Callable[[nx.DiGraph], int], seeds: int, side: str, variant: str) -> str:
    scores = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        graph = make(rng)
        names, values = linear_gaussian(graph, n_samples(graph), rng)
        promise = {
            "diamond-free": lambda _: sl.DiamondFree(),
            "clique ≤ ω": lambda g: sl.CliqueNumber(properties.clique_number(g)),
            "clique ≤ 3": lambda _: sl.CliqueNumber(3),
            "none": lambda _: None,
        }[side](graph)
        refuted = "report" if variant == "published" else "mend"  # the paper's algorithm as it is
        net = sl.learn(values, promise, "rsl", variant, names=names, refuted=refuted)
        scores.append(compare_skeletons(net.skeleton, graph).f1)
    return f"{np.mean(scores):.3f}"


def print_table(columns: dict[str, Make], n_samples, seeds: int, sides: Iterable[str], variants: Iterable[str]) -> None:
    print(f"| side information | variant | {' | '.join(columns)} |\n|---|---|{'---|' * len(columns)}")
    for variant in variants:
        for side in sides:
            row = [measured(make, n_samples, seeds, side, variant) for make in columns.values()]
            print(f"| {side} | {variant} | {' | '.join(row)} |", flush=True)


def print_rows(seeds: int, n: int = 100) -> None:
    """Total conditioning and IAMB with 0.5 to 50 rows per column."""
    print("| rows per column | tc | iamb | auto |\n|---|---|---|---|")
    for ratio in (0.5, 1.1, 1.5, 2, 3, 5, 10, 20, 50):
        row = []
        for boundaries in ("tc", "iamb", "auto"):
            if boundaries == "tc" and ratio <= 1:
                row.append("–")
                continue
            scores = []
            for seed in range(seeds):
                rng = np.random.default_rng(seed)
                graph = random_graphs.erdos_renyi(n, n**-0.82, rng)
                _, values = linear_gaussian(graph, int(ratio * n), rng)
                net = sl.learn(values, sl.DiamondFree(), "rsl", boundaries=boundaries)
                scores.append(compare_skeletons(net.skeleton, graph).f1)
            row.append(f"{np.mean(scores):.3f}")
        print(f"| {ratio} | {' | '.join(row)} |", flush=True)


def hub(n_rows: int, n_effects: int, rng: np.random.Generator) -> tuple[nx.DiGraph, np.ndarray]:
    """One cause, column 0, and its effects with coefficients of .5 to 1.5."""
    values = rng.standard_normal((n_rows, n_effects + 1))
    values[:, 1:] += values[:, :1] * rng.uniform(0.5, 1.5, size=n_effects)
    return nx.DiGraph((0, effect) for effect in range(1, n_effects + 1)), values


def print_hubs(seeds: int) -> None:
    """What total conditioning alone, with nothing repaired, and the default find."""
    ways = {"tc, nothing repaired": {"boundaries": "tc", "refuted": "report"}, "auto": {}}
    print(f"| rows | effects | {' | '.join(ways)} |\n|---|---|{'---|' * len(ways)}")
    for n_rows, n_effects in ((500, 40), (1000, 80), (5000, 200)):
        row = []
        for options in ways.values():
            drawn = (hub(n_rows, n_effects, np.random.default_rng(seed)) for seed in range(seeds))
            scores = [
                compare_skeletons(sl.learn(values, learner="rsl", **options).skeleton, graph).f1
                for graph, values in drawn
            ]
            row.append(f"{np.mean(scores):.3f}")
        print(f"| {n_rows} | {n_effects} | {' | '.join(row)} |", flush=True)


def main() -> None:
    what, seeds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10
    if what == "rows":
        print_rows(seeds)
    elif what == "hubs":
        print_hubs(seeds)
    elif what == "structures":
        columns = {name: (lambda rng, name=name: networks.load(name)) for name in STRUCTURES}
        print_table(columns, lambda _: 10_000, seeds, ("diamond-free", "clique ≤ ω", "none"), ("robust", "published"))
    else:
        sizes = [int(n) for n in sys.argv[3:]] or [100, 200, 500, 1000]
        columns = {f"n = {n}": (lambda rng, n=n: random_graphs.erdos_renyi(n, n**-0.72, rng)) for n in sizes}
        sides = ("diamond-free", "clique ≤ 3", "none")
        print_table(columns, lambda graph: 50 * len(graph), seeds, sides, ("robust",))
        print_table(columns, lambda graph: 50 * len(graph), seeds, sides[:2], ("published",))


if __name__ == "__main__":
    main()

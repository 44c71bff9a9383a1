"""Mixed tables, simulated from random graphs: how accurate is RSL with the test for numbers and categories together?

    python benchmarks/mixed.py [SEEDS]     how many; the test was chosen on other seeds, 0 to 14

G(n, n^-0.82), a half of the columns discrete with two to four categories. Prints skeleton F1, precision, recall,
distance of the essential graphs and seconds, means over the seeds.
"""

from __future__ import annotations

import sys
from time import perf_counter

import numpy as np
import pandas as pd

import sidelight as sl
from sidelight.evaluate.comparison import class_distance, compare_skeletons
from sidelight.simulation import random_graphs
from sidelight.simulation.discrete import random_mixed

SIZES, ROWS = (20, 50), (1000, 5000, 20_000)
DISCRETE_SHARE = 0.5


def measured(n: int, n_rows: int, seed: int) -> tuple[float, ...]:
    rng = np.random.default_rng(seed)
    graph = random_graphs.erdos_renyi(n, n**-0.82, rng)
    frame = pd.DataFrame(random_mixed(graph, DISCRETE_SHARE, rng).sample(n_rows, rng))
    started = perf_counter()
    net = sl.learn(frame, sl.DiamondFree(), test="mixed")
    seconds = perf_counter() - started
    skeleton = compare_skeletons(net.skeleton, graph)
    distance = class_distance(net.to_networkx(), sl.essential_graph(graph))
    return skeleton.f1, skeleton.precision, skeleton.recall, distance, seconds


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    measured(5, 200, 0)  # warm
    print("| columns | rows | F1 | precision | recall | distance | seconds |\n|---|---|---|---|---|---|---|")
    for n in SIZES:
        for n_rows in ROWS:
            means = np.mean([measured(n, n_rows, seed) for seed in range(20, 20 + seeds)], axis=0)
            cells = " | ".join(f"{mean:.3f}" for mean in means[:3])
            print(f"| {n} | {n_rows} | {cells} | {means[3]:.1f} | {means[4]:.2f} |", flush=True)


if __name__ == "__main__":
    main()

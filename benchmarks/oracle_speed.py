"""How long does learning from the oracle take? Random sparse DAGs, and a star as the worst of hubs.

python benchmarks/oracle_speed.py
"""

from __future__ import annotations

from time import perf_counter

import networkx as nx
import numpy as np

import sidelight as sl
from sidelight.evaluate.comparison import compare_skeletons
from sidelight.simulation import random_graphs


def main() -> None:
    rng = np.random.default_rng(1)
    graphs = {
        "G(1000, n^-0.82)": random_graphs.erdos_renyi(1000, 1000**-0.82, rng),
        "G(1000, n^-0.72)": random_graphs.erdos_renyi(1000, 1000**-0.72, rng),
        "G(5000, n^-0.82)": random_graphs.erdos_renyi(5000, 5000**-0.82, rng),
        "star with 4000 leaves": nx.DiGraph((0, leaf) for leaf in range(1, 4001)),
    }
    sl.learn(sl.DSeparation(graphs["G(1000, n^-0.82)"]), sl.DiamondFree())  # warm
    print("| graph | edges | variant | seconds | tests | missing | extra |\n|---|---|---|---|---|---|---|")
    for name, graph in graphs.items():
        for variant in ("robust", "paper"):
            started = perf_counter()
            net = sl.learn(sl.DSeparation(graph), sl.DiamondFree(), variant=variant)
            taken, found = perf_counter() - started, compare_skeletons(net.skeleton, graph)
            cells = (name, graph.number_of_edges(), variant, f"{taken:.2f}", net.n_tests, found.missing, found.extra)
            print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()

"""The search by score beside RSL, PC-stable and causal-learn's BOSS: Gaussian data of known structures.

    python benchmarks/hybrid.py [SEEDS] [LIMIT]     how many seeds, and seconds for each run of BOSS (0: without it)
    python benchmarks/hybrid.py choices [SEEDS]     which penalty for numbers, which score for discrete tables?

F1 of the skeleton / structural Hamming distance of essential graphs per true edge (seconds), means over the seeds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from held_out import LEARNERS as PEERS
from table_sources import limited

import sidelight as sl
from sidelight.evaluate.comparison import class_distance, compare_skeletons
from sidelight.graphs.dag import Dag
from sidelight.orientation import essential_graph_of
from sidelight.simulation.gaussian import linear_gaussian
from sidelight.simulation.random_graphs import erdos_renyi

FIRST_SEED = 40_000  # not used to choose anything
WEAK = (0.1, 0.5)
Draw = Callable[[np.random.Generator], tuple[nx.DiGraph, Any]]


def strong(n: int, degree: float, rows: int) -> Draw:
    """G(n, p) of this mean degree, with coefficients of at least 1."""

    def draw(rng: np.random.Generator) -> tuple[nx.DiGraph, np.ndarray]:
        graph = erdos_renyi(n, degree / (n - 1), rng)
        return graph, linear_gaussian(graph, rows, rng)[1]

    return draw


def weak(n: int, degree: float, rows: int) -> Draw:
    """The same with coefficients of .1 to .5."""

    def draw(rng: np.random.Generator) -> tuple[nx.DiGraph, np.ndarray]:
        graph = erdos_renyi(n, degree / (n - 1), rng)
        dag, values = Dag.from_networkx(graph), rng.standard_normal((rows, n))
        for v in dag.topological_order():
            for parent in sorted(dag.parents[v]):
                values[:, v] += rng.uniform(*WEAK) * rng.choice([-1, 1]) * values[:, parent]
        return graph, values

    return draw


def scale_free(n: int, rows: int) -> Draw:
    """Preferential attachment with two edges for each new variable, directed by a random order."""

    def draw(rng: np.random.Generator) -> tuple[nx.DiGraph, np.ndarray]:
        order, graph = rng.permutation(n), nx.DiGraph()
        graph.add_nodes_from(range(n))
        edges = nx.barabasi_albert_graph(n, 2, seed=int(rng.integers(2**31))).edges
        graph.add_edges_from((a, b) if order[a] < order[b] else (b, a) for a, b in edges)
        return graph, linear_gaussian(graph, rows, rng)[1]

    return draw


REGIMES: dict[str, Draw] = {
    "G(20), degree 3, 200 rows": strong(20, 3, 200),
    "G(50, n^-.72), 2,500 rows": strong(50, 49 * 50**-0.72, 2500),
    "G(50), degree 3, 250 rows": strong(50, 3, 250),
    "G(50), degree 3, weak, 1,000 rows": weak(50, 3, 1000),
    "G(50), degree 6, 5,000 rows": strong(50, 6, 5000),
    "G(100), degree 3, 300 rows": strong(100, 3, 300),
    "scale-free 100, 2,000 rows": scale_free(100, 2000),
    "G(200, n^-.72), 10,000 rows": strong(200, 199 * 200**-0.72, 10_000),
}


def by_ours(values: np.ndarray, learner: str) -> nx.DiGraph:
    return sl.learn(values, learner=learner).to_networkx()


def by_boss(values: np.ndarray) -> nx.DiGraph:
    parents = PEERS["causal-learn BOSS"](values)
    return essential_graph_of(nx.DiGraph(_edges(parents)) if any(parents) else nx.empty_graph(values.shape[1]))


def _edges(parents: list[frozenset[int]]) -> dict[int, list[int]]:
    children: dict[int, list[int]] = {v: [] for v in range(len(parents))}
    for v, found in enumerate(parents):
        for parent in sorted(found):
            children[parent].append(v)
    return children


def measured(graph: nx.DiGraph, found: nx.DiGraph, seconds: float) -> tuple[float, float, float]:
    skeleton = nx.Graph(found.to_undirected())
    distance = class_distance(found, essential_graph_of(graph)) / max(1, graph.number_of_edges())
    return compare_skeletons(skeleton, graph).f1, distance, seconds


def run(draw: Draw, learner: str, seed: int, limit: float) -> tuple[float, float, float] | None:
    graph, values = draw(np.random.default_rng(seed))
    started = perf_counter()
    try:
        found = limited(by_boss, limit, values) if learner == "BOSS" else by_ours(values, learner)
    except TimeoutError:
        return None
    return measured(graph, found, perf_counter() - started)


def choices(seeds: int) -> None:
    """Penalties for numbers, and scores for discrete tables, on other seeds than above."""
    penalties = {f"penalty {penalty:g}": {"learner": "hybrid", "penalty": penalty} for penalty in (1, 1.5, 2, 3)}
    names = ("G(20), degree 3, 200 rows", "G(50), degree 3, 250 rows", "G(50), degree 3, weak, 1,000 rows")
    _print_ways({name: REGIMES[name] for name in names}, {"rsl": {}, **penalties}, seeds)
    print()
    scores = {"rsl": {}, **{score: {"learner": "hybrid", "score": score} for score in ("bdeu", "bic")}}
    _print_ways({f"{name}, 10,000 rows": discrete(name) for name in ("insurance", "alarm")}, scores, seeds)


def discrete(name: str) -> Draw:
    """10,000 rows of a bundled network's own tables."""

    def draw(rng: np.random.Generator) -> tuple[nx.DiGraph, pd.DataFrame]:
        return sl.networks.load(name), pd.DataFrame(sl.networks.load_discrete(name).sample(10_000, rng))

    return draw


def _print_ways(data: dict[str, Draw], ways: dict[str, dict[str, Any]], seeds: int) -> None:
    print(f"| data | {' | '.join(ways)} |\n|---|{'---|' * len(ways)}")
    for name, draw in data.items():
        cells = []
        for options in ways.values():
            drawn = (draw(np.random.default_rng(seed)) for seed in range(seeds))
            found = [measured(graph, sl.learn(table, **options).to_networkx(), 0.0) for graph, table in drawn]
            f1, distance, _ = np.mean(found, axis=0)
            cells.append(f"{f1:.3f} / {distance:.2f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    if sys.argv[1:2] == ["choices"]:
        choices(int(sys.argv[2]) if len(sys.argv) > 2 else 5)
        return
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    limit = float(sys.argv[2]) if len(sys.argv) > 2 else 60.0
    learners = ["rsl", "hybrid", "pc-stable", *["BOSS"] * (limit > 0)]
    sl.learn(np.random.default_rng(0).normal(size=(50, 4)), learner="hybrid")  # kernels are loaded once
    print(f"| data | {' | '.join(learners)} |\n|---|{'---|' * len(learners)}")
    for name, draw in REGIMES.items():
        cells = []
        for learner in learners:
            results = [run(draw, learner, FIRST_SEED + seed, limit) for seed in range(seeds)]
            done = [result for result in results if result is not None]
            if len(done) < seeds:
                cells.append(f"more than {limit:g} s")
                continue
            f1, distance, seconds = np.mean(done, axis=0)
            cells.append(f"{f1:.3f} / {distance:.2f} ({seconds:.2g} s)")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

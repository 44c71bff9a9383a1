"""All learners side by side.

    python benchmarks/learners.py data            two Gaussian data sets: F1, tests, conditioning sets, seconds
    python benchmarks/learners.py oracle [DIR]    oracle tests on the paper's structures: the bundled ones, or every
                                                  edge list (parent,child) in a folder of CSV files
    python benchmarks/learners.py tests           what ten million tests cost

Learners without side information; RSL with each kind. A count is cut at LIMIT tests and then shown as > LIMIT.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from time import perf_counter

import networkx as nx
import numpy as np
from oracle_counts import exact, read_edge_list

import sidelight as sl
from sidelight.evaluate.comparison import class_distance, compare_skeletons
from sidelight.graphs.properties import clique_number
from sidelight.interview import Interview, LimitReached, Limits
from sidelight.learners import LEARNERS
from sidelight.simulation import networks, random_graphs
from sidelight.simulation.gaussian import linear_gaussian

LIMIT = 10_000_000
STRUCTURES = ("insurance-paper", "hepar2", "diabetes-paper", "andes", "pigs")
WAYS = {
    "rsl, diamond-free": {"side": sl.DiamondFree()},
    "rsl, no side information": {},
    **{learner: {"learner": learner} for learner in LEARNERS if learner != "rsl"},
}


def data(n: int) -> None:
    rng = np.random.default_rng(0)
    graph = random_graphs.erdos_renyi(n, n**-0.72, rng)
    names, values = linear_gaussian(graph, 50 * n, rng)
    truth = sl.essential_graph(graph)
    print(f"\nG({n}, n^-0.72) with {graph.number_of_edges()} edges, {50 * n} samples, alpha = 0.01\n")
    print("| learner | F1 | precision | recall | distance | tests | mean set | largest set | seconds |")
    print(f"|{'---|' * 9}")
    for way, options in WAYS.items():
        sl.learn(values[:, :12], max_tests=LIMIT, **options)  # warm
        started = perf_counter()
        net = sl.learn(values, names=names, max_tests=LIMIT, **options)
        seconds = perf_counter() - started
        found = compare_skeletons(net.skeleton, graph)
        scores = " | ".join(f"{score:.3f}" for score in (found.f1, found.precision, found.recall))
        print(
            f"| {way} | {scores} | {class_distance(net.to_networkx(), truth)} | {_told(net)} | "
            f"{net.mean_conditioning_size:.2f} | {net.max_conditioning_size} | {seconds:.2f} |",
            flush=True,
        )


def _told(net: sl.Network) -> str:
    return f"> {LIMIT}" if any(warning.kind == "limit reached" for warning in net.warnings) else str(net.n_tests)


def oracle(graphs: dict[str, nx.DiGraph]) -> None:
    print(f"| learner | {' | '.join(graphs)} |\n|---|{'---|' * len(graphs)}")
    for way, options in {**WAYS, "rsl, clique number": {}}.items():
        if LEARNERS[str(options.get("learner", "rsl"))].searches_by_score:
            continue  # an oracle has no score
        cells = []
        for graph in graphs.values():
            side = {"side": sl.CliqueNumber(clique_number(graph))} if way.endswith("clique number") else {}
            variant = {"variant": "paper"} if way.startswith("rsl") else {}
            net = sl.learn(sl.DSeparation(graph), max_tests=LIMIT, **options, **side, **variant)
            cells.append(_told(net) + ("" if exact(net, graph) or net.warnings else " (not exact)"))
        print(f"| {way} | {' | '.join(cells)} |", flush=True)


def tests() -> None:
    """The subsets of all other variables for one pair of neighbours: none separates them."""
    rng = np.random.default_rng(0)
    graph = random_graphs.erdos_renyi(100, 100**-0.72, rng)
    _, values = linear_gaussian(graph, 5000, rng)
    a, b = next(iter(graph.edges))
    print("| test | tests | largest set | seconds |\n|---|---|---|---|")
    for test, level in (
        (sl.FisherZ(sl.Correlation(np.corrcoef(values.T), len(values))), 1 - 1e-9),
        (sl.DSeparation(graph), 0.01),
    ):
        ask = Interview(test, level, Limits(LIMIT))
        x, y = list(graph).index(a), list(graph).index(b)
        for limit in (1000, LIMIT - 1000):
            started = perf_counter()
            ask.limits.tests_left = limit
            with suppress(LimitReached):
                ask.separating_set(x, y, range(100))
            seconds = perf_counter() - started
        print(f"| {type(test).__name__} | {ask.n_tests} | {max(ask.tests_by_size)} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["oracle"]:
            oracle({name: networks.load(name) for name in STRUCTURES})
        case ["oracle", folder]:
            oracle({path.stem: read_edge_list(path) for path in sorted(Path(folder).glob("*.csv"))})
        case ["tests"]:
            tests()
        case _:
            for n in (50, 100):
                data(n)

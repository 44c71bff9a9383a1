"""Missing values: how accurate is what is learned from complete rows, from each test's own rows, and with gaps filled?

    python benchmarks/missing.py [SEEDS] [PART OF A NAME …]     three seeds take some minutes

Networks of numbers, categories and both, with 10 % and 30 % of the values missing completely at random (each cell by
itself), or at random (in every other column, four times as often where another column, which has no gaps, is in its
upper half). Cells are the skeleton's F1 and the distance of the essential graphs divided by the number of true edges;
means over seeds; – where too few complete rows are left. Last, the seconds of the default with gaps.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter

import networkx as nx
import numpy as np
import pandas as pd

import sidelight as sl
from sidelight.evaluate.comparison import class_distance, compare_skeletons
from sidelight.simulation import networks, random_graphs
from sidelight.simulation.discrete import random_mixed
from sidelight.simulation.gaussian import linear_gaussian

Rng = np.random.Generator
SEEDS, FIRST_SEED = 3, 50  # what a score takes as its sample size was chosen on others
RATES = (0.1, 0.3)
RARE = 30  # rows; columns with fewer beside their most frequent value do not vary once values are missing
ROWS = 1000


def of_numbers(rng: Rng) -> tuple[pd.DataFrame, nx.DiGraph]:
    graph = random_graphs.erdos_renyi(20, 20**-0.82, rng)
    names, values = linear_gaussian(graph, ROWS // 2, rng)
    return pd.DataFrame(values, columns=names), graph


def of_both(rng: Rng) -> tuple[pd.DataFrame, nx.DiGraph]:
    graph = random_graphs.erdos_renyi(20, 20**-0.82, rng)
    return pd.DataFrame(random_mixed(graph, 0.5, rng).sample(ROWS, rng)), graph


def of_categories(name: str) -> Callable[[Rng], tuple[pd.DataFrame, nx.DiGraph]]:
    def sample(rng: Rng) -> tuple[pd.DataFrame, nx.DiGraph]:
        network = networks.load_discrete(name)
        frame = pd.DataFrame(network.sample(ROWS, rng))
        frame = frame.loc[:, [column.value_counts().iloc[1:].sum() > RARE for _, column in frame.items()]]
        return frame, nx.DiGraph(network.structure.subgraph(frame.columns))

    return sample


TABLES = {
    "numbers, G(20), 500 rows": of_numbers,
    "both, G(20), 1000 rows": of_both,
    **{f"{name}, 1000 rows": of_categories(name) for name in ("child", "insurance", "alarm")},
}


def completely_at_random(frame: pd.DataFrame, rate: float, rng: Rng) -> pd.DataFrame:
    return frame.mask(rng.random(frame.shape) < rate)


def at_random(frame: pd.DataFrame, rate: float, rng: Rng) -> pd.DataFrame:
    gaps = np.zeros(frame.shape, dtype=bool)
    for column in range(1, frame.shape[1], 2):
        cause = frame.iloc[:, column - 1].rank(method="dense")
        often = np.where(cause > cause.median(), 4.0, 1.0)
        gaps[:, column] = rng.random(len(frame)) < 2 * rate * often / often.mean()
    return frame.mask(gaps)


MECHANISMS = {"completely at random": completely_at_random, "at random": at_random}
METHODS: dict[str, dict[str, str]] = {
    "drop": {"missing": "drop"},
    "pairwise, RSL": {"missing": "pairwise", "learner": "rsl"},
    "pairwise": {"missing": "pairwise"},
    "em": {"missing": "em"},
}


def accuracy(frame: pd.DataFrame, truth: nx.DiGraph, options: dict[str, str]) -> tuple[float, float]:
    try:
        net = sl.learn(frame, **options)
    except sl.InputError:  # too few rows are left, or the test does not go with "em"
        return np.nan, np.nan
    distance = class_distance(net.to_networkx(), sl.essential_graph(truth))
    return compare_skeletons(net.skeleton, truth).f1, distance / truth.number_of_edges()


def measured(sample: Callable, mechanism: Callable, rate: float, seed: int) -> list[float]:
    rng = np.random.default_rng(seed)
    frame, truth = sample(rng)
    incomplete = mechanism(frame, rate, rng)
    results = [float(len(incomplete.dropna())), *accuracy(frame, truth, {})]
    for name, options in METHODS.items():
        started = perf_counter()
        results += accuracy(incomplete, truth, options)
        if name == "pairwise":
            seconds = perf_counter() - started
    return [*results, seconds]


def line(name: str, mechanism: str, rate: float, seeds: range) -> str:
    runs = np.array([measured(TABLES[name], MECHANISMS[mechanism], rate, seed) for seed in seeds])
    means = [float(column.mean()) for column in runs.T]  # not a number if one run failed
    pairs = zip(means[1:-1:2], means[2:-1:2], strict=True)
    cells = " | ".join("–" if np.isnan(f1) else f"{f1:.2f}, {distance:.2f}" for f1, distance in pairs)
    return f"| {name} | {mechanism} | {rate:.0%} | {means[0]:.0f} | {cells} | {means[-1]:.1f} |"


def main() -> None:
    numbers = [int(part) for part in sys.argv[1:] if part.isdecimal()]
    parts = [part for part in sys.argv[1:] if not part.isdecimal()]
    seeds = range(FIRST_SEED, FIRST_SEED + (numbers or [SEEDS])[0])
    print(f"| table | missing | share | complete rows | no gaps | {' | '.join(METHODS)} | seconds |")
    print(f"|---|---|---|---|---|{'---|' * len(METHODS)}---|")
    for name in TABLES:
        for mechanism in MECHANISMS:
            for rate in RATES:
                if not parts or any(part in name for part in parts):
                    print(line(name, mechanism, rate, seeds), flush=True)


if __name__ == "__main__":
    main()

"""Mixed tables, simulated from random graphs: how accurate is what is learned with numbers and categories together?

    python benchmarks/mixed.py [SEEDS]            how many; the test was chosen on other seeds, 0 to 14
    python benchmarks/mixed.py models [SEEDS]     three ways in which categories arise, 20 columns of degree 4

G(n, n^-0.82), a half of the columns discrete with two to four categories. Prints skeleton F1, precision, recall,
distance of the essential graphs and seconds of the processor, means over the seeds.

The models: logistic (numbers are linear, categories drawn by a softmax of their parents), thresholds (categories are
parts of the range of a linear function of their parents with noise) and conditional Gaussian (categories have tables
given categories, numbers a mean and slopes for each combination of these).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from itertools import product
from time import process_time

import networkx as nx
import numpy as np
import pandas as pd

import sidelight as sl
from sidelight.evaluate.comparison import class_distance, compare_skeletons
from sidelight.simulation import random_graphs
from sidelight.simulation.discrete import CATEGORIES, random_mixed

SIZES, ROWS = (20, 50), (1000, 5000, 20_000)
DISCRETE_SHARE = 0.5


MODEL_COLUMNS, DEGREE, MODEL_ROWS = 20, 4, (300, 1000, 3000)


def logistic(graph: nx.DiGraph, n_rows: int, rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame(random_mixed(graph, DISCRETE_SHARE, rng).sample(n_rows, rng))


def thresholds(graph: nx.DiGraph, n_rows: int, rng: np.random.Generator) -> pd.DataFrame:
    columns = {}
    for v in nx.topological_sort(graph):
        values = rng.uniform(0.6, 1.2) * rng.standard_normal(n_rows)
        for parent in graph.predecessors(v):
            spread = max(columns[parent].std(), 1e-9)
            values += rng.choice([-1, 1]) * rng.uniform(0.5, 1.5) * (columns[parent] - columns[parent].mean()) / spread
        if rng.random() < DISCRETE_SHARE:
            cuts = np.quantile(values, np.sort(rng.uniform(0.15, 0.85, rng.integers(1, 4))))
            values = np.searchsorted(cuts, values)
        columns[v] = values
    return as_frame(columns, graph)


def conditional_gaussian(graph: nx.DiGraph, n_rows: int, rng: np.random.Generator) -> pd.DataFrame:
    columns = {}
    order = list(nx.topological_sort(graph))
    for place, v in enumerate(order):
        stratum, n_strata, numbers = np.zeros(n_rows, dtype=int), 1, []
        for parent in graph.predecessors(v):
            if columns[parent].dtype == float:
                numbers.append(columns[parent] / columns[parent].std())
                continue
            stratum, n_strata = stratum * len(CATEGORIES) + columns[parent], n_strata * len(CATEGORIES)
        if place < DISCRETE_SHARE * len(order):
            shares = rng.dirichlet(np.ones(rng.integers(2, 5)), n_strata)[:, :-1]
            columns[v] = (rng.random(n_rows)[:, None] >= shares.cumsum(axis=1)[stratum]).sum(axis=1)
            continue
        columns[v] = rng.normal(0, 1.2, n_strata)[stratum] + rng.uniform(0.7, 1.3) * rng.standard_normal(n_rows)
        for values in numbers:
            slope = rng.choice([-1, 1]) * rng.uniform(0.4, 1.2)
            columns[v] += slope * (1 + 0.3 * rng.standard_normal(n_strata))[stratum] * values
    return as_frame(columns, graph)


def as_frame(columns: dict, graph: nx.DiGraph) -> pd.DataFrame:
    """In the order of the graph, with letters for codes."""
    letters = np.array(CATEGORIES)
    return pd.DataFrame({v: columns[v] if columns[v].dtype == float else letters[columns[v]] for v in graph})


MODELS = (logistic, thresholds, conditional_gaussian)


def measured(n: int, n_rows: int, seed: int) -> tuple[float, ...]:
    rng = np.random.default_rng(seed)
    graph = random_graphs.erdos_renyi(n, n**-0.82, rng)
    return learned(logistic(graph, n_rows, rng), graph, sl.DiamondFree())


def measured_model(model: Callable[..., pd.DataFrame], n_rows: int, seed: int) -> tuple[float, ...]:
    rng = np.random.default_rng(seed)
    graph = random_graphs.erdos_renyi(MODEL_COLUMNS, DEGREE / (MODEL_COLUMNS - 1), rng)
    return learned(model(graph, n_rows, rng), graph)


def learned(frame: pd.DataFrame, graph: nx.DiGraph, *side: sl.DiamondFree) -> tuple[float, ...]:
    started = process_time()
    net = sl.learn(frame, *side, test="mixed")
    seconds = process_time() - started
    skeleton = compare_skeletons(net.skeleton, graph)
    distance = class_distance(net.to_networkx(), sl.essential_graph(graph))
    return skeleton.f1, skeleton.precision, skeleton.recall, distance, seconds


def show(what: str, n_rows: int, rows: Iterable[tuple[float, ...]]) -> None:
    means = np.mean(list(rows), axis=0)
    cells = " | ".join(f"{mean:.3f}" for mean in means[:3])
    print(f"| {what} | {n_rows} | {cells} | {means[3]:.1f} | {means[4]:.2f} |", flush=True)


def main() -> None:
    by_model = sys.argv[1:2] == ["models"]
    given = sys.argv[1 + by_model :]
    seeds = range(20, 20 + (int(given[0]) if given else 10))
    measured(5, 200, 0)  # warm
    what = "model" if by_model else "columns"
    print(f"| {what} | rows | F1 | precision | recall | distance | seconds |\n|---|---|---|---|---|---|---|")
    if by_model:
        for model, n_rows in product(MODELS, MODEL_ROWS):
            name = model.__name__.replace("_", " ")
            show(name, n_rows, (measured_model(model, n_rows, seed) for seed in seeds))
        return
    for n, n_rows in product(SIZES, ROWS):
        show(str(n), n_rows, (measured(n, n_rows, seed) for seed in seeds))


if __name__ == "__main__":
    main()

"""Intervals of effects: how often they hold the true effect, and how wide they are; and how long effects take.

    python benchmarks/effects.py coverage numbers 20 sparse      # or discrete, mixed; 20 or 50 columns; sparse or dense
    python benchmarks/effects.py coverage numbers 20 dense 24    on 24 tables of each size
    python benchmarks/effects.py truth numbers 20 dense 24       (b) of the true class, with 200 rows
    python benchmarks/effects.py speed
    python benchmarks/effects.py enumeration 10000               the graphical part on random classes, by all their DAGs

Models are random DAGs whose variables are numbers (linear, Gaussian) or have two categories (logistic). In each table
pairs are drawn, half with a causal path and half without, and the default interval is computed (a) given one graph,
(b) over the equivalence class, (c) over the graphs of bootstrap resamples and their classes.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from time import process_time

import networkx as nx
import numpy as np
import pandas as pd

import sidelight as sl

PAIRS = 12  # of each table
RESAMPLES = 25
TRUTH_ROWS = 100_000
DEGREES = {"sparse": 2.0, "dense": 5.0}
TABLES = {"numbers": {20: 8, 50: 8}, "discrete": {20: 3, 50: 2}, "mixed": {20: 2, 50: 1}}  # by number of columns
ROWS = (200, 1_000, 10_000)


@dataclass(frozen=True)
class Model:
    """A random DAG in the order of its columns, with weights, and which variables have two categories."""

    weights: np.ndarray
    binary: np.ndarray

    @staticmethod
    def random(kind: str, n: int, degree: float, rng: np.random.Generator) -> Model:
        there = np.triu(rng.random((n, n)) < degree / (n - 1), 1)
        binary = {"numbers": np.zeros(n, bool), "discrete": np.ones(n, bool), "mixed": rng.random(n) < 0.5}[kind]
        sizes = np.where(binary[None, :], rng.uniform(0.6, 1.6, (n, n)), rng.uniform(0.3, 0.9, (n, n)))
        order = rng.permutation(n)  # so that the order of the columns says nothing
        weights = np.zeros((n, n))
        weights[np.ix_(order, order)] = there * sizes * rng.choice([-1, 1], (n, n))
        return Model(weights, binary)

    @property
    def graph(self) -> nx.DiGraph:
        return nx.from_numpy_array(self.weights != 0, create_using=nx.DiGraph)

    def draw(
        self, n_rows: int, rng: np.random.Generator, do: tuple[int, float] | None = None, of: int | None = None
    ) -> np.ndarray:
        values = np.zeros((n_rows, len(self.weights)))
        needed = self.graph if of is None else self.graph.subgraph({of} | nx.ancestors(self.graph, of))
        for v in nx.topological_sort(needed):
            signal = values @ self.weights[:, v]
            noise = rng.random(n_rows) if self.binary[v] else rng.standard_normal(n_rows)
            own = np.where(noise < 1 / (1 + np.exp(-signal)), 1.0, -1.0) if self.binary[v] else signal + noise
            values[:, v] = own if do is None or do[0] != v else do[1]
        return values

    def effect(self, x: int, y: int) -> float:
        """Of a unit more of a number around 0, or of the second category, on the mean or the probability."""
        if not self.binary.any():
            return float(np.linalg.inv(np.eye(len(self.weights)) - self.weights)[x, y])
        if not nx.has_path(self.graph, x, y):
            return 0.0
        low, high = (-1.0, 1.0) if self.binary[x] else (0.0, 1.0)
        means = [self.draw(TRUTH_ROWS, np.random.default_rng(0), (x, value), y)[:, y].mean() for value in (low, high)]
        return float(means[1] - means[0]) / (2 if self.binary[y] else 1)

    def table(self, n_rows: int, rng: np.random.Generator) -> pd.DataFrame:
        values = self.draw(n_rows, rng)
        columns = [np.where(v > 0, "yes", "no") if b else v for v, b in zip(values.T, self.binary, strict=True)]
        return pd.DataFrame({f"v{i}": column for i, column in enumerate(columns)})


def pairs_of(model: Model, rng: np.random.Generator) -> list[tuple[int, int]]:
    n = len(model.binary)
    every = [(int(x), int(y)) for x, y in rng.permutation([(x, y) for x in range(n) for y in range(n) if x != y])]
    causal = [pair for pair in every if nx.has_path(model.graph, *pair)]
    other = [pair for pair in every if not nx.has_path(model.graph, *pair)]
    return causal[: PAIRS // 2] + other[: PAIRS - PAIRS // 2]


def coverage(kind: str, n: int, density: str, n_tables: int) -> None:
    """Print how often each interval holds the truth, and its mean width, for pairs with and without a causal path."""
    print("| columns | graph | rows | pairs | causal path | (a) | (b) | (c) | width (a) | width (b) | width (c) |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    degree = DEGREES[density]
    for n_rows in ROWS:
        held: dict[bool, list[list[float]]] = defaultdict(list)
        for seed in range(n_tables):
            rng = np.random.default_rng([seed, n, n_rows, int(degree)])
            model = Model.random(kind, n, degree, rng)
            table = model.table(n_rows, rng)
            net = sl.stability(table, resamples=RESAMPLES, n_jobs=1).network
            for x, y in pairs_of(model, rng):
                held[nx.has_path(model.graph, x, y)].append(_judged(net, table, model, x, y))
        for causal in (True, False):
            means = np.array(held[causal]).mean(axis=0)
            cells = " | ".join([*(f"{share:.3f}" for share in means[:3]), *(f"{width:.3g}" for width in means[3:])])
            said = "yes" if causal else "no"
            print(f"| {n} | {density} | {n_rows:,} | {len(held[causal])} | {said} | {cells} |", flush=True)


def _judged(net: sl.Network, table: pd.DataFrame, model: Model, x: int, y: int) -> list[float]:
    truth = model.effect(x, y)
    values = None if model.binary[x] or not model.binary.any() else (0.0, 1.0)
    found = net.effect(f"v{x}", f"v{y}", table, values=values)
    intervals = (found.given_one_graph, found.interval, found.with_resamples or found.interval)
    inside = [float(low - 1e-12 <= truth <= high + 1e-12) for low, high in intervals]
    return [*inside, *(high - low for low, high in intervals)]


def truth(kind: str, n: int, density: str, n_tables: int) -> None:
    """Print how often (b) holds the truth where the class is the true one, and how many edges learning misses."""
    held, missed, degree, n_rows = [], [], DEGREES[density], ROWS[0]
    for seed in range(n_tables):
        rng = np.random.default_rng([seed, n, n_rows, int(degree)])
        model = Model.random(kind, n, degree, rng)
        table = model.table(n_rows, rng)
        graph = nx.relabel_nodes(model.graph, dict(enumerate(table.columns)))
        net, learned = sl.learn(sl.DSeparation(graph)), sl.learn(table).to_dag()
        missed += [not (learned.has_edge(a, b) or learned.has_edge(b, a)) for a, b in graph.edges]
        for x, y in pairs_of(model, rng):
            if nx.has_path(model.graph, x, y):
                held.append(_judged(net, table, model, x, y)[1])
    print(f"{kind}, {n} columns, {density}, {n_rows} rows, {len(held)} pairs with a causal path:")
    print(f"(b) of the true class holds {np.mean(held):.3f}; learned graphs lack {np.mean(missed):.3f} of the edges")


def speed() -> None:
    """Print how much CPU time effects take beside learning."""
    for n in (100, 500, 1_000):
        rng = np.random.default_rng(n)
        table = Model.random("numbers", n, 2.0, rng).table(2_000, rng)
        started = process_time()
        net = sl.learn(table)
        learned = process_time() - started
        dag = net.to_dag()
        target = max(net.names, key=lambda name: len(nx.ancestors(dag, name)))
        started = process_time()
        ranked = net.effects_on(target, table)
        of_one = process_time() - started
        started = process_time()
        every = net.all_effects(table)
        of_all = process_time() - started
        print(
            f"{n} columns: learn {learned:.1f} s; all {len(ranked)} causes of one outcome {of_one:.2f} s; "
            f"all {len(every):,} pairs with a possibly causal path {of_all:.2f} s",
            flush=True,
        )


def enumeration(n_classes: int) -> None:
    """Hold the graphical part against all DAGs of random classes, essential graphs and MPDAGs, as the tests do."""
    sys.path.insert(0, str(Path(__file__).parent.parent))
    from tests.effects import test_graphical as graphical

    tests = (check for name, check in vars(graphical).items() if name.startswith("test_"))
    checks = [check for check in tests if list(signature(check).parameters) == ["seed"]]
    n_seeds = -(-n_classes // graphical.CLASSES_EACH)
    for seed in range(1_000, 1_000 + n_seeds):
        for check in checks:
            check(seed)
    print(f"{n_seeds * graphical.CLASSES_EACH:,} classes, {len(checks)} checks each: no difference")


if __name__ == "__main__":
    if sys.argv[1:2] == ["coverage"] and len(sys.argv) in (5, 6):
        kind, n_columns = sys.argv[2], int(sys.argv[3])
        coverage(kind, n_columns, sys.argv[4], int(sys.argv[5]) if len(sys.argv) == 6 else TABLES[kind][n_columns])
    elif sys.argv[1:2] == ["truth"] and len(sys.argv) == 6:
        truth(sys.argv[2], int(sys.argv[3]), sys.argv[4], int(sys.argv[5]))
    elif sys.argv[1:] == ["speed"]:
        speed()
    elif sys.argv[1:2] == ["enumeration"] and len(sys.argv) == 3:
        enumeration(int(sys.argv[2]))
    else:
        sys.exit(__doc__)

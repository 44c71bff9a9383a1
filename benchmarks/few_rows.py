"""Few rows and weak effects, and what it costs elsewhere to believe only in clear separations (decision 3).

python benchmarks/few_rows.py

The first table: three causes of one effect, and an effect of that. The share of exact essential graphs, and in brackets
the mean number of pairs that differ. The second: skeleton F1 of RSL-D on other data, by both rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import networkx as nx
import numpy as np
import pyarrow as pa

import sidelight as sl
from sidelight.evaluate.comparison import compare_skeletons
from sidelight.learners.rsl import VARIANTS
from sidelight.learners.rsl.examine import Update
from sidelight.learners.rsl.variants import Robust
from sidelight.simulation.gaussian import linear_gaussian
from sidelight.simulation.random_graphs import erdos_renyi

TRUTH = nx.DiGraph([("a", "y"), ("b", "y"), ("c", "y"), ("y", "z")])
WAYS = {
    "hybrid": {"learner": "hybrid"},
    "rsl": {"learner": "rsl"},
    "rsl, any separation": {"learner": "rsl", "variant": "any separation"},
    "rsl, published": {"learner": "rsl", "variant": "published"},
    "marvel": {"learner": "marvel"},
    "pc": {"learner": "pc"},
    "gs": {"learner": "gs"},
}
SEEDS, FEW_SEEDS = 150, 5
Drawn = tuple[nx.DiGraph, pa.Table]


class AnySeparation(Robust):
    """As before decision 3: a pair that is separated at the usual alpha decides that x has no child."""

    def has_no_child(self, update: Update) -> bool:
        return bool(update.separated)


def collider(n_rows: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    a, b, c = rng.standard_normal((3, n_rows))
    y = 0.5 * a + 0.4 * b + 0.3 * c + 0.8 * rng.standard_normal(n_rows)
    return np.column_stack([a, b, c, y, y + rng.standard_normal(n_rows)])


def few_rows() -> None:
    print(f"| rows | {' | '.join(WAYS)} |\n|---|{'---|' * len(WAYS)}")
    for n_rows in (150, 300, 1000):
        cells = []
        for options in WAYS.values():
            found = [
                sl.compare(sl.learn(collider(n_rows, seed), names=list("abcyz"), **options), TRUTH)
                for seed in range(SEEDS)
            ]
            exact, distance = np.mean([f.same for f in found]), np.mean([f.class_distance for f in found])
            cells.append(f"{exact:.2f} ({distance:.2f})")
        print(f"| {n_rows} | {' | '.join(cells)} |", flush=True)


def gaussian(graph: nx.DiGraph, n_rows: int, seed: int) -> Drawn:
    names, values = linear_gaussian(graph, n_rows, np.random.default_rng(seed))
    return graph, pa.table({str(name): values[:, i] for i, name in enumerate(names)})


def random_graph(n: int, exponent: float, n_rows: int) -> Callable[[int], Drawn]:
    return lambda seed: gaussian(erdos_renyi(n, n**-exponent, np.random.default_rng([seed, 1])), n_rows, seed)


def discrete(name: str, n_rows: int) -> Callable[[int], Drawn]:
    network = sl.networks.load_discrete(name)
    return lambda seed: (network.structure, pa.table(network.sample(n_rows, np.random.default_rng(seed))))


def elsewhere() -> Iterator[tuple[str, Callable[[int], Drawn]]]:
    yield "G(50, n^-0.8), 250 rows", random_graph(50, 0.8, 250)
    yield "G(60, n^-0.65), 1,200 rows", random_graph(60, 0.65, 1200)
    yield "G(100, n^-0.72), 5,000 rows", random_graph(100, 0.72, 5000)
    yield "G(200, n^-0.72), 10,000 rows", random_graph(200, 0.72, 10_000)
    for name in ("asia", "child", "insurance", "alarm"):
        yield f"{name}, 10,000 rows", discrete(name, 10_000)


def costs() -> None:
    print("\n| data | clear separations | any separation |\n|---|---|---|")
    for name, draw in elsewhere():
        cells = []
        for variant in ("robust", "any separation"):
            runs = []
            for graph, table in map(draw, range(FEW_SEEDS)):
                net = sl.learn(table, sl.DiamondFree(), "rsl", variant)
                runs.append(compare_skeletons(net.skeleton, nx.relabel_nodes(graph, str)).f1)
            cells.append(f"{np.mean(runs):.3f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    VARIANTS["any separation"] = AnySeparation
    few_rows()
    costs()

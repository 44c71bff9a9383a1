"""When do normal scores serve better than values? Numbers that are not Gaussian, with the truth known.

    python benchmarks/marginals.py [--seeds 10]        a line for each kind of numbers and number of rows

Random DAGs over 20 variables, three edges each on average, linear effects; then the noise, or what is observed of each
variable, is changed as the line says. F1 of the edges, and the distance of the essential graphs (SHD), by values, by
normal scores, and by ``correlation="auto"``; how often "auto" takes the scores; and the gain that it goes by.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import sidelight as sl
from sidelight.families.gaussian.test import margins_of
from sidelight.simulation.random_graphs import erdos_renyi

Values = NDArray[np.float64]
Noise = Callable[[int, np.random.Generator], Values]
Kind = Callable[[nx.DiGraph, int, np.random.Generator], Values]
COLUMNS, DEGREE, ROWS = 20, 3, (200, 1000, 5000)
EFFECTS = (0.4, 1.0)  # absolute values of coefficients, in standard deviations of the cause
MONOTONE: tuple[Callable[[Values], Values], ...] = (
    np.exp,
    lambda x: np.exp(x / 2),
    lambda x: np.exp(1.5 * x),
    lambda x: x**3,
    lambda x: np.sign(x) * np.abs(x) ** 0.5,
    lambda x: np.sinh(2 * x),
    lambda x: 1 / (1 + np.exp(-3 * x)),
)


def linear(graph: nx.DiGraph, n_rows: int, rng: np.random.Generator, noise: Noise) -> Values:
    """Linear effects and independent noise, each variable with a standard deviation of 1."""
    rows = np.zeros((n_rows, len(graph)))
    for v in nx.topological_sort(graph):
        parents = sorted(graph.predecessors(v))
        weights = rng.uniform(*EFFECTS, len(parents)) * rng.choice([-1.0, 1.0], len(parents))
        rows[:, v] = rows[:, parents] @ weights + noise(n_rows, rng)
        rows[:, v] /= rows[:, v].std()
    return rows


def gaussian(n_rows: int, rng: np.random.Generator) -> Values:
    return rng.standard_normal(n_rows)


def with_noise(noise: Noise) -> Kind:
    return lambda graph, n_rows, rng: linear(graph, n_rows, rng, noise)


def monotone(share: float) -> Kind:
    """Gaussian, and a share of the columns replaced by monotone functions of them."""

    def make(graph: nx.DiGraph, n_rows: int, rng: np.random.Generator) -> Values:
        rows = linear(graph, n_rows, rng, gaussian)
        for v in np.flatnonzero(rng.random(COLUMNS) < share):
            rows[:, v] = MONOTONE[rng.integers(len(MONOTONE))](rows[:, v])
        return rows

    return make


def with_outliers(graph: nx.DiGraph, n_rows: int, rng: np.random.Generator) -> Values:
    rows = linear(graph, n_rows, rng, gaussian)
    return np.where(rng.random(rows.shape) < 0.01, 15 * rows, rows)


def censored(graph: nx.DiGraph, n_rows: int, rng: np.random.Generator) -> Values:
    return np.maximum(linear(graph, n_rows, rng, gaussian), -0.3)


KINDS: dict[str, Kind] = {
    "Gaussian": with_noise(gaussian),
    "monotone functions of all": monotone(1.0),
    "monotone functions of half": monotone(0.5),
    "monotone functions of one in ten": monotone(0.1),
    "1 % outliers": with_outliers,
    "censored": censored,
    "linear, uniform noise": with_noise(lambda n, rng: rng.uniform(size=n)),
    "linear, Laplace noise": with_noise(lambda n, rng: rng.laplace(size=n)),
    "linear, t noise (5)": with_noise(lambda n, rng: rng.standard_t(5, n)),
    "linear, t noise (3)": with_noise(lambda n, rng: rng.standard_t(3, n)),
    "linear, exponential noise": with_noise(lambda n, rng: rng.exponential(size=n)),
    "linear, log-normal noise": with_noise(lambda n, rng: rng.lognormal(size=n)),
}


def measured(kind: Kind, n_rows: int, seed: int) -> list[float]:
    """F1 and distance by values, by scores and by "auto"; whether that takes scores, and the gain."""
    rng = np.random.default_rng(seed)
    graph = erdos_renyi(COLUMNS, DEGREE / (COLUMNS - 1), rng)
    rows = kind(graph, n_rows, rng)
    found = {name: _quality(rows, name, graph) for name in ("pearson", "normal-scores")}
    margins = margins_of(rows)
    chosen = "normal-scores" if margins.need_scores else "pearson"
    return [*found["pearson"], *found["normal-scores"], *found[chosen], float(margins.need_scores), margins.gain]


def _quality(rows: Values, correlation: str, truth: nx.DiGraph) -> tuple[float, float]:
    compared = sl.compare(sl.learn(rows, correlation=correlation).to_networkx(), truth)
    return compared.skeleton.f1, compared.class_distance


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    arguments = parser.parse_args()
    headings = ["numbers", "rows", *(f"{what} {how}" for what in ("F1", "SHD") for how in ("values", "scores", "auto"))]
    print(f"| {' | '.join([*headings, 'scores taken', 'gain'])} |\n|{'---|' * (len(headings) + 2)}")
    for name, kind in KINDS.items():
        for n_rows in ROWS:
            runs = np.array([measured(kind, n_rows, seed) for seed in range(arguments.seeds)])
            f1_values, shd_values, f1_scores, shd_scores, f1_auto, shd_auto, taken, gain = runs.mean(axis=0)
            f1 = " | ".join(f"{f1:.3f}" for f1 in (f1_values, f1_scores, f1_auto))
            shd = " | ".join(f"{shd:.1f}" for shd in (shd_values, shd_scores, shd_auto))
            print(f"| {name} | {n_rows} | {f1} | {shd} | {taken:.0%} | {gain:+.2f} |", flush=True)


if __name__ == "__main__":
    main()

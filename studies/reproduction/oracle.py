"""The paper's Figures 2a to 2c: how many tests with the oracle on G(n, p), for three densities."""

from __future__ import annotations

import numpy as np

from sidelight.runs.records import Result
from sidelight.simulation.random_graphs import erdos_renyi
from studies.reproduction.algorithms import LABELS, with_oracle
from studies.reproduction.figures import Figure
from studies.reproduction.study import Done, Experiment, Job, Scale, grid
from studies.reproduction.summaries import means_of, panel_of
from studies.reproduction.tables import ResultTable

# The exponent of p = n^-e, and the clique number that RSL-ω is given.
DENSITIES = {0.82: 3, 0.72: 3, 0.53: 4}
# As in the paper: graphs this dense have diamonds, so RSL-D would have no guarantee.
WITHOUT_RSL_D = 0.53


def jobs(scale: Scale) -> list[Job]:
    return grid(scale, exponent=DENSITIES, n=scale.sizes)


def work(exponent: float, n: int, seed: int, max_tests: int) -> Result:
    graph = erdos_renyi(n, n**-exponent, np.random.default_rng(seed))
    algorithms = tuple(a for a in LABELS if a != "rsl-d" or exponent != WITHOUT_RSL_D)
    return with_oracle(graph, DENSITIES[exponent], max_tests, algorithms)


def show(done: Done) -> list[Figure | ResultTable]:
    panels = []
    for exponent in DENSITIES:
        here = [(job, result) for job, result in done if job["exponent"] == exponent]
        panels.append(panel_of(here, "n", "variables n", "tests", f"$p = n^{{-{exponent}}}$"))
    return [
        Figure("oracle", "Tests with the oracle after the boundaries, $G(n, p)$", tuple(panels)),
        means_of("oracle", "Tests with the oracle", done, ("exponent", "n"), ("tests", "mean_set", "exact")),
    ]


EXPERIMENT = Experiment(
    name="oracle",
    title="Tests with the oracle on random graphs",
    words="""The paper's Figure 2a–c. Once the Markov boundaries are given, how many tests does each algorithm need
on random graphs G(n, p)? RSL-ω is given a clique number of at most 3, 3 and 4. `exact` is the share of runs
with the true skeleton: RSL-D falls short where graphs have diamonds, RSL-ω where a graph has a larger
clique than it was given, the others where they were cut.""",
    quick=Scale(runs=10, sizes=(20, 40, 60, 80), max_tests=100_000),
    full=Scale(runs=100, sizes=(20, 40, 60, 80, 100, 120), max_tests=1_000_000),
    jobs=jobs,
    work=work,
    show=show,
)

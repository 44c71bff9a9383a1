"""The paper's Figures 2d and 2e: accuracy, tests and run time on data from G(n, p)."""

from __future__ import annotations

import numpy as np

from sidelight.graphs.properties import clique_number
from sidelight.runs.records import Result
from sidelight.simulation.random_graphs import erdos_renyi
from studies.reproduction.algorithms import with_samples
from studies.reproduction.figures import Figure
from studies.reproduction.study import Done, Experiment, Job, Scale, grid
from studies.reproduction.summaries import shown_on_data, tables_on_data
from studies.reproduction.tables import ResultTable

# The exponent of p = n^-e, and how many rows for each variable.
SETTINGS = {0.72: 50, 0.65: 20}


def jobs(scale: Scale) -> list[Job]:
    return grid(scale, exponent=SETTINGS, n=scale.sizes)


def work(exponent: float, n: int, seed: int, max_tests: int) -> Result:
    graph = erdos_renyi(n, n**-exponent, np.random.default_rng([seed, 1]))  # not the stream of the rows
    m = max(3, clique_number(graph))
    return with_samples(graph, m, SETTINGS[exponent] * n, seed, max_tests)


def show(done: Done) -> list[Figure | ResultTable]:
    shown: list[Figure | ResultTable] = []
    for exponent, rows in SETTINGS.items():
        here = [(job, result) for job, result in done if job["exponent"] == exponent]
        title = f"On data: $G(n, n^{{-{exponent}}})$, ${rows}\\,n$ rows"
        shown.append(shown_on_data(f"samples-{exponent}", title, here, "n", "variables n"))
    return shown + tables_on_data("samples", "On data from G(n, p)", done, ("exponent", "n"))


EXPERIMENT = Experiment(
    name="samples",
    title="Accuracy and cost on data from random graphs",
    words="""The paper's Figure 2d and 2e: p = n^-0.72 with 50 n rows, and p = n^-0.65 with 20 n rows. Fisher Z at
alpha = 0.01, boundaries by total conditioning at 2/n², seconds after the boundaries. RSL-ω is given the clique
number, at least 3.""",
    quick=Scale(runs=10, sizes=(20, 40, 60, 80), max_tests=3_000_000),
    full=Scale(runs=100, sizes=(20, 40, 60, 80, 100, 120), max_tests=10_000_000),
    jobs=jobs,
    work=work,
    show=show,
)

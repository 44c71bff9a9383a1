"""The paper's Figure 7: does the significance level matter? Diabetes, 5,000 rows."""

from __future__ import annotations

from sidelight.graphs.properties import clique_number
from sidelight.runs.records import Result
from sidelight.simulation import networks
from studies.reproduction.algorithms import with_samples
from studies.reproduction.figures import Figure
from studies.reproduction.study import Done, Experiment, Job, Scale, grid
from studies.reproduction.summaries import shown_on_data, tables_on_data
from studies.reproduction.tables import ResultTable

ALPHAS = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1)


def jobs(scale: Scale) -> list[Job]:
    return grid(scale, alpha=ALPHAS, rows=scale.sizes)


def work(alpha: float, rows: int, seed: int, max_tests: int) -> Result:
    graph = networks.load("diabetes-paper")
    return with_samples(graph, clique_number(graph), rows, seed, max_tests, alpha)


def show(done: Done) -> list[Figure | ResultTable]:
    title = "Diabetes over the significance level"
    return [
        shown_on_data("levels", title, done, "alpha", "significance level", log_x=True),
        *tables_on_data("levels", title, done, ("alpha",)),
    ]


EXPERIMENT = Experiment(
    name="levels",
    title="The significance level",
    words="""The paper's Figure 7: diabetes with 5,000 rows, for significance levels from 0.001 to 0.1. The paper finds
no considerable effect.""",
    quick=Scale(runs=5, sizes=(5000,), max_tests=1_000_000),
    full=Scale(runs=10, sizes=(5000,), max_tests=10_000_000),
    jobs=jobs,
    work=work,
    show=show,
    one_size=True,
)

"""The paper's Figures 3 and 5: known structures, over the number of rows."""

from __future__ import annotations

from sidelight.data import networks
from sidelight.experiments.algorithms import with_samples
from sidelight.experiments.figures import Figure
from sidelight.experiments.records import Result
from sidelight.experiments.samples import MEASURES
from sidelight.experiments.study import Done, Experiment, Job, Scale
from sidelight.experiments.summaries import means_of, panel_of
from sidelight.experiments.tables import Table
from sidelight.properties import clique_number

STRUCTURES = {"diabetes": "diabetes-paper", "andes": "andes", "insurance": "insurance-paper", "hepar2": "hepar2"}


def jobs(scale: Scale) -> list[Job]:
    return [
        {"structure": structure, "rows": rows, "seed": seed, "max_tests": scale.max_tests}
        for structure in STRUCTURES
        for rows in scale.sizes
        for seed in scale.seeds
    ]


def work(structure: str, rows: int, seed: int, max_tests: int) -> Result:
    graph = networks.load(STRUCTURES[structure])
    return with_samples(graph, clique_number(graph), rows, seed, max_tests)


def show(done: Done) -> list[Figure | Table]:
    shown: list[Figure | Table] = []
    for structure in STRUCTURES:
        here = [(job, result) for job, result in done if job["structure"] == structure]
        panels = tuple(panel_of(here, "rows", "rows", m, log_x=True) for m in ("f1", "tests", "seconds"))
        shown.append(Figure(f"structures-{structure}", f"On data: {structure}", panels))
    title = "On data from known structures"
    return [
        *shown,
        means_of("structures", title, done, ("structure", "rows"), MEASURES),
        means_of("structures", f"{title}: seconds", done, ("structure", "rows"), ("seconds",), of_times=True),
    ]


EXPERIMENT = Experiment(
    name="structures",
    title="Known structures, over the number of rows",
    words="""The paper's Figure 3 (diabetes, andes) and Figure 5 (insurance, hepar2), with the same data and tests.
RSL-ω is told the true clique number; andes has diamonds, the others have none.""",
    quick=Scale(runs=5, sizes=(500, 1000, 2000, 5000, 10000), max_tests=1_000_000),
    full=Scale(runs=10, sizes=(500, 1000, 2000, 5000, 10000, 20000), max_tests=10_000_000),
    jobs=jobs,
    work=work,
    show=show,
)

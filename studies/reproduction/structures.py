"""The paper's Figures 3 and 5: known structures, over the number of rows."""

from __future__ import annotations

from sidelight.graphs.properties import clique_number
from sidelight.runs.records import Result
from sidelight.simulation import networks
from studies.reproduction.algorithms import with_samples
from studies.reproduction.figures import Figure
from studies.reproduction.study import Done, Experiment, Job, Scale, grid
from studies.reproduction.summaries import shown_on_data, tables_on_data
from studies.reproduction.table import STRUCTURES as ALL
from studies.reproduction.tables import ResultTable

STRUCTURES = {name: ALL[name] for name in ("diabetes", "andes", "insurance", "hepar2")}


def jobs(scale: Scale) -> list[Job]:
    return grid(scale, structure=STRUCTURES, rows=scale.sizes)


def work(structure: str, rows: int, seed: int, max_tests: int) -> Result:
    graph = networks.load(STRUCTURES[structure])
    return with_samples(graph, clique_number(graph), rows, seed, max_tests)


def show(done: Done) -> list[Figure | ResultTable]:
    shown: list[Figure | ResultTable] = []
    for structure in STRUCTURES:
        here = [(job, result) for job, result in done if job["structure"] == structure]
        shown.append(
            shown_on_data(f"structures-{structure}", f"On data: {structure}", here, "rows", "rows", log_x=True)
        )
    return shown + tables_on_data("structures", "On data from known structures", done, ("structure", "rows"))


EXPERIMENT = Experiment(
    name="structures",
    title="Known structures, over the number of rows",
    words="""The paper's Figure 3 (diabetes, andes) and Figure 5 (insurance, hepar2), with the same data and tests.
RSL-ω is given the true clique number; andes has diamonds, the others have none.""",
    quick=Scale(runs=5, sizes=(500, 1000, 2000, 5000, 10000), max_tests=1_000_000),
    full=Scale(runs=10, sizes=(500, 1000, 2000, 5000, 10000, 20000), max_tests=10_000_000),
    jobs=jobs,
    work=work,
    show=show,
)

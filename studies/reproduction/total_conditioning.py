"""The paper's Figure 6: how long total conditioning takes to find all Markov boundaries."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from sidelight.boundaries import ALGORITHMS, one_block
from sidelight.families import FisherZ
from sidelight.families.gaussian.correlation import Correlation
from sidelight.graphs.dag import Dag
from sidelight.interview import Interview
from sidelight.runs.records import Result
from sidelight.simulation.gaussian import linear_gaussian
from sidelight.simulation.random_graphs import erdos_renyi
from studies.reproduction.figures import Figure, Panel, mean_and_band
from studies.reproduction.study import Done, Experiment, Job, Scale, grid
from studies.reproduction.summaries import grouped
from studies.reproduction.tables import ResultTable


def jobs(scale: Scale) -> list[Job]:
    return grid(scale, n=scale.sizes)


def work(n: int, seed: int) -> Result:
    rng = np.random.default_rng(seed)
    graph = erdos_renyi(n, n**-0.72, rng)
    names, values = linear_gaussian(graph, 50 * n, rng)
    find = ALGORITHMS["tc"]
    find(
        one_block(3), Interview(FisherZ(Correlation(np.corrcoef(values[:, :3].T), len(values))), 0.01), 1
    )  # load the kernels
    started = perf_counter()
    test = FisherZ(Correlation(np.corrcoef(values.T), len(values), names))
    found = find(one_block(n), Interview(test, 2 / n**2), 1)
    seconds = perf_counter() - started
    wrong = sum(len(a ^ b) for a, b in zip(found, Dag.from_networkx(graph).boundaries(), strict=True))
    members = sum(map(len, found))
    return {"seconds": seconds, "members": members, "wrong": wrong}


def show(done: Done) -> list[Figure | ResultTable]:
    seconds: dict[float, list[float]] = {}
    for job, result in done:
        seconds.setdefault(job["n"], []).append(result["seconds"])
    rows, times = [], []
    for (n,), group in grouped(done, lambda job: (job["n"],)):
        rows.append((n, *(mean_and_band([r[key] for _, r in group])[0] for key in ("members", "wrong"))))
        times.append((n, mean_and_band([r["seconds"] for _, r in group])[0]))
    panel = Panel("", "variables n", "seconds", {"TC": seconds}, log_x=True, log_y=True)
    return [
        Figure("tc", "Total conditioning: $G(n, n^{-0.72})$, $50\\,n$ rows", (panel,)),
        ResultTable(
            "tc", "Members of all boundaries, and how many of them are wrong", ("n", "members", "wrong"), tuple(rows)
        ),
        ResultTable("tc", "Total conditioning: seconds", ("n", "seconds"), tuple(times), of_times=True),
    ]


EXPERIMENT = Experiment(
    name="tc",
    title="Run time of total conditioning",
    words="""The paper's Figure 6: from the rows to all Markov boundaries on G(n, n^-0.72) with 50 n rows. Here it is
one correlation matrix and one inverse. `wrong` counts members that are missing or too many, over all variables.""",
    quick=Scale(runs=3, sizes=(50, 100, 200, 400), max_tests=0),
    full=Scale(runs=10, sizes=(50, 100, 200, 400, 800, 1600), max_tests=0),
    jobs=jobs,
    work=work,
    show=show,
)

"""The paper's table of complexities, as growth that is measured: tests over n, and over the number of parents.

Two layers: causes that are not adjacent, and effects with d of them each. Such a graph has no diamonds, a clique number
of 2 and an in-degree of d, so every bound of the table applies.
"""

from __future__ import annotations

import networkx as nx
import numpy as np

from sidelight.runs.records import Result
from studies.reproduction.algorithms import LABELS, with_oracle
from studies.reproduction.figures import Figure
from studies.reproduction.study import Done, Experiment, Job, Scale
from studies.reproduction.summaries import means_of, panel_of
from studies.reproduction.tables import Cell, ResultTable

FEW_PARENTS, FEW_VARIABLES = 3, 60
PARENTS = (1, 2, 3, 4, 5, 6)
BOUNDS = {
    "rsl-d": "n² + n Δin³",
    "rsl-w": "n² + n Δin^(m+1), m = 2",
    "marvel": "n² + n Δin² 2^Δin",
    "cs": "n² 2^α",
    "gs": "n² + n α² 2^α",
    "pc": "n^Δ",
    "mmpc": "n² 2^α",
}


def jobs(scale: Scale) -> list[Job]:
    over_n = [("n", n, FEW_PARENTS) for n in scale.sizes]
    over_parents = [("parents", FEW_VARIABLES, parents) for parents in PARENTS]
    return [
        {"over": over, "n": n, "parents": parents, "seed": seed, "max_tests": scale.max_tests}
        for over, n, parents in over_n + over_parents
        for seed in scale.seeds
    ]


def work(over: str, n: int, parents: int, seed: int, max_tests: int) -> Result:
    return with_oracle(two_layers(n, parents, np.random.default_rng(seed)), 2, max_tests)


def two_layers(n: int, parents: int, rng: np.random.Generator) -> nx.DiGraph:
    """Causes and effects, half of each in random order; every effect has the same number of causes."""
    order = rng.permutation(n)
    causes, effects = order[: n // 2], order[n // 2 :]
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    for effect in effects.tolist():
        graph.add_edges_from((cause, effect) for cause in rng.choice(causes, size=parents, replace=False).tolist())
    return graph


def show(done: Done) -> list[Figure | ResultTable]:
    over_n = [(job, result) for job, result in done if job["over"] == "n"]
    over_parents = [(job, result) for job, result in done if job["over"] == "parents"]
    panels = (
        panel_of(over_n, "n", "variables n", "tests", f"{FEW_PARENTS} parents each", log_x=True),
        panel_of(over_parents, "parents", "parents each", "tests", f"n = {FEW_VARIABLES}"),
    )
    return [
        Figure("growth", "Growth of the number of tests with the oracle, after the boundaries", panels),
        ResultTable(
            "growth",
            "Measured growth of the tests after the boundaries (the n² of the bounds is for those)",
            ("algorithm", "paper's bound", "exponent of n", "exponent of parents", "factor per parent"),
            tuple(_growth(algorithm, over_n, over_parents) for algorithm in LABELS),
        ),
        means_of("growth-counts", "The counts behind it", done, ("over", "n", "parents"), ("tests", "mean_set")),
    ]


def _growth(algorithm: str, over_n: Done, over_parents: Done) -> tuple[Cell, ...]:
    in_n = _points(over_n, "n", algorithm)
    in_parents = _points(over_parents, "parents", algorithm)
    in_parents.pop(1, None)  # where most algorithms need no test
    doublings = _slope(list(in_parents), np.log2(list(in_parents.values())))
    factor = None if doublings is None else float(2**doublings)
    return (
        LABELS[algorithm],
        BOUNDS[algorithm],
        _slope(np.log(list(in_n)), np.log(list(in_n.values()))),
        _slope(np.log(list(in_parents)), np.log(list(in_parents.values()))),
        factor,
    )


def _points(done: Done, x: str, algorithm: str) -> dict[float, float]:
    """The mean counts at each x at which no run was cut."""
    values: dict[float, list[float]] = {}
    cut = {job[x] for job, result in done if result[algorithm]["cut"]}
    for job, result in done:
        if job[x] not in cut:
            values.setdefault(job[x], []).append(max(1.0, result[algorithm]["tests"]))
    return {point: float(np.mean(counts)) for point, counts in sorted(values.items())}


def _slope(x: object, y: object) -> float | None:
    xs, ys = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    return float(np.polyfit(xs, ys, 1)[0]) if len(xs) > 1 else None


EXPERIMENT = Experiment(
    name="growth",
    title="Complexity as measured growth",
    words="""The paper's Table 2 bounds the number of tests in the worst case. Here the growth is measured on two layers
of causes and effects: over n with 3 parents each, and over the number of parents at n = 60. An exponent is
the slope in log-log scale; for algorithms with an exponential bound the factor for each further parent
tells more.""",
    quick=Scale(runs=5, sizes=(40, 80, 160, 320), max_tests=300_000),
    full=Scale(runs=20, sizes=(40, 80, 160, 320, 640, 1280), max_tests=10_000_000),
    jobs=jobs,
    work=work,
    show=show,
)

"""The paper's lemma on random graphs: how often is G(n, p) diamond-free, or its clique number small, as n grows?"""

from __future__ import annotations

import numpy as np

from sidelight.graphs.properties import clique_number, diamonds
from sidelight.runs.records import Result
from sidelight.simulation.random_graphs import erdos_renyi
from studies.reproduction.figures import Figure, Panel
from studies.reproduction.study import Done, Experiment, Job, Scale, grid
from studies.reproduction.summaries import grouped
from studies.reproduction.tables import ResultTable

# The paper's exponents, and one that is well beyond what the lemma needs.
EXPONENTS = (0.53, 0.65, 0.72, 0.82, 1.0)
CLAIMS = ("diamond_free", "clique_2", "clique_3", "clique_4")


def jobs(scale: Scale) -> list[Job]:
    return grid(scale, exponent=EXPONENTS, n=scale.sizes)


def work(exponent: float, n: int, seed: int) -> Result:
    graph = erdos_renyi(n, n**-exponent, np.random.default_rng(seed))
    clique = clique_number(graph)
    first_diamond = next(diamonds(graph), None)
    return {"diamond_free": first_diamond is None, **{f"clique_{m}": clique <= m for m in (2, 3, 4)}}


def show(done: Done) -> list[Figure | ResultTable]:
    rows = []
    for (exponent, n), group in grouped(done, lambda job: (job["exponent"], job["n"])):
        shares = (float(np.mean([result[claim] for _, result in group])) for claim in CLAIMS)
        rows.append((exponent, n, *shares, len(group)))
    panels = tuple(
        _panel(done, claim, title)
        for claim, title in (("diamond_free", "diamond-free"), ("clique_3", "ω ≤ 3"), ("clique_4", "ω ≤ 4"))
    )
    return [
        Figure("lemma", "How often $G(n, n^{-e})$ meets an assumption", panels),
        ResultTable("lemma", "Share of random graphs", ("exponent", "n", *CLAIMS, "runs"), tuple(rows)),
    ]


def _panel(done: Done, claim: str, title: str) -> Panel:
    lines: dict[str, dict[float, list[float]]] = {}
    for job, result in done:
        lines.setdefault(f"$e = {job['exponent']}$", {}).setdefault(job["n"], []).append(float(result[claim]))
    return Panel(title, "variables n", "share of graphs", lines, log_x=True, y_limits=(-0.03, 1.03), of_shares=True)


EXPERIMENT = Experiment(
    name="lemma",
    title="Random graphs that meet an assumption",
    words="""The paper's lemma: G(n, p) is diamond-free with high probability when p n^0.8 → 0, and its clique number is
at most m when p n^(2/m) → 0. So an exponent e in p = n^-e beyond 0.8 suffices for diamonds, beyond 1, 0.67
and 0.5 for m = 2, 3 and 4.""",
    quick=Scale(runs=50, sizes=(10, 30, 100, 300, 1000), max_tests=0),
    full=Scale(runs=200, sizes=(10, 30, 100, 300, 1000, 3000), max_tests=0),
    jobs=jobs,
    work=work,
    show=show,
)

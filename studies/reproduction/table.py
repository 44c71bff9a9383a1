"""The paper's big table: five structures, with the oracle and with 10,000 rows, for all seven algorithms."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

import numpy as np

from sidelight.graphs.properties import clique_number, summary
from sidelight.runs.records import Result
from sidelight.simulation import networks
from studies.reproduction.algorithms import LABELS, with_oracle, with_samples
from studies.reproduction.figures import Figure
from studies.reproduction.study import Done, Experiment, Job, Scale, grid
from studies.reproduction.tables import Cell, ResultTable

STRUCTURES = {
    "insurance": "insurance-paper",
    "hepar2": "hepar2",
    "diabetes": "diabetes-paper",
    "andes": "andes",
    "pigs": "pigs",
}
ORACLE_LIMIT = 10_000_000
# How the paper names a measure, ours, how many digits it prints, and whether more is better (1) or less is (-1).
ORACLE = (("oracle_tests", "tests", 0, -1), ("oracle_asc", "mean_set", 2, -1))
SAMPLE = (
    ("f1", "f1", 2, 1),
    ("precision", "precision", 2, 1),
    ("recall", "recall", 2, 1),
    ("shd", "shd", 0, -1),
    ("alss", "alss", 2, 1),
)
TIMES = (("runtime_s", "seconds", 2, -1),)


def jobs(scale: Scale) -> list[Job]:
    oracle = [{"structure": structure, "rows": 0, "seed": 0, "max_tests": ORACLE_LIMIT} for structure in STRUCTURES]
    return oracle + grid(scale, structure=STRUCTURES, rows=scale.sizes)


def work(structure: str, rows: int, seed: int, max_tests: int) -> Result:
    graph = networks.load(STRUCTURES[structure])
    m = clique_number(graph)
    return with_samples(graph, m, rows, seed, max_tests) if rows else with_oracle(graph, m, max_tests)


def show(done: Done) -> list[Figure | ResultTable]:
    oracle = [(job, result) for job, result in done if not job["rows"]]
    sample = [(job, result) for job, result in done if job["rows"]]
    return [
        _structures(),
        _counts(oracle),
        _beside("table-oracle", "With the oracle", oracle, ORACLE),
        _beside("table-samples", "With samples", sample, SAMPLE),
        _beside("table-samples", "Seconds after the boundaries", sample, TIMES, of_times=True),
        _claims(sample),
    ]


@cache
def _csv(name: str) -> list[dict[str, str]]:
    text = files("studies.reproduction").joinpath(name).read_text()
    return list(csv.DictReader(text.splitlines()))


def paper_value(algorithm: str, measure: str, structure: str) -> str:
    """What the paper's table says, as it prints it; "NA" where it says nothing."""
    for row in _csv("paper_real_world.csv"):
        if (row["algorithm"], row["measure"]) == (algorithm, measure):
            return row[structure]
    return "NA"


def exact_count(algorithm: str, structure: str) -> str:
    """The tests that the authors' code, made sound where it was not, needs with an exact oracle; "NA" if unknown."""
    return next((row[structure] for row in _csv("exact_oracle_counts.csv") if row["algorithm"] == algorithm), "NA")


def _structures() -> ResultTable:
    """The structures themselves; the paper's own row differs where a mark says so."""
    paper = {row["structure"]: row for row in _csv("paper_structures.csv")}
    columns = ("edges", "clique_number", "max_in_degree", "max_degree", "max_boundary", "diamond_free")
    rows: list[tuple[Cell, ...]] = []
    for structure, name in STRUCTURES.items():
        ours = summary(networks.load(name))
        cells = [_figure(ours[column], paper[structure][column]) for column in columns]
        rows.append((structure, ours["variables"], *cells))
    return ResultTable(
        "table-structures",
        "The structures: ours (the paper's, where it differs)",
        ("structure", "n", *columns),
        tuple(rows),
    )


def _figure(ours: int | bool, paper: str) -> str:
    text = ("yes" if ours else "no") if isinstance(ours, bool) else str(ours)
    return text if text == paper else f"{text} ({paper})"


def _counts(done: Done) -> ResultTable:
    """The oracle counts beside the paper's and the exact ones, one row for each algorithm and structure."""
    rows = []
    for algorithm, label in LABELS.items():
        for job, result in done:
            measured, structure = result[algorithm], job["structure"]
            ours = _count(measured)
            exact = exact_count(algorithm, structure)
            rows.append(
                (
                    label,
                    structure,
                    ours,
                    paper_value(algorithm, "oracle_tests", structure),
                    exact,
                    _verdict(measured, exact),
                    "yes" if measured["exact"] else "no",
                )
            )
    columns = ("algorithm", "structure", "ours", "paper", "exact oracle", "ours is", "skeleton exact")
    return ResultTable(
        "table-counts",
        "Tests with the oracle: ours, the paper's, and the authors' code with an exact oracle",
        columns,
        tuple(rows),
    )


def _count(measured: Result) -> str:
    return f">{ORACLE_LIMIT:.0e}".replace("e+0", "e") if measured["cut"] else str(measured["tests"])


def _verdict(measured: Result, reference: str) -> str:
    if reference == "NA":
        return "–"
    if reference.startswith(">"):
        return "beyond the limit too" if measured["cut"] else "fewer"
    if measured["cut"]:
        return "more"
    difference = measured["tests"] - int(reference)
    return "equal" if difference == 0 else f"{abs(difference)} {'more' if difference > 0 else 'fewer'}"


def _beside(
    name: str, title: str, done: Done, measures: tuple[tuple[str, str, int, int], ...], of_times: bool = False
) -> ResultTable:
    """Each measure of each algorithm: ours, the paper's in brackets, and a mark for better or worse."""
    rows = []
    for algorithm, label in LABELS.items():
        for paper_name, measure, digits, sign in measures:
            cells = []
            for structure in STRUCTURES:
                runs = [result[algorithm] for job, result in done if job["structure"] == structure]
                cells.append(_cell(runs, measure, digits, sign, paper_value(algorithm, paper_name, structure)))
            rows.append((label, measure, *cells))
    return ResultTable(
        name,
        f"{title}: ours (the paper's); ▲ better, ▼ worse, * with runs stopped at the limit of tests",
        ("algorithm", "measure", *STRUCTURES),
        tuple(rows),
        of_times,
    )


def _cell(runs: list[Result], measure: str, digits: int, sign: int, paper: str) -> str:
    if not runs:
        return "–"
    mean = float(np.mean([run[measure] for run in runs]))
    cut = measure == "tests" and any(run["cut"] for run in runs)
    stopped = measure not in ("tests", "mean_set") and any(run["cut"] for run in runs)
    ours = f"{'>' if cut else ''}{mean:.{digits}f}{'*' if stopped else ''}"
    if paper == "NA":
        return ours
    return f"{ours} ({paper}){'' if cut or paper.startswith('>') else _mark(round(mean, digits), float(paper), sign)}"


def _mark(ours: float, paper: float, sign: int) -> str:
    return "" if ours == paper else " ▲" if (ours > paper) == (sign > 0) else " ▼"


def _claims(done: Done) -> ResultTable:
    """Is each RSL as accurate as in the paper, and more accurate than every other algorithm?"""
    rows: list[tuple[Cell, ...]] = []
    for structure in STRUCTURES:
        here = [result for job, result in done if job["structure"] == structure]
        f1 = {algorithm: float(np.mean([result[algorithm]["f1"] for result in here])) for algorithm in LABELS}
        best = max((a for a in LABELS if not a.startswith("rsl")), key=f1.__getitem__)
        for algorithm in ("rsl-d", "rsl-w"):
            paper = float(paper_value(algorithm, "f1", structure))
            rows.append(
                (
                    structure,
                    LABELS[algorithm],
                    f1[algorithm],
                    paper,
                    "yes" if f1[algorithm] >= paper - 0.02 else "no",
                    f"{LABELS[best]} {f1[best]:.3f}{'*' if any(result[best]['cut'] for result in here) else ''}",
                    "yes" if f1[algorithm] > f1[best] else "no",
                )
            )
    columns = (
        "structure",
        "algorithm",
        "F1",
        "paper",
        "at least the paper's − .02",
        "best other",
        "better than all others",
    )
    return ResultTable(
        "table-claims", "Accuracy of RSL beside the paper's and beside the best other algorithm", columns, tuple(rows)
    )


EXPERIMENT = Experiment(
    name="table",
    title="Five structures, both settings, seven algorithms",
    words="""The paper's Table 5 (and Table 4, the structures). With the oracle, counts are cut at ten million tests.
With samples, means over runs of 10,000 rows. With the oracle RSL runs in its variant `paper`,
on data in its default variant.""",
    quick=Scale(runs=10, sizes=(10_000,), max_tests=1_000_000),
    full=Scale(runs=10, sizes=(10_000,), max_tests=10_000_000),
    jobs=jobs,
    work=work,
    show=show,
    one_size=True,
)

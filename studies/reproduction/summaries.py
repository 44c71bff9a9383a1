"""From the results of single runs to the lines of a figure and the rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from studies.reproduction.algorithms import LABELS
from studies.reproduction.figures import Figure, Panel, mean_and_band
from studies.reproduction.study import Done, Job
from studies.reproduction.tables import Cell, ResultTable

Lines = dict[str, dict[float, list[float]]]
MEASURES = {
    "tests": "number of tests",
    "mean_set": "mean size of conditioning sets",
    "f1": "F1 of the skeleton",
    "seconds": "seconds",
}
ON_DATA = ("f1", "precision", "recall", "shd", "class_shd", "alss", "tests", "mean_set")


def lines_of(done: Done, x: str, measure: str) -> Lines:
    """For each algorithm, the values of a measure at each x."""
    lines: Lines = {}
    for job, result in done:
        for algorithm, measured in result.items():
            lines.setdefault(LABELS[algorithm], {}).setdefault(job[x], []).append(float(measured[measure]))
    return lines


def panel_of(done: Done, x: str, x_label: str, measure: str, title: str = "", log_x: bool = False) -> Panel:
    """The lines of a measure, the counts and seconds on a logarithmic axis."""
    log_y = measure in ("tests", "seconds")
    lines = lines_of(done, x, measure)
    return Panel(title, x_label, MEASURES[measure], lines, log_x, log_y, cut=cut_of(done, x))


def shown_on_data(name: str, title: str, done: Done, x: str, x_label: str, log_x: bool = False) -> Figure:
    """Accuracy, tests and seconds side by side."""
    return Figure(name, title, tuple(panel_of(done, x, x_label, m, log_x=log_x) for m in ("f1", "tests", "seconds")))


def tables_on_data(name: str, title: str, done: Done, by: tuple[str, ...]) -> list[ResultTable]:
    """All that is measured on data, the seconds in a table of their own."""
    return [
        means_of(name, title, done, by, ON_DATA),
        means_of(name, f"{title}: seconds", done, by, ("seconds",), of_times=True),
    ]


def cut_of(done: Done, x: str) -> dict[str, frozenset[float]]:
    """For each algorithm, the points at which a run was stopped at the limit of tests."""
    stopped: dict[str, set[float]] = {}
    for job, result in done:
        for algorithm, measured in result.items():
            if measured["cut"]:
                stopped.setdefault(LABELS[algorithm], set()).add(job[x])
    return {label: frozenset(points) for label, points in stopped.items()}


def means_of(
    name: str, title: str, done: Done, by: tuple[str, ...], measures: tuple[str, ...], of_times: bool = False
) -> ResultTable:
    """One row for each point and algorithm: the means of the measures, and how many of the runs were cut."""
    rows = []
    for point, group in grouped(done, lambda job: tuple(job[key] for key in by)):
        for algorithm in group[0][1]:
            runs = [result[algorithm] for _, result in group]
            means = [mean_and_band([float(run[m]) for run in runs])[0] for m in measures]
            rows.append((*point, LABELS[algorithm], *means, len(runs), sum(run["cut"] for run in runs)))
    return ResultTable(name, title, (*by, "algorithm", *measures, "runs", "cut"), tuple(rows), of_times)


def grouped(done: Done, key: Callable[[Job], tuple[Cell, ...]]) -> Iterable[tuple[tuple[Cell, ...], Done]]:
    """The results by point, in the order in which the points first come."""
    groups: dict[tuple[Cell, ...], Done] = {}
    for job, result in done:
        groups.setdefault(key(job), []).append((job, result))
    return groups.items()

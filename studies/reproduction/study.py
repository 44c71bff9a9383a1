"""A study: jobs with seeds, run in parallel, each result kept as it comes, then shown as figures and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from shutil import make_archive
from tempfile import TemporaryDirectory
from typing import Any

from sidelight.errors import InputError
from sidelight.runs import running
from sidelight.runs.cluster import cluster
from sidelight.runs.records import Records, Result
from sidelight.runs.running import Job, Work
from studies.reproduction.figures import Figure
from studies.reproduction.tables import ResultTable

Done = list[tuple[Job, Result]]


__all__ = ["Done", "Experiment", "Job", "Records", "Result", "Scale", "grid", "run"]


@dataclass(frozen=True)
class Scale:
    """How large an experiment is: runs for each point, sizes (variables, rows …), and where a count of tests is cut."""

    runs: int
    sizes: tuple[int, ...]
    max_tests: int
    first_seed: int = 0

    @property
    def seeds(self) -> range:
        """One for each run."""
        return range(self.first_seed, self.first_seed + self.runs)


@dataclass(frozen=True)
class Experiment:
    """One figure or table of the paper: its jobs, the work of one, and how the results are shown."""

    name: str
    title: str
    words: str
    quick: Scale
    full: Scale
    jobs: Callable[[Scale], list[Job]]
    work: Callable[..., Result]
    show: Callable[[Done], list[Figure | ResultTable]]
    one_size: bool = False  # its figures have no axis for sizes

    def scale(self, full: bool, runs: int | None, sizes: Sequence[int] | None, seed: int) -> Scale:
        """The paper's scale or the quick one, with what the user chose instead."""
        chosen = replace(self.full if full else self.quick, first_seed=seed)
        wanted = tuple(dict.fromkeys(sizes or chosen.sizes))
        if self.one_size and len(wanted) > 1:
            raise InputError(f"sizes={list(wanted)}: the experiment {self.name!r} takes one size at a time")
        return replace(chosen, runs=runs or chosen.runs, sizes=wanted)

    def all_jobs(self, scale: Scale) -> list[Job]:
        """The jobs, each with the name of the experiment."""
        return [{"experiment": self.name, **job} for job in self.jobs(scale)]


def grid(scale: Scale, **axes: Iterable[Any]) -> list[Job]:
    """One job for each point of the axes and each seed."""
    limit = {"max_tests": scale.max_tests} if scale.max_tests else {}
    return [
        {**dict(zip((*axes, "seed"), point, strict=True)), **limit} for point in product(*axes.values(), scale.seeds)
    ]


def run(
    jobs: Sequence[Job],
    records: Records,
    work: Work,
    n_jobs: int,
    dask: str | None,
    tick: Callable[[int], None],
) -> Done:
    """Do what is not done yet, and return all results in the order of the jobs."""
    with cluster(dask) if dask else nullcontext() as client:
        if client is not None:
            _send_this_study(client)
        for _ in running.run(jobs, records, work, n_jobs, client, tick):
            pass
    return [(job, records[job]) for job in jobs]


def _send_this_study(client: Any) -> None:
    """Let workers who have sidelight, but not this repository, import the study."""
    package, *_ = __name__.split(".")
    if all(client.run(find_spec, package).values()):
        return
    with TemporaryDirectory() as folder:
        client.upload_file(make_archive(str(Path(folder) / package), "zip", Path(__file__).parents[2], package))

"""A study: jobs with seeds, run in parallel, each result kept as it comes, then shown as figures and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from sidelight.errors import InputError
from sidelight.reproduction.figures import Figure
from sidelight.reproduction.records import Records, Result
from sidelight.reproduction.tables import ResultTable

Job = dict[str, Any]  # JSON values only; "experiment" names what does it
Done = list[tuple[Job, Result]]


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
    work: Callable[[Job], Result],
    n_jobs: int,
    dask: str | None,
    tick: Callable[[int], None],
) -> Done:
    """Do what is not done yet, and return all results in the order of the jobs."""
    missing = [job for job in jobs if job not in records]
    tick(len(jobs) - len(missing))
    results = _on_cluster(missing, work, dask) if dask else _on_this_machine(missing, work, n_jobs)
    for job, result in results:
        records.add(job, result)
        tick(1)
    return [(job, records[job]) for job in jobs]


def _with_job(work: Callable[[Job], Result], job: Job) -> tuple[Job, Result]:
    return job, work(job)


def _on_this_machine(
    jobs: Sequence[Job], work: Callable[[Job], Result], n_jobs: int
) -> Iterator[tuple[Mapping[str, Any], Result]]:
    """Results in the order in which they are ready."""
    from joblib import Parallel, delayed

    if n_jobs == 0:
        raise InputError("n_jobs=0: give the number of workers, or -1 for one on each core")
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1, max_nbytes=None)
    yield from parallel(delayed(_with_job)(work, job) for job in jobs)


def _on_cluster(
    jobs: Sequence[Job], work: Callable[[Job], Result], address: str
) -> Iterator[tuple[Mapping[str, Any], Result]]:
    """The same by the workers of a dask scheduler, where sidelight must be installed too."""
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise InputError("--dask needs the package distributed: pip install 'sidelight[dask]'") from error
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise InputError(f"--dask {address}: no scheduler answers there ({error})") from error
    with client:
        for future in as_completed(client.map(_with_job, [work] * len(jobs), jobs, pure=False)):
            yield future.result()

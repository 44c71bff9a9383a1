"""A study in a folder: its records, and the figures, tables and report that are made from them.

``tables`` holds what every run of the same study gives again, byte for byte; what depends on the clock is in ``times``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from sidelight.errors import InputError
from sidelight.files.writing import write_whole
from sidelight.runs.records import Records
from studies.reproduction.experiments import EXPERIMENTS, do
from studies.reproduction.figures import Figure, check_matplotlib
from studies.reproduction.report import HEAD, section
from studies.reproduction.study import Experiment, Job, Scale, run
from studies.reproduction.tables import ResultTable


@dataclass(frozen=True)
class PlannedExperiment:
    """One experiment of a study, at its scale."""

    experiment: Experiment
    scale: Scale

    def jobs(self) -> list[Job]:
        """All its jobs."""
        return self.experiment.all_jobs(self.scale)


def parts_of(
    names: Sequence[str], full: bool, runs: int | None = None, sizes: Sequence[int] | None = None, seed: int = 0
) -> list[PlannedExperiment]:
    """The experiments of these names, or all of them; with the runs, sizes and first seed that are given."""
    for name in names:
        if name not in (*EXPERIMENTS, "all"):
            allowed = ", ".join(repr(allowed) for allowed in (*EXPERIMENTS, "all"))
            raise InputError(f"an experiment must be one of {allowed}; got {name!r}")
    wanted = list(EXPERIMENTS) if not names or "all" in names else list(dict.fromkeys(names))
    if runs is not None and runs < 1:
        raise InputError(f"runs={runs}: at least one run is needed")
    if seed < 0:
        raise InputError(f"seed={seed}: a seed is 0 or more")
    if sizes and len(wanted) > 1:
        raise InputError("sizes mean something else in each experiment (variables, rows): give them for one at a time")
    if sizes and min(sizes) < 10:
        raise InputError(f"sizes={list(sizes)}: a size is 10 at least")
    return [PlannedExperiment(EXPERIMENTS[name], EXPERIMENTS[name].scale(full, runs, sizes, seed)) for name in wanted]


def open_records(folder: Path) -> Records:
    """The records in a folder, which is made if it is not there."""
    make_folder(folder)
    if (earlier := folder / "records.jsonl").exists():
        raise InputError(
            f"{str(earlier)!r} holds the records of an earlier version of sidelight, which this one does not read; "
            f"choose another folder"
        )
    return Records(folder / "records.sqlite", version("sidelight"))


def make_folder(folder: Path) -> None:
    """Make the folder if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot use {str(folder)!r} as a folder: {error.strerror}") from error


def reproduce(
    parts: Sequence[PlannedExperiment],
    folder: Path,
    records: Records,
    n_jobs: int = 1,
    dask: str | None = None,
    tick: Callable[[int], None] = lambda done: None,
) -> list[ResultTable]:
    """Run what is missing, then write every figure and table, and the report; return the tables."""
    check_matplotlib()
    for kind in ("figures", "tables", "times", "sections"):
        make_folder(folder / kind)
    done = run([job for part in parts for job in part.jobs()], records, do, n_jobs, dask, tick)
    tables, start = [], 0
    for part in parts:
        stop = start + len(part.jobs())
        outputs = part.experiment.show(done[start:stop])
        start = stop
        for output in outputs:
            _write(output, folder)
        page = folder / "sections" / f"{part.experiment.name}.md"
        write_whole(page, section(part.experiment, part.scale, outputs).encode())
        tables += [output for output in outputs if isinstance(output, ResultTable)]
    _write_page(folder)
    return tables


def _write_page(folder: Path) -> None:
    """All sections that are there, also those of earlier commands, in one page."""
    pages = (folder / "sections" / f"{name}.md" for name in EXPERIMENTS)
    write_whole(folder / "reproduction.md", "\n".join([HEAD, *(p.read_text() for p in pages if p.exists())]).encode())


def _write(output: Figure | ResultTable, folder: Path) -> None:
    if isinstance(output, Figure):
        for extension, image in output.draw().items():
            write_whole(folder / "figures" / f"{output.name}.{extension}", image)
        return
    place = folder / output.place
    write_whole(place / f"{output.name}.csv", output.to_csv().encode())
    write_whole(place / f"{output.name}.md", output.to_markdown().encode())

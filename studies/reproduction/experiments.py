"""All experiments by name, and the work of one of their jobs."""

from __future__ import annotations

from sidelight.runs.records import Result
from studies.reproduction import growth, lemma, levels, oracle, samples, structures, table, total_conditioning
from studies.reproduction.study import Experiment, Job

EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.name: module.EXPERIMENT
    for module in (table, oracle, samples, structures, levels, total_conditioning, lemma, growth)
}


def do(job: Job) -> Result:
    """Do the work of one job."""
    arguments = {key: value for key, value in job.items() if key != "experiment"}
    return EXPERIMENTS[job["experiment"]].work(**arguments)

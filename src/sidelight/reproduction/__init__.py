"""The paper's experiments: every figure and table, made again and compared with its numbers."""

from __future__ import annotations

from sidelight.reproduction import growth, lemma, levels, oracle, samples, structures, table, total_conditioning
from sidelight.reproduction.study import Experiment, Job
from sidelight.runs.records import Result

EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.name: module.EXPERIMENT
    for module in (table, oracle, samples, structures, levels, total_conditioning, lemma, growth)
}


def do(job: Job) -> Result:
    """Do the work of one job."""
    arguments = {key: value for key, value in job.items() if key != "experiment"}
    return EXPERIMENTS[job["experiment"]].work(**arguments)

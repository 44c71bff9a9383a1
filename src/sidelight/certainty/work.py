"""The work on resamples: draw one, learn its graph, and keep what is done."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

from sidelight.certainty.draws import Resampler
from sidelight.certainty.options import StabilityOptions
from sidelight.certainty.tally import ResampleTally
from sidelight.errors import AnswerError, InputError
from sidelight.knowledge import Constraints
from sidelight.learning import learn_graph
from sidelight.options import Options
from sidelight.prepare import Prepared
from sidelight.runs.records import Records, Result
from sidelight.runs.running import Job, run

AT_ONCE = 5  # resamples that one job learns from, whatever the number of workers: records are kept by jobs


@dataclass(frozen=True)
class Learning:
    """The work on resamples: draw one, and learn its graph."""

    resampler: Resampler
    options: Options

    def __call__(self, job: Job) -> Result:
        """The graphs of the resamples with these numbers."""
        known = self.options.constraints(self.resampler.names)
        return {"graphs": [self._graph(number, known) for number in range(*job["numbers"])]}

    def _graph(self, number: int, known: Constraints | None) -> Result:
        resample = self.resampler.draw(number)
        found: Result = {"constant": resample.constant, "fewer": resample.without_categories}
        try:
            graph = learn_graph(Prepared(resample.test), self.options, known)
        except (InputError, AnswerError, np.linalg.LinAlgError) as error:
            return {**found, "failed": str(error)}
        found["determined"] = not resample.test.can_condition_on(len(self.resampler.names) - 2)
        return {**found, "directed": graph.directed_edges(), "undirected": graph.undirected_edges()}

    def fingerprint(self) -> str:
        """What distinguishes this work from other work: the rows and the options."""
        data, known = self.resampler.rows.data, self.options.known
        digest = hashlib.sha256(np.ascontiguousarray(data.table.values).tobytes())
        weights = b"" if data.weights is None else np.ascontiguousarray(data.weights).tobytes()
        words = (data.table.all_names, data.discrete, self.options.given(), self.resampler.method, self.resampler.seed)
        for part in (weights, repr(words).encode(), str(known).encode()):
            digest.update(part)
        return digest.hexdigest()


def learn_all(work: Learning, options: StabilityOptions, report: Callable[[str, int], None]) -> ResampleTally:
    """Learn from all resamples; after Ctrl-C, what is done is counted."""
    wanted, tally, done = int(options.resamples), ResampleTally(), 0
    numbers = [(start, min(start + AT_ONCE, wanted)) for start in range(0, wanted, AT_ONCE)]
    kept = None if options.records is None else Records(Path(options.records).expanduser(), version("sidelight"))
    work_on = "" if kept is None else work.fingerprint()
    jobs: list[Job] = [{"resamples": work_on, "numbers": list(bounds)} for bounds in numbers]
    with nullcontext() if kept is None else closing(kept):
        results: dict[int, list[Result]] = {}
        try:
            for job, result in run(jobs, kept, work, options.n_jobs, options.dask, lambda count: None):
                results[job["numbers"][0]] = result["graphs"]
                done += len(result["graphs"])
                report("resamples", done)
        except KeyboardInterrupt:
            if not results:
                raise
            tally.stopped = True
            report("stopped", done)
    for start in sorted(results):  # in the order of the numbers: warnings quote the first
        tally.add(results[start])
    return tally

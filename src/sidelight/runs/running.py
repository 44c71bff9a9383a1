"""Work in parallel: many jobs, each result handed out as it is ready, or some calls whose results are awaited.

On Linux workers are forked: they have the data and the compiled kernels of their parent from the start, end with it
however it ends, and at once when it gives up, and leave Ctrl-C to it. Elsewhere joblib starts them. Linear algebra has
one thread in each, so that a result does not depend on how many workers there are.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import pairwise
from time import sleep
from typing import Any

import numpy as np

from sidelight.errors import InputError
from sidelight.runs.cluster import as_ready, check_versions, cluster, results
from sidelight.runs.records import Records, Result
from sidelight.text.message import must_be

Job = dict[str, Any]  # JSON values only
Work = Callable[[Job], Result]
Results = Generator[tuple[Job, Result], None, None]
PARENT_DIED = 1  # PR_SET_PDEATHSIG of Linux's prctl
EVERY = 0.5  # seconds between two looks at the parent
_work: Work | None = None  # what forked workers do
_watched = False  # whether this process, a worker, watches its parent


def run(
    jobs: Sequence[Job],
    records: Records | None,
    work: Work,
    n_jobs: int,
    dask: object,
    tick: Callable[[int], None],
) -> Iterator[tuple[Job, Result]]:
    """Do what is not recorded yet; hand out all results, recorded ones first, then each as it is ready."""
    done = [job for job in jobs if records is not None and job in records]
    tick(len(done))
    for job in done:
        assert records is not None
        yield job, records[job]
    missing = [job for job in jobs if records is None or job not in records]
    results = _on_cluster(missing, work, dask) if dask else _on_this_machine(missing, work, n_jobs)
    try:
        for job, result in results:
            if records is not None:
                records.add(job, result)
            tick(1)
            yield job, result if records is None else records[job]
    finally:
        with warnings.catch_warnings():  # joblib warns of work that is given up
            warnings.simplefilter("ignore")
            results.close()


def _with_job(work: Work, job: Job) -> tuple[Job, Result]:
    """The job and its result; linear algebra uses one thread."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return job, work(job)


def _on_this_machine(jobs: Sequence[Job], work: Work, n_jobs: int) -> Results:
    """Results in the order in which they are ready."""
    from joblib import effective_n_jobs

    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0:
        raise InputError(must_be("n_jobs", "a number of workers, or -1 for all cores", n_jobs))
    n_workers = min(effective_n_jobs(n_jobs), len(jobs))
    if n_workers <= 1:
        yield from (_with_job(work, job) for job in jobs)
    elif sys.platform == "linux" and threading.current_thread() is threading.main_thread():
        yield from _forked(jobs, work, n_workers)
    else:
        yield from _started(jobs, work, n_workers)


def _forked(jobs: Sequence[Job], work: Work, n_workers: int) -> Results:
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import active_children, get_context

    global _work
    _work = work  # the workers inherit it
    others = active_children()
    pool = ProcessPoolExecutor(n_workers, get_context("fork"), initializer=_begin, initargs=(os.getpid(),))
    try:
        with warnings.catch_warnings():  # of threads, such as those of linear algebra, which no worker uses
            warnings.simplefilter("ignore", DeprecationWarning)
            waiting = [pool.submit(_do, job) for job in jobs]
        yield from (future.result() for future in as_completed(waiting))
    except BaseException:  # what the workers still do is wanted no more
        for worker in set(active_children()).difference(others):
            worker.kill()
        raise
    finally:
        _work = None
        pool.shutdown(wait=True, cancel_futures=True)


def _begin(parent: int) -> None:
    """Leave Ctrl-C to the parent, and end when it ends."""
    import ctypes

    gc.freeze()  # what the parent has is not looked through for garbage again and again
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(PARENT_DIED, signal.SIGKILL)
    if os.getppid() != parent:  # it has ended already
        os._exit(1)


def end_with(parent: int) -> None:
    """Let a worker that joblib started end soon after its parent: by itself it would wait for minutes."""
    global _watched
    if not _watched and os.getpid() != parent:
        _watched = True
        threading.Thread(target=_wait_for_the_end_of, args=(parent,), daemon=True).start()


def _wait_for_the_end_of(parent: int) -> None:
    while os.getppid() == parent:
        sleep(EVERY)
    os._exit(1)


def _do(job: Job) -> tuple[Job, Result]:
    assert _work is not None
    return _with_job(_work, job)


def _started(jobs: Sequence[Job], work: Work, n_workers: int) -> Results:
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=n_workers, return_as="generator_unordered", batch_size=1)
    yield from parallel(delayed(_with_parent)(os.getpid(), _with_job, work, job) for job in jobs)


def _with_parent(parent: int, work: Callable[..., Any], *arguments: Any) -> Any:
    end_with(parent)
    return work(*arguments)


def _on_cluster(jobs: Sequence[Job], work: Work, dask: object) -> Results:
    """The same by the workers of a cluster, which need sidelight too."""
    with cluster(dask) as client:
        check_versions(client)

        def send(numbers: Sequence[int]) -> list[Any]:
            sent = client.scatter(work, broadcast=True, hash=False)  # no key that is just being forgotten
            futures: list[Any] = client.map(_with_job, [sent] * len(numbers), [jobs[n] for n in numbers], pure=False)
            return futures

        for _, result in results(client, send, len(jobs), as_ready):
            yield result


# Some calls, their results in order: boundaries, separating sets and searches.


def n_workers(n_jobs: int) -> int:
    """The number of workers; a negative number counts down from all cores."""
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def shares(n_items: int, n_shares: int) -> list[tuple[int, int]]:
    """Divide this number of items into consecutive shares of about the same size."""
    bounds = np.linspace(0, n_items, n_shares + 1).astype(int).tolist()
    return [(start, stop) for start, stop in pairwise(bounds) if start < stop]


def in_parallel(
    n_jobs: int, work: Callable[..., Any], calls: Sequence[tuple[Any, ...]], threads: bool = False
) -> list[Any]:
    """The results of the calls, in their order; in threads for kernels that release the interpreter's lock."""
    from joblib import Parallel, delayed

    # Arrays are sent, not mapped: a mapped array is read-only, which numba compiles for anew in every worker.
    run = Parallel(n_jobs=n_jobs, prefer="threads" if threads else "processes", max_nbytes=None)
    return list(run(delayed(_with_parent)(os.getpid(), work, *call) for call in calls))

"""Work in parallel with joblib, the same for boundaries and for separating sets."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from sidelight.runs.running import end_with


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


def _with_parent(parent: int, work: Callable[..., Any], *arguments: Any) -> Any:
    end_with(parent)
    return work(*arguments)

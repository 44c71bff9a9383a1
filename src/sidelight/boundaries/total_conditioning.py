"""Total conditioning (Pellet & Elisseeff 2008): y is in the boundary of x when they depend given everything else."""

from __future__ import annotations

import numpy as np

from sidelight.interview import Interview


def total_conditioning(n_variables: int, ask: Interview, n_jobs: int = 1) -> list[set[int]]:
    """Return the Markov boundary of every variable from one batch of tests over all variables."""
    dependent = ask.dependence_matrix(n_variables)
    return [set(np.flatnonzero(row).tolist()) for row in dependent]

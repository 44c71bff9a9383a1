"""Total conditioning (Pellet & Elisseeff 2008): y is in the boundary of x when they depend given everything else."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sidelight.interview import Interview


def total_conditioning(blocks: Sequence[Sequence[int]], ask: Interview, n_jobs: int = 1) -> list[set[int]]:
    """Return the boundary of every variable, from one batch of tests for each block: given all that is not later."""
    boundaries: list[set[int]] = [set() for block in blocks for _ in block]
    earlier: list[int] = []
    for block in blocks:
        members = [*earlier, *block]
        dependent = ask.dependence_matrix(members, len(earlier))
        for i, x in enumerate(block, len(earlier)):
            boundaries[x] = {members[j] for j in np.flatnonzero(dependent[i]).tolist()}
        earlier = members
    return boundaries

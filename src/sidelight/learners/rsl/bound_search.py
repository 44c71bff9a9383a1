"""Algorithm 5 of the paper: without side information, raise the bound until the result keeps it.

A result never misses an edge, so its clique number is at least the true one; the first result whose clique number is
within the bound is the true structure (the paper's Proposition 4).
"""

from __future__ import annotations

from sidelight.graphs.properties import clique_number_of_edges
from sidelight.learners.rsl.recursion import learn_skeleton
from sidelight.learners.skeleton import Skeleton
from sidelight.learners.task import Task
from sidelight.side_information import CliqueNumber


def learn_without_side_information(task: Task) -> Skeleton:
    """Return the first skeleton that keeps the bound it was learned with; its ``assumption`` is that bound."""
    # A boundary with a member means an edge, so the bound 1 need not be tried.
    m = 2 if any(task.boundaries) else 1
    while True:
        skeleton = learn_skeleton(task, CliqueNumber(m))
        if task.ask.limits.reached or clique_number_of_edges(skeleton.edges(), task.n_variables) <= m:
            return skeleton
        m += 1

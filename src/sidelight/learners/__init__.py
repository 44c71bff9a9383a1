"""Structure learners, one per file or folder, all on the same ``Interview``.

Each takes a ``Task`` and returns a ``Skeleton``; RSL also takes side information and a variant.
"""

from collections.abc import Callable
from typing import NamedTuple

from sidelight.learners import cs, gs, hpc, marvel, mmpc, pc, pc_stable
from sidelight.learners.skeleton import Phases, Skeleton
from sidelight.learners.task import Task


class Learner(NamedTuple):
    """How to learn a skeleton, and whether that starts from Markov boundaries."""

    learn: Callable[[Task], Skeleton]
    from_boundaries: bool


OTHERS = {
    "marvel": Learner(marvel.learn, True),
    "pc": Learner(pc.learn, True),
    "pc-stable": Learner(pc_stable.learn, False),
    "gs": Learner(gs.learn, True),
    "cs": Learner(cs.learn, True),
    "mmpc": Learner(mmpc.learn, True),
    "hpc": Learner(hpc.learn, False),
}
LEARNERS = ("rsl", *OTHERS)

__all__ = ["LEARNERS", "OTHERS", "Learner", "Phases", "Skeleton", "Task"]

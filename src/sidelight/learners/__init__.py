"""Structure learners, one per file or folder, all on the same ``Interview``.

Each takes a ``Task`` and returns a ``Skeleton``; RSL also takes side information and a variant.
"""

from collections.abc import Callable
from typing import NamedTuple

from sidelight.learners import cs, gs, hpc, marvel, mmpc, pc, pc_stable
from sidelight.learners.skeleton import Phases, Skeleton
from sidelight.learners.task import Task


class Learner(NamedTuple):
    """How to learn a skeleton, whether that starts from Markov boundaries, and whether it uses their level."""

    learn: Callable[[Task], Skeleton]
    from_boundaries: bool = True
    uses_their_level: bool = True


OTHERS = {
    "marvel": Learner(marvel.learn),
    "pc": Learner(pc.learn),
    "pc-stable": Learner(pc_stable.learn, False, False),
    "gs": Learner(gs.learn),
    "cs": Learner(cs.learn),
    "mmpc": Learner(mmpc.learn),
    "hpc": Learner(hpc.learn, False),
}
LEARNERS = ("rsl", *OTHERS)

__all__ = ["LEARNERS", "OTHERS", "Learner", "Phases", "Skeleton", "Task"]

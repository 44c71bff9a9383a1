"""Structure learners, one per file or folder, all on the same ``Interview``.

Each takes a ``Task`` and returns a ``Skeleton``; RSL also takes side information and a variant.
"""

from collections.abc import Callable
from typing import NamedTuple

from sidelight.learners import cs, gs, hpc, marvel, mmpc, pc, pc_stable
from sidelight.learners.skeleton import Phases, Skeleton
from sidelight.learners.task import Task


class Traits(NamedTuple):
    """Whether a learner starts from Markov boundaries, uses the level for them, removes one variable at a time."""

    from_boundaries: bool = True
    uses_their_level: bool = True
    removes: bool = False


LEARNERS = {
    "rsl": Traits(removes=True),
    "marvel": Traits(removes=True),
    "pc": Traits(),
    "pc-stable": Traits(from_boundaries=False, uses_their_level=False),
    "gs": Traits(),
    "cs": Traits(),
    "mmpc": Traits(),
    "hpc": Traits(from_boundaries=False),
}
OTHERS: dict[str, Callable[[Task], Skeleton]] = {
    "marvel": marvel.learn,
    "pc": pc.learn,
    "pc-stable": pc_stable.learn,
    "gs": gs.learn,
    "cs": cs.learn,
    "mmpc": mmpc.learn,
    "hpc": hpc.learn,
}

__all__ = ["LEARNERS", "OTHERS", "Phases", "Skeleton", "Task", "Traits"]

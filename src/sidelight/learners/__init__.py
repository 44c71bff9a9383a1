"""Structure learners, one per file or folder: each is ``learn(task) -> Skeleton`` and one line of ``LEARNERS``."""

from collections.abc import Callable
from dataclasses import dataclass

from sidelight.learners import cs, gs, hpc, marvel, mmpc, pc, pc_stable, rsl
from sidelight.learners.skeleton import Phases, Skeleton, Task


@dataclass(frozen=True)
class Learner:
    """A learner, what it does in a few words, and which parts of a ``Task`` it uses."""

    learn: Callable[[Task], Skeleton]
    summary: str
    starts_from_boundaries: bool = True
    uses_boundary_alpha: bool = True
    removes_variables: bool = False
    uses_side_information: bool = False
    has_variants: bool = False
    removes_in_blocks: bool = False  # where the order of some variables is known, the last ones first
    is_sound: bool = True  # with correct answers, the result is the true structure
    searches_by_score: bool = False  # what it learned is where a search by score begins


LEARNERS = {
    "rsl": Learner(
        rsl.learn,
        "recursive; uses side information",
        removes_variables=True,
        uses_side_information=True,
        has_variants=True,
        removes_in_blocks=True,
    ),
    "hybrid": Learner(
        rsl.learn,
        "RSL, then a search by score near what it found",
        uses_side_information=True,
        has_variants=True,
        removes_in_blocks=True,
        searches_by_score=True,
    ),
    "marvel": Learner(marvel.learn, "recursive, without side information", removes_variables=True),
    "pc": Learner(pc.learn, "removes edges by growing subsets of the neighbours"),
    "pc-stable": Learner(
        pc_stable.learn,
        "the textbook PC from the complete graph, independent of the order of columns",
        starts_from_boundaries=False,
        uses_boundary_alpha=False,
    ),
    "gs": Learner(gs.learn, "searches all subsets of the smaller boundary of each pair"),
    "cs": Learner(cs.learn, "collider sets: leaves possible common children out of the boundary"),
    "mmpc": Learner(mmpc.learn, "max-min parents and children"),
    "hpc": Learner(hpc.learn, "hybrid parents and children", starts_from_boundaries=False),
}

__all__ = ["LEARNERS", "Learner", "Phases", "Skeleton", "Task"]

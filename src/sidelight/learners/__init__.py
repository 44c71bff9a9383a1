"""Structure learners, one per file or folder, and one entry of ``LEARNERS`` each.

A learner is ``learn(task) -> Skeleton``, from tests alone, and, if it goes on from there, a score-based search.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sidelight.graphs.separating_sets import Skeleton
from sidelight.learners import cs, gs, hpc, l_marvel, marvel, mmpc, pc, pc_stable, rsl
from sidelight.learners.task import Task
from sidelight.search import FoundDag, SearchTask, maximise


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
    allows_hidden: bool = False  # sound where common causes are hidden
    search: Callable[[SearchTask], FoundDag] | None = None  # begins with what was learned by tests

    @property
    def searches_by_score(self) -> bool:
        """True when a score decides in the end."""
        return self.search is not None


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
        allows_hidden=True,
        search=maximise,
    ),
    "marvel": Learner(marvel.learn, "recursive, without side information", removes_variables=True),
    "l-marvel": Learner(
        l_marvel.learn, "recursive, and sound with hidden causes", removes_variables=True, allows_hidden=True
    ),
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

__all__ = ["LEARNERS", "Learner", "Task"]

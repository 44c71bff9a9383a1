"""Arguments of ``learn`` that cannot be used are told by name, with what would be accepted."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real

import numpy as np

from sidelight.boundaries import ALGORITHMS
from sidelight.errors import InputError
from sidelight.interview import Limits
from sidelight.learners import LEARNERS
from sidelight.learners.rsl import VARIANTS
from sidelight.side_information import SideInformation


def check_arguments(
    side: object,
    learner: str,
    variant: str,
    alpha: object,
    boundaries: object,
    boundary_alpha: object,
    n_jobs: object,
    progress: object,
) -> None:
    if progress is not None and not callable(progress):
        raise InputError(f"progress={progress!r}: give a function of a phase's name and the number of steps done")
    if side is not None and not isinstance(side, SideInformation):
        raise InputError(
            f"side={side!r}: give DiamondFree(), CliqueNumber(m), Treewidth(t), VertexCover(k), MaxInDegree(d) or None"
        )
    if not isinstance(learner, str) or learner not in LEARNERS:
        raise InputError(f"learner={learner!r}: there are {', '.join(map(repr, LEARNERS))}")
    if not isinstance(variant, str) or variant not in VARIANTS:
        raise InputError(f"variant={variant!r}: there are {', '.join(map(repr, VARIANTS))}")
    known = isinstance(boundaries, str) and (boundaries == "auto" or boundaries in ALGORITHMS)
    if not known and not isinstance(boundaries, Mapping):
        raise InputError(
            f"boundaries={boundaries!r}: give 'auto', {', '.join(map(repr, ALGORITHMS))} or a mapping from each name "
            "to the names in its boundary"
        )
    _check_learner_uses(learner, side, variant, boundaries, boundary_alpha)
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0:
        raise InputError(f"n_jobs={n_jobs!r}: give a number of workers, or -1 for all cores")
    check_level("alpha", alpha)
    if boundary_alpha is not None:
        check_level("boundary_alpha", boundary_alpha)


def _check_learner_uses(learner: str, side: object, variant: str, boundaries: object, boundary_alpha: object) -> None:
    """Options that a learner does not use are refused, not ignored."""
    chosen = LEARNERS[learner]
    if side is not None and not chosen.uses_side_information:
        raise InputError(f'side=: only learner="rsl" uses side information, not {learner!r}')
    if variant != "robust" and not chosen.has_variants:
        raise InputError(f'variant=: only learner="rsl" has variants, not {learner!r}')
    if boundaries != "auto" and not chosen.starts_from_boundaries:
        raise InputError(f"boundaries=: {learner!r} does not start from Markov boundaries")
    if boundary_alpha is not None and not chosen.uses_boundary_alpha:
        raise InputError(f"boundary_alpha=: {learner!r} has no use for Markov boundaries")


def check_level(option: str, level: object) -> None:
    """Raise when a level is none; beyond 1e-300 nothing can be told from 0."""
    if not (isinstance(level, Real) and 1e-300 < float(level) < 1.0):
        raise InputError(f"{option}={level!r}: a level is a number between 0 and 1, such as 0.01")


def checked_limits(max_tests: object, max_conditioning: object) -> Limits:
    for option, value in (("max_tests", max_tests), ("max_conditioning", max_conditioning)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0):
            raise InputError(f"{option}={value!r}: give a whole number, 0 or more, or None for no limit")
    return Limits(max_tests, max_conditioning)  # type: ignore[arg-type]

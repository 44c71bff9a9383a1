"""Structure learners, one per file or folder, all on the same ``Interview``."""

from sidelight.learners.skeleton import Phases, Skeleton

__all__ = ["Phases", "Skeleton"]

"""Markov-boundary algorithms, one per file, one signature: ``(blocks, ask, n_jobs) -> list of sets``."""

from sidelight.boundaries.given import given_boundaries
from sidelight.boundaries.grow_shrink import grow_shrink
from sidelight.boundaries.iamb import fast_iamb, iamb, inter_iamb
from sidelight.boundaries.search import joined, one_block
from sidelight.boundaries.total_conditioning import total_conditioning

ALGORITHMS = {
    "tc": total_conditioning,
    "iamb": iamb,
    "inter-iamb": inter_iamb,
    "fast-iamb": fast_iamb,
    "gs": grow_shrink,
}

__all__ = [
    "ALGORITHMS",
    "fast_iamb",
    "given_boundaries",
    "grow_shrink",
    "iamb",
    "inter_iamb",
    "joined",
    "one_block",
    "total_conditioning",
]

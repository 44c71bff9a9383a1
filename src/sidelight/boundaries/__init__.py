"""Markov-boundary algorithms, one per file, one signature: ``(n_variables, ask) -> list of sets``."""

from sidelight.boundaries.given import given_boundaries
from sidelight.boundaries.iamb import iamb
from sidelight.boundaries.total_conditioning import total_conditioning

ALGORITHMS = {"iamb": iamb, "tc": total_conditioning}

__all__ = ["ALGORITHMS", "given_boundaries", "iamb", "total_conditioning"]

"""Markov-boundary algorithms, one per file, one signature: ``(n_variables, ask) -> list of sets``."""

from sidelight.boundaries.given import given_boundaries
from sidelight.boundaries.total_conditioning import total_conditioning

__all__ = ["given_boundaries", "total_conditioning"]
